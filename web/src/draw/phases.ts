// SPDX-License-Identifier: BSD-3-Clause
/** The iterations of a phase: the duration of each, and the average activity of a location in it. */
import { formatTick } from "../format";
import type { Phase } from "../model/report";
import { ticks } from "./axis";
import type { Palette } from "./colors";
import type { Surface } from "./surface";

const LEFT = 62;
const RIGHT = 12;
const TOP = 12;
const BOTTOM = 26;

export function drawPhase(surface: Surface, palette: Palette, phase: Phase, ticksPerSecond: number): void {
  const width = surface.width - LEFT - RIGHT;
  const height = surface.height - TOP - BOTTOM;
  const { rows } = phase;
  const seconds = (value: number, row: number): number => value / rows[row]!.count / ticksPerSecond;
  const largest = rows.reduce((most, row, i) => Math.max(most, seconds(row.duration, i)), 0);
  if (rows.length === 0 || largest <= 0 || width < 20) return;
  const y = (value: number): number => TOP + height * (1 - value / largest);
  for (const tick of ticks(largest, 5)) {
    surface.line(LEFT, y(tick), LEFT + width, y(tick), { color: palette.line });
    surface.text(LEFT - 6, y(tick), formatTick(tick), { size: 11, color: palette.muted, anchor: "end" });
  }
  // Several rows may share a pixel: the pixel shows the longest of them.
  const drawn = Math.min(rows.length, Math.floor(width));
  const step = width / drawn;
  const bar = Math.max(1, step - (step >= 5 ? 1 : 0));
  for (let i = 0; i < drawn; i++) {
    const row = longest(phase, Math.floor((i * rows.length) / drawn), Math.floor(((i + 1) * rows.length) / drawn));
    const of = rows[row]!;
    const members = Math.max(1, of.locations);
    const x = LEFT + i * step;
    const stack = (from: number, part: number, color: string): number => {
      surface.rect(x, y(from + part), bar, y(from) - y(from + part), color);
      return from + part;
    };
    const total = seconds(of.duration, row);
    const compute = stack(0, seconds(of.computation / members, row), palette.compute);
    const waited = Math.min(seconds(of.waiting / members, row), Math.max(0, total - compute));
    const rest = stack(compute, Math.max(0, total - compute - waited), palette.communicate);
    stack(rest, waited, palette.wait);
  }
  const every = Math.max(1, Math.ceil(rows.length / Math.max(1, Math.floor(width / 70))));
  for (let i = 0; i < rows.length; i += every) {
    surface.text(LEFT + ((i + 0.5) / rows.length) * width, TOP + height + 14, String(rows[i]!.first), {
      size: 11,
      color: palette.muted,
      anchor: "middle",
    });
  }
}

function longest(phase: Phase, from: number, to: number): number {
  let found = from;
  for (let i = from; i < to; i++) {
    const each = (row: number): number => phase.rows[row]!.duration / phase.rows[row]!.count;
    if (each(i) > each(found)) found = i;
  }
  return found;
}

/** @returns the row at an x of the chart, -1 if there is none. */
export function phaseRow(phase: Phase, x: number, width: number): number {
  const inside = width - LEFT - RIGHT;
  if (x < LEFT || x >= LEFT + inside || phase.rows.length === 0) return -1;
  return Math.floor(((x - LEFT) / inside) * phase.rows.length);
}
