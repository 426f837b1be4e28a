import { describe, expect, it } from "vitest";
import { alignReport } from "../src/model/align";
import { callpathValues, locationValues } from "../src/model/severity";
import { smallReport } from "./small_report";

const own = smallReport({
  ranks: 2,
  ticksPerSecond: 1000,
  metrics: [
    ["time", null],
    ["mpi", "time"],
    ["visits", null, "occ"],
  ],
  callpaths: [
    ["main", null],
    ["solve", 0],
  ],
  cells: [["time", 0, 0, 5]],
});

describe("alignment of another report", () => {
  const other = smallReport({
    ranks: 3,
    ticksPerSecond: 10,
    metrics: [
      ["visits", null, "occ"],
      ["time", null],
      ["new_wait", "time"],
    ],
    callpaths: [
      ["init", null],
      ["main", null],
      ["solve", 1],
      ["inner", 2],
    ],
    cells: [
      ["time", 1, 0, 2],
      ["time", 3, 1, 3],
      ["new_wait", 2, 2, 4],
      ["visits", 2, 0, 7],
      ["time", 0, 0, 100],
    ],
  });
  const aligned = alignReport(own, other);
  const time = own.metricById.get("time")!.index;
  const visits = own.metricById.get("visits")!.index;

  it("maps elements of the other report only to the closest common ancestor, in own ticks", () => {
    expect([...callpathValues(aligned, [time]).exclusive]).toEqual([200, 700]);
  });

  it("does not scale counts", () => {
    expect([...callpathValues(aligned, [visits]).exclusive]).toEqual([0, 7]);
  });

  it("keeps locations separate and counts those of the other report only in sums", () => {
    expect([...locationValues(aligned, [time], [0, 1])]).toEqual([200, 300]);
  });

  it("counts call trees of the other report only for their metric", () => {
    expect(aligned.metricInclusive[time]).toBe(900 + 10000);
  });
});
