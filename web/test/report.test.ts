import { describe, expect, it } from "vitest";
import { processName } from "../src/model/report";
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
