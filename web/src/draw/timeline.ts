/** The timeline: locations by time. */
import { scaleLinear } from "d3-scale";
import { formatCount, formatTick } from "../format";
import type { Arrangement } from "../model/arrangement";
import type { CounterField } from "../model/counters";
import type { PathSegments, Report } from "../model/report";
import type { Activity, Timeline } from "../model/timeline";
import type { Span } from "../state/timeline";
import { niceStep } from "./axis";
import type { Palette, ScaleName } from "./colors";
import { drawField } from "./counters";
import { drawPathBars } from "./path_bars";
import { textWidth, type Surface } from "./surface";
import { drawArrows, drawCauses, drawChosen } from "./timeline_arrows";
import type { TimelineColors } from "./timeline_colors";
import { BOTTOM, TimelineLayout, TOP } from "./timeline_layout";
import { paintRows } from "./timeline_rows";

export interface TimelineScene {
  readonly report: Report;
  readonly timeline: Timeline;
  readonly colors: TimelineColors;
  readonly span: Span;
  readonly rows: Span;
  readonly arrangement: Arrangement;
  /** Values of a counter, in the colours of the rows; null: the colours show the activity of the
   * locations. */
  readonly field: CounterField | null;
  readonly scale: ScaleName;
  readonly arrows: boolean;
  readonly path: PathSegments | null;
  /** The selected wait state, -1: none; with the chain of its causes. */
  readonly chosen: number;
  readonly chain: readonly Activity[];
}

export function layoutOf(scene: TimelineScene, width: number, height: number): TimelineLayout {
  return new TimelineLayout(width, height, scene.timeline, scene.span, scene.rows, scene.arrangement);
}

export function drawTimeline(surface: Surface, palette: Palette, scene: TimelineScene): void {
  const layout = layoutOf(scene, surface.width, surface.height);
  if (layout.plotWidth < 40 || layout.plotHeight < 8) return;
  drawAxis(surface, palette, scene, layout);
  drawNames(surface, palette, scene, layout);
  surface.clip(layout.left, TOP, layout.plotWidth, layout.plotHeight, () => {
    if (scene.field !== null) drawField(surface, palette, scene.scale, scene.field, layout);
    else paintRows(surface, palette, scene, layout);
    if (scene.path !== null) drawPath(surface, palette, scene.path, layout);
    if (scene.arrows) drawArrows(surface, palette, scene, layout);
    drawCauses(surface, palette, scene, layout);
    drawChosen(surface, palette, scene, layout);
  });
}

function drawAxis(surface: Surface, palette: Palette, scene: TimelineScene, layout: TimelineLayout): void {
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
    surface.line(scale(tick), TOP - 5, scale(tick), surface.height - BOTTOM, { color: palette.line });
    // The last mark must not exceed the chart.
    const isLast = scale(tick) + textWidth(text, 11) / 2 > surface.width;
    const [x, anchor] = isLast ? ([surface.width - 1, "end"] as const) : ([scale(tick), "middle"] as const);
    surface.text(x, TOP - 23, text, { size: 11, color: palette.muted, anchor });
  });
  if (scene.timeline.bins === null || scene.timeline.isTiled) return;
  // The windows with known single events.
  scene.timeline.windows.forEach((window) => {
    const x = Math.max(layout.left, layout.x(window.from));
    const end = Math.min(layout.left + layout.plotWidth, layout.x(window.to));
    if (end > layout.left && x < layout.left + layout.plotWidth) {
      surface.rect(x, TOP - 12, Math.max(3, end - x), 5, palette.accent, 0.75);
    }
  });
}

function drawNames(surface: Surface, palette: Palette, scene: TimelineScene, layout: TimelineLayout): void {
  const { report, arrangement } = scene;
  const every = Math.max(1, Math.ceil(13 / layout.laneHeight));
  const step = every <= 1 ? 1 : niceStep(every);
  const first = Math.ceil(Math.max(0, scene.rows.from - 0.5) / step) * step;
  for (let i = first; i < Math.min(arrangement.rows, scene.rows.to); i += step) {
    const y = layout.topOf(i + 0.5);
    if (y < TOP || y > TOP + layout.plotHeight) continue;
    const group = arrangement.group(i);
    const { rank, thread } = report.locations[arrangement.location(i)]!;
    const name = thread === 0 ? `rank ${rank}` : `${rank}.${thread}`;
    if (group < 0) {
      surface.text(layout.left - 8, y, name, { size: 11, color: palette.muted, anchor: "end" });
      continue;
    }
    const isOpen = arrangement.isOpen(group);
    const [x, half] = [12, 3.5];
    surface.polygon(
      isOpen
        ? [[x - half, y - 2], [x + half, y - 2], [x, y + 3]]
        : [[x - 2, y - half], [x - 2, y + half], [x + 3, y]],
      palette.muted,
    );
    const size = formatCount(arrangement.alike!.members[group]!.length);
    surface.text(layout.left - 8, y, `${size} like ${name}`, {
      size: 11,
      color: palette.ink,
      anchor: "end",
      limit: layout.left - 26,
    });
  }
}

function drawPath(surface: Surface, palette: Palette, path: PathSegments, layout: TimelineLayout): void {
  if (path.location.length === 0) return;
  const thick = Math.max(1.5, Math.min(4, layout.laneHeight * 0.2));
  drawPathBars(surface, path, {
    x: (ticks) => layout.x(ticks),
    y: (location) => layout.top(location) + layout.laneHeight - thick / 2,
    from: layout.left,
    to: layout.left + layout.plotWidth,
    thick,
    color: palette.path,
  });
}
