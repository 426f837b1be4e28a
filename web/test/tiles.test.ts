// SPDX-License-Identifier: BSD-3-Clause
import { expect, test } from "vitest";
import { assembleCells, bandsOf, cellsFor, cellsOf, cellTile, eventTilesFor, tilesOf, type Cells, type TileIndex } from "../src/model/tiles";

/** 1,000 locations, 1,024 ticks; 4 bins and 64 rows in a tile. */
const index: TileIndex = {
  length: 1024,
  calls: 100000,
  locations: 1000,
  rows: 64,
  bins: 4,
  kinds: [7],
  levels: [
    { group: 1, first: 0, bands: 16, depth: 3 },
    { group: 4, first: 240, bands: 4, depth: 2 },
  ],
  alikeLevel: { group: 1, first: 268, bands: 1, depth: 2 },
  alike: { count: 0, of: new Float64Array(), typical: new Float64Array(), members: [] },
  counters: [],
  counterTiles: [],
  firstEvent: 275,
  eventFirst: Float64Array.from({ length: 16 }, (_, band) => 2 * band),
  eventFrom: Float64Array.from({ length: 32 }, (_, tile) => (tile % 2) * 500),
  eventCalls: new Float64Array(32).fill(3000),
};
const all = { from: 0, to: 1000 };

test("tiles are numbered by level, band, depth and column", () => {
  expect(cellTile(index.levels[0]!, 0, 0, 0)).toBe(0);
  expect(cellTile(index.levels[0]!, 1, 2, 3)).toBe(15 + 3 + 3);
  expect(cellTile(index.levels[1]!, 3, 2, 3)).toBe(267);
});

test("a view has cells of about a pixel, and only the tiles that it shows", () => {
  const whole = cellsFor(index, { from: 0, to: 1024 }, all, 16, 400);
  expect([whole.level.group, whole.depth]).toEqual([4, 2]);
  expect(tilesOf(whole).length).toBe(4 * 4);
  const part = cellsFor(index, { from: 512, to: 640 }, { from: 64, to: 128 }, 4, 400);
  expect([part.level.group, part.depth]).toEqual([1, 3]);
  expect(tilesOf(part)).toEqual([cellTile(index.levels[0]!, 1, 3, 4)]);
});

test("events where there are not too many", () => {
  const tiles = (from: number, to: number, rows: { from: number; to: number }): number[] | null =>
    eventTilesFor(index, { from, to }, bandsOf(index, rows));
  expect(tiles(0, 1024, { from: 64, to: 65 })).toEqual([277, 278]);
  expect(tiles(600, 610, { from: 60, to: 70 })).toEqual([276, 278]);
  expect(tiles(0, 1024, all)?.length).toBe(32);
  const many = { ...index, eventCalls: new Float64Array(32).fill(50000) };
  expect(eventTilesFor(many, { from: 0, to: 1024 }, bandsOf(many, all))).toBeNull();
});

test("coarser tiles replace missing ones", () => {
  const cells = (value: number): Cells => ({
    rows: 64,
    compute: Uint8Array.from({ length: 256 }, (_, i) => value + (i % 4)),
    call: new Uint8Array(256),
    wait: [null],
    spread: null,
  });
  const view = cellsFor(index, { from: 512, to: 1024 }, { from: 0, to: 64 }, 8, 400);
  expect([view.depth, view.firstColumn, view.endColumn]).toEqual([2, 2, 4]);
  const loaded = new Map([
    [cellTile(index.levels[0]!, 0, 0, 0), cells(10)],
    [cellTile(index.levels[0]!, 0, 2, 3), cells(50)],
  ]);
  const bins = assembleCells(index, view, (tile) => loaded.get(tile), null);
  expect([bins.from, bins.to, bins.count, bins.rows]).toEqual([512, 1024, 8, 64]);
  expect([bins.rowOf(0), bins.rowOf(63), bins.rowOf(64)]).toEqual([0, 63, -1]);
  // Column 2 is bin 2 of the whole run, four times; column 3 is there itself.
  expect(Array.from(bins.compute).slice(0, 8)).toEqual([12, 12, 12, 12, 50, 51, 52, 53]);
});

test("bands need not be adjacent, and missing ones have no row", () => {
  const cells = (value: number): Cells => ({
    rows: 64,
    compute: new Uint8Array(256).fill(value),
    call: new Uint8Array(256),
    wait: [null],
    spread: null,
  });
  const view = cellsOf(index, index.levels[0]!, [1, 4, 9], { from: 0, to: 1024 }, 4);
  expect(tilesOf(view)).toEqual([15, 60, 135]);
  const loaded = new Map([[15, cells(1)], [135, cells(3)]]);
  const bins = assembleCells(index, view, (tile) => loaded.get(tile), null);
  expect(bins.rows).toBe(2 * 64);
  expect([bins.rowOf(70), bins.rowOf(4 * 64), bins.rowOf(9 * 64 + 2)]).toEqual([6, -1, 66]);
  expect(bins.compute[66 * bins.count]).toBe(3);
  expect(bins.wait).toEqual([null]);
});

test("the spread of rows of several locations, if all tiles have it", () => {
  const plane = (value: number): Uint8Array => new Uint8Array(256).fill(value);
  const cells: Cells = {
    rows: 64, compute: plane(60), call: plane(0), wait: [plane(40)],
    spread: { least: plane(0), middle: plane(30), most: plane(90) },
  };
  const level = index.levels[1]!;
  const view = cellsOf(index, level, [0, 1], { from: 0, to: 1024 }, 4);
  const loaded = new Map([[cellTile(level, 0, 0, 0), cells], [cellTile(level, 1, 0, 0), cells]]);
  const bins = assembleCells(index, view, (tile) => loaded.get(tile), null);
  expect([bins.spread!.least[70], bins.spread!.middle[70], bins.spread!.most[70]]).toEqual([0, 30, 90]);
  loaded.set(cellTile(level, 1, 0, 0), { ...cells, spread: null });
  expect(assembleCells(index, view, (tile) => loaded.get(tile), null).spread).toBeNull();
});

test("a band with a missing part has no rows: the cells behind show all of it", () => {
  const cells: Cells = { rows: 64, compute: new Uint8Array(256), call: new Uint8Array(256), wait: [null], spread: null };
  const view = cellsFor(index, { from: 512, to: 1024 }, { from: 0, to: 128 }, 8, 400);
  expect(view.bands).toEqual([0, 1]);
  const [level] = index.levels;
  const loaded = new Map([
    [cellTile(level!, 0, 2, 2), cells],
    [cellTile(level!, 1, 2, 2), cells],
    [cellTile(level!, 1, 2, 3), cells],
  ]);
  const bins = assembleCells(index, view, (tile) => loaded.get(tile), null);
  expect([bins.rowOf(0), bins.rowOf(64)]).toEqual([-1, 0]);
});
