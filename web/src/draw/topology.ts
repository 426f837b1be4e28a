// SPDX-License-Identifier: BSD-3-Clause
/** Values of processes at their positions in a cartesian topology: planes of its last two dimensions, side by
 * side. */
import { niceStep } from "./axis";
import { channels, fractionColor, type Palette, type ScaleName } from "./colors";
import { drawScale, SCALE_HEIGHT } from "./scale";
import { textWidth, type Surface } from "./surface";

export interface TopologyModel {
  readonly sizes: readonly number[];
  /** By position, the last dimension fastest; NaN: no process. */
  readonly values: Float64Array;
  /** By position: number of the process in the program; -1: no process. */
  readonly ranks: Int32Array;
  /** Names of the dimensions. */
  readonly names: readonly string[];
  /** The largest absolute value. */
  readonly largest: number;
  readonly format: (value: number) => string;
  readonly scale: ScaleName;
  /** The highlighted position; -1: none. */
  readonly selected: number;
}

const LEFT = 52;
const TOP = 42;
const GAP = 16;
const BOTTOM = SCALE_HEIGHT + 6;
/** Numbers of ranks are written into fields of this size. */
const LEAST_FIELD = 15;

function frame(model: TopologyModel, width: number, height: number) {
  const columns = model.sizes[model.sizes.length - 1] ?? 1;
  const rows = model.sizes[model.sizes.length - 2] ?? 1;
  const planes = Math.max(1, model.values.length / (rows * columns));
  // The number of planes side by side that makes the fields largest.
  let best = { across: 1, size: 0 };
  for (let across = 1; across <= planes; across++) {
    const down = Math.ceil(planes / across);
    const size = Math.min(
      (width - LEFT - across * GAP) / across / columns,
      (height - TOP - BOTTOM - down * (GAP + 12)) / down / rows,
    );
    if (size > best.size) best = { across, size };
  }
  const size = Math.min(64, best.size);
  return { columns, rows, planes, across: best.across, size };
}

function corner(shape: ReturnType<typeof frame>, plane: number): readonly [number, number] {
  const { across, columns, rows, size } = shape;
  return [
    LEFT + (plane % across) * (columns * size + GAP),
    TOP + Math.floor(plane / across) * (rows * size + GAP + 12),
  ];
}

export function drawTopology(surface: Surface, palette: Palette, model: TopologyModel): void {
  const shape = frame(model, surface.width, surface.height);
  const { columns, rows, planes, size } = shape;
  if (size <= 0) return;
  const gap = size >= 5 ? 1 : 0;
  for (let plane = 0; plane < planes; plane++) {
    const [x, y] = corner(shape, plane);
    for (let i = 0; i < rows * columns; i++) {
      const value = model.values[plane * rows * columns + i]!;
      if (Number.isNaN(value)) continue;
      const part = model.largest > 0 ? value / model.largest : 0;
      surface.rect(
        x + (i % columns) * size,
        y + Math.floor(i / columns) * size,
        Math.max(0.5, size - gap),
        Math.max(0.5, size - gap),
        part !== 0 ? fractionColor(model.scale, palette, part) : palette.line,
      );
      drawRank(surface, palette, model, plane * rows * columns + i, part, x + (i % columns) * size, y + Math.floor(i / columns) * size, size);
    }
    surface.frame(x - 1, y - 1, columns * size + 1, rows * size + 1, { color: palette.line });
    if (planes > 1) {
      surface.text(x, y - 9, planeName(model, plane), { size: 11, color: palette.muted });
    }
  }
  const [x, y] = corner(shape, 0);
  drawAxes(surface, palette, model, x, y);
  for (let row = 0; row < rows; row += niceStep(13 / size)) {
    surface.text(x - 6, y + (row + 0.5) * size, String(row), { size: 11, color: palette.muted, anchor: "end" });
  }
  if (planes === 1 || 26 / size < columns) {
    for (let column = 0; column < columns; column += niceStep(26 / size)) {
      surface.text(x + (column + 0.5) * size, y - (planes === 1 ? 9 : 22), String(column), { size: 11, color: palette.muted, anchor: "middle" });
    }
  }
  if (model.selected >= 0) {
    const [left, top] = corner(shape, Math.floor(model.selected / (rows * columns)));
    const at = model.selected % (rows * columns);
    surface.frame(left + (at % columns) * size, top + Math.floor(at / columns) * size, size, size, {
      color: palette.accent,
      width: 2,
    });
  }
}

/** Names of the dimensions along the edges, and the colours, unless all values are 0. */
function drawAxes(surface: Surface, palette: Palette, model: TopologyModel, x: number, y: number): void {
  const { names, largest, format } = model;
  const style = { size: 11, color: palette.muted };
  const signed = model.values.some((value) => value < 0);
  surface.text(x, 8, `${names[names.length - 1] ?? ""} \u2192`, { ...style, limit: surface.width - x });
  if (names.length > 1) surface.text(6, y - 9, `${names[names.length - 2]!} \u2193`, { ...style, limit: LEFT - 8 });
  if (largest === 0) return;
  drawScale(surface, palette, 6, surface.height - SCALE_HEIGHT / 2, {
    scale: model.scale,
    low: signed ? format(-largest) : "0",
    high: format(largest),
    signed,
  });
}

/** The number of a rank in its field, in black or white. */
function drawRank(
  surface: Surface, palette: Palette, model: TopologyModel, place: number, part: number, x: number, y: number, size: number,
): void {
  const rank = model.ranks[place]!;
  const textSize = Math.min(12, size * 0.55);
  if (rank < 0 || size < LEAST_FIELD || textWidth(String(rank), textSize) > size - 3) return;
  const fill = part !== 0 ? fractionColor(model.scale, palette, part) : palette.line;
  surface.text(x + size / 2, y + size / 2, String(rank), {
    size: textSize,
    color: contrastTo(fill),
    anchor: "middle",
  });
}

/** @returns black or white, whichever has the higher contrast to a colour "#rrggbb" or "rgb(r, g, b)". */
function contrastTo(color: string): string {
  const parts = color.startsWith("#") ? channels(color) : (color.match(/[\d.]+/g) ?? []).map(Number);
  const [red = 0, green = 0, blue = 0] = parts.map((part) => {
    const value = part / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  // Relative luminance (WCAG 2.2); contrasts to black and white are equal at 0.179.
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? "#000000" : "#ffffff";
}

/** The coordinates shared by all positions of a plane: "x 1, y 2". */
function planeName(model: TopologyModel, plane: number): string {
  return coordinatesOf(model.sizes.slice(0, -2), plane)
    .map((coordinate, i) => `${model.names[i]!} ${coordinate}`)
    .join(", ");
}

export function coordinatesOf(sizes: readonly number[], place: number): number[] {
  const found: number[] = [];
  for (let i = sizes.length - 1, rest = place; i >= 0; i--) {
    found.unshift(rest % sizes[i]!);
    rest = Math.floor(rest / sizes[i]!);
  }
  return found;
}

/** @returns the position at a point, -1 if there is none. */
export function placeAt(model: TopologyModel, x: number, y: number, width: number, height: number): number {
  const shape = frame(model, width, height);
  const { columns, rows, planes, size } = shape;
  for (let plane = 0; plane < planes; plane++) {
    const [left, top] = corner(shape, plane);
    const column = Math.floor((x - left) / size);
    const row = Math.floor((y - top) / size);
    if (column >= 0 && column < columns && row >= 0 && row < rows) return plane * rows * columns + row * columns + column;
  }
  return -1;
}
