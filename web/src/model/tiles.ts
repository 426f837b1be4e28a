// SPDX-License-Identifier: BSD-3-Clause
/** The timeline in tiles (src/view/tiles/tiles.h): the tiles of a view, and their combination. */
import type { Bundle } from "../data/bundle";
import type { JsonCells, JsonTileIndex, JsonTimeline } from "../data/layout";
import { makeAlike, type Alike } from "./arrangement";
import type { Counter } from "./counters";
import type { Bins, WaitingSpread } from "./timeline";

export interface Range2 {
  readonly from: number;
  readonly to: number;
}

export interface Level {
  /** Locations in a row. */
  readonly group: number;
  readonly first: number;
  readonly bands: number;
  readonly depth: number;
}

export interface TileIndex {
  readonly length: number;
  readonly calls: number;
  readonly locations: number;
  readonly rows: number;
  readonly bins: number;
  /** Kinds of wait states (metrics). */
  readonly kinds: readonly number[];
  readonly levels: readonly Level[];
  /** Its rows are groups of similar locations. */
  readonly alikeLevel: Level;
  readonly alike: Alike;
  /** Counters without their curves; `counterTiles` are the tiles of the curves. */
  readonly counters: readonly Counter[];
  readonly counterTiles: readonly number[];
  readonly firstEvent: number;
  readonly eventFirst: Float64Array;
  readonly eventFrom: Float64Array;
  readonly eventCalls: Float64Array;
}

export function makeTileIndex(bundle: Bundle<JsonTileIndex>): TileIndex {
  const { json } = bundle;
  return {
    length: json.length,
    calls: json.calls,
    locations: json.locations,
    rows: json.rows,
    bins: json.bins,
    kinds: json.waits,
    levels: json.levels,
    alikeLevel: { ...json.alike_level, group: 1, bands: 1 },
    alike: makeAlike(bundle),
    counters: json.counters.map(({ name, unit, total }) => ({ name, unit, isTotal: total, curves: [] })),
    counterTiles: json.counters.map(({ tile }) => tile!),
    firstEvent: json.first_event,
    eventFirst: bundle.column("event_first"),
    eventFrom: bundle.column("event_from"),
    eventCalls: bundle.column("event_calls"),
  };
}

/** Cells of one level, all of the same resolution: tiles of all these bands and columns. */
export interface CellView {
  readonly level: Level;
  readonly depth: number;
  /** In ascending order. */
  readonly bands: readonly number[];
  readonly firstColumn: number;
  readonly endColumn: number;
}

export function cellTile(level: Level, band: number, depth: number, column: number): number {
  return level.first + band * (2 ** (level.depth + 1) - 1) + 2 ** depth - 1 + column;
}

/** Maximum height of rows of cells where there are more locations than pixels, equal to that of the drawn
 * rows: finer cells would only be added up. */
const ROW_PIXELS = 3;

/** @returns the cells for a time window of the timeline on a chart of a given number of pixels. */
export function cellsFor(index: TileIndex, span: Range2, rows: Range2, width: number, height: number): CellView {
  const most = Math.max(1, (rows.to - rows.from) / Math.max(1, height / ROW_PIXELS));
  let level = index.levels[0]!;
  for (const coarser of index.levels) if (coarser.group <= most) level = coarser;
  const bandOf = (row: number): number => Math.floor(row / (level.group * index.rows));
  const first = Math.min(level.bands - 1, Math.max(0, bandOf(rows.from)));
  const end = Math.min(level.bands, Math.max(0, bandOf(rows.to - 1e-6)) + 1);
  const bands = Array.from({ length: Math.max(0, end - first) }, (_, i) => first + i);
  return cellsOf(index, level, bands, span, width);
}

/** @returns the cells of given bands of a level for a time window on a chart of a given number of pixels. */
export function cellsOf(
  index: TileIndex,
  level: Level,
  bands: readonly number[],
  span: Range2,
  width: number,
): CellView {
  const parts = (width * index.length) / Math.max(1e-9, span.to - span.from);
  const depth = Math.min(level.depth, Math.max(0, Math.floor(Math.log2(parts / index.bins))));
  const columns = 2 ** depth;
  const columnOf = (time: number): number => Math.floor((time / index.length) * columns);
  return {
    level,
    depth,
    bands,
    firstColumn: Math.min(columns - 1, Math.max(0, columnOf(span.from))),
    endColumn: Math.min(columns, Math.max(0, columnOf(span.to - 1e-6)) + 1),
  };
}

/** @returns the tiles of a view. */
export function tilesOf(view: CellView): number[] {
  const tiles: number[] = [];
  for (const band of view.bands) {
    for (let column = view.firstColumn; column < view.endColumn; column++) {
      tiles.push(cellTile(view.level, band, view.depth, column));
    }
  }
  return tiles;
}

/** @returns the number of bins of a view's cells in a time window. */
export function binsIn(index: TileIndex, view: CellView, span: Range2): number {
  return ((span.to - span.from) / index.length) * index.bins * 2 ** view.depth;
}

/** Single events are not shown for more rows. */
export const SINGLE_ROWS = 700;

/** Single events are shown if the tiles contain at most this number of calls. */
const MOST_CALLS = 120_000;
const MOST_TILES = 64;

/** @returns the bands that contain the given locations. */
export function bandsOf(index: TileIndex, rows: Range2): number[] {
  const first = Math.max(0, Math.floor(rows.from / index.rows));
  const last = Math.min(index.eventFirst.length, Math.ceil(rows.to / index.rows));
  return Array.from({ length: Math.max(0, last - first) }, (_, i) => first + i);
}

/** @returns the tiles with the events of given bands in a time window; null: too many to show. */
export function eventTilesFor(index: TileIndex, span: Range2, bands: readonly number[]): number[] | null {
  const tiles: number[] = [];
  let calls = 0;
  for (const band of bands) {
    const end = index.eventFirst[band + 1] ?? index.eventFrom.length;
    for (let tile = lastBefore(index.eventFrom, index.eventFirst[band]!, end, span.from); tile < end; tile++) {
      if (index.eventFrom[tile]! >= span.to) break;
      calls += index.eventCalls[tile]!;
      tiles.push(index.firstEvent + tile);
      if (calls > MOST_CALLS || tiles.length > MOST_TILES) return null;
    }
  }
  return tiles;
}

/** @returns the last of the ascending values from first to end - 1 that is at most `limit`. */
function lastBefore(values: Float64Array, first: number, end: number, limit: number): number {
  let low = first;
  let high = end;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (values[middle]! <= limit) low = middle;
    else high = middle;
  }
  return low;
}

/** A tile with cells: percent, [row][bin]. */
export interface Cells {
  readonly rows: number;
  readonly compute: Uint8Array;
  readonly call: Uint8Array;
  /** By kind; null: the kind does not occur here. */
  readonly wait: readonly (Uint8Array | null)[];
  /** Of rows of several neighbouring locations. */
  readonly spread: { readonly least: Uint8Array; readonly middle: Uint8Array; readonly most: Uint8Array } | null;
}

/** @param kinds  number of kinds of wait states in the run
 * @param bins  in a row of the tile */
export function makeCells(kinds: number, bins: number, bundle: Bundle<JsonCells>): Cells {
  const { rows, kinds: present } = bundle.json;
  const all = bundle.bytes("wait");
  return {
    rows,
    compute: bundle.bytes("compute"),
    call: bundle.bytes("call"),
    wait: Array.from({ length: kinds }, (_, kind) => {
      const at = present.indexOf(kind);
      return at < 0 ? null : all.subarray(at * rows * bins, (at + 1) * rows * bins);
    }),
    spread: bundle.has("least")
      ? { least: bundle.bytes("least"), middle: bundle.bytes("middle"), most: bundle.bytes("most") }
      : null,
  };
}

type Loaded = (tile: number) => Cells | undefined;

interface Standing {
  readonly cells: Cells;
  /** Each of its bins represents 2^up bins of the requested tile. */
  readonly up: number;
}

/** @returns a tile, or, while it is missing, the finest available tile that covers its time. */
function standingFor(view: CellView, band: number, column: number, loaded: Loaded): Standing | null {
  for (let up = 0; up <= view.depth; up++) {
    const cells = loaded(cellTile(view.level, band, view.depth - up, Math.floor(column / 2 ** up)));
    if (cells !== undefined) return { cells, up };
  }
  return null;
}

/** Combines the available tiles to the cells of a view; coarser tiles replace missing ones. A band that lacks
 * any part has no rows.
 * @param behind is shown where there are no rows */
export function assembleCells(index: TileIndex, view: CellView, loaded: Loaded, behind: Bins | null): Bins {
  const count = (view.endColumn - view.firstColumn) * index.bins;
  const { group } = view.level;
  const places = new Map<number, number>(); // first row of each available band
  const tiles: (Standing & { readonly row: number; readonly column: number })[] = [];
  for (const band of view.bands) {
    const row = places.size * index.rows;
    const found: typeof tiles = [];
    for (let column = view.firstColumn; column < view.endColumn; column++) {
      const standing = standingFor(view, band, column, loaded);
      if (standing === null) break;
      found.push({ ...standing, row, column });
    }
    if (found.length < view.endColumn - view.firstColumn) continue;
    places.set(band, row);
    tiles.push(...found);
  }
  const rows = places.size * index.rows;
  const plane = (of: (cells: Cells) => Uint8Array | null): Uint8Array | null => {
    if (!tiles.some(({ cells }) => of(cells) !== null)) return null;
    const all = new Uint8Array(rows * count);
    for (const { cells, up, row, column } of tiles) {
      const source = of(cells);
      const start = row * count + (column - view.firstColumn) * index.bins;
      if (source !== null) copyCells(index.bins, all, start, count, source, cells.rows, (column % 2 ** up) * index.bins, up);
    }
    return all;
  };
  const spreadPlane = (name: keyof WaitingSpread): Uint8Array => plane((cells) => cells.spread![name]) ?? new Uint8Array();
  return {
    from: (view.firstColumn / 2 ** view.depth) * index.length,
    to: (view.endColumn / 2 ** view.depth) * index.length,
    rowOf: (place: number): number => {
      const row = Math.floor(place / group);
      const base = places.get(Math.floor(row / index.rows));
      return base === undefined ? -1 : base + (row % index.rows);
    },
    count,
    rows,
    group,
    kinds: index.kinds,
    compute: plane((cells) => cells.compute) ?? new Uint8Array(),
    call: plane((cells) => cells.call) ?? new Uint8Array(),
    wait: index.kinds.map((_, kind) => plane((cells) => cells.wait[kind]!)),
    spread:
      tiles.length > 0 && tiles.every(({ cells }) => cells.spread !== null)
        ? { least: spreadPlane("least"), middle: spreadPlane("middle"), most: spreadPlane("most") }
        : null,
    behind,
  };
}

/** Copies rows of a tile's cells, or of a part of a coarser tile stretched by 2^up. */
function copyCells(
  bins: number,
  target: Uint8Array,
  start: number,
  stride: number,
  source: Uint8Array,
  rows: number,
  offset: number,
  up: number,
): void {
  for (let row = 0; row < rows; row++) {
    const to = start + row * stride;
    const from = row * bins;
    if (up === 0) {
      target.set(source.subarray(from, from + bins), to);
      continue;
    }
    for (let bin = 0; bin < bins; bin++) target[to + bin] = source[from + ((offset + bin) >> up)]!;
  }
}

const NAMES = [
  "lane_window", "lane_location", "lane_count", "segment_since", "segment_callpath", "segment_kind", "wait_window",
  "wait_location", "wait_enter", "wait_time", "wait_rest", "wait_metric", "wait_callpath", "wait_cause_location",
  "wait_cause_callpath", "arrow_window", "arrow_kind", "arrow_tail", "arrow_head", "arrow_since", "arrow_time",
  "arrow_bytes", "team_window", "team_since", "team_time", "team_count", "team_member",
] as const;

/** A tile with events, decoded. */
export interface EventTile {
  readonly from: number;
  readonly to: number;
  readonly columns: Readonly<Record<string, Float64Array>>;
}

export function makeEventTile(bundle: Bundle<JsonTimeline>): EventTile {
  const { from, to } = bundle.json.windows[0]!;
  return { from, to, columns: Object.fromEntries(NAMES.map((name) => [name, bundle.column(name)])) };
}

/** @returns tiles in the form of one timeline, each as a window. */
export function joinEventTiles(index: TileIndex, tiles: readonly EventTile[]): Bundle<JsonTimeline> {
  return {
    json: {
      version: 1,
      length: index.length,
      calls: index.calls,
      alike: 0,
      counters: [],
      windows: tiles.map(({ from, to }) => ({ from, to, metric: null, location: null, enter: null })),
    },
    has: () => true,
    bytes: () => new Uint8Array(),
    column(name) {
      if (/^(alike|counter)_/.test(name)) return new Float64Array();
      const parts = tiles.map((tile, i) => {
        const column = tile.columns[name]!;
        return name.endsWith("_window") ? column.map(() => i) : column;
      });
      const all = new Float64Array(parts.reduce((sum, part) => sum + part.length, 0));
      let at = 0;
      for (const part of parts) {
        all.set(part, at);
        at += part.length;
      }
      return all;
    },
  };
}
