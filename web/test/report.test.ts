// SPDX-License-Identifier: BSD-3-Clause
import { describe, expect, it } from "vitest";
import { callpathNames, metricNamed, processName } from "../src/model/report";
import { smallReport } from "./small_report";

const given = { ranks: 4, metrics: [["time", null]], callpaths: [["main", null]], cells: [] } as const;

describe("names of processes", () => {
  it("are ranks", () => {
    expect(processName(smallReport(given), 3)).toBe("rank 3");
  });
  it("tell the world of spawned processes, whose ranks are numbered on", () => {
    const report = smallReport({ ...given, firstWorld: 3 });
    expect(processName(report, 2)).toBe("rank 2");
    expect(processName(report, 3)).toBe("rank 3 (world 1, rank 0)");
  });
});

describe("names of call paths", () => {
  const callpaths = [
    ["main", null],
    ["solve", 0, { file: "/src/main.c", line: 20 }],
    ["solve", 0, { file: "a.out+0x1234", line: null }],
    ["norm", 1],
  ] as const;
  const report = smallReport({ ...given, callpaths });
  it.each([
    [1, ["main", "solve@main.c:20"]],
    [2, ["main", "solve@a.out+0x1234"]],
    [3, ["main", "solve@main.c:20", "norm"]],
  ])("%i", (callpath, names) => {
    expect(callpathNames(report, callpath)).toEqual(names);
  });
});

describe("metrics of counters", () => {
  const metrics = [["time", null], ["counter:eager_messages", null], ["counter:added_bytes", null]] as const;
  const report = smallReport({ ...given, metrics });
  it.each([
    ["counter:eager_messages", "counter:eager_messages"],
    ["counter:EAGER_MESSAGES", "counter:eager_messages"],
    ["Counter:Eager_Messages", "counter:eager_messages"],
    ["counter:OMPI_SPC_EAGER_MESSAGES", "counter:eager_messages"],
    ["counter:added bytes", "counter:added_bytes"],
    ["counter:others", undefined],
    ["TIME", undefined],
  ])("%s", (text, id) => {
    expect(metricNamed(report.metricById, text)?.id).toBe(id);
  });
});
