// SPDX-License-Identifier: BSD-3-Clause
import { describe, expect, it } from "vitest";
import { density, distribute, quantile } from "../src/model/distribution";

describe("distributions", () => {
  it("have quartiles, mean and deviation", () => {
    expect(distribute([4, 1, 3, 2, 5])).toEqual({
      count: 5,
      sum: 15,
      mean: 3,
      deviation: Math.sqrt(2),
      min: 1,
      lowerQuartile: 2,
      median: 3,
      upperQuartile: 4,
      max: 5,
    });
    expect(quantile([1, 2], 0.5)).toBe(1.5);
    expect(distribute([]).max).toBe(0);
  });

  it("have a density that is high where the values are", () => {
    const values = [...Array<number>(50).fill(1), ...Array<number>(5).fill(9)];
    const curve = density(values, 21);
    expect(curve[0]).toBe(1);
    expect(curve[20]!).toBeGreaterThan(0);
    expect(curve[10]!).toBeLessThan(curve[20]!);
    expect(Math.max(...density([3, 3, 3], 5))).toBe(1);
  });
});
