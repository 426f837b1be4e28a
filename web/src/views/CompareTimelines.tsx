// SPDX-License-Identifier: BSD-3-Clause
/** The timelines of the runs of a comparison, one below the other. */
import { batch, effect } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { JSX } from "preact";
import { AlignedChart } from "../components/AlignedChart";
import type { Hit } from "../components/Chart";
import { ExportMenu } from "../components/ExportMenu";
import { callpathText } from "../components/Names";
import { alignedHeight, drawAligned, type AlignedModel } from "../draw/timeline/aligned";
import { layoutOf, type TimelineScene } from "../draw/timeline/timeline";
import { costliestFunctions, timelineColors, type TimelineColors } from "../draw/timeline/timeline_colors";
import { iterationAt } from "../draw/timeline/timeline_ruler";
import type { Palette } from "../draw/colors";
import { csvOf } from "../export/csv";
import { formatInterval, formatSeconds, printable, shorten } from "../format";
import { plainArrangement } from "../model/arrangement";
import { classesIn, windowsIn } from "../model/interval";
import { inUnits, locationName, processWord } from "../model/report";
import { itemAt } from "../model/selection";
import { ALIGNED_COLORINGS } from "../state/aligned";
import type { Store } from "../state/store";

const PICTURE_WIDTH = 1400;

/** Height of the rows of a run: of few ranks, and at most. */
const ROW_HEIGHT = 16;
const LEAST_HEIGHT = 48;
const MOST_HEIGHT = 220;

const COLORING_NAMES = { class: "Activity", region: "Function", waiting: "Share of waiting" } as const;

export function CompareTimelines({ store }: { store: Store }): JSX.Element | null {
  const { aligned } = store;
  useEffect(() => aligned.load(), [aligned]);
  // The timelines of a server follow the displayed time.
  useEffect(
    () =>
      effect(() => {
        const rows = aligned.shownRows();
        aligned.timelines.forEach((timeline, run) => {
          const own = aligned.spanOf(run);
          if (own !== null && timeline.data.value !== null) timeline.span.value = own;
          timeline.rows.value = aligned.rows.value === null ? null : rows;
        });
      }),
    [aligned],
  );
  if (!aligned.isThere()) {
    return (
      <>
        <h2>Timelines</h2>
        <p class="muted">This page has no timelines: the traces were not available, or the page was written with --no-timeline.</p>
      </>
    );
  }
  return <Timelines store={store} />;
}

/** @returns the colours of each run: a function has the same colour in all of them. */
function colorsOf(store: Store, palette: Palette): (TimelineColors | null)[] {
  const { aligned } = store;
  const functions = costliestFunctions(aligned.reports);
  return aligned.reports.map((report, run) => {
    const data = aligned.timelines[run]!.data.value;
    return data && timelineColors(report, data, aligned.coloring.value, palette, store.scale.value, functions);
  });
}

function modelOf(store: Store, colors: readonly (TimelineColors | null)[]): AlignedModel {
  const { aligned } = store;
  const phase = aligned.shownPhase();
  const rows = aligned.shownRows();
  const runs = aligned.reports.map((report, run) => {
    const { data, isThere, failure } = aligned.timelines[run]!;
    const name = store.names[run]!;
    const span = aligned.spanOf(run);
    const timeline = data.value;
    if (!isThere) return { name, scene: "no timeline: the trace was not available" };
    if (failure.value !== null && timeline === null) return { name, scene: `the timeline cannot be read: ${failure.value}` };
    if (span === null) return { name, scene: `no iteration ${aligned.iteration.value}` };
    if (timeline === null) return { name, scene: "reading the timeline..." };
    const scene: TimelineScene = {
      report,
      timeline,
      colors: colors[run]!,
      span,
      rows,
      arrangement: plainArrangement(report.locations.length),
      field: null,
      scale: store.scale.value,
      arrows: false,
      teams: false,
      phase: phase?.phases[run] ?? null,
      stack: false,
      interval: null,
      item: null,
      totals: null,
      path: report.criticalPath,
      chosen: -1,
      chain: [],
    };
    return { name, scene };
  });
  return {
    span: aligned.shownSpan(),
    runs,
    iteration: phase === null ? null : aligned.iteration.value,
    rowsHeight: Math.min(MOST_HEIGHT, Math.max(LEAST_HEIGHT, Math.round(rows.to - rows.from) * ROW_HEIGHT)),
  };
}

function Timelines({ store }: { store: Store }): JSX.Element {
  const { aligned } = store;
  const palette = store.palette.value;
  const data = aligned.timelines.map((timeline) => timeline.data.value);
  const failures = aligned.timelines.map((timeline) => timeline.failure.value);
  const span = aligned.shownSpan();
  const rows = aligned.shownRows();
  const iteration = aligned.iteration.value;
  const coloring = aligned.coloring.value;
  const scale = store.scale.value;
  const phase = aligned.shownPhase();
  const colors = useMemo(() => colorsOf(store, palette), [store, palette, coloring, scale, ...data]);
  const model = useMemo(
    () => modelOf(store, colors),
    [store, colors, span.from, span.to, rows.from, rows.to, iteration, phase, ...data, ...failures],
  );
  const scene = model.runs.find((run) => typeof run.scene !== "string")?.scene as TimelineScene | undefined;
  const last = (phase?.iterations ?? 1) - 1;
  return (
    <>
      <h2>
        Timelines{" "}
        <small>
          {phase === null
            ? "aligned at the begin of the runs"
            : `aligned at the begin of an iteration of ${shorten(printable(phase.region), 40)}`}
          , in the same scale
        </small>
      </h2>
      <div class="toolbar aligned-toolbar">
        {aligned.phases.length > 1 && (
          <label>
            Phase{" "}
            <select
              value={aligned.phase.value.toString()}
              onChange={(event) => {
                aligned.phase.value = Number(event.currentTarget.value);
                aligned.iteration.value = 0;
                aligned.span.value = null;
              }}
            >
              {aligned.phases.map(({ region }, i) => (
                <option key={i} value={i.toString()}>
                  {shorten(printable(region), 40)}
                </option>
              ))}
            </select>
          </label>
        )}
        {phase !== null && (
          <label>
            Iteration{" "}
            <input
              type="number"
              min={0}
              max={last}
              value={iteration.toString()}
              aria-label="Iteration at which the runs are aligned"
              onChange={(event) => {
                const wanted = Math.round(Number(event.currentTarget.value));
                aligned.showIteration(Math.min(last, Math.max(0, wanted)));
              }}
            />
          </label>
        )}
        <label>
          Colours{" "}
          <select value={coloring} onChange={(event) => (aligned.coloring.value = event.currentTarget.value as typeof coloring)}>
            {ALIGNED_COLORINGS.map((name) => (
              <option key={name} value={name}>
                {COLORING_NAMES[name]}
              </option>
            ))}
          </select>
        </label>
        <span class="zoom-buttons">
          <button type="button" onClick={() => aligned.zoom(0.5)} title="Zoom in (key: w, or the wheel with Ctrl)">
            +
          </button>
          <button type="button" onClick={() => aligned.zoom(2)} title="Zoom out (key: s, or the wheel with Ctrl)">
            {"\u2212"}
          </button>
          <button type="button" onClick={() => aligned.showAll()} title="All of all runs (key: 0)">
            All
          </button>
        </span>
        <span class="muted" data-testid="aligned-span">
          {formatInterval(span.from, span.to)}
        </span>
        <span class="spacer" />
        <ExportMenu
          store={store}
          name="timelines"
          title="Timelines"
          csv={() => timelinesCsv(store)}
          picture={() => ({
            width: PICTURE_WIDTH,
            height: alignedHeight(model),
            draw: (surface, printed) => drawAligned(surface, printed, modelOf(store, colorsOf(store, printed))),
          })}
        />
      </div>
      <AlignedChart
        state={aligned}
        model={model}
        palette={palette}
        hit={(run, x, y, width, height) => hitOfRun(store, model, run, x, y, width, height)}
        label={`Timelines of ${model.runs.length} runs, one below the other. w, s: zoom; a, d: move; plus, minus: zoom into the ${processWord(store.report, 2)}; 0: all`}
      />
      {scene !== undefined && <AlignedLegend colors={scene.colors} />}
    </>
  );
}

function AlignedLegend({ colors }: { colors: TimelineColors }): JSX.Element {
  return (
    <ul class="legend timeline-legend" aria-label="Legend of the timelines">
      {colors.share !== null && (
        <li>
          Share of waiting 0%
          <span class="swatch scale" style={{ background: `linear-gradient(to right, ${colors.share.colors.join(",")})` }} />
          100%
        </li>
      )}
      {colors.legend.map((entry, i) => (
        <li key={i}>
          <span class={`swatch ${entry.hatched ? "hatched" : ""}`} style={{ background: entry.color }} /> {entry.name}
        </li>
      ))}
      <li>
        <span class="swatch line" style={{ background: "var(--path)" }} /> Critical path
      </li>
    </ul>
  );
}

/** What is at a point of a run; a click on an iteration aligns the runs there, a click on another place of the first run
 * shows it in the timeline. */
function hitOfRun(store: Store, model: AlignedModel, run: number, x: number, y: number, width: number, height: number): Hit | null {
  const { scene, name } = model.runs[run]!;
  if (typeof scene === "string") return null;
  const { aligned } = store;
  const { report, timeline } = scene;
  const layout = layoutOf(scene, width, height);
  const iteration = iterationAt(scene.phase, layout, x, y);
  if (iteration !== null && x >= layout.left) {
    return {
      lines: [
        `${name}: iteration ${iteration.first}`,
        formatSeconds(inUnits(report, "sec", iteration.duration / iteration.count)),
        "click to align the runs here",
      ],
      activate: () =>
        batch(() => {
          store.jump();
          aligned.showIteration(iteration.first);
        }),
    };
  }
  const row = layout.rowAt(y);
  if (!layout.isInside(x, y) || Number.isNaN(row)) return null;
  const location = layout.arrangement.location(row);
  const time = layout.time(x);
  if (time < 0 || time > timeline.length) return null;
  const show = (): void => {
    store.view.value = "timeline";
    store.timeline.show(scene.span.from, scene.span.to);
  };
  const isFirst = run === 0 && store.timeline.isThere;
  const action = isFirst ? { activate: show } : {};
  const item = itemAt(report, timeline, { location, time, callpath: null });
  const found = layout.segmentAt(x, y);
  const more = isFirst ? ["click to show this time in the timeline"] : [];
  if (item === null || found === null) {
    return { lines: [`${name}: ${locationName(report, location)}`, `at ${formatSeconds(inUnits(report, "sec", time))}`, ...more], ...action };
  }
  const wait = timeline.segments.wait[found.segment]!;
  const waited =
    wait < 0
      ? []
      : [`${report.metrics[timeline.waits.metric[wait]!]!.name}: waited ${formatSeconds(inUnits(report, "sec", timeline.waits.time[wait]!))}`];
  return {
    lines: [
      `${name}: ${locationName(report, location)}: ${shorten(printable(report.callpaths[item.callpath]!.region), 60)}`,
      ...waited,
      formatInterval(inUnits(report, "sec", item.from), inUnits(report, "sec", item.to)),
      shorten(callpathText(report, item.callpath), 120),
      ...more,
    ],
    ...action,
  };
}

/** What each location does in the displayed time of its run, in seconds. */
function timelinesCsv(store: Store): string {
  const { aligned } = store;
  const rows = aligned.shownRows();
  const lines = aligned.reports.flatMap((report, run) => {
    const range = aligned.spanOf(run);
    const timeline = aligned.timelines[run]!.data.value;
    if (range === null || timeline === null) return [];
    const order = windowsIn(timeline, range);
    const seconds = (ticks: number): number => inUnits(report, "sec", ticks);
    return report.locations.slice(Math.floor(rows.from), Math.ceil(rows.to)).map(({ index, rank, thread }) => {
      const { compute, call, wait } = classesIn(timeline, order, index, range);
      return [store.names[run]!, rank, thread, ...[range.from, range.to, compute, call, wait].map(seconds)];
    });
  });
  return csvOf(["run", "rank", "thread", "begin", "end", "computation", "communication", "waiting"], lines);
}
