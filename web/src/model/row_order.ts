// SPDX-License-Identifier: BSD-3-Clause
/** The order of the timeline's rows, and the selection of some of them. */
import type { Report } from "./report";
import { locationValues, metricSet } from "./severity";

/** "folded": by rank, the threads of a process in one row. */
export type RowOrder = "rank" | "folded" | "waiting" | "blame" | "node";

/** What rows are sorted and filtered by; [location]. */
export interface Ranking {
  readonly rank: readonly number[];
  /** The number of the first process in texts. */
  readonly first: number;
  readonly node: readonly string[];
  /** Ticks: how long a location waits, and how long others wait for it. */
  readonly waiting: () => Float64Array;
  readonly blame: () => Float64Array;
}

export function rankingOf(report: Report): Ranking {
  const callpaths = report.callpaths.map((_, i) => i);
  const sumOf = (metrics: readonly number[]): Float64Array => locationValues(report, metrics, callpaths);
  let waiting: Float64Array | null = null;
  let blame: Float64Array | null = null;
  const time = report.metricById.get("time")?.index ?? -1;
  const waits = report.metrics.filter((metric) => metric.isWaitState && metric.root === time);
  const blamed = report.metricById.get("blame");
  return {
    rank: report.locations.map(({ rank }) => rank),
    first: report.summary.process.first,
    node: report.locations.map(({ node }) => node),
    waiting: () => (waiting ??= sumOf(waits.map(({ index }) => index))),
    blame: () => (blame ??= sumOf(blamed === undefined ? [] : metricSet(report, blamed.index, false))),
  };
}

/** @returns whether some process has several threads. */
export function hasThreads(ranking: Ranking): boolean {
  return ranking.rank.some((rank, location) => location > 0 && rank === ranking.rank[location - 1]);
}

/** @param some  locations in ascending order; null: all
 * @returns the locations in the order of their rows; equal ones in ascending order */
export function sortRows(ranking: Ranking, order: RowOrder, some: readonly number[] | null): number[] {
  const all = some?.slice() ?? ranking.rank.map((_, location) => location);
  if (order === "rank" || order === "folded") return all;
  if (order === "node") {
    const first = new Map<string, number>();
    ranking.node.forEach((node, location) => first.has(node) || first.set(node, location));
    return all.sort((a, b) => first.get(ranking.node[a]!)! - first.get(ranking.node[b]!)! || a - b);
  }
  const values = ranking[order]();
  return all.sort((a, b) => values[b]! - values[a]! || a - b);
}

/** Finds locations by "0-3, 8" (ranks) or by a part of the name of their node; several parts are separated by
 * commas.
 * @returns locations in ascending order */
export function filterRows(ranking: Ranking, text: string): number[] {
  const parts = text.split(",").map((part) => part.trim().toLowerCase());
  const tests = parts
    .filter((part) => part !== "")
    .map((part): ((location: number) => boolean) => {
      const range = /^(?:(?:ranks?|pes?|images?)\s*)?(\d+)(?:\s*-\s*(\d+))?$/.exec(part);
      if (range === null) return (location) => ranking.node[location]!.toLowerCase().includes(part);
      const first = Number(range[1]) - ranking.first;
      const last = range[2] === undefined ? first : Number(range[2]) - ranking.first;
      return (location) => ranking.rank[location]! >= first && ranking.rank[location]! <= last;
    });
  return ranking.rank.map((_, location) => location).filter((location) => tests.some((test) => test(location)));
}
