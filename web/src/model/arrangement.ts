// SPDX-License-Identifier: BSD-3-Clause
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

/** "plain": all locations in order; "ordered": some locations, in any order; "similar": groups of similar
 * locations; "ranked": locations sorted by a value, groups of neighbours in this order; "folded": processes with
 * their threads. */
export type ArrangementKind = "plain" | "ordered" | "similar" | "ranked" | "folded";

export interface Arrangement {
  readonly kind: ArrangementKind;
  readonly rows: number;
  /** Null: each location has a row. */
  readonly alike: Alike | null;
  /** Locations that have a further row at the top: rows -pinned.length to -1. */
  readonly pinned: readonly number[];
  /** @returns the location that a row shows; for a group its representative; -1: no row. */
  location(row: number): number;
  /** @returns the row of a location; for locations in closed groups the row of the group; NaN: it has none. */
  row(location: number): number;
  /** @returns the group of a row; -1: a row of a single location. */
  group(row: number): number;
  isOpen(group: number): boolean;
}

/** Each location in its own row, in order. */
export function plainArrangement(locations: number): Arrangement {
  return {
    kind: "plain",
    rows: locations,
    alike: null,
    pinned: [],
    location: (row) => row,
    row: (location) => location,
    group: () => -1,
    isOpen: () => false,
  };
}

/** The given locations, each in its own row, in the given order. */
export function orderedArrangement(order: readonly number[]): Arrangement {
  const rowOf = new Map(order.map((location, row) => [location, row]));
  return {
    kind: "ordered",
    rows: order.length,
    alike: null,
    pinned: [],
    location: (row) => order[row] ?? -1,
    row: (location) => rowOf.get(location) ?? NaN,
    group: () => -1,
    isOpen: () => false,
  };
}

/** Number of rows of sorted locations. */
const RANKED_ROWS = 50;

/** Sorted locations in groups of neighbours: the first and the last location have their own rows, so that
 * extremes remain visible, and each other group shows its middle location, not an average. */
export function rankedArrangement(order: readonly number[], open: ReadonlySet<number>): Arrangement {
  const last = order.length - 1;
  const groups = Math.min(RANKED_ROWS, order.length) - 2;
  const edge = (group: number): number => 1 + Math.floor((group * (last - 1)) / groups);
  const members = [
    [order[0]!],
    ...Array.from({ length: groups }, (_, group) => order.slice(edge(group), edge(group + 1))),
    [order[last]!],
  ];
  const of = new Float64Array(1 + order.reduce((most, location) => Math.max(most, location), 0)).fill(-1);
  members.forEach((each, group) => each.forEach((location) => (of[location] = group)));
  const typical = Float64Array.from(members, (each) => each[each.length >> 1]!);
  return { ...groupedArrangement({ count: members.length, of, typical, members }, open), kind: "ranked" };
}

/** @returns the threads of each process as a group, whose representative is the first thread.
 * @param rank  of each location; those of a process are neighbours
 * @param some  locations in ascending order */
export function threadsOf(rank: readonly number[], some: readonly number[]): Alike {
  const of = new Float64Array(rank.length).fill(-1);
  const members: number[][] = [];
  some.forEach((location, i) => {
    if (i === 0 || rank[location] !== rank[some[i - 1]!]) members.push([]);
    members.at(-1)!.push(location);
    of[location] = members.length - 1;
  });
  return { count: members.length, of, typical: Float64Array.from(members, (each) => each[0]!), members };
}

/** A row for each process, which shows all its threads together (foldedMembers); of an open process, the row of its
 * first thread, and below it a row for each other one. */
export function foldedArrangement(threads: Alike, open: ReadonlySet<number>): Arrangement {
  const order: number[] = [];
  const groups: number[] = [];
  const rowOf = new Float64Array(threads.of.length).fill(NaN);
  threads.members.forEach((members, group) => {
    const header = order.length;
    order.push(members[0]!);
    groups.push(members.length > 1 ? group : -1);
    members.forEach((location, i) => {
      rowOf[location] = header;
      if (i === 0 || !open.has(group)) return;
      rowOf[location] = order.length;
      order.push(location);
      groups.push(-1);
    });
  });
  return {
    kind: "folded",
    rows: order.length,
    alike: threads,
    pinned: [],
    location: (row) => order[row] ?? -1,
    row: (location) => rowOf[location] ?? NaN,
    group: (row) => groups[row] ?? -1,
    isOpen: (group) => open.has(group),
  };
}

/** Adds further rows at the top. */
export function withPins(arrangement: Arrangement, pinned: readonly number[]): Arrangement {
  if (pinned.length === 0) return arrangement;
  return {
    ...arrangement,
    pinned,
    location: (row) => (row < 0 ? (pinned[row + pinned.length] ?? -1) : arrangement.location(row)),
    group: (row) => (row < 0 ? -1 : arrangement.group(row)),
  };
}

/** A row for each group; below open groups, one row for each member. A single location is no group. */
export function groupedArrangement(alike: Alike, open: ReadonlySet<number>): Arrangement {
  const order: number[] = [];
  const groups: number[] = [];
  const rowOf = new Float64Array(alike.of.length).fill(NaN);
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
    kind: "similar",
    rows: order.length,
    alike,
    pinned: [],
    location: (row) => order[row] ?? -1,
    row: (location) => rowOf[location] ?? NaN,
    group: (row) => groups[row] ?? -1,
    isOpen: (group) => open.has(group),
  };
}

/** @returns the locations of the rows from `from` to `to`; of a closed group, all its members. */
export function locationsIn(arrangement: Arrangement, rows: { readonly from: number; readonly to: number }): number[] {
  const found = new Set<number>();
  const last = Math.min(arrangement.rows, Math.ceil(rows.to));
  for (let row = Math.max(0, Math.floor(rows.from)); row < last; row++) {
    const group = arrangement.group(row);
    if (group < 0) found.add(arrangement.location(row));
    else for (const location of arrangement.alike!.members[group]!) found.add(location);
  }
  return [...found];
}

/** @returns the threads that a row shows together, in proportion; null: it is no row of a process with folded threads. */
export function foldedMembers(arrangement: Arrangement, row: number): readonly number[] | null {
  const group = arrangement.kind === "folded" ? arrangement.group(row) : -1;
  return group < 0 || arrangement.isOpen(group) ? null : arrangement.alike!.members[group]!;
}

/** @returns whether a location has a row that shows its own activity, not that of a similar one. */
export function hasRow(arrangement: Arrangement, location: number): boolean {
  return arrangement.location(arrangement.row(location)) === location;
}
