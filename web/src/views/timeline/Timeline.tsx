// SPDX-License-Identifier: BSD-3-Clause
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { JSX } from "preact";
import { ExportMenu } from "../../components/ExportMenu";
import { TimelineChart } from "../../components/TimelineChart";
import { TimelineOverview } from "../../components/TimelineOverview";
import { drawTimeline, layoutOf, type TimelineScene, type Totals } from "../../draw/timeline/timeline";
import { highlighted, timelineColors, type TimelineColors } from "../../draw/timeline/timeline_colors";
import type { Palette } from "../../draw/colors";
import { formatCount } from "../../format";
import { blameField } from "../../model/blame_field";
import { makeField } from "../../model/counters";
import { locationsIn } from "../../model/arrangement";
import { itemAt } from "../../model/selection";
import { locationWord, titleOf, type Report } from "../../model/report";
import { SINGLE_ROWS } from "../../model/tiles";
import { findWait, followCauses, laneAt, longestWaits, nextOfChain, type Timeline } from "../../model/timeline";
import { findMatches, matchesOf } from "../../model/timeline_search";
import type { Store } from "../../state/store";
import { CounterPanel, counterTitle } from "../CounterPanel";
import { Groups } from "../Groups";
import { timelineCsv } from "./timeline_export";
import { hitAt, intervalText } from "./timeline_hits";
import { HeatLegend, Legend } from "./TimelineLegend";
import { TimelinePanel } from "./TimelinePanel";
import { Appearance, RowControls, TimelineSearch } from "./TimelineToolbar";

const LONGEST = 12;

const PICTURE = { width: 1400, height: 640 };

/** Ranks by time: activities and causes of waiting. */
export function TimelineView({ store }: { store: Store }): JSX.Element {
  const { timeline } = store;
  useEffect(() => timeline.load(), []);
  const data = timeline.data.value;
  if (data !== null) return <Loaded store={store} timeline={data} />;
  const isReading = timeline.isThere && timeline.failure.value === null;
  const text = isReading
    ? "Reading the timeline..."
    : timeline.isThere
      ? `The timeline cannot be read: ${timeline.failure.value}`
      : "This page has no timeline: the trace was not available, its overview is too large for a page in one file (fermata view DIR shows it), or the page was written with --no-timeline.";
  return (
    <section class="view" aria-label="Timeline" aria-busy={isReading}>
      <p class="empty">{text}</p>
    </section>
  );
}

/** The selected wait state, -1: none, and the chain of its causes; fetches the events that they need. */
function useChosen({ timeline: state }: Store, timeline: Timeline) {
  const wanted = state.chosen.value;
  // In a server's timeline, cells arrive more often than events.
  const { waits } = timeline;
  const chosen = useMemo(
    () => (wanted === null ? -1 : findWait(timeline, wanted.location, wanted.enter)),
    [waits, wanted],
  );
  const chain = useMemo(() => (chosen < 0 ? [] : followCauses(timeline, chosen)), [waits, chosen]);
  useEffect(() => {
    const next = timeline.isTiled && chosen >= 0 ? nextOfChain(timeline, chosen, chain) : null;
    if (next !== null) state.need(next.location, next.from, next.to);
  }, [waits, chosen, chain]);
  useEffect(() => {
    if (timeline.isTiled && wanted !== null && chosen < 0) state.need(wanted.location, wanted.enter, wanted.enter);
  }, [wanted, chosen]);
  return { chosen, chain };
}

/** The selected call or computation; fetches its events. */
function useItem({ report, timeline: state }: Store, timeline: Timeline) {
  const place = state.item.value;
  const item = useMemo(() => place && itemAt(report, timeline, place), [timeline.segments, place]);
  useEffect(() => {
    if (timeline.isTiled && place !== null && item === null) state.need(place.location, place.time, place.time);
  }, [place, item]);
  return item;
}

/** How long each location waits and is waited for, as fractions of the largest values. */
function totalsOf(store: Store): Totals | null {
  const { ranking } = store.timeline;
  if (ranking === null) return null;
  const parts = (values: Float64Array): Float64Array => {
    const most = values.reduce((a, b) => Math.max(a, b), 0);
    return most > 0 ? values.map((value) => value / most) : values;
  };
  return { waiting: parts(ranking.waiting()), blame: parts(ranking.blame()) };
}

/** The colours of all items; with a search, those of its matches. */
function useColors(store: Store, timeline: Timeline): (palette: Palette) => TimelineColors {
  const { report } = store;
  const coloring = store.timeline.coloring.value;
  const scale = store.scale.value;
  const text = store.timeline.search.value;
  return useMemo(() => {
    const matches = matchesOf(report, text);
    return (palette) => {
      const colors = timelineColors(report, timeline, coloring, palette, scale);
      return matches === null ? colors : highlighted(colors, timeline, matches, palette);
    };
  }, [report, timeline.waits, timeline.bins?.kinds, coloring, scale, text]);
}

/** The search: matching names, the number of matching calls in view, and the way to the next one. */
function useSearch(store: Store, timeline: Timeline) {
  const { report, timeline: state } = store;
  const text = state.search.value;
  const matches = useMemo(() => matchesOf(report, text), [report, text]);
  const span = state.shownSpan();
  const rows = state.shownRows();
  const arrangement = state.arrangement.value;
  const isCounted = matches !== null && timeline.windows.length > 0;
  const count = useMemo(() => {
    if (!isCounted) return null;
    const found = findMatches(timeline, matches, locationsIn(arrangement, rows), span, null);
    return found.count === 0 && timeline.bins !== null ? null : found.count;
  }, [timeline.segments, matches, arrangement, rows.from, rows.to, span.from, span.to]);
  const go = (isNext: boolean): void => {
    if (matches === null) return;
    const from = state.item.value ?? placeOfWait(store) ?? { location: -1, time: span.from, callpath: null };
    const found = findMatches(timeline, matches, locationsIn(arrangement, rows), { from: 0, to: timeline.length }, from);
    const place = isNext ? found.next : found.previous;
    if (place === null) return;
    state.select(place);
    const half = (span.to - span.from) / 2;
    if (place.time < span.from || place.time >= span.to) state.show(place.time - half, place.time + half);
  };
  return { matches, count, go };
}

function placeOfWait({ timeline }: Store): { location: number; time: number; callpath: null } | null {
  const wait = timeline.chosen.value;
  return wait && { location: wait.location, time: wait.enter, callpath: null };
}

/** @returns the extent of the selected wait state or item; null: none. */
function selectedExtent(timeline: Timeline, chosen: number, item: ReturnType<typeof itemAt>): { from: number; to: number } | null {
  if (item !== null) return item;
  if (chosen < 0) return null;
  const { waits } = timeline;
  return { from: waits.enter[chosen]!, to: waits.enter[chosen]! + waits.time[chosen]! };
}

function Loaded({ store, timeline }: { store: Store; timeline: Timeline }): JSX.Element {
  const { report } = store;
  const state = store.timeline;
  const palette = store.palette.value;
  const input = useRef<HTMLInputElement>(null);
  const { chosen, chain } = useChosen(store, timeline);
  const item = useItem(store, timeline);
  const longest = useMemo(() => longestWaits(timeline, LONGEST), [timeline.waits]);
  const makeColors = useColors(store, timeline);
  const colors = useMemo(() => makeColors(palette), [makeColors, palette]);
  const totals = useMemo(() => totalsOf(store), [store]);
  const search = useSearch(store, timeline);
  const coloring = state.coloring.value;
  const span = state.shownSpan();
  const rows = state.shownRows();
  const arrangement = state.arrangement.value;
  const counter = state.curves.value;
  const curves = useMemo(
    () => counter && makeField(counter, arrangement, rows, span, report.ticksPerSecond),
    [counter, arrangement, rows.from, rows.to, span.from, span.to],
  );
  const blame = useMemo(
    () => (coloring === "blame" ? blameField(timeline, arrangement, rows, span) : null),
    [coloring, timeline.waits, arrangement, rows.from, rows.to, span.from, span.to],
  );
  const field = coloring === "counter" ? curves : blame;
  const scale = store.scale.value;
  const arrows = state.arrows.value && field === null;
  const teams = state.teams.value && field === null;
  const path = state.path.value ? report.criticalPath : null;
  const phase = report.phases[store.phase.value] ?? null;
  const stack = state.stack.value;
  const interval = state.interval.value;
  const scene = useMemo<TimelineScene>(
    () => ({
      report, timeline, colors, span, rows, arrangement, field, scale, arrows, teams, phase, stack, interval, item, totals,
      path, chosen, chain,
    }),
    [
      report, timeline, colors, span.from, span.to, rows.from, rows.to, arrangement, field, scale, arrows, teams, phase, stack,
      interval, item, totals, path, chosen, chain,
    ],
  );
  const { left, plotWidth } = layoutOf(scene, state.size.value.width, state.size.value.height);
  const right = Math.max(0, state.size.value.width - left - plotWidth);
  const overview = useMemo(
    () => ({ timeline, colors, locations: report.locations.length, span, interval, left, right }),
    [timeline.overview, timeline.segments, colors, span.from, span.to, interval, left, right],
  );
  const select = (wait: number): void => selectWait(store, timeline, wait);
  const extent = selectedExtent(timeline, chosen, item);
  const onKey = (key: string): boolean => {
    const at = longest.indexOf(chosen);
    const shown = extent ?? interval;
    if (key === "n") select(longest[Math.min(at + 1, longest.length - 1)] ?? -1);
    else if (key === "p") select(longest[Math.max(at - 1, 0)] ?? -1);
    else if (key === "c" && chain[0] !== undefined && chain[0].wait >= 0) select(chain[0].wait);
    else if (key === "g" && state.canGroup()) state.group(!state.grouped.value);
    else if (key === "e") state.showStack(!stack);
    else if (key === "f" && shown !== null) state.frame(shown.from, shown.to);
    else if (key === "m") state.mark(extent === null ? null : { from: extent.from, to: extent.to });
    else if (key === "/") input.current?.focus();
    else if (key === "Escape") clear(store);
    // Elsewhere, numbers open other views.
    else return /^[1-9]$/.test(key);
    return true;
  };
  return (
    <section class="timeline-view" aria-label="Timeline">
      <div class="toolbar">
        <Appearance store={store} timeline={timeline} />
        <span class="zoom-buttons">
          <button type="button" onClick={() => state.zoom(0.5)} title="Zoom in (key: w, or the wheel)">
            +
          </button>
          <button type="button" onClick={() => state.zoom(2)} title="Zoom out (key: s, or the wheel)">
            {"\u2212"}
          </button>
          <button type="button" onClick={() => state.showAll()} title="The whole run (key: 0)">
            All
          </button>
        </span>
        <span class="muted" data-testid="timeline-span">
          {spanText(scene)}
        </span>
        {state.failure.value !== null && (
          <span class="alarm" role="alert">
            Parts are missing: {state.failure.value}
          </span>
        )}
        <span class="spacer" />
        <ExportMenu
          store={store}
          name="timeline"
          title="Timeline"
          csv={() => timelineCsv(report, scene, counter)}
          picture={() => ({
            ...PICTURE,
            draw: (surface, printed) => drawTimeline(surface, printed, { ...scene, colors: makeColors(printed) }),
          })}
        />
      </div>
      <div class="toolbar">
        <TimelineSearch store={store} input={input} {...search} />
        <RowControls store={store} />
      </div>
      <div class="timeline-body">
        <div class="timeline-main">
          <TimelineOverview state={state} model={overview} palette={palette} />
          <TimelineChart
            state={state}
            scene={scene}
            palette={palette}
            hit={(x, y, width, height) => hitAt(store, scene, x, y, width, height)}
            onKey={onKey}
            label={`Timeline of ${report.locations.length} locations with ${timeline.waits.count} wait states. w, s: zoom; a, d: move; f: zoom to the selection; n: next of the longest wait states`}
          />
          {curves !== null && <CounterPanel scene={scene} counter={counter!} field={curves} palette={palette} />}
          {field !== null ? (
            <HeatLegend
              title={coloring === "counter" ? counterTitle(counter!) : blameTitle(report, timeline)}
              field={field}
              palette={palette}
              scale={scale}
            />
          ) : (
            <Legend store={store} timeline={timeline} colors={colors} />
          )}
          {arrangement.kind === "similar" && <Groups store={store} arrangement={arrangement} />}
        </div>
        <TimelinePanel {...{ store, timeline, arrangement, rows, chosen, chain, item, longest, select }} />
      </div>
    </section>
  );
}

function blameTitle(report: Report, timeline: Timeline): string {
  const title = `${titleOf(locationWord(report, 2))} that wait for the ${locationWord(report, 1)}`;
  return timeline.bins === null ? title : `${title}, where single calls are loaded`;
}

/** Removes the selection; without one, the interval; without both, the search. */
function clear({ timeline: state }: Store): void {
  if (state.chosen.value !== null || state.item.value !== null) state.select(null);
  else if (state.interval.value !== null) state.mark(null);
  else state.search.value = "";
}

function selectWait(store: Store, timeline: Timeline, wait: number): void {
  if (wait < 0) return;
  const { waits } = timeline;
  const involved = [waits.location[wait]!, ...followCauses(timeline, wait).map((step) => step.location)];
  if (waits.causeLocation[wait]! >= 0) involved.push(waits.causeLocation[wait]!);
  store.timeline.goTo(waits.location[wait]!, waits.enter[wait]!, waits.time[wait]!, involved);
}

/** @returns whether a server's events of the current view are loaded. */
function isSingle({ timeline, span: { from, to }, rows, arrangement }: TimelineScene): boolean {
  const middle = arrangement.location(Math.floor((rows.from + rows.to) / 2));
  return timeline.windows.some(
    (window) => window.from < to && window.to > from && laneAt(window, middle) >= 0 && rows.to - rows.from < SINGLE_ROWS,
  );
}

function spanText(scene: TimelineScene): string {
  const { report, timeline, span: { from, to } } = scene;
  const shown = intervalText(report, from, to);
  if (timeline.bins === null) return `${shown}; all ${formatCount(timeline.calls)} calls`;
  if (!timeline.isTiled) return `${shown}; overview, single calls at the blue marks`;
  return `${shown}; ${isSingle(scene) ? "single calls" : "zoom in for single calls"}`;
}
