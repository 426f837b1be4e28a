// SPDX-License-Identifier: BSD-3-Clause
/** Values of a counter: in the colours of a timeline's rows, and as curves below it. */
import { scaleLinear } from "d3-scale";
import { schemeTableau10 } from "d3-scale-chromatic";
import { formatNumber } from "../../format";
import { MOST_CURVES, type CounterField } from "../../model/counters";
import { scaleColor, type Palette, type ScaleName } from "../colors";
import type { Point, Surface } from "../surface";
import type { TimelineLayout } from "./timeline_layout";

/** Distinguishable colours; adjacent cells of the same colour are drawn together. */
const SHADES = 64;

export function drawField(
  surface: Surface,
  palette: Palette,
  scale: ScaleName,
  field: CounterField,
  layout: TimelineLayout,
): void {
  const range = field.high - field.low;
  const width = (field.span.to - field.span.from) / field.parts;
  field.cells.forEach((parts, i) => {
    if (parts === null) return;
    // Whole pixels: no seams between rows or parts.
    const upper = Math.round(layout.topOf(field.first + i * field.group));
    const whole = Math.round(layout.topOf(field.first + (i + 1) * field.group)) - upper;
    const height = Math.max(1, whole - (whole >= 14 ? 3 : whole >= 6 ? 1 : 0));
    const shade = (part: number): number =>
      part >= parts.length || Number.isNaN(parts[part]!)
        ? -1
        : range > 0
          ? Math.round(((parts[part]! - field.low) / range) * SHADES)
          : SHADES / 2;
    let from = 0;
    for (let part = 1; part <= parts.length; part++) {
      if (part < parts.length && shade(part) === shade(from)) continue;
      const x = Math.round(layout.x(field.span.from + from * width));
      const end = Math.round(layout.x(field.span.from + part * width));
      if (shade(from) >= 0) {
        surface.rect(x, upper, end - x, height, scaleColor(scale, palette.dark, shade(from) / SHADES));
      }
      from = part;
    }
  });
}

export interface CurvesModel {
  readonly field: CounterField;
  readonly title: string;
  /** For each row of the field. */
  readonly names: readonly string[];
  /** Space for names at the left, and none at the right: as in the timeline above. */
  readonly left: number;
  readonly right: number;
}

const TOP = 20;
const BOTTOM = 8;

export function curveColor(i: number): string {
  return schemeTableau10[[0, 1, 2, 4, 6, 5][i]!]!;
}

export function drawCurves(surface: Surface, palette: Palette, model: CurvesModel): void {
  const { field, left } = model;
  const width = surface.width - left - model.right;
  const height = surface.height - TOP - BOTTOM;
  if (width < 40 || height < 20) return;
  surface.text(left, TOP / 2, model.title, { size: 11, color: palette.ink, weight: 600, limit: width * 0.6 });
  if (field.low > field.high) {
    surface.text(left + width / 2, TOP + height / 2, "no values here", { size: 11, color: palette.muted, anchor: "middle" });
    return;
  }
  const [low, high] = rangeOf(field);
  const y = scaleLinear(low === high ? [low - 1, high + 1] : [low, high], [TOP + height, TOP]);
  for (const tick of y.ticks(Math.max(2, Math.floor(height / 32)))) {
    surface.line(left, y(tick), left + width, y(tick), { color: palette.line });
    surface.text(left - 6, y(tick), formatNumber(tick), { size: 10.5, color: palette.muted, anchor: "end", limit: left - 10 });
  }
  const x = (part: number): number => left + (part / field.parts) * width;
  const line = (values: Float64Array, color: string): void => {
    let points: Point[] = [];
    for (let part = 0; part <= field.parts; part++) {
      const value = part < field.parts ? values[part]! : NaN;
      if (!Number.isNaN(value)) {
        // A level holds its value until the next one: drawn as steps where they are wide.
        points.push([x(part), y(value)], [x(part + 1), y(value)]);
        continue;
      }
      if (points.length > 0) surface.polyline(points, { color, width: 1.5 });
      points = [];
    }
  };
  surface.clip(left, TOP - 2, width, height + 4, () => {
    const cells = field.cells;
    const band = (least: Float64Array, most: Float64Array, color: string): void => {
      for (let part = 0; part < field.parts; part++) {
        if (Number.isNaN(least[part]!)) continue;
        const top = y(most[part]!);
        surface.rect(x(part), top, x(part + 1) - x(part), Math.max(1, y(least[part]!) - top), color, 0.28);
      }
    };
    if (cells.length <= MOST_CURVES) {
      field.extremes.forEach((each, i) => each !== null && band(each.least, each.most, curveColor(i)));
      cells.forEach((values, i) => values !== null && line(values, curveColor(i)));
      return;
    }
    const { least, mean, most } = envelope(field);
    band(least, most, palette.communicate);
    line(mean, palette.ink);
  });
  drawNames(surface, palette, model, left + width);
}

function rangeOf(field: CounterField): [number, number] {
  let { low, high } = field;
  for (const each of field.extremes) {
    each?.least.forEach((value) => (low = value < low ? value : low));
    each?.most.forEach((value) => (high = value > high ? value : high));
  }
  return [low, high];
}

function drawNames(surface: Surface, palette: Palette, model: CurvesModel, right: number): void {
  const names =
    model.field.cells.length > MOST_CURVES
      ? [{ name: "from the smallest to the largest of the rows above; line: their mean", color: palette.muted }]
      : model.names
          .map((name, i) => ({ name, color: curveColor(i) }))
          .filter((_, i) => model.field.cells[i] !== null);
  let x = right;
  for (const { name, color } of names.reverse()) {
    surface.text(x, TOP / 2, name, { size: 11, color, anchor: "end", weight: 600 });
    x -= 7 * name.length + 14;
  }
}

/** @returns over all rows: the smallest, the mean and the largest value in each part. */
export function envelope(field: CounterField): { least: Float64Array; mean: Float64Array; most: Float64Array } {
  const least = new Float64Array(field.parts).fill(NaN);
  const most = new Float64Array(field.parts).fill(NaN);
  const mean = new Float64Array(field.parts);
  const known = new Uint32Array(field.parts);
  for (const values of field.cells) {
    values?.forEach((value, part) => {
      if (Number.isNaN(value)) return;
      if (!(least[part]! <= value)) least[part] = value;
      if (!(most[part]! >= value)) most[part] = value;
      mean[part]! += value;
      known[part]!++;
    });
  }
  return { least, most, mean: mean.map((sum, part) => (known[part] === 0 ? NaN : sum / known[part]!)) };
}
