// SPDX-License-Identifier: BSD-3-Clause
import { expect, test } from "vitest";
import { hasRow, locationsIn, orderedArrangement, plainArrangement, rankedArrangement, withPins } from "../src/model/arrangement";
import { worstAndTypical } from "../src/model/iterations";
import type { Phase } from "../src/model/report";
import { filterRows, sortRows, type Ranking } from "../src/model/row_order";

const ranking: Ranking = {
  first: 0,
  rank: [0, 1, 2, 3, 4, 5],
  node: ["b7", "a1", "b7", "a1", "c2", "b7"],
  waiting: () => Float64Array.of(3, 9, 3, 0, 12, 1),
  blame: () => Float64Array.of(0, 0, 0, 7, 0, 0),
};

test("rows by rank, waiting, blame, node; equal ones stay in order", () => {
  expect(sortRows(ranking, "rank", null)).toEqual([0, 1, 2, 3, 4, 5]);
  expect(sortRows(ranking, "waiting", null)).toEqual([4, 1, 0, 2, 5, 3]);
  expect(sortRows(ranking, "blame", null)).toEqual([3, 0, 1, 2, 4, 5]);
  expect(sortRows(ranking, "node", null)).toEqual([0, 2, 5, 1, 3, 4]);
  expect(sortRows(ranking, "waiting", [0, 3, 5])).toEqual([0, 5, 3]);
});

test("filters by ranks and nodes", () => {
  expect(filterRows(ranking, "1-2, 5")).toEqual([1, 2, 5]);
  expect(filterRows(ranking, "rank 4")).toEqual([4]);
  expect(filterRows(ranking, "A1")).toEqual([1, 3]);
  expect(filterRows(ranking, "9, nowhere")).toEqual([]);
});

test("rows of some locations; the others have none", () => {
  const some = orderedArrangement([4, 1]);
  expect([some.rows, some.row(1), some.location(0)]).toEqual([2, 1, 4]);
  expect(some.row(3)).toBeNaN();
  expect([hasRow(some, 1), hasRow(some, 3)]).toEqual([true, false]);
});

test("pinned locations have rows above the others", () => {
  const pinned = withPins(plainArrangement(6), [5, 2]);
  expect([-2, -1, 0, 5].map((row) => pinned.location(row))).toEqual([5, 2, 0, 5]);
  expect([pinned.rows, pinned.row(5), pinned.group(-1)]).toEqual([6, 5, -1]);
});

test("many sorted locations: the extremes have their own rows, the others are represented by the middle one", () => {
  const order = Array.from({ length: 1000 }, (_, i) => 999 - i);
  const ranked = rankedArrangement(order, new Set());
  expect([ranked.rows, ranked.location(0), ranked.location(49)]).toEqual([50, 999, 0]);
  expect([ranked.group(0), ranked.group(1)]).toEqual([-1, 1]);
  const members = ranked.alike!.members;
  expect(members.flat()).toEqual(order);
  expect(ranked.location(1)).toBe(members[1]![members[1]!.length >> 1]);
  expect(locationsIn(ranked, { from: 0, to: 2 })).toEqual([999, ...members[1]!]);
  // An open group has rows for its members, in the same order.
  const open = rankedArrangement(order, new Set([1]));
  expect([open.location(2), open.location(3)]).toEqual([998, 997]);
});

test("the longest iteration, and the middle one by duration", () => {
  const rows = [5, 9, 7, 30, 6].map((duration, first) => ({ first, count: 1, duration }));
  const phase = { region: "step", iterations: 5, rows } as unknown as Phase;
  expect(worstAndTypical(phase)).toEqual({ worst: 3, typical: 2 });
});
