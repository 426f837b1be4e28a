// SPDX-License-Identifier: BSD-3-Clause
/** What a text finds on the timeline. */
import type { Report } from "./report";
import type { Place } from "./selection";
import { laneAt, segmentIn, type Timeline } from "./timeline";

export interface Matches {
  /** Functions and kinds of wait states whose names contain the text; [call path], [metric]. */
  readonly callpaths: ReadonlySet<number>;
  readonly metrics: ReadonlySet<number>;
  /** Number of names. */
  readonly functions: number;
}

/** @returns null: the text is empty. */
export function matchesOf(report: Report, text: string): Matches | null {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return null;
  const found = report.callpaths.filter(({ region }) => region.toLowerCase().includes(wanted));
  const metrics = report.metrics.filter(
    (metric) => metric.isWaitState && `${metric.name} ${metric.id}`.toLowerCase().includes(wanted),
  );
  return {
    callpaths: new Set(found.map(({ index }) => index)),
    metrics: new Set(metrics.filter(({ index }) => report.metricInclusive[index]! > 0).map(({ index }) => index)),
    functions: new Set(found.map(({ region }) => region)).size,
  };
}

export function isMatch(timeline: Timeline, { callpaths, metrics }: Matches, callpath: number, wait: number): boolean {
  return callpaths.has(callpath) || (wait >= 0 && metrics.has(timeline.waits.metric[wait]!));
}

/** Calls and computations that match, among the loaded events of some locations in a time window. */
export interface Found {
  readonly count: number;
  /** The next one behind a place, in the order of time and location, and the previous one; the first and the
   * last one where there is none; null: no match. */
  readonly next: Place | null;
  readonly previous: Place | null;
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/** @returns the order of two places. */
function compare(a: Place, b: Place): number {
  return a.time - b.time || a.location - b.location;
}

export function findMatches(
  timeline: Timeline,
  matches: Matches,
  locations: readonly number[],
  range: Range,
  from: Place | null,
): Found {
  const { since, callpath, kind, wait } = timeline.segments;
  const seen = new Set<string>();
  let first: Place | null = null;
  let last: Place | null = null;
  let next: Place | null = null;
  let previous: Place | null = null;
  for (const window of timeline.windows) {
    if (window.from >= range.to || window.to <= range.from) continue;
    for (const location of locations) {
      const lane = laneAt(window, location);
      if (lane < 0) continue;
      const end = timeline.laneStart[lane + 1]! - 1;
      for (let at = Math.max(timeline.laneStart[lane]!, segmentIn(timeline, lane, range.from)); at < end; at++) {
        if (since[at]! >= range.to) break;
        // A call is found once, where it begins; its waiting part is a part of it.
        const isPart = kind[at] === 2 && wait[at]! < 0;
        if (callpath[at]! < 0 || isPart || !isMatch(timeline, matches, callpath[at]!, wait[at]!)) continue;
        const key = `${location}.${since[at]}`;
        if (seen.has(key)) continue;
        seen.add(key);
        const place = { location, time: since[at]!, callpath: null };
        if (first === null || compare(place, first) < 0) first = place;
        if (last === null || compare(place, last) > 0) last = place;
        if (from === null) continue;
        if (compare(place, from) > 0 && (next === null || compare(place, next) < 0)) next = place;
        if (compare(place, from) < 0 && (previous === null || compare(place, previous) > 0)) previous = place;
      }
    }
  }
  return { count: seen.size, next: next ?? first, previous: previous ?? last };
}
