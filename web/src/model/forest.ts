// SPDX-License-Identifier: BSD-3-Clause
/** Operations on forests whose parents precede their children. */

export interface Forest {
  /** Parent of each node; -1: a root. */
  readonly parent: Int32Array;
  readonly children: readonly (readonly number[])[];
  readonly roots: readonly number[];
}

export function makeForest(parents: ArrayLike<number>): Forest {
  const parent = Int32Array.from(parents);
  const children: number[][] = Array.from({ length: parent.length }, () => []);
  const roots: number[] = [];
  parent.forEach((above, node) => {
    if (above < 0) roots.push(node);
    else children[above]!.push(node);
  });
  return { parent, children, roots };
}

/** @returns for each node the sum of its value and those of its subtree. */
export function accumulate(forest: Forest, exclusive: Float64Array): Float64Array {
  const inclusive = exclusive.slice();
  for (let node = inclusive.length - 1; node >= 0; node--) {
    const above = forest.parent[node]!;
    if (above >= 0) inclusive[above]! += inclusive[node]!;
  }
  return inclusive;
}

/** @returns the node and its subtree, parents before their children. */
export function subtree(forest: Forest, node: number): number[] {
  const found = [node];
  for (let i = 0; i < found.length; i++) found.push(...forest.children[found[i]!]!);
  return found;
}

/** @returns all nodes, each directly before its subtree. */
export function preorder(forest: Forest): number[] {
  const found: number[] = [];
  const visit = (node: number): void => {
    found.push(node);
    forest.children[node]!.forEach(visit);
  };
  forest.roots.forEach(visit);
  return found;
}

/** @returns the nodes from the root to `node`. */
export function pathTo(forest: Forest, node: number): number[] {
  const path: number[] = [];
  for (let at = node; at >= 0; at = forest.parent[at]!) path.unshift(at);
  return path;
}

export function depthOf(forest: Forest, node: number): number {
  let depth = 0;
  for (let at = forest.parent[node]!; at >= 0; at = forest.parent[at]!) depth++;
  return depth;
}

export function isWithin(forest: Forest, node: number, ancestor: number): boolean {
  let at = node;
  while (at >= 0 && at !== ancestor) at = forest.parent[at]!;
  return at === ancestor;
}

/** The displayed values of a node: inclusive if collapsed, exclusive if expanded. */
export function weight(
  node: number,
  isExpanded: boolean,
  exclusive: Float64Array,
  inclusive: Float64Array,
): number {
  return isExpanded ? exclusive[node]! : inclusive[node]!;
}

/** Follows the largest child of each node, until a node's own value exceeds those of its children.
 * @returns the nodes on the way, including the first one */
export function hottestPath(
  forest: Forest,
  from: number,
  exclusive: Float64Array,
  inclusive: Float64Array,
): number[] {
  const path = [from];
  for (let node = from; ; ) {
    let hottest = -1;
    for (const child of forest.children[node]!) {
      if (hottest < 0 || inclusive[child]! > inclusive[hottest]!) hottest = child;
    }
    if (hottest < 0 || inclusive[hottest]! <= exclusive[node]! || inclusive[hottest]! <= 0) {
      return path;
    }
    path.push(hottest);
    node = hottest;
  }
}

export interface VisibleRow {
  readonly node: number;
  readonly depth: number;
  readonly position: number; // among its siblings, from 1
  readonly siblings: number;
}

/** @returns the rows of a tree from top to bottom.
 * @param order children in display order
 * @param isShown nodes for which it is false are omitted with their subtrees */
export function visibleRows(
  forest: Forest,
  isExpanded: (node: number) => boolean,
  order: (nodes: readonly number[]) => readonly number[],
  isShown: (node: number) => boolean,
): VisibleRow[] {
  const rows: VisibleRow[] = [];
  const add = (nodes: readonly number[], depth: number): void => {
    const shown = order(nodes.filter(isShown));
    shown.forEach((node, i) => {
      rows.push({ node, depth, position: i + 1, siblings: shown.length });
      if (isExpanded(node)) add(forest.children[node]!, depth + 1);
    });
  };
  add(forest.roots, 0);
  return rows;
}
