// SPDX-License-Identifier: BSD-3-Clause
/** Timelines of several runs over a common time: seconds since the begin of the same iteration in each run. */
import type { Phase } from "./report";

/** A stretch of the common time, in seconds; negative before the iteration. */
export interface CommonSpan {
  readonly from: number;
  readonly to: number;
}

/** A run, with the begin of its iteration. */
export interface AlignedRun {
  /** Ticks since the begin of the run; null: the run does not have the iteration. */
  readonly origin: number | null;
  /** Of the run, ticks. */
  readonly length: number;
  readonly ticksPerSecond: number;
}

/** @returns the begin of an iteration in ticks; null: the phase does not have it. In a row that stands for several
 * iterations, all have the same length. */
export function beginOf({ rows }: Phase, iteration: number): number | null {
  const row = rows.find(({ first, count }) => iteration >= first && iteration < first + count);
  return row === undefined ? null : row.begin + ((row.end - row.begin) * (iteration - row.first)) / row.count;
}

/** @returns the common time that contains all runs with the iteration. */
export function extentOf(runs: readonly AlignedRun[]): CommonSpan {
  const known = runs.filter(({ origin }) => origin !== null);
  if (known.length === 0) return { from: 0, to: 1 };
  return {
    from: Math.min(...known.map(({ origin, ticksPerSecond }) => -origin! / ticksPerSecond)),
    to: Math.max(...known.map(({ origin, length, ticksPerSecond }) => (length - origin!) / ticksPerSecond)),
  };
}

/** @returns the stretch of a run's own time, in ticks, that a common time shows; null: the run does not have the
 * iteration. It may begin before the run and end after it. */
export function spanOfRun({ origin, ticksPerSecond }: AlignedRun, span: CommonSpan): CommonSpan | null {
  return origin === null
    ? null
    : { from: origin + span.from * ticksPerSecond, to: origin + span.to * ticksPerSecond };
}

/** @returns the common time from the begin of an iteration to its end in the run where it takes longest, with a margin
 * of a twentieth; null: no run has it. */
export function spanOfIteration(phases: readonly (Phase | null)[], iteration: number, ticksPerSecond: readonly number[]): CommonSpan | null {
  let longest = 0;
  phases.forEach((phase, run) => {
    const row = phase?.rows.find(({ first, count }) => iteration >= first && iteration < first + count);
    if (row !== undefined) longest = Math.max(longest, (row.end - row.begin) / row.count / ticksPerSecond[run]!);
  });
  return longest > 0 ? { from: -longest / 20, to: longest + longest / 20 } : null;
}
