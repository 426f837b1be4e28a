import { useEffect, useMemo } from "preact/hooks";
import type { JSX } from "preact";
import { ExportMenu } from "../components/ExportMenu";
import { TimelineChart } from "../components/TimelineChart";
import type { Hit } from "../components/Chart";
import { callpathText } from "../components/Names";
import { drawTimeline, layoutOf, type TimelineScene } from "../draw/timeline";
import { timelineColors, type TimelineColors } from "../draw/timeline_colors";
import { formatCount, formatInterval, formatNumber, formatPercent, formatSeconds, printable, shorten } from "../format";
import { inUnits, locationName, type Report } from "../model/report";
import {
  ARROW_NAMES,
  extentOf,
  findWait,
  followCauses,
  laneAt,
  longestWaits,
  nextOfChain,
  type Timeline,
} from "../model/timeline";
import { SINGLE_ROWS } from "../model/tiles";
import type { Store } from "../state/store";
import { scaleColor, type Palette, type ScaleName } from "../draw/colors";
import { makeField, valueAt, type Counter, type CounterField } from "../model/counters";
import type { TimelineLayout } from "../draw/timeline_layout";
import type { Coloring } from "../state/timeline";
import { CounterPanel, counterTitle, valueText } from "./CounterPanel";
import { Groups, groupText, ranksText } from "./Groups";
import { timelineCsv } from "./timeline_export";
import { TimelinePanel } from "./TimelinePanel";

const LONGEST = 12;

const PICTURE = { width: 1400, height: 640 };

const COLORINGS: readonly (readonly [Coloring, string, string])[] = [
  ["class", "Activity", "computation, communication, waiting"],
  ["region", "Function", "the functions that take most time"],
  ["kind", "Wait state", "each kind of wait state in its own colour"],
  ["counter", "Counter", "the values of the counter, by rank and time"],
];

/** Ranks by time: activities and causes of waiting. */
export function TimelineView({ store }: { store: Store }): JSX.Element {
  const { timeline } = store;
  useEffect(() => timeline.load(), []);
  const data = timeline.data.value;
  if (data !== null) return <Loaded store={store} timeline={data} />;
  const text = !timeline.isThere
    ? "This page has no timeline: the trace was not available, or the page was written with --no-timeline."
    : timeline.failure.value !== null
      ? `The timeline cannot be read: ${timeline.failure.value}`
      : "Reading the timeline...";
  return (
    <section class="view" aria-label="Timeline">
      <p class="empty">{text}</p>
    </section>
  );
}

function Loaded({ store, timeline }: { store: Store; timeline: Timeline }): JSX.Element {
  const { report } = store;
  const state = store.timeline;
  const palette = store.palette.value;
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
  const longest = useMemo(() => longestWaits(timeline, LONGEST), [waits]);
  const coloring = state.coloring.value;
  const colors = useMemo(
    () => timelineColors(report, timeline, coloring, palette),
    [report, waits, timeline.bins?.kinds, coloring, palette],
  );
  const span = state.shownSpan();
  const rows = state.shownRows();
  const arrangement = state.arrangement.value;
  const counter = state.curves.value;
  const field = useMemo(
    () => counter && makeField(counter, arrangement, rows, span, report.ticksPerSecond),
    [counter, arrangement, rows.from, rows.to, span.from, span.to],
  );
  const isHeat = coloring === "counter" && field !== null;
  const scale = store.scale.value;
  const arrows = state.arrows.value && !isHeat;
  const path = state.path.value ? report.criticalPath : null;
  const scene = useMemo<TimelineScene>(
    () => ({ report, timeline, colors, span, rows, arrangement, field: isHeat ? field : null, scale, arrows, path, chosen, chain }),
    [report, timeline, colors, span.from, span.to, rows.from, rows.to, arrangement, field, isHeat, scale, arrows, path, chosen, chain],
  );
  const select = (wait: number): void => selectWait(store, timeline, wait);
  const onKey = (key: string): boolean => {
    const at = longest.indexOf(chosen);
    if (key === "n") select(longest[Math.min(at + 1, longest.length - 1)] ?? -1);
    else if (key === "p") select(longest[Math.max(at - 1, 0)] ?? -1);
    else if (key === "c" && chain[0] !== undefined && chain[0].wait >= 0) select(chain[0].wait);
    else if (key === "g" && state.canGroup()) state.group(!state.grouped.value);
    else if (key === "Escape" && chosen >= 0) state.chosen.value = null;
    else return false;
    return true;
  };
  return (
    <section class="timeline-view" aria-label="Timeline">
      <div class="toolbar">
        <span class="segments" role="group" aria-label="Colours">
          {COLORINGS.filter(([name]) => name !== "counter" || counter !== null).map(([name, text, title]) => (
            <button
              type="button"
              key={name}
              title={title}
              aria-pressed={coloring === name}
              onClick={() => (state.coloring.value = name)}
            >
              {text}
            </button>
          ))}
        </span>
        <label>
          <input type="checkbox" checked={state.arrows.value} onChange={(event) => (state.arrows.value = event.currentTarget.checked)} />{" "}
          arrows
        </label>
        <label>
          <input type="checkbox" checked={path !== null} onChange={(event) => (state.path.value = event.currentTarget.checked)} />{" "}
          critical path
        </label>
        {timeline.counters.length > 0 && (
          <select
            aria-label="Counter"
            value={String(state.counter.value)}
            onChange={(event) => state.showCounter(Number(event.currentTarget.value))}
          >
            <option value="-1">no counter</option>
            {timeline.counters.map((each, i) => (
              <option key={i} value={String(i)}>
                {shorten(printable(each.name), 40)}
              </option>
            ))}
          </select>
        )}
        {state.canGroup() && (
          <label title="One row for all ranks with similar behaviour over the whole run (key: g)">
            <input
              type="checkbox"
              checked={arrangement.alike !== null}
              onChange={(event) => state.group(event.currentTarget.checked)}
            />{" "}
            group similar ranks
          </label>
        )}
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
            draw: (surface, printed) =>
              drawTimeline(surface, printed, {
                ...scene,
                colors: timelineColors(report, timeline, coloring, printed),
              }),
          })}
        />
      </div>
      <div class="timeline-body">
        <div class="timeline-main">
          <TimelineChart
            state={state}
            scene={scene}
            palette={palette}
            hit={(x, y, width, height) => hitAt(store, scene, select, x, y, width, height)}
            onKey={onKey}
            label={`Timeline of ${report.locations.length} locations with ${timeline.waits.count} wait states. w, s: zoom; a, d: move; n: next of the longest wait states`}
          />
          {field !== null && <CounterPanel scene={scene} counter={counter!} field={field} palette={palette} />}
          {isHeat ? (
            <HeatLegend counter={counter!} field={field} palette={palette} scale={scale} />
          ) : (
            <Legend store={store} timeline={timeline} colors={colors} />
          )}
          {arrangement.alike !== null && <Groups store={store} arrangement={arrangement} />}
        </div>
        <TimelinePanel store={store} timeline={timeline} chosen={chosen} chain={chain} longest={longest} select={select} />
      </div>
    </section>
  );
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

function interval(report: Report, from: number, to: number): string {
  return formatInterval(inUnits(report, "sec", from), inUnits(report, "sec", to));
}

function spanText(scene: TimelineScene): string {
  const { report, timeline, span: { from, to } } = scene;
  const shown = interval(report, from, to);
  if (timeline.bins === null) return `${shown}; all ${formatCount(timeline.calls)} calls`;
  if (!timeline.isTiled) return `${shown}; overview, single calls at the blue marks`;
  return `${shown}; ${isSingle(scene) ? "single calls" : "zoom in for single calls"}`;
}

function hitAt(
  store: Store,
  scene: TimelineScene,
  select: (wait: number) => void,
  x: number,
  y: number,
  width: number,
  height: number,
): Hit | null {
  const { report, timeline } = scene;
  const seconds = (ticks: number): string => formatSeconds(inUnits(report, "sec", ticks));
  const layout = layoutOf(scene, width, height);
  const marked = markedWindow(scene, x, y, width, height);
  if (marked >= 0) {
    const { from, to, about } = timeline.windows[marked]!;
    return {
      lines: [
        about === null ? "All events" : `All events around a long ${report.metrics[about.metric]!.name}`,
        `${interval(report, from, to)}; click to zoom in`,
      ],
      activate: () => store.timeline.show(from, to),
    };
  }
  const found = scene.field === null ? layout.segmentAt(x, y) : null;
  const row = layout.rowAt(y);
  const group = layout.arrangement.group(row);
  if (group >= 0 && (found === null || x < layout.left)) return hitOfGroup(store, layout, group, x);
  if (found === null) {
    const location = layout.isInside(x, y) && row >= 0 ? layout.arrangement.location(row) : -1;
    if (location < 0) return null;
    if (scene.field !== null) return hitOfField(store, scene.field, layout, row, x);
    if (layout.arrangement.alike !== null) {
      return { lines: [locationName(report, location), `at ${seconds(layout.time(x))}`] };
    }
    const last = Math.min(report.locations.length, location + layout.group) - 1;
    const who = last === location ? locationName(report, location) : `${locationName(report, location)} and ${last - location} more`;
    const isGroup = last > location;
    const lines = [who, `at ${seconds(layout.time(x))}`, ...(isGroup ? ["click to expand"] : [])];
    return isGroup ? { lines, activate: () => store.timeline.showRows(location, last + 1) } : { lines };
  }
  const { segments, waits } = timeline;
  const path = segments.callpath[found.segment]!;
  if (path < 0) return null;
  const extent = extentOf(timeline, found.lane, found.segment);
  const region = shorten(printable(report.callpaths[path]!.region), 80);
  const lines = [
    `${locationName(report, found.location)}${group >= 0 ? ", one of the group" : ""}: ${region}`,
    interval(report, extent.from, extent.to),
    shorten(callpathText(report, path), 160),
  ];
  const wait = segments.wait[found.segment]!;
  if (wait < 0) {
    return { lines, activate: () => store.timeline.show(extent.from - (extent.to - extent.from) / 2, extent.to + (extent.to - extent.from) / 2) };
  }
  const cause = waits.causeLocation[wait]!;
  lines.splice(1, 0, `${report.metrics[waits.metric[wait]!]!.name}: waited ${seconds(waits.time[wait]!)}${cause >= 0 ? ` for ${locationName(report, cause)}` : ""}`);
  return {
    lines,
    activate: () => {
      store.timeline.chosen.value = { location: waits.location[wait]!, enter: waits.enter[wait]! };
      if (layout.x(waits.enter[wait]! + waits.time[wait]!) - layout.x(waits.enter[wait]!) < 8) select(wait);
    },
  };
}

/** @returns the description of a counter's value. */
function hitOfField(store: Store, field: CounterField, layout: TimelineLayout, row: number, x: number): Hit {
  const { report, timeline } = store;
  const first = field.first + Math.floor((row - field.first) / field.group) * field.group;
  const more = Math.min(layout.arrangement.rows, first + field.group) - first - 1;
  const name = locationName(report, layout.arrangement.location(first));
  const value = valueAt(field, row, layout.time(x));
  const counter = timeline.curves.value;
  return {
    lines: [
      more > 0 ? `${name} and ${more} more` : name,
      counter === null || Number.isNaN(value) ? "no value" : valueText(counter, value),
      `at ${formatSeconds(inUnits(report, "sec", layout.time(x)))}`,
    ],
  };
}

/** @returns the description of a group's row. */
function hitOfGroup(store: Store, layout: TimelineLayout, group: number, x: number): Hit {
  const { report, timeline } = store;
  const members = layout.arrangement.alike!.members[group]!;
  const time = formatSeconds(inUnits(report, "sec", layout.time(x)));
  return {
    lines: [
      groupText(report, layout.arrangement.alike!, group),
      ranksText(report, members),
      ...(x < layout.left ? [] : [`at ${time}`]),
      layout.arrangement.isOpen(group) ? "click to close" : "click to expand",
    ],
    activate: () => timeline.toggleGroup(group),
  };
}

/** @returns the excerpt whose mark above the chart is at a point, -1 if there is none. */
function markedWindow(scene: TimelineScene, x: number, y: number, width: number, height: number): number {
  const layout = layoutOf(scene, width, height);
  if (scene.timeline.bins === null || scene.timeline.isTiled || y < 18 || y > 32) return -1;
  return scene.timeline.windows.findIndex(
    ({ from, to }) => x >= layout.x(from) - 3 && x <= Math.max(layout.x(to), layout.x(from) + 3) + 3,
  );
}

const SHADES = 12;

/** What the colours of a counter's values mean. */
function HeatLegend(props: { counter: Counter; field: CounterField; palette: Palette; scale: ScaleName }): JSX.Element {
  const { counter, field, palette, scale } = props;
  const shades = Array.from({ length: SHADES }, (_, i) => scaleColor(scale, palette.dark, i / (SHADES - 1)));
  return (
    <ul class="legend timeline-legend" aria-label="Legend">
      <li>{counterTitle(counter)}</li>
      {field.low <= field.high && (
        <li>
          {formatNumber(field.low)}
          <span class="swatch scale" style={{ background: `linear-gradient(to right, ${shades.join(",")})` }} />
          {formatNumber(field.high)}
        </li>
      )}
    </ul>
  );
}

function Legend(props: { store: Store; timeline: Timeline; colors: TimelineColors }): JSX.Element {
  const { store, timeline, colors } = props;
  const kinds = useMemo(() => new Set(timeline.arrows.kind), [timeline.arrows]);
  return (
    <ul class="legend timeline-legend" aria-label="Legend">
      {colors.legend.map((entry, i) => (
        <li key={i}>
          <span class={`swatch ${entry.hatched ? "hatched" : ""}`} style={{ background: entry.color }} /> {entry.name}
        </li>
      ))}
      {store.timeline.path.value && (
        <li>
          <span class="swatch line" style={{ background: "var(--path)" }} /> Critical path
        </li>
      )}
      <li>
        <span class="swatch line" style={{ background: "var(--cause)" }} /> from a wait to its cause
      </li>
      {store.timeline.arrows.value &&
        ARROW_NAMES.map(
          (name, kind) =>
            kinds.has(kind) && (
              <li key={name}>
                <span class={`swatch arrow arrow-${kind}`} /> {name}
              </li>
            ),
        )}
      {timeline.windows.length > 1 && !timeline.isTiled && (
        <li class="muted">{`${timeline.windows.length} excerpts around the longest waits, of ${formatPercent(
          timeline.laneStart[timeline.laneStart.length - 1]! / Math.max(1, 2 * timeline.calls),
        )} of all calls`}</li>
      )}
    </ul>
  );
}
