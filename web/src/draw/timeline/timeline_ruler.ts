// SPDX-License-Identifier: BSD-3-Clause
/** The ruler above the rows of a timeline: times, iterations, excerpts, the density of messages. */
import { scaleLinear } from "d3-scale";
import { formatTick } from "../../format";
import type { Iteration, Phase } from "../../model/report";
import { niceStep } from "../axis";
import type { Palette } from "../colors";
import { textWidth, type Surface } from "../surface";
import type { TimelineScene } from "./timeline";
import { BOTTOM, ITERATIONS, type TimelineLayout } from "./timeline_layout";

/** Upper edge of the iterations. */
const ITERATIONS_TOP = 19;

/** Minimum width of iterations that are drawn separately, and minimum distance of their numbers. */
const LEAST_ITERATION = 3;
const LEAST_NUMBER = 30;

export function drawRuler(surface: Surface, palette: Palette, scene: TimelineScene, layout: TimelineLayout): void {
  drawTimes(surface, palette, scene, layout);
  if (scene.phase !== null) drawStripes(surface, palette, scene.phase, layout);
  drawExcerpts(surface, palette, scene, layout);
}

function drawTimes(surface: Surface, palette: Palette, scene: TimelineScene, layout: TimelineLayout): void {
  const seconds = (time: number): number => time / scene.report.ticksPerSecond;
  const from = seconds(scene.span.from);
  const to = seconds(scene.span.to);
  const scale = scaleLinear([from, to], [layout.left, layout.left + layout.plotWidth]);
  const ticks = scale.ticks(Math.max(2, Math.floor(layout.plotWidth / 120)));
  // Far into the run, the digits that all marks share would hide the others.
  const isFar = ticks.length > 1 && from > 200 * (to - from);
  const base = isFar ? ticks[0]! : 0;
  ticks.forEach((tick, i) => {
    const text = isFar && i > 0 ? `+${formatTick(tick - base)}` : isFar ? `${tick} s` : formatTick(tick);
    surface.line(scale(tick), layout.ruler - 5, scale(tick), surface.height - BOTTOM, { color: palette.line });
    // The last mark must not exceed the chart.
    const isLast = scale(tick) + textWidth(text, 11) / 2 > surface.width;
    const [x, anchor] = isLast ? ([surface.width - 1, "end"] as const) : ([scale(tick), "middle"] as const);
    surface.text(x, 11, text, { size: 11, color: palette.muted, anchor });
  });
}

/** The windows with known single events. */
export function drawExcerpts(surface: Surface, palette: Palette, scene: TimelineScene, layout: TimelineLayout): void {
  if (scene.timeline.bins === null || scene.timeline.isTiled) return;
  scene.timeline.windows.forEach((window) => {
    const x = Math.max(layout.left, layout.x(window.from));
    const end = Math.min(layout.left + layout.plotWidth, layout.x(window.to));
    if (end > layout.left && x < layout.left + layout.plotWidth) {
      surface.rect(x, layout.ruler - 12, Math.max(3, end - x), 5, palette.accent, 0.75);
    }
  });
}

/** @returns the number of the first row of a phase that ends after a time. */
function firstAfter({ rows }: Phase, time: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows[middle]!.end <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The iterations of a phase as stripes. */
export function drawStripes(surface: Surface, palette: Palette, phase: Phase, layout: TimelineLayout): void {
  const { rows } = phase;
  const right = layout.left + layout.plotWidth;
  const end = Math.min(rows.length, firstAfter(phase, layout.span.to) + 1);
  const first = firstAfter(phase, layout.span.from);
  const mean = (layout.x(rows[end - 1]?.end ?? 0) - layout.x(rows[first]?.begin ?? 0)) / Math.max(1, end - first);
  const height = ITERATIONS - 3;
  // Where iterations are narrow, several are one stripe; the number of a stripe is that of its first iteration.
  const step = mean >= LEAST_ITERATION ? 1 : niceStep(Math.ceil(LEAST_ITERATION / Math.max(mean, 1e-9)));
  const every = Math.max(step, niceStep(Math.ceil(LEAST_NUMBER / Math.max(mean, 1e-9))));
  for (let i = Math.floor(first / step) * step; i < end; i += step) {
    const x = Math.max(layout.left, layout.x(rows[i]!.begin));
    const until = Math.min(right, layout.x(rows[Math.min(rows.length, i + step) - 1]!.end));
    if (until <= x) continue;
    const isOdd = (i / step) % 2 === 1;
    surface.rect(x, ITERATIONS_TOP, until - x, height, palette.accent, isOdd ? 0.3 : 0.16);
    if (i % every === 0 && until - x >= 0) {
      const text = step === 1 && mean >= 84 ? `iteration ${rows[i]!.first}` : String(rows[i]!.first);
      const room = Math.min(right, layout.x(rows[Math.min(rows.length, i + every) - 1]!.end)) - x - 4;
      if (textWidth(text, 10) <= room) {
        surface.text(x + 3, ITERATIONS_TOP + height / 2, text, { size: 10, color: palette.ink });
      }
    }
  }
}

/** @returns the iteration whose stripe in the ruler is at a point; null: none. */
export function iterationAt(phase: Phase | null, layout: TimelineLayout, x: number, y: number): Iteration | null {
  if (phase === null || y < ITERATIONS_TOP - 2 || y > ITERATIONS_TOP + ITERATIONS - 2) return null;
  const time = layout.time(x);
  const row = phase.rows[firstAfter(phase, time)];
  return row !== undefined && row.begin <= time ? row : null;
}

/** The number of arrows that begin in each part of the visible time, above the rows. */
export function drawDensity(
  surface: Surface,
  palette: Palette,
  layout: TimelineLayout,
  times: readonly number[],
): void {
  const width = 3;
  const counts = new Float64Array(Math.ceil(layout.plotWidth / width));
  let most = 0;
  for (const time of times) {
    const at = Math.floor((layout.x(time) - layout.left) / width);
    if (at < 0 || at >= counts.length) continue;
    most = Math.max(most, ++counts[at]!);
  }
  const height = 10;
  counts.forEach((count, i) => {
    if (count === 0) return;
    const tall = Math.max(1, (height * count) / most);
    surface.rect(layout.left + i * width, layout.ruler - 1 - tall, width - 0.5, tall, palette.ink, 0.55);
  });
}
