// SPDX-License-Identifier: BSD-3-Clause
import { describe, expect, it } from "vitest";
import type { Report } from "../src/model/report";
import { hasErrors } from "../src/model/uncertainty";
import { smallReport } from "./small_report";

const report = smallReport({ ranks: 2, metrics: [["time", null]], callpaths: [["main", null]], cells: [] });

/** The report with another summary, or other members. */
function changed(summary: Partial<Report["summary"]>, members: Partial<Report> = {}): Report {
  return { ...report, ...members, summary: { ...report.summary, time: 1000, ...summary } };
}

describe("the legend of errors", () => {
  it("is not needed where errors are unknown or rounded to 0", () => {
    expect(hasErrors(changed({}))).toBe(false);
    expect(hasErrors(changed({ error: 0.4 }))).toBe(false);
  });
  it("explains the error of the waiting, of an efficiency or in a sentence", () => {
    expect(hasErrors(changed({ error: 3 }))).toBe(true);
    const efficiency = { ...report.efficiency, transfer_efficiency_error: 0.01 };
    expect(hasErrors(changed({}, { efficiency }))).toBe(true);
    const problem = { id: 1, cause: 0, metric: null, callpath: null, ticks: 1, phase: null, when: [], headline: "`\u00b1`: 7.0%", lines: [] };
    expect(hasErrors(changed({ problems: [problem] }))).toBe(false);
    const gain = { label: "Gain", text: "1.650 s instead of 2.000 s (-17.5% (\u00b10.4))" };
    expect(hasErrors(changed({ problems: [{ ...problem, lines: [gain] }] }))).toBe(true);
  });
});
