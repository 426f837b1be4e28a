// SPDX-License-Identifier: BSD-3-Clause
/** What is at a place of the timeline, what it waited for, and what it blocked. */
import type { Report } from "./report";
import { extentOf, laneAt, segmentIn, type Timeline } from "./timeline";

/** A place of the timeline: what a location does at a time (ticks). */
export interface Place {
  readonly location: number;
  readonly time: number;
  /** The function that is selected: a call path on the location's stack; null: the innermost one. */
  readonly callpath: number | null;
}

/** A call, or a stretch of computation between two calls. */
export interface Item {
  readonly location: number;
  readonly callpath: number;
  readonly from: number;
  readonly to: number;
  readonly isCall: boolean;
}

/** @returns whether a call path is another one or below it. */
export function isWithin(report: Report, callpath: number, ancestor: number): boolean {
  let at = callpath;
  // Call paths are defined after their parents.
  while (at > ancestor) at = report.callForest.parent[at]!;
  return at === ancestor;
}

/** @returns the lane of a location with events at a time, and the segment there; null: not loaded. */
export function segmentAtTime(
  timeline: Timeline,
  location: number,
  time: number,
): { lane: number; segment: number } | null {
  for (const window of timeline.windows) {
    const lane = laneAt(window, location);
    if (lane < 0) continue;
    const segment = segmentIn(timeline, lane, time);
    if (segment >= 0) return { lane, segment };
  }
  return null;
}

/** @returns the longest stretch around a segment in which a function is on the stack. Visits without time
 * between them are one stretch. */
export function stackExtent(
  report: Report,
  timeline: Timeline,
  lane: number,
  segment: number,
  callpath: number,
): { from: number; to: number } {
  const { since, callpath: paths } = timeline.segments;
  const first = timeline.laneStart[lane]!;
  const last = timeline.laneStart[lane + 1]! - 1;
  const isInside = (at: number): boolean => paths[at]! >= 0 && isWithin(report, paths[at]!, callpath);
  let begin = segment;
  let end = segment + 1;
  while (begin > first && isInside(begin - 1)) begin--;
  while (end < last && isInside(end)) end++;
  return { from: since[begin]!, to: since[end]! };
}

/** @returns the item at a place; null: its events are not loaded, or nothing is there. */
export function itemAt(report: Report, timeline: Timeline, place: Place): Item | null {
  const found = segmentAtTime(timeline, place.location, place.time);
  if (found === null) return null;
  const { lane, segment } = found;
  const { callpath, kind } = timeline.segments;
  const own = callpath[segment]!;
  if (own < 0) return null;
  const { location } = place;
  if (place.callpath !== null && place.callpath !== own && isWithin(report, own, place.callpath)) {
    const extent = stackExtent(report, timeline, lane, segment, place.callpath);
    return { location, callpath: place.callpath, ...extent, isCall: false };
  }
  return { location, callpath: own, ...extentOf(timeline, lane, segment), isCall: kind[segment] !== 0 };
}

/** A wait state, and the part of it that matters: ticks. */
export interface WaitPart {
  readonly wait: number;
  readonly ticks: number;
}

/** @returns the wait states that fulfil a condition, longest part first, without duplicates. */
function partsOfWaits(timeline: Timeline, part: (wait: number) => number): WaitPart[] {
  const { waits } = timeline;
  const found = new Map<string, WaitPart>();
  for (let wait = 0; wait < waits.count; wait++) {
    const ticks = part(wait);
    if (ticks > 0) found.set(`${waits.location[wait]}.${waits.enter[wait]}.${waits.metric[wait]}`, { wait, ticks });
  }
  return [...found.values()].sort((a, b) => b.ticks - a.ticks);
}

/** @returns the wait states of an item's location during the item. */
export function waitsDuring(timeline: Timeline, { location, from, to }: Item): WaitPart[] {
  const { waits } = timeline;
  return partsOfWaits(timeline, (wait) => {
    if (waits.location[wait] !== location) return 0;
    return Math.min(to, waits.enter[wait]! + waits.time[wait]!) - Math.max(from, waits.enter[wait]!);
  });
}

/** @returns the wait states of other locations that waited for the item's location during the item, or until
 * the item, which is the call that ended them. */
export function blockedBy(timeline: Timeline, { location, callpath, from, to, isCall }: Item): WaitPart[] {
  const { waits } = timeline;
  return partsOfWaits(timeline, (wait) => {
    if (waits.causeLocation[wait] !== location || waits.location[wait] === location) return 0;
    const end = waits.enter[wait]! + waits.time[wait]!;
    if (isCall && waits.causeCallpath[wait] === callpath && end >= from && end <= to) return waits.time[wait]!;
    return Math.min(to, end) - Math.max(from, waits.enter[wait]!);
  });
}
