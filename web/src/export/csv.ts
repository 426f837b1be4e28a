// SPDX-License-Identifier: BSD-3-Clause
/** CSV as defined by RFC 4180. Texts are harmless on a terminal and in a spreadsheet, as in
 * fm_text_write_csv() (src/base/text.h): no control characters, nothing that would be evaluated. */
import { printable } from "../format";

export type CsvValue = string | number | null;

/** The last four are the full-width forms of the others, which some locales accept, too. */
const FORMULA = /^[=+\-@\uff1d\uff0b\uff0d\uff20]/;

function field(value: CsvValue): string {
  if (typeof value !== "string") return value === null ? "" : String(value);
  const text = printable(value);
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  return /[",;]/.test(harmless) ? `"${harmless.replace(/"/g, '""')}"` : harmless;
}

export function csvOf(header: readonly string[], rows: Iterable<readonly CsvValue[]>): string {
  const lines = [header.map(field).join(",")];
  for (const row of rows) lines.push(row.map(field).join(","));
  return `${lines.join("\r\n")}\r\n`;
}
