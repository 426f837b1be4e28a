// SPDX-License-Identifier: BSD-3-Clause
import { expect, test } from "vitest";
import { RowMixture } from "../src/draw/timeline/row_mixture";
import type { TimelineColors } from "../src/draw/timeline/timeline_colors";
import type { Bins } from "../src/model/timeline";

const entries = ["#ff0000", "#00ff00", "#0000ff"].map((color) => ({ name: color, color, hatched: false }));
const colors: TimelineColors = { entries, legend: entries, segment: () => 0, compute: 0, call: 1, waiting: () => 2, share: null };

/** Cells of rows of `group` locations, which compute all the time. */
function bins(given: Partial<Bins> & { rows: number; count: number }): Bins {
  const group = given.group ?? 1;
  return {
    from: 0,
    to: 100,
    group,
    rowOf: (place) => Math.floor(place / group),
    kinds: [5],
    compute: new Uint8Array(given.rows * given.count).fill(100),
    call: new Uint8Array(given.rows * given.count),
    wait: [null],
    spread: null,
    behind: null,
    ...given,
  };
}

function pixelsOf(mixture: RowMixture): string[] {
  const pixels = new Uint32Array(mixture.columns);
  mixture.mix(pixels);
  // Written as colours: red, green, blue.
  return Array.from(pixels, (pixel) =>
    pixel === 0 ? "" : [0, 8, 16].map((shift) => ((pixel >> shift) & 255).toString(16).padStart(2, "0")).join(""),
  );
}

test("a pixel shows all its colours in proportion", () => {
  const mixture = new RowMixture(colors, { from: 0, to: 4 }, 4, 4);
  mixture.add(0, 1.5, 0);
  mixture.add(1.5, 0.5, 1);
  mixture.add(2.25, 0.25, 2);
  expect(pixelsOf(mixture)).toEqual(["ff0000", "808000", "0000ff", ""]);
  const stacks: [number, number, number[]][] = [];
  mixture.stacks((column, count, parts) => stacks.push([column, count, Array.from(parts)]));
  expect(stacks).toEqual([[0, 1, [1, 0, 0]], [1, 1, [0.5, 0.5, 0]], [2, 1, [0, 0, 1]]]);
  mixture.clear();
  expect(pixelsOf(mixture)).toEqual(["", "", "", ""]);
});

test("cells of several rows and bins are added up by locations and time", () => {
  const mixture = new RowMixture(colors, { from: 0, to: 100 }, 2, 2);
  const cells = bins({
    rows: 2,
    count: 4,
    group: 4,
    compute: Uint8Array.of(100, 100, 0, 0, 0, 0, 0, 0),
    call: Uint8Array.of(0, 0, 100, 100, 0, 0, 0, 0),
    wait: [Uint8Array.of(0, 0, 0, 0, 100, 100, 100, 100)],
  });
  // Three locations of the first row, one of the second.
  mixture.addCells(cells, 1, 5, 0, 100);
  const stacks: number[][] = [];
  mixture.stacks((_, __, parts) => stacks.push(Array.from(parts)));
  expect(stacks).toEqual([[0.75, 0, 0.25], [0, 0.75, 0.25]]);
});

test("where cells have no row or end, the cells behind them are shown", () => {
  const mixture = new RowMixture(colors, { from: 0, to: 100 }, 4, 4);
  const whole = bins({ rows: 1, count: 2, group: 64, compute: Uint8Array.of(0, 0), wait: [Uint8Array.of(100, 100)] });
  const fine = bins({ rows: 1, count: 2, from: 25, to: 75, rowOf: (place) => (place === 0 ? 0 : -1), behind: whole });
  mixture.addCells(fine, 0, 1, 0, 100);
  expect(pixelsOf(mixture)).toEqual(["0000ff", "ff0000", "ff0000", "0000ff"]);
  mixture.clear();
  mixture.addCells(fine, 1, 2, 0, 100);
  expect(pixelsOf(mixture)).toEqual(["0000ff", "0000ff", "0000ff", "0000ff"]);
  mixture.clear();
  mixture.addCells(fine, 0, 2, 25, 75);
  expect(pixelsOf(mixture)).toEqual(["", "800080", "800080", ""]);
  mixture.clear();
  mixture.addCells({ ...fine, behind: null }, 0, 1, 0, 50);
  expect(pixelsOf(mixture)).toEqual(["", "ff0000", "", ""]);
});

function linesOf(mixture: RowMixture): string[][] {
  const pixels = new Uint32Array(3 * mixture.columns);
  mixture.mixLines(pixels);
  const texts = Array.from(pixels, (pixel) =>
    pixel === 0 ? "" : [0, 8, 16].map((shift) => ((pixel >> shift) & 255).toString(16).padStart(2, "0")).join(""),
  );
  return [0, 1, 2].map((line) => texts.slice(line * mixture.columns, (line + 1) * mixture.columns));
}

test("a row of several locations shows that which waits most, the middle one, and that which waits least", () => {
  // 63 of 64 locations wait all the time, one computes.
  const cells = bins({
    rows: 1,
    count: 1,
    group: 64,
    compute: Uint8Array.of(2),
    wait: [Uint8Array.of(98)],
    spread: { least: Uint8Array.of(0), middle: Uint8Array.of(100), most: Uint8Array.of(100) },
  });
  const mixture = new RowMixture(colors, { from: 0, to: 100 }, 2, 2);
  mixture.clear(true);
  mixture.addCells(cells, 0, 64, 0, 50);
  expect(linesOf(mixture)).toEqual([["0000ff", ""], ["0000ff", ""], ["ff0000", ""]]);
});

test("the spread of rows of single locations is that of their cells", () => {
  const waiting = [0, 10, 20, 90];
  const cells = bins({
    rows: 4,
    count: 1,
    compute: Uint8Array.from(waiting, (wait) => 100 - wait),
    wait: [Uint8Array.from(waiting)],
  });
  const mixture = new RowMixture({ ...colors, share: { entry: 2, colors: Array.from({ length: 11 }, (_, i) => `#0000${(16 * i).toString(16).padStart(2, "0")}`) } },
    { from: 0, to: 100 }, 1, 1);
  mixture.clear(true);
  mixture.addCells(cells, 0, 4, 0, 100);
  // 90, the average of all, 0 percent.
  expect(linesOf(mixture)).toEqual([["000090"], ["000030"], ["000000"]]);
  // Without a spread, nothing of it is left for the next row.
  mixture.clear(true);
  mixture.addCells(cells, 1, 3, 0, 100);
  expect(linesOf(mixture)).toEqual([["000020"], ["000020"], ["000010"]]);
});
