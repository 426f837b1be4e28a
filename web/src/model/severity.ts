// SPDX-License-Identifier: BSD-3-Clause
/** Sums of severities over parts of the cube: the values of coupled trees [Wolf 2002, section 4.5]. */
import { accumulate, subtree } from "./forest";
import type { Report } from "./report";

/** Values of nodes: exclusive and inclusive. */
export interface NodeValues {
  readonly exclusive: Float64Array;
  readonly inclusive: Float64Array;
}

/** @returns the metric alone (its node is expanded), or with its children (collapsed). */
export function metricSet(report: Report, metric: number, isExpanded: boolean): readonly number[] {
  return isExpanded ? [metric] : subtree(report.metricForest, metric);
}

/** @returns the call path alone (its node is expanded), or with its callees (collapsed). */
export function callpathSet(report: Report, callpath: number, isExpanded: boolean): readonly number[] {
  return isExpanded ? [callpath] : subtree(report.callForest, callpath);
}

/** Sums over locations and the given metrics: one value for each call path. */
export function callpathValues(report: Report, metrics: readonly number[]): NodeValues {
  const { rows } = report;
  const exclusive = new Float64Array(report.callpaths.length);
  for (const metric of metrics) {
    const end = rows.ofMetric[metric + 1]!;
    for (let row = rows.ofMetric[metric]!; row < end; row++) {
      exclusive[rows.callpath[row]!]! += rows.sum[row]!;
    }
  }
  return { exclusive, inclusive: accumulate(report.callForest, exclusive) };
}

/** Sums over the given metrics and call paths: one value for each location. */
export function locationValues(
  report: Report,
  metrics: readonly number[],
  callpaths: readonly number[],
): Float64Array {
  const { rows, cells } = report;
  const values = new Float64Array(report.locations.length);
  const isSelected = new Uint8Array(report.callpaths.length);
  for (const callpath of callpaths) isSelected[callpath] = 1;
  for (const metric of metrics) {
    const last = rows.ofMetric[metric + 1]!;
    for (let row = rows.ofMetric[metric]!; row < last; row++) {
      if (isSelected[rows.callpath[row]!] === 0) continue;
      const end = rows.start[row + 1]!;
      for (let cell = rows.start[row]!; cell < end; cell++) {
        values[cells.location[cell]!]! += cells.value[cell]!;
      }
    }
  }
  return values;
}

/** As locationValues() for each call path in one pass, including callees unless `isExclusive`.
 * @returns values[callpath * locations + location] */
export function callpathLocationValues(report: Report, metrics: readonly number[], isExclusive = false): Float64Array {
  const { rows, cells } = report;
  const width = report.locations.length;
  const values = new Float64Array(report.callpaths.length * width);
  for (const metric of metrics) {
    const last = rows.ofMetric[metric + 1]!;
    for (let row = rows.ofMetric[metric]!; row < last; row++) {
      const base = rows.callpath[row]! * width;
      const end = rows.start[row + 1]!;
      for (let cell = rows.start[row]!; cell < end; cell++) {
        values[base + cells.location[cell]!]! += cells.value[cell]!;
      }
    }
  }
  for (let callpath = isExclusive ? -1 : report.callpaths.length - 1; callpath >= 0; callpath--) {
    const above = report.callForest.parent[callpath]!;
    if (above < 0) continue;
    for (let i = 0; i < width; i++) values[above * width + i]! += values[callpath * width + i]!;
  }
  return values;
}

/** Sums the values of call paths that end in the same function. */
export function functionValues(report: Report, exclusive: Float64Array): Map<string, number> {
  const values = new Map<string, number>();
  exclusive.forEach((value, callpath) => {
    const name = report.callpaths[callpath]!.region;
    values.set(name, (values.get(name) ?? 0) + value);
  });
  return values;
}
