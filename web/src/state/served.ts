// SPDX-License-Identifier: BSD-3-Clause
/** The timeline of a served page: it follows the user's view. */
import { effect, untracked } from "@preact/signals";
import type { JsonTileIndex, JsonTimeline } from "../data/layout";
import { fetchBundle, ofRun } from "../data/server";
import { tileReader } from "../data/tile_reader";
import type { Report } from "../model/report";
import { makeCounters } from "../model/counters";
import { makeTileIndex } from "../model/tiles";
import type { Timeline } from "../model/timeline";
import { TileSource } from "./tiles";
import type { TimelineState } from "./timeline";

/** Number of the longest waits of each kind that are fetched at the start. */
const LONGEST = 8;

/** @returns the timeline of a run; `state` gets a new one whenever tiles have arrived. */
export async function timelineOfServer(report: Report, run: number, state: TimelineState): Promise<Timeline> {
  const index = makeTileIndex(await fetchBundle<JsonTileIndex>(ofRun("timeline", run)));
  const source = new TileSource(index, (take) => tileReader(index, run, take));
  source.keep(longestPlaces(report));
  state.need = (location, from, to) => source.need(location, from, to);
  effect(() => {
    const span = state.span.value ?? { from: 0, to: index.length };
    const rows = state.shownRows();
    const { width, height } = state.size.value;
    const arrangement = state.arrangement.value;
    if (width > 0 && height > 0) untracked(() => source.show(span, rows, arrangement, width, height));
  });
  state.readCounter = async (counter) => {
    const bundle = await fetchBundle<JsonTimeline>(`${ofRun("tiles", run)}/${index.counterTiles[counter]}`);
    return makeCounters(bundle, index.locations)[0]!;
  };
  effect(() => {
    state.data.value = source.timeline.value;
    state.busy.value = source.busy.value;
  });
  effect(() => {
    state.failure.value = source.failure.value;
  });
  return source.timeline.value!;
}

function longestPlaces(report: Report): { location: number; from: number; to: number }[] {
  const instances = report.statistics.flatMap((record) => record.worst.slice(0, 2));
  instances.sort((a, b) => b.wait - a.wait);
  return instances.slice(0, LONGEST).map(({ location, enter, wait }) => ({
    location,
    from: Math.round(enter * report.ticksPerSecond),
    to: Math.round((enter + wait) * report.ticksPerSecond),
  }));
}
