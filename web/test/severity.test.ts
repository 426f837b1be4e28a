// SPDX-License-Identifier: BSD-3-Clause
import { describe, expect, it } from "vitest";
import {
  callpathLocationValues,
  callpathSet,
  callpathValues,
  functionValues,
  locationValues,
  metricSet,
} from "../src/model/severity";
import { inUnits } from "../src/model/report";
import { makeSystem, systemValues } from "../src/model/system";
import { smallReport, workedExample } from "./small_report";

const report = workedExample();
const metric = (id: string): number => report.metricById.get(id)!.index;
const percent = (ticks: number): number => Math.round((10000 * ticks) / 240) / 100;

describe("the worked example of weighted trees", () => {
  it("has the percentages of the fully expanded property tree", () => {
    const shown = Object.fromEntries(
      report.metrics.map(({ id, index }) => [id, percent(report.metricExclusive[index]!)]),
    );
    expect(shown).toEqual({
      total: 0,
      execution: 59.58,
      mpi: 0,
      communication: 0,
      p2p: 10.83,
      late_sender: 12.5,
      collective: 4.58,
      wait_nxn: 12.5,
    });
    expect(percent(report.metricInclusive[metric("communication")]!)).toBe(40.42);
    expect(report.metricInclusive[metric("total")]).toBe(240);
  });

  it("relates the trees to the selection to their left", () => {
    const late = metricSet(report, metric("late_sender"), false);
    const calls = callpathValues(report, late);
    expect([...calls.exclusive]).toEqual([0, 0, 30, 0]);
    expect([...calls.inclusive]).toEqual([30, 0, 30, 0]);
    expect([...locationValues(report, late, callpathSet(report, 2, false))]).toEqual([0, 30]);
    expect(inUnits(report, "sec", calls.exclusive[2]!)).toBe(3);
  });

  it("takes an expanded metric alone and a collapsed one with its parts", () => {
    const open = callpathValues(report, metricSet(report, metric("p2p"), true));
    const closed = callpathValues(report, metricSet(report, metric("p2p"), false));
    expect([...open.exclusive]).toEqual([0, 10, 16, 0]);
    expect([...closed.exclusive]).toEqual([0, 10, 46, 0]);
  });

  it("takes an expanded call path alone and a collapsed one with its callees", () => {
    const all = metricSet(report, metric("total"), false);
    expect([...locationValues(report, all, callpathSet(report, 0, true))]).toEqual([75, 68]);
    expect([...locationValues(report, all, callpathSet(report, 0, false))]).toEqual([120, 120]);
  });

  it("gives the values of every call path at every location", () => {
    const values = callpathLocationValues(report, metricSet(report, metric("total"), false));
    expect([...values]).toEqual([120, 120, 10, 0, 0, 46, 35, 6]);
  });

  it("adds up call paths of the same function", () => {
    const twice = smallReport({
      ranks: 1,
      metrics: [["time", null]],
      callpaths: [
        ["main", null],
        ["foo", 0],
        ["bar", 0],
        ["foo", 2],
      ],
      cells: [
        ["time", 1, 0, 3],
        ["time", 2, 0, 5],
        ["time", 3, 0, 7],
      ],
    });
    const exclusive = callpathValues(twice, [0]).exclusive;
    expect(functionValues(twice, exclusive).get("foo")).toBe(10);
  });
});

describe("the system tree", () => {
  it("has a node, ranks, and no threads where there is one for each rank", () => {
    const system = makeSystem(report);
    expect(system.kind).toEqual(["node", "rank", "rank"]);
    const { exclusive, inclusive } = systemValues(system, Float64Array.from([1, 2]));
    expect([...exclusive]).toEqual([0, 1, 2]);
    expect([...inclusive]).toEqual([3, 1, 2]);
  });
});
