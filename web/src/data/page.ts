// SPDX-License-Identifier: BSD-3-Clause
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

function timelineElement(run: number): HTMLElement | null {
  return document.getElementById(run === 0 ? TIMELINE : `${TIMELINE}-${run}`);
}

export function hasTimeline(run: number): boolean {
  return timelineElement(run) !== null;
}

const timelines = new Map<number, Promise<Timeline>>();

/** Reads the timeline of a run of this page, which is large: only when it is needed, and once. */
export function timelineOfDocument(run: number, locations: number): Promise<Timeline> {
  const read = async (): Promise<Timeline> =>
    makeTimeline(await openBundle<JsonTimeline>(timelineElement(run)?.textContent ?? ""), locations);
  const known = timelines.get(run) ?? read();
  timelines.set(run, known);
  return known;
}

/** A run of another page. */
export interface ChosenRun {
  readonly report: Report;
  /** Reads its timeline; null: it has none. */
  readonly timeline: (() => Promise<Timeline>) | null;
}

/** @returns the first run in the text of a page's file. */
export async function runOfFile(text: string): Promise<ChosenRun> {
  const blockOf = (id: string): string | null =>
    new RegExp(`id="${id}">([A-Za-z0-9+/=]+)</script>`).exec(text)?.[1] ?? null;
  const block = blockOf(REPORT);
  if (block === null) throw new Error("this file is not a page of fermata");
  const report = makeReport(await openBundle<JsonPage>(block));
  const events = blockOf(TIMELINE);
  return {
    report,
    timeline:
      events === null
        ? null
        : async () => makeTimeline(await openBundle<JsonTimeline>(events), report.locations.length),
  };
}
