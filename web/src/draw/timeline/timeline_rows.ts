// SPDX-License-Identifier: BSD-3-Clause
/** The rows of a timeline: single calls where there is space for them, otherwise the mixture of colours in a
 * pixel. */
import { ESTIMATE_SIGN, printable, shorten } from "../../format";
import type { Bins } from "../../model/timeline";
import { foldedMembers } from "../../model/arrangement";
import { callNeverLeft } from "../../model/hang";
import type { Report } from "../../model/report";
import { SINGLE_ROWS } from "../../model/tiles";
import { segmentIn } from "../../model/timeline";
import { textOn, type Palette } from "../colors";
import { eachRun, levelsOf } from "./call_stack";
import { RowMixture, SPREAD_LINES } from "./row_mixture";
import { textWidth, type Surface } from "../surface";
import type { TimelineScene } from "./timeline";
import type { LanePart, TimelineLayout } from "./timeline_layout";

/** Minimum width and height of items with text. */
const LABEL_WIDTH = 44;
const LABEL_HEIGHT = 13;
const LEAST_LABEL = 8;

/** In rows lower than this, colours are mixed, not stacked. */
const LEAST_STACK = 9;

export function paintRows(surface: Surface, palette: Palette, scene: TimelineScene, layout: TimelineLayout): void {
  const painter = new RowPainter(surface, palette, scene, layout);
  for (let row = -scene.arrangement.pinned.length; row < 0; row++) painter.paintOne(row);
  const first = Math.max(0, Math.floor(scene.rows.from / layout.group) * layout.group);
  const last = Math.min(scene.arrangement.rows, Math.ceil(scene.rows.to));
  for (let at = first; at < last; at += layout.group) {
    painter.paint(at, Math.min(at + layout.group, scene.arrangement.rows));
  }
  painter.finish();
}

/** What stands in an item of a call path. */
function labelOf({ callpaths }: Report, callpath: number): string {
  const { region, isEstimated } = callpaths[callpath]!;
  return `${isEstimated ? ESTIMATE_SIGN : ""}${shorten(printable(region), 60)}`;
}

/** Paints the pinned rows only. */
export function paintPinned(surface: Surface, palette: Palette, scene: TimelineScene, layout: TimelineLayout): void {
  const painter = new RowPainter(surface, palette, scene, layout);
  for (let row = -scene.arrangement.pinned.length; row < 0; row++) painter.paintOne(row);
  painter.finish();
}

/** Paints rows. Items narrower than a pixel are added up: a pixel shows all its colours in proportion, and
 * hides none. */
class RowPainter {
  private readonly mixture: RowMixture;
  private readonly hatch: string;
  private readonly columns: number;
  /** Lines of pixels from `layout.ruler` - 1 on, drawn on the surface together at the end; null: none yet. */
  private image: Uint32Array<ArrayBuffer> | null = null;
  private readonly lines: number;
  /** The lines of a row of several locations. */
  private spread: Uint32Array<ArrayBuffer> | null = null;

  constructor(
    private readonly surface: Surface,
    private readonly palette: Palette,
    private readonly scene: TimelineScene,
    private readonly layout: TimelineLayout,
  ) {
    this.columns = Math.ceil(layout.plotWidth);
    this.lines = Math.ceil(layout.fullHeight) + 2;
    this.mixture = new RowMixture(scene.colors, scene.span, layout.plotWidth, this.columns);
    this.hatch = palette.dark ? "rgba(0,0,0,0.42)" : "rgba(255,255,255,0.5)";
  }

  /** Paints the rows from `first` to `end` - 1 as one. */
  paint(first: number, end: number): void {
    const edges = this.edges(first, end - 1);
    if (edges === null) return;
    const { top, bottom } = edges;
    const { mixture } = this;
    const { span, timeline, arrangement } = this.scene;
    const hasSpread = this.hasSpread(first, end);
    mixture.clear(hasSpread);
    if (arrangement.alike !== null) {
      this.addRow(first, end - first === 1, top, bottom - top);
    } else if (arrangement.kind === "plain" && !this.isDetailed()) {
      mixture.addCells(timeline.bins, first, end, span.from, span.to);
    } else {
      for (let row = first; row < end; row++) this.addLocation(arrangement.location(row), end - first === 1, top, bottom - top);
    }
    this.flush(top, bottom - top, hasSpread);
  }

  /** @returns whether a row shows how the waiting of its locations differs: neighbours in the order of ranks whose single
   * calls are not drawn. Other groups have a representative. */
  private hasSpread(first: number, end: number): boolean {
    const { arrangement, timeline } = this.scene;
    if (end - first <= 1 || arrangement.kind !== "plain" || timeline.bins === null) return false;
    for (let row = first; this.isDetailed() && row < end; row++) {
      if (this.layout.partsOf(row).length > 0) return false;
    }
    return true;
  }

  /** @returns whether the rows are drawn from single calls where these are loaded. */
  private isDetailed(): boolean {
    const { timeline, rows } = this.scene;
    return !timeline.isTiled || rows.to - rows.from < SINGLE_ROWS;
  }

  /** Paints a pinned row. */
  paintOne(row: number): void {
    const edges = this.edges(row, row);
    if (edges === null) return;
    this.mixture.clear();
    this.addLocation(this.scene.arrangement.location(row), true, edges.top, edges.bottom - edges.top);
    this.flush(edges.top, edges.bottom - edges.top);
  }

  /** @returns the edges of the pixels of some rows; null: they are out of view. */
  private edges(first: number, last: number): { top: number; bottom: number } | null {
    const { layout } = this;
    // Whole pixels: no seams between adjacent rows.
    const upper = Math.round(layout.topOf(first));
    const whole = Math.round(layout.bottomOf(last)) - upper;
    const gap = whole >= 14 ? 3 : whole >= 6 ? 1 : 0;
    const top = Math.max(first < 0 ? layout.ruler : layout.upper - (layout.upper > layout.ruler ? 0 : 1), upper);
    const bottom = Math.min(layout.upper + layout.plotHeight + 1, upper + whole - gap);
    return bottom <= top ? null : { top, bottom };
  }

  /** Adds the activity of a location. */
  private addLocation(location: number, isSingle: boolean, top: number, height: number): void {
    const { timeline } = this.scene;
    const parts = this.layout.partsOf(location);
    const bins = this.scene.arrangement.pinned.includes(location) ? (timeline.pinnedBins ?? timeline.bins) : timeline.bins;
    this.addAround(parts, (from, to) => this.mixture.addCells(bins, location, location + 1, from, to));
    for (const part of parts) this.addLane(location, part, isSingle, top, height);
  }

  /** Draws the mixed row. */
  finish(): void {
    if (this.image !== null) this.surface.pixels(this.layout.left, this.layout.ruler - 1, this.columns, this.image);
  }

  /** Adds a row of a group, or of a member, which represents the next members where rows are narrow. */
  private addRow(row: number, isSingle: boolean, y: number, height: number): void {
    const { arrangement, timeline } = this.scene;
    const { alike, bins, alikeBins } = timeline;
    const location = arrangement.location(row);
    const folded = foldedMembers(arrangement, row);
    if (folded !== null) {
      for (const member of folded) this.addLocation(member, false, y, height);
      return;
    }
    if (arrangement.kind !== "similar") {
      this.addLocation(location, isSingle, y, height);
      return;
    }
    const group = alike.of[location]!;
    const parts = this.layout.partsOf(location);
    const isMember = arrangement.group(row) < 0;
    this.addAround(parts, (from, to) => {
      let [begin, end] = [from, from];
      if (isMember && bins !== null && isCellOf(bins, location)) {
        [begin, end] = [Math.max(from, bins.from), Math.min(to, bins.to)];
        if (begin < end) this.mixture.addCells(bins, location, location + 1, begin, end);
        else [begin, end] = [from, from];
      }
      // Where the member has no cells, those of its group are used: the members are similar.
      this.mixture.addCells(alikeBins, group, group + 1, from, begin);
      this.mixture.addCells(alikeBins, group, group + 1, end, to);
    });
    for (const part of parts) this.addLane(location, part, isSingle, y, height);
  }

  /** Calls `add` for the visible times that no window covers. */
  private addAround(parts: readonly LanePart[], add: (from: number, to: number) => void): void {
    const { span } = this.scene;
    let from = span.from;
    for (const part of parts) {
      if (part.from > from) add(from, part.from);
      from = Math.max(from, part.to);
    }
    if (span.to > from) add(from, span.to);
  }

  private addLane(location: number, part: LanePart, isSingle: boolean, y: number, height: number): void {
    if (isSingle && this.scene.stack && this.drawStack(location, part, y, height)) return;
    const { lane, from, to } = part;
    const { timeline, colors } = this.scene;
    const { since, callpath, kind, wait } = timeline.segments;
    const last = timeline.laneStart[lane + 1]! - 1;
    let at = segmentIn(timeline, lane, from);
    if (at < 0) at = timeline.laneStart[lane]!;
    for (; at < last && since[at]! < to; at++) {
      if (callpath[at]! < 0) continue;
      const begin = this.layout.x(Math.max(from, since[at]!));
      const width = this.layout.x(Math.min(to, since[at + 1]!)) - begin;
      if (width <= 0) continue;
      const entry = colors.segment(callpath[at]!, kind[at] !== 0, wait[at]!);
      if (isSingle && width >= 1) this.draw(begin, y, width, height, entry, this.nameOf(location, callpath[at]!, kind[at] !== 0, since[at]!));
      else this.mixture.add(begin - this.layout.left, width, entry);
    }
  }

  /** Draws the functions of a row as nested rows. @returns false: there is no space for them. */
  private drawStack(location: number, part: LanePart, y: number, height: number): boolean {
    const { report, timeline, colors } = this.scene;
    const levels = levelsOf(report, timeline, part, height);
    if (levels === null) return false;
    const { kind, wait } = timeline.segments;
    const covered = new Float64Array(levels.count).fill(-1); // last drawn column of each nested row
    eachRun(report, timeline, part, levels, ({ level, callpath, segment, from, to }) => {
      const begin = this.layout.x(from);
      const end = this.layout.x(to);
      // Of several runs in a column, the first one is drawn.
      if (end - begin < 1 && Math.floor(begin) === covered[level]) return;
      covered[level] = Math.floor(end);
      const top = y + level * levels.height;
      const width = Math.max(1, end - begin);
      if (segment !== null) {
        const name = this.nameOf(location, callpath, kind[segment] !== 0, from);
        this.draw(begin, top, width, levels.height - 1, colors.segment(callpath, kind[segment] !== 0, wait[segment]!), name);
        return;
      }
      this.surface.rect(begin, top, width > 3 ? width - 0.6 : width, levels.height - 1, this.palette.faint, 0.35);
      this.label(begin, top, width, levels.height - 1, callpath, this.palette.ink);
    });
    return true;
  }

  /** Writes the name of a function, if there is space. */
  private label(x: number, y: number, width: number, height: number, callpath: number, color: string): void {
    const left = Math.max(x, this.layout.left);
    const room = Math.min(x + width, this.layout.left + this.layout.plotWidth) - left - 8;
    if (room < LABEL_WIDTH || height < LEAST_LABEL) return;
    const name = labelOf(this.scene.report, callpath);
    this.surface.text(left + 4, y + height / 2, name, { size: Math.min(11, height), color, limit: room });
  }

  /** @returns the name of a call or computation. @param since  of its segment, ticks */
  private nameOf(location: number, callpath: number, isCall: boolean, since: number): string {
    const { report } = this.scene;
    const name = labelOf(report, callpath);
    return isCall && callNeverLeft(report, location, since) !== undefined ? `${name}, never left` : name;
  }

  private draw(x: number, y: number, width: number, height: number, entry: number, name: string): void {
    const { color, hatched, isPale } = this.scene.colors.entries[entry]!;
    // Adjacent calls are separated where there is space.
    const shown = width > 3 ? width - 0.6 : width;
    this.surface.rect(x, y, shown, height, color);
    if (hatched && width >= 2) this.surface.hatch(x, y, shown, height, this.hatch);
    const left = Math.max(x, this.layout.left);
    const room = Math.min(x + width, this.layout.left + this.layout.plotWidth) - left - 8;
    if (room < LABEL_WIDTH || height < (this.scene.stack ? LEAST_LABEL : LABEL_HEIGHT)) return;
    const size = Math.min(11, Math.max(8, height - 2));
    if (hatched) {
      // No text on hatching.
      const wide = Math.min(room, textWidth(name, size, 600)) + 4;
      this.surface.rect(left + 2, y + height / 2 - size * 0.7, wide, size * 1.4, color);
    }
    this.surface.text(left + 4, y + height / 2, name, {
      size,
      color: this.inkOn(color, isPale ?? false),
      weight: hatched ? 600 : 400,
      limit: room,
    });
  }

  /** @returns the colour of text on an item. */
  private inkOn(color: string, isPale: boolean): string {
    const { palette } = this;
    if (isPale) return palette.muted;
    if (this.scene.colors.share !== null) return textOn(color);
    const isCalm = color === palette.compute || color === palette.line;
    return isCalm ? palette.ink : palette.dark ? "#0c0d0f" : "#ffffff";
  }

  /** Draws the added-up cells. */
  private flush(y: number, height: number, hasSpread = false): void {
    if (height < LEAST_STACK) {
      this.image ??= new Uint32Array(this.columns * this.lines);
      const start = (y - (this.layout.ruler - 1)) * this.columns;
      if (hasSpread) {
        this.spread ??= new Uint32Array(this.columns * SPREAD_LINES);
        this.mixture.mixLines(this.spread);
        for (let i = 0; i < height; i++) {
          const line = Math.floor((i * SPREAD_LINES) / height);
          this.image.set(this.spread.subarray(line * this.columns, (line + 1) * this.columns), start + i * this.columns);
        }
        return;
      }
      const line = this.image.subarray(start, start + this.columns);
      this.mixture.mix(line);
      for (let i = 1; i < height; i++) this.image.set(line, start + i * this.columns);
      return;
    }
    this.mixture.stacks((column, count, parts) => this.stack(this.layout.left + column, count, y, height, parts));
  }

  private stack(x: number, width: number, y: number, height: number, parts: Float64Array): void {
    const { share } = this.scene.colors;
    if (share !== null) {
      const shade = Math.round(parts[share.entry]! * (share.colors.length - 1));
      this.surface.rect(x, y, width, height, share.colors[shade]!);
      return;
    }
    let bottom = y + height;
    parts.forEach((part, entry) => {
      if (part <= 0) return;
      const tall = part * height;
      bottom -= tall;
      this.surface.rect(x, bottom, width, tall, this.scene.colors.entries[entry]!.color);
    });
  }
}

/** @returns whether there are cells of this single location. */
function isCellOf(bins: Bins, location: number): boolean {
  return bins.group === 1 && bins.rowOf(location) >= 0;
}
