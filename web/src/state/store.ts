/** The state of the page: the report, the selection in it, and derived values. */
import { computed, signal, type ReadonlySignal } from "@preact/signals";
import type { Palette, ScaleName } from "../draw/colors";
import { depthOf, hottestPath, pathTo, subtree } from "../model/forest";
import type { Metric, Report } from "../model/report";
import {
  callpathSet,
  callpathValues,
  locationValues,
  metricSet,
  type NodeValues,
} from "../model/severity";
import type { JsonInstance } from "../data/layout";
import { makeSystem, systemValues, type SystemTree } from "../model/system";
import type { MatrixValue } from "../model/matrix";
import { rankingOf } from "../model/row_order";
import type { Span, TimelineState } from "./timeline";

export type ViewName =
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
export type CallList = "tree" | "paths" | "functions";
export type SystemView = "tree" | "ranks" | "distribution" | "heatmap" | "topology";
export type Mode = "absolute" | "root" | "selection" | "peer";
export type Order = "definition" | "value" | "name";
export type Pane = "metric" | "call" | "system";

export interface Limits {
  readonly low: number; // fractions of 100 %
  readonly high: number;
}

export const DEFAULT_THRESHOLD = 0.005;

export class Store {
  readonly system: SystemTree;

  readonly view = signal<ViewName>("summary");
  readonly metric = signal(0);
  readonly metricOpen = signal<ReadonlySet<number>>(new Set());
  readonly callpath = signal(0);
  readonly callOpen = signal<ReadonlySet<number>>(new Set());
  readonly callList = signal<CallList>("tree");
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

  readonly peer = signal<Report | null>(null);
  readonly peerName = signal("");
  readonly palette: ReadonlySignal<Palette>;

  readonly selectedMetric: ReadonlySignal<Metric>;
  readonly metricNodes: ReadonlySignal<NodeValues>;
  readonly metrics: ReadonlySignal<readonly number[]>;
  readonly callNodes: ReadonlySignal<NodeValues>;
  readonly callpaths: ReadonlySignal<readonly number[]>;
  readonly locationValues: ReadonlySignal<Float64Array>;
  readonly systemNodes: ReadonlySignal<NodeValues>;

  readonly peerMetricNodes: ReadonlySignal<NodeValues | null>;
  readonly peerCallNodes: ReadonlySignal<NodeValues | null>;
  readonly peerSystemNodes: ReadonlySignal<NodeValues | null>;

  constructor(
    readonly report: Report,
    palette: ReadonlySignal<Palette>,
    readonly timeline: TimelineState,
  ) {
    this.palette = palette;
    this.system = makeSystem(report);
    timeline.ranking = rankingOf(report);
    this.selectedMetric = computed(() => report.metrics[this.metric.value]!);
    const metricNodes = {
      exclusive: report.metricExclusive,
      inclusive: report.metricInclusive,
    };
    this.metricNodes = computed(() => metricNodes);
    this.metrics = computed(() =>
      metricSet(report, this.metric.value, this.metricOpen.value.has(this.metric.value)),
    );
    this.callNodes = computed(() => callpathValues(report, this.metrics.value));
    this.callpaths = computed(() => this.selectedCallpaths());
    this.locationValues = computed(() =>
      locationValues(report, this.metrics.value, this.callpaths.value),
    );
    this.systemNodes = computed(() => systemValues(this.system, this.locationValues.value));
    this.peerMetricNodes = computed(() => {
      const peer = this.peer.value;
      return peer && { exclusive: peer.metricExclusive, inclusive: peer.metricInclusive };
    });
    this.peerCallNodes = computed(() => {
      const peer = this.peer.value;
      return peer && callpathValues(peer, this.metrics.value);
    });
    this.peerSystemNodes = computed(() => {
      const peer = this.peer.value;
      if (peer === null) return null;
      const values = locationValues(peer, this.metrics.value, this.callpaths.value);
      return systemValues(this.system, values);
    });
    this.reset();
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
    const roots = this.report.callForest.roots;
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
      pathTo(this.report.metricForest, metric).slice(0, -1),
    );
  }

  selectCallpath(callpath: number): void {
    this.callpath.value = callpath;
    this.callOpen.value = union(
      this.callOpen.value,
      pathTo(this.report.callForest, callpath).slice(0, -1),
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

  /** Opens the call tree and the system tree along the largest values of the selection. */
  expandHottest(): void {
    const { exclusive, inclusive } = this.callNodes.value;
    const forest = this.report.callForest;
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
    const found = this.report.metricById.get(metric);
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
    return (open ? nodes.exclusive : nodes.inclusive)[this.metric.value]!;
  }

  callWeight(): number {
    const { exclusive } = this.callNodes.value;
    return this.callpaths.value.reduce((sum, callpath) => sum + exclusive[callpath]!, 0);
  }

  private selectedCallpaths(): readonly number[] {
    const callpath = this.callpath.value;
    const { callpaths } = this.report;
    if (callpaths.length === 0) return [];
    switch (this.callList.value) {
      case "tree":
        return callpathSet(this.report, callpath, this.callOpen.value.has(callpath));
      case "paths":
        return [callpath];
      case "functions": {
        const region = callpaths[callpath]!.region;
        return callpaths.filter((each) => each.region === region).map((each) => each.index);
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
