// SPDX-License-Identifier: BSD-3-Clause
/** Arrows between locations in a timeline: messages, one-sided operations, threads, causes. */
import type { Palette } from "../colors";
import type { Stroke, Surface } from "../surface";
import type { TimelineScene } from "./timeline";
import { hasRow } from "../../model/arrangement";
import { isOfThreads } from "../../model/timeline";
import type { TimelineLayout } from "./timeline_layout";
import { drawDensity } from "./timeline_ruler";

/** Arrows are drawn one by one if each has this number of square pixels of the drawn excerpts, and at most this number:
 * otherwise they could not be told apart, and their density is drawn. */
const ROOM = 320;
const MOST_ARROWS = 1500;

/** In lower rows, the rows that arrows connect cannot be told apart. */
const LEAST_ROW = 5;
const MOST_CAUSES = 150;

/** Arrows shorter than this number of pixels are not drawn. */
const LEAST_LENGTH = 6;

/** Narrower waits have no arrow. */
const LEAST_WAIT = 10;

export function arrowStroke(palette: Palette, kind: number): Stroke {
  switch (kind) {
    case 1:
      return { color: palette.accent, width: 1.2 };
    case 2:
      return { color: palette.path, width: 1.2, dash: [5, 3] };
    case 3:
      return { color: palette.cause, width: 1.2, dash: [2, 2] };
    case 4:
      return { color: palette.muted, width: 1, dash: [1, 3] };
    case 5:
      return { color: palette.muted, width: 1 };
    case 6:
    case 7:
      return { color: palette.muted, width: 1.2, dash: [4, 2] };
    case 8:
      return { color: palette.accent, width: 1.2, dash: [5, 2] };
    case 9:
      return { color: palette.cause, width: 1.2, dash: [4, 2] };
    default:
      return { color: palette.ink, width: 1 };
  }
}

/** The heads distinguish kinds, too: a put's is filled, a get's open, an atomic operation's a diamond, a
 * lock's a ring; a thread's begin and end are open, a task's is a square, a hand-over's a ring. */
export function drawHead(
  surface: Surface,
  palette: Palette,
  kind: number,
  from: readonly [number, number],
  to: readonly [number, number],
): void {
  const { color } = arrowStroke(palette, kind);
  const length = Math.hypot(to[0] - from[0], to[1] - from[1]) || 1;
  const dx = (to[0] - from[0]) / length;
  const dy = (to[1] - from[1]) / length;
  const at = (along: number, across: number): [number, number] => [
    to[0] - along * dx - across * dy,
    to[1] - along * dy + across * dx,
  ];
  if (kind === 4 || kind === 9) {
    surface.circle(to[0], to[1], 2.6, color);
    surface.circle(to[0], to[1], 1.3, palette.panel);
  } else if (kind === 3) {
    surface.polygon([at(0, 0), at(4, 3), at(8, 0), at(4, -3)], color);
  } else if (kind === 8) {
    surface.polygon([at(0, 2.5), at(5, 2.5), at(5, -2.5), at(0, -2.5)], color);
  } else if (kind === 2 || kind === 6 || kind === 7) {
    surface.polyline([at(7, 3.5), at(0, 0), at(7, -3.5)], { color, width: 1.4 });
  } else {
    surface.polygon([at(0, 0), at(7, 3), at(7, -3)], color);
  }
}

/** @returns the arrows of the visible rows and the visible time, without duplicates. */
function visibleArrows(scene: TimelineScene, layout: TimelineLayout): number[] {
  const { arrows, windows } = scene.timeline;
  const shown: number[] = [];
  // Overlapping excerpts have the same arrows.
  const seen = new Set<string>();
  windows.forEach((window, i) => {
    if (!layout.isDrawn(i)) return;
    for (let k = window.arrows.first; k < window.arrows.end; k++) {
      const begin = arrows.since[k]!;
      const [tail, head] = [arrows.tail[k]!, arrows.head[k]!];
      if (begin + arrows.time[k]! < scene.span.from || begin > scene.span.to) continue;
      if (!layout.isVisible(tail) && !layout.isVisible(head)) continue;
      if (!hasRow(layout.arrangement, tail) && !hasRow(layout.arrangement, head)) continue;
      const key = `${arrows.kind[k]}.${tail}.${head}.${begin}.${arrows.time[k]}`;
      if (windows.length > 1 && seen.has(key)) continue;
      seen.add(key);
      shown.push(k);
    }
  });
  return shown;
}

/** Draws the arrows, or their density above the rows. Where not all have room, those between threads give way: their
 * threads are neighbours. */
export function drawArrows(surface: Surface, palette: Palette, scene: TimelineScene, layout: TimelineLayout): void {
  const { arrows } = scene.timeline;
  const all = visibleArrows(scene, layout);
  const most = Math.min(MOST_ARROWS, layout.drawnArea() / ROOM);
  const isTight = layout.group > 1 || layout.laneHeight < LEAST_ROW;
  const others = isTight || all.length > most ? all.filter((k) => !isOfThreads(arrows.kind[k]!)) : all;
  const shown = others.length > 0 ? others : all;
  if (isTight || shown.length > most) {
    drawDensity(surface, palette, layout, shown.map((k) => arrows.since[k]!));
    return;
  }
  surface.clip(layout.left, layout.upper, layout.plotWidth, layout.plotHeight, () => {
    for (const k of shown) drawArrow(surface, palette, scene, layout, k);
  });
}

function drawArrow(surface: Surface, palette: Palette, scene: TimelineScene, layout: TimelineLayout, k: number): void {
  const { arrows } = scene.timeline;
  const kind = arrows.kind[k]!;
  const begin = arrows.since[k]!;
  const from = [layout.x(begin), layout.middle(arrows.tail[k]!)] as const;
  const to = [layout.x(begin + arrows.time[k]!), layout.middle(arrows.head[k]!)] as const;
  // Not drawn: short ones, those of locations without a row, and those between threads in one row.
  if (isOfThreads(kind) && from[1] === to[1]) return;
  if (!(Math.abs(to[0] - from[0]) + Math.abs(to[1] - from[1]) >= LEAST_LENGTH)) return;
  surface.line(from[0], from[1], to[0], to[1], arrowStroke(palette, kind));
  drawHead(surface, palette, kind, from, to);
}

/** From waits to the events that ended them, where there is space. */
export function drawCauses(surface: Surface, palette: Palette, scene: TimelineScene, layout: TimelineLayout): void {
  const { waits } = scene.timeline;
  if (layout.group > 1) return;
  const shown: number[] = [];
  scene.timeline.windows.forEach((window, i) => {
    if (!layout.isDrawn(i)) return;
    for (let k = window.waits.first; k < window.waits.end; k++) {
      const end = waits.enter[k]! + waits.time[k]!;
      if (end < scene.span.from || end > scene.span.to || waits.causeLocation[k]! < 0) continue;
      const width = layout.x(end) - Math.max(layout.left, layout.x(waits.enter[k]!));
      const location = waits.location[k]!;
      if (width >= LEAST_WAIT && layout.isVisible(location) && hasRow(layout.arrangement, location)) shown.push(k);
    }
  });
  shown.sort((a, b) => waits.time[b]! - waits.time[a]!);
  for (const k of shown.slice(0, MOST_CAUSES)) drawCause(surface, palette, scene, layout, k, 1.2);
}

function drawCause(
  surface: Surface,
  palette: Palette,
  scene: TimelineScene,
  layout: TimelineLayout,
  wait: number,
  width: number,
): void {
  const { waits } = scene.timeline;
  const x = layout.x(waits.enter[wait]! + waits.time[wait]!);
  const from = layout.middle(waits.location[wait]!);
  const to = layout.middle(waits.causeLocation[wait]!);
  if (!(Math.abs(to - from) >= 2)) return; // the same row, or no row
  const down = to > from ? 1 : -1;
  surface.line(x, from, x, to, { color: palette.cause, width });
  surface.polygon([[x, to], [x - 3.5, to - 7 * down], [x + 3.5, to - 7 * down]], palette.cause);
  surface.circle(x, from, 2.2, palette.cause);
}

/** The selected wait state, and the chain of its causes. */
export function drawChosen(surface: Surface, palette: Palette, scene: TimelineScene, layout: TimelineLayout): void {
  const { waits } = scene.timeline;
  if (scene.chosen < 0) return;
  const frame = (location: number, from: number, to: number, color: string): void => {
    const x = Math.max(layout.left - 4, layout.x(from));
    const end = Math.min(layout.left + layout.plotWidth + 4, layout.x(to));
    const top = layout.top(location);
    if (Number.isNaN(top)) return;
    const height = Math.max(4, layout.laneHeight - (layout.laneHeight >= 14 ? 3 : 0));
    surface.frame(x, top, Math.max(3, end - x), height, { color: palette.panel, width: 4 });
    surface.frame(x, top, Math.max(3, end - x), height, { color, width: 2 });
  };
  let at = scene.chosen;
  for (const step of scene.chain) {
    const end = waits.enter[at]! + waits.time[at]!;
    drawCause(surface, palette, scene, layout, at, 2.4);
    if (step.wait < 0) {
      frame(step.location, waits.enter[at]!, end, palette.cause);
      break;
    }
    frame(step.location, waits.enter[step.wait]!, waits.enter[step.wait]! + waits.time[step.wait]!, palette.cause);
    at = step.wait;
  }
  const enter = waits.enter[scene.chosen]!;
  if (scene.chain.length === 0) drawCause(surface, palette, scene, layout, scene.chosen, 2.4);
  frame(waits.location[scene.chosen]!, enter, enter + waits.time[scene.chosen]!, palette.ink);
}
