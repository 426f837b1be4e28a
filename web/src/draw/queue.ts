// SPDX-License-Identifier: BSD-3-Clause
/** The length of a lock's queue over time. */
import { scaleLinear } from "d3-scale";
import type { JsonLock } from "../data/layout";
import { formatTick } from "../format";
import { ticks } from "./axis";
import type { Palette } from "./colors";
import type { Point, Surface } from "./surface";

const LEFT = 44;
const RIGHT = 12;
const TOP = 12;
const BOTTOM = 26;

export function drawQueue(surface: Surface, palette: Palette, lock: JsonLock): void {
  const { queue } = lock;
  const width = surface.width - LEFT - RIGHT;
  const height = surface.height - TOP - BOTTOM;
  const largest = Math.max(...queue, 0);
  if (queue.length === 0 || largest <= 0 || width < 20) return;
  const y = (value: number): number => TOP + height * (1 - value / largest);
  for (const tick of ticks(largest, 4)) {
    surface.line(LEFT, y(tick), LEFT + width, y(tick), { color: palette.line });
    surface.text(LEFT - 6, y(tick), tick.toString(), { size: 11, color: palette.muted, anchor: "end" });
  }
  const time = scaleLinear([lock.begin, lock.end], [LEFT, LEFT + width]);
  for (const tick of time.ticks(Math.max(2, Math.floor(width / 110)))) {
    surface.line(time(tick), TOP + height, time(tick), TOP + height + 4, { color: palette.muted });
    const isLast = LEFT + width - time(tick) < 20; // centered, it would be cut off
    surface.text(isLast ? LEFT + width + RIGHT - 2 : time(tick), TOP + height + 14, formatTick(tick), {
      size: 11,
      color: palette.muted,
      anchor: isLast ? "end" : "middle",
    });
  }
  const points: Point[] = [[LEFT, TOP + height]];
  queue.forEach((length, i) => {
    points.push([LEFT + (width * i) / queue.length, y(length)]);
    points.push([LEFT + (width * (i + 1)) / queue.length, y(length)]);
  });
  points.push([LEFT + width, TOP + height]);
  surface.polygon(points, palette.wait, 0.3);
  surface.polyline(points.slice(1, -1), { color: palette.wait, width: 1.4 });
}

/** @returns the bin at an x of the chart, -1 if there is none. */
export function queueBin(lock: JsonLock, x: number, width: number): number {
  const inside = width - LEFT - RIGHT;
  if (x < LEFT || x >= LEFT + inside || lock.queue.length === 0) return -1;
  return Math.floor(((x - LEFT) / inside) * lock.queue.length);
}
