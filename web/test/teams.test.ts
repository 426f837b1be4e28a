// SPDX-License-Identifier: BSD-3-Clause
import { expect, test } from "vitest";
import type { Bundle } from "../src/data/bundle";
import type { JsonTimeline } from "../src/data/layout";
import { rowsOfTeam } from "../src/draw/timeline/team_frames";
import { TimelineLayout } from "../src/draw/timeline/timeline_layout";
import { foldedArrangement, orderedArrangement, plainArrangement, threadsOf, type Arrangement } from "../src/model/arrangement";
import { makeTimeline, membersOf, teamAt } from "../src/model/timeline";

// A team of locations 0 to 3 from 10 to 60, inside of it one of 0 and 2 from 20 to 30.
const columns: Record<string, number[]> = {
  team_window: [0, 0], team_since: [10, 20], team_time: [50, 10], team_count: [4, 2], team_member: [0, 1, 2, 3, 0, 2],
};
const bundle: Bundle<JsonTimeline> = {
  json: {
    version: 1, length: 100, calls: 0, alike: 0, counters: [],
    windows: [{ from: 0, to: 100, metric: null, location: null, enter: null }],
  },
  has: () => true,
  column: (name) => Float64Array.from(columns[name] ?? []),
  bytes: () => new Uint8Array(),
};
const timeline = makeTimeline(bundle, 5);

test("the innermost team of a thread at a time", () => {
  expect(timeline.teams.count).toBe(2);
  expect([...membersOf(timeline.teams, 1)]).toEqual([0, 2]);
  const at = (location: number, time: number): number => teamAt(timeline, location, time);
  expect([at(0, 5), at(0, 15), at(0, 25), at(0, 40), at(0, 61)]).toEqual([-1, 0, 1, 0, -1]);
  expect([at(1, 25), at(2, 25), at(4, 25)]).toEqual([0, 1, -1]);
});

test("a frame surrounds neighbouring rows", () => {
  const runs = (arrangement: Arrangement, team: number): number[][] =>
    rowsOfTeam(timeline.teams, team, { arrangement } as TimelineLayout).map(({ first, end }) => [first, end]);
  const plain = plainArrangement(5);
  expect(runs(plain, 0)).toEqual([[0, 4]]);
  expect(runs(plain, 1)).toEqual([[0, 1], [2, 3]]);
  // In another order, and without location 1.
  expect(runs(orderedArrangement([4, 2, 0, 3]), 0)).toEqual([[1, 4]]);
  // Folded threads: the row of the first one.
  const folded = (open: number[]): Arrangement =>
    foldedArrangement(threadsOf([0, 0, 0, 0, 1], [0, 1, 2, 3, 4]), new Set(open));
  expect(runs(folded([]), 0)).toEqual([[0, 1]]);
  expect(runs(folded([0]), 0)).toEqual([[0, 4]]);
});

test("arrows and frames have the room of the excerpts, not of the chart", () => {
  const windows = [[0, 5], [90, 100]].map(([from, to]) => ({ from: from!, to: to!, metric: null, location: null, enter: null }));
  const excerpts = makeTimeline({ ...bundle, json: { ...bundle.json, windows } }, 5);
  const area = (from: number, to: number): number => {
    const layout = new TimelineLayout(1000, 500, excerpts, { from, to }, { from: 0, to: 5 }, plainArrangement(5), false);
    return layout.drawnArea() / (layout.plotWidth * layout.plotHeight);
  };
  expect(area(0, 100)).toBeCloseTo(0.15);
  expect(area(0, 10)).toBeCloseTo(0.5);
  expect(area(92, 98)).toBeCloseTo(1);
  expect(area(20, 30)).toBe(0);
});
