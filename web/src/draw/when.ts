// SPDX-License-Identifier: BSD-3-Clause
/** When a problem arises: the waiting in each iteration, with the iterations of the problem emphasized. */
import type { Phase } from "../model/report";
import type { Palette } from "./colors";
import type { Surface } from "./surface";

interface Occasion {
  readonly begin: number;
  readonly end: number;
}

const BOTTOM = 14;

export function drawWhen(surface: Surface, palette: Palette, phase: Phase, when: readonly Occasion[]): void {
  const { rows } = phase;
  const height = surface.height - BOTTOM;
  const share = (i: number): number => rows[i]!.waiting / Math.max(1, rows[i]!.count);
  const most = rows.reduce((largest, _, i) => Math.max(largest, share(i)), 0);
  const columns = Math.min(rows.length, Math.floor(surface.width));
  const step = surface.width / Math.max(1, columns);
  surface.line(0, height, surface.width, height, { color: palette.line });
  for (let column = 0; column < columns; column++) {
    const first = Math.floor((column * rows.length) / columns);
    const end = Math.floor(((column + 1) * rows.length) / columns);
    let tall = 0;
    let isOfProblem = false;
    for (let i = first; i < end; i++) {
      tall = Math.max(tall, most > 0 ? share(i) / most : 0);
      const middle = (rows[i]!.begin + rows[i]!.end) / 2;
      isOfProblem ||= when.some(({ begin, end: until }) => middle >= begin && middle < until);
    }
    const x = column * step;
    const width = Math.max(1, step - (step >= 4 ? 1 : 0));
    surface.rect(x, height * (1 - tall), width, height * tall, palette.wait, isOfProblem ? 1 : 0.35);
    if (isOfProblem) surface.rect(x, height + 1, width, 3, palette.cause);
  }
  const label = (i: number, anchor: "start" | "end", x: number): void =>
    surface.text(x, surface.height - 5, String(rows[i]!.first), { size: 10, color: palette.muted, anchor });
  if (rows.length === 0) return;
  label(0, "start", 0);
  label(rows.length - 1, "end", surface.width);
}

/** @returns the row of the phase at an x of the chart; -1: none. */
export function whenRow(phase: Phase, x: number, width: number): number {
  const row = Math.floor((x / Math.max(1, width)) * phase.rows.length);
  return row >= 0 && row < phase.rows.length ? row : -1;
}
