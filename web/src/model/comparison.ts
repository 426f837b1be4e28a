// SPDX-License-Identifier: BSD-3-Clause
/** What differs between runs: the numbers of `fermata diff` (src/report/comparison/comparison.h), and their
 * problems. */
import type { Phase, Report } from "./report";
import type { United } from "./unite";

/** The time of a call path alone in one property, in all runs. */
export interface Change {
  readonly metric: number;
  readonly callpath: number;
  /** [run]: ticks. */
  readonly values: readonly number[];
}

/** Metrics of time have a row if they have this share of the time in any run: as in src/report/comparison. */
const SMALLEST_SHARE = 0.001;

/** @returns the metrics with a row: significant ones of the time tree, and roots of counts that occur. */
export function comparedMetrics({ runs }: United): number[] {
  const base = runs[0]!;
  const time = base.metricById.get("time")?.index ?? 0;
  return base.metrics
    .filter(({ index, root, unit }) => {
      if (root !== time) return unit !== "sec" && root === index && runs.some((run) => run.metricInclusive[index] !== 0);
      return runs.some((run) => {
        const value = Math.abs(run.metricInclusive[index]!);
        return value !== 0 && value >= SMALLEST_SHARE * run.metricInclusive[time]!;
      });
    })
    .map(({ index }) => index);
}

/** @returns all changes; each covers the time of one call path in one property of the time tree. */
export function changesOf({ runs }: United): Change[] {
  const base = runs[0]!;
  const time = base.metricById.get("time")?.index ?? 0;
  const found = new Map<string, { metric: number; callpath: number; values: number[] }>();
  runs.forEach(({ rows, metrics }, run) => {
    rows.metric.forEach((metric, row) => {
      if (metrics[metric]!.root !== time) return;
      const callpath = rows.callpath[row]!;
      const key = `${metric}.${callpath}`;
      const change = found.get(key) ?? { metric, callpath, values: runs.map(() => 0) };
      found.set(key, change);
      change.values[run]! += rows.sum[row]!;
    });
  });
  return [...found.values()];
}

export type ProblemStatus = "appeared" | "vanished" | "worse" | "better" | "same";

/** The problems of one kind and call path in all runs. */
export interface ComparedProblem {
  readonly kind: string;
  /** Common call path; -1: none. */
  readonly callpath: number;
  /** [run]: waiting that stems from it, in seconds. */
  readonly costs: readonly number[];
  /** [run]: the sentence of the run's summary; "": none. */
  readonly headlines: readonly string[];
  /** The larger share of the time of the first or the other run. */
  readonly share: number;
}

/** @returns the problems of all runs, by call path and kind, those that differ most in the first and the other run
 * first. */
export function comparedProblems({ runs, callpaths }: United, other: number): ComparedProblem[] {
  const found = new Map<string, { kind: string; callpath: number; costs: number[]; headlines: string[] }>();
  runs.forEach((report, run) => {
    const sentences = new Map(report.summary.problems.map(({ id, headline }) => [id, headline]));
    for (const { id, cause, cost } of report.problems) {
      const callpath = cause.callpath === null ? -1 : callpaths[run]![cause.callpath]!;
      const key = `${cause.kind}.${callpath}`;
      const problem = found.get(key) ?? {
        kind: cause.kind,
        callpath,
        costs: runs.map(() => 0),
        headlines: runs.map(() => ""),
      };
      found.set(key, problem);
      problem.costs[run]! += cost;
      problem.headlines[run] ||= sentences.get(id) ?? "";
    }
  });
  const times = runs.map((report) => report.summary.time / report.tickRate);
  const size = ({ costs }: ComparedProblem): number => Math.abs(costs[other]! - costs[0]!);
  return [...found.values()]
    .map((problem) => ({
      ...problem,
      share: Math.max(...[0, other].map((run) => (times[run]! > 0 ? problem.costs[run]! / times[run]! : 0))),
    }))
    .sort((a, b) => size(b) - size(a));
}

/** Changes by less than this share of the larger cost are none. */
const SAME = 0.05;

export function statusOf({ costs }: ComparedProblem, other: number): ProblemStatus {
  const [base, cost] = [costs[0]!, costs[other]!];
  if (base === 0 && cost === 0) return "same";
  if (base === 0) return "appeared";
  if (cost === 0) return "vanished";
  if (Math.abs(cost - base) < SAME * Math.max(base, cost)) return "same";
  return cost > base ? "worse" : "better";
}

/** The iterations of a phase in the runs that have it, by their numbers. */
export interface ComparedPhase {
  readonly region: string;
  /** [run]: its phase; null: the run has none of this name. */
  readonly phases: readonly (Phase | null)[];
  /** The largest number of an iteration, and 1. */
  readonly iterations: number;
}

/** @returns the phases that the first run has in common with another run. */
export function comparedPhases(runs: readonly Report[]): ComparedPhase[] {
  return runs[0]!.phases
    .map(({ region }) => {
      const phases = runs.map((run) => run.phases.find((phase) => phase.region === region) ?? null);
      const ends = phases.map((phase) => {
        const last = phase?.rows[phase.rows.length - 1];
        return last === undefined ? 0 : last.first + last.count;
      });
      return { region, phases, iterations: Math.max(...ends) };
    })
    .filter(({ phases, iterations }) => iterations > 0 && phases.filter((phase) => phase !== null).length > 1);
}
