/** The mapping of locations to rows of the timeline: each location in its own row, or similar locations
 * (src/view/timeline/similar_locations.h) together in one row, unless the user has opened their group. */
import type { Bundle } from "../data/bundle";

export interface Alike {
  readonly count: number;
  /** Group of each location. */
  readonly of: Float64Array;
  /** The representative location of each group. */
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
  /** @returns the location that a row shows; for a group its representative. */
  location(row: number): number;
  /** @returns the row of a location; for locations in closed groups the row of the group. */
  row(location: number): number;
  /** @returns the group of a row; -1: a row of a single location. */
  group(row: number): number;
  isOpen(group: number): boolean;
}

/** Each location in its own row, in order. */
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

/** A row for each group; below open groups, one row for each member. A single location is no group. */
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

/** @returns whether a location has a row that shows its own activity, not that of a similar one. */
export function hasRow(arrangement: Arrangement, location: number): boolean {
  return arrangement.location(arrangement.row(location)) === location;
}
