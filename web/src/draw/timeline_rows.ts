/** The rows of a timeline: single calls where there is space for them, otherwise the mixture of colours in a
 * pixel. */
import { printable, shorten } from "../format";
import type { Bins } from "../model/timeline";
import { SINGLE_ROWS } from "../model/tiles";
import { segmentIn } from "../model/timeline";
import type { Palette } from "./colors";
import { RowMixture } from "./row_mixture";
import { textWidth, type Surface } from "./surface";
import type { TimelineScene } from "./timeline";
import { TOP, type LanePart, type TimelineLayout } from "./timeline_layout";

/** Minimum width and height of items with text. */
const LABEL_WIDTH = 44;
const LABEL_HEIGHT = 13;

/** In rows lower than this, colours are mixed, not stacked. */
const LEAST_STACK = 9;

export function paintRows(surface: Surface, palette: Palette, scene: TimelineScene, layout: TimelineLayout): void {
  const painter = new RowPainter(surface, palette, scene, layout);
  const first = Math.max(0, Math.floor(scene.rows.from / layout.group) * layout.group);
  const last = Math.min(scene.arrangement.rows, Math.ceil(scene.rows.to));
  for (let at = first; at < last; at += layout.group) {
    painter.paint(at, Math.min(at + layout.group, scene.arrangement.rows));
  }
  painter.finish();
}

/** Paints rows. Items narrower than a pixel are added up: a pixel shows all its colours in proportion, and
 * hides none. */
class RowPainter {
  private readonly mixture: RowMixture;
  private readonly hatch: string;
  private readonly columns: number;
  /** Lines of pixels from TOP - 1 on, drawn on the surface together at the end; null: none yet. */
  private image: Uint32Array<ArrayBuffer> | null = null;
  private readonly lines: number;

  constructor(
    private readonly surface: Surface,
    private readonly palette: Palette,
    private readonly scene: TimelineScene,
    private readonly layout: TimelineLayout,
  ) {
    this.columns = Math.ceil(layout.plotWidth);
    this.lines = Math.ceil(layout.plotHeight) + 2;
    this.mixture = new RowMixture(scene.colors, scene.span, layout.plotWidth, this.columns);
    this.hatch = palette.dark ? "rgba(0,0,0,0.42)" : "rgba(255,255,255,0.5)";
  }

  /** Paints the rows from `first` to `end` - 1 as one. */
  paint(first: number, end: number): void {
    // Whole pixels: no seams between adjacent rows.
    const upper = Math.round(this.layout.topOf(first));
    const whole = Math.round(this.layout.topOf(end)) - upper;
    const gap = whole >= 14 ? 3 : whole >= 6 ? 1 : 0;
    const top = Math.max(TOP - 1, upper);
    const bottom = Math.min(TOP + this.layout.plotHeight + 1, upper + whole - gap);
    if (bottom <= top) return;
    const { mixture } = this;
    const { span, timeline, arrangement } = this.scene;
    mixture.clear();
    if (arrangement.alike !== null) {
      this.addRow(first, end - first === 1, top, bottom - top);
    } else if (timeline.isTiled && this.scene.rows.to - this.scene.rows.from >= SINGLE_ROWS) {
      mixture.addCells(timeline.bins, first, end, span.from, span.to);
    } else {
      for (let location = first; location < end; location++) {
        const parts = this.layout.partsOf(location);
        this.addAround(parts, (from, to) => mixture.addCells(timeline.bins, location, location + 1, from, to));
        for (const part of parts) this.addLane(part, end - first === 1, top, bottom - top);
      }
    }
    this.flush(top, bottom - top);
  }

  /** Draws the mixed row. */
  finish(): void {
    if (this.image !== null) this.surface.pixels(this.layout.left, TOP - 1, this.columns, this.image);
  }

  /** Adds a row of a group, or of a member, which represents the next members where rows are narrow. */
  private addRow(row: number, isSingle: boolean, y: number, height: number): void {
    const { arrangement, timeline } = this.scene;
    const { alike, bins, alikeBins } = timeline;
    const location = arrangement.location(row);
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
    for (const part of parts) this.addLane(part, isSingle, y, height);
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

  private addLane({ lane, from, to }: LanePart, isSingle: boolean, y: number, height: number): void {
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
      if (isSingle && width >= 1) this.draw(begin, y, width, height, entry, callpath[at]!);
      else this.mixture.add(begin - this.layout.left, width, entry);
    }
  }

  private draw(x: number, y: number, width: number, height: number, entry: number, callpath: number): void {
    const { color, hatched } = this.scene.colors.entries[entry]!;
    // Adjacent calls are separated where there is space.
    const shown = width > 3 ? width - 0.6 : width;
    this.surface.rect(x, y, shown, height, color);
    if (hatched && width >= 2) this.surface.hatch(x, y, shown, height, this.hatch);
    const left = Math.max(x, this.layout.left);
    const room = Math.min(x + width, this.layout.left + this.layout.plotWidth) - left - 8;
    if (room < LABEL_WIDTH || height < LABEL_HEIGHT) return;
    const name = shorten(printable(this.scene.report.callpaths[callpath]!.region), 60);
    const isCalm = color === this.palette.compute || color === this.palette.line;
    const size = Math.min(11, height - 2);
    if (hatched) {
      // No text on hatching.
      const wide = Math.min(room, textWidth(name, size, 600)) + 4;
      this.surface.rect(left + 2, y + height / 2 - size * 0.7, wide, size * 1.4, color);
    }
    this.surface.text(left + 4, y + height / 2, name, {
      size,
      color: isCalm ? this.palette.ink : this.palette.dark ? "#0c0d0f" : "#ffffff",
      weight: hatched ? 600 : 400,
      limit: room,
    });
  }

  /** Draws the added-up cells. */
  private flush(y: number, height: number): void {
    if (height < LEAST_STACK) {
      this.image ??= new Uint32Array(this.columns * this.lines);
      const start = (y - (TOP - 1)) * this.columns;
      const line = this.image.subarray(start, start + this.columns);
      this.mixture.mix(line);
      for (let i = 1; i < height; i++) this.image.set(line, start + i * this.columns);
      return;
    }
    this.mixture.stacks((column, count, parts) => this.stack(this.layout.left + column, count, y, height, parts));
  }

  private stack(x: number, width: number, y: number, height: number, parts: Float64Array): void {
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
