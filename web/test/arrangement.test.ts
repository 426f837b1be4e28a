// SPDX-License-Identifier: BSD-3-Clause
import { expect, test } from "vitest";
import { foldedArrangement, foldedMembers, groupedArrangement, hasRow, plainArrangement, threadsOf, type Alike } from "../src/model/arrangement";

// Locations 0, 2, 4 are represented by 2; 1 is alone; 3 and 5 are represented by 5.
const alike: Alike = {
  count: 3,
  of: Float64Array.of(0, 1, 0, 2, 0, 2),
  typical: Float64Array.of(2, 1, 5),
  members: [[0, 2, 4], [1], [3, 5]],
};
const rowsOf = (open: number[]): string => {
  const arrangement = groupedArrangement(alike, new Set(open));
  return Array.from({ length: arrangement.rows }, (_, row) =>
    `${arrangement.location(row)}${arrangement.group(row) >= 0 ? `(${arrangement.group(row)})` : ""}`).join(" ");
};

test("a row for each group, and below open ones their members", () => {
  expect(rowsOf([])).toBe("2(0) 1 5(2)");
  expect(rowsOf([0])).toBe("2(0) 0 2 4 1 5(2)");
  expect(rowsOf([0, 1, 2])).toBe("2(0) 0 2 4 1 5(2) 3 5");
});

test("a location without a row is in the row of its group", () => {
  const closed = groupedArrangement(alike, new Set());
  expect([0, 1, 2, 3, 4, 5].map((location) => closed.row(location))).toEqual([0, 1, 0, 2, 0, 2]);
  expect([0, 1, 2, 3, 4, 5].map((location) => hasRow(closed, location))).toEqual([false, true, true, false, false, true]);
  const open = groupedArrangement(alike, new Set([0]));
  expect([0, 1, 2, 3, 4, 5].map((location) => open.row(location))).toEqual([1, 4, 2, 5, 3, 5]);
  expect([0, 2, 3].map((location) => hasRow(open, location))).toEqual([true, true, false]);
});

test("without groups each location has its row", () => {
  const plain = plainArrangement(4);
  expect([plain.rows, plain.row(3), plain.location(3), plain.group(3), hasRow(plain, 2)]).toEqual([4, 3, 3, -1, true]);
});

test("folded threads: a row for each process, which shows all its threads unless it is open", () => {
  const rank = [0, 0, 0, 1, 2, 2]; // of each location
  const rows = (some: number[], open: number[]): string => {
    const arrangement = foldedArrangement(threadsOf(rank, some), new Set(open));
    return Array.from({ length: arrangement.rows }, (_, row) =>
      `${arrangement.location(row)}${arrangement.group(row) >= 0 ? `(${arrangement.group(row)})` : ""}`).join(" ");
  };
  expect(rows([0, 1, 2, 3, 4, 5], [])).toBe("0(0) 3 4(2)");
  expect(rows([0, 1, 2, 3, 4, 5], [0])).toBe("0(0) 1 2 3 4(2)");
  expect(rows([3, 4, 5], [1])).toBe("3 4(1) 5");
  const closed = foldedArrangement(threadsOf(rank, [0, 1, 2, 3, 4, 5]), new Set());
  expect([0, 2, 3, 5].map((location) => [closed.row(location), hasRow(closed, location)])).toEqual([
    [0, true], [0, false], [1, true], [2, false],
  ]);
  expect([0, 1, 2].map((row) => foldedMembers(closed, row))).toEqual([[0, 1, 2], null, [4, 5]]);
  const open = foldedArrangement(threadsOf(rank, [0, 1, 2, 3, 4, 5]), new Set([0]));
  expect([0, 1, 2, 3, 4].map((row) => foldedMembers(open, row))).toEqual([null, null, null, null, [4, 5]]);
});
