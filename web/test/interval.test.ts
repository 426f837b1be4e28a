// SPDX-License-Identifier: BSD-3-Clause
import { expect, test } from "vitest";
import { classesIn, statisticsIn, windowsIn } from "../src/model/interval";
import { blockedBy, itemAt, waitsDuring } from "../src/model/selection";
import { findMatches, matchesOf } from "../src/model/timeline_search";
import { plainArrangement } from "../src/model/arrangement";
import { blameField } from "../src/model/blame_field";
import { makeTimeline, type Bins, type Timeline } from "../src/model/timeline";
import type { Bundle } from "../src/data/bundle";
import type { JsonTimeline } from "../src/data/layout";
import { smallReport } from "./small_report";

const report = smallReport({
  ranks: 2,
  metrics: [["time", null], ["late", "time"]],
  callpaths: [["main", null], ["solve", 0], ["MPI_Recv", 0], ["MPI_Send", 0]],
  cells: [],
});

// Location 0 computes until 10 and waits until 30 for location 1, which computes until then; the call ends at 34.
const columns: Record<string, number[]> = {
  lane_window: [0, 0], lane_location: [0, 1], lane_count: [4, 4],
  segment_since: [0, 10, 34, 100, 0, 30, 34, 100],
  segment_callpath: [2, 3, 1, 0, 2, 4, 1, 0],
  segment_kind: [0, 1, 0, 0, 0, 1, 0, 0],
  wait_window: [0], wait_location: [0], wait_enter: [10], wait_time: [20], wait_rest: [4], wait_metric: [1],
  wait_callpath: [2], wait_cause_location: [2], wait_cause_callpath: [4],
  arrow_window: [0], arrow_kind: [0], arrow_tail: [1], arrow_head: [0], arrow_since: [30], arrow_time: [4], arrow_bytes: [8],
  team_window: [0], team_since: [5], team_time: [20], team_count: [2], team_member: [0, 1],
  alike_of: [0, 1], alike_typical: [0, 1],
};
const bundle: Bundle<JsonTimeline> = {
  json: {
    version: 1, length: 100, calls: 2, alike: 2, counters: [],
    windows: [{ from: 0, to: 100, metric: null, location: null, enter: null }],
  },
  has: () => true,
  column: (name) => Float64Array.from(columns[name] ?? []),
  bytes: () => new Uint8Array(),
};
const timeline = makeTimeline(bundle, 2);

test("statistics of an interval", () => {
  const found = statisticsIn(report, timeline, [0, 1], { from: 20, to: 40 });
  expect([found.time, found.known, found.computation, found.calls, found.waiting]).toEqual([40, 40, 22, 8, 10]);
  expect(found.functions.map(({ region, ticks, waiting, calls }) => [region, ticks, waiting, calls])).toEqual([
    ["MPI_Recv", 14, 10, 0],
    ["main", 12, 0, 0],
    ["solve", 10, 0, 0],
    ["MPI_Send", 4, 0, 1],
  ]);
  expect(found.kinds).toEqual([{ metric: 1, ticks: 10, count: 1 }]);
  expect(found.blame).toEqual([{ location: 1, callpath: 1, ticks: 10 }]);
  expect(found.messages).toEqual([{ kind: 0, count: 1, bytes: 8, ticks: 4 }]);
  expect(statisticsIn(report, timeline, [1], { from: 20, to: 40 }).waiting).toBe(0);
});

test("where events are not loaded, the overview's cells count", () => {
  const bins: Bins = {
    from: 0, to: 100, count: 2, rows: 1, group: 2, rowOf: () => 0, kinds: [1],
    compute: Uint8Array.of(50, 100), call: Uint8Array.of(10, 0), wait: [Uint8Array.of(40, 0)], spread: null, behind: null,
  };
  const coarse: Timeline = { ...timeline, windows: [], bins };
  const found = statisticsIn(report, coarse, [0, 1], { from: 25, to: 75 });
  expect([found.known, found.computation, found.calls, found.waiting]).toEqual([0, 75, 5, 20]);
  expect(found.kinds).toEqual([{ metric: 1, ticks: 20, count: 0 }]);
  expect(classesIn(coarse, windowsIn(coarse, { from: 0, to: 50 }), 0, { from: 0, to: 50 })).toEqual({ compute: 25, call: 5, wait: 20 });
});

test("the item at a place, what it waited for and what it blocked", () => {
  const call = itemAt(report, timeline, { location: 0, time: 32, callpath: null })!;
  expect([call.callpath, call.from, call.to, call.isCall]).toEqual([2, 10, 34, true]);
  expect(waitsDuring(timeline, call)).toEqual([{ wait: 0, ticks: 20 }]);
  const work = itemAt(report, timeline, { location: 1, time: 5, callpath: null })!;
  expect(blockedBy(timeline, work)).toEqual([{ wait: 0, ticks: 20 }]);
  const send = itemAt(report, timeline, { location: 1, time: 31, callpath: null })!;
  expect(blockedBy(timeline, send)).toEqual([{ wait: 0, ticks: 20 }]);
  // A function on the stack, around its callees.
  expect(itemAt(report, timeline, { location: 1, time: 31, callpath: 0 })).toMatchObject({ callpath: 0, from: 0, to: 100 });
  expect(itemAt(report, timeline, { location: 1, time: 100, callpath: null })).toBeNull();
});

test("search counts matching calls, and goes on in the order of time", () => {
  const find = (text: string, from: number | null) =>
    findMatches(timeline, matchesOf(report, text)!, [0, 1], { from: 0, to: 100 }, from === null ? null : { location: 0, time: from, callpath: null });
  expect(matchesOf(report, " ")).toBeNull();
  expect(matchesOf(report, "nothing")!.functions).toBe(0);
  expect(find("mpi_", null).count).toBe(2);
  expect(find("mpi_", 10).next).toMatchObject({ location: 1, time: 30 });
  expect(find("mpi_", 10).previous).toMatchObject({ location: 1, time: 30 }); // around the end
  expect(find("nothing", 0)).toEqual({ count: 0, next: null, previous: null });
});

test("how many locations wait for each", () => {
  const field = blameField(timeline, plainArrangement(2), { from: 0, to: 2 }, { from: 0, to: 100 });
  expect(field.cells[0]).toBeNull();
  expect([39, 40, 119, 120].map((part) => field.cells[1]![part])).toEqual([NaN, 1, 1, NaN]);
  expect([field.low, field.high]).toEqual([0, 1]);
});
