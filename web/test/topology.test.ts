// SPDX-License-Identifier: BSD-3-Clause
import { expect, test, vi } from "vitest";
import type { Palette } from "../src/draw/colors";
import { SvgSurface } from "../src/draw/svg";
import { coordinatesOf, drawTopology, placeAt, type TopologyModel } from "../src/draw/topology";

// Widths of texts are estimated without a canvas.
vi.stubGlobal("document", { createElement: () => ({ getContext: () => null }) });

const model = (sizes: number[]): TopologyModel => ({
  sizes,
  values: new Float64Array(sizes.reduce((a, b) => a * b, 1)),
  ranks: new Int32Array(sizes.reduce((a, b) => a * b, 1)).fill(-1),
  names: sizes.map((_, i) => `${i}`),
  largest: 0,
  format: String,
  scale: "heat",
  selected: -1,
});

test("the last dimension is the fastest", () => {
  expect(coordinatesOf([2, 3, 4], 0)).toEqual([0, 0, 0]);
  expect(coordinatesOf([2, 3, 4], 5)).toEqual([0, 1, 1]);
  expect(coordinatesOf([2, 3, 4], 23)).toEqual([1, 2, 3]);
});

test("every place of a grid can be hit, once", () => {
  for (const sizes of [[7], [3, 4], [2, 3, 4], [2, 2, 2, 3]]) {
    const grid = model(sizes);
    const found = new Set<number>();
    for (let x = 0; x < 600; x += 2) {
      for (let y = 0; y < 500; y += 2) found.add(placeAt(grid, x, y, 600, 500));
    }
    found.delete(-1);
    expect([...found].sort((a, b) => a - b)).toEqual(Array.from(grid.values, (_, i) => i));
  }
});

test("positions without a value are drawn, with the numbers of their ranks and without a scale", () => {
  const palette = new Proxy({}, { get: (_, name) => (name === "line" ? "#dddddd" : "#000000") }) as Palette;
  const drawn = (values: number[]): string => {
    const surface = new SvgSurface(600, 300);
    const largest = Math.max(...values);
    drawTopology(surface, palette, { ...model([2, 2]), values: Float64Array.from(values), ranks: Int32Array.of(0, 1, 2, 3), largest });
    return surface.finish("");
  };
  const cells = (svg: string): number => (svg.match(/<rect[^>]*fill="#dddddd"/g) ?? []).length;
  const empty = drawn([0, 0, 0, 0]);
  expect(cells(empty)).toBe(4);
  expect([...empty.matchAll(/<text[^>]*fill="#000000"[^>]*>([0-3])</g)].map((match) => match[1])).toEqual(
    expect.arrayContaining(["0", "1", "2", "3"]),
  );
  // 64 steps of the scale.
  expect(drawn([0, 0, 0, 1]).split("<rect").length - empty.split("<rect").length).toBe(64);
  expect(cells(drawn([0, 0, 0, 1]))).toBe(3);
});
