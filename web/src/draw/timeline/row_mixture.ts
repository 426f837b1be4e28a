// SPDX-License-Identifier: BSD-3-Clause
/** The activity of a row of the timeline, by columns of pixels: for each column the shares of all colours. */
import type { Bins, CellPlane } from "../../model/timeline";
import type { Span } from "../../state/timeline";
import { channels } from "../colors";
import type { TimelineColors } from "./timeline_colors";

/** Columns that agree up to this fraction of a row's height are drawn together. */
const LEVELS = 64;

/** Smaller fractions of a pixel are ignored. */
const LEAST = 1e-6;

/** Lines of a row of several locations, top down: that which waits most, the middle one, that which waits least. */
export const SPREAD_LINES = 3;

/** A time window of a table of cells, and the mapping of its bins to the columns, piece by piece. */
interface Stretch {
  readonly bins: Bins;
  readonly from: number;
  readonly to: number;
  readonly firstBin: number;
  readonly count: number;
  readonly pieces: number;
  /** For each piece: its bin (counted from `firstBin`), its column, and its fraction of the column. */
  readonly bin: Uint32Array;
  readonly column: Uint32Array;
  readonly part: Float64Array;
  /** Cells that are not empty, with their colours. */
  readonly planes: readonly { readonly entry: number; readonly cells: CellPlane; readonly isWait: boolean }[];
  /** The colours of the planes, each once. */
  readonly entries: readonly number[];
}

/** The spread of the waiting of a row, while its cells are added up. */
class SpreadSums {
  least = new Float64Array(0); // [bin] of the pending stretch, percent
  most = new Float64Array(0);
  middle = new Float64Array(0); // sum over the members
  own = new Float64Array(0);
  members = 0;

  start(bins: number): void {
    if (this.own.length < bins) {
      this.least = new Float64Array(bins);
      this.most = new Float64Array(bins);
      this.middle = new Float64Array(bins);
      this.own = new Float64Array(bins);
    }
    this.least.fill(100, 0, bins);
    this.most.fill(0, 0, bins);
    this.middle.fill(0, 0, bins);
    this.members = 0;
  }

  /** Adds a row of cells from cell `start` on; `own`: the waiting of all kinds there. */
  addRow({ spread }: Bins, start: number, bins: number, weight: number): void {
    const { least, most, middle, own } = this;
    for (let i = 0; i < bins; i++) {
      const low = spread === null ? own[i]! : spread.least[start + i]!;
      const high = spread === null ? own[i]! : spread.most[start + i]!;
      if (low < least[i]!) least[i] = low;
      if (high > most[i]!) most[i] = high;
      middle[i]! += weight * (spread === null ? own[i]! : spread.middle[start + i]!);
    }
    this.members += weight;
  }
}

/** Number of cached stretches: consecutive rows use the same ones. */
const REMEMBERED = 8;

/** Adds up the shares of a row. Rows of cells that belong to the same row of pixels are added before they are
 * distributed over the columns: most of the work is a sum over bytes. */
export class RowMixture {
  private readonly entries: number;
  private readonly parts: Float64Array; // [entry][column], pixels
  private readonly stretches: Stretch[] = [];
  private pending: Stretch | null = null;
  private sums = new Float64Array(0); // [entry][bin] of `pending`, percent
  private readonly red: Float64Array;
  private readonly green: Float64Array;
  private readonly blue: Float64Array;
  private readonly mixed: Float64Array; // [column]: red, green, blue, all
  private readonly mixedWaits: Float64Array; // likewise, of waiting
  private readonly isWait: Uint8Array; // [entry]
  private hasSpread = false;
  private readonly spreadSums = new SpreadSums();
  private readonly lines: Float64Array; // [line][column]: share of waiting times part of the column
  private readonly covered: Float64Array; // [column]: part of the column whose spread is known

  constructor(
    private readonly colors: TimelineColors,
    private readonly span: Span,
    private readonly plotWidth: number,
    readonly columns: number,
  ) {
    this.entries = colors.entries.length;
    this.parts = new Float64Array(this.entries * columns);
    this.mixed = new Float64Array(4 * columns);
    this.mixedWaits = new Float64Array(4 * columns);
    this.isWait = new Uint8Array(this.entries);
    this.lines = new Float64Array(SPREAD_LINES * columns);
    this.covered = new Float64Array(columns);
    const channel = (which: number): Float64Array =>
      Float64Array.from(colors.entries, ({ color }) => channels(color)[which]!);
    [this.red, this.green, this.blue] = [channel(0), channel(1), channel(2)];
  }

  /** Starts a new row. @param hasSpread  of several locations: mixLines() shows how their waiting differs */
  clear(hasSpread = false): void {
    this.parts.fill(0);
    this.pending = null;
    this.hasSpread = hasSpread;
    if (!hasSpread) return;
    this.lines.fill(0);
    this.covered.fill(0);
  }

  /** Adds the pixels from x to x + width (counted from the left of the plot) to a colour. */
  add(x: number, width: number, entry: number): void {
    let from = Math.max(0, x);
    const to = Math.min(this.columns, x + width);
    while (from < to) {
      const column = Math.floor(from);
      const until = Math.min(to, column + 1);
      this.parts[entry * this.columns + column]! += until - from;
      from = until;
    }
  }

  /** Adds cells of the places (locations or groups) from `first` to `end` - 1, and where these are missing
   * the cells of the fallback table. */
  addCells(bins: Bins | null, first: number, end: number, from: number, to: number): void {
    if (bins === null || to <= from) return;
    const begin = Math.min(to, Math.max(from, bins.from));
    const until = Math.max(begin, Math.min(to, bins.to));
    this.addCells(bins.behind, first, end, from, begin);
    this.addCells(bins.behind, first, end, until, to);
    if (until <= begin) return;
    for (let at = Math.floor(first / bins.group) * bins.group; at < end; at += bins.group) {
      const [low, high] = [Math.max(first, at), Math.min(end, at + bins.group)];
      const row = bins.rowOf(at);
      if (row >= 0 && row < bins.rows) this.addRow(bins, row, high - low, begin, until);
      else this.addCells(bins.behind, low, high, begin, until);
    }
  }

  /** Adds a row of cells `weight` times. */
  private addRow(bins: Bins, row: number, weight: number, from: number, to: number): void {
    const { pending } = this;
    if (pending === null || pending.bins !== bins || pending.from !== from || pending.to !== to) {
      this.spread();
      this.pending = this.stretch(bins, from, to);
      const size = this.entries * this.pending.count;
      if (this.sums.length < size) this.sums = new Float64Array(size);
      else this.sums.fill(0, 0, size);
      if (this.hasSpread) this.spreadSums.start(this.pending.count);
    }
    const { firstBin, count, planes } = this.pending!;
    const { sums } = this;
    const start = row * bins.count + firstBin;
    for (const { entry, cells } of planes) {
      const base = entry * count;
      for (let i = 0; i < count; i++) sums[base + i]! += weight * cells[start + i]!;
    }
    if (!this.hasSpread) return;
    if (bins.spread === null) {
      const { own } = this.spreadSums;
      own.fill(0, 0, count);
      for (const { cells, isWait } of planes) {
        for (let i = 0; isWait && i < count; i++) own[i]! += cells[start + i]!;
      }
    }
    this.spreadSums.addRow(bins, start, count, weight);
  }

  /** Distributes the added cells over the columns. */
  private spread(): void {
    if (this.pending === null) return;
    const { count, pieces, bin, column, part, entries } = this.pending;
    const { parts, sums, columns } = this;
    for (const entry of entries) {
      const [from, to] = [entry * count, entry * columns];
      for (let i = 0; i < pieces; i++) parts[to + column[i]!]! += part[i]! * sums[from + bin[i]!]!;
    }
    if (this.hasSpread) this.spreadLines(this.pending);
    this.pending = null;
  }

  /** Distributes the spread over the columns. */
  private spreadLines({ pieces, bin, column, part }: Stretch): void {
    const { lines, covered, columns } = this;
    const { most, middle, least, members } = this.spreadSums;
    for (let i = 0; i < pieces; i++) {
      const [at, from, share] = [column[i]!, bin[i]!, part[i]!];
      lines[at]! += share * most[from]!;
      lines[columns + at]! += (share * middle[from]!) / members;
      lines[2 * columns + at]! += share * least[from]!;
      covered[at]! += 100 * share;
    }
  }

  private stretch(bins: Bins, from: number, to: number): Stretch {
    const known = this.stretches.find((each) => each.bins === bins && each.from === from && each.to === to);
    if (known !== undefined) return known;
    const stretch = this.makeStretch(bins, from, to);
    this.stretches.unshift(stretch);
    this.stretches.length = Math.min(this.stretches.length, REMEMBERED);
    return stretch;
  }

  private makeStretch(bins: Bins, from: number, to: number): Stretch {
    const { span, columns, colors } = this;
    const length = (bins.to - bins.from) / bins.count;
    const firstBin = Math.max(0, Math.floor((from - bins.from) / length));
    const last = Math.min(bins.count - 1, Math.floor((to - bins.from) / length));
    const count = Math.max(0, last - firstBin + 1);
    const bin = new Uint32Array(count + columns + 1);
    const column = new Uint32Array(count + columns + 1);
    const part = new Float64Array(count + columns + 1);
    const scale = this.plotWidth / (span.to - span.from);
    let pieces = 0;
    for (let i = 0; i < count; i++) {
      const begin = bins.from + (firstBin + i) * length;
      let x = Math.max(0, (Math.max(from, begin) - span.from) * scale);
      const end = Math.min(columns, (Math.min(to, begin + length) - span.from) * scale);
      while (x < end) {
        const at = Math.floor(x);
        const until = Math.min(end, at + 1);
        bin[pieces] = i;
        column[pieces] = at;
        part[pieces++] = (until - x) / 100;
        x = until;
      }
    }
    const planes = [
      { entry: colors.compute, cells: bins.compute, isWait: false },
      { entry: colors.call, cells: bins.call, isWait: false },
      ...bins.wait.flatMap((cells, kind) =>
        cells === null ? [] : [{ entry: colors.waiting(bins.kinds[kind]!), cells, isWait: true }],
      ),
    ];
    for (const { entry, isWait } of planes) if (isWait) this.isWait[entry] = 1;
    const entries = [...new Set(planes.map(({ entry }) => entry))];
    return { bins, from, to, firstBin, count, pieces, bin, column, part, planes, entries };
  }

  /** Writes pixels of the row: colours mixed by their shares; 0xff, blue, green, red, highest byte first; 0
   * where the row is empty. */
  mix(pixels: Uint32Array): void {
    this.spread();
    if (this.colors.share !== null) {
      this.mixShares(pixels, this.colors.share.entry, this.colors.share.colors);
      return;
    }
    const { columns, mixed } = this;
    mixed.fill(0);
    for (let entry = 0; entry < this.entries; entry++) this.mixEntry(entry, mixed);
    for (let column = 0, at = 0; column < columns; column++, at += 4) {
      const total = mixed[at + 3]!;
      // Adding one half and truncating rounds.
      pixels[column] =
        total < LEAST
          ? 0
          : (0xff000000 |
              ((mixed[at + 2]! / total + 0.5) << 16) |
              ((mixed[at + 1]! / total + 0.5) << 8) |
              (mixed[at]! / total + 0.5)) >>>
            0;
    }
  }

  /** Writes the lines of a row of several locations, one after the other: each has the share of waiting of its
   * location; what this location does otherwise, and the kinds of its waiting, are those of all of them. */
  mixLines(pixels: Uint32Array): void {
    this.spread();
    const { columns, lines, covered, mixed, mixedWaits } = this;
    const shades = this.colors.share === null ? null : shadesOf(this.colors.share.colors);
    mixed.fill(0);
    mixedWaits.fill(0);
    for (let entry = 0; entry < this.entries; entry++) this.mixEntry(entry, this.isWait[entry] === 0 ? mixed : mixedWaits);
    for (let column = 0, at = 0; column < columns; column++, at += 4) {
      const other = mixed[at + 3]!;
      const waiting = mixedWaits[at + 3]!;
      // Where there is one activity only, all locations have it.
      const isMixed = other >= LEAST && waiting >= LEAST && covered[column]! > 0;
      for (let line = 0; line < SPREAD_LINES; line++) {
        const to = line * columns + column;
        if (line > 0 && !isMixed) pixels[to] = pixels[column]!;
        else if (other + waiting < LEAST) pixels[to] = 0;
        else {
          const share = isMixed ? Math.min(1, lines[to]! / covered[column]!) : waiting / (other + waiting);
          if (shades !== null) pixels[to] = shades[Math.round(share * (shades.length - 1))]!;
          else {
            const a = other < LEAST ? 0 : (1 - share) / other;
            const b = waiting < LEAST ? 0 : share / waiting;
            pixels[to] =
              (0xff000000 |
                ((a * mixed[at + 2]! + b * mixedWaits[at + 2]! + 0.5) << 16) |
                ((a * mixed[at + 1]! + b * mixedWaits[at + 1]! + 0.5) << 8) |
                (a * mixed[at]! + b * mixedWaits[at]! + 0.5)) >>>
              0;
          }
        }
      }
    }
  }

  /** Adds the colour of an entry, weighted by its part of each column. */
  private mixEntry(entry: number, sums: Float64Array): void {
    const { columns, parts } = this;
    const base = entry * columns;
    const [r, g, b] = [this.red[entry]!, this.green[entry]!, this.blue[entry]!];
    for (let column = 0, at = 0; column < columns; column++, at += 4) {
      const part = parts[base + column]!;
      if (part === 0) continue;
      sums[at]! += part * r;
      sums[at + 1]! += part * g;
      sums[at + 2]! += part * b;
      sums[at + 3]! += part;
    }
  }

  /** As mix(), but the colours show the share of one entry. */
  private mixShares(pixels: Uint32Array, entry: number, colors: readonly string[]): void {
    const { columns, parts, entries } = this;
    const shades = shadesOf(colors);
    for (let column = 0; column < columns; column++) {
      let total = 0;
      for (let each = 0; each < entries; each++) total += parts[each * columns + column]!;
      const share = parts[entry * columns + column]! / total;
      pixels[column] = total < LEAST ? 0 : shades[Math.round(share * (shades.length - 1))]!;
    }
  }

  /** Calls `draw` for columns from left to right, once for adjacent columns that look the same, with the
   * share of each colour in them. */
  stacks(draw: (column: number, count: number, parts: Float64Array) => void): void {
    this.spread();
    const { columns, entries } = this;
    let shown = new Float64Array(entries);
    let next = new Float64Array(entries);
    let from = -1; // the column is empty
    for (let column = 0; column <= columns; column++) {
      const isThere = column < columns && this.partsAt(column, next);
      if (from >= 0) {
        if (isThere && looksLike(shown, next)) continue;
        draw(from, column - from, shown);
      }
      from = isThere ? column : -1;
      [shown, next] = [next, shown];
    }
  }

  /** Computes the shares of a column. @returns whether the column has any. */
  private partsAt(column: number, parts: Float64Array): boolean {
    let total = 0;
    for (let entry = 0; entry < this.entries; entry++) total += this.parts[entry * this.columns + column]!;
    if (total < LEAST) return false;
    for (let entry = 0; entry < this.entries; entry++) {
      parts[entry] = this.parts[entry * this.columns + column]! / total;
    }
    return true;
  }
}

/** @returns colours as pixels. */
function shadesOf(colors: readonly string[]): Uint32Array {
  return Uint32Array.from(colors, (color) => {
    const [red, green, blue] = channels(color) as [number, number, number];
    return (0xff000000 | (blue << 16) | (green << 8) | red) >>> 0;
  });
}

function looksLike(a: Float64Array, b: Float64Array): boolean {
  for (let i = 0; i < a.length; i++) {
    if (Math.round(a[i]! * LEVELS) !== Math.round(b[i]! * LEVELS)) return false;
  }
  return true;
}
