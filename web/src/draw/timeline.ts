/** The timeline: locations by time. */
import { scaleLinear } from "d3-scale";
import { formatCount, formatTick, printable, shorten } from "../format";
import type { Arrangement } from "../model/arrangement";
import type { CounterField } from "../model/counters";
import type { PathSegments, Report } from "../model/report";
import type { Activity, Bins, Timeline } from "../model/timeline";
import { segmentIn } from "../model/timeline";
import type { Span } from "../state/timeline";
import { niceStep } from "./axis";
import { channels, type Palette, type ScaleName } from "./colors";
import { drawField } from "./counters";
import { drawPathBars } from "./path_bars";
import { textWidth, type Surface } from "./surface";
import { drawArrows, drawCauses, drawChosen } from "./timeline_arrows";
import type { TimelineColors } from "./timeline_colors";
import { BOTTOM, TimelineLayout, TOP } from "./timeline_layout";

export interface TimelineScene {
  readonly report: Report;
  readonly timeline: Timeline;
  readonly colors: TimelineColors;
  readonly span: Span;
  readonly rows: Span;
  readonly arrangement: Arrangement;
  /** Values of a counter, in the colours of the rows; null: these tell what the locations did. */
  readonly field: CounterField | null;
  readonly scale: ScaleName;
  readonly arrows: boolean;
  readonly path: PathSegments | null;
  /** The wait state that is explained, -1: none; with what it goes back to. */
  readonly chosen: number;
  readonly chain: readonly Activity[];
}

export function layoutOf(scene: TimelineScene, width: number, height: number): TimelineLayout {
  return new TimelineLayout(width, height, scene.timeline, scene.span, scene.rows, scene.arrangement);
}

export function hatchColor(palette: Palette): string {
  return palette.dark ? "rgba(0,0,0,0.42)" : "rgba(255,255,255,0.5)";
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

function paintRows(surface: Surface, palette: Palette, scene: TimelineScene, layout: TimelineLayout): void {
  const painter = new RowPainter(surface, palette, scene, layout);
  const first = Math.max(0, Math.floor(scene.rows.from / layout.group) * layout.group);
  const last = Math.min(scene.arrangement.rows, Math.ceil(scene.rows.to));
  for (let at = first; at < last; at += layout.group) {
    painter.paint(at, Math.min(at + layout.group, scene.arrangement.rows));
  }
}

function drawAxis(surface: Surface, palette: Palette, scene: TimelineScene, layout: TimelineLayout): void {
  const seconds = (time: number): number => time / scene.report.ticksPerSecond;
  const from = seconds(scene.span.from);
  const to = seconds(scene.span.to);
  const scale = scaleLinear([from, to], [layout.left, layout.left + layout.plotWidth]);
  const ticks = scale.ticks(Math.max(2, Math.floor(layout.plotWidth / 120)));
  // Far into the run, digits that all marks share would hide the others.
  const isFar = ticks.length > 1 && from > 200 * (to - from);
  const base = isFar ? ticks[0]! : 0;
  ticks.forEach((tick, i) => {
    const text = isFar && i > 0 ? `+${formatTick(tick - base)}` : isFar ? `${tick} s` : formatTick(tick);
    surface.line(scale(tick), TOP - 5, scale(tick), surface.height - BOTTOM, { color: palette.line });
    // The last one must not leave the chart.
    const isLast = scale(tick) + textWidth(text, 11) / 2 > surface.width;
    const [x, anchor] = isLast ? ([surface.width - 1, "end"] as const) : ([scale(tick), "middle"] as const);
    surface.text(x, TOP - 23, text, { size: 11, color: palette.muted, anchor });
  });
  if (scene.timeline.bins === null || scene.timeline.isTiled) return;
  // Where the single events are known.
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

/** Text appears in what is at least so wide and high. */
const LABEL_WIDTH = 44;
const LABEL_HEIGHT = 13;

/** In rows that are not so high colours are mixed, not stacked. */
const LEAST_STACK = 9;

/** Paints rows. What is narrower than a pixel is added up: a pixel shows all colours that are in it, by
 * their parts, and hides none. */
class RowPainter {
  private readonly kinds: number;
  private readonly columns: number;
  private readonly sums: Float64Array; // [column][kind], pixels
  private readonly hatch: string;
  private readonly channels: readonly (readonly number[])[];
  private readonly pixels: Uint32Array;

  constructor(
    private readonly surface: Surface,
    private readonly palette: Palette,
    private readonly scene: TimelineScene,
    private readonly layout: TimelineLayout,
  ) {
    this.kinds = scene.colors.entries.length;
    this.columns = Math.ceil(layout.plotWidth);
    this.sums = new Float64Array(this.columns * this.kinds);
    this.hatch = hatchColor(palette);
    this.channels = scene.colors.entries.map((entry) => channels(entry.color));
    this.pixels = new Uint32Array(this.columns);
  }

  paint(first: number, end: number): void {
    // Whole pixels: rows that touch one another must leave no seams.
    const upper = Math.round(this.layout.topOf(first));
    const whole = Math.round(this.layout.topOf(end)) - upper;
    const gap = whole >= 14 ? 3 : whole >= 6 ? 1 : 0;
    const top = Math.max(TOP - 1, upper);
    const bottom = Math.min(TOP + this.layout.plotHeight + 1, upper + whole - gap);
    if (bottom <= top) return;
    this.sums.fill(0);
    const { bins, isTiled } = this.scene.timeline;
    if (this.scene.arrangement.alike !== null) {
      this.addRow(first, end - first === 1, top, bottom - top);
      this.flush(top, bottom - top);
      return;
    }
    if (isTiled && bins !== null && end - first > 1) {
      // Each row of cells once, however many locations are in it.
      for (let at = Math.floor(first / bins.group) * bins.group; at < end; at += bins.group) {
        const share = Math.min(end, at + bins.group) - Math.max(first, at);
        this.addBins(bins, at, this.scene.span.from, this.scene.span.to, share);
      }
      this.flush(top, bottom - top);
      return;
    }
    for (let location = first; location < end; location++) {
      const parts = this.layout.partsOf(location);
      if (bins !== null) this.addOverview(bins, location, parts);
      for (const part of parts) {
        this.addLane(part.lane, part.from, part.to, end - first === 1, top, bottom - top);
      }
    }
    this.flush(top, bottom - top);
  }

  /** Adds a row of a group, or of a member, which stands for the next ones where rows are narrow. */
  private addRow(row: number, isSingle: boolean, y: number, height: number): void {
    const { arrangement, timeline } = this.scene;
    const { alike, bins, alikeBins } = timeline;
    const location = arrangement.location(row);
    const parts = this.layout.partsOf(location);
    // What members have not, all of their group have: they are alike.
    const isMember = arrangement.group(row) < 0 && bins !== null && bins.group === 1 && bins.rowOf(location) >= 0;
    const cells = isMember ? bins : alikeBins;
    if (cells !== null) this.addOverview(cells, isMember ? location : alike.of[location]!, parts);
    for (const part of parts) this.addLane(part.lane, part.from, part.to, isSingle, y, height);
  }

  /** Adds the pixels from x to x + width to what has this kind. */
  private add(x: number, width: number, kind: number): void {
    let from = Math.max(0, x - this.layout.left);
    const to = Math.min(this.columns, x + width - this.layout.left);
    while (from < to) {
      const column = Math.floor(from);
      const until = Math.min(to, column + 1);
      this.sums[column * this.kinds + kind]! += until - from;
      from = until;
    }
  }

  private addLane(lane: number, from: number, to: number, isSingle: boolean, y: number, height: number): void {
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
      else this.add(begin, width, entry);
    }
  }

  private draw(x: number, y: number, width: number, height: number, entry: number, callpath: number): void {
    const { color, hatched } = this.scene.colors.entries[entry]!;
    // Calls that touch one another stay apart where there is room.
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
      // Text does not stand on hatching.
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

  private addOverview(bins: Bins, place: number, parts: readonly { from: number; to: number }[]): void {
    const { span } = this.scene;
    let from = span.from;
    for (const part of [...parts, { from: span.to, to: span.to }]) {
      if (part.from > from) this.addBins(bins, place, from, part.from);
      from = Math.max(from, part.to);
    }
  }

  /** Adds the cells of the row that a location or group is in, `weight` times. */
  private addBins(bins: Bins, place: number, from: number, to: number, weight = 1): void {
    const { colors } = this.scene;
    const row = bins.rowOf(place);
    if (row < 0 || row >= bins.rows) return;
    const length = (bins.to - bins.from) / bins.count;
    const last = Math.min(bins.count - 1, Math.floor((to - bins.from) / length));
    const waiting = bins.kinds.map((metric) => colors.waiting(metric));
    const { sums, kinds } = this;
    const size = bins.rows * bins.count;
    const { span } = this.scene;
    const scale = this.layout.plotWidth / (span.to - span.from);
    for (let bin = Math.max(0, Math.floor((from - bins.from) / length)); bin <= last; bin++) {
      const begin = bins.from + bin * length;
      let x = Math.max(0, (Math.max(from, begin) - span.from) * scale);
      const end = Math.min(this.columns, (Math.min(to, begin + length) - span.from) * scale);
      const cell = row * bins.count + bin;
      while (x < end) {
        const column = Math.floor(x);
        const until = Math.min(end, column + 1);
        const part = ((until - x) * weight) / 100;
        const base = column * kinds;
        sums[base + colors.compute]! += part * bins.compute[cell]!;
        sums[base + colors.call]! += part * bins.call[cell]!;
        for (let k = 0; k < waiting.length; k++) sums[base + waiting[k]!]! += part * bins.wait[k * size + cell]!;
        x = until;
      }
    }
  }

  /** Draws what was added up, neighbours that look the same at once. */
  private flush(y: number, height: number): void {
    if (height < LEAST_STACK) {
      this.mix();
      this.surface.pixelRow(this.layout.left, y, height, this.pixels);
      return;
    }
    let from = 0;
    let before = "";
    let beforeParts: number[] = [];
    for (let column = 0; column <= this.columns; column++) {
      const parts: number[] = column < this.columns ? this.partsAt(column) : [];
      const key = parts.length === 0 ? "" : parts.map((part) => Math.round(part * 64)).join();
      if (key === before && column < this.columns) continue;
      if (before !== "") this.stack(this.layout.left + from, column - from, y, height, beforeParts);
      from = column;
      before = key;
      beforeParts = parts;
    }
  }

  /** Makes the pixels of what was added up: colours by their parts. */
  private mix(): void {
    const { kinds, sums } = this;
    for (let column = 0; column < this.columns; column++) {
      let [total, red, green, blue] = [0, 0, 0, 0];
      const base = column * kinds;
      for (let kind = 0; kind < kinds; kind++) {
        const part = sums[base + kind]!;
        if (part === 0) continue;
        const color = this.channels[kind]!;
        total += part;
        red += part * color[0]!;
        green += part * color[1]!;
        blue += part * color[2]!;
      }
      const byte = (sum: number): number => Math.round(sum / total);
      this.pixels[column] =
        total < 1e-6 ? 0 : ((255 << 24) | (byte(blue) << 16) | (byte(green) << 8) | byte(red)) >>> 0;
    }
  }

  private partsAt(column: number): number[] {
    let total = 0;
    const base = column * this.kinds;
    for (let kind = 0; kind < this.kinds; kind++) total += this.sums[base + kind]!;
    if (total < 1e-6) return [];
    return Array.from({ length: this.kinds }, (_, kind) => this.sums[base + kind]! / total);
  }

  private stack(x: number, width: number, y: number, height: number, parts: readonly number[]): void {
    let bottom = y + height;
    parts.forEach((part, kind) => {
      if (part <= 0) return;
      const tall = part * height;
      bottom -= tall;
      this.surface.rect(x, bottom, width, tall, this.scene.colors.entries[kind]!.color);
    });
  }
}
