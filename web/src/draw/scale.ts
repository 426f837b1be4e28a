// SPDX-License-Identifier: BSD-3-Clause
/** The legend of a colour scale in a chart: its colours between two values. */
import { fractionColor, type Palette, type ScaleName } from "./colors";
import { textWidth, type Surface } from "./surface";

/** Height that a legend takes below or above a chart. */
export const SCALE_HEIGHT = 22;

export interface ScaleModel {
  readonly scale: ScaleName;
  /** Values of the first and the last colour, formatted. Signed scales: of -1 and of 1. */
  readonly low: string;
  readonly high: string;
  readonly signed?: boolean;
}

const STEPS = 64;
const WIDTH = 130;

/** Draws "low [colours] high" at a position; the text is vertically centred at y. */
export function drawScale(surface: Surface, palette: Palette, x: number, y: number, model: ScaleModel): void {
  const style = { size: 11, color: palette.muted };
  surface.text(x, y, model.low, style);
  const left = x + textWidth(model.low, 11) + 6;
  const width = Math.max(20, Math.min(WIDTH, surface.width - left - textWidth(model.high, 11) - 12));
  for (let i = 0; i < STEPS; i++) {
    const t = i / (STEPS - 1);
    const color = fractionColor(model.scale, palette, model.signed ? 2 * t - 1 : t);
    surface.rect(left + (i * width) / STEPS, y - 5, width / STEPS + 0.5, 10, color);
  }
  surface.text(left + width + 6, y, model.high, style);
}
