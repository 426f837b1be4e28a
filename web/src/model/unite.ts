// SPDX-License-Identifier: BSD-3-Clause
/** Several reports over common dimensions, matched as by `fermata diff` (src/cube/merge/unite.h): call paths by the
 * names of their regions from the root on, single roots whatever their names, locations by rank and thread. The
 * dimensions begin with those of the first report, so that its numbers of call paths and locations stay valid. */
import { accumulate, makeForest } from "./forest";
import type { Callpath, Location, Metric, Report } from "./report";

interface Dimensions {
  readonly metrics: Metric[];
  readonly metricParents: number[];
  readonly callpaths: Callpath[];
  readonly callParents: number[];
  readonly locations: Location[];
}

function uniteMetrics(into: Dimensions, report: Report): Int32Array {
  const known = new Map(into.metrics.map(({ id, index }) => [id, index]));
  const map = new Int32Array(report.metrics.length);
  report.metrics.forEach((metric, i) => {
    const found = known.get(metric.id);
    map[i] = found ?? into.metrics.length;
    if (found !== undefined) return;
    const above = report.metricForest.parent[i]!;
    const index = into.metrics.length;
    into.metricParents.push(above < 0 ? -1 : map[above]!);
    into.metrics.push({ ...metric, index, root: above < 0 ? index : into.metrics[map[above]!]!.root });
  });
  return map;
}

/** @returns one name for a call path below a parent. */
function childKey(parent: number, { region, paradigm }: Callpath): string {
  return `${parent}\n${paradigm}\n${region}`;
}

function uniteCallpaths(into: Dimensions, report: Report, oneRoot: boolean): Int32Array {
  const known = new Map<string, number>();
  into.callpaths.forEach((callpath, i) => {
    const key = childKey(into.callParents[i]!, callpath);
    if (!known.has(key)) known.set(key, i);
  });
  const map = new Int32Array(report.callpaths.length);
  report.callpaths.forEach((callpath, i) => {
    const above = report.callForest.parent[i]!;
    const parent = above < 0 ? -1 : map[above]!;
    const key = childKey(parent, callpath);
    const root = parent < 0 && oneRoot && into.callpaths.length > 0 ? 0 : undefined;
    const found = root ?? known.get(key);
    map[i] = found ?? into.callpaths.length;
    if (found !== undefined) return;
    known.set(key, into.callpaths.length);
    into.callParents.push(parent);
    into.callpaths.push({ ...callpath, index: into.callpaths.length });
  });
  return map;
}

function uniteLocations(into: Dimensions, report: Report): Int32Array {
  const key = ({ rank, thread }: Location): string => `${rank}.${thread}`;
  const known = new Map(into.locations.map((location, i) => [key(location), i]));
  return Int32Array.from(report.locations, (location) => {
    const found = known.get(key(location));
    if (found !== undefined) return found;
    const index = into.locations.length;
    known.set(key(location), index);
    into.locations.push({ ...location, index });
    return index;
  });
}

interface Maps {
  readonly metrics: Int32Array;
  readonly callpaths: Int32Array;
  readonly locations: Int32Array;
}

/** @returns the severities of a report in the common dimensions, times in ticks of the first report. */
function mappedSeverities(to: Dimensions, report: Report, maps: Maps, ticksPerSecond: number): Pick<Report, "rows" | "cells"> {
  const { rows, cells } = report;
  const row = Array.from(rows.metric.keys());
  const metricOf = (i: number): number => maps.metrics[rows.metric[i]!]!;
  const callpathOf = (i: number): number => maps.callpaths[rows.callpath[i]!]!;
  row.sort((a, b) => metricOf(a) - metricOf(b) || callpathOf(a) - callpathOf(b));
  const metric: number[] = [];
  const callpath: number[] = [];
  const start: number[] = [];
  const sum: number[] = [];
  const ofMetric = new Uint32Array(to.metrics.length + 1);
  const location = new Uint32Array(cells.location.length);
  const value = new Float64Array(cells.value.length);
  let at = 0;
  for (const i of row) {
    const factor = to.metrics[metricOf(i)]!.unit === "sec" ? ticksPerSecond / report.ticksPerSecond : 1;
    const last = metric.length - 1;
    if (last < 0 || metric[last] !== metricOf(i) || callpath[last] !== callpathOf(i)) {
      metric.push(metricOf(i));
      callpath.push(callpathOf(i));
      start.push(at);
      sum.push(0);
      ofMetric[metricOf(i) + 1] = metric.length;
    }
    sum[sum.length - 1]! += rows.sum[i]! * factor;
    for (let cell = rows.start[i]!; cell < rows.start[i + 1]!; cell++, at++) {
      location[at] = maps.locations[cells.location[cell]!]!;
      value[at] = cells.value[cell]! * factor;
    }
  }
  start.push(at);
  for (let i = 1; i < ofMetric.length; i++) ofMetric[i] = Math.max(ofMetric[i]!, ofMetric[i - 1]!);
  return {
    rows: {
      metric: Uint32Array.from(metric),
      callpath: Uint32Array.from(callpath),
      start: Uint32Array.from(start),
      sum: Float64Array.from(sum),
      ofMetric,
    },
    cells: { location, value },
  };
}

/** The trees of several runs, and the numbers of each run's call paths and metrics in them. */
export interface United {
  /** [run]: severities over the common dimensions; all else is that of the run. */
  readonly runs: readonly Report[];
  /** [run][call path of the run]: common call path. */
  readonly callpaths: readonly Int32Array[];
  /** [run][location of the run]: common location. */
  readonly locations: readonly Int32Array[];
}

/** Unites reports, at least one. Cost: the number of severities times its logarithm. */
export function uniteReports(reports: readonly Report[]): United {
  const base = reports[0]!;
  const identity = (count: number): Int32Array => Int32Array.from({ length: count }, (_, i) => i);
  if (reports.length === 1) {
    return { runs: reports, callpaths: [identity(base.callpaths.length)], locations: [identity(base.locations.length)] };
  }
  const to: Dimensions = { metrics: [], metricParents: [], callpaths: [], callParents: [], locations: [] };
  const oneRoot = reports.every((report) => report.callForest.roots.length <= 1);
  const maps = reports.map((report, run): Maps => {
    const isBase = run === 0;
    if (isBase) {
      to.callpaths.push(...report.callpaths);
      to.callParents.push(...report.callForest.parent);
    }
    return {
      metrics: uniteMetrics(to, report),
      callpaths: isBase ? identity(report.callpaths.length) : uniteCallpaths(to, report, oneRoot),
      locations: uniteLocations(to, report),
    };
  });
  const common = {
    metrics: to.metrics,
    metricForest: makeForest(to.metricParents),
    metricById: new Map(to.metrics.map((metric) => [metric.id, metric])),
    callpaths: to.callpaths,
    callForest: makeForest(to.callParents),
    locations: to.locations,
    ticksPerSecond: base.ticksPerSecond,
  };
  const runs = reports.map((report, run): Report => {
    const severities = mappedSeverities(to, report, maps[run]!, base.ticksPerSecond);
    const metricExclusive = new Float64Array(to.metrics.length);
    severities.rows.metric.forEach((metric, row) => {
      metricExclusive[metric]! += severities.rows.sum[row]!;
    });
    return {
      ...report,
      ...common,
      ...severities,
      metricExclusive,
      metricInclusive: accumulate(common.metricForest, metricExclusive),
    };
  });
  return { runs, callpaths: maps.map((map) => map.callpaths), locations: maps.map((map) => map.locations) };
}
