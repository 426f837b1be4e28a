// SPDX-License-Identifier: BSD-3-Clause
/** Statistics of a time window of the timeline: exact where its events are loaded, from the overview's cells
 * elsewhere. */
import type { Report } from "./report";
import { activitiesIn, laneAt, segmentIn, type Bins, type Timeline } from "./timeline";

interface Range {
  readonly from: number;
  readonly to: number;
}

export interface FunctionTime {
  readonly region: string;
  readonly isCall: boolean;
  /** Without the functions that it calls. */
  ticks: number;
  waiting: number;
  /** Calls that begin in the interval; counted for calls of libraries. */
  calls: number;
}

export interface KindTime {
  readonly metric: number;
  /** Of the waiting in the interval. */
  ticks: number;
  /** Wait states that overlap the interval. */
  count: number;
}

/** What a location did while others waited for it. */
export interface Blame {
  readonly location: number;
  /** -1: it waited, too; null: its events are not loaded. */
  readonly callpath: number | null;
  ticks: number;
}

export interface MessageTime {
  readonly kind: number;
  /** Of those that begin in the interval. */
  count: number;
  bytes: number;
  /** From their begin to their end, together. */
  ticks: number;
}

export interface IntervalStatistics extends Range {
  readonly locations: number;
  /** Ticks of all locations in the interval while they run. */
  readonly time: number;
  /** The part of `time` whose single events are loaded; the rest is known by classes only. */
  readonly known: number;
  readonly computation: number;
  readonly calls: number;
  readonly waiting: number;
  /** Largest first, as all others. */
  readonly functions: readonly FunctionTime[];
  readonly kinds: readonly KindTime[];
  readonly blame: readonly Blame[];
  readonly messages: readonly MessageTime[];
}

/** Ticks by class. */
interface Classes {
  compute: number;
  call: number;
  wait: number;
}

/** Adds the time of a location in [from, to] from cells: percent of the time of each bin. */
function addCells(
  bins: Bins | null,
  place: number,
  from: number,
  to: number,
  add: (cls: "compute" | "call", ticks: number) => void,
  addWait: (metric: number, ticks: number) => void,
): void {
  if (bins === null || to <= from) return;
  const begin = Math.min(to, Math.max(from, bins.from));
  const end = Math.max(begin, Math.min(to, bins.to));
  const row = bins.rowOf(place);
  if (row < 0 || row >= bins.rows || end <= begin) {
    addCells(bins.behind, place, from, to, add, addWait);
    return;
  }
  addCells(bins.behind, place, from, begin, add, addWait);
  addCells(bins.behind, place, end, to, add, addWait);
  const length = (bins.to - bins.from) / bins.count;
  const last = Math.min(bins.count - 1, Math.floor((end - bins.from) / length));
  for (let bin = Math.floor((begin - bins.from) / length); bin <= last; bin++) {
    const since = bins.from + bin * length;
    const part = (Math.min(end, since + length) - Math.max(begin, since)) / 100;
    if (part <= 0) continue;
    const at = row * bins.count + bin;
    add("compute", part * (bins.compute[at] ?? 0));
    add("call", part * (bins.call[at] ?? 0));
    bins.wait.forEach((cells, kind) => {
      if (cells !== null && cells[at]! > 0) addWait(bins.kinds[kind]!, part * cells[at]!);
    });
  }
}

/** A stretch of time in which the events of a location are known. */
interface KnownPart extends Range {
  readonly lane: number;
}

/** @returns the known parts of a location in an interval, in order and apart. */
export function knownParts(timeline: Timeline, order: readonly number[], location: number, range: Range): KnownPart[] {
  const parts: KnownPart[] = [];
  let known = range.from;
  for (const i of order) {
    const window = timeline.windows[i]!;
    const lane = laneAt(window, location);
    if (lane < 0) continue;
    const from = Math.max(known, window.from);
    const to = Math.min(window.to, range.to);
    if (to <= from) continue;
    parts.push({ lane, from, to });
    known = to;
  }
  return parts;
}

/** @returns the windows that overlap a range, by their begin. */
export function windowsIn(timeline: Timeline, { from, to }: Range): number[] {
  const { windows } = timeline;
  return windows
    .map((_, i) => i)
    .filter((i) => windows[i]!.from < to && windows[i]!.to > from)
    .sort((a, b) => windows[a]!.from - windows[b]!.from);
}

/** Calls `visit` for each segment of a known part, clipped to it. */
function eachSegment(
  timeline: Timeline,
  { lane, from, to }: KnownPart,
  visit: (segment: number, begin: number, end: number) => void,
): void {
  const { since, callpath } = timeline.segments;
  const last = timeline.laneStart[lane + 1]! - 1;
  let at = segmentIn(timeline, lane, from);
  if (at < 0) at = timeline.laneStart[lane]!;
  for (; at < last && since[at]! < to; at++) {
    const begin = Math.max(from, since[at]!);
    const end = Math.min(to, since[at + 1]!);
    if (callpath[at]! >= 0 && end > begin) visit(at, begin, end);
  }
}

/** @returns the ticks of a location by class in a range. */
export function classesIn(timeline: Timeline, order: readonly number[], location: number, range: Range): Classes {
  const classes: Classes = { compute: 0, call: 0, wait: 0 };
  const { kind, wait } = timeline.segments;
  const add = (cls: "compute" | "call", ticks: number): void => void (classes[cls] += ticks);
  let known = range.from;
  for (const part of knownParts(timeline, order, location, range)) {
    addCells(timeline.bins, location, known, part.from, add, (_, ticks) => (classes.wait += ticks));
    known = part.to;
    eachSegment(timeline, part, (segment, begin, end) => {
      const cls = wait[segment]! >= 0 ? "wait" : kind[segment] === 0 ? "compute" : "call";
      classes[cls] += end - begin;
    });
  }
  addCells(timeline.bins, location, known, range.to, add, (_, ticks) => (classes.wait += ticks));
  return classes;
}

class Collector {
  readonly functions = new Map<string, FunctionTime>();
  readonly kinds = new Map<number, KindTime>();
  readonly blame = new Map<string, Blame>();
  readonly seen = new Set<string>();
  readonly classes: Classes = { compute: 0, call: 0, wait: 0 };
  known = 0;

  constructor(
    private readonly report: Report,
    private readonly timeline: Timeline,
    private readonly range: Range,
  ) {}

  addPart(part: KnownPart): void {
    const { callpath, kind, wait, since } = this.timeline.segments;
    eachSegment(this.timeline, part, (segment, begin, end) => {
      const ticks = end - begin;
      const isCall = kind[segment] !== 0;
      const entry = this.functionOf(this.report.callpaths[callpath[segment]!]!.region, isCall);
      this.known += ticks;
      entry.ticks += ticks;
      if (kind[segment] === 1 && since[segment]! >= part.from) entry.calls++;
      if (wait[segment]! >= 0) {
        entry.waiting += ticks;
        this.classes.wait += ticks;
        this.addWait(wait[segment]!);
      } else this.classes[isCall ? "call" : "compute"] += ticks;
    });
  }

  /** Adds cells of a location `weight` times: for others in the same cells. */
  addOverview(location: number, from: number, to: number, weight = 1): void {
    addCells(
      this.timeline.bins,
      location,
      from,
      to,
      (cls, ticks) => (this.classes[cls] += weight * ticks),
      (metric, ticks) => {
        this.classes.wait += weight * ticks;
        this.kindOf(metric).ticks += weight * ticks;
      },
    );
  }

  private functionOf(region: string, isCall: boolean): FunctionTime {
    const found = this.functions.get(region);
    if (found !== undefined) return found;
    const made = { region, isCall, ticks: 0, waiting: 0, calls: 0 };
    this.functions.set(region, made);
    return made;
  }

  private kindOf(metric: number): KindTime {
    const found = this.kinds.get(metric);
    if (found !== undefined) return found;
    const made = { metric, ticks: 0, count: 0 };
    this.kinds.set(metric, made);
    return made;
  }

  private addWait(wait: number): void {
    const { waits, windows } = this.timeline;
    const key = `${waits.location[wait]}.${waits.enter[wait]}.${waits.metric[wait]}`;
    if (this.seen.has(key)) return;
    this.seen.add(key);
    const from = Math.max(this.range.from, waits.enter[wait]!);
    const to = Math.min(this.range.to, waits.enter[wait]! + waits.time[wait]!);
    const kind = this.kindOf(waits.metric[wait]!);
    kind.ticks += to - from;
    kind.count++;
    const cause = waits.causeLocation[wait]!;
    if (cause < 0) return;
    let rest = to - from;
    for (const activity of activitiesIn(this.timeline, windows[waits.window[wait]!]!, cause, from, to)) {
      this.addBlame(cause, activity.wait >= 0 ? -1 : activity.callpath, activity.time);
      rest -= activity.time;
    }
    if (rest > 1e-6) this.addBlame(cause, null, rest);
  }

  private addBlame(location: number, callpath: number | null, ticks: number): void {
    const key = `${location}.${callpath}`;
    const found = this.blame.get(key);
    if (found !== undefined) found.ticks += ticks;
    else this.blame.set(key, { location, callpath, ticks });
  }
}

function messagesIn(timeline: Timeline, range: Range, isCounted: (location: number) => boolean): MessageTime[] {
  const { arrows } = timeline;
  const found = new Map<number, MessageTime>();
  const seen = new Set<string>();
  for (let i = 0; i < arrows.count; i++) {
    const since = arrows.since[i]!;
    if (since < range.from || since >= range.to) continue;
    if (!isCounted(arrows.tail[i]!) && !isCounted(arrows.head[i]!)) continue;
    // Windows may overlap.
    const key = `${arrows.kind[i]}.${arrows.tail[i]}.${arrows.head[i]}.${since}.${arrows.time[i]}`;
    if (timeline.windows.length > 1 && seen.has(key)) continue;
    seen.add(key);
    const entry = found.get(arrows.kind[i]!) ?? { kind: arrows.kind[i]!, count: 0, bytes: 0, ticks: 0 };
    entry.count++;
    entry.bytes += arrows.bytes[i]!;
    entry.ticks += arrows.time[i]!;
    found.set(entry.kind, entry);
  }
  return [...found.values()].sort((a, b) => a.kind - b.kind);
}

/** @returns the locations with events in some windows. */
function loadedLocations(timeline: Timeline, windows: readonly number[]): Set<number> {
  const found = new Set<number>();
  for (const window of windows) {
    const { firstLocation, laneOf } = timeline.windows[window]!;
    laneOf.forEach((lane, i) => {
      if (lane >= 0) found.add(firstLocation + i);
    });
  }
  return found;
}

/** @returns the number of neighbouring locations that have the same cells. */
function finestGroup(bins: Bins | null): number {
  let finest = Infinity;
  for (let each = bins; each !== null; each = each.behind) finest = Math.min(finest, each.group);
  return Number.isFinite(finest) ? finest : 1;
}

function descending<T extends { ticks: number }>(entries: Iterable<T>): T[] {
  return [...entries].sort((a, b) => b.ticks - a.ticks);
}

/** Computes the statistics of the given locations in an interval. Cost: linear in the loaded events of the
 * interval, and in the cells of the other locations. */
export function statisticsIn(
  report: Report,
  timeline: Timeline,
  locations: readonly number[],
  range: Range,
): IntervalStatistics {
  const collector = new Collector(report, timeline, range);
  const order = windowsIn(timeline, range);
  const counted = new Set(locations);
  const loaded = loadedLocations(timeline, order);
  const shared = new Map<number, { location: number; weight: number }>();
  const group = finestGroup(timeline.bins);
  for (const location of counted) {
    if (!loaded.has(location)) {
      const cell = Math.floor(location / group);
      const entry = shared.get(cell);
      if (entry === undefined) shared.set(cell, { location, weight: 1 });
      else entry.weight++;
      continue;
    }
    let known = range.from;
    for (const part of knownParts(timeline, order, location, range)) {
      collector.addOverview(location, known, part.from);
      collector.addPart(part);
      known = part.to;
    }
    collector.addOverview(location, known, range.to);
  }
  for (const { location, weight } of shared.values()) collector.addOverview(location, range.from, range.to, weight);
  const { compute, call, wait } = collector.classes;
  return {
    from: range.from,
    to: range.to,
    locations: counted.size,
    time: compute + call + wait,
    known: collector.known,
    computation: compute,
    calls: call,
    waiting: wait,
    functions: descending(collector.functions.values()),
    kinds: descending(collector.kinds.values()),
    blame: descending(collector.blame.values()),
    messages: messagesIn(timeline, range, (location) => counted.has(location)),
  };
}
