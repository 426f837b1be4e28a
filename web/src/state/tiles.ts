// SPDX-License-Identifier: BSD-3-Clause
/** Fetches the tiles of the current view of the timeline, and builds a timeline from them. */
import { signal } from "@preact/signals";
import type { TileAnswer } from "../data/tile_worker";
import type { Arrangement } from "../model/arrangement";
import { makeTimeline, type Bins, type Timeline } from "../model/timeline";
import {
  assembleCells,
  bandsOf,
  binsIn,
  cellsFor,
  cellsOf,
  eventTilesFor,
  joinEventTiles,
  SINGLE_ROWS,
  tilesOf,
  type Cells,
  type CellView,
  type EventTile,
  type Level,
  type Range2,
  type TileIndex,
} from "../model/tiles";

/** Number of cached tiles; the least recently used ones are evicted. */
const KEPT = 600;

/** Rows of opened groups: this number of bands of locations have their own cells. */
const MOST_BANDS = 64;

/** If tiles take longer than this number of milliseconds, the available ones are shown, and again after the
 * same time. */
const REDRAW_DELAY = 250;

/** Number of tiles for the explanation of selected wait states, at any place. */
const KEPT_FOR_CHAINS = 24;

/** Requests a tile; `take` receives it later. */
type Reader = (tile: number) => void;

/** The current view: cells, cells of groups of similar locations, single events. */
interface View {
  readonly cells: CellView;
  readonly alike: CellView | null;
  /** Cells of pinned rows. */
  readonly pinned: CellView | null;
  readonly events: readonly number[];
  readonly key: string;
}

/** The picture follows user actions immediately, drawn from available cells. It is updated once more when all
 * tiles of the view have arrived, or repeatedly while that takes long. */
export class TileSource {
  readonly timeline = signal<Timeline | null>(null);
  readonly failure = signal<string | null>(null);
  /** Whether a tile of the view is being fetched. */
  readonly busy = signal(false);
  private readonly read: Reader;
  private readonly cells = new Map<number, Cells>();
  private readonly events = new Map<number, EventTile>();
  private readonly pending = new Set<number>();
  private readonly chains: number[] = [];
  private always: readonly number[] = [];
  private view: View;
  /** The whole run in a few coarse cells, which replace missing finer ones: by locations and by groups of
   * similar locations. */
  private readonly whole: CellView;
  private readonly wholeAlike: CellView;
  /** All tiles to be loaded. */
  private needed: ReadonlySet<number> = new Set();
  private joined: readonly number[] = [];
  /** Number of tiles that the overview consists of. */
  private overviewTiles = -1;
  /** The last complete cells: they replace missing cells of the next view. */
  private complete: { readonly cells: Bins | null; readonly alike: Bins | null } = { cells: null, alike: null };
  private timer: ReturnType<typeof setTimeout> | null = null;

  constructor(
    private readonly index: TileIndex,
    makeReader: (take: (answer: TileAnswer) => void) => Reader,
  ) {
    this.read = makeReader((answer) => this.take(answer));
    this.whole = wholeRun(index.levels[index.levels.length - 1]!);
    this.wholeAlike = wholeRun(index.alikeLevel);
    this.view = { cells: this.whole, alike: null, pinned: null, events: [], key: "" };
    this.needAll();
    this.build();
  }

  /** Shows a time window of the timeline on a chart of a given number of pixels. */
  show(span: Range2, rows: Range2, arrangement: Arrangement, width: number, height: number): void {
    const { index } = this;
    const isPlain = arrangement.kind === "plain";
    const { bands, members } = isPlain
      ? { bands: bandsOf(index, rows), members: [] }
      : bandsOfRows(index, rows, arrangement, height);
    const cells = isPlain
      ? cellsFor(index, span, rows, width, height)
      : cellsOf(index, index.levels[0]!, members, span, width);
    const alike = arrangement.kind === "similar" ? cellsOf(index, index.alikeLevel, [0], span, width) : null;
    const pins = [...new Set(arrangement.pinned.map((location) => Math.floor(location / index.rows)))].sort((a, b) => a - b);
    const pinned = pins.length === 0 ? null : cellsOf(index, index.levels[0]!, pins, span, width);
    // Events, if there are not too many: for rows of one location each, or where cells are too coarse.
    const isSingle = height / (rows.to - rows.from) >= 3;
    const isCoarse = isPlain && rows.to - rows.from < SINGLE_ROWS && binsIn(index, cells, span) < width / 2;
    const shown = isSingle || isCoarse ? eventTilesFor(index, span, bands) : null;
    const events = [...new Set([...(shown ?? []), ...(eventTilesFor(index, span, pins) ?? [])])];
    const views = [cells, alike, pinned].filter((view) => view !== null);
    const key = [...views.flatMap(tilesOf), isPlain, "events", ...events].join();
    if (key === this.view.key) return;
    this.view = { cells, alike, pinned, events, key };
    this.needAll();
    this.update();
  }

  /** Keeps the events of given locations in a time window permanently. */
  keep(places: readonly { location: number; from: number; to: number }[]): void {
    this.always = places.flatMap((place) => this.tilesAt(place.location, place.from, place.to));
    this.needAll();
    this.update();
  }

  /** Fetches the events of a location in a time window, to explain a wait state. */
  need(location: number, from: number, to: number): void {
    for (const tile of this.tilesAt(location, from, to)) {
      if (this.chains.includes(tile)) continue;
      this.chains.push(tile);
      if (this.chains.length > KEPT_FOR_CHAINS) this.chains.shift();
    }
    this.needAll();
    this.update();
  }

  private tilesAt(location: number, from: number, to: number): readonly number[] {
    const bands = bandsOf(this.index, { from: location, to: location + 1 });
    return eventTilesFor(this.index, { from, to: to + 1 }, bands)?.slice(-8) ?? [];
  }

  private needAll(): void {
    const { cells, alike, pinned, events } = this.view;
    const views = [this.whole, this.wholeAlike, cells, alike, pinned].filter((view) => view !== null);
    this.needed = new Set([...views.flatMap(tilesOf), ...events, ...this.chains, ...this.always]);
    for (const tile of this.needed) this.want(tile);
  }

  private want(tile: number): void {
    if (this.cells.has(tile) || this.events.has(tile)) {
      touch(this.cells, tile);
      touch(this.events, tile);
    } else if (!this.pending.has(tile)) {
      this.pending.add(tile);
      this.read(tile);
    }
  }

  private take(answer: TileAnswer): void {
    this.pending.delete(answer.tile);
    if ("cells" in answer) this.cells.set(answer.tile, answer.cells);
    if ("events" in answer) this.events.set(answer.tile, answer.events);
    this.failure.value = "failure" in answer ? answer.failure : null;
    if (this.needed.has(answer.tile)) this.update();
  }

  private update(): void {
    this.busy.value = [...this.needed].some((tile) => this.pending.has(tile));
    if (!this.busy.value) this.build();
    else this.timer ??= setTimeout(() => this.build(), REDRAW_DELAY);
  }

  private build(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = this.busy.value ? setTimeout(() => this.build(), REDRAW_DELAY) : null;
    const { index, view, complete } = this;
    const wanted = [...new Set([...view.events, ...this.chains, ...this.always])].filter((tile) => this.events.has(tile));
    wanted.sort((a, b) => a - b);
    const before = this.timeline.value;
    const bins = this.binsOf(view.cells, this.whole, complete.cells);
    const alikeBins = this.binsOf(view.alike ?? this.wholeAlike, this.wholeAlike, complete.alike);
    if (!this.busy.value) this.complete = { cells: bins, alike: alikeBins };
    const pinnedBins = view.pinned && assembleCells(index, view.pinned, (tile) => this.cells.get(tile), bins);
    const overview = this.overviewOf(before);
    const same = before !== null && wanted.length === this.joined.length && wanted.every((tile, i) => tile === this.joined[i]);
    this.joined = wanted;
    this.timeline.value = same
      ? { ...before, bins, alikeBins, pinnedBins, overview }
      : {
          ...makeTimeline(joinEventTiles(index, wanted.map((tile) => this.events.get(tile)!)), index.locations),
          bins,
          pinnedBins,
          overview,
          alike: index.alike,
          alikeBins,
          counters: index.counters,
          isTiled: true,
        };
    forget(this.cells, this.needed);
    forget(this.events, this.needed);
  }

  /** @returns the cells of the whole run; the previous ones unless a tile has arrived since then: the overview is added
   * up again only for new cells. */
  private overviewOf(before: Timeline | null): Bins {
    const loaded = tilesOf(this.whole).filter((tile) => this.cells.has(tile)).length;
    const known = before?.overview ?? null;
    if (known !== null && loaded === this.overviewTiles) return known;
    this.overviewTiles = loaded;
    return assembleCells(this.index, this.whole, (tile) => this.cells.get(tile), null);
  }

  /** @returns the cells of a view. Missing cells are replaced by those shown before, and behind all of them
   * by the coarse ones of the whole run: users move on before other cells have arrived. */
  private binsOf(view: CellView, whole: CellView, before: Bins | null): Bins {
    const loaded = (tile: number): Cells | undefined => this.cells.get(tile);
    const last = assembleCells(this.index, whole, loaded, null);
    const behind = before === null || !this.busy.value ? last : { ...before, behind: last };
    return assembleCells(this.index, view, loaded, behind);
  }
}

function wholeRun(level: Level): CellView {
  const bands = Array.from({ length: level.bands }, (_, band) => band);
  return { level, depth: 0, bands, firstColumn: 0, endColumn: 1 };
}

/** @returns the bands of all visible rows, and those of rows of single locations. */
function bandsOfRows(
  index: TileIndex,
  rows: Range2,
  arrangement: Arrangement,
  height: number,
): { bands: number[]; members: number[] } {
  const bands = new Set<number>();
  const members = new Set<number>();
  // For narrower rows, some locations represent all.
  const step = Math.max(1, Math.ceil((3 * (rows.to - rows.from)) / height));
  const first = Math.max(0, Math.floor(rows.from / step) * step);
  for (let row = first; row < Math.min(rows.to, arrangement.rows); row += step) {
    const band = Math.floor(arrangement.location(row) / index.rows);
    bands.add(band);
    if ((arrangement.kind !== "similar" || arrangement.group(row) < 0) && members.size < MOST_BANDS) members.add(band);
  }
  const ascending = (set: Set<number>): number[] => [...set].sort((a, b) => a - b);
  return { bands: ascending(bands), members: ascending(members) };
}

function touch<T>(map: Map<number, T>, key: number): void {
  const value = map.get(key);
  if (value === undefined) return;
  map.delete(key);
  map.set(key, value);
}

function forget<T>(map: Map<number, T>, needed: ReadonlySet<number>): void {
  for (const key of map.keys()) {
    if (map.size <= KEPT) return;
    if (!needed.has(key)) map.delete(key);
  }
}
