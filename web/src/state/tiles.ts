/** Fetches the tiles that the reader's view of the timeline needs, and makes a timeline of them. */
import { signal } from "@preact/signals";
import type { Bundle } from "../data/bundle";
import type { JsonTimeline } from "../data/layout";
import type { Arrangement } from "../model/arrangement";
import { makeTimeline, type Timeline } from "../model/timeline";
import {
  assembleCells,
  bandsOf,
  cellsFor,
  cellsOf,
  eventTilesFor,
  joinEventTiles,
  makeCells,
  makeEventTile,
  tilesOf,
  type Cells,
  type CellView,
  type EventTile,
  type Range2,
  type TileIndex,
} from "../model/tiles";

/** Tiles that are kept; the ones used longest ago go first. */
const KEPT = 600;

/** Rows of opened groups: so many bands of locations have cells of their own. */
const MOST_BANDS = 64;

/** Milliseconds to wait for tiles that are under way. */
const GATHERING = 80;

/** Tiles that explain chosen wait states, wherever they are. */
const KEPT_FOR_CHAINS = 24;

type Fetch = (tile: number) => Promise<Bundle<unknown>>;

export class TileSource {
  readonly timeline = signal<Timeline | null>(null);
  readonly failure = signal<string | null>(null);
  private readonly cells = new Map<number, Cells>();
  private readonly events = new Map<number, EventTile>();
  private readonly pending = new Set<number>();
  private readonly chains: number[] = [];
  private always: readonly number[] = [];
  private view: CellView;
  private alikeView: CellView | null = null;
  private viewKey = "";
  private shown: readonly number[] = [];
  private joined: readonly number[] = [];
  private scheduled = false;

  constructor(
    private readonly index: TileIndex,
    private readonly fetchTile: Fetch,
  ) {
    this.view = cellsFor(index, { from: 0, to: index.length }, { from: 0, to: index.locations }, 1000, 600);
    this.build();
  }

  /** Shows a part of the timeline on a chart of so many pixels. */
  show(span: Range2, rows: Range2, arrangement: Arrangement, width: number, height: number): void {
    const { index } = this;
    const isPlain = arrangement.alike === null;
    const { bands, members } = isPlain
      ? { bands: bandsOf(index, rows), members: [] }
      : bandsOfRows(index, rows, arrangement, height);
    const view = isPlain
      ? cellsFor(index, span, rows, width, height)
      : cellsOf(index, index.levels[0]!, members, span, width);
    const alikeView = isPlain ? null : cellsOf(index, index.alikeLevel, [0], span, width);
    // Rows of one location each: their events, if there are not too many.
    const events = height / (rows.to - rows.from) >= 3 ? (eventTilesFor(index, span, bands) ?? []) : [];
    const views = alikeView === null ? [view] : [view, alikeView];
    const key = [...views.flatMap(tilesOf), isPlain, "events", ...events].join();
    if (key === this.viewKey) return;
    this.viewKey = key;
    this.view = view;
    this.alikeView = alikeView;
    this.shown = events;
    for (const { level, bands } of views) {
      // What stands in for finer tiles: the whole run.
      for (const band of bands) this.want(level.first + band * (2 ** (level.depth + 1) - 1));
    }
    for (const tile of views.flatMap(tilesOf)) this.want(tile);
    for (const tile of events) this.want(tile);
    this.schedule();
  }

  /** Keeps what some locations did in some time, for good. */
  keep(places: readonly { location: number; from: number; to: number }[]): void {
    this.always = places.flatMap((place) => this.tilesAt(place.location, place.from, place.to));
    for (const tile of this.always) this.want(tile);
    this.schedule();
  }

  /** Fetches what a location did in some time, to explain a wait state. */
  need(location: number, from: number, to: number): void {
    for (const tile of this.tilesAt(location, from, to)) {
      if (this.chains.includes(tile)) continue;
      this.chains.push(tile);
      if (this.chains.length > KEPT_FOR_CHAINS) this.chains.shift();
      this.want(tile);
      this.schedule();
    }
  }

  private tilesAt(location: number, from: number, to: number): readonly number[] {
    const bands = bandsOf(this.index, { from: location, to: location + 1 });
    return eventTilesFor(this.index, { from, to: to + 1 }, bands)?.slice(-8) ?? [];
  }

  private want(tile: number): void {
    if (this.cells.has(tile) || this.events.has(tile) || this.pending.has(tile)) {
      touch(this.cells, tile);
      touch(this.events, tile);
      return;
    }
    this.pending.add(tile);
    this.fetchTile(tile).then(
      (bundle) => {
        this.pending.delete(tile);
        if (tile >= this.index.firstEvent) this.events.set(tile, makeEventTile(bundle as Bundle<JsonTimeline>));
        else this.cells.set(tile, makeCells(this.index, bundle as Bundle<{ rows: number; kinds: number[] }>));
        this.schedule();
      },
      (error: unknown) => {
        this.pending.delete(tile);
        this.failure.value = error instanceof Error ? error.message : String(error);
      },
    );
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    // What comes about the same time is drawn at once: drawing takes longer than most answers.
    setTimeout(
      () => {
        this.scheduled = false;
        this.build();
      },
      this.pending.size > 0 ? GATHERING : 16,
    );
  }

  private build(): void {
    const wanted = [...new Set([...this.shown, ...this.chains, ...this.always])].filter((tile) => this.events.has(tile));
    wanted.sort((a, b) => a - b);
    const loaded = (tile: number): Cells | undefined => this.cells.get(tile);
    const bins = assembleCells(this.index, this.view, loaded);
    const alikeBins = this.alikeView && assembleCells(this.index, this.alikeView, loaded);
    const before = this.timeline.value;
    const same = before !== null && wanted.length === this.joined.length && wanted.every((tile, i) => tile === this.joined[i]);
    this.joined = wanted;
    this.timeline.value = same
      ? { ...before, bins, alikeBins }
      : {
          ...makeTimeline(joinEventTiles(this.index, wanted.map((tile) => this.events.get(tile)!)), this.index.locations),
          bins,
          alike: this.index.alike,
          alikeBins,
          counters: this.index.counters,
          isTiled: true,
        };
    const needed = new Set([...wanted, ...tilesOf(this.view), ...(this.alikeView ? tilesOf(this.alikeView) : [])]);
    forget(this.cells, needed);
    forget(this.events, needed);
  }
}

/** @returns the bands of all rows that are shown, and those of rows that are single locations. */
function bandsOfRows(
  index: TileIndex,
  rows: Range2,
  arrangement: Arrangement,
  height: number,
): { bands: number[]; members: number[] } {
  const bands = new Set<number>();
  const members = new Set<number>();
  // Of rows that are too narrow, some stand for all.
  const step = Math.max(1, Math.ceil((3 * (rows.to - rows.from)) / height));
  const first = Math.max(0, Math.floor(rows.from / step) * step);
  for (let row = first; row < Math.min(rows.to, arrangement.rows); row += step) {
    const band = Math.floor(arrangement.location(row) / index.rows);
    bands.add(band);
    if (arrangement.group(row) < 0 && members.size < MOST_BANDS) members.add(band);
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
