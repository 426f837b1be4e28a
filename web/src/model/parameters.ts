// SPDX-License-Identifier: BSD-3-Clause
/** Call paths grouped by the values of a parameter that the program sets, as by `fermata report --by parameter:NAME`
 * (src/cube/derived/parameter_groups.h). */
import type { Report } from "./report";

/** Paradigm of call paths that are values of parameters; their region is NAME=VALUE. */
const PARADIGM = "parameter";
const OTHERS = "(others)";
const NONE = "(none)";

/** Call paths in groups, each with a name. */
export interface CallGroups {
  readonly names: readonly string[];
  /** [call path]: its group. */
  readonly of: Int32Array;
}

/** @returns the parameters of a report, in the order of their first values. */
export function parametersOf({ callpaths }: Report): string[] {
  const names = callpaths.filter(({ paradigm }) => paradigm === PARADIGM).map(({ region }) => region.split("=", 1)[0]!);
  return [...new Set(names)];
}

function rankOf(value: string): number {
  return /^-?\d+$/.test(value) ? 0 : value === OTHERS ? 2 : 1;
}

/** Numbers first, in ascending order, of any length. */
function compare(a: string, b: string): number {
  if (rankOf(a) !== rankOf(b)) return rankOf(a) - rankOf(b);
  if (rankOf(a) !== 0) return a < b ? -1 : Number(a > b);
  const [left, right] = [BigInt(a), BigInt(b)];
  return left < right ? -1 : Number(left > right);
}

/** @returns the groups of the values of a parameter, in their order; the last one is that of call paths without a value.
 * A call path belongs to the innermost value. */
export function parameterGroups({ callpaths, callForest }: Report, name: string): CallGroups {
  const valueOf = (callpath: number): string | null => {
    const { paradigm, region } = callpaths[callpath]!;
    return paradigm === PARADIGM && region.startsWith(`${name}=`) ? region.slice(name.length + 1) : null;
  };
  const values = [...new Set(callpaths.flatMap((_, i) => valueOf(i) ?? []))].sort(compare);
  const known = new Map(values.map((value, i) => [value, i]));
  const of = new Int32Array(callpaths.length);
  callpaths.forEach((_, i) => {
    const value = valueOf(i);
    const parent = callForest.parent[i]!;
    of[i] = value !== null ? known.get(value)! : parent < 0 ? values.length : of[parent]!;
  });
  return { names: [...values, NONE], of };
}

/** @returns the groups of call paths that end in the same function. */
export function functionGroups({ callpaths }: Report): CallGroups {
  const names = [...new Set(callpaths.map(({ region }) => region))];
  const known = new Map(names.map((name, i) => [name, i]));
  return { names, of: Int32Array.from(callpaths, ({ region }) => known.get(region)!) };
}

/** @returns for each call path the value of its group. */
export function groupSums({ names, of }: CallGroups, exclusive: Float64Array): Float64Array {
  const sums = new Float64Array(names.length);
  exclusive.forEach((value, callpath) => (sums[of[callpath]!]! += value));
  return Float64Array.from(of, (group) => sums[group]!);
}
