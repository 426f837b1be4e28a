// SPDX-License-Identifier: BSD-3-Clause
/** The timeline in memory: the activity of each location, wait states, arrows. Times are ticks since the
 * begin of the run (src/view/timeline/timeline_events.h). */
import type { Bundle } from "../data/bundle";
import type { JsonTimeline } from "../data/layout";
import { makeAlike, type Alike } from "./arrangement";
import { makeCounters, type Counter } from "./counters";

/** A time window of some locations, with all their events. */
export interface TimelineWindow {
  readonly from: number;
  readonly to: number;
  /** Lanes of the locations from `firstLocation` on; -1: not in this window. See laneAt(). */
  readonly firstLocation: number;
  readonly laneOf: Int32Array;
  /** Wait states, arrows and teams from first to end - 1. */
  readonly waits: Range;
  readonly arrows: Range;
  readonly teams: Range;
  /** The wait state that the window surrounds: kind (a metric) and place; null: the whole run. */
  readonly about: { readonly metric: number; readonly location: number; readonly enter: number } | null;
}

export interface Range {
  first: number;
  end: number;
}

/** Segments; those of a lane are consecutive, and each lasts until the begin of the next one. */
export interface Segments {
  readonly since: Float64Array;
  /** -1: unknown activity. */
  readonly callpath: Int32Array;
  readonly kind: Uint8Array;
  /** The wait state of the segment; -1: none. */
  readonly wait: Int32Array;
}

export const enum SegmentKind {
  NoCall = 0,
  CallBegins = 1,
  CallGoesOn = 2,
}

export interface TimelineWaits {
  readonly count: number;
  readonly window: Float64Array;
  readonly location: Float64Array;
  readonly enter: Float64Array;
  readonly time: Float64Array;
  readonly rest: Float64Array;
  readonly metric: Float64Array;
  readonly callpath: Float64Array;
  /** -1: unknown. */
  readonly causeLocation: Float64Array;
  readonly causeCallpath: Float64Array;
}

/** By enum fm_arrow_kind (src/timeline/arrows.h). */
export const ARROW_NAMES = [
  "message", "put", "get", "atomic operation", "lock", "fork", "thread start", "thread end", "task", "lock hand-over",
] as const;

/** @returns whether an arrow is one between the threads of a process. */
export function isOfThreads(kind: number): boolean {
  return kind >= 5;
}

export interface TimelineArrows {
  readonly count: number;
  readonly kind: Float64Array;
  readonly tail: Float64Array;
  readonly head: Float64Array;
  readonly since: Float64Array;
  readonly time: Float64Array;
  /** Of messages and one-sided operations. */
  readonly bytes: Float64Array;
}

/** Teams of threads: src/timeline/team_frames.h. */
export interface TimelineTeams {
  readonly count: number;
  readonly since: Float64Array;
  readonly time: Float64Array;
  /** The locations of a team are those from start[team] to start[team + 1] - 1. */
  readonly start: Uint32Array;
  readonly member: Float64Array;
}

/** @returns the locations of a team, ascending. */
export function membersOf({ start, member }: TimelineTeams, team: number): Float64Array {
  return member.subarray(start[team]!, start[team + 1]!);
}

/** @returns the innermost team of a location at a time: the one that began last; -1: none. */
export function teamAt({ teams }: Timeline, location: number, time: number): number {
  let found = -1;
  for (let team = 0; team < teams.count; team++) {
    const since = teams.since[team]!;
    if (since > time || since + teams.time[team]! < time) continue;
    if (found >= 0 && since < teams.since[found]!) continue;
    if (membersOf(teams, team).includes(location)) found = team;
  }
  return found;
}

/** Shares of time bins, by rows of locations: percent of their time. */
export interface Bins {
  /** Ticks. */
  readonly from: number;
  readonly to: number;
  readonly count: number;
  readonly rows: number;
  /** Number of neighbouring locations in a row. */
  readonly group: number;
  /** @returns the row of a location, or of its group of similar locations; -1: none. */
  readonly rowOf: (place: number) => number;
  /** Kinds of wait states (metrics). */
  readonly kinds: readonly number[];
  readonly compute: CellPlane;
  readonly call: CellPlane;
  /** By kind; null: the kind does not occur here. */
  readonly wait: readonly (CellPlane | null)[];
  /** How the waiting of the locations of a row differs; null: rows of single locations, or of similar ones. */
  readonly spread: WaitingSpread | null;
  /** Shown where these cells have no row or end: the previous cells; null: nothing. */
  readonly behind: Bins | null;
}

/** The waiting of the location of a row that waits least in a bin, of the middle one, and of the one that waits most:
 * src/view/timeline/waiting_spread.h. */
export interface WaitingSpread {
  readonly least: CellPlane;
  readonly middle: CellPlane;
  readonly most: CellPlane;
}

/** Percent, [row][bin]. */
export type CellPlane = Uint8Array | Float64Array;

export interface Timeline {
  readonly length: number;
  readonly calls: number;
  readonly windows: readonly TimelineWindow[];
  /** First segment of each lane; one more element than lanes. */
  readonly laneStart: Uint32Array;
  readonly segments: Segments;
  readonly waits: TimelineWaits;
  readonly arrows: TimelineArrows;
  readonly teams: TimelineTeams;
  /** For runs that are not shown completely. */
  readonly bins: Bins | null;
  /** Cells of pinned rows, if those of `bins` are coarser. */
  readonly pinnedBins: Bins | null;
  /** Cells of the whole run; null: all events are loaded. */
  readonly overview: Bins | null;
  readonly alike: Alike;
  /** By groups of similar locations. */
  readonly alikeBins: Bins | null;
  /** Without curves if a server provides them. */
  readonly counters: readonly Counter[];
  /** The timeline comes from a server, which has all events: windows and bins are those in view. */
  readonly isTiled: boolean;
}

/** @returns the slices of an ascending list of window numbers, one for each window. */
function rangesOf(windows: Float64Array, count: number): Range[] {
  const ranges: Range[] = [];
  for (let window = 0, at = 0; window < count; window++) {
    const first = at;
    while (at < windows.length && windows[at] === window) at++;
    ranges.push({ first, end: at });
  }
  return ranges;
}

type LanesOfWindow = Pick<TimelineWindow, "firstLocation" | "laneOf">;

/** @returns the lane of a location in a window; -1: none. */
export function laneAt({ firstLocation, laneOf }: LanesOfWindow, location: number): number {
  return laneOf[location - firstLocation] ?? -1;
}

/** @returns the lanes of each window. A window contains few, neighbouring locations. */
function lanesOf(laneWindow: Float64Array, laneLocation: Float64Array, count: number): LanesOfWindow[] {
  const first = new Float64Array(count).fill(Infinity);
  const last = new Float64Array(count).fill(-1);
  laneWindow.forEach((window, lane) => {
    first[window] = Math.min(first[window]!, laneLocation[lane]!);
    last[window] = Math.max(last[window]!, laneLocation[lane]!);
  });
  const lanes = Array.from({ length: count }, (_, window) => ({
    firstLocation: last[window]! < 0 ? 0 : first[window]!,
    laneOf: new Int32Array(last[window]! < 0 ? 0 : last[window]! - first[window]! + 1).fill(-1),
  }));
  laneWindow.forEach((window, lane) => {
    lanes[window]!.laneOf[laneLocation[lane]! - lanes[window]!.firstLocation] = lane;
  });
  return lanes;
}

interface Lanes {
  readonly start: Uint32Array;
  readonly since: Float64Array;
  readonly callpath: Float64Array;
  readonly kind: Float64Array;
}

/** Splits waiting calls at the end of their waiting, and marks the waiting part. */
function splitWaits(lanes: Lanes, waitsOf: readonly number[][], waits: TimelineWaits) {
  const start = new Uint32Array(lanes.start.length);
  const most = lanes.since.length + 2 * waits.count;
  const since = new Float64Array(most);
  const callpath = new Int32Array(most);
  const kind = new Uint8Array(most);
  const wait = new Int32Array(most);
  let count = 0;
  const push = (time: number, path: number, what: number, waiting: number): void => {
    since[count] = time;
    callpath[count] = path;
    kind[count] = what;
    wait[count++] = waiting;
  };
  for (let lane = 0; lane + 1 < lanes.start.length; lane++) {
    start[lane] = count;
    const own = waitsOf[lane]!;
    let next = 0;
    const end = lanes.start[lane + 1]!;
    for (let i = lanes.start[lane]!; i < end; i++) {
      const begin = lanes.since[i]!;
      const until = i + 1 < end ? lanes.since[i + 1]! : begin;
      const path = lanes.callpath[i]! - 1;
      while (next < own.length && waits.enter[own[next]!]! + waits.time[own[next]!]! <= begin) next++;
      let waiting = -1;
      // Calls inside of a waiting call may wait, too: the innermost call is later in the list.
      for (let k = next; k < own.length && waits.enter[own[k]!]! <= begin; k++) {
        const isOver = waits.enter[own[k]!]! + waits.time[own[k]!]! <= begin;
        if (!isOver && waits.callpath[own[k]!] === path && lanes.kind[i] !== 0) waiting = own[k]!;
      }
      push(begin, path, lanes.kind[i]!, waiting);
      if (waiting >= 0) {
        const over = waits.enter[waiting]! + waits.time[waiting]!;
        if (over < until) push(over, path, SegmentKind.CallGoesOn, -1);
      }
    }
  }
  start[lanes.start.length - 1] = count;
  return {
    start,
    segments: {
      since: since.slice(0, count),
      callpath: callpath.slice(0, count),
      kind: kind.slice(0, count),
      wait: wait.slice(0, count),
    },
  };
}

export function makeTimeline(bundle: Bundle<JsonTimeline>, locations: number): Timeline {
  const { json } = bundle;
  const lessOne = (values: Float64Array): Float64Array => values.map((value) => value - 1);
  const waitWindow = bundle.column("wait_window");
  const waits: TimelineWaits = {
    count: waitWindow.length,
    window: waitWindow,
    location: bundle.column("wait_location"),
    enter: bundle.column("wait_enter"),
    time: bundle.column("wait_time"),
    rest: bundle.column("wait_rest"),
    metric: bundle.column("wait_metric"),
    callpath: bundle.column("wait_callpath"),
    causeLocation: lessOne(bundle.column("wait_cause_location")),
    causeCallpath: lessOne(bundle.column("wait_cause_callpath")),
  };
  const arrowWindow = bundle.column("arrow_window");
  const arrows: TimelineArrows = {
    count: arrowWindow.length,
    kind: bundle.column("arrow_kind"),
    tail: bundle.column("arrow_tail"),
    head: bundle.column("arrow_head"),
    since: bundle.column("arrow_since"),
    time: bundle.column("arrow_time"),
    bytes: bundle.column("arrow_bytes"),
  };
  const teamWindow = bundle.column("team_window");
  const teamStart = new Uint32Array(teamWindow.length + 1);
  bundle.column("team_count").forEach((size, team) => (teamStart[team + 1] = teamStart[team]! + size));
  const teams: TimelineTeams = {
    count: teamWindow.length,
    since: bundle.column("team_since"),
    time: bundle.column("team_time"),
    start: teamStart,
    member: bundle.column("team_member"),
  };
  const laneWindow = bundle.column("lane_window");
  const laneLocation = bundle.column("lane_location");
  const laneCount = bundle.column("lane_count");
  const start = new Uint32Array(laneCount.length + 1);
  laneCount.forEach((count, lane) => (start[lane + 1] = start[lane]! + count));
  const waitRanges = rangesOf(waitWindow, json.windows.length);
  const arrowRanges = rangesOf(arrowWindow, json.windows.length);
  const teamRanges = rangesOf(teamWindow, json.windows.length);
  const lanes = lanesOf(laneWindow, laneLocation, json.windows.length);
  const windows = json.windows.map(({ from, to, metric, location, enter }, i): TimelineWindow => ({
    from,
    to,
    ...lanes[i]!,
    waits: waitRanges[i]!,
    arrows: arrowRanges[i]!,
    teams: teamRanges[i]!,
    about: metric === null || location === null || enter === null ? null : { metric, location, enter },
  }));
  const waitsOf: number[][] = Array.from({ length: laneCount.length }, () => []);
  for (let i = 0; i < waits.count; i++) {
    waitsOf[laneAt(windows[waits.window[i]!]!, waits.location[i]!)]!.push(i);
  }
  const { start: laneStart, segments } = splitWaits(
    {
      start,
      since: bundle.column("segment_since"),
      callpath: bundle.column("segment_callpath"),
      kind: bundle.column("segment_kind"),
    },
    waitsOf,
    waits,
  );
  const bins = json.bins === undefined ? null : makeBins(bundle, "bin", json.bins.rows, json.bins.group);
  return {
    length: json.length,
    calls: json.calls,
    windows,
    laneStart,
    segments,
    waits,
    arrows,
    teams,
    isTiled: false,
    alike: makeAlike(bundle),
    counters: makeCounters(bundle, locations),
    bins,
    pinnedBins: null,
    overview: bins,
    alikeBins: json.bins === undefined ? null : makeBins(bundle, "alike", json.alike, 1),
  };
}

function makeBins(bundle: Bundle<JsonTimeline>, columns: "bin" | "alike", rows: number, group: number): Bins {
  const { bins, length } = bundle.json;
  const { count, waits } = bins!;
  const wait = bundle.column(`${columns}_wait`);
  return {
    from: 0,
    to: length,
    count,
    rows,
    group,
    rowOf: (place) => Math.floor(place / group),
    kinds: waits,
    compute: bundle.column(`${columns}_compute`),
    call: bundle.column(`${columns}_call`),
    wait: waits.map((_, kind) => wait.subarray(kind * rows * count, (kind + 1) * rows * count)),
    spread:
      columns === "bin" && bundle.has("bin_least")
        ? { least: bundle.column("bin_least"), middle: bundle.column("bin_middle"), most: bundle.column("bin_most") }
        : null,
    behind: null,
  };
}

/** @returns the segment of a lane at a time, -1 if there is none. */
export function segmentIn(timeline: Timeline, lane: number, time: number): number {
  const { since } = timeline.segments;
  let low = timeline.laneStart[lane]!;
  const last = timeline.laneStart[lane + 1]! - 1;
  if (last < low || time < since[low]! || time >= since[last]!) return -1;
  for (let high = last; high - low > 1; ) {
    const middle = (low + high) >> 1;
    if (since[middle]! <= time) low = middle;
    else high = middle;
  }
  return low;
}

/** @returns the whole call, or stretch of other code, that contains a segment. */
export function extentOf(timeline: Timeline, lane: number, segment: number): { from: number; to: number } {
  const { since, callpath, kind } = timeline.segments;
  const first = timeline.laneStart[lane]!;
  const last = timeline.laneStart[lane + 1]! - 1;
  let begin = segment;
  let end = segment + 1;
  if (kind[segment] !== SegmentKind.NoCall) {
    // Its parts are separated by calls inside of it, which have other call paths.
    while (begin > first && kind[begin] === SegmentKind.CallGoesOn) begin--;
    while (begin > first && (callpath[begin] !== callpath[segment] || kind[begin] !== SegmentKind.CallBegins)) {
      begin--;
    }
    while (end < last && kind[end] === SegmentKind.CallGoesOn && callpath[end] === callpath[segment]) end++;
  }
  return { from: since[begin]!, to: since[end]! };
}

/** @returns the wait state of a location whose call began at this time, -1 if the page does not contain
 * it. */
export function findWait(timeline: Timeline, location: number, enter: number): number {
  const { waits } = timeline;
  for (let i = 0; i < waits.count; i++) {
    if (waits.location[i] === location && waits.enter[i] === enter) return i;
  }
  return -1;
}

/** An activity of a location for some time. */
export interface Activity {
  readonly location: number;
  readonly callpath: number;
  /** -1: no wait state. */
  readonly wait: number;
  readonly time: number;
  readonly share: number;
}

/** Adds up the activities of a location between two times, longest first, within `window`; for tiles, within
 * all of them. */
export function activitiesIn(
  timeline: Timeline,
  window: TimelineWindow,
  location: number,
  from: number,
  to: number,
): Activity[] {
  if (to <= from) return [];
  const { since, callpath, wait } = timeline.segments;
  const found = new Map<string, { callpath: number; wait: number; time: number }>();
  for (const each of timeline.isTiled ? timeline.windows : [window]) {
    const lane = laneAt(each, location);
    if (lane < 0) continue;
    const last = timeline.laneStart[lane + 1]! - 1;
    for (let i = Math.max(timeline.laneStart[lane]!, segmentIn(timeline, lane, from)); i < last; i++) {
      if (since[i]! >= to) break;
      const time = Math.min(since[i + 1]!, to) - Math.max(since[i]!, from);
      if (time <= 0 || callpath[i]! < 0) continue;
      // A wait state is contained in all tiles that it overlaps.
      const key = wait[i]! >= 0 ? `w${timeline.waits.enter[wait[i]!]}` : `c${callpath[i]}`;
      const entry = found.get(key) ?? { callpath: callpath[i]!, wait: wait[i]!, time: 0 };
      entry.time += time;
      found.set(key, entry);
    }
  }
  return [...found.values()]
    .sort((a, b) => b.time - a.time)
    .map((entry) => ({ location, ...entry, share: entry.time / (to - from) }));
}

const LONGEST_CHAIN = 8;

/** Follows the causes of a wait state: the activity of its cause during the wait; if the cause mostly waited,
 * too, the activity of the cause of that, and so on.
 * @returns the largest part of each step; the last one is no wait if the timeline reaches back far enough */
export function followCauses(timeline: Timeline, wait: number): Activity[] {
  const { waits } = timeline;
  const chain: Activity[] = [];
  const seen = new Set([wait]);
  for (let at = wait; chain.length < LONGEST_CHAIN; ) {
    const cause = waits.causeLocation[at]!;
    if (cause < 0) break;
    const window = timeline.windows[waits.window[at]!]!;
    const end = waits.enter[at]! + waits.time[at]!;
    const [largest] = activitiesIn(timeline, window, cause, waits.enter[at]!, end);
    if (largest === undefined) break;
    chain.push(largest);
    if (largest.wait < 0 || seen.has(largest.wait)) break;
    seen.add(largest.wait);
    at = largest.wait;
  }
  return chain;
}

/** @returns the place of the events that a chain of causes needs next: the activity of the cause of its last
 * wait during the wait; null: the chain is complete. */
export function nextOfChain(
  timeline: Timeline,
  wait: number,
  chain: readonly Activity[],
): { location: number; from: number; to: number } | null {
  const { waits } = timeline;
  const at = chain.length === 0 ? wait : chain[chain.length - 1]!.wait;
  if (at < 0 || waits.causeLocation[at]! < 0 || chain.length >= LONGEST_CHAIN) return null;
  const from = waits.enter[at]!;
  return { location: waits.causeLocation[at]!, from, to: from + waits.time[at]! };
}

/** @returns the longest wait states in the page, longest first, without duplicates. */
export function longestWaits(timeline: Timeline, most: number): number[] {
  const { waits } = timeline;
  const order = Array.from({ length: waits.count }, (_, i) => i);
  order.sort((a, b) => waits.time[b]! - waits.time[a]!);
  const seen = new Set<string>();
  const found: number[] = [];
  for (const i of order) {
    const key = `${waits.location[i]}.${waits.enter[i]}`;
    if (seen.has(key)) continue;
    seen.add(key);
    found.push(i);
    if (found.length === most) break;
  }
  return found;
}
