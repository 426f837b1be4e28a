// SPDX-License-Identifier: BSD-3-Clause
/** How many locations wait for each location, over time: from the loaded events. */
import { locationsIn, type Arrangement } from "./arrangement";
import type { CounterField } from "./counters";
import type { Timeline } from "./timeline";

interface Range {
  readonly from: number;
  readonly to: number;
}

const PARTS = 400;
const MOST_ROWS = 200;

/** @returns a field of the visible rows: the average number of locations that wait for a location in each part
 * of the time. A row of several locations shows the largest of their values. NaN: nobody waits. */
export function blameField(timeline: Timeline, arrangement: Arrangement, rows: Range, span: Range): CounterField {
  const { waits } = timeline;
  const length = (span.to - span.from) / PARTS;
  const byLocation = new Map<number, Float64Array>();
  const seen = new Set<string>();
  for (let wait = 0; wait < waits.count; wait++) {
    const cause = waits.causeLocation[wait]!;
    const from = Math.max(span.from, waits.enter[wait]!);
    const to = Math.min(span.to, waits.enter[wait]! + waits.time[wait]!);
    if (cause < 0 || to <= from) continue;
    const key = `${waits.location[wait]}.${waits.enter[wait]}.${waits.metric[wait]}`;
    if (timeline.windows.length > 1 && seen.has(key)) continue;
    seen.add(key);
    let parts = byLocation.get(cause);
    if (parts === undefined) byLocation.set(cause, (parts = new Float64Array(PARTS)));
    const last = Math.min(PARTS - 1, Math.floor((to - span.from) / length));
    for (let part = Math.floor((from - span.from) / length); part <= last; part++) {
      const begin = span.from + part * length;
      parts[part]! += Math.max(0, Math.min(to, begin + length) - Math.max(from, begin)) / length;
    }
  }
  const group = Math.max(1, Math.ceil((rows.to - rows.from) / MOST_ROWS));
  const first = Math.max(0, Math.floor(rows.from / group) * group);
  const end = Math.min(arrangement.rows, Math.ceil(rows.to));
  const cells: (Float64Array | null)[] = [];
  let high = 0;
  for (let row = first; row < end; row += group) {
    let cell: Float64Array | null = null;
    for (const location of locationsIn(arrangement, { from: row, to: row + group })) {
      const parts = byLocation.get(location);
      if (parts === undefined) continue;
      cell ??= new Float64Array(PARTS).fill(NaN);
      for (let part = 0; part < PARTS; part++) {
        if (parts[part]! > 0 && !(cell[part]! >= parts[part]!)) cell[part] = parts[part]!;
        high = Math.max(high, parts[part]!);
      }
    }
    cells.push(cell);
  }
  return { span, parts: PARTS, first, group, cells, low: 0, high, extremes: [] };
}
