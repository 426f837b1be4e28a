// SPDX-License-Identifier: BSD-3-Clause
/** The call stack of a row as nested rows: the outermost function at the top. */
import type { Report } from "../../model/report";
import { segmentIn, type Timeline } from "../../model/timeline";
import type { LanePart } from "./timeline_layout";

/** Minimum height of a nested row. */
const LEAST_LEVEL = 11;

const depths = new WeakMap<Report, Int32Array>();

/** @returns the number of functions above each call path. */
function depthsOf(report: Report): Int32Array {
  let found = depths.get(report);
  if (found === undefined) {
    found = new Int32Array(report.callpaths.length);
    for (let i = 0; i < found.length; i++) {
      const above = report.callForest.parent[i]!;
      found[i] = above < 0 ? 0 : found[above]! + 1;
    }
    depths.set(report, found);
  }
  return found;
}

/** @returns the ancestor of a call path at a depth; the call path itself where it is not deeper. */
export function ancestorAt(report: Report, callpath: number, depth: number): number {
  const known = depthsOf(report);
  let at = callpath;
  while (known[at]! > depth) at = report.callForest.parent[at]!;
  return at;
}

/** Nested rows of a row. */
export interface Levels {
  /** Number of nested rows. */
  readonly count: number;
  /** Depth of the first one: functions above it are omitted for lack of space. */
  readonly first: number;
  readonly height: number;
}

/** @returns the nested rows of a part of a lane in a row of `height` pixels; null: there is no space for two. */
export function levelsOf(report: Report, timeline: Timeline, part: LanePart, height: number): Levels | null {
  const most = Math.floor(height / LEAST_LEVEL);
  if (most < 2) return null;
  const known = depthsOf(report);
  const { since, callpath } = timeline.segments;
  const last = timeline.laneStart[part.lane + 1]! - 1;
  let deepest = 0;
  for (let at = Math.max(timeline.laneStart[part.lane]!, segmentIn(timeline, part.lane, part.from)); at < last; at++) {
    if (since[at]! >= part.to) break;
    if (callpath[at]! >= 0) deepest = Math.max(deepest, known[callpath[at]!]!);
  }
  const count = Math.min(most, deepest + 1);
  return { count, first: deepest + 1 - count, height: height / count };
}

/** A function on the stack of consecutive segments. */
export interface StackRun {
  readonly level: number;
  readonly callpath: number;
  /** The segment, if the function itself is active. */
  readonly segment: number | null;
  readonly from: number;
  readonly to: number;
}

/** Calls `visit` for the functions of a part of a lane: once for each segment in its own nested row, once for
 * consecutive segments in the rows of the functions around them. */
export function eachRun(
  report: Report,
  timeline: Timeline,
  part: LanePart,
  levels: Levels,
  visit: (run: StackRun) => void,
): void {
  const known = depthsOf(report);
  const { since, callpath } = timeline.segments;
  const last = timeline.laneStart[part.lane + 1]! - 1;
  const open: { callpath: number; from: number }[] = [];
  const close = (level: number, to: number): void => {
    while (open.length > level) {
      const { callpath: path, from } = open.pop()!;
      if (path >= 0) visit({ level: open.length, callpath: path, segment: null, from, to });
    }
  };
  let at = Math.max(timeline.laneStart[part.lane]!, segmentIn(timeline, part.lane, part.from));
  for (; at < last && since[at]! < part.to; at++) {
    const begin = Math.max(part.from, since[at]!);
    const end = Math.min(part.to, since[at + 1]!);
    const path = callpath[at]!;
    if (path < 0 || end <= begin) {
      close(0, begin);
      continue;
    }
    const own = known[path]! - levels.first; // negative: the function has no nested row of its own
    const around = Math.max(0, own);
    for (let level = 0; level < around; level++) {
      const ancestor = ancestorAt(report, path, levels.first + level);
      if (open[level] !== undefined && open[level]!.callpath === ancestor) continue;
      close(level, begin);
      open.push({ callpath: ancestor, from: begin });
    }
    close(around, begin);
    if (own >= 0) visit({ level: own, callpath: path, segment: at, from: begin, to: end });
  }
  close(0, Math.min(part.to, since[last] ?? part.to));
}

/** @returns the call path of the nested row at `y` pixels below the upper edge of the row; null: no function
 * is there. */
export function callpathAt(report: Report, levels: Levels, own: number, y: number): number | null {
  const depth = levels.first + Math.floor(y / levels.height);
  return depth > depthsOf(report)[own]! ? null : ancestorAt(report, own, depth);
}
