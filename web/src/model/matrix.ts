// SPDX-License-Identifier: BSD-3-Clause
/** Sums of a matrix for a square of colours: locations are grouped if there are more than available
 * fields. */
import type { Matrix } from "./report";

export type MatrixValue = "amount" | "times";

/** Locations from `first` on, `group` locations in each row and column. */
export interface MatrixGrid {
  readonly first: number;
  readonly end: number;
  readonly group: number;
  readonly size: number;
  /** [row: from][column: to] */
  readonly values: Float64Array;
  /** Sums of rows and columns. */
  readonly from: Float64Array;
  readonly to: Float64Array;
  readonly largest: number;
  readonly total: number;
}

/** @param metric kind of the links that count; -1: all */
export function makeGrid(
  matrix: Matrix,
  value: MatrixValue,
  metric: number,
  range: { readonly from: number; readonly to: number },
  most: number,
): MatrixGrid {
  const first = Math.floor(range.from);
  const end = Math.max(first + 1, Math.ceil(range.to));
  const group = Math.max(1, Math.ceil((end - first) / Math.max(1, most)));
  const size = Math.ceil((end - first) / group);
  const values = new Float64Array(size * size);
  const from = new Float64Array(size);
  const to = new Float64Array(size);
  const of = matrix[value];
  let total = 0;
  for (let i = 0; i < matrix.count; i++) {
    const a = matrix.from[i]!;
    const b = matrix.to[i]!;
    if (a < first || a >= end || b < first || b >= end || (metric >= 0 && matrix.metric[i] !== metric)) continue;
    const row = Math.floor((a - first) / group);
    const column = Math.floor((b - first) / group);
    values[row * size + column]! += of[i]!;
    from[row]! += of[i]!;
    to[column]! += of[i]!;
    total += of[i]!;
  }
  return { first, end, group, size, values, from, to, largest: values.reduce((a, b) => Math.max(a, b), 0), total };
}

/** @returns the kinds of the existing links (metrics), ascending. */
export function kindsOf(matrix: Matrix): number[] {
  return [...new Set(matrix.metric)].sort((a, b) => a - b);
}

/** @returns the largest links, largest first. */
export function largestLinks(
  matrix: Matrix,
  value: MatrixValue,
  metric: number,
  range: { readonly from: number; readonly to: number },
  most: number,
): number[] {
  const of = matrix[value];
  const inside = (location: number): boolean => location >= Math.floor(range.from) && location < range.to;
  const links: number[] = [];
  for (let i = 0; i < matrix.count; i++) {
    if ((metric < 0 || matrix.metric[i] === metric) && inside(matrix.from[i]!) && inside(matrix.to[i]!)) links.push(i);
  }
  return links.sort((a, b) => of[b]! - of[a]! || a - b).slice(0, most);
}
