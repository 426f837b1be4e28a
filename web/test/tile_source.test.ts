// SPDX-License-Identifier: BSD-3-Clause
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { effect } from "@preact/signals";
import type { TileAnswer } from "../src/data/tile_worker";
import { plainArrangement } from "../src/model/arrangement";
import type { Cells, TileIndex } from "../src/model/tiles";
import type { Timeline } from "../src/model/timeline";
import { TileSource } from "../src/state/tiles";

/** 1,024 locations, 1,024 ticks, too many events to show; 4 bins and 64 rows in a tile. */
const index: TileIndex = {
  length: 1024,
  calls: 1e9,
  locations: 1024,
  rows: 64,
  bins: 4,
  kinds: [],
  levels: [
    { group: 1, first: 0, bands: 16, depth: 3 },
    { group: 16, first: 240, bands: 1, depth: 3 },
  ],
  alikeLevel: { group: 1, first: 255, bands: 1, depth: 0 },
  alike: { count: 0, of: new Float64Array(), typical: new Float64Array(), members: [] },
  counters: [],
  counterTiles: [],
  firstEvent: 256,
  eventFirst: Float64Array.from({ length: 16 }, (_, band) => band),
  eventFrom: new Float64Array(16),
  eventCalls: new Float64Array(16).fill(1e9),
};
const plain = plainArrangement(1024);
const all = { from: 0, to: 1024 };

/** A source whose tiles arrive under control of the test; cells have the number of their tile. */
class Served {
  readonly asked: number[] = [];
  private take: (answer: TileAnswer) => void = () => {};
  /** All displayed timelines. */
  readonly shown: Timeline[] = [];
  readonly source: TileSource;

  constructor(of = index) {
    this.source = new TileSource(of, (take) => {
      this.take = take;
      return (tile) => this.asked.push(tile);
    });
    effect(() => void this.shown.push(this.source.timeline.value!));
  }

  show(span: { from: number; to: number }, rows: { from: number; to: number }): void {
    this.source.show(span, rows, plain, 4, 192);
  }

  answer(tile: number): void {
    this.asked.splice(this.asked.indexOf(tile), 1);
    const cells: Cells = { rows: 64, compute: new Uint8Array(256).fill(tile), call: new Uint8Array(256), wait: [], spread: null };
    this.take({ tile, cells });
  }

  answerAll(): void {
    for (const tile of [...this.asked]) this.answer(tile);
  }

  get last(): Timeline {
    return this.shown[this.shown.length - 1]!;
  }
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** @returns the tile of the cells that show a location at the begin of a time window; -1: none. */
function tileAt(timeline: Timeline, location: number): number {
  for (let bins = timeline.bins; bins !== null; bins = bins.behind) {
    if (bins.rowOf(location) >= 0) return bins.compute[bins.rowOf(location) * bins.count]!;
  }
  return -1;
}

test("available cells are shown with the step that needs them, once", () => {
  const served = new Served();
  served.show(all, all);
  served.answerAll();
  served.show({ from: 0, to: 512 }, { from: 0, to: 64 });
  served.answerAll();
  expect(served.source.busy.value).toBe(false);
  const before = served.shown.length;
  served.show(all, all);
  expect(served.shown.length).toBe(before + 1);
  expect(served.source.busy.value).toBe(false);
  served.show({ from: 0, to: 512 }, { from: 0, to: 64 });
  expect(served.shown.length).toBe(before + 2);
  vi.runAllTimers();
  expect(served.shown.length).toBe(before + 2);
});

test("the previous picture stays until its replacement is complete", () => {
  const served = new Served();
  served.show(all, all);
  served.answerAll();
  const coarse = tileAt(served.last, 100);
  expect(coarse).toBeGreaterThanOrEqual(240);
  const before = served.shown.length;
  served.show({ from: 0, to: 512 }, { from: 0, to: 192 });
  expect(served.asked.length).toBe(3);
  expect(served.shown.length).toBe(before);
  expect(served.source.busy.value).toBe(true);
  served.answer(served.asked[1]!);
  served.answer(served.asked[1]!);
  expect([served.shown.length, served.source.busy.value]).toEqual([before, true]);
  served.answer(served.asked[0]!);
  expect([served.shown.length, served.source.busy.value]).toEqual([before + 1, false]);
  expect([0, 100, 130].map((location) => tileAt(served.last, location))).toEqual([1, 16, 31]);
});

test("if loading takes long, available tiles are shown, and the previous picture elsewhere", () => {
  const served = new Served();
  served.show(all, all);
  served.answerAll();
  served.show({ from: 0, to: 512 }, { from: 0, to: 192 });
  served.answerAll();
  const fine = tileAt(served.last, 100);
  served.show({ from: 0, to: 1024 }, { from: 64, to: 256 });
  served.answer(30);
  const before = served.shown.length;
  vi.advanceTimersByTime(1000);
  expect(served.shown.length).toBeGreaterThan(before);
  // From a longer time window, then as before, then the whole run in coarse cells.
  expect([130, 100, 200].map((location) => tileAt(served.last, location))).toEqual([30, fine, 240]);
  served.answerAll();
  expect([130, 100, 200].map((location) => tileAt(served.last, location))).toEqual([30, 15, 45]);
  const now = served.shown.length;
  vi.runAllTimers();
  expect(served.shown.length).toBe(now);
});

test("tiles that arrive after their place has left the view change nothing", () => {
  const served = new Served();
  served.show(all, all);
  served.answerAll();
  served.show({ from: 0, to: 512 }, { from: 0, to: 64 });
  const late = [...served.asked];
  served.show(all, all);
  const before = served.shown.length;
  for (const tile of late) served.answer(tile);
  vi.runAllTimers();
  expect(served.shown.length).toBe(before);
  // The tiles remain cached.
  served.show({ from: 0, to: 512 }, { from: 0, to: 64 });
  expect(served.source.busy.value).toBe(false);
});

test("an unreadable tile is reported, and requested again", () => {
  const served = new Served();
  served.show(all, all);
  served.answerAll();
  served.show({ from: 0, to: 512 }, { from: 0, to: 64 });
  const [tile] = served.asked.splice(0);
  served["take"]({ tile: tile!, failure: "the server is gone" });
  expect([served.source.failure.value, served.source.busy.value]).toEqual(["the server is gone", false]);
  served.show({ from: 0, to: 500 }, { from: 0, to: 60 });
  served.show(all, all);
  served.show({ from: 0, to: 512 }, { from: 0, to: 64 });
  expect(served.asked).toEqual([tile]);
  served.answerAll();
  expect(served.source.failure.value).toBeNull();
});

test("events of narrow rows are requested where the finest cells are wider than two pixels", () => {
  const served = new Served({ ...index, eventCalls: new Float64Array(16).fill(10) });
  const events = (): number[] => served.asked.filter((tile) => tile >= index.firstEvent);
  // A row has a pixel and a half; the finest cells are 32 ticks.
  const rows = { from: 0, to: 128 };
  served.show({ from: 0, to: 512 }, rows);
  expect(events()).toEqual([]);
  served.show({ from: 0, to: 32 }, rows);
  expect(events()).toEqual([256, 257]);
  served.show({ from: 0, to: 32 }, all);
  expect(events()).toEqual([256, 257]);
});
