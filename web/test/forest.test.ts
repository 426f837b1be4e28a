// SPDX-License-Identifier: BSD-3-Clause
import { describe, expect, it } from "vitest";
import { accumulate, hottestPath, makeForest, preorder, subtree, visibleRows, weight } from "../src/model/forest";

//  0        5
//  ├ 1      └ 6
//  │ ├ 2
//  │ └ 3
//  └ 4
const forest = makeForest([-1, 0, 1, 1, 0, -1, 5]);
const exclusive = Float64Array.from([1, 2, 4, 8, 16, 32, 64]);

describe("forest", () => {
  it("adds up what is below each node", () => {
    expect([...accumulate(forest, exclusive)]).toEqual([31, 14, 4, 8, 16, 96, 64]);
  });

  it("lists a node and all below it", () => {
    expect(subtree(forest, 1).sort()).toEqual([1, 2, 3]);
    expect(subtree(forest, 6)).toEqual([6]);
  });

  it("lists each node directly before its subtree", () => {
    expect(preorder(forest)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(preorder(makeForest([-1, 0, -1, 1, 0]))).toEqual([0, 1, 3, 4, 2]);
  });

  it("shows the inclusive value of collapsed nodes and the exclusive one of expanded nodes", () => {
    const inclusive = accumulate(forest, exclusive);
    expect(weight(1, false, exclusive, inclusive)).toBe(14);
    expect(weight(1, true, exclusive, inclusive)).toBe(2);
  });

  it("keeps the sum of the shown values in all states of expansion", () => {
    const inclusive = accumulate(forest, exclusive);
    for (const open of [[], [0], [0, 1], [5], [0, 1, 5]]) {
      const rows = visibleRows(forest, (node) => open.includes(node), (nodes) => nodes, () => true);
      const sum = rows.reduce(
        (total, { node }) => total + weight(node, open.includes(node), exclusive, inclusive),
        0,
      );
      expect(sum).toBe(127);
    }
  });

  it("follows the largest child until a node itself has more", () => {
    const inclusive = accumulate(forest, exclusive);
    expect(hottestPath(forest, 0, exclusive, inclusive)).toEqual([0, 4]);
    expect(hottestPath(forest, 5, exclusive, inclusive)).toEqual([5, 6]);
    const heavy = Float64Array.from([1, 100, 4, 8, 16, 32, 64]);
    expect(hottestPath(forest, 0, heavy, accumulate(forest, heavy))).toEqual([0, 1]);
  });

  it("lists the visible rows in the order asked for", () => {
    const rows = visibleRows(
      forest,
      (node) => node === 0,
      (nodes) => [...nodes].reverse(),
      (node) => node !== 1,
    );
    expect(rows).toEqual([
      { node: 5, depth: 0, position: 1, siblings: 2 },
      { node: 0, depth: 0, position: 2, siblings: 2 },
      { node: 4, depth: 1, position: 1, siblings: 1 },
    ]);
  });
});
