// SPDX-License-Identifier: BSD-3-Clause
/** The wait-for graph of a run that ended inside of calls: who waits for whom, and what for. */
import type { JsonHang, JsonHangPart, JsonHangWait } from "../data/layout";
import type { Report } from "./report";

/** Locations in a place: those that can never go on, that wait, that have entered their call only just now, that are in no
 * such call, that ended before. */
export type HangState = "stuck" | "waiting" | "inside" | "elsewhere" | "ended";

export interface HangNode {
  readonly locations: readonly number[];
  readonly callpath: number | null;
  readonly state: HangState;
}

export interface HangEdge {
  /** Positions of nodes: who waits, for whom. */
  readonly from: number;
  readonly to: number;
  readonly text: string;
  /** One of several targets is enough. */
  readonly isAny: boolean;
  readonly isInCycle: boolean;
}

export interface HangGraph {
  /** Those of the circle first, in its order. */
  readonly nodes: readonly HangNode[];
  readonly edges: readonly HangEdge[];
  /** Locations that are in no node. */
  readonly left: number;
}

const WORDS: Readonly<Record<string, string>> = {
  message: "message", receiver: "receive", members: "to come", post: "post", complete: "complete", lock: "lock",
  progress: "progress", change: "change", signal: "signal", team: "barrier", tasks: "tasks", end: "end", images: "sync",
};

/** @returns what is waited for, in two or three words: "message, tag 7". */
export function awaitedText({ awaits, tag, object, never }: JsonHangPart): string {
  const word = never && awaits === "members" ? "never comes" : (WORDS[awaits] ?? "unknown");
  if (tag !== null) return `${word}, tag ${tag}`;
  return awaits === "lock" && object !== null ? object : word;
}

/** @returns the call of a location that began then or later and was never left; undefined: there is none
 * @param from  ticks */
export function callNeverLeft(report: Report, location: number, from: number): JsonHangWait | undefined {
  const wait = waitsOf(report).get(location);
  return wait !== undefined && from + 1 >= wait.since * report.ticksPerSecond ? wait : undefined;
}

const known = new WeakMap<Report, ReadonlyMap<number, JsonHangWait>>();

function waitsOf(report: Report): ReadonlyMap<number, JsonHangWait> {
  const waits = known.get(report) ?? new Map(report.hang?.waits.map((wait) => [wait.location, wait]));
  known.set(report, waits);
  return waits;
}

/** What locations must have in common to be one node. */
function keyOf(wait: JsonHangWait): string {
  return JSON.stringify([wait.callpath, wait.stuck, wait.counts, wait.mode,
    wait.for.map(({ awaits, mode, object, never, there }) => [awaits, mode, object, never, there])]);
}

interface Draft {
  locations: number[];
  callpath: number | null;
  state: HangState;
}

/** @param limit most nodes: if there are more locations, those that wait for the same in the same call are one node, and of
 * these, too, the ones that explain most are kept */
export function makeHangGraph(hang: JsonHang, limit: number): HangGraph {
  const targets = new Set(hang.waits.flatMap((wait) => wait.for.filter(isMissing).flatMap((part) => part.for)));
  const places = hang.places.filter(({ location }) => targets.has(location));
  const isSingle = hang.waits.length + places.length <= limit;
  const drafts = new Map<string, Draft>();
  const add = (key: string, location: number, callpath: number | null, state: HangState): void => {
    const draft = drafts.get(key) ?? { locations: [], callpath, state };
    drafts.set(key, draft);
    draft.locations.push(location);
  };
  for (const wait of hang.waits) {
    const state = wait.stuck ? "stuck" : wait.counts ? "waiting" : "inside";
    add(isSingle ? `wait ${wait.location}` : keyOf(wait), wait.location, wait.callpath, state);
  }
  for (const { location, callpath, ended } of places) {
    add(isSingle ? `place ${location}` : `place ${callpath} ${ended}`, location, callpath, ended ? "ended" : "elsewhere");
  }
  const nodes = ordered([...drafts.values()], hang.cycle).slice(0, limit);
  const nodeOf = new Map(nodes.flatMap(({ locations }, node) => locations.map((location) => [location, node] as const)));
  const drawn = nodes.reduce((sum, { locations }) => sum + locations.length, 0);
  const all = [...drafts.values()].reduce((sum, { locations }) => sum + locations.length, 0);
  return { nodes, edges: edgesOf(hang, nodeOf), left: all - drawn };
}

function isMissing(part: JsonHangPart): boolean {
  return !part.there;
}

function ordered(nodes: Draft[], cycle: readonly number[]): Draft[] {
  const inCycle = new Map(cycle.map((location, place) => [location, place]));
  const states: readonly HangState[] = ["stuck", "waiting", "inside", "ended", "elsewhere"];
  const rank = ({ locations, state }: Draft): readonly number[] => [
    Math.min(...locations.map((location) => inCycle.get(location) ?? Infinity)),
    states.indexOf(state),
    -locations.length,
    locations[0]!,
  ];
  const ranked = nodes.map((node) => ({ node, rank: rank(node) }));
  ranked.sort((a, b) => {
    const at = a.rank.findIndex((value, i) => value !== b.rank[i]);
    return at < 0 ? 0 : a.rank[at]! < b.rank[at]! ? -1 : 1;
  });
  return ranked.map(({ node }) => node);
}

function edgesOf(hang: JsonHang, nodeOf: ReadonlyMap<number, number>): HangEdge[] {
  const next = new Map(hang.cycle.map((location, i) => [location, hang.cycle[(i + 1) % hang.cycle.length]!]));
  const edges = new Map<string, HangEdge>();
  for (const { location, mode, for: parts } of hang.waits) {
    const from = nodeOf.get(location);
    if (from === undefined) continue;
    for (const part of parts.filter(isMissing)) {
      for (const target of part.for) {
        const to = nodeOf.get(target);
        if (to === undefined) continue;
        const key = `${from} ${to}`;
        const known = edges.get(key);
        edges.set(key, {
          from,
          to,
          text: known?.text ?? awaitedText(part),
          isAny: known?.isAny ?? ((mode === "or" && parts.length > 1) || (part.mode === "or" && part.for.length > 1)),
          isInCycle: (known?.isInCycle ?? false) || next.get(location) === target,
        });
      }
    }
  }
  return [...edges.values()];
}
