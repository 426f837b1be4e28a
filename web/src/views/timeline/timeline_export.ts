// SPDX-License-Identifier: BSD-3-Clause
/** The single events of the displayed time window, as a table. */
import { hasRow } from "../../model/arrangement";
import { callpathText } from "../../components/Names";
import type { TimelineScene } from "../../draw/timeline/timeline";
import { csvOf } from "../../export/csv";
import type { Counter } from "../../model/counters";
import { inUnits, type Report } from "../../model/report";
import { ARROW_NAMES, membersOf, segmentIn } from "../../model/timeline";

type Row = (string | number | null)[];

export function timelineCsv(report: Report, scene: TimelineScene, counter: Counter | null): string {
  const rows = [...segmentRows(report, scene), ...waitRows(report, scene), ...arrowRows(report, scene), ...teamRows(report, scene)];
  if (counter !== null) rows.push(...counterRows(report, scene, counter));
  return csvOf(
    ["event", "location", "begin", "end", "call path", "metric", "other location", "other call path", "value"],
    rows.map((row) => [...row, ...new Array<null>(9 - row.length).fill(null)]),
  );
}

/** The recorded values, not the aggregated ones of a chart. */
function counterRows(report: Report, scene: TimelineScene, counter: Counter): Row[] {
  const rows: Row[] = [];
  counter.curves.forEach((curve, location) => {
    if (curve === null || !isShown(scene, location)) return;
    curve.time.forEach((time, i) => {
      if (time < scene.span.from || time > scene.span.to) return;
      const at = inUnits(report, "sec", time);
      rows.push(["counter", location, at, at, null, counter.name, null, null, curve.value[i]!]);
    });
  });
  return rows;
}

function isShown({ arrangement, rows }: TimelineScene, location: number): boolean {
  const row = arrangement.row(location);
  return row + 1 > rows.from && row < rows.to && hasRow(arrangement, location);
}

function segmentRows(report: Report, scene: TimelineScene): Row[] {
  const { timeline, span } = scene;
  const { since, callpath, kind } = timeline.segments;
  const seconds = (ticks: number): number => inUnits(report, "sec", ticks);
  const rows: Row[] = [];
  for (const { firstLocation, laneOf } of timeline.windows) {
    laneOf.forEach((lane, i) => {
      const location = firstLocation + i;
      if (lane < 0 || !isShown(scene, location)) return;
      const last = timeline.laneStart[lane + 1]! - 1;
      let at = segmentIn(timeline, lane, span.from);
      if (at < 0) at = timeline.laneStart[lane]!;
      for (; at < last && since[at]! < span.to; at++) {
        if (callpath[at]! < 0 || since[at + 1]! <= span.from) continue;
        const what = kind[at] === 0 ? "code" : "call";
        rows.push([what, location, seconds(since[at]!), seconds(since[at + 1]!), callpathText(report, callpath[at]!, "/"), null, null, null]);
      }
    });
  }
  return rows;
}

function waitRows(report: Report, scene: TimelineScene): Row[] {
  const { waits } = scene.timeline;
  const seconds = (ticks: number): number => inUnits(report, "sec", ticks);
  const rows: Row[] = [];
  for (let i = 0; i < waits.count; i++) {
    const end = waits.enter[i]! + waits.time[i]!;
    if (waits.enter[i]! >= scene.span.to || end <= scene.span.from || !isShown(scene, waits.location[i]!)) continue;
    const cause = waits.causeLocation[i]!;
    rows.push([
      "wait",
      waits.location[i]!,
      seconds(waits.enter[i]!),
      seconds(end),
      callpathText(report, waits.callpath[i]!, "/"),
      report.metrics[waits.metric[i]!]!.id,
      cause < 0 ? null : cause,
      cause < 0 ? null : callpathText(report, waits.causeCallpath[i]!, "/"),
    ]);
  }
  return rows;
}

function arrowRows(report: Report, scene: TimelineScene): Row[] {
  const { arrows } = scene.timeline;
  const seconds = (ticks: number): number => inUnits(report, "sec", ticks);
  const rows: Row[] = [];
  for (let i = 0; i < arrows.count; i++) {
    const begin = arrows.since[i]!;
    const end = begin + arrows.time[i]!;
    if (begin >= scene.span.to || end <= scene.span.from) continue;
    if (!isShown(scene, arrows.tail[i]!) && !isShown(scene, arrows.head[i]!)) continue;
    rows.push([ARROW_NAMES[arrows.kind[i]!]!, arrows.tail[i]!, seconds(begin), seconds(end), null, null, arrows.head[i]!, null]);
  }
  return rows;
}

/** A row for each member of a team; the other location is the first member. */
function teamRows(report: Report, scene: TimelineScene): Row[] {
  const { teams } = scene.timeline;
  const seconds = (ticks: number): number => inUnits(report, "sec", ticks);
  const rows: Row[] = [];
  for (let team = 0; team < teams.count; team++) {
    const begin = teams.since[team]!;
    const end = begin + teams.time[team]!;
    if (begin >= scene.span.to || end <= scene.span.from) continue;
    const members = membersOf(teams, team);
    for (const location of members) {
      if (isShown(scene, location)) rows.push(["team", location, seconds(begin), seconds(end), null, null, members[0]!, null]);
    }
  }
  return rows;
}
