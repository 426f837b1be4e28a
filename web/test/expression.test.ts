// SPDX-License-Identifier: BSD-3-Clause
import { describe, expect, it } from "vitest";
import { evaluate, ExpressionError, metricsIn, parseExpression, unitOf } from "../src/model/expression";

const units = { time: "sec", mpi: "sec", visits: "occ", "counter:PAPI": "occ" } as const;
type Id = keyof typeof units;
const parse = (text: string) => parseExpression(text, (id) => (Object.hasOwn(units, id) ? id : null));
const values = new Map<string, Float64Array>([
  ["time", Float64Array.of(8, 0)],
  ["mpi", Float64Array.of(2, -3)],
  ["visits", Float64Array.of(4, 5)],
  ["counter:PAPI", Float64Array.of(1, 1)],
]);

describe("expressions", () => {
  it.each([
    ["1 + 2 * 3", [7, 7]],
    ["(1 + 2) * 3", [9, 9]],
    ["10 - 4 - 3", [3, 3]],
    ["16 / 4 / 2", [2, 2]],
    ["-mpi * 2", [-4, 6]],
    ["--1", [1, 1]],
    ["mpi / time", [0.25, 0]],
    ["min(time, visits) + max(mpi, 0)", [6, 0]],
    ["abs(mpi)", [2, 3]],
    ["sqrt(time * 2)", [4, 0]],
    ["sqrt(mpi)", [Math.SQRT2, 0]],
    ["counter:PAPI * 1.5e1", [15, 15]],
    [".5*visits", [2, 2.5]],
  ])("%s", (text, expected) => {
    expect([...evaluate(parse(text), values, 2)]).toEqual(expected);
  });

  it.each([
    ["", 0, /incomplete/],
    ["time +", 6, /incomplete/],
    ["time mpi", 5, /operator/],
    ["(time", 5, /expected "\)"/],
    ["nonsense / 2", 0, /no metric/],
    ["2 * __proto__", 4, /no metric/],
    ["time % 2", 5, /unexpected character "%"/],
    ["min(time)", 0, /takes 2/],
    ["eval(time)", 0, /no function/],
    ["time / \u202e", 7, /unexpected character/],
    ["(".repeat(5000), 1000, /longer/],
    ["(".repeat(500), 100, /too many levels/],
    ["* 2", 0, /expected a number/],
  ])("errors have a position: %s", (text, at, message) => {
    let thrown: unknown = null;
    try {
      parse(text);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(ExpressionError);
    expect((thrown as ExpressionError).at).toBe(at);
    expect((thrown as ExpressionError).message).toMatch(message);
  });

  it("have the unit of their parts where it is clear", () => {
    const unit = (text: string) => unitOf(parse(text), (id) => units[id as Id]);
    expect(unit("mpi + time")).toBe("sec");
    expect(unit("2 * mpi")).toBe("sec");
    expect(unit("mpi / (3 - 1)")).toBe("sec");
    expect(unit("mpi / time")).toBe("");
    expect(unit("mpi + visits")).toBe("");
    expect(metricsIn(parse("mpi + mpi * time"))).toEqual(["mpi", "time"]);
  });
});
