/** Aligns the severities of another report with the dimensions of this one, so that the same trees can show
 * both. */
import { accumulate } from "./forest";
import type { Report } from "./report";

/** Elements that only the other report has are mapped to the closest common ancestor. */
function mapMetrics(own: Report, other: Report): Int32Array {
  const map = new Int32Array(other.metrics.length).fill(-1);
  other.metrics.forEach((metric, index) => {
    const same = own.metricById.get(metric.id);
    const above = other.metricForest.parent[index]!;
    map[index] = same !== undefined ? same.index : above >= 0 ? map[above]! : -1;
  });
  return map;
}

function mapCallpaths(own: Report, other: Report): Int32Array {
  const key = (parent: number, region: string): string => `${parent}\n${region}`;
  const known = new Map<string, number>();
  own.callpaths.forEach(({ region }, index) => {
    const name = key(own.callForest.parent[index]!, region);
    if (!known.has(name)) known.set(name, index);
  });
  const map = new Int32Array(other.callpaths.length).fill(-1);
  other.callpaths.forEach(({ region }, index) => {
    const above = other.callForest.parent[index]!;
    const parent = above < 0 ? -1 : map[above]!;
    map[index] = known.get(key(parent, region)) ?? parent;
  });
  return map;
}

function mapLocations(own: Report, other: Report): Int32Array {
  const key = (rank: number, thread: number): string => `${rank}.${thread}`;
  const known = new Map(own.locations.map(({ rank, thread }, index) => [key(rank, thread), index]));
  return Int32Array.from(other.locations, ({ rank, thread }) => known.get(key(rank, thread)) ?? -1);
}

interface Cell {
  readonly metric: number;
  readonly callpath: number; // -1: no common call path
  readonly location: number; // -1: a location that only the other report has
  readonly value: number;
}

function mappedCells(own: Report, other: Report): Cell[] {
  const metrics = mapMetrics(own, other);
  const callpaths = mapCallpaths(own, other);
  const locations = mapLocations(own, other);
  const found: Cell[] = [];
  for (let row = 0; row < other.rows.metric.length; row++) {
    const metric = metrics[other.rows.metric[row]!]!;
    const callpath = callpaths[other.rows.callpath[row]!]!;
    if (metric < 0) continue;
    const factor =
      own.metrics[metric]!.unit === "sec" ? own.ticksPerSecond / other.ticksPerSecond : 1;
    for (let cell = other.rows.start[row]!; cell < other.rows.start[row + 1]!; cell++) {
      const location = locations[other.cells.location[cell]!]!;
      found.push({ metric, callpath, location, value: other.cells.value[cell]! * factor });
    }
  }
  found.sort((a, b) => a.metric - b.metric || a.callpath - b.callpath || a.location - b.location);
  return found;
}

/** @returns the other report's severities with the dimensions of `own`. Values at ranks that only the other
 * report has count in all sums, but at no location. Values below call trees that only the other report has
 * count for their metric. */
export function alignReport(own: Report, other: Report): Report {
  const found = mappedCells(own, other);
  const metric: number[] = [];
  const callpath: number[] = [];
  const start: number[] = [];
  const sum: number[] = [];
  const location: number[] = [];
  const value: number[] = [];
  const ofMetric = new Uint32Array(own.metrics.length + 1);
  const metricExclusive = new Float64Array(own.metrics.length);
  for (const cell of found) {
    metricExclusive[cell.metric]! += cell.value;
    if (cell.callpath < 0) continue;
    const row = metric.length - 1;
    if (row < 0 || metric[row] !== cell.metric || callpath[row] !== cell.callpath) {
      metric.push(cell.metric);
      callpath.push(cell.callpath);
      start.push(location.length);
      sum.push(0);
    }
    sum[sum.length - 1]! += cell.value;
    ofMetric[cell.metric + 1] = metric.length;
    if (cell.location >= 0) {
      location.push(cell.location);
      value.push(cell.value);
    }
  }
  start.push(location.length);
  for (let i = 1; i < ofMetric.length; i++) ofMetric[i] = Math.max(ofMetric[i]!, ofMetric[i - 1]!);
  return {
    ...own,
    experiment: other.experiment,
    rows: {
      metric: Uint32Array.from(metric),
      callpath: Uint32Array.from(callpath),
      start: Uint32Array.from(start),
      sum: Float64Array.from(sum),
      ofMetric,
    },
    cells: { location: Uint32Array.from(location), value: Float64Array.from(value) },
    metricExclusive,
    metricInclusive: accumulate(own.metricForest, metricExclusive),
  };
}
