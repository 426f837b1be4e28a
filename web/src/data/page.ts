/** Finds the report in a page, this one or another one's file. */
import { makeReport, type Report } from "../model/report";
import { openBundle } from "./bundle";
import type { JsonPage } from "./layout";

const REPORT = "fermata-report";

/** @returns the report of this page; null if there is none in it. */
export async function reportOfDocument(): Promise<Report | null> {
  const text = document.getElementById(REPORT)?.textContent ?? "";
  return text === "" ? null : makeReport(await openBundle<JsonPage>(text));
}

/** @returns the report in the text of a page's file. */
export async function reportOfFile(text: string): Promise<Report> {
  const match = new RegExp(`id="${REPORT}">([A-Za-z0-9+/=]+)</script>`).exec(text);
  if (match === null) throw new Error("this file is no page of fermata");
  return makeReport(await openBundle<JsonPage>(match[1]!));
}
