// SPDX-License-Identifier: BSD-3-Clause
/** Counters of a run (src/view/timeline/counter_data.h): values over time, by location. Times are ticks. */
import type { Bundle } from "../data/bundle";
import type { JsonCounter } from "../data/layout";
import type { Arrangement } from "./arrangement";

/** The value from each time until the next one. */
export interface Curve {
  readonly time: Float64Array;
  /** For a total its value at that time, for a level its mean. */
  readonly value: Float64Array;
  readonly least: Float64Array;
  readonly greatest: Float64Array;
}

export interface Counter {
  readonly name: string;
  readonly unit: string;
  /** A cumulative sum: its growth per second is shown. */
  readonly isTotal: boolean;
  /** Null: no values of this location. */
  readonly curves: readonly (Curve | null)[];
}

export function makeCounters(
  bundle: Bundle<{ counters: JsonCounter[] }>,
  locations: number,
): Counter[] {
  const where = bundle.column("counter_location");
  const count = bundle.column("counter_count");
  const time = bundle.column("counter_time");
  const high = bundle.column("counter_high");
  const low = bundle.column("counter_low");
  const value = doubles(high, low);
  const differing = (name: string): Float64Array =>
    doubles(differ(high, bundle.column(`counter_${name}_high`)), differ(low, bundle.column(`counter_${name}_low`)));
  const least = differing("least");
  const greatest = differing("greatest");
  let series = 0;
  let at = 0;
  return bundle.json.counters.map(({ name, unit, total, series: own = 0 }) => {
    const curves = new Array<Curve | null>(locations).fill(null);
    for (const end = series + own; series < end; series++) {
      const to = at + count[series]!;
      curves[where[series]!] = {
        time: time.subarray(at, to),
        value: value.subarray(at, to),
        least: least.subarray(at, to),
        greatest: greatest.subarray(at, to),
      };
      at = to;
    }
    return { name, unit, isTotal: total, curves };
  });
}

const differ = (words: Float64Array, others: Float64Array): Float64Array =>
  words.map((word, i) => (word ^ others[i]!) >>> 0);

function doubles(high: Float64Array, low: Float64Array): Float64Array {
  const view = new DataView(new ArrayBuffer(8));
  return high.map((word, i) => {
    view.setUint32(0, word);
    view.setUint32(4, low[i]!);
    return view.getFloat64(0);
  });
}

/** @returns the unit of the displayed values. */
export function unitOf(counter: Counter): string {
  if (!counter.isTotal) return counter.unit;
  return counter.unit === "" ? "1/s" : `${counter.unit}/s`;
}

/** @returns the position of the last value that is not later, -1 if there is none. */
function lastAt(curve: Curve, time: number): number {
  let low = -1;
  let high = curve.time.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (curve.time[middle]! <= time) low = middle;
    else high = middle;
  }
  return low;
}

/** A total between its values: linear interpolation. */
function totalAt(curve: Curve, time: number): number {
  const at = lastAt(curve, time);
  if (at < 0) return curve.value[0]!;
  if (at + 1 >= curve.time.length) return curve.value[at]!;
  const part = (time - curve.time[at]!) / (curve.time[at + 1]! - curve.time[at]!);
  return curve.value[at]! + part * (curve.value[at + 1]! - curve.value[at]!);
}

/** For each of `count` equal parts of the time from `from` to `to`: the mean of a level, which holds its
 * value until the next one is recorded, or the growth of a total per second, of the time between its first and its
 * last value; NaN where there is none. */
export function partsOf(
  counter: Counter,
  curve: Curve,
  span: Range,
  count: number,
  ticksPerSecond: number,
): Float64Array {
  const parts = new Float64Array(count).fill(NaN);
  const length = (span.to - span.from) / count;
  const first = curve.time[0]!;
  const last = curve.time[curve.time.length - 1]!;
  if (counter.isTotal) {
    let before = totalAt(curve, span.from);
    for (let i = 0; i < count; i++) {
      const begin = span.from + i * length;
      const after = totalAt(curve, begin + length);
      const known = Math.min(begin + length, last) - Math.max(begin, first);
      if (known > 0) parts[i] = ((after - before) / known) * ticksPerSecond;
      before = after;
    }
    return parts;
  }
  let at = Math.max(0, lastAt(curve, span.from));
  for (let i = 0; i < count; i++) {
    const end = span.from + (i + 1) * length;
    let known = Math.max(span.from + i * length, first);
    if (known >= end) continue;
    let sum = 0;
    let time = 0;
    while (known < end) {
      while (at + 1 < curve.time.length && curve.time[at + 1]! <= known) at++;
      const until = at + 1 < curve.time.length ? Math.min(end, curve.time[at + 1]!) : end;
      sum += curve.value[at]! * (until - known);
      time += until - known;
      known = until;
    }
    parts[i] = sum / time;
  }
  return parts;
}

/** @returns the smallest and the largest value of a level in each part; NaN: none. */
export function extremesOf(curve: Curve, span: Range, count: number): { least: Float64Array; most: Float64Array } {
  const least = new Float64Array(count).fill(NaN);
  const most = new Float64Array(count).fill(NaN);
  const length = (span.to - span.from) / count;
  for (let i = Math.max(0, lastAt(curve, span.from)); i < curve.time.length && curve.time[i]! < span.to; i++) {
    const until = Math.min(span.to, curve.time[i + 1] ?? span.to);
    const first = Math.max(0, Math.floor((curve.time[i]! - span.from) / length));
    for (let part = first; part < count && (part === first || span.from + part * length < until); part++) {
      if (!(least[part]! <= curve.least[i]!)) least[part] = curve.least[i]!;
      if (!(most[part]! >= curve.greatest[i]!)) most[part] = curve.greatest[i]!;
    }
  }
  return { least, most };
}

/** @returns the mean over several locations by parts of the time, over known values; null: no values. */
export function meanOfParts(
  counter: Counter,
  locations: readonly number[],
  span: Range,
  count: number,
  ticksPerSecond: number,
): Float64Array | null {
  const curves = locations.map((location) => counter.curves[location]).filter((curve) => curve != null);
  if (curves.length === 0) return null;
  if (curves.length === 1) return partsOf(counter, curves[0]!, span, count, ticksPerSecond);
  const sums = new Float64Array(count);
  const known = new Uint32Array(count);
  for (const curve of curves) {
    partsOf(counter, curve, span, count, ticksPerSecond).forEach((value, i) => {
      if (Number.isNaN(value)) return;
      sums[i]! += value;
      known[i]!++;
    });
  }
  return sums.map((sum, i) => (known[i] === 0 ? NaN : sum / known[i]!));
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/** Data of a chart: rows by parts of the time. */
export interface CounterField {
  readonly span: Range;
  readonly parts: number;
  /** Rows of the timeline: cells[i] belongs to `group` rows from first + i * group on; null: none has
   * values. */
  readonly first: number;
  readonly group: number;
  readonly cells: readonly (Float64Array | null)[];
  /** Extremes of all cells; low > high: no cells. */
  readonly low: number;
  readonly high: number;
  /** For few rows, for a level: the extremes in each part. */
  readonly extremes: readonly ({ least: Float64Array; most: Float64Array } | null)[];
}

/** Maximum number of distinguishable curves. */
export const MOST_CURVES = 6;

const PARTS = 400;
const MOST_ROWS = 200;

/** Number of locations that represent a row with more locations. */
const MOST_IN_ROW = 16;

/** @returns the locations whose mean is a row of a field. */
export function locationsOfRows(arrangement: Arrangement, first: number, end: number): number[] {
  const all: number[] = [];
  for (let row = first; row < end; row++) {
    const group = arrangement.group(row);
    if (group < 0) all.push(arrangement.location(row));
    else all.push(...arrangement.alike!.members[group]!);
  }
  if (all.length <= MOST_IN_ROW) return all;
  return Array.from({ length: MOST_IN_ROW }, (_, i) => all[Math.floor((i * all.length) / MOST_IN_ROW)]!);
}

/** Computes the cells of the visible rows and the visible time. */
export function makeField(
  counter: Counter,
  arrangement: Arrangement,
  rows: Range,
  span: Range,
  ticksPerSecond: number,
): CounterField {
  const group = Math.max(1, Math.ceil((rows.to - rows.from) / MOST_ROWS));
  const first = Math.max(0, Math.floor(rows.from / group) * group);
  const last = Math.min(arrangement.rows, Math.ceil(rows.to));
  const cells: (Float64Array | null)[] = [];
  let low = Infinity;
  let high = -Infinity;
  for (let row = first; row < last; row += group) {
    const locations = locationsOfRows(arrangement, row, Math.min(last, row + group));
    const parts = meanOfParts(counter, locations, span, PARTS, ticksPerSecond);
    cells.push(parts);
    for (const value of parts ?? []) {
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  if (counter.isTotal && low > 0) low = 0;
  const extremes =
    counter.isTotal || cells.length > MOST_CURVES
      ? []
      : cells.map((_, i) => {
          const curve = counter.curves[arrangement.location(first + i)];
          return curve == null || arrangement.group(first + i) >= 0 ? null : extremesOf(curve, span, PARTS);
        });
  return { span, parts: PARTS, first, group, cells, low, high, extremes };
}

/** @returns the value of a row at a time; NaN: none. */
export function valueAt(field: CounterField, row: number, time: number): number {
  const part = Math.floor(((time - field.span.from) / (field.span.to - field.span.from)) * field.parts);
  return field.cells[Math.floor((row - field.first) / field.group)]?.[part] ?? NaN;
}
