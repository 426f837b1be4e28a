/** Values of processes at their positions in a cartesian topology: planes of its last two dimensions, side by
 * side. */
import { niceStep } from "./axis";
import { scaleColor, type Palette, type ScaleName } from "./colors";
import type { Surface } from "./surface";

export interface TopologyModel {
  readonly sizes: readonly number[];
  /** By position, the last dimension fastest; NaN: no process. */
  readonly values: Float64Array;
  readonly largest: number;
  readonly scale: ScaleName;
  /** The highlighted position; -1: none. */
  readonly selected: number;
}

const LEFT = 40;
const TOP = 24;
const GAP = 16;

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
      (height - TOP - down * (GAP + 12)) / down / rows,
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
        part > 0 ? scaleColor(model.scale, palette.dark, part) : palette.faint,
      );
    }
    surface.frame(x - 1, y - 1, columns * size + 1, rows * size + 1, { color: palette.line });
    if (planes > 1) {
      surface.text(x, y - 9, planeName(model.sizes, plane), { size: 11, color: palette.muted });
    }
  }
  const [x, y] = corner(shape, 0);
  for (let row = 0; row < rows; row += niceStep(13 / size)) {
    surface.text(x - 6, y + (row + 0.5) * size, String(row), { size: 11, color: palette.muted, anchor: "end" });
  }
  if (planes === 1) {
    for (let column = 0; column < columns; column += niceStep(26 / size)) {
      surface.text(x + (column + 0.5) * size, y - 9, String(column), { size: 11, color: palette.muted, anchor: "middle" });
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

/** The coordinates shared by all positions of a plane. */
function planeName(sizes: readonly number[], plane: number): string {
  return coordinatesOf(sizes.slice(0, -2), plane).join(", ");
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
