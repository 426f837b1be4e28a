// SPDX-License-Identifier: BSD-3-Clause
/** A matrix of colours: rows with names, a column for each location. */
import { niceStep } from "./axis";
import { fractionColor, type Palette, type ScaleName } from "./colors";
import { drawScale, SCALE_HEIGHT } from "./scale";
import { textWidth, type Surface } from "./surface";

export interface HeatMapModel {
  readonly rows: readonly { readonly name: string; readonly callpath: number; readonly values: ArrayLike<number> }[];
  readonly columns: number;
  /** What a column is, and its number in the program. */
  readonly column: string;
  readonly number: (column: number) => string;
  readonly scale: ScaleName;
  readonly format: (value: number) => string;
}

const TOP = 6;
const BOTTOM = 24 + SCALE_HEIGHT;
const LARGEST_ROW = 26;

function frame(model: HeatMapModel, width: number, height: number) {
  // Names are not cut off where there is room.
  const longest = model.rows.reduce((most, { name }) => Math.max(most, textWidth(name, 12)), 0);
  const left = Math.min(Math.max(60, longest + 14), width * 0.35);
  const inside = width - left - 8;
  const row = Math.min(LARGEST_ROW, (height - TOP - BOTTOM) / model.rows.length);
  return { left, inside, row, step: inside / model.columns };
}

export function drawHeatMap(surface: Surface, palette: Palette, model: HeatMapModel): void {
  const { left, inside, row, step } = frame(model, surface.width, surface.height);
  if (inside < 20 || row < 1) return;
  let largest = 0;
  for (const { values } of model.rows) {
    for (let i = 0; i < values.length; i++) largest = Math.max(largest, Math.abs(values[i]!));
  }
  const signed = model.rows.some(({ values }) => Array.prototype.some.call(values, (value: number) => value < 0));
  // Several locations may share a pixel: the pixel shows the largest of them.
  const drawn = Math.min(model.columns, Math.floor(inside));
  const size = inside / drawn;
  model.rows.forEach(({ name, values }, r) => {
    const y = TOP + r * row;
    if (row >= 9) {
      surface.text(left - 6, y + row / 2, name, {
        size: Math.min(12, row),
        color: palette.ink,
        anchor: "end",
        limit: left - 10,
      });
    }
    for (let c = 0; c < drawn; c++) {
      const from = Math.floor((c * model.columns) / drawn);
      const to = Math.max(from + 1, Math.floor(((c + 1) * model.columns) / drawn));
      let value = 0;
      for (let i = from; i < to; i++) if (Math.abs(values[i]!) > Math.abs(value)) value = values[i]!;
      if (value === 0 || largest <= 0) continue;
      const gap = size >= 6 ? 1 : 0;
      surface.rect(
        left + c * size,
        y,
        size - gap,
        Math.max(1, row - (row >= 6 ? 1 : 0)),
        fractionColor(model.scale, palette, value / largest),
      );
    }
  });
  const bottom = TOP + model.rows.length * row + 12;
  const every = niceStep(model.columns / Math.max(1, Math.floor(inside / 44)));
  for (let i = 0; i < model.columns; i += every) {
    surface.text(left + (i + 0.5) * step, bottom, model.number(i), {
      size: 11,
      color: palette.muted,
      anchor: "middle",
    });
  }
  surface.text(left - 6, bottom, model.column, { size: 11, color: palette.muted, anchor: "end" });
  drawScale(surface, palette, left, bottom + SCALE_HEIGHT, {
    scale: model.scale,
    low: signed ? model.format(-largest) : "0",
    high: model.format(largest),
    signed,
  });
}

export function heatMapCell(
  model: HeatMapModel,
  x: number,
  y: number,
  width: number,
  height: number,
): { row: number; column: number } | null {
  const { left, inside, row } = frame(model, width, height);
  const r = Math.floor((y - TOP) / row);
  const c = Math.floor(((x - left) / inside) * model.columns);
  return r >= 0 && r < model.rows.length && c >= 0 && c < model.columns ? { row: r, column: c } : null;
}
