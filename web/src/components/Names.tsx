import type { JSX } from "preact";
import { printable, shorten } from "../format";
import { callpathNames, type Report } from "../model/report";

const PART_LIMIT = 120;

/** @returns a call path in one line: "main / solve / MPI_Recv". */
export function callpathText(report: Report, callpath: number, separator = " / "): string {
  return callpathNames(report, callpath)
    .map((name) => shorten(printable(name), PART_LIMIT))
    .join(separator);
}

/** A call path whose last part stands out. */
export function CallpathName({ report, callpath }: { report: Report; callpath: number }): JSX.Element {
  const names = callpathNames(report, callpath).map((name) => shorten(printable(name), PART_LIMIT));
  const last = names.pop() ?? "?";
  return (
    <span class="callpath">
      {names.map((name) => (
        <>
          <span class="ancestor">{name}</span>
          <span class="separator"> / </span>
        </>
      ))}
      <b>{last}</b>
    </span>
  );
}
