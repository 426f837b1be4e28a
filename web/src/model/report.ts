// SPDX-License-Identifier: BSD-3-Clause
/** A report in memory: its three dimensions, and the severities as rows of cells. */
import type { Bundle } from "../data/bundle";
import type { JsonExcerpt, JsonPage, JsonReport, JsonStatistics, JsonSummary, Unit } from "../data/layout";
import { accumulate, makeForest, type Forest } from "./forest";
import { makeTopologies, type Topology } from "./topology";

export interface Metric {
  readonly index: number;
  readonly id: string;
  readonly name: string;
  readonly unit: Unit;
  readonly description: string;
  readonly formula: string;
  readonly advice: string;
  readonly isWaitState: boolean;
  readonly root: number;
}

export interface Callpath {
  readonly index: number;
  readonly region: string;
  readonly paradigm: string;
  readonly file: string | null;
  readonly line: number | null;
  /** The line that calls it, "main.c:20", if call paths are told apart by it (analyze --callsites). */
  readonly site: string | null;
  /** Only samples tell of the times in it. */
  readonly isEstimated: boolean;
}

export interface Location {
  readonly index: number;
  readonly rank: number;
  readonly thread: number;
  readonly type: "thread" | "stream";
  readonly node: string;
  readonly name: string;
  /** Number of its MPI_COMM_WORLD, and rank there: programs may spawn processes. */
  readonly world: number;
  readonly worldRank: number;
}

/** Values of one metric at one call path. */
export interface Rows {
  readonly metric: Uint32Array;
  readonly callpath: Uint32Array;
  /** First cell of each row; one more element than rows. */
  readonly start: Uint32Array;
  /** Exact sum of each row. Times are ticks everywhere. */
  readonly sum: Float64Array;
  /** Rows of metric m: ofMetric[m] .. ofMetric[m + 1] - 1. */
  readonly ofMetric: Uint32Array;
}

export interface Cells {
  readonly location: Uint32Array;
  readonly value: Float64Array;
}

export interface PathSegments {
  readonly location: Uint32Array;
  /** Ticks; segment i extends from edge[i] to edge[i + 1]. */
  readonly edge: Float64Array;
}

/** Relations between pairs of locations: src/view/report/matrix_data.h. */
export interface Matrix {
  readonly count: number;
  readonly from: Float64Array;
  readonly to: Float64Array;
  readonly metric: Float64Array;
  /** Messages, operations, wait states. */
  readonly times: Float64Array;
  /** Bytes, or ticks of waiting. */
  readonly amount: Float64Array;
  /** Of waiting: ticks by which `amount` may be wrong; 0: unknown. */
  readonly error: Float64Array;
  readonly omitted: { readonly links: number; readonly count: number; readonly amount: number };
}

/** The iterations of a phase: src/view/report/phase_data.h. Times are ticks. */
export interface Phase {
  readonly region: string;
  readonly iterations: number;
  readonly rows: readonly Iteration[];
}

export interface Iteration {
  readonly first: number;
  readonly count: number;
  readonly begin: number;
  readonly end: number;
  readonly duration: number;
  /** Of all locations. */
  readonly time: number;
  readonly capacity: number;
  readonly computation: number;
  readonly longest: number;
  readonly computationCapacity: number;
  readonly waiting: number;
  /** Ticks by which `waiting` may be wrong; 0: unknown. */
  readonly error: number;
  readonly locations: number;
  /** -1: no single location */
  readonly slowest: number;
  /** By kind of wait state: metric and ticks. */
  readonly waits: readonly { readonly metric: number; readonly ticks: number }[];
}

export interface Report {
  /** Where the run was opened: its directory. */
  readonly name: string;
  readonly experiment: JsonReport["experiment"];
  readonly generator: string;
  readonly environment: unknown;
  readonly precision: number | null;
  /** Of the severities. */
  readonly ticksPerSecond: number;
  /** Of phases, the summary, and all else. */
  readonly tickRate: number;
  readonly metrics: readonly Metric[];
  readonly metricForest: Forest;
  readonly metricById: ReadonlyMap<string, Metric>;
  readonly callpaths: readonly Callpath[];
  readonly callForest: Forest;
  readonly locations: readonly Location[];
  readonly rows: Rows;
  readonly cells: Cells;
  readonly metricExclusive: Float64Array;
  readonly metricInclusive: Float64Array;
  readonly statistics: readonly JsonStatistics[];
  readonly statisticsOf: ReadonlyMap<string, JsonStatistics>;
  readonly locks: JsonReport["locks"];
  readonly locksLeftOut: JsonReport["locks_left_out"];
  readonly problems: JsonReport["problems"];
  /** null: the run did not end inside of calls. */
  readonly hang: JsonReport["hang"];
  readonly warnings: readonly string[];
  readonly criticalPath: PathSegments;
  /** By how much its times may be wrong; null: unknown. */
  readonly pathErrors: NonNullable<JsonReport["critical_path_errors"]> | null;
  readonly summary: JsonSummary;
  readonly efficiency: JsonReport["efficiency"];
  /** Excerpts of the program's sources. */
  readonly sources: readonly JsonExcerpt[];
  /** Messages, one-sided operations, delays. */
  readonly matrices: readonly Matrix[];
  readonly phases: readonly Phase[];
  readonly topologies: readonly Topology[];
}

function makeMetrics(page: JsonPage): { metrics: Metric[]; forest: Forest } {
  const indexOf = new Map(page.report.metrics.map((metric, i) => [metric.id, i]));
  const forest = makeForest(
    page.report.metrics.map((metric) => (metric.parent === null ? -1 : indexOf.get(metric.parent)!)),
  );
  const roots = new Int32Array(forest.parent.length);
  const metrics = page.report.metrics.map((metric, index) => {
    const above = forest.parent[index]!;
    roots[index] = above < 0 ? index : roots[above]!;
    const help = page.metrics[index]!;
    return {
      index,
      id: metric.id,
      name: metric.name,
      unit: metric.unit,
      description: metric.description,
      formula: help.formula,
      advice: help.advice,
      isWaitState: help.wait_state,
      root: roots[index]!,
    };
  });
  return { metrics, forest };
}

/** Costs are fixed-point numbers of ticks: the factor for the stored values of a metric. */
function scales(page: JsonPage): Float64Array {
  return Float64Array.from(page.metrics, (metric) => (metric.cost ? 2 ** -page.cost_shift : 1));
}

function makeCells(bundle: Bundle<JsonPage>): { rows: Rows; cells: Cells } {
  const page = bundle.json;
  const scale = scales(page);
  const metric = Uint32Array.from(bundle.column("row_metric"));
  const callpath = Uint32Array.from(bundle.column("row_callpath"));
  const count = bundle.column("row_count");
  const location = Uint32Array.from(bundle.column("cell_location"));
  const value = bundle.column("cell_mantissa");
  const exponent = bundle.column("cell_exponent");
  const start = new Uint32Array(metric.length + 1);
  const sum = new Float64Array(metric.length);
  const ofMetric = new Uint32Array(page.report.metrics.length + 1);
  const stored = bundle.has("row_sum") ? bundle.column("row_sum") : null;
  for (let row = 0, cell = 0; row < metric.length; row++) {
    const factor = scale[metric[row]!]!;
    const end = cell + count[row]!;
    let total = 0;
    for (; cell < end; cell++) {
      const power = exponent[cell]!;
      let size = value[cell]!;
      if (power !== 0) size = (power >= 128 ? -size : size) * 2 ** (power & 127);
      value[cell] = size * factor;
      total += value[cell]!;
    }
    start[row + 1] = cell;
    if (stored !== null) {
      const exact = stored[row]!;
      total = (exact >= 2 ** 63 ? exact - 2 ** 64 : exact) * factor;
    }
    sum[row] = total;
    ofMetric[metric[row]! + 1] = row + 1;
  }
  for (let i = 1; i < ofMetric.length; i++) ofMetric[i] = Math.max(ofMetric[i]!, ofMetric[i - 1]!);
  return { rows: { metric, callpath, start, sum, ofMetric }, cells: { location, value } };
}

function makeMatrices(bundle: Bundle<JsonPage>): Matrix[] {
  const kind = bundle.column("link_matrix");
  const columns = ["from", "to", "metric", "count", "amount", "error"].map((name) => bundle.column(`link_${name}`));
  return bundle.json.matrices.map(({ omitted }, i) => {
    const first = kind.findIndex((value) => value >= i);
    const behind = kind.findIndex((value) => value > i);
    const end = behind < 0 ? kind.length : behind;
    const [from, to, metric, times, amount, error] = columns.map((column) =>
      column.subarray(first < 0 ? kind.length : first, end),
    ) as [Float64Array, Float64Array, Float64Array, Float64Array, Float64Array, Float64Array];
    return { count: from.length, from, to, metric, times, amount, error, omitted };
  });
}

function makePhases(bundle: Bundle<JsonPage>): Phase[] {
  const of = (name: string): Float64Array => bundle.column(`phase_${name}`);
  const first = of("first");
  const columns = {
    count: of("count"), begin: of("begin"), end: of("end"), duration: of("duration"), time: of("time"), capacity: of("capacity"),
    computation: of("computation"), longest: of("longest"), computationCapacity: of("computation_capacity"),
    waiting: of("waiting"), error: of("error"), locations: of("locations"),
  };
  const slowest = of("slowest");
  const waits = of("waits");
  let row = 0;
  let wait = 0;
  return bundle.json.phases.map(({ region, iterations, rows, kinds }) => ({
    region,
    iterations,
    rows: Array.from({ length: rows }, () => {
      const values = Object.fromEntries(
        Object.entries(columns).map(([name, column]) => [name, column[row]!]),
      ) as Record<keyof typeof columns, number>;
      const iteration = {
        ...values,
        first: first[row]!,
        slowest: slowest[row]! - 1,
        waits: kinds.map((metric) => ({ metric, ticks: waits[wait++]! })),
      };
      row++;
      return iteration;
    }),
  }));
}

export function makeReport(bundle: Bundle<JsonPage>): Report {
  const page = bundle.json;
  const { metrics, forest: metricForest } = makeMetrics(page);
  const { rows, cells } = makeCells(bundle);
  const metricExclusive = new Float64Array(metrics.length);
  rows.metric.forEach((metric, row) => {
    metricExclusive[metric]! += rows.sum[row]!;
  });
  return {
    name: page.name,
    experiment: page.report.experiment,
    generator: page.generator,
    environment: page.environment,
    precision: page.precision,
    ticksPerSecond: page.report.experiment.ticks_per_second,
    tickRate: page.report.experiment.ticks_per_second,
    metrics,
    metricForest,
    metricById: new Map(metrics.map((metric) => [metric.id, metric])),
    callpaths: page.report.callpaths.map(({ region, paradigm, file, line, estimated, callsite }, index) => ({
      index,
      region,
      paradigm,
      file,
      line,
      site: callsite === undefined ? null : siteText(callsite),
      isEstimated: estimated === true,
    })),
    callForest: makeForest(page.report.callpaths.map(({ parent }) => parent ?? -1)),
    locations: page.report.locations.map(({ rank, thread, type, node, name, world, world_rank }, index) => ({
      index,
      rank,
      thread,
      type,
      node,
      name,
      world: world ?? 0,
      worldRank: world_rank ?? rank,
    })),
    rows,
    cells,
    metricExclusive,
    metricInclusive: accumulate(metricForest, metricExclusive),
    statistics: page.report.statistics,
    statisticsOf: new Map(page.report.statistics.map((record) => [record.metric, record])),
    locks: page.report.locks,
    locksLeftOut: page.report.locks_left_out,
    problems: page.report.problems,
    hang: page.report.hang,
    warnings: page.report.warnings,
    criticalPath: {
      location: Uint32Array.from(bundle.column("path_location")),
      edge: bundle.column("path_edge"),
    },
    pathErrors: page.report.critical_path_errors ?? null,
    summary: page.summary,
    efficiency: page.report.efficiency,
    sources: page.sources,
    matrices: makeMatrices(bundle),
    phases: makePhases(bundle),
    topologies: makeTopologies(bundle),
  };
}

function siteText({ file, line }: { file: string; line: number | null }): string {
  const name = file.slice(file.lastIndexOf("/") + 1);
  return line === null ? name : `${name}:${line}`;
}

/** @returns the name of the last region of a call path, with the line that calls it if it is told apart by that:
 * "solve@main.c:20". */
export function callName({ region, site }: Callpath): string {
  return site === null ? region : `${region}@${site}`;
}

/** @returns the region names from the root to a call path, with their call sites. */
export function callpathNames(report: Report, callpath: number): string[] {
  const names: string[] = [];
  for (let at = callpath; at >= 0; at = report.callForest.parent[at]!) {
    names.unshift(callName(report.callpaths[at]!));
  }
  return names;
}

const OF_COUNTER = /^counter:/i;
const OF_OPEN_MPI = /^ompi_spc_/i;
const LONGEST_ID = 80;

/** The id of the metric of a counter: lower case, "_" for each byte that an id cannot have. */
function counterId(name: string): string {
  const bytes = [...new TextEncoder().encode(name)];
  const letters = bytes.map((byte) => String.fromCharCode(byte).toLowerCase().replace(/[^a-z0-9.:]/, "_"));
  return `counter:${letters.join("")}`.slice(0, LONGEST_ID);
}

/** @returns the metric that a user names: by its id; that of a counter also by the counter's own name, in any case and
 * with or without the prefix of Open MPI's counters, as in `fermata report --metric`. undefined: there is none */
export function metricNamed(metrics: ReadonlyMap<string, Metric>, text: string): Metric | undefined {
  const exact = metrics.get(text);
  if (exact !== undefined || !OF_COUNTER.test(text)) return exact;
  const name = text.replace(OF_COUNTER, "");
  return metrics.get(counterId(name)) ?? metrics.get(counterId(name.replace(OF_OPEN_MPI, "")));
}

/** @returns "rank 3", "PE 3" of OpenSHMEM, "image 4" of coarrays; "rank 3 (world 1, rank 0)" of spawned processes. */
export function processName({ locations, summary: { process } }: Report, rank: number): string {
  const name = `${process.one} ${rank + process.first}`;
  const place = locations[rank]?.rank === rank ? locations[rank] : locations.find((location) => location.rank === rank);
  return place === undefined || place.world === 0
    ? name
    : `${name} (world ${place.world}, ${process.one} ${place.worldRank + process.first})`;
}

/** @returns "rank" or "ranks", or the words of the programming model. */
export function processWord({ summary: { process } }: Report, count: number): string {
  return count === 1 ? process.one : process.many;
}

/** @returns what the locations are called: threads if some process has several, else its own word. */
export function locationWord(report: Report, count: number): string {
  if (!report.locations.some(({ thread }) => thread > 0)) return processWord(report, count);
  return count === 1 ? "thread" : "threads";
}

/** @returns the word for processes at the begin of a title: "Ranks", "PEs", "Images". */
export function processTitle(report: Report, count: number): string {
  return titleOf(processWord(report, count));
}

/** @returns a word at the begin of a title. */
export function titleOf(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** @returns whether all locations are threads of one process, as in src/diagnosis/location_set.c. */
export function isOneProcess({ locations }: Report): boolean {
  return locations.length > 1 && locations[0]!.rank === locations[locations.length - 1]!.rank;
}

/** @returns "rank 3", of a process with threads "rank 3, thread 1" or, of an accelerator, "rank 3, stream 1"; of a single process "thread 1". */
export function locationName(report: Report, location: number): string {
  const { locations } = report;
  const who = locations[location];
  if (who === undefined) return "?";
  if (isOneProcess(report)) return `${who.type} ${who.thread}`;
  const hasOthers = locations[location - 1]?.rank === who.rank || locations[location + 1]?.rank === who.rank;
  return hasOthers ? `${processName(report, who.rank)}, ${who.type} ${who.thread}` : processName(report, who.rank);
}

/** @returns "3", or "3.1" for its second thread. */
export function locationNumber({ locations, summary: { process } }: Report, location: number): string {
  const { rank, thread } = locations[location]!;
  return `${rank + process.first}${thread === 0 ? "" : `.${thread}`}`;
}

/** @returns "rank 3", or "3.1" for its second thread. */
export function shortLocationName(report: Report, location: number): string {
  const { rank, thread } = report.locations[location]!;
  if (isOneProcess(report)) return `thread ${thread}`;
  return thread === 0 ? processName(report, rank) : locationNumber(report, location);
}

/** @returns ticks as seconds, numbers of other units unchanged. */
export function inUnits(report: Report, unit: Unit, value: number): number {
  return unit === "sec" ? value / report.ticksPerSecond : value;
}
