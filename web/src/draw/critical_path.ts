// SPDX-License-Identifier: BSD-3-Clause
/** The critical path over time and locations. */
import { scaleLinear } from "d3-scale";
import { formatTick } from "../format";
import { shortLocationName, type Report } from "../model/report";
import { niceStep } from "./axis";
import type { Palette } from "./colors";
import { drawPathBars } from "./path_bars";
import { textWidth, type Surface } from "./surface";

const LEAST_LEFT = 70;
const RIGHT = 14;
const TOP = 10;
const BOTTOM = 26;

/** @returns where the names end: the last location's is one of the longest. */
function leftOf(report: Report): number {
  return Math.max(LEAST_LEFT, textWidth(shortLocationName(report, report.locations.length - 1), 11) + 18);
}

export function drawCriticalPath(surface: Surface, palette: Palette, report: Report): void {
  const { location, edge } = report.criticalPath;
  const left = leftOf(report);
  const width = surface.width - left - RIGHT;
  const height = surface.height - TOP - BOTTOM;
  const count = report.locations.length;
  if (location.length === 0 || width < 20) return;
  const seconds = (ticks: number): number => ticks / report.ticksPerSecond;
  const x = scaleLinear([seconds(edge[0]!), seconds(edge[edge.length - 1]!)], [left, left + width]);
  const lane = height / count;
  const y = (index: number): number => TOP + (index + 0.5) * lane;
  const every = niceStep(count / Math.max(1, Math.floor(height / 16)));
  for (let i = 0; i < count; i += every) {
    surface.line(left, y(i), left + width, y(i), { color: palette.line });
    surface.text(left - 8, y(i), shortLocationName(report, i), {
      size: 11,
      color: palette.muted,
      anchor: "end",
    });
  }
  for (const tick of x.ticks(Math.max(2, Math.floor(width / 110)))) {
    surface.text(x(tick), TOP + height + 14, formatTick(tick), {
      size: 11,
      color: palette.muted,
      anchor: "middle",
    });
  }
  const thick = Math.max(1.5, Math.min(8, lane * 0.5));
  drawPathBars(surface, report.criticalPath, {
    x: (at) => x(seconds(at)),
    y,
    from: left,
    to: left + width,
    thick,
    color: palette.path,
  });
}

/** @returns the segment at an x of the chart, -1 if there is none. */
export function segmentAt(report: Report, x: number, width: number): number {
  const { location, edge } = report.criticalPath;
  const left = leftOf(report);
  const first = edge[0]!;
  const time = first + ((x - left) / (width - left - RIGHT)) * (edge[edge.length - 1]! - first);
  let low = 0;
  let high = location.length - 1;
  if (x < left || x > width - RIGHT) return -1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (edge[middle]! <= time) low = middle;
    else high = middle - 1;
  }
  return low;
}
