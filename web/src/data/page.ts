/** Finds the report in a page: in this page or in another page's file. */
import { makeReport, type Report } from "../model/report";
import { makeTimeline, type Timeline } from "../model/timeline";
import { openBundle } from "./bundle";
import type { JsonPage, JsonTimeline } from "./layout";

const REPORT = "fermata-report";
const TIMELINE = "fermata-timeline";

/** @returns the reports of the runs in this page; none if the page contains no data. */
export async function reportsOfDocument(): Promise<Report[]> {
  const reports: Report[] = [];
  for (let run = 0; ; run++) {
    const text = document.getElementById(run === 0 ? REPORT : `${REPORT}-${run}`)?.textContent ?? "";
    if (text === "") return reports;
    reports.push(makeReport(await openBundle<JsonPage>(text)));
  }
}

export function hasTimeline(): boolean {
  return document.getElementById(TIMELINE) !== null;
}

/** Reads the timeline of this page, which is large: only when it is needed. */
export async function timelineOfDocument(locations: number): Promise<Timeline> {
  const text = document.getElementById(TIMELINE)?.textContent ?? "";
  return makeTimeline(await openBundle<JsonTimeline>(text), locations);
}

/** @returns the report in the text of a page's file. */
export async function reportOfFile(text: string): Promise<Report> {
  const match = new RegExp(`id="${REPORT}">([A-Za-z0-9+/=]+)</script>`).exec(text);
  if (match === null) throw new Error("this file is not a page of fermata");
  return makeReport(await openBundle<JsonPage>(match[1]!));
}
