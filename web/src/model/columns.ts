// SPDX-License-Identifier: BSD-3-Clause
/** What a bar or a column of the system's charts stands for: a location, or a process with all of its threads. */
import { locationName, locationNumber, locationWord, processName, processWord, type Report } from "./report";

export interface Columns {
  readonly count: number;
  /** @returns the values of the columns: sums over their locations. */
  sum(values: Float64Array): Float64Array;
  name(column: number): string;
  /** The number in the program. */
  number(column: number): string;
  /** Its first location. */
  location(column: number): number;
  /** @returns the column of a location; -1: none. */
  of(location: number): number;
  word(count: number): string;
}

function locationColumns(report: Report): Columns {
  return {
    count: report.locations.length,
    sum: (values) => values,
    name: (column) => locationName(report, column),
    number: (column) => locationNumber(report, column),
    location: (column) => column,
    of: (location) => location,
    word: (count) => locationWord(report, count),
  };
}

/** The locations of a process are neighbours. */
function processColumns(report: Report): Columns {
  const first: number[] = [];
  const of = report.locations.map(({ rank }, location) => {
    if (location === 0 || rank !== report.locations[location - 1]!.rank) first.push(location);
    return first.length - 1;
  });
  const rankOf = (column: number): number => report.locations[first[column]!]!.rank;
  return {
    count: first.length,
    sum: (values) => {
      const sums = new Float64Array(first.length);
      values.forEach((value, location) => (sums[of[location]!]! += value));
      return sums;
    },
    name: (column) => processName(report, rankOf(column)),
    number: (column) => String(rankOf(column) + report.summary.process.first),
    location: (column) => first[column]!,
    of: (location) => of[location] ?? -1,
    word: (count) => processWord(report, count),
  };
}

/** @param folded  the threads of a process share a column */
export function columnsOf(report: Report, folded: boolean): Columns {
  return folded ? processColumns(report) : locationColumns(report);
}
