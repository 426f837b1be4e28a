// SPDX-License-Identifier: BSD-3-Clause
/** The colour schemes of a timeline. */
import { schemeTableau10 } from "d3-scale-chromatic";
import { printable, shorten } from "../../format";
import type { Report } from "../../model/report";
import type { Timeline } from "../../model/timeline";
import { isMatch, type Matches } from "../../model/timeline_search";
import { callpathValues, functionValues, metricSet } from "../../model/severity";
import type { Coloring } from "../../state/timeline";
import { scaleColor, type Palette, type ScaleName } from "../colors";

export interface ColorEntry {
  readonly name: string;
  readonly color: string;
  readonly hatched: boolean;
  /** Not found by the search: names on it are muted. */
  readonly isPale?: boolean;
}

/** Indices of the entries for all items of a timeline. */
export interface TimelineColors {
  readonly entries: readonly ColorEntry[];
  /** Entries of the legend, without the hatched variants of other entries. */
  readonly legend: readonly ColorEntry[];
  segment(callpath: number, isCall: boolean, wait: number): number;
  /** For overviews, which have no call paths. */
  readonly compute: number;
  readonly call: number;
  waiting(metric: number): number;
  /** The colours show the share of one entry: entry and colours from 0 to all of the time; null: each entry
   * has its colour. */
  readonly share: { readonly entry: number; readonly colors: readonly string[] } | null;
}

/** Number of shades of a share. */
const SHADES = 33;

const REGIONS = 8;

/** @param functions  those with a colour of their own, in the order of the colours */
export function timelineColors(
  report: Report,
  timeline: Timeline,
  coloring: Coloring,
  palette: Palette,
  scale: ScaleName,
  functions: readonly string[] = costliestFunctions([report]),
): TimelineColors {
  const compute = { name: "Computation", color: palette.compute, hatched: false };
  const call = { name: "Communication call", color: palette.communicate, hatched: false };
  const wait = { name: "Waiting", color: palette.wait, hatched: true };
  switch (coloring) {
    case "waiting":
      return shareColors(palette, scale);
    case "class":
    case "counter":
    case "blame":
      return {
        entries: [compute, call, wait],
        legend: [compute, call, wait],
        segment: (_, isCall, waiting) => (waiting >= 0 ? 2 : isCall ? 1 : 0),
        compute: 0,
        call: 1,
        waiting: () => 2,
        share: null,
      };
    case "kind":
      return kindColors(report, timeline, palette);
    case "region":
      return regionColors(report, palette, wait, functions);
  }
}

function kindColors(report: Report, timeline: Timeline, palette: Palette): TimelineColors {
  const kinds = timeline.bins?.kinds.slice() ?? [];
  for (let i = 0; i < timeline.waits.count; i++) {
    const metric = timeline.waits.metric[i]!;
    if (!kinds.includes(metric)) kinds.push(metric);
  }
  const order = new Map(report.statistics.map((record) => [record.metric, record.sum]));
  kinds.sort((a, b) => (order.get(report.metrics[b]!.id) ?? 0) - (order.get(report.metrics[a]!.id) ?? 0));
  // Waiting is prominent: warm and strong colours first, no greys.
  const strong = [2, 0, 5, 6, 4, 3, 7, 1, 8].map((i) => schemeTableau10[i]!);
  const entries: ColorEntry[] = [
    { name: "Computation", color: palette.line, hatched: false },
    { name: "Communication call", color: palette.faint, hatched: false },
    ...kinds.map((metric, i) => ({
      name: report.metrics[metric]!.name,
      color: i === 0 ? palette.wait : strong[i % strong.length]!,
      hatched: true,
    })),
  ];
  const of = new Map(kinds.map((metric, i) => [metric, i + 2]));
  return {
    entries,
    legend: entries,
    segment: (_, isCall, wait) => (wait >= 0 ? of.get(timeline.waits.metric[wait]!)! : isCall ? 1 : 0),
    compute: 0,
    call: 1,
    waiting: (metric) => of.get(metric) ?? 1,
    share: null,
  };
}

/** @returns the functions with the most time of some runs, as many as there are colours. */
export function costliestFunctions(reports: readonly Report[]): string[] {
  const values = new Map<string, number>();
  for (const report of reports) {
    const time = report.metricById.get("time");
    if (time === undefined) continue;
    const own = functionValues(report, callpathValues(report, metricSet(report, time.index, false)).exclusive);
    own.forEach((value, name) => values.set(name, (values.get(name) ?? 0) + value / report.ticksPerSecond));
  }
  return [...values.keys()].sort((a, b) => values.get(b)! - values.get(a)!).slice(0, REGIONS);
}

function regionColors(report: Report, palette: Palette, wait: ColorEntry, names: readonly string[]): TimelineColors {
  // Without grey, which represents all other functions.
  const colors = [0, 4, 5, 6, 2, 1, 3, 7].map((i) => schemeTableau10[i]!);
  const plain: ColorEntry[] = names.map((name, i) => ({
    name: shorten(printable(name), 40),
    color: colors[i]!,
    hatched: false,
  }));
  plain.push({ name: "Others", color: palette.compute, hatched: false });
  const entries = [...plain, ...plain.map((entry) => ({ ...entry, hatched: true })), wait];
  const of = new Map(names.map((name, i) => [name, i]));
  const others = plain.length - 1;
  const byCallpath = report.callpaths.map(({ region }) => of.get(region) ?? others);
  return {
    entries,
    legend: [...plain, { name: "Waiting", color: palette.faint, hatched: true }],
    segment: (callpath, _, waiting) => (byCallpath[callpath] ?? others) + (waiting >= 0 ? plain.length : 0),
    compute: others,
    call: others,
    waiting: () => entries.length - 1,
    share: null,
  };
}

/** The share of waiting. */
function shareColors(palette: Palette, scale: ScaleName): TimelineColors {
  const colors = Array.from({ length: SHADES }, (_, i) => hexColor(scaleColor(scale, palette.dark, i / (SHADES - 1))));
  const entries = [
    { name: "Not waiting", color: colors[0]!, hatched: false },
    { name: "Waiting", color: colors[SHADES - 1]!, hatched: false },
  ];
  return {
    entries,
    legend: [],
    segment: (_, __, wait) => (wait >= 0 ? 1 : 0),
    compute: 0,
    call: 0,
    waiting: () => 1,
    share: { entry: 1, colors },
  };
}

/** @returns "#rrggbb" for "rgb(r, g, b)". */
function hexColor(color: string): string {
  if (color.startsWith("#")) return color;
  const channels = color.match(/\d+/g)!.slice(0, 3).map(Number);
  return `#${channels.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;
}

/** @returns the colours with all but the matches of a search pale. */
export function highlighted(colors: TimelineColors, timeline: Timeline, matches: Matches, palette: Palette): TimelineColors {
  const { entries } = colors;
  const pale = entries.length;
  const unless = (isShown: boolean, entry: number): number => (isShown ? entry : pale);
  return {
    ...colors,
    entries: [...entries, { name: "Others", color: palette.dark ? "#23262b" : "#eef0f2", hatched: false, isPale: true }],
    segment: (callpath, isCall, wait) =>
      unless(isMatch(timeline, matches, callpath, wait), colors.segment(callpath, isCall, wait)),
    compute: pale,
    call: pale,
    waiting: (metric) => unless(matches.metrics.has(metric), colors.waiting(metric)),
  };
}
