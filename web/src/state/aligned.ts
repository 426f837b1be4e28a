// SPDX-License-Identifier: BSD-3-Clause
/** The timelines of all runs of a comparison: their common time, ranks and colours. */
import { computed, signal } from "@preact/signals";
import { beginOf, extentOf, spanOfIteration, spanOfRun, type AlignedRun, type CommonSpan } from "../model/alignment";
import { comparedPhases } from "../model/comparison";
import type { Report } from "../model/report";
import type { Span, TimelineState } from "./timeline";

export const ALIGNED_COLORINGS = ["class", "region", "waiting"] as const;
export type AlignedColoring = (typeof ALIGNED_COLORINGS)[number];

/** Shortest common time, in seconds. */
const LEAST_SECONDS = 1e-7;
const LEAST_ROWS = 1;

export class AlignedState {
  /** The phase whose iterations are aligned: its number among those of all runs. */
  readonly phase = signal(0);
  /** The iteration that begins at the same place in all runs. */
  readonly iteration = signal(0);
  /** Seconds since its begin; null: all of all runs. */
  readonly span = signal<CommonSpan | null>(null);
  /** Locations; null: all. */
  readonly rows = signal<Span | null>(null);
  readonly coloring = signal<AlignedColoring>("class");
  readonly phases;
  /** The largest number of locations of a run. */
  readonly locations: number;
  private readonly aligned;

  /** @param reports    of the runs, each with its own dimensions
   * @param timelines  of the same runs; used for nothing else */
  constructor(
    readonly reports: readonly Report[],
    readonly timelines: readonly TimelineState[],
  ) {
    this.phases = comparedPhases(reports);
    this.locations = Math.max(...reports.map((report) => report.locations.length));
    this.aligned = computed(() => reports.map((_, run) => this.makeRun(run)));
  }

  private makeRun(run: number): AlignedRun {
    const phase = this.shownPhase();
    const { experiment, tickRate } = this.reports[run]!;
    const own = phase?.phases[run];
    return {
      // Without common iterations, the begins of the runs are aligned.
      origin: phase === null ? 0 : own ? beginOf(own, this.iteration.value) : null,
      length: this.timelines[run]!.data.value?.length ?? experiment.duration * tickRate,
      ticksPerSecond: tickRate,
    };
  }

  /** @returns the phase whose iterations are aligned; null: the runs have none in common. */
  shownPhase() {
    return this.phases[this.phase.value] ?? this.phases[0] ?? null;
  }

  load(): void {
    for (const timeline of this.timelines) timeline.load();
  }

  isThere(): boolean {
    return this.timelines.some((timeline) => timeline.isThere);
  }

  extent(): CommonSpan {
    return extentOf(this.aligned.value);
  }

  shownSpan(): CommonSpan {
    return this.span.value ?? this.extent();
  }

  shownRows(): Span {
    const rows = this.rows.value;
    return rows !== null && rows.to <= this.locations ? rows : { from: 0, to: this.locations };
  }

  /** @returns the displayed time of a run, in its ticks; null: it does not have the iteration. */
  spanOf(run: number): Span | null {
    return spanOfRun(this.aligned.value[run]!, this.shownSpan());
  }

  /** Aligns the runs at an iteration, and shows this iteration. */
  showIteration(iteration: number): void {
    const phase = this.shownPhase();
    if (phase === null) return;
    this.iteration.value = iteration;
    this.span.value = spanOfIteration(phase.phases, iteration, this.reports.map(({ tickRate }) => tickRate));
  }

  /** Scales the common time by `factor`; the point `at` (a fraction of it) stays in place. */
  zoom(factor: number, at = 0.5): void {
    const { from, to } = this.shownSpan();
    const all = this.extent();
    const size = Math.min(all.to - all.from, Math.max(LEAST_SECONDS, (to - from) * factor));
    const begin = from + at * (to - from - size);
    this.span.value = within({ from: begin, to: begin + size }, all);
  }

  /** Moves by a fraction of the displayed time. */
  pan(part: number): void {
    const { from, to } = this.shownSpan();
    const by = part * (to - from);
    this.span.value = within({ from: from + by, to: to + by }, this.extent());
  }

  zoomRows(factor: number, at = 0.5): void {
    const { from, to } = this.shownRows();
    const size = Math.min(this.locations, Math.max(LEAST_ROWS, (to - from) * factor));
    const begin = from + at * (to - from - size);
    this.rows.value = within({ from: begin, to: begin + size }, { from: 0, to: this.locations });
  }

  panRows(part: number): void {
    const { from, to } = this.shownRows();
    const by = part * (to - from);
    this.rows.value = within({ from: from + by, to: to + by }, { from: 0, to: this.locations });
  }

  showAll(): void {
    this.span.value = null;
    this.rows.value = null;
  }
}

/** Moves a span into the limits. @returns null for all of them */
function within(span: CommonSpan, limits: CommonSpan): CommonSpan | null {
  const size = span.to - span.from;
  if (size >= limits.to - limits.from) return null;
  const from = Math.min(Math.max(limits.from, span.from), limits.to - size);
  return { from, to: from + size };
}
