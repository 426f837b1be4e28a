// SPDX-License-Identifier: BSD-3-Clause
/** Computation and waiting of each location in each iteration of a phase, from the timeline. */
import { classesIn, windowsIn } from "./interval";
import type { Iteration, Phase } from "./report";
import type { Timeline } from "./timeline";

/** Cells: [row * columns + column]. A cell of several locations or iterations has the largest of their values,
 * so that single slow ones remain visible. */
export interface IterationMap {
  readonly rows: number;
  /** Locations in a row. */
  readonly group: number;
  /** First and last iteration of each column, of the rows of the phase. */
  readonly columns: readonly { readonly first: number; readonly end: number }[];
  /** Ticks in one iteration. */
  readonly computation: Float64Array;
  readonly waiting: Float64Array;
  /** The location with the largest computation of each cell. */
  readonly location: Uint32Array;
}

const MOST_ROWS = 128;
const MOST_COLUMNS = 200;

/** Computes at most MOST_ROWS x MOST_COLUMNS cells. Where single events are not loaded, they are as exact as the
 * cells of the overview. */
export function iterationMap(timeline: Timeline, phase: Phase, locations: number): IterationMap {
  const step = timeline.overview?.group ?? 1;
  const group = Math.max(1, Math.ceil(locations / MOST_ROWS / step)) * step;
  const rows = Math.ceil(locations / group);
  const count = Math.min(MOST_COLUMNS, phase.rows.length);
  const columns = Array.from({ length: count }, (_, i) => ({
    first: Math.floor((i * phase.rows.length) / count),
    end: Math.floor(((i + 1) * phase.rows.length) / count),
  }));
  const map = {
    rows,
    group,
    columns,
    computation: new Float64Array(rows * count),
    waiting: new Float64Array(rows * count),
    location: new Uint32Array(rows * count),
  };
  // A server's events are only those in view: they would mix with the overview's cells.
  const source = timeline.isTiled ? { ...timeline, windows: [], bins: timeline.overview } : timeline;
  columns.forEach(({ first, end }, column) => {
    for (let i = first; i < end; i++) addIteration(source, phase.rows[i]!, step, locations, map, column);
  });
  return map;
}

function addIteration(
  timeline: Timeline,
  iteration: Iteration,
  step: number,
  locations: number,
  map: IterationMap,
  column: number,
): void {
  const range = { from: iteration.begin, to: iteration.end };
  const order = windowsIn(timeline, range);
  for (let location = 0; location < locations; location += step) {
    const { compute, wait } = classesIn(timeline, order, location, range);
    const cell = Math.floor(location / map.group) * map.columns.length + column;
    const computation = compute / iteration.count;
    if (computation >= map.computation[cell]!) {
      map.computation[cell] = computation;
      map.location[cell] = location;
    }
    map.waiting[cell] = Math.max(map.waiting[cell]!, wait / iteration.count);
  }
}

/** @returns the rows of the phase that take longest, and the middle one by duration. */
export function worstAndTypical({ rows }: Phase): { worst: number; typical: number } {
  const length = (row: number): number => rows[row]!.duration / rows[row]!.count;
  const order = rows.map((_, i) => i).sort((a, b) => length(a) - length(b) || a - b);
  return { worst: order[order.length - 1] ?? -1, typical: order[(order.length - 1) >> 1] ?? -1 };
}
