/** Which location stands in which row of the timeline: each in one of its own, or those that are alike
 * (src/view/timeline/alike.h) in one row together, unless the reader has opened it. */
import type { Bundle } from "../data/bundle";

export interface Alike {
  readonly count: number;
  /** Group of each location. */
  readonly of: Float64Array;
  /** The location that each group looks like. */
  readonly typical: Float64Array;
  /** Members of each group, ascending. */
  readonly members: readonly (readonly number[])[];
}

export function makeAlike(bundle: Bundle<{ alike: number }>): Alike {
  const of = bundle.column("alike_of");
  const members: number[][] = Array.from({ length: bundle.json.alike }, () => []);
  of.forEach((group, location) => members[group]!.push(location));
  return { count: bundle.json.alike, of, typical: bundle.column("alike_typical"), members };
}

export interface Arrangement {
  readonly rows: number;
  /** Null: each location has a row. */
  readonly alike: Alike | null;
  /** @returns the location that a row shows; of a group the typical one. */
  location(row: number): number;
  /** @returns the row of a location, of those in closed groups that of the group. */
  row(location: number): number;
  /** @returns the group that a row stands for; -1: it is one location's. */
  group(row: number): number;
  isOpen(group: number): boolean;
}

/** Each location in a row of its own, in their order. */
export function plainArrangement(locations: number): Arrangement {
  return {
    rows: locations,
    alike: null,
    location: (row) => row,
    row: (location) => location,
    group: () => -1,
    isOpen: () => false,
  };
}

/** A row for each group; below those that are open, one for each member. A single location is no group. */
export function groupedArrangement(alike: Alike, open: ReadonlySet<number>): Arrangement {
  const order: number[] = [];
  const groups: number[] = [];
  const rowOf = new Int32Array(alike.of.length);
  alike.members.forEach((members, group) => {
    const isGroup = members.length > 1;
    order.push(alike.typical[group]!);
    groups.push(isGroup ? group : -1);
    const header = order.length - 1;
    for (const location of members) {
      rowOf[location] = header;
      if (!isGroup || !open.has(group)) continue;
      rowOf[location] = order.length;
      order.push(location);
      groups.push(-1);
    }
  });
  return {
    rows: order.length,
    alike,
    location: (row) => order[row] ?? -1,
    row: (location) => rowOf[location]!,
    group: (row) => groups[row] ?? -1,
    isOpen: (group) => open.has(group),
  };
}

/** @returns whether a location has a row that shows what it did, and not another one like it. */
export function hasRow(arrangement: Arrangement, location: number): boolean {
  return arrangement.location(arrangement.row(location)) === location;
}
