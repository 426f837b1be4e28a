// SPDX-License-Identifier: BSD-3-Clause
/** The system as a tree: nodes (hosts), ranks, threads. */
import { accumulate, makeForest, type Forest } from "./forest";
import { processName, type Report } from "./report";

export type SystemKind = "machine" | "node" | "rank" | "thread";

export interface SystemTree {
  readonly forest: Forest;
  readonly kind: readonly SystemKind[];
  readonly name: readonly string[];
  /** Location whose own value the node has; -1: none. */
  readonly location: Int32Array;
  /** Node of each location. */
  readonly nodeOf: Int32Array;
}

/** Hosts are children of a machine if there are several; threads are shown where a rank has several. */
export function makeSystem(report: Report): SystemTree {
  const parents: number[] = [];
  const kind: SystemKind[] = [];
  const name: string[] = [];
  const location: number[] = [];
  const nodeOf = new Int32Array(report.locations.length);
  const add = (parent: number, what: SystemKind, text: string, own: number): number => {
    parents.push(parent);
    kind.push(what);
    name.push(text);
    location.push(own);
    return parents.length - 1;
  };
  const hosts = new Map<string, number>();
  const distinct = new Set(report.locations.map((each) => each.node));
  const machine =
    distinct.size > 1 ? add(-1, "machine", report.experiment.machine ?? "all nodes", -1) : -1;
  for (const host of distinct) hosts.set(host, add(machine, "node", host === "" ? "node" : host, -1));
  const threads = new Map<number, number>();
  for (const each of report.locations) threads.set(each.rank, (threads.get(each.rank) ?? 0) + 1);
  const ranks = new Map<number, number>();
  report.locations.forEach((each, index) => {
    const host = hosts.get(each.node)!;
    if (threads.get(each.rank) === 1) {
      nodeOf[index] = add(host, "rank", processName(report, each.rank), index);
      return;
    }
    let rank = ranks.get(each.rank);
    if (rank === undefined) {
      rank = add(host, "rank", processName(report, each.rank), -1);
      ranks.set(each.rank, rank);
    }
    nodeOf[index] = add(rank, "thread", `${each.type} ${each.thread}`, index);
  });
  return { forest: makeForest(parents), kind, name, location: Int32Array.from(location), nodeOf };
}

/** @returns the nodes of the processes with several threads. */
export function threadedRanks({ forest, kind }: SystemTree): number[] {
  return kind.flatMap((each, node) => (each === "rank" && forest.children[node]!.length > 0 ? [node] : []));
}

/** @returns the values of locations as values of the tree's nodes. */
export function systemValues(system: SystemTree, values: Float64Array) {
  const exclusive = new Float64Array(system.kind.length);
  values.forEach((value, location) => {
    exclusive[system.nodeOf[location]!] = value;
  });
  return { exclusive, inclusive: accumulate(system.forest, exclusive) };
}
