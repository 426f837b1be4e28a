// SPDX-License-Identifier: BSD-3-Clause
/** Display values of the nodes in the three trees: weight, what is 100 %, number, colour. */
import { formatPercent, formatValue } from "../format";
import { fractionColor } from "../draw/colors";
import type { Unit } from "../data/layout";
import { inUnits } from "../model/report";
import type { NodeValues } from "../model/severity";
import type { Mode, Pane, Store } from "./store";

/** A tree's numbers. Weights are ticks, occurrences or bytes. */
export interface PaneNumbers {
  weight(node: number): number;
  /** The same value in the other experiment; null: none. */
  peerWeight(node: number): number | null;
  /** The weight that is 100 % for this node. */
  whole(node: number): number;
  unit(node: number): Unit;
  /** Nodes that share a colour scale: each tree of metrics is a separate group. */
  group(node: number): number;
}

export interface Shown {
  readonly text: string;
  /** Relative to 100 %, or to the largest colour: length of the bar, 0 to 1. */
  readonly fraction: number;
  readonly color: string;
  readonly isFaint: boolean;
}

function weigh(values: NodeValues, isOpen: (node: number) => boolean) {
  return (node: number): number =>
    (isOpen(node) ? values.exclusive : values.inclusive)[node] ?? 0;
}

/** The reference of a node's weight in a mode. */
export function paneNumbers(store: Store, pane: Pane): PaneNumbers {
  const metrics = store.metricList.value;
  const metric = store.selectedMetric.value;
  const totals = store.metricTotals.value;
  const total = totals[metric.root]!;
  if (pane === "metric") {
    const open = store.metricOpen.value;
    const peer = store.peerMetricNodes.value;
    const isOpen = (node: number): boolean => open.has(node);
    return {
      weight: weigh(store.metricNodes.value, isOpen),
      peerWeight: peer === null ? () => null : weigh(peer, isOpen),
      whole: (node) => totals[metrics[node]!.root]!,
      unit: (node) => metrics[node]!.unit,
      group: (node) => metrics[node]!.root,
    };
  }
  const isRelative = store.mode.value === "selection";
  if (pane === "call") {
    const open = store.callOpen.value;
    const peer = store.peerCallNodes.value;
    const isOpen = (node: number): boolean =>
      store.callList.value !== "tree" || open.has(node);
    return {
      weight: weigh(store.callNodes.value, isOpen),
      peerWeight: peer === null ? () => null : weigh(peer, isOpen),
      whole: () => (isRelative ? store.metricWeight() : total),
      unit: () => metric.unit,
      group: () => 0,
    };
  }
  const open = store.systemOpen.value;
  const peer = store.peerSystemNodes.value;
  const isOpen = (node: number): boolean => open.has(node);
  return {
    weight: weigh(store.systemNodes.value, isOpen),
    peerWeight: peer === null ? () => null : weigh(peer, isOpen),
    whole: () => (isRelative ? store.callWeight() : total),
    unit: () => metric.unit,
    group: () => 0,
  };
}

/** Formats a weight for the mode. */
export function showWeight(
  store: Store,
  mode: Mode,
  unit: Unit,
  weight: number,
  whole: number,
  peer: number | null,
): string {
  switch (mode) {
    case "absolute":
      return formatValue(unit, inUnits(store.trees, unit, weight));
    case "root":
    case "selection":
      return formatPercent(whole === 0 ? 0 : weight / whole);
    case "difference": {
      const text = formatValue(unit, inUnits(store.trees, unit, weight));
      return weight > 0 ? `+${text}` : text;
    }
    case "peer":
      if (peer === null) return "";
      if (peer === 0) return weight === 0 ? "0.0%" : "new";
      return formatPercent(weight / peer);
  }
}

/** @returns the display values of the nodes of a pane; the largest of the visible nodes has the last colour
 * unless the user has set limits. */
export function shower(
  store: Store,
  numbers: PaneNumbers,
  inView: Iterable<number>,
): (node: number) => Shown {
  const mode = store.mode.value;
  const limits = store.limits.value;
  const threshold = store.threshold.value;
  const palette = store.palette.value;
  const isSigned = mode === "difference";
  const scale = store.scale.value;
  const largest = limits === null ? largestRatios(numbers, inView) : null;
  return (node) => {
    const weight = numbers.weight(node);
    const whole = numbers.whole(node);
    // A part of nothing: what only the other run has.
    const ratio = whole === 0 ? (isSigned ? Math.sign(weight) : 0) : weight / whole;
    const low = limits?.low ?? 0;
    const high = limits?.high ?? largest?.get(numbers.group(node)) ?? 1;
    const size = Math.abs(ratio);
    const fraction = high > low ? Math.min(1, Math.max(0, (size - low) / (high - low))) : 0;
    return {
      text: showWeight(store, mode, numbers.unit(node), weight, whole, numbers.peerWeight(node)),
      fraction,
      color: fractionColor(scale, palette, ratio < 0 ? -fraction : fraction),
      isFaint: size < threshold,
    };
  };
}

/** @returns for each group the largest part of the whole among the nodes. */
function largestRatios(numbers: PaneNumbers, nodes: Iterable<number>): Map<number, number> {
  const largest = new Map<number, number>();
  for (const node of nodes) {
    const whole = numbers.whole(node);
    if (whole === 0) continue;
    const group = numbers.group(node);
    largest.set(group, Math.max(largest.get(group) ?? 0, Math.abs(numbers.weight(node) / whole)));
  }
  return largest;
}

/** The values of the first and the last colour of a pane. */
export function scaleEnds(
  store: Store,
  numbers: PaneNumbers,
  inView: readonly number[],
): { readonly low: string; readonly high: string; readonly signed: boolean } {
  const limits = store.limits.value;
  const signed = store.mode.value === "difference";
  const shown = (ratio: number): string => formatPercent(ratio);
  if (limits !== null) {
    return { low: signed ? `-${shown(limits.high)}` : shown(limits.low), high: shown(limits.high), signed };
  }
  const largest = largestRatios(numbers, inView);
  // Several trees of metrics have a scale each: the legend is that of the first.
  const group = numbers.group(inView[0] ?? 0);
  const ratio = largest.get(group) ?? 0;
  const first = inView.find((node) => numbers.group(node) === group);
  const text = (sign: number): string =>
    first === undefined || store.mode.value === "root" || store.mode.value === "selection"
      ? shown(sign * ratio)
      : formatValue(numbers.unit(first), inUnits(store.trees, numbers.unit(first), sign * ratio * numbers.whole(first)));
  return { low: signed ? text(-1) : "0", high: signed ? `+${text(1)}` : text(1), signed };
}
