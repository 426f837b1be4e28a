import { expect, test } from "vitest";
import { coordinatesOf, placeAt, type TopologyModel } from "../src/draw/topology";

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
