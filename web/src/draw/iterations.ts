// SPDX-License-Identifier: BSD-3-Clause
/** The iterations of a phase in several runs, one below the other: the same iteration is at the same x, and the
 * same duration has the same height. */
import { formatTick } from "../format";
import type { ComparedPhase } from "../model/comparison";
import type { Iteration } from "../model/report";
import { niceStep, ticks } from "./axis";
import type { Palette } from "./colors";
import type { Surface } from "./surface";

export interface IterationsModel {
  readonly phase: ComparedPhase;
  /** [run] */
  readonly names: readonly string[];
  readonly ticksPerSecond: readonly number[];
}

const LEFT = 72;
const RIGHT = 12;
const TITLE = 20;
const GAP = 8;
const BOTTOM = 30;

/** Height of a run's chart. */
const BAND = 110;

export function iterationsHeight(model: IterationsModel): number {
  return model.names.length * (BAND + GAP) + BOTTOM;
}

/** The average of the iterations of a row, in seconds. */
function averages(row: Iteration, ticksPerSecond: number) {
  const seconds = (value: number): number => value / row.count / ticksPerSecond;
  const members = Math.max(1, row.locations);
  const total = seconds(row.duration);
  const compute = seconds(row.computation / members);
  const waiting = Math.min(seconds(row.waiting / members), Math.max(0, total - compute));
  return { total, compute, waiting };
}

export function drawIterations(surface: Surface, palette: Palette, model: IterationsModel): void {
  const { phases, iterations } = model.phase;
  const width = surface.width - LEFT - RIGHT;
  if (width < 20) return;
  let largest = 0;
  phases.forEach((phase, run) => {
    for (const row of phase?.rows ?? []) largest = Math.max(largest, averages(row, model.ticksPerSecond[run]!).total);
  });
  if (largest <= 0) return;
  const step = width / iterations;
  phases.forEach((phase, run) => {
    const bottom = run * (BAND + GAP) + BAND;
    const height = BAND - TITLE;
    const y = (seconds: number): number => bottom - (height * seconds) / largest;
    surface.text(LEFT, bottom - height - TITLE / 2, phase === null ? `${model.names[run]!}: no iterations` : model.names[run]!, {
      size: 12,
      weight: 600,
      color: palette.ink,
      limit: width,
    });
    for (const tick of ticks(largest, 3)) {
      surface.line(LEFT, y(tick), LEFT + width, y(tick), { color: palette.line });
      surface.text(LEFT - 6, y(tick), formatTick(tick), { size: 11, color: palette.muted, anchor: "end" });
    }
    for (const row of phase?.rows ?? []) {
      const { total, compute, waiting } = averages(row, model.ticksPerSecond[run]!);
      const x = LEFT + row.first * step;
      const wide = Math.max(0.7, row.count * step - (step >= 5 ? 1 : 0));
      const part = (from: number, to: number, color: string): void =>
        surface.rect(x, y(to), wide, y(from) - y(to), color);
      part(0, compute, palette.compute);
      part(compute, total - waiting, palette.communicate);
      part(total - waiting, total, palette.wait);
    }
  });
  const below = phases.length * (BAND + GAP);
  const every = niceStep(iterations / Math.max(1, Math.floor(width / 60)));
  for (let i = 0; i < iterations; i += every) {
    surface.text(LEFT + (i + 0.5) * step, below + 4, String(i), { size: 11, color: palette.muted, anchor: "middle" });
  }
  surface.text(LEFT, below + 20, "iteration", { size: 11, color: palette.muted });
}

/** @returns the run and the iteration at a point; null elsewhere. */
export function iterationAt(
  model: IterationsModel, x: number, y: number, width: number,
): { readonly run: number; readonly iteration: number } | null {
  const inside = width - LEFT - RIGHT;
  const run = Math.floor(y / (BAND + GAP));
  const iteration = Math.floor(((x - LEFT) / inside) * model.phase.iterations);
  return run >= 0 && run < model.names.length && iteration >= 0 && iteration < model.phase.iterations
    ? { run, iteration }
    : null;
}
