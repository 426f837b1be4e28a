// SPDX-License-Identifier: BSD-3-Clause
/** What is at a point of the timeline's chart, and what a click on it does. */
import type { TimelineHit } from "../../components/TimelineChart";
import { callpathText } from "../../components/Names";
import { callpathAt, levelsOf } from "../../draw/timeline/call_stack";
import { layoutOf, type TimelineScene } from "../../draw/timeline/timeline";
import type { TimelineLayout } from "../../draw/timeline/timeline_layout";
import { iterationAt } from "../../draw/timeline/timeline_ruler";
import { ESTIMATE_MEANING, formatCount, formatInterval, formatNumber, formatSeconds, printable, shorten } from "../../format";
import { foldedMembers } from "../../model/arrangement";
import { valueAt, type CounterField } from "../../model/counters";
import { inUnits, locationName, type Report, locationWord, processName } from "../../model/report";
import { itemAt, type Place } from "../../model/selection";
import { membersOf, segmentIn, teamAt } from "../../model/timeline";
import type { Store } from "../../state/store";
import { valueText } from "../CounterPanel";
import { groupText, ranksText } from "../Groups";

export function intervalText(report: Report, from: number, to: number): string {
  return formatInterval(inUnits(report, "sec", from), inUnits(report, "sec", to));
}

function secondsText(report: Report, ticks: number): string {
  return formatSeconds(inUnits(report, "sec", ticks));
}

export function hitAt(
  store: Store,
  scene: TimelineScene,
  x: number,
  y: number,
  width: number,
  height: number,
): TimelineHit | null {
  const layout = layoutOf(scene, width, height);
  if (y < layout.ruler) return hitOfRuler(store, scene, layout, x, y);
  const row = layout.rowAt(y);
  if (Number.isNaN(row)) return null;
  const group = layout.arrangement.group(row);
  const found = scene.field === null || row < 0 ? layout.segmentAt(x, y) : null;
  if (x < layout.left) return group >= 0 ? hitOfGroup(store, layout, group, x) : hitOfName(store, layout, row);
  if (scene.field === null && layout.isInside(x, y) && foldedMembers(layout.arrangement, row) !== null) {
    return hitOfGroup(store, layout, group, x);
  }
  const isMixed = group >= 0 && layout.arrangement.kind !== "folded"; // an open process shows its first thread there
  if (found === null && isMixed) return hitOfGroup(store, layout, group, x);
  if (found !== null) return hitOfItem(store, scene, layout, found, x, y, isMixed);
  if (!layout.isInside(x, y)) return null;
  if (scene.field !== null && row >= 0) return hitOfField(store, scene.field, layout, row, x);
  return hitOfRow(store, layout, row, x);
}

/** An excerpt's mark, or an iteration. */
function hitOfRuler(store: Store, scene: TimelineScene, layout: TimelineLayout, x: number, y: number): TimelineHit | null {
  const { report, timeline } = scene;
  const marked = markedWindow(scene, layout, x, y);
  if (marked >= 0) {
    const { from, to, about } = timeline.windows[marked]!;
    return {
      lines: [
        about === null ? "All events" : `All events around a long ${report.metrics[about.metric]!.name}`,
        `${intervalText(report, from, to)}; click to zoom in`,
      ],
      activate: () => store.timeline.show(from, to),
    };
  }
  if (x < layout.left || x > layout.left + layout.plotWidth) return null;
  const iteration = iterationAt(scene.phase, layout, x, y);
  if (iteration === null) {
    return { lines: [`at ${secondsText(report, layout.time(x))}`, "drag to select an interval"], activate: () => store.timeline.mark(null) };
  }
  const { first, count, begin, end } = iteration;
  return {
    lines: [
      count === 1 ? `Iteration ${first}` : `Iterations ${first} to ${first + count - 1}`,
      intervalText(report, begin, end),
      "click: its statistics; double click: zoom in",
    ],
    activate: () => store.timeline.mark({ from: begin, to: end }),
    zoom: () => store.timeline.show(begin, end),
  };
}

/** @returns the excerpt whose mark above the rows is at a point, -1 if there is none. */
function markedWindow(scene: TimelineScene, layout: TimelineLayout, x: number, y: number): number {
  const top = layout.ruler - 16;
  if (scene.timeline.bins === null || scene.timeline.isTiled || y < top || y > top + 14) return -1;
  return scene.timeline.windows.findIndex(
    ({ from, to }) => x >= layout.x(from) - 3 && x <= Math.max(layout.x(to), layout.x(from) + 3) + 3,
  );
}

/** The name of a single row. */
function hitOfName(store: Store, layout: TimelineLayout, row: number): TimelineHit {
  const { report, timeline } = store;
  const location = layout.arrangement.location(row);
  const { node } = report.locations[location]!;
  const isPinned = timeline.pinned.value.has(location);
  return {
    lines: [
      locationName(report, location),
      `on ${shorten(printable(node), 40)}`,
      isPinned ? "click to remove its pin" : "click to pin it to the top",
    ],
    activate: () => timeline.togglePin(location),
  };
}

/** A row without loaded events. */
function hitOfRow(store: Store, layout: TimelineLayout, row: number, x: number): TimelineHit {
  const { report } = store;
  const location = layout.arrangement.location(row);
  const at = `at ${secondsText(report, layout.time(x))}`;
  if (layout.arrangement.kind !== "plain" || row < 0) return { lines: [locationName(report, location), at] };
  const last = Math.min(report.locations.length, location + layout.group) - 1;
  if (last <= location) return { lines: [locationName(report, location), at] };
  return {
    lines: [`${locationName(report, location)} and ${last - location} more`, at, "click to expand"],
    activate: () => store.timeline.showRows(location, last + 1),
  };
}

function hitOfItem(
  store: Store,
  scene: TimelineScene,
  layout: TimelineLayout,
  found: NonNullable<ReturnType<TimelineLayout["segmentAt"]>>,
  x: number,
  y: number,
  isOfGroup: boolean,
): TimelineHit | null {
  const { report, timeline } = scene;
  const { segments, waits } = timeline;
  const own = segments.callpath[found.segment]!;
  if (own < 0) return null;
  const { location } = found;
  const callpath = scene.stack ? stackedAt(scene, layout, location, own, layout.time(x), y) : null;
  const place: Place = { location, time: Math.floor(layout.time(x)), callpath };
  const item = itemAt(report, timeline, { ...place, time: layout.time(x) });
  if (item === null) return null;
  const lines = [
    `${locationName(report, location)}${isOfGroup ? ", one of the group" : ""}: ${shorten(printable(report.callpaths[item.callpath]!.region), 80)}`,
    intervalText(report, item.from, item.to),
    shorten(callpathText(report, item.callpath), 160),
    ...(report.callpaths[item.callpath]!.isEstimated ? [ESTIMATE_MEANING] : []),
    ...teamLines(scene, location, layout.time(x)),
  ];
  const zoom = (): void => store.timeline.frame(item.from, item.to);
  const wait = segments.wait[found.segment]!;
  if (wait < 0 || item.callpath !== own) {
    // The begin of the segment is a place that does not depend on the zoom.
    const time = Math.max(segments.since[found.segment]!, item.from);
    return { lines, activate: () => store.timeline.select({ ...place, time }), zoom };
  }
  const cause = waits.causeLocation[wait]!;
  const who = cause >= 0 ? ` for ${locationName(report, cause)}` : "";
  lines.splice(1, 0, `${report.metrics[waits.metric[wait]!]!.name}: waited ${secondsText(report, waits.time[wait]!)}${who}`);
  return { lines, activate: () => store.timeline.choose(waits.location[wait]!, waits.enter[wait]!), zoom };
}

/** The team that a thread is a member of. */
function teamLines({ report, timeline }: TimelineScene, location: number, time: number): string[] {
  const team = teamAt(timeline, location, time);
  if (team < 0) return [];
  const { since, time: length } = timeline.teams;
  const members = membersOf(timeline.teams, team).length;
  return [`in a team of ${formatCount(members)} threads, ${intervalText(report, since[team]!, since[team]! + length[team]!)}`];
}

/** @returns the function of the nested row at a point; null: the innermost one. */
function stackedAt(scene: TimelineScene, layout: TimelineLayout, location: number, own: number, time: number, y: number): number | null {
  const row = layout.rowAt(y);
  const whole = Math.round(layout.bottomOf(row)) - Math.round(layout.topOf(row));
  const height = whole - (whole >= 14 ? 3 : whole >= 6 ? 1 : 0);
  const part = layout.partsOf(location).find(({ from, to }) => time >= from && time < to);
  const levels = part === undefined ? null : levelsOf(scene.report, scene.timeline, part, height);
  return levels && callpathAt(scene.report, levels, own, y - Math.round(layout.topOf(row)));
}

/** A value of a counter, or the number of locations that wait. */
function hitOfField(store: Store, field: CounterField, layout: TimelineLayout, row: number, x: number): TimelineHit {
  const { report, timeline } = store;
  const first = field.first + Math.floor((row - field.first) / field.group) * field.group;
  const more = Math.min(layout.arrangement.rows, first + field.group) - first - 1;
  const name = locationName(report, layout.arrangement.location(first));
  const value = valueAt(field, row, layout.time(x));
  const counter = timeline.coloring.value === "counter" ? timeline.curves.value : null;
  const none = timeline.coloring.value === "blame" ? `no ${locationWord(report, 1)} is known to wait for it` : "no value";
  return {
    lines: [
      more > 0 ? `${name} and ${more} more` : name,
      Number.isNaN(value) ? none : counter === null ? `${formatNumber(value)} ${locationWord(report, value)} wait for it` : valueText(counter, value),
      `at ${secondsText(report, layout.time(x))}`,
    ],
  };
}

function foldedText(report: Report, members: readonly number[], isOpen: boolean): string {
  const name = processName(report, report.locations[members[0]!]!.rank);
  const threads = `${formatCount(members.length)} threads`;
  return isOpen ? `${name}: the first of ${threads}` : `${name}: ${threads}`;
}

/** Functions of a tooltip. */
const MOST_STATES = 5;

/** How many of some threads are in which function, the most frequent ones first. Of threads whose events are not loaded
 * nothing is stated. */
function statesAt(report: Report, layout: TimelineLayout, members: readonly number[], time: number): string[] {
  const counts = new Map<string, number>();
  const { timeline } = layout;
  for (const location of members) {
    const part = layout.partsOf(location).find(({ from, to }) => time >= from && time < to);
    const segment = part === undefined ? -1 : segmentIn(timeline, part.lane, time);
    const callpath = segment < 0 ? -1 : timeline.segments.callpath[segment]!;
    if (callpath < 0) continue;
    const name = shorten(printable(report.callpaths[callpath]!.region), 80);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const sorted = [...counts].sort((a, b) => b[1] - a[1]);
  const lines = sorted.slice(0, MOST_STATES).map(([name, count]) => `${formatCount(count)} in ${name}`);
  const rest = sorted.slice(MOST_STATES).reduce((sum, [, count]) => sum + count, 0);
  return rest === 0 ? lines : [...lines, `${formatCount(rest)} elsewhere`];
}

/** The row of a group. */
function hitOfGroup(store: Store, layout: TimelineLayout, group: number, x: number): TimelineHit {
  const { report, timeline } = store;
  const { kind, alike } = layout.arrangement;
  const members = alike!.members[group]!;
  const what =
    kind === "ranked"
      ? `${locationName(report, alike!.typical[group]!)}, the middle one of ${members.length}`
      : kind === "folded"
        ? foldedText(report, members, layout.arrangement.isOpen(group))
        : groupText(report, alike!, group);
  return {
    lines: [
      what,
      ...(kind === "folded" ? [] : [ranksText(report, members)]),
      ...(x < layout.left ? [] : [`at ${secondsText(report, layout.time(x))}`]),
      ...(kind === "folded" && x >= layout.left && !layout.arrangement.isOpen(group) ? statesAt(report, layout, members, layout.time(x)) : []),
      layout.arrangement.isOpen(group) ? "click to close" : "click to expand",
    ],
    activate: () => timeline.toggleGroup(group),
  };
}
