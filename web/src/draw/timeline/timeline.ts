// SPDX-License-Identifier: BSD-3-Clause
/** The timeline: locations by time. */
import { formatCount } from "../../format";
import type { Arrangement } from "../../model/arrangement";
import type { CounterField } from "../../model/counters";
import { processName, shortLocationName, type PathSegments, type Phase, type Report } from "../../model/report";
import type { Item } from "../../model/selection";
import type { Activity, Timeline } from "../../model/timeline";
import type { Span } from "../../state/timeline";
import { niceStep } from "../axis";
import type { Palette, ScaleName } from "../colors";
import { drawField } from "./counters";
import { drawPathBars } from "../path_bars";
import type { Surface } from "../surface";
import { drawTeams } from "./team_frames";
import { drawArrows, drawCauses, drawChosen } from "./timeline_arrows";
import type { TimelineColors } from "./timeline_colors";
import { TimelineLayout } from "./timeline_layout";
import { drawRuler } from "./timeline_ruler";
import { paintPinned, paintRows } from "./timeline_rows";

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
  /** Frames around the threads of teams. */
  readonly teams: boolean;
  /** Its iterations are shown in the ruler. */
  readonly phase: Phase | null;
  /** The call stack as nested rows, where there is space. */
  readonly stack: boolean;
  /** The selected interval, and the selected call or computation. */
  readonly interval: Span | null;
  readonly item: Item | null;
  /** How long each location waits, and how long others wait for it: parts of the largest values; beside the
   * rows. */
  readonly totals: Totals | null;
  readonly path: PathSegments | null;
  /** The selected wait state, -1: none; with the chain of its causes. */
  readonly chosen: number;
  readonly chain: readonly Activity[];
}

/** Fractions of the largest value; [location]. */
export interface Totals {
  readonly waiting: Float64Array;
  readonly blame: Float64Array;
}

export function layoutOf(scene: TimelineScene, width: number, height: number): TimelineLayout {
  return new TimelineLayout(width, height, scene.timeline, scene.span, scene.rows, scene.arrangement, scene.phase !== null);
}

export function drawTimeline(surface: Surface, palette: Palette, scene: TimelineScene): void {
  const layout = layoutOf(scene, surface.width, surface.height);
  if (layout.plotWidth < 40 || layout.plotHeight < 8) return;
  drawRuler(surface, palette, scene, layout);
  drawNames(surface, palette, scene, layout);
  drawBody(surface, palette, scene, layout);
}

/** Draws all but the ruler and the names. */
export function drawBody(surface: Surface, palette: Palette, scene: TimelineScene, layout: TimelineLayout): void {
  if (scene.totals !== null) drawTotals(surface, palette, scene, scene.totals, layout);
  surface.clip(layout.left, layout.ruler, layout.plotWidth, layout.fullHeight, () => {
    if (scene.field !== null) {
      paintPinned(surface, palette, scene, layout);
      drawField(surface, palette, scene.scale, scene.field, layout);
    } else paintRows(surface, palette, scene, layout);
    if (scene.path !== null) drawPath(surface, palette, scene.path, layout);
  });
  if (scene.teams) drawTeams(surface, palette, scene, layout);
  if (scene.arrows) drawArrows(surface, palette, scene, layout);
  surface.clip(layout.left, layout.upper, layout.plotWidth, layout.plotHeight, () => {
    drawCauses(surface, palette, scene, layout);
    drawChosen(surface, palette, scene, layout);
    if (scene.item !== null) drawItem(surface, palette, scene.item, layout);
  });
  if (scene.interval !== null) drawInterval(surface, palette, scene.interval, layout);
}

function drawItem(surface: Surface, palette: Palette, item: Item, layout: TimelineLayout): void {
  const x = Math.max(layout.left - 4, layout.x(item.from));
  const end = Math.min(layout.left + layout.plotWidth + 4, layout.x(item.to));
  const top = layout.top(item.location);
  if (Number.isNaN(top) || end < layout.left || x > layout.left + layout.plotWidth) return;
  const height = Math.max(4, layout.laneHeight - (layout.laneHeight >= 14 ? 3 : 0));
  surface.frame(x, top, Math.max(3, end - x), height, { color: palette.panel, width: 4 });
  surface.frame(x, top, Math.max(3, end - x), height, { color: palette.ink, width: 2 });
}

/** Width of a strip beside the rows. */
const STRIP = 3;

/** Beside each row: how long its location waits, and how long others wait for it; of several locations, the
 * largest value. */
function drawTotals(surface: Surface, palette: Palette, scene: TimelineScene, totals: Totals, layout: TimelineLayout): void {
  const { arrangement, rows } = scene;
  const strip = (row: number, end: number, bottom: number): void => {
    let [waiting, blame] = [0, 0];
    const add = (location: number): void => {
      waiting = Math.max(waiting, totals.waiting[location]!);
      blame = Math.max(blame, totals.blame[location]!);
    };
    for (let each = row; each < Math.min(end, arrangement.rows); each++) {
      const group = arrangement.group(each);
      if (group < 0) add(arrangement.location(each));
      else for (const location of arrangement.alike!.members[group]!) add(location);
    }
    const top = Math.max(row < 0 ? layout.ruler : layout.upper, layout.topOf(row));
    const height = Math.min(layout.upper + layout.plotHeight, bottom) - top;
    if (height <= 0) return;
    const shown = height >= 6 ? height - 1 : height;
    if (waiting > 0) surface.rect(layout.left - 2 * STRIP - 1, top, STRIP, shown, palette.wait, waiting);
    if (blame > 0) surface.rect(layout.left - STRIP - 1, top, STRIP, shown, palette.cause, blame);
  };
  for (let row = -arrangement.pinned.length; row < 0; row++) strip(row, row + 1, layout.bottomOf(row));
  const last = Math.min(arrangement.rows, Math.ceil(rows.to));
  for (let row = Math.max(0, Math.floor(rows.from / layout.group) * layout.group); row < last; row += layout.group) {
    strip(row, row + layout.group, layout.topOf(row + layout.group));
  }
}

function drawInterval(surface: Surface, palette: Palette, interval: Span, layout: TimelineLayout): void {
  const left = Math.max(layout.left, layout.x(interval.from));
  const right = Math.min(layout.left + layout.plotWidth, layout.x(interval.to));
  if (right < left) return;
  const bottom = layout.ruler + layout.fullHeight;
  surface.rect(left, 0, Math.max(1, right - left), bottom, palette.accent, 0.12);
  surface.line(left, 0, left, bottom, { color: palette.accent, width: 1.5 });
  surface.line(right, 0, right, bottom, { color: palette.accent, width: 1.5 });
}

export function drawNames(surface: Surface, palette: Palette, scene: TimelineScene, layout: TimelineLayout): void {
  const { arrangement } = scene;
  arrangement.pinned.forEach((location, i) => {
    const y = (layout.topOf(i - arrangement.pinned.length) + layout.bottomOf(i - arrangement.pinned.length)) / 2;
    surface.circle(10, y - 2, 2.6, palette.accent);
    surface.line(10, y, 10, y + 5, { color: palette.accent, width: 1.4 });
    surface.text(layout.left - 11, y, shortLocationName(scene.report, location), { size: 11, color: palette.ink, anchor: "end" });
  });
  if (layout.upper > layout.ruler) {
    surface.line(0, layout.upper - 3, layout.left + layout.plotWidth, layout.upper - 3, { color: palette.muted, width: 1 });
  }
  const every = Math.max(1, Math.ceil(13 / layout.laneHeight));
  const step = every <= 1 ? 1 : niceStep(every);
  const first = Math.ceil(Math.max(0, scene.rows.from - 0.5) / step) * step;
  for (let i = first; i < Math.min(arrangement.rows, scene.rows.to); i += step) {
    const y = layout.topOf(i + 0.5);
    if (y < layout.upper || y > layout.upper + layout.plotHeight) continue;
    drawName(surface, palette, scene, layout, i, y);
  }
}

function drawName(
  surface: Surface,
  palette: Palette,
  { report, arrangement }: TimelineScene,
  layout: TimelineLayout,
  row: number,
  y: number,
): void {
  const group = arrangement.group(row);
  const name = shortLocationName(report, arrangement.location(row));
  if (group < 0) {
    surface.text(layout.left - 11, y, name, { size: 11, color: palette.muted, anchor: "end" });
    return;
  }
  const isOpen = arrangement.isOpen(group);
  const [x, half] = [12, 3.5];
  surface.polygon(
    isOpen ? [[x - half, y - 2], [x + half, y - 2], [x, y + 3]] : [[x - 2, y - half], [x - 2, y + half], [x + 3, y]],
    palette.muted,
  );
  const members = arrangement.alike!.members[group]!;
  const size = formatCount(members.length);
  const text =
    arrangement.kind === "ranked"
      ? `${name}, of ${size}`
      : arrangement.kind === "folded"
        ? `${processName(report, report.locations[members[0]!]!.rank)}: ${size} threads`
        : `${size} like ${name}`;
  surface.text(layout.left - 11, y, text, { size: 11, color: palette.ink, anchor: "end", limit: layout.left - 26 });
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
