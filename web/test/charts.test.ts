// SPDX-License-Identifier: BSD-3-Clause
import { describe, expect, it, vi } from "vitest";
import type { Palette } from "../src/draw/colors";
import { drawHeatMap } from "../src/draw/heatmap";
import { drawRanks } from "../src/draw/ranks";
import { SvgSurface } from "../src/draw/svg";
import { locationNumber } from "../src/model/report";
import { smallReport } from "./small_report";

// Widths of texts are estimated without a canvas.
vi.stubGlobal("document", { createElement: () => ({ getContext: () => null }) });

const BLACK = new Proxy({}, { get: () => "#000000" }) as Palette;
const IMAGES = 2000;
const report = smallReport({ ranks: IMAGES, metrics: [["time", null]], callpaths: [["main", null]], cells: [] });
const images = { ...report, summary: { ...report.summary, process: { one: "image", many: "images", first: 1 } } };
const number = (location: number): string => locationNumber(images, location);
const format = (value: number): string => `${value} s`;
const values = (count: number): Float64Array => Float64Array.from({ length: count }, (_, i) => (i % 7) + 1);

/** The texts of a picture. */
function texts(draw: (surface: SvgSurface) => void): string[] {
  const surface = new SvgSurface(600, 300);
  draw(surface);
  return [...surface.finish("").matchAll(/<text[^>]*>([^<]*)</g)].map((match) => match[1]!);
}

describe("charts of the system count processes as the program does", () => {
  const ranks = (count: number): string[] =>
    texts((surface) => drawRanks(surface, BLACK, { values: values(count), format, number, selected: -1 }));

  it("in bars", () => {
    expect(ranks(4).slice(-4)).toEqual(["1", "2", "3", "4"]);
  });

  it("in bands", () => {
    expect(ranks(IMAGES).slice(-4)).toEqual(["1", "501", "1001", "1501"]);
  });

  it("in the heat map", () => {
    const model = { rows: [{ name: "main", callpath: 0, values: values(4) }], columns: 4, column: "image", number, scale: "heat" as const, format };
    expect(texts((surface) => drawHeatMap(surface, BLACK, model))).toEqual(expect.arrayContaining(["1", "4", "image"]));
  });
});
