// SPDX-License-Identifier: BSD-3-Clause
/** The whole run in a strip: the shares of computation, calls and waiting of all locations over time. */
import type { Bins, Timeline } from "../../model/timeline";
import type { Palette } from "../colors";
import { RowMixture } from "./row_mixture";
import type { Surface } from "../surface";
import type { TimelineColors } from "./timeline_colors";

export interface OverviewModel {
  readonly timeline: Timeline;
  readonly colors: TimelineColors;
  readonly locations: number;
  /** The displayed time window, and the selected interval. */
  readonly span: { readonly from: number; readonly to: number };
  readonly interval: { readonly from: number; readonly to: number } | null;
  readonly left: number;
  readonly right: number;
}

const TOP = 2;
const BOTTOM = 3;

/** Sums of the whole run; they change only with the cells, the colours or the width. */
interface Sums {
  readonly bins: Bins | null;
  readonly segments: Timeline["segments"];
  readonly colors: TimelineColors;
  readonly columns: number;
  readonly mixture: RowMixture;
}

let known: Sums | null = null;

function sumsOf({ timeline, colors, locations }: OverviewModel, width: number): RowMixture {
  const { overview: bins, segments } = timeline;
  const columns = Math.ceil(width);
  const isKnown =
    known !== null &&
    known.bins === bins &&
    (bins !== null || known.segments === segments) &&
    known.colors === colors &&
    known.columns === columns;
  if (isKnown) return known!.mixture;
  const mixture = new RowMixture(colors, { from: 0, to: timeline.length }, width, columns);
  if (bins !== null) mixture.addCells(bins, 0, locations, 0, timeline.length);
  else addSegments(mixture, timeline, colors, width);
  known = { bins, segments, colors, columns, mixture };
  return mixture;
}

function addSegments(mixture: RowMixture, timeline: Timeline, colors: TimelineColors, width: number): void {
  const { since, callpath, kind, wait } = timeline.segments;
  const scale = width / timeline.length;
  for (let lane = 0; lane + 1 < timeline.laneStart.length; lane++) {
    const last = timeline.laneStart[lane + 1]! - 1;
    for (let at = timeline.laneStart[lane]!; at < last; at++) {
      if (callpath[at]! < 0) continue;
      const x = since[at]! * scale;
      mixture.add(x, since[at + 1]! * scale - x, colors.segment(callpath[at]!, kind[at] !== 0, wait[at]!));
    }
  }
}

export function drawOverview(surface: Surface, palette: Palette, model: OverviewModel): void {
  const { timeline, colors, span, interval, left } = model;
  const width = surface.width - left - model.right;
  const height = surface.height - TOP - BOTTOM;
  if (width < 40) return;
  const x = (time: number): number => left + (time / timeline.length) * width;
  surface.text(left - 11, TOP + height / 2, "all", { size: 11, color: palette.muted, anchor: "end" });
  sumsOf(model, width).stacks((column, count, parts) => {
    let bottom = TOP + height;
    if (colors.share !== null) {
      const shade = Math.round(parts[colors.share.entry]! * (colors.share.colors.length - 1));
      surface.rect(left + column, TOP, count, height, colors.share.colors[shade]!);
      return;
    }
    parts.forEach((part, entry) => {
      if (part <= 0) return;
      bottom -= part * height;
      surface.rect(left + column, bottom, count, part * height, colors.entries[entry]!.color);
    });
  });
  // What is not in view is veiled.
  const [from, to] = [x(span.from), x(span.to)];
  surface.rect(left, TOP, from - left, height, palette.panel, 0.6);
  surface.rect(to, TOP, left + width - to, height, palette.panel, 0.6);
  surface.frame(from, TOP, Math.max(2, to - from), height, { color: palette.ink, width: 1.5 });
  if (interval === null) return;
  surface.rect(x(interval.from), TOP, Math.max(1, x(interval.to) - x(interval.from)), height, palette.accent, 0.4);
}
