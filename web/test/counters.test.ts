// SPDX-License-Identifier: BSD-3-Clause
import { describe, expect, it } from "vitest";
import { partsOf, type Counter, type Curve } from "../src/model/counters";

const curve = (time: number[], value: number[]): Curve => ({
  time: Float64Array.from(time),
  value: Float64Array.from(value),
  least: Float64Array.from(value),
  greatest: Float64Array.from(value),
});

const counter = (isTotal: boolean, of: Curve): Counter => ({ name: "c", unit: "B", isTotal, curves: [of] });

describe("parts of the time", () => {
  it("have the growth per second of the time in which a total is known", () => {
    const total = curve([5, 25], [0, 200]);
    // 100 ticks a second: 10 in a tick are 1000 in a second, also where only half of a part is known.
    expect([...partsOf(counter(true, total), total, { from: 0, to: 40 }, 4, 100)]).toEqual([1000, 1000, 1000, NaN]);
  });

  it("have the mean of a level, which holds its value", () => {
    const level = curve([5, 15], [2, 4]);
    expect([...partsOf(counter(false, level), level, { from: 0, to: 30 }, 3, 100)]).toEqual([2, 3, 4]);
  });
});
