/** Finds the report in a page: in this page or in another page's file. */
import { makeReport, type Report } from "../model/report";
import { makeTimeline, type Timeline } from "../model/timeline";
import { openBundle } from "./bundle";
import type { JsonPage, JsonTimeline } from "./layout";

const REPORT = "fermata-report";
const TIMELINE = "fermata-timeline";

/** @returns the report of this page; null if the page contains none. */
export async function reportOfDocument(): Promise<Report | null> {
  const text = document.getElementById(REPORT)?.textContent ?? "";
  return text === "" ? null : makeReport(await openBundle<JsonPage>(text));
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
