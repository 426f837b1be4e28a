/** A matrix of colours: rows with names, a column for each location. */
import { scaleColor, type Palette, type ScaleName } from "./colors";
import type { Surface } from "./surface";

export interface HeatMapModel {
  readonly rows: readonly { readonly name: string; readonly callpath: number; readonly values: ArrayLike<number> }[];
  readonly columns: number;
  readonly scale: ScaleName;
}

const TOP = 6;
const BOTTOM = 24;
const LARGEST_ROW = 26;

function frame(model: HeatMapModel, width: number, height: number) {
  const left = Math.min(150, width * 0.35);
  const inside = width - left - 8;
  const row = Math.min(LARGEST_ROW, (height - TOP - BOTTOM) / model.rows.length);
  return { left, inside, row, step: inside / model.columns };
}

export function drawHeatMap(surface: Surface, palette: Palette, model: HeatMapModel): void {
  const { left, inside, row, step } = frame(model, surface.width, surface.height);
  if (inside < 20 || row < 1) return;
  let largest = 0;
  for (const { values } of model.rows) {
    for (let i = 0; i < values.length; i++) largest = Math.max(largest, values[i]!);
  }
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
      for (let i = from; i < to; i++) value = Math.max(value, values[i]!);
      if (value <= 0 || largest <= 0) continue;
      const gap = size >= 6 ? 1 : 0;
      surface.rect(
        left + c * size,
        y,
        size - gap,
        Math.max(1, row - (row >= 6 ? 1 : 0)),
        scaleColor(model.scale, palette.dark, value / largest),
      );
    }
  });
  const bottom = TOP + model.rows.length * row + 12;
  const every = Math.max(1, Math.ceil(model.columns / Math.max(1, Math.floor(inside / 44))));
  for (let i = 0; i < model.columns; i += every) {
    surface.text(left + (i + 0.5) * step, bottom, i.toString(), {
      size: 11,
      color: palette.muted,
      anchor: "middle",
    });
  }
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
