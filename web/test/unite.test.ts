// SPDX-License-Identifier: BSD-3-Clause
import { describe, expect, it } from "vitest";
import { callpathNames } from "../src/model/report";
import { callpathValues, locationValues } from "../src/model/severity";
import { uniteReports } from "../src/model/unite";
import { smallReport } from "./small_report";

const base = smallReport({
  ranks: 2,
  ticksPerSecond: 1000,
  metrics: [
    ["time", null],
    ["mpi", "time"],
    ["visits", null, "occ"],
  ],
  callpaths: [
    ["a.out", null],
    ["solve", 0],
  ],
  cells: [["time", 0, 0, 5]],
});

const other = (second: string | null) =>
  smallReport({
    ranks: 3,
    ticksPerSecond: 10,
    metrics: [
      ["visits", null, "occ"],
      ["time", null],
      ["new_wait", "time"],
    ],
    callpaths: [
      ["b.out", null],
      ["solve", 0],
      ["inner", 1],
      ...(second === null ? [] : ([[second, null]] as const)),
    ],
    cells: [
      ["time", 0, 0, 2],
      ["time", 2, 1, 3],
      ["new_wait", 1, 2, 4],
      ["visits", 1, 0, 7],
    ],
  });

describe("several reports", () => {
  it("match single roots whatever their names, and keep what only one has", () => {
    const { runs, callpaths, locations } = uniteReports([base, other(null)]);
    const [own, their] = runs as [typeof base, typeof base];
    expect(own.callpaths.map(({ index }) => callpathNames(own, index).join("/"))).toEqual([
      "a.out", "a.out/solve", "a.out/solve/inner",
    ]);
    expect([...callpaths[1]!]).toEqual([0, 1, 2]);
    expect([...locations[1]!]).toEqual([0, 1, 2]);
    const id = (name: string): number => own.metricById.get(name)!.index;
    // In ticks of the first report.
    expect([...callpathValues(their, [id("time")]).exclusive]).toEqual([200, 0, 300]);
    expect([...callpathValues(own, [id("time")]).exclusive]).toEqual([5, 0, 0]);
    expect([...callpathValues(their, [id("visits")]).exclusive]).toEqual([0, 7, 0]);
    expect([...locationValues(their, [id("time"), id("new_wait")], [0, 1, 2])]).toEqual([200, 300, 400]);
    expect(their.metricInclusive[id("time")]).toBe(900);
    expect(own.metricForest.parent[id("new_wait")]).toBe(id("time"));
  });

  it("with several roots are matched by name only", () => {
    const [own] = uniteReports([base, other("main")]).runs;
    expect(own!.callForest.roots.map((root) => own!.callpaths[root]!.region)).toEqual(["a.out", "b.out", "main"]);
  });

  it("of one run stay as they are", () => {
    expect(uniteReports([base]).runs[0]).toBe(base);
  });
});
