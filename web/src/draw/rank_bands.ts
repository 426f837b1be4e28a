// SPDX-License-Identifier: BSD-3-Clause
/** Values over more locations than pixels: the smallest, the middle and the largest value of neighbouring locations,
 * so that single outliers remain visible. */
import { niceStep, ticks } from "./axis";
import type { Palette } from "./colors";
import type { Surface } from "./surface";

export interface Band {
  readonly least: number;
  readonly median: number;
  readonly most: number;
}

/** @returns a band for each of `columns` groups of neighbouring values. */
export function bandsOf(values: ArrayLike<number>, columns: number): Band[] {
  return Array.from({ length: columns }, (_, column) => {
    const from = Math.floor((column * values.length) / columns);
    const to = Math.max(from + 1, Math.floor(((column + 1) * values.length) / columns));
    const group = Float64Array.from({ length: to - from }, (_, i) => values[from + i]!).sort();
    return { least: group[0]!, median: group[(group.length - 1) >> 1]!, most: group[group.length - 1]! };
  });
}

/** Width of a band in pixels. */
const WIDTH = 2;

export interface BandFrame {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export function drawRankBands(
  surface: Surface,
  palette: Palette,
  values: ArrayLike<number>,
  format: (value: number) => string,
  number: (location: number) => string,
  { left, top, width, height }: BandFrame,
): void {
  const bands = bandsOf(values, Math.max(1, Math.floor(width / WIDTH)));
  const low = bands.reduce((least, band) => Math.min(least, band.least), 0);
  const high = bands.reduce((most, band) => Math.max(most, band.most), 0);
  const y = (value: number): number => top + height * (high > low ? 1 - (value - low) / (high - low) : 1);
  for (const tick of ticks(high, Math.max(2, Math.floor(height / 60)))) {
    surface.line(left, y(tick), left + width, y(tick), { color: palette.line });
    surface.text(left - 6, y(tick), format(tick), { size: 11, color: palette.muted, anchor: "end" });
  }
  const step = width / bands.length;
  bands.forEach(({ least, median, most }, i) => {
    surface.rect(left + i * step, y(most), step, Math.max(1, y(least) - y(most)), palette.wait, 0.45);
    surface.rect(left + i * step, y(median) - 0.75, step, 1.5, palette.ink);
  });
  const group = Math.ceil(values.length / bands.length);
  const text = `smallest, middle, largest of ${group} neighbours`;
  surface.text(left + width, top - 7, text, { size: 11, color: palette.muted, anchor: "end", limit: left + width });
  const every = niceStep(values.length / Math.max(1, Math.floor(width / 60)));
  for (let i = 0; i < values.length; i += every) {
    const x = left + ((i + 0.5) / values.length) * width;
    surface.text(x, top + height + 13, number(i), { size: 11, color: palette.muted, anchor: "middle" });
  }
}
