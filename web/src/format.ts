// SPDX-License-Identifier: BSD-3-Clause
/** Numbers for display, formatted as by `fermata report` (src/diagnosis/number_format.c). */
import type { Unit } from "./data/layout";

/** As toFixed(), but a number in the middle between two is rounded to the even one, as in C. */
function fixed(value: number, decimals: number): string {
  // Only multiples of 2^-(decimals + 1) can be exactly in the middle.
  const steps = value * 10 ** decimals;
  const isMiddle = Number.isInteger(value * 2 ** (decimals + 1)) && Math.abs(steps % 1) === 0.5;
  if (!isMiddle) return value.toFixed(decimals);
  return ((2 * Math.round(steps / 2)) / 10 ** decimals).toFixed(decimals);
}

function scaled(value: number, unit: string): string {
  const size = Math.abs(value);
  const decimals = size < 9.9995 ? 3 : size < 99.995 ? 2 : size < 999.95 ? 1 : 0;
  return `${fixed(value, decimals)} ${unit}`;
}

export function formatSeconds(seconds: number): string {
  const size = Math.abs(seconds);
  if (size === 0) return "0 s";
  if (size < 999.95e-9) return scaled(seconds * 1e9, "ns");
  if (size < 999.95e-6) return scaled(seconds * 1e6, "us");
  if (size < 999.95e-3) return scaled(seconds * 1e3, "ms");
  return scaled(seconds, "s");
}

/** Writes a stretch of time in seconds as begin, end and (duration). */
export function formatInterval(begin: number, end: number): string {
  return `${formatSeconds(begin)} to ${formatSeconds(end)} (${formatSeconds(end - begin)})`;
}

/** Writes a round number of seconds along an axis, without trailing zeros. */
export function formatTick(seconds: number): string {
  return formatSeconds(seconds).replace(/(\.\d*?)0+(?= )/, "$1").replace(/\.(?= )/, "");
}

export function formatCount(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

export function formatBytes(value: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
  let size = value;
  let unit = 0;
  while (Math.abs(size) >= 1023.95 && unit + 1 < units.length) {
    size /= 1024;
    unit++;
  }
  return unit === 0 ? `${value} B` : scaled(size, units[unit]!);
}

/** Writes a value of the unit; times in seconds. */
export function formatValue(unit: Unit, value: number): string {
  if (unit === "sec") return formatSeconds(value);
  if (unit === "bytes") return formatBytes(value);
  return unit === "" ? formatNumber(value) : formatCount(value);
}

/** Writes a ratio as "31.2%"; a value other than 0 is never "0.0%" but "<0.1%". */
export function formatPercent(ratio: number): string {
  const percent = 100 * ratio;
  return percent > 0 && percent < 0.05 ? "<0.1%" : `${fixed(percent, 1)}%`;
}

/** Writes any number with four digits. */
export function formatNumber(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e6 || size < 1e-3)) return value.toExponential(3).replace(/\.?0+e/, "e").replace("e+", "e");
  return Number(value.toPrecision(4)).toLocaleString("en-US", { maximumFractionDigits: 6 });
}

export function unitName(unit: Unit): string {
  return { sec: "seconds", occ: "occurrences", bytes: "bytes", "": "a number" }[unit];
}

/** Writes numbers as ranges: "0-3, 8". After `limit` ranges the rest becomes "...". */
export function formatRanges(numbers: readonly number[], limit: number): string {
  const sorted = [...numbers].sort((a, b) => a - b);
  const ranges: string[] = [];
  for (let i = 0; i < sorted.length; i++) {
    const first = sorted[i]!;
    while (i + 1 < sorted.length && sorted[i + 1] === sorted[i]! + 1) i++;
    const last = sorted[i]!;
    if (ranges.length === limit) {
      ranges.push("...");
      break;
    }
    ranges.push(
      first === last ? `${first}` : last === first + 1 ? `${first}, ${last}` : `${first}-${last}`,
    );
  }
  return ranges.join(", ");
}

/** What the sign of errors stands for, as in the terminal. */
export const ERROR_MEANING = "bound of the error by clocks and by what recording costs";

/** What it stands for in a run with samples, as in the terminal. */
export const SAMPLED_ERROR_MEANING = `${ERROR_MEANING}, with two standard errors of what samples tell`;

/** What stands before the names of functions that only samples show, and their times. */
export const ESTIMATE_SIGN = "\u2248 ";
export const ESTIMATE_MEANING = "Only samples tell of this function: when it began and how long it took are estimates";

/** Smaller errors are rounded to 0 with one decimal. */
const SMALLEST_ERROR = 0.0005;

/** @returns the error of a percentage if it is not rounded to 0, as in the terminal: " (\u00b10.3)".
 * @param error  the unknown one: null, undefined or 0 */
export function formatError(error: number | null | undefined, whole: number): string {
  const share = whole > 0 ? (error ?? 0) / whole : 0;
  return share < SMALLEST_ERROR ? "" : ` (\u00b1${(100 * share).toFixed(1)})`;
}

/** Makes names from traces visible: control characters and characters that change the writing direction are
 * escaped, since they could disguise the adjacent text. */
export function printable(text: string): string {
  return text.replace(
    /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (character) => {
      const code = character.charCodeAt(0);
      return code < 256
        ? `\\x${code.toString(16).padStart(2, "0")}`
        : `\\u{${code.toString(16)}}`;
    },
  );
}

/** Cuts a long text in the middle. */
export function shorten(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const head = Math.ceil((limit - 1) * 0.6);
  return `${text.slice(0, head)}\u2026${text.slice(text.length - (limit - 1 - head))}`;
}
