// SPDX-License-Identifier: BSD-3-Clause
/** Locations by iterations as a heat map. */
import type { IterationMap } from "../model/iterations";
import type { Phase } from "../model/report";
import { niceStep } from "./axis";
import { scaleColor, type Palette, type ScaleName } from "./colors";
import type { Surface } from "./surface";

export const MAP_LEFT = 62;
const RIGHT = 12;
const TOP = 4;
const BOTTOM = 20;

export interface IterationMapModel {
  readonly map: IterationMap;
  readonly phase: Phase;
  readonly values: Float64Array;
  readonly most: number;
  readonly names: readonly string[];
  readonly scale: ScaleName;
}

export function drawIterationMap(surface: Surface, palette: Palette, model: IterationMapModel): void {
  const { map, phase, values, most, names, scale } = model;
  const columns = map.columns.length;
  const width = surface.width - MAP_LEFT - RIGHT;
  const height = surface.height - TOP - BOTTOM;
  if (columns === 0 || width < 20) return;
  const x = (column: number): number => Math.round(MAP_LEFT + (column * width) / columns);
  const y = (row: number): number => Math.round(TOP + (row * height) / map.rows);
  for (let row = 0; row < map.rows; row++) {
    for (let column = 0; column < columns; column++) {
      const value = most > 0 ? values[row * columns + column]! / most : 0;
      surface.rect(x(column), y(row), x(column + 1) - x(column), y(row + 1) - y(row), scaleColor(scale, palette.dark, value));
    }
  }
  const everyRow = Math.max(1, niceStep(Math.ceil((13 * map.rows) / height)));
  for (let row = 0; row < map.rows; row += everyRow) {
    const name = names[row * map.group]!;
    surface.text(MAP_LEFT - 6, (y(row) + y(row + 1)) / 2, name, { size: 11, color: palette.muted, anchor: "end" });
  }
  const everyColumn = Math.max(1, niceStep(Math.ceil((44 * columns) / width)));
  for (let column = 0; column < columns; column += everyColumn) {
    const middle = (x(column) + x(column + 1)) / 2;
    const { first } = phase.rows[map.columns[column]!.first]!;
    surface.text(middle, surface.height - 8, String(first), { size: 11, color: palette.muted, anchor: "middle" });
  }
}

/** @returns row and column at a point; null: none. */
export function iterationCell(
  { map }: IterationMapModel,
  x: number,
  y: number,
  width: number,
  height: number,
): { row: number; column: number } | null {
  const column = Math.floor(((x - MAP_LEFT) / (width - MAP_LEFT - RIGHT)) * map.columns.length);
  const row = Math.floor(((y - TOP) / (height - TOP - BOTTOM)) * map.rows);
  return column >= 0 && column < map.columns.length && row >= 0 && row < map.rows ? { row, column } : null;
}
