/** Where things are in a timeline. */
import type { Timeline } from "../model/timeline";
import { segmentIn } from "../model/timeline";
import type { Span } from "../state/timeline";

export const LEFT = 78;
export const RIGHT = 12;
export const TOP = 34;
export const BOTTOM = 4;

/** Rows are at least so high; if there are more locations, a row shows several. */
const LEAST_ROW = 3;

/** Excerpts that are at least so wide are drawn, others only marked. */
const LEAST_WINDOW = 6;

/** A part of the time that a lane tells. */
export interface LanePart {
  readonly lane: number;
  readonly window: number;
  readonly from: number;
  readonly to: number;
}

export class TimelineLayout {
  readonly plotWidth: number;
  readonly plotHeight: number;
  /** Height of a location, smaller than a pixel if there are many. */
  readonly laneHeight: number;
  /** Locations in a row. */
  readonly group: number;

  constructor(
    readonly width: number,
    readonly height: number,
    readonly timeline: Timeline,
    readonly span: Span,
    readonly rows: Span,
  ) {
    this.plotWidth = Math.max(1, width - LEFT - RIGHT);
    this.plotHeight = Math.max(1, height - TOP - BOTTOM);
    this.laneHeight = this.plotHeight / (rows.to - rows.from);
    this.group = Math.max(1, Math.ceil(LEAST_ROW / this.laneHeight));
  }

  x(time: number): number {
    return LEFT + ((time - this.span.from) / (this.span.to - this.span.from)) * this.plotWidth;
  }

  time(x: number): number {
    return this.span.from + ((x - LEFT) / this.plotWidth) * (this.span.to - this.span.from);
  }

  /** Upper edge of a location. */
  top(location: number): number {
    return TOP + (location - this.rows.from) * this.laneHeight;
  }

  middle(location: number): number {
    return this.top(location + 0.5);
  }

  isVisible(location: number): boolean {
    return location + 1 > this.rows.from && location < this.rows.to;
  }

  isInside(x: number, y: number): boolean {
    return x >= LEFT && x <= LEFT + this.plotWidth && y >= TOP && y <= TOP + this.plotHeight;
  }

  /** @returns the location at a height, -1 if there is none. */
  locationAt(y: number): number {
    const location = Math.floor(this.rows.from + (y - TOP) / this.laneHeight);
    return location >= this.rows.from - 1 && location < this.rows.to ? location : -1;
  }

  /** @returns the parts of the time shown in which the events of a location are known, in order. */
  partsOf(location: number): LanePart[] {
    const parts: LanePart[] = [];
    const { windows } = this.timeline;
    const order = windows.map((_, i) => i).sort((a, b) => windows[a]!.from - windows[b]!.from);
    let known = this.span.from;
    for (const window of order) {
      const { from, to, laneOf } = windows[window]!;
      const lane = laneOf[location]!;
      if (lane < 0 || !this.isDrawn(window)) continue;
      const begin = Math.max(known, from);
      const end = Math.min(to, this.span.to);
      if (end <= begin) continue;
      parts.push({ lane, window, from: begin, to: end });
      known = end;
    }
    return parts;
  }

  /** @returns whether an excerpt is wide enough on the screen for its events. */
  isDrawn(window: number): boolean {
    const { from, to } = this.timeline.windows[window]!;
    return from < this.span.to && to > this.span.from && this.x(to) - this.x(from) >= LEAST_WINDOW;
  }

  /** @returns what is at a point of the chart. */
  segmentAt(x: number, y: number): { location: number; lane: number; window: number; segment: number } | null {
    if (!this.isInside(x, y) || this.group > 1) return null;
    const location = this.locationAt(y);
    if (location < 0) return null;
    const time = this.time(x);
    for (const part of this.partsOf(location)) {
      if (time < part.from || time >= part.to) continue;
      const segment = segmentIn(this.timeline, part.lane, time);
      if (segment >= 0) return { location, lane: part.lane, window: part.window, segment };
    }
    return null;
  }
}
