// SPDX-License-Identifier: BSD-3-Clause
/** The rendered span of the timeline, and its settings. */
import { batch, computed, effect, signal } from "@preact/signals";
import {
  foldedArrangement,
  groupedArrangement,
  hasRow,
  orderedArrangement,
  plainArrangement,
  rankedArrangement,
  threadsOf,
  withPins,
  type Alike,
  type Arrangement,
} from "../model/arrangement";
import type { Counter } from "../model/counters";
import { filterRows, sortRows, type RowOrder, type Ranking } from "../model/row_order";
import type { Place } from "../model/selection";
import type { Timeline } from "../model/timeline";

export type Coloring = "class" | "region" | "kind" | "waiting" | "blame" | "counter";

export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Smallest time window in ticks: shorter ones show nothing new. */
const LEAST_TICKS = 20;
const LEAST_ROWS = 1;
const EXPANDED_ROWS = 24;

/** Number of distinguishable rows on a chart of usual height. */
const FILLED_ROWS = 64;

/** Number of rows that have space for nested rows on a chart of usual height. */
const STACKED_ROWS = 12;

/** Sorted rows: beyond this number of locations, a row represents similarly placed ones. */
const MOST_SORTED = 200;

export class TimelineState {
  /** Null until it is needed. */
  readonly data = signal<Timeline | null>(null);
  readonly failure = signal<string | null>(null);
  /** Whether visible data are being fetched from a server. */
  readonly busy = signal(false);
  /** Ticks since the begin of the run; null: the whole run. */
  readonly span = signal<Span | null>(null);
  /** Rows; null: all. */
  readonly rows = signal<Span | null>(null);
  readonly coloring = signal<Coloring>("class");
  readonly arrows = signal(true);
  readonly teams = signal(true);
  readonly path = signal(true);
  /** The displayed counter: its number; -1: none. */
  readonly counter = signal(-1);
  /** Its values, when loaded. */
  readonly curves = signal<Counter | null>(null);
  /** Whether they are being loaded. */
  readonly isReadingCounter = signal(false);
  /** Similar locations share one row. */
  readonly grouped = signal(false);
  /** Groups that are open: their members have rows. */
  readonly open = signal<ReadonlySet<number>>(new Set());
  private readonly alike = computed<Alike | null>(() => {
    const alike = this.data.value?.alike;
    return alike === undefined || alike.count >= this.locations ? null : alike;
  });
  private readonly plain: Arrangement;
  readonly order = signal<RowOrder>("rank");
  /** Ranks or nodes whose rows are shown: filterRows(); empty: all. */
  readonly filter = signal("");
  /** Locations whose rows are also at the top. */
  readonly pinned = signal<ReadonlySet<number>>(new Set());
  /** What rows are sorted and filtered by. Set once, before the timeline is used. */
  ranking: Ranking | null = null;
  /** The locations that the filter selects; null: all, or the filter selects none. */
  readonly filtered = computed(() =>
    this.ranking === null || this.filter.value.trim() === "" ? null : filterRows(this.ranking, this.filter.value),
  );
  private readonly arranged = computed(() => this.arrange());
  readonly arrangement = computed(() => withPins(this.arranged.value, [...this.pinned.value]));
  /** The call stack is drawn as nested rows where there is space. */
  readonly stack = signal(false);
  /** What is searched for on the timeline: a part of a function's or wait state's name. */
  readonly search = signal("");
  /** The selected call or computation. */
  readonly item = signal<Place | null>(null);
  /** The selected interval: its statistics are shown. */
  readonly interval = signal<Span | null>(null);
  /** The selected wait state. */
  readonly chosen = signal<{ readonly location: number; readonly enter: number } | null>(null);
  /** Size of the chart in pixels: determines the resolution of a server's tiles. */
  readonly size = signal<{ readonly width: number; readonly height: number }>({ width: 0, height: 0 });
  /** Fetches the events of a location, to explain a wait state; does nothing if all events are loaded. */
  need: (location: number, from: number, to: number) => void = () => {};
  /** Reads the values of a counter. */
  readCounter: (counter: number) => Promise<Counter> = (counter) =>
    Promise.resolve(this.data.value!.counters[counter]!);
  private reading = false;

  constructor(
    readonly locations: number,
    readonly isThere: boolean,
    private readonly read: (state: TimelineState) => Promise<Timeline>,
  ) {
    this.plain = plainArrangement(locations);
    let shown = -1;
    effect(() => {
      const counter = this.counter.value < (this.data.value?.counters.length ?? 0) ? this.counter.value : -1;
      if (counter === shown) return;
      shown = counter;
      this.curves.value = null;
      this.isReadingCounter.value = counter >= 0;
      if (counter < 0) return;
      const end = (curves: Counter | null): void => {
        if (shown !== counter) return;
        batch(() => {
          this.curves.value = curves;
          this.isReadingCounter.value = false;
        });
      };
      this.readCounter(counter).then(end, (error: unknown) => {
        this.failure.value = error instanceof Error ? error.message : String(error);
        end(null);
      });
    });
  }

  /** Shows a counter, -1: none, as curves and in the colours of the rows. */
  showCounter(counter: number): void {
    this.counter.value = counter;
    if (counter >= 0) this.coloring.value = "counter";
    else if (this.coloring.value === "counter") this.coloring.value = "class";
  }

  load(): void {
    if (!this.isThere || this.reading) return;
    this.reading = true;
    this.read(this).then(
      (timeline) => (this.data.value = timeline),
      (error: unknown) => (this.failure.value = error instanceof Error ? error.message : String(error)),
    );
  }

  shownSpan(): Span {
    return this.span.value ?? { from: 0, to: this.data.value?.length ?? 1 };
  }

  shownRows(): Span {
    const { rows } = this.arrangement.value;
    return (this.rows.value && within(this.rows.value, rows)) ?? { from: 0, to: rows };
  }

  private arrange(): Arrangement {
    const { ranking } = this;
    if (this.grouped.value && this.alike.value !== null) return groupedArrangement(this.alike.value, this.open.value);
    const order = this.order.value;
    const filtered = this.filtered.value;
    if (ranking === null || (order === "rank" && (filtered === null || filtered.length === 0))) return this.plain;
    const sorted = sortRows(ranking, order, filtered === null || filtered.length === 0 ? null : filtered);
    if (order === "folded") return foldedArrangement(threadsOf(ranking.rank, sorted), this.open.value);
    const isRanked = (order === "waiting" || order === "blame") && sorted.length > MOST_SORTED;
    return isRanked ? rankedArrangement(sorted, this.open.value) : orderedArrangement(sorted);
  }

  /** Changes the order of the rows. */
  sort(order: RowOrder): void {
    this.rows.value = null;
    this.open.value = new Set();
    this.grouped.value = false;
    this.order.value = order;
  }

  /** Whether the threads of each process share one row; whether each thread has a row. */
  readonly threadsFolded = computed(() => !this.grouped.value && this.order.value === "folded" && this.open.value.size === 0);
  readonly threadsUnfolded = computed(() => {
    const { kind, alike, isOpen } = this.arrangement.value;
    return kind !== "similar" && (kind !== "folded" || alike!.members.every((members, group) => members.length < 2 || isOpen(group)));
  });

  /** Gives the threads of each process one row, in the order of the ranks. */
  foldThreads(): void {
    this.sort("folded");
  }

  /** Gives each thread a row, in the order of the ranks. */
  unfoldThreads(): void {
    this.sort("rank");
  }

  filterBy(text: string): void {
    this.rows.value = null;
    this.open.value = new Set();
    this.filter.value = text;
  }

  /** Shows the call stack; with it, at most as many rows as have space for nested rows. */
  showStack(shown: boolean): void {
    this.stack.value = shown;
    const rows = this.shownRows();
    if (!shown || rows.to - rows.from <= STACKED_ROWS) return;
    const selected = this.item.value ?? this.chosen.value;
    const row = selected === null ? NaN : this.arrangement.value.row(selected.location);
    const from = Number.isNaN(row) ? rows.from : row - STACKED_ROWS / 2;
    this.rows.value = within({ from, to: from + STACKED_ROWS }, this.arrangement.value.rows);
  }

  /** Pins the row of a location to the top, or removes it there. */
  togglePin(location: number): void {
    const pinned = new Set(this.pinned.value);
    if (!pinned.delete(location)) pinned.add(location);
    this.pinned.value = pinned;
  }

  /** Selects a call, computation, or nothing. */
  select(place: Place | null): void {
    this.item.value = place;
    this.chosen.value = null;
  }

  /** Selects a wait state. */
  choose(location: number, enter: number): void {
    this.item.value = null;
    this.chosen.value = { location, enter };
  }

  /** Selects an interval, within the run; null: none. */
  mark(interval: Span | null): void {
    const length = this.data.value?.length ?? Infinity;
    const from = Math.max(0, interval?.from ?? 0);
    const to = Math.min(length, interval?.to ?? 0);
    this.interval.value = interval === null || to <= from ? null : { from, to };
  }

  /** Shows a time window with a tenth of its length of context on each side. */
  frame(from: number, to: number): void {
    const margin = (to - from) / 10;
    this.show(from - margin, to + margin);
  }

  /** @returns whether some locations are similar. */
  canGroup(): boolean {
    return this.alike.value !== null;
  }

  /** Groups similar locations in one row, or gives each its own row. */
  group(grouped: boolean): void {
    this.rows.value = null;
    this.open.value = new Set();
    this.order.value = "rank";
    this.grouped.value = grouped;
  }

  /** Opens or closes a group. If it has many members, the first members are shown. */
  toggleGroup(group: number): void {
    const { alike } = this.arrangement.value;
    if (alike === null) return;
    const open = new Set(this.open.value);
    const isOpening = !open.delete(group);
    if (isOpening) open.add(group);
    this.open.value = open;
    const { kind, rows, row } = this.arrangement.value;
    const header = isOpening ? row(alike.members[group]![0]!) - (kind === "folded" ? 0 : 1) : 0;
    const isLong = isOpening && rows > FILLED_ROWS;
    this.rows.value = isLong ? within({ from: header, to: header + FILLED_ROWS }, rows) : null;
  }

  /** Scales the time window by `factor`; the point `at` (a fraction of the window) stays in place. */
  zoom(factor: number, at = 0.5): void {
    const length = this.data.value?.length ?? 1;
    this.span.value = zoomed(this.shownSpan(), factor, at, length, LEAST_TICKS);
  }

  /** Moves by a fraction of the time window. */
  pan(part: number): void {
    const length = this.data.value?.length ?? 1;
    this.span.value = moved(this.shownSpan(), part, length);
  }

  zoomRows(factor: number, at = 0.5): void {
    this.rows.value = zoomed(this.shownRows(), factor, at, this.arrangement.value.rows, LEAST_ROWS);
  }

  panRows(part: number): void {
    this.rows.value = moved(this.shownRows(), part, this.arrangement.value.rows);
  }

  show(from: number, to: number): void {
    const length = this.data.value?.length ?? Infinity;
    const missing = Math.max(0, LEAST_TICKS - (to - from)) / 2;
    this.span.value = within({ from: from - missing, to: to + missing }, length);
  }

  /** Shows given rows, and surrounding rows that fill the chart. */
  showRows(from: number, to: number): void {
    const missing = Math.max(0, EXPANDED_ROWS - (to - from)) / 2;
    this.rows.value = within({ from: from - missing, to: to + missing }, this.arrangement.value.rows);
  }

  showAll(): void {
    this.span.value = null;
    this.rows.value = null;
  }

  /** Selects a wait state and shows it with its own duration of context on each side. */
  goTo(location: number, enter: number, time: number, involved: readonly number[]): void {
    this.choose(location, enter);
    this.show(enter - 0.8 * time, enter + 1.4 * time);
    const alike = this.arrangement.value.alike;
    if (alike !== null && !hasRow(this.arrangement.value, location)) this.toggleGroup(alike.of[location]!);
    const rows = this.shownRows();
    const places = [location, ...involved].map((each) => this.arrangement.value.row(each));
    const lowest = Math.min(...places);
    const highest = Math.max(...places) + 1;
    const most = Math.max(highest - lowest, 24);
    if (lowest < rows.from || highest > rows.to || rows.to - rows.from > 4 * most) {
      const centre = (lowest + highest) / 2;
      this.rows.value = within({ from: centre - most / 2, to: centre + most / 2 }, this.arrangement.value.rows);
    }
  }
}

/** @returns null for the whole range. */
function within(span: Span, length: number): Span | null {
  const size = span.to - span.from;
  if (size >= length) return null;
  const from = Math.min(Math.max(0, span.from), length - size);
  return { from, to: from + size };
}

function zoomed(span: Span, factor: number, at: number, length: number, least: number): Span | null {
  const size = span.to - span.from;
  const wanted = Math.min(length, Math.max(Math.min(least, length), size * factor));
  const from = span.from + at * (size - wanted);
  return within({ from, to: from + wanted }, length);
}

function moved(span: Span, part: number, length: number): Span | null {
  const by = part * (span.to - span.from);
  return within({ from: span.from + by, to: span.to + by }, length);
}
