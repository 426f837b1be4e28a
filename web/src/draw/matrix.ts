// SPDX-License-Identifier: BSD-3-Clause
/** A matrix of pairs of locations, with the sums of its rows and columns. */
import type { MatrixGrid } from "../model/matrix";
import { niceStep } from "./axis";
import { scaleColor, type Palette, type ScaleName } from "./colors";
import { drawScale, SCALE_HEIGHT } from "./scale";
import type { Surface } from "./surface";

export interface MatrixModel {
  readonly grid: MatrixGrid;
  readonly rows: string;
  readonly columns: string;
  readonly scale: ScaleName;
  /** Name of a location at the edge. */
  readonly name: (location: number) => string;
  readonly format: (value: number) => string;
}

const LEFT = 84;
const TOP = 58;
const SUMS = 60;
const GAP = 8;
const BOTTOM = 10 + SCALE_HEIGHT;

function frame(width: number, height: number, size: number) {
  const room = Math.max(10, Math.min(width - LEFT - SUMS - GAP, height - TOP - SUMS - GAP - BOTTOM));
  return { cell: room / size, room };
}

export function drawMatrix(surface: Surface, palette: Palette, model: MatrixModel): void {
  const { grid } = model;
  const { cell, room } = frame(surface.width, surface.height, grid.size);
  surface.text(LEFT - 8, TOP - 30, `${model.rows} \u2193`, { size: 12, color: palette.muted, anchor: "end" });
  surface.text(LEFT, TOP - 44, `${model.columns} \u2192`, { size: 12, color: palette.muted });
  surface.frame(LEFT, TOP, room, room, { color: palette.line });
  if (grid.largest <= 0) return;
  const gap = cell >= 8 ? 1 : 0;
  for (let row = 0; row < grid.size; row++) {
    for (let column = 0; column < grid.size; column++) {
      const value = grid.values[row * grid.size + column]!;
      if (value <= 0) continue;
      surface.rect(
        LEFT + column * cell,
        TOP + row * cell,
        Math.max(1, cell - gap),
        Math.max(1, cell - gap),
        scaleColor(model.scale, palette.dark, value / grid.largest),
      );
    }
  }
  drawNames(surface, palette, model, cell);
  drawSums(surface, palette, grid, cell, room);
  const below = TOP + room + SUMS + GAP + SCALE_HEIGHT / 2 + 6;
  drawScale(surface, palette, LEFT, below, { scale: model.scale, low: "0", high: model.format(grid.largest) });
}

function drawNames(surface: Surface, palette: Palette, model: MatrixModel, cell: number): void {
  const { grid, name } = model;
  const down = niceStep(13 / cell);
  const right = niceStep(46 / cell);
  for (let i = 0; i < grid.size; i += down) {
    surface.text(LEFT - 6, TOP + (i + 0.5) * cell, name(grid.first + i * grid.group), {
      size: 11,
      color: palette.muted,
      anchor: "end",
      limit: LEFT - 12,
    });
  }
  for (let i = 0; i < grid.size; i += right) {
    const x = LEFT + (i + 0.5) * cell;
    surface.line(x, TOP - 5, x, TOP, { color: palette.line });
    surface.text(x, TOP - 14, name(grid.first + i * grid.group), { size: 11, color: palette.muted, anchor: "middle", limit: 44 });
  }
}

/** Sums of each location as source and as target. */
function drawSums(surface: Surface, palette: Palette, grid: MatrixGrid, cell: number, room: number): void {
  const largest = Math.max(...grid.from, ...grid.to);
  const thick = Math.max(1, cell - (cell >= 5 ? 1 : 0));
  for (let i = 0; i < grid.size; i++) {
    const from = (SUMS * grid.from[i]!) / largest;
    const to = (SUMS * grid.to[i]!) / largest;
    surface.rect(LEFT + room + GAP, TOP + i * cell, from, thick, palette.cause, 0.85);
    surface.rect(LEFT + i * cell, TOP + room + GAP, thick, to, palette.wait, 0.85);
  }
}

/** @returns row and column at a point; one of them is -1 at the sums; null elsewhere. */
export function matrixCell(
  grid: MatrixGrid,
  x: number,
  y: number,
  width: number,
  height: number,
): { row: number; column: number } | null {
  const { cell, room } = frame(width, height, grid.size);
  const row = y >= TOP && y < TOP + room ? Math.floor((y - TOP) / cell) : -1;
  const column = x >= LEFT && x < LEFT + room ? Math.floor((x - LEFT) / cell) : -1;
  if (row < 0 && column < 0) return null;
  if (row < 0 && y < TOP + room) return null;
  if (column < 0 && x < LEFT + room) return null;
  return { row, column };
}
