// SPDX-License-Identifier: BSD-3-Clause
/** Positions in a timeline. */
import type { Arrangement } from "../../model/arrangement";
import type { Timeline } from "../../model/timeline";
import { laneAt, segmentIn } from "../../model/timeline";
import type { Span } from "../../state/timeline";

/** Space for names, and for names of groups. */
const LEFT = 78;
const LEFT_OF_GROUPS = 150;
export const RIGHT = 12;
export const BOTTOM = 4;

/** Height of the ruler above the rows, and of the iterations in it. */
const RULER = 34;
export const ITERATIONS = 16;

/** Height of a pinned row, and space below all of them. */
const PINNED_ROW = 22;
const PINNED_GAP = 5;

/** Minimum height of a row; if there are more locations, a row represents several. */
const LEAST_ROW = 3;

/** Minimum width of drawn excerpts; narrower excerpts are only marked. */
const LEAST_WINDOW = 6;

/** A time window that a lane covers. */
export interface LanePart {
  readonly lane: number;
  readonly window: number;
  readonly from: number;
  readonly to: number;
}

export class TimelineLayout {
  readonly left: number;
  readonly plotWidth: number;
  /** Height of the rows that scroll, and of these and the pinned ones. */
  readonly plotHeight: number;
  readonly fullHeight: number;
  /** Upper edge of the rows, and of those that scroll. */
  readonly ruler: number;
  readonly upper: number;
  /** Height of a row, smaller than a pixel if there are many. */
  readonly laneHeight: number;
  /** Number of rows that are drawn as one. */
  readonly group: number;
  private drawn: number[] | null = null;

  constructor(
    readonly width: number,
    readonly height: number,
    readonly timeline: Timeline,
    readonly span: Span,
    readonly rows: Span,
    readonly arrangement: Arrangement,
    hasIterations = false,
  ) {
    this.left = arrangement.alike === null ? LEFT : LEFT_OF_GROUPS;
    this.plotWidth = Math.max(1, width - this.left - RIGHT);
    this.ruler = RULER + (hasIterations ? ITERATIONS : 0);
    const { length } = arrangement.pinned;
    this.upper = this.ruler + (length === 0 ? 0 : length * PINNED_ROW + PINNED_GAP);
    this.plotHeight = Math.max(1, height - this.upper - BOTTOM);
    this.fullHeight = Math.max(1, height - this.ruler - BOTTOM);
    this.laneHeight = this.plotHeight / (rows.to - rows.from);
    this.group = Math.max(1, Math.ceil(LEAST_ROW / this.laneHeight));
  }

  x(time: number): number {
    return this.left + ((time - this.span.from) / (this.span.to - this.span.from)) * this.plotWidth;
  }

  time(x: number): number {
    return this.span.from + ((x - this.left) / this.plotWidth) * (this.span.to - this.span.from);
  }

  /** Upper edge of a row. */
  topOf(row: number): number {
    if (row < 0) return this.ruler + (row + this.arrangement.pinned.length) * PINNED_ROW;
    return this.upper + (row - this.rows.from) * this.laneHeight;
  }

  /** Lower edge of a row. */
  bottomOf(row: number): number {
    return row < 0 ? this.topOf(row) + PINNED_ROW : this.topOf(row + 1);
  }

  /** For the row of a location: its upper edge, and its middle. */
  top(location: number): number {
    return this.topOf(this.arrangement.row(location));
  }

  middle(location: number): number {
    return this.topOf(this.arrangement.row(location) + 0.5);
  }

  isVisible(location: number): boolean {
    const row = this.arrangement.row(location);
    return row + 1 > this.rows.from && row < this.rows.to;
  }

  isInside(x: number, y: number): boolean {
    return x >= this.left && x <= this.left + this.plotWidth && y >= this.ruler && y <= this.upper + this.plotHeight;
  }

  /** @returns the row at a height; a pinned one is negative; NaN if there is none. */
  rowAt(y: number): number {
    const pinned = Math.floor((y - this.ruler) / PINNED_ROW) - this.arrangement.pinned.length;
    if (y >= this.ruler && pinned < 0) return pinned;
    const row = Math.floor(this.rows.from + (y - this.upper) / this.laneHeight);
    return y >= this.upper && row >= this.rows.from - 1 && row < Math.min(this.rows.to, this.arrangement.rows) ? Math.max(0, row) : NaN;
  }

  /** @returns the time windows in which the events of a location are known, in order. */
  partsOf(location: number): LanePart[] {
    const parts: LanePart[] = [];
    const { windows } = this.timeline;
    let known = this.span.from;
    for (const window of this.drawnWindows()) {
      const lane = laneAt(windows[window]!, location);
      if (lane < 0) continue;
      const { from, to } = windows[window]!;
      const begin = Math.max(known, from);
      const end = Math.min(to, this.span.to);
      if (end <= begin) continue;
      parts.push({ lane, window, from: begin, to: end });
      known = end;
    }
    return parts;
  }

  /** @returns the drawn excerpts, ordered by their begin. */
  private drawnWindows(): readonly number[] {
    if (this.drawn === null) {
      const { windows } = this.timeline;
      this.drawn = windows.map((_, i) => i).filter((i) => this.isDrawn(i));
      this.drawn.sort((a, b) => windows[a]!.from - windows[b]!.from);
    }
    return this.drawn;
  }

  /** @returns the number of pixels that drawn excerpts have in the visible time, at most all of the chart. */
  drawnArea(): number {
    const { windows } = this.timeline;
    const width = windows.reduce((sum, { from, to }, i) => {
      const left = Math.max(this.left, this.x(from));
      const right = Math.min(this.left + this.plotWidth, this.x(to));
      return this.isDrawn(i) ? sum + Math.max(0, right - left) : sum;
    }, 0);
    return Math.min(width, this.plotWidth) * this.plotHeight;
  }

  /** @returns whether an excerpt is wide enough on the screen for its events. */
  isDrawn(window: number): boolean {
    const { from, to } = this.timeline.windows[window]!;
    return from < this.span.to && to > this.span.from && this.x(to) - this.x(from) >= LEAST_WINDOW;
  }

  /** @returns the item at a point of the chart. */
  segmentAt(x: number, y: number): { location: number; lane: number; window: number; segment: number } | null {
    const row = this.rowAt(y);
    if (!this.isInside(x, y) || Number.isNaN(row) || (this.group > 1 && row >= 0)) return null;
    const location = this.arrangement.location(row);
    const time = this.time(x);
    for (const part of this.partsOf(location)) {
      if (time < part.from || time >= part.to) continue;
      const segment = segmentIn(this.timeline, part.lane, time);
      if (segment >= 0) return { location, lane: part.lane, window: part.window, segment };
    }
    return null;
  }
}
