// SPDX-License-Identifier: BSD-3-Clause
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

/** Where space is limited: the last parts of a long call path, which distinguish it from others. */
const SHORT_PARTS = 3;

interface Props {
  report: Report;
  callpath: number;
  /** Space is limited: the begin of a long path is omitted and shown under the pointer. */
  short?: boolean;
}

/** A call path with its last part emphasized. */
export function CallpathName({ report, callpath, short = false }: Props): JSX.Element {
  const names = callpathNames(report, callpath).map((name) => shorten(printable(name), PART_LIMIT));
  const isCut = short && names.length > SHORT_PARTS + 1;
  const shown = isCut ? ["\u2026", ...names.slice(-SHORT_PARTS)] : names;
  const last = shown.pop() ?? "?";
  return (
    <span class="callpath" title={isCut ? names.join(" / ") : undefined}>
      {shown.map((name) => (
        <>
          <span class="ancestor">{name}</span>
          <span class="separator"> / </span>
        </>
      ))}
      <b>{last}</b>
    </span>
  );
}
