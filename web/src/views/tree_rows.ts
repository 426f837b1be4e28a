// SPDX-License-Identifier: BSD-3-Clause
/** The rows of each of the three trees, from top to bottom. */
import { isWithin, makeForest, visibleRows, type Forest, type VisibleRow } from "../model/forest";
import { callName } from "../model/report";
import { paneNumbers, type PaneNumbers } from "../state/panes";
import type { Pane, Store } from "../state/store";

export interface TreeRows {
  readonly forest: Forest;
  readonly rows: readonly VisibleRow[];
  readonly numbers: PaneNumbers;
  readonly isOpen: (node: number) => boolean;
  readonly name: (node: number) => string;
}

/** @returns nodes whose name contains the query, and all their ancestors; null: no query. */
function found(forest: Forest, name: (node: number) => string, query: string): Uint8Array | null {
  if (query === "") return null;
  const wanted = query.toLowerCase();
  const mark = new Uint8Array(forest.parent.length);
  for (let node = mark.length - 1; node >= 0; node--) {
    if (mark[node] === 0 && !name(node).toLowerCase().includes(wanted)) continue;
    for (let at = node; at >= 0 && mark[at] === 0; at = forest.parent[at]!) mark[at] = 1;
  }
  return mark;
}

/** @returns ancestors of the nodes found by the search: they are open during the search. */
function opened(forest: Forest, marks: Uint8Array | null): (node: number) => boolean {
  if (marks === null) return () => false;
  return (node) => forest.children[node]!.some((child) => marks[child] === 1);
}

function sorter(store: Store, numbers: PaneNumbers, name: (node: number) => string) {
  return (nodes: readonly number[]): readonly number[] => {
    switch (store.order.value) {
      case "definition":
        return nodes;
      case "value":
        return [...nodes].sort((a, b) => numbers.weight(b) - numbers.weight(a) || a - b);
      case "name":
        return [...nodes].sort((a, b) => name(a).localeCompare(name(b)) || a - b);
    }
  };
}

export function metricRows(store: Store, query: string): TreeRows {
  const metrics = store.metricList.value;
  const forest = store.metricForest.value;
  const numbers = paneNumbers(store, "metric");
  const name = (node: number): string => metrics[node]!.name;
  const marks = found(forest, (node) => `${name(node)} ${metrics[node]!.id}`, query);
  const byQuery = opened(forest, marks);
  const open = store.metricOpen.value;
  const occurs = store.metricOccurs.value;
  const zeros = store.zeros.value;
  const selected = store.selectedMetric.value.index;
  const isShown = (node: number): boolean =>
    (marks === null || marks[node] === 1) &&
    (zeros || occurs(node) || marks !== null || isWithin(forest, selected, node));
  const isOpen = (node: number): boolean => open.has(node) || byQuery(node);
  // Roots have different units: they keep the order of the table.
  const order = sorter(store, numbers, name);
  const rows = visibleRows(
    forest,
    isOpen,
    (nodes) => (forest.parent[nodes[0] ?? 0] === -1 ? nodes : order(nodes)),
    isShown,
  );
  return { forest, rows, numbers, isOpen, name };
}

export function callRows(store: Store, query: string): TreeRows {
  const report = store.trees;
  const name = (node: number): string => callName(report.callpaths[node]!);
  const numbers = paneNumbers(store, "call");
  const { exclusive, inclusive } = store.callNodes.value;
  const zeros = store.zeros.value;
  if (store.callList.value !== "tree") return flatRows(store, numbers, query);
  const forest = report.callForest;
  const marks = found(forest, name, query);
  const byQuery = opened(forest, marks);
  const open = store.callOpen.value;
  const selected = store.callpath.value;
  // In percent of a run: what only this run has is shown, too.
  const peer = store.mode.value === "peer" ? store.peerCallNodes.value : null;
  const isShown = (node: number): boolean =>
    (marks === null || marks[node] === 1) &&
    (zeros ||
      inclusive[node] !== 0 ||
      exclusive[node] !== 0 ||
      (peer !== null && peer.inclusive[node] !== 0) ||
      marks !== null ||
      isWithin(forest, selected, node));
  const isOpen = (node: number): boolean => open.has(node) || byQuery(node);
  const rows = visibleRows(forest, isOpen, sorter(store, numbers, name), isShown);
  return { forest, rows, numbers, isOpen, name };
}

/** Call paths, functions, or values of a parameter (each represented by its first call path), largest first. */
function flatRows(store: Store, numbers: PaneNumbers, query: string): TreeRows {
  const report = store.trees;
  const { exclusive } = store.callNodes.value;
  const isGrouped = store.callList.value !== "paths";
  const { names, of } = store.callGroups.value;
  const name = (node: number): string => (isGrouped ? names[of[node]!]! : callName(report.callpaths[node]!));
  const values = isGrouped ? store.functionValues.value : exclusive;
  const weight = (node: number): number => values[node]!;
  const peer = isGrouped ? store.peerFunctionValues.value : (store.peerCallNodes.value?.exclusive ?? null);
  const seen = new Set<number>();
  const wanted = query.toLowerCase();
  const nodes = report.callpaths
    .map((each) => each.index)
    .filter((node) => {
      if (isGrouped) {
        if (seen.has(of[node]!)) return false;
        seen.add(of[node]!);
      }
      return (
        name(node).toLowerCase().includes(wanted) && (store.zeros.value || weight(node) !== 0 || (store.mode.value === "peer" && peer?.[node] !== 0))
      );
    });
  if (store.order.value === "name") nodes.sort((a, b) => name(a).localeCompare(name(b)) || a - b);
  // The values of a parameter have an order of their own.
  else if (store.callList.value === "parameter" && store.order.value === "definition") nodes.sort((a, b) => of[a]! - of[b]!);
  else nodes.sort((a, b) => weight(b) - weight(a) || a - b);
  return {
    forest: makeForest(new Int32Array(report.callpaths.length).fill(-1)),
    rows: nodes.map((node, i) => ({ node, depth: 0, position: i + 1, siblings: nodes.length })),
    numbers: {
      ...numbers,
      weight,
      peerWeight: (node) => peer?.[node] ?? null,
    },
    isOpen: () => false,
    name,
  };
}

export function systemRows(store: Store, query: string): TreeRows {
  const { system } = store;
  const { forest } = system;
  const name = (node: number): string => system.name[node]!;
  const numbers = paneNumbers(store, "system");
  const marks = found(forest, name, query);
  const byQuery = opened(forest, marks);
  const open = store.systemOpen.value;
  const isOpen = (node: number): boolean => open.has(node) || byQuery(node);
  const rows = visibleRows(
    forest,
    isOpen,
    sorter(store, numbers, name),
    (node) => marks === null || marks[node] === 1,
  );
  return { forest, rows, numbers, isOpen, name };
}

export function treeRows(store: Store, pane: Pane, query: string): TreeRows {
  switch (pane) {
    case "metric":
      return metricRows(store, query);
    case "call":
      return callRows(store, query);
    case "system":
      return systemRows(store, query);
  }
}
