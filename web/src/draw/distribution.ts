// SPDX-License-Identifier: BSD-3-Clause
/** Box plot and violin of values, with a dot for each value. */
import { density, distribute } from "../model/distribution";
import { ticks } from "./axis";
import type { Palette } from "./colors";
import type { Point, Surface } from "./surface";

export interface DistributionModel {
  readonly values: ArrayLike<number>;
  readonly format: (value: number) => string;
}

const LEFT = 74;
const MARGIN = 14;
const DENSITIES = 64;
const MOST_DOTS = 2000;

export function drawDistribution(surface: Surface, palette: Palette, model: DistributionModel): void {
  const { values, format } = model;
  const height = surface.height - 2 * MARGIN;
  const width = surface.width - LEFT - MARGIN;
  if (values.length === 0 || height < 20 || width < 60) return;
  const statistics = distribute(values);
  const top = statistics.max > 0 ? statistics.max : 1;
  const y = (value: number): number => MARGIN + height - (value / top) * height;
  for (const tick of ticks(top, Math.max(2, Math.floor(height / 60)))) {
    surface.line(LEFT, y(tick), LEFT + width, y(tick), { color: palette.line });
    surface.text(LEFT - 6, y(tick), format(tick), { size: 11, color: palette.muted, anchor: "end" });
  }

  const middle = LEFT + width * 0.32;
  const half = Math.min(width * 0.26, 90);
  if (statistics.max > statistics.min) {
    const curve = density(values, DENSITIES);
    const side = (sign: number): Point[] =>
      Array.from(curve, (value, i) => [
        middle + sign * half * value,
        y(statistics.min + ((statistics.max - statistics.min) * i) / (DENSITIES - 1)),
      ]);
    surface.polygon([...side(-1), ...side(1).reverse()], palette.wait, 0.22);
  }
  const box = Math.min(26, half * 0.5);
  surface.line(middle, y(statistics.min), middle, y(statistics.max), { color: palette.ink });
  surface.rect(
    middle - box / 2,
    y(statistics.upperQuartile),
    box,
    Math.max(1, y(statistics.lowerQuartile) - y(statistics.upperQuartile)),
    palette.wait,
    0.85,
  );
  const across = (value: number, size: number, thick: number): void =>
    surface.line(middle - size, y(value), middle + size, y(value), { color: palette.ink, width: thick });
  across(statistics.min, box * 0.4, 1);
  across(statistics.max, box * 0.4, 1);
  across(statistics.median, box / 2, 2);
  surface.circle(middle, y(statistics.mean), 3, palette.panel);
  surface.circle(middle, y(statistics.mean), 2, palette.ink);

  // Dots side by side in the order of the locations: a slope over the ranks becomes visible.
  const dotsLeft = LEFT + width * 0.66;
  const dotsWidth = width * 0.3;
  const every = Math.max(1, Math.ceil(values.length / MOST_DOTS));
  for (let i = 0; i < values.length; i += every) {
    const x = dotsLeft + ((i + 0.5) / values.length) * dotsWidth;
    surface.circle(x, y(values[i]!), values.length > 200 ? 1.2 : 2.2, palette.wait, 0.75);
  }
}
