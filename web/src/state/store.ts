// SPDX-License-Identifier: BSD-3-Clause
/** The state of the page: the report, the selection in it, and derived values. */
import { computed, signal, type ReadonlySignal } from "@preact/signals";
import type { Palette, ScaleName } from "../draw/colors";
import { depthOf, hottestPath, makeForest, pathTo, subtree, type Forest } from "../model/forest";
import type { Metric, Report } from "../model/report";
import {
  callpathSet,
  callpathValues,
  locationValues,
  metricSet,
  type NodeValues,
} from "../model/severity";
import { functionGroups, groupSums, parameterGroups, parametersOf, type CallGroups } from "../model/parameters";
import { uniteReports, type United } from "../model/unite";
import { evaluateDerived, makeDerived, type Derived, type DerivedMetric } from "./derived";
import type { JsonInstance } from "../data/layout";
import { columnsOf } from "../model/columns";
import { makeSystem, systemValues, threadedRanks, type SystemTree } from "../model/system";
import type { MatrixValue } from "../model/matrix";
import { rankingOf } from "../model/row_order";
import { AlignedState } from "./aligned";
import type { Span, TimelineState } from "./timeline";

export type ViewName =
  | "compare"
  | "summary"
  | "trees"
  | "timeline"
  | "waits"
  | "path"
  | "efficiency"
  | "matrices"
  | "locks"
  | "metrics"
  | "run";
export type MatrixName = "messages" | "operations" | "delays" | "blame";
export type CallList = "tree" | "paths" | "functions" | "parameter";
export type SystemView = "tree" | "ranks" | "distribution" | "heatmap" | "topology";
export type Mode = "absolute" | "root" | "selection" | "difference" | "peer";
export type Order = "definition" | "value" | "name";
export type Pane = "metric" | "call" | "system";

export interface Limits {
  readonly low: number; // fractions of 100 %
  readonly high: number;
}

export const DEFAULT_THRESHOLD = 0.005;

export class Store {
  readonly system: SystemTree;
  /** Nodes of the processes with several threads. */
  readonly threaded: readonly number[];

  readonly view = signal<ViewName>("summary");
  readonly metric = signal(0);
  readonly metricOpen = signal<ReadonlySet<number>>(new Set());
  readonly callpath = signal(0);
  readonly callOpen = signal<ReadonlySet<number>>(new Set());
  readonly callList = signal<CallList>("tree");
  /** The parameter by whose values call paths are grouped: its name; without such a parameter the first one. */
  readonly parameter = signal("");
  readonly systemNode = signal(0);
  readonly systemOpen = signal<ReadonlySet<number>>(new Set());
  readonly systemView = signal<SystemView>("tree");
  readonly mode = signal<Mode>("absolute");
  readonly order = signal<Order>("definition");
  readonly threshold = signal(DEFAULT_THRESHOLD);
  readonly limits = signal<Limits | null>(null);
  readonly scale = signal<ScaleName>("heat");
  readonly zeros = signal(false);
  readonly kind = signal<string | null>(null);
  readonly lock = signal(0);
  readonly topology = signal(0);
  readonly phase = signal(0);
  readonly matrix = signal<MatrixName>("delays");
  readonly matrixValue = signal<MatrixValue>("amount");
  /** Kind of the displayed links; null: all. */
  readonly matrixKind = signal<string | null>(null);
  /** Locations; null: all. */
  readonly matrixRange = signal<Span | null>(null);

  /** All runs over the dimensions of the trees; the first is the base of the comparison. */
  readonly united: United;
  /** The dimensions of the trees, and the severities of the base. */
  readonly trees: Report;
  /** The run whose values the trees show, or that they compare with the base. */
  readonly run = signal(0);
  /** Definitions of derived metrics: "name = expression". */
  readonly definitions = signal<readonly string[]>([]);
  readonly derived: ReadonlySignal<readonly Derived[]>;
  /** The metrics of the tree: those of the reports, then the derived ones. */
  readonly metricList: ReadonlySignal<readonly Metric[]>;
  readonly metricForest: ReadonlySignal<Forest>;
  /** Totals of the metrics in the displayed run, or in the base of a difference. */
  readonly metricTotals: ReadonlySignal<Float64Array>;
  /** Whether any run has a value of the metric. */
  readonly metricOccurs: ReadonlySignal<(metric: number) => boolean>;
  readonly palette: ReadonlySignal<Palette>;

  readonly selectedMetric: ReadonlySignal<Metric>;
  readonly metricNodes: ReadonlySignal<NodeValues>;
  readonly metrics: ReadonlySignal<readonly number[]>;
  readonly callNodes: ReadonlySignal<NodeValues>;
  readonly callpaths: ReadonlySignal<readonly number[]>;
  readonly locationValues: ReadonlySignal<Float64Array>;
  readonly systemNodes: ReadonlySignal<NodeValues>;
  /** The parameters that the program sets. */
  readonly parameters: readonly string[];
  /** Call paths by functions, or by the values of the parameter. */
  readonly callGroups: ReadonlySignal<CallGroups>;
  /** [call path]: value of all call paths of its group. */
  readonly functionValues: ReadonlySignal<Float64Array>;
  readonly peerFunctionValues: ReadonlySignal<Float64Array | null>;

  readonly peerMetricNodes: ReadonlySignal<NodeValues | null>;
  readonly peerCallNodes: ReadonlySignal<NodeValues | null>;
  readonly peerSystemNodes: ReadonlySignal<NodeValues | null>;

  readonly report: Report;
  /** The timelines of all runs. */
  readonly aligned: AlignedState;
  /** Number of jumps along links: each gets an entry in the history. */
  readonly jumps = signal(0);

  /** @param reports  of the runs, at least one; the views of a single run show the first one
   * @param names    of the runs, distinct
   * @param timeline  of the first run
   * @param timelines  of all runs, for their comparison */
  constructor(
    reports: readonly Report[],
    readonly names: readonly string[],
    palette: ReadonlySignal<Palette>,
    readonly timeline: TimelineState,
    timelines: readonly TimelineState[],
  ) {
    this.palette = palette;
    this.report = reports[0]!;
    this.aligned = new AlignedState(reports, timelines);
    timeline.ranking = rankingOf(this.report);
    this.united = uniteReports(reports);
    this.trees = this.united.runs[0]!;
    const { trees } = this;
    this.system = makeSystem(trees);
    this.threaded = threadedRanks(this.system);
    this.parameters = parametersOf(trees);
    const byFunction = computed(() => functionGroups(trees));
    const byParameter = computed(() => parameterGroups(trees, this.shownParameter()));
    this.callGroups = computed(() => (this.callList.value === "parameter" ? byParameter : byFunction).value);
    this.derived = computed(() => makeDerived(this.definitions.value, trees));
    const derivedMetrics = computed(() => this.derived.value.flatMap((each) => each.metric ?? []));
    this.metricList = computed(() => [...trees.metrics, ...derivedMetrics.value.map(({ metric }) => metric)]);
    this.metricForest = computed(() =>
      makeForest([...trees.metricForest.parent, ...derivedMetrics.value.map(() => -1)]),
    );
    this.selectedMetric = computed(() => this.metricList.value[this.metric.value] ?? trees.metrics[0]!);
    this.metrics = computed(() => {
      const { index } = this.selectedMetric.value;
      return index < trees.metrics.length ? metricSet(trees, index, this.metricOpen.value.has(index)) : [];
    });
    const metricValues = (run: Report): NodeValues => {
      const derived = derivedMetrics.value.map(({ expression, unit }) =>
        evaluateDerived(trees, expression, unit, 1, (metrics) =>
          Float64Array.of(metrics.reduce((sum, metric) => sum + run.metricExclusive[metric]!, 0)),
        )[0]!,
      );
      return {
        exclusive: Float64Array.of(...run.metricExclusive, ...derived),
        inclusive: Float64Array.of(...run.metricInclusive, ...derived),
      };
    };
    const allMetricNodes = computed(() => this.united.runs.map(metricValues));
    this.metricNodes = computed(() => this.shownNodes((run) => allMetricNodes.value[this.united.runs.indexOf(run)]!));
    this.metricTotals = computed(() => allMetricNodes.value[this.isRelative() ? 0 : this.run.value]!.inclusive);
    this.metricOccurs = computed(() => {
      const all = allMetricNodes.value;
      return (metric: number): boolean =>
        metric >= trees.metrics.length || all.some(({ inclusive }) => inclusive[metric] !== 0);
    });
    const callValues = (run: Report): NodeValues =>
      this.nodesOfMetric(trees.callpaths.length, (metrics) => callpathValues(run, metrics));
    const functionValues = (run: Report): Float64Array =>
      this.valuesOfMetric(trees.callpaths.length, (metrics) =>
        groupSums(this.callGroups.value, callpathValues(run, metrics).exclusive),
      );
    const systemNodes = (run: Report): NodeValues =>
      this.nodesOfMetric(this.system.kind.length, (metrics) =>
        systemValues(this.system, locationValues(run, metrics, this.callpaths.value)),
      );
    this.callNodes = computed(() => this.shownNodes(callValues));
    this.functionValues = computed(() => this.shownValues(functionValues));
    this.callpaths = computed(() => this.selectedCallpaths());
    this.locationValues = computed(() =>
      this.shownOf(trees.locations.length, (run, metrics) => locationValues(run, metrics, this.callpaths.value)),
    );
    this.systemNodes = computed(() => this.shownNodes(systemNodes));
    const ofPeer = <T>(values: (run: Report) => T): ReadonlySignal<T | null> =>
      computed(() => (this.isComparing() ? values(this.united.runs[this.otherRun()]!) : null));
    this.peerMetricNodes = ofPeer((run) => allMetricNodes.value[this.united.runs.indexOf(run)]!);
    this.peerCallNodes = ofPeer(callValues);
    this.peerFunctionValues = ofPeer(functionValues);
    this.peerSystemNodes = ofPeer(systemNodes);
    if (this.isComparing()) {
      this.view.value = "compare";
      this.mode.value = "difference";
      this.run.value = 1;
    }
    this.reset();
  }

  /** Keeps the current state in the history: the following changes lead away from it. */
  jump(): void {
    this.jumps.value++;
  }

  /** @returns the name of the parameter by which call paths can be grouped; "": the program sets none. */
  shownParameter(): string {
    return this.parameters.includes(this.parameter.value) ? this.parameter.value : (this.parameters[0] ?? "");
  }

  isComparing(): boolean {
    return this.united.runs.length > 1;
  }

  /** @returns whether the displayed values relate a run to the base. */
  isRelative(): boolean {
    return this.mode.value === "difference" || this.mode.value === "peer";
  }

  /** @returns the run that is compared with the base. */
  otherRun(): number {
    return Math.max(1, this.run.value);
  }

  /** @returns what the trees display of values of a run: those of the selected run, or a difference. */
  private shownValues(values: (run: Report) => Float64Array): Float64Array {
    const { runs } = this.united;
    if (this.mode.value !== "difference") return values(runs[this.isRelative() ? 0 : this.run.value]!);
    const base = values(runs[0]!);
    return values(runs[this.otherRun()]!).map((value, i) => value - base[i]!);
  }

  private shownNodes(nodes: (run: Report) => NodeValues): NodeValues {
    const { runs } = this.united;
    if (this.mode.value !== "difference") return nodes(runs[this.isRelative() ? 0 : this.run.value]!);
    const base = nodes(runs[0]!);
    const other = nodes(runs[this.otherRun()]!);
    return {
      exclusive: other.exclusive.map((value, i) => value - base.exclusive[i]!),
      inclusive: other.inclusive.map((value, i) => value - base.inclusive[i]!),
    };
  }

  /** @returns the displayed values of the selected metric. `values` sums severities of some metrics; a derived metric is
   * computed from such sums, element by element. */
  shownOf(length: number, values: (run: Report, metrics: readonly number[]) => Float64Array): Float64Array {
    return this.shownValues((run) => this.valuesOfMetric(length, (metrics) => values(run, metrics)));
  }

  private valuesOfMetric(length: number, values: (metrics: readonly number[]) => Float64Array): Float64Array {
    const derived = this.selectedDerived();
    if (derived === null) return values(this.metrics.value);
    return evaluateDerived(this.trees, derived.expression, derived.unit, length, values);
  }

  private nodesOfMetric(length: number, nodes: (metrics: readonly number[]) => NodeValues): NodeValues {
    if (this.selectedDerived() === null) return nodes(this.metrics.value);
    const known = new Map<string, NodeValues>();
    const cached = (metrics: readonly number[]): NodeValues => {
      const key = metrics.join();
      const found = known.get(key) ?? nodes(metrics);
      known.set(key, found);
      return found;
    };
    return {
      exclusive: this.valuesOfMetric(length, (metrics) => cached(metrics).exclusive),
      inclusive: this.valuesOfMetric(length, (metrics) => cached(metrics).inclusive),
    };
  }

  /** @returns the selected metric, if it is a derived one. */
  selectedDerived(): DerivedMetric | null {
    const { index } = this.selectedMetric.value;
    return this.derived.value.find(({ metric }) => metric?.metric.index === index)?.metric ?? null;
  }

  /** Selects the largest cost of the run, or all its time. */
  reset(): void {
    const problem = this.report.summary.problems[0];
    const id = problem?.metric ?? "time";
    this.metricOpen.value = new Set();
    this.callOpen.value = new Set();
    this.callList.value = "tree";
    this.systemOpen.value = new Set(this.openedSystem());
    this.systemNode.value = this.system.forest.roots[0] ?? 0;
    this.selectMetric(this.report.metricById.get(id)?.index ?? 0);
    const roots = this.trees.callForest.roots;
    if (roots.length > 0) this.callOpen.value = new Set(roots);
    const callpath = problem?.callpath ?? null;
    if (callpath !== null) this.selectCallpath(callpath);
    else this.callpath.value = roots[0] ?? 0;
  }

  /** Selects a metric and opens the tree down to it. */
  selectMetric(metric: number): void {
    this.metric.value = metric;
    this.metricOpen.value = union(
      this.metricOpen.value,
      pathTo(this.metricForest.value, metric).slice(0, -1),
    );
  }

  /** Selects a root of the call tree if values belong to roots alone and the selected call path has none, as those of
   * the counters of a process. */
  leaveEmptyCallpath(): void {
    const { parent } = this.trees.callForest;
    const { exclusive } = this.callNodes.value;
    let root = -1;
    for (let callpath = 0; callpath < exclusive.length; callpath++) {
      const value = exclusive[callpath]!;
      if (value === 0) continue;
      if (parent[callpath]! >= 0 || callpath === this.callpath.value) return;
      if (root < 0 || value > exclusive[root]!) root = callpath;
    }
    if (root >= 0) this.callpath.value = root;
  }

  selectCallpath(callpath: number): void {
    this.callpath.value = callpath;
    this.callOpen.value = union(
      this.callOpen.value,
      pathTo(this.trees.callForest, callpath).slice(0, -1),
    );
  }

  selectLocation(location: number): void {
    const node = this.system.nodeOf[location];
    if (node === undefined) return;
    this.systemNode.value = node;
    this.systemOpen.value = union(
      this.systemOpen.value,
      pathTo(this.system.forest, node).slice(0, -1),
    );
  }

  /** Whether the threads of no process, or of each process, are shown in the system tree. */
  readonly threadsFolded = computed(() => !this.threaded.some((rank) => this.systemOpen.value.has(rank)));
  readonly threadsUnfolded = computed(() => this.threaded.every((rank) => this.systemOpen.value.has(rank)));

  /** What the charts of the system show: processes while the threads are folded. */
  readonly columns = computed(() => columnsOf(this.trees, this.threaded.length > 0 && this.threadsFolded.value));

  /** Hides the threads of all processes in the system tree. */
  foldThreads(): void {
    const ranks = new Set(this.threaded);
    this.systemOpen.value = new Set([...this.systemOpen.value].filter((node) => !ranks.has(node)));
    // The selection stays visible.
    const parent = this.system.forest.parent[this.systemNode.value]!;
    if (ranks.has(parent)) this.systemNode.value = parent;
  }

  /** Shows the threads of all processes in the system tree. */
  unfoldThreads(): void {
    this.systemOpen.value = union(
      this.systemOpen.value,
      this.threaded.flatMap((rank) => pathTo(this.system.forest, rank)),
    );
  }

  /** Opens the call tree and the system tree along the largest values of the selection. */
  expandHottest(): void {
    const { exclusive, inclusive } = this.callNodes.value;
    const forest = this.trees.callForest;
    const root = largest(forest.roots, inclusive);
    if (root >= 0) {
      const path = hottestPath(forest, root, exclusive, inclusive);
      this.callList.value = "tree";
      this.selectCallpath(path[path.length - 1]!);
    }
    const system = this.systemNodes.value;
    const top = largest(this.system.forest.roots, system.inclusive);
    if (top < 0) return;
    const path = hottestPath(this.system.forest, top, system.exclusive, system.inclusive);
    this.systemNode.value = path[path.length - 1]!;
    this.systemOpen.value = union(this.systemOpen.value, path.slice(0, -1));
  }

  /** Shows the metric in the trees, at the call path where it is largest. */
  showInTrees(metric: string, callpath?: number): void {
    const found = this.metricList.value.find(({ id }) => id === metric);
    if (found === undefined) return;
    this.view.value = "trees";
    this.selectMetric(found.index);
    if (callpath === undefined) this.expandHottest();
    else {
      this.callList.value = "tree";
      this.selectCallpath(callpath);
    }
  }

  /** Shows a wait state in the timeline. */
  showInTimeline(instance: JsonInstance): void {
    const ticks = (seconds: number): number => Math.round(seconds * this.report.ticksPerSecond);
    const involved = [instance.cause_location ?? instance.location];
    this.view.value = "timeline";
    this.timeline.goTo(instance.location, ticks(instance.enter), ticks(instance.wait), involved);
  }

  /** Shows a stretch of time in the timeline, with its statistics. */
  showInterval(from: number, to: number): void {
    this.view.value = "timeline";
    this.timeline.select(null);
    this.timeline.mark({ from, to });
    this.timeline.frame(from, to);
  }

  /** The inclusive or exclusive value of the selected metric: 100 % for the call tree in mode "selection". */
  metricWeight(): number {
    const open = this.metricOpen.value.has(this.metric.value);
    const nodes = this.metricNodes.value;
    return (open ? nodes.exclusive : nodes.inclusive)[this.selectedMetric.value.index]!;
  }

  /** The displayed value of the selected call path: 100 % for the system tree in mode "selection". */
  callWeight(): number {
    const callpath = this.callpath.value;
    const { exclusive, inclusive } = this.callNodes.value;
    switch (this.callList.value) {
      case "tree":
        return (this.callOpen.value.has(callpath) ? exclusive : inclusive)[callpath] ?? 0;
      case "paths":
        return exclusive[callpath] ?? 0;
      case "functions":
      case "parameter":
        return this.functionValues.value[callpath] ?? 0;
    }
  }

  private selectedCallpaths(): readonly number[] {
    const callpath = this.callpath.value;
    const { callpaths } = this.trees;
    if (callpaths.length === 0) return [];
    switch (this.callList.value) {
      case "tree":
        return callpathSet(this.trees, callpath, this.callOpen.value.has(callpath));
      case "paths":
        return [callpath];
      case "functions":
      case "parameter": {
        const { of } = this.callGroups.value;
        return callpaths.filter(({ index }) => of[index] === of[callpath]).map(({ index }) => index);
      }
    }
  }

  private openedSystem(): number[] {
    const { forest } = this.system;
    const isSmall = this.system.kind.length <= 256;
    return forest.roots.flatMap((root) =>
      subtree(forest, root).filter(
        (node) => forest.children[node]!.length > 0 && (isSmall || depthOf(forest, node) === 0),
      ),
    );
  }
}

export function union<T>(set: ReadonlySet<T>, more: Iterable<T>): ReadonlySet<T> {
  const all = new Set(set);
  for (const each of more) all.add(each);
  return all;
}

export function toggled<T>(set: ReadonlySet<T>, item: T): ReadonlySet<T> {
  const changed = new Set(set);
  if (!changed.delete(item)) changed.add(item);
  return changed;
}

function largest(nodes: readonly number[], values: Float64Array): number {
  return nodes.reduce((best, node) => (best < 0 || values[node]! > values[best]! ? node : best), -1);
}
