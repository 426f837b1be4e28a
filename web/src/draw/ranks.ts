// SPDX-License-Identifier: BSD-3-Clause
/** Bars of values over the locations. */
import { niceStep, ticks } from "./axis";
import type { Palette } from "./colors";
import { drawRankBands } from "./rank_bands";
import type { Surface } from "./surface";

export interface RanksModel {
  readonly values: ArrayLike<number>;
  readonly format: (value: number) => string;
  /** The number of a location in the program: images begin with 1. */
  readonly number: (location: number) => string;
  readonly selected: number;
}

const LEFT = 74;
const RIGHT = 10;
const TOP = 14;
const BOTTOM = 28;

export function drawRanks(surface: Surface, palette: Palette, model: RanksModel): void {
  const { values, format, number } = model;
  const width = surface.width - LEFT - RIGHT;
  const height = surface.height - TOP - BOTTOM;
  if (width <= 10 || height <= 10 || values.length === 0) return;
  if (values.length > width) {
    drawRankBands(surface, palette, values, format, number, { left: LEFT, top: TOP, width, height });
    return;
  }
  let largest = 0;
  let least = 0;
  let sum = 0;
  for (let i = 0; i < values.length; i++) {
    largest = Math.max(largest, values[i]!);
    least = Math.min(least, values[i]!);
    sum += values[i]!;
  }
  // Differences of two runs may be negative.
  const range = largest - least;
  const y = (value: number): number => TOP + height - (range > 0 ? ((value - least) / range) * height : 0);
  const count = Math.max(2, Math.floor(height / 60));
  const below = least < 0 ? ticks(-least, count).map((tick) => -tick) : [];
  for (const tick of new Set([...ticks(largest, count), ...below])) {
    surface.line(LEFT, y(tick), LEFT + width, y(tick), { color: palette.line });
    surface.text(LEFT - 6, y(tick), format(tick), { size: 11, color: palette.muted, anchor: "end" });
  }
  const step = width / values.length;
  const gap = step > 5 ? Math.min(4, step * 0.2) : 0;
  for (let i = 0; i < values.length; i++) {
    const top = y(Math.max(0, values[i]!));
    const bottom = y(Math.min(0, values[i]!));
    const color = i === model.selected ? palette.accent : values[i]! < 0 ? palette.communicate : palette.wait;
    surface.rect(LEFT + i * step + gap / 2, top, Math.max(0.7, step - gap), bottom - top, color);
  }
  const mean = sum / values.length;
  surface.line(LEFT, y(mean), LEFT + width, y(mean), { color: palette.ink, dash: [4, 3] });
  surface.text(LEFT + width, y(mean) - 7, `mean ${format(mean)}`, {
    size: 11,
    color: palette.ink,
    anchor: "end",
  });
  const every = niceStep(values.length / Math.max(1, Math.floor(width / 44)));
  for (let i = 0; i < values.length; i += every) {
    surface.text(LEFT + (i + 0.5) * step, TOP + height + 13, number(i), {
      size: 11,
      color: palette.muted,
      anchor: "middle",
    });
  }
}

/** @returns the location at a point of the chart, -1 if there is none. */
export function rankAt(count: number, x: number, y: number, width: number, height: number): number {
  const inside = width - LEFT - RIGHT;
  if (x < LEFT || x >= LEFT + inside || y < TOP || y > height - BOTTOM) return -1;
  return Math.min(count - 1, Math.floor(((x - LEFT) / inside) * count));
}
