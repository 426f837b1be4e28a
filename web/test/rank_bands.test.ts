// SPDX-License-Identifier: BSD-3-Clause
import { expect, test } from "vitest";
import { bandsOf } from "../src/draw/rank_bands";

test("a band has the smallest, the middle and the largest value of neighbours", () => {
  const values = [1, 9, 2, 3, 0, 0, 100, 0];
  expect(bandsOf(values, 2)).toEqual([
    { least: 1, median: 2, most: 9 },
    { least: 0, median: 0, most: 100 },
  ]);
  expect(bandsOf([5, -2, 7], 3)).toEqual([5, -2, 7].map((value) => ({ least: value, median: value, most: value })));
});
