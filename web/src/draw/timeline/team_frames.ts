// SPDX-License-Identifier: BSD-3-Clause
/** Frames around the rows of the threads that form a team at a time. */
import { hasRow } from "../../model/arrangement";
import { membersOf, type TimelineTeams } from "../../model/timeline";
import type { Palette } from "../colors";
import type { Surface } from "../surface";
import type { TimelineScene } from "./timeline";
import type { TimelineLayout } from "./timeline_layout";

/** Frames are drawn if each has this number of square pixels of the drawn excerpts, and at most this number. */
const ROOM = 1200;
const MOST_FRAMES = 500;

/** Narrower frames cannot be told from their edges; in lower rows, they would hide what they surround. */
const LEAST_WIDTH = 12;
const LEAST_ROW = 8;

/** Neighbouring rows of a team: from `first` to `end` - 1. */
interface Run {
  readonly first: number;
  readonly end: number;
}

/** @returns the rows of the members of a team that have one, as runs of neighbours. */
export function rowsOfTeam(teams: TimelineTeams, team: number, layout: TimelineLayout): Run[] {
  const { arrangement } = layout;
  const rows = Array.from(membersOf(teams, team))
    .filter((location) => hasRow(arrangement, location))
    .map((location) => arrangement.row(location))
    .sort((a, b) => a - b);
  const runs: { first: number; end: number }[] = [];
  for (const row of rows) {
    const last = runs[runs.length - 1];
    if (last !== undefined && last.end === row) last.end = row + 1;
    else runs.push({ first: row, end: row + 1 });
  }
  return runs;
}

/** @returns the teams in view, the ones that last longest first, without duplicates. */
function visibleTeams(scene: TimelineScene, layout: TimelineLayout): number[] {
  const { teams, windows } = scene.timeline;
  const shown: number[] = [];
  // A team is in each window that it has a part of.
  const seen = new Set<string>();
  windows.forEach((window, i) => {
    if (!layout.isDrawn(i)) return;
    for (let team = window.teams.first; team < window.teams.end; team++) {
      const since = teams.since[team]!;
      const until = since + teams.time[team]!;
      if (until < scene.span.from || since > scene.span.to || layout.x(until) - layout.x(since) < LEAST_WIDTH) continue;
      const members = membersOf(teams, team);
      if (!members.some((location) => layout.isVisible(location))) continue;
      const key = `${members.join(".")}:${since}.${until}`;
      if (windows.length > 1 && seen.has(key)) continue;
      seen.add(key);
      shown.push(team);
    }
  });
  return shown.sort((a, b) => teams.time[b]! - teams.time[a]!);
}

/** Draws a frame around the neighbouring rows of each team in view, where there is space. */
export function drawTeams(surface: Surface, palette: Palette, scene: TimelineScene, layout: TimelineLayout): void {
  const { teams } = scene.timeline;
  if (teams.count === 0 || layout.group > 1 || layout.laneHeight < LEAST_ROW) return;
  const shown = visibleTeams(scene, layout);
  if (shown.length > Math.min(MOST_FRAMES, layout.drawnArea() / ROOM)) return;
  surface.clip(layout.left - 1, layout.upper - 1, layout.plotWidth + 2, layout.plotHeight + 1, () => {
    for (const team of shown) {
      const x = layout.x(teams.since[team]!);
      const width = layout.x(teams.since[team]! + teams.time[team]!) - x;
      for (const { first, end } of rowsOfTeam(teams, team, layout)) {
        const top = layout.topOf(first) - 1;
        surface.frame(x, top, width, layout.topOf(end) - top - 1, { color: palette.muted, width: 1 });
      }
    }
  });
}
