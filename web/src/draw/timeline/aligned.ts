// SPDX-License-Identifier: BSD-3-Clause
/** The timelines of several runs, one below the other: the same time since the begin of an iteration is at the same x,
 * the same duration has the same width, the same rank has the same place in each run. */
import { scaleLinear } from "d3-scale";
import { formatTick } from "../../format";
import type { CommonSpan } from "../../model/alignment";
import type { Palette } from "../colors";
import { partOf, textWidth, type Surface } from "../surface";
import { drawBody, drawNames, layoutOf, type TimelineScene } from "./timeline";
import type { TimelineLayout } from "./timeline_layout";
import { drawStripes, drawExcerpts } from "./timeline_ruler";

export interface AlignedModel {
  readonly span: CommonSpan;
  /** [run]: its name, and its timeline over the same time; a text instead: why there is none. */
  readonly runs: readonly { readonly name: string; readonly scene: TimelineScene | string }[];
  /** The iteration whose begin is at 0; null: the begin of the run is. */
  readonly iteration: number | null;
  /** Height of the rows of a run. */
  readonly rowsHeight: number;
}

/** Height of the common ruler, and of a run beside its rows. */
const RULER = 26;
const FRAME = 54;
const GAP = 6;

/** Of a run without timeline. */
const EMPTY = 44;

function heightOf({ scene }: AlignedModel["runs"][number], rowsHeight: number): number {
  return typeof scene === "string" ? EMPTY : FRAME + rowsHeight;
}

export function alignedHeight({ runs, rowsHeight }: AlignedModel): number {
  return runs.reduce((sum, run) => sum + heightOf(run, rowsHeight) + GAP, RULER);
}

/** A run's part of the chart. */
export interface AlignedPart {
  readonly run: number;
  readonly top: number;
  readonly height: number;
}

export function alignedParts(model: AlignedModel): AlignedPart[] {
  let top = RULER;
  return model.runs.map((each, run) => {
    const height = heightOf(each, model.rowsHeight);
    top += height + GAP;
    return { run, top: top - height - GAP, height };
  });
}

/** @returns the positions of the times, which are the same in all runs; null: no run has a timeline. */
export function alignedLayout(model: AlignedModel, width: number): TimelineLayout | null {
  const first = alignedParts(model).find(({ run }) => typeof model.runs[run]!.scene !== "string");
  if (first === undefined) return null;
  return layoutOf(model.runs[first.run]!.scene as TimelineScene, width, first.height);
}

export function drawAligned(surface: Surface, palette: Palette, model: AlignedModel): void {
  const layout = alignedLayout(model, surface.width);
  if (layout !== null && layout.plotWidth < 40) return;
  for (const { run, top, height } of alignedParts(model)) {
    const { name, scene } = model.runs[run]!;
    const part = partOf(surface, 0, top, surface.width, height);
    const color = palette.ink;
    if (typeof scene === "string") {
      part.text(12, 10, name, { size: 12, weight: 600, color, limit: surface.width - 24 });
      part.text(12, 28, scene, { size: 12, color: palette.muted, limit: surface.width - 24 });
      continue;
    }
    const own = layoutOf(scene, surface.width, height);
    part.text(own.left + 6, 9, name, { size: 12, weight: 600, color, limit: own.plotWidth - 6 });
    if (scene.phase !== null) drawStripes(part, palette, scene.phase, own);
    drawExcerpts(part, palette, scene, own);
    drawNames(part, palette, scene, own);
    drawBody(part, palette, scene, own);
  }
  if (layout !== null) drawCommonRuler(surface, palette, model, layout);
}

/** Times since the begin of the iteration, and a line through all runs there. */
function drawCommonRuler(surface: Surface, palette: Palette, model: AlignedModel, { left, plotWidth }: TimelineLayout): void {
  const { from, to } = model.span;
  const scale = scaleLinear([from, to], [left, left + plotWidth]);
  for (const tick of scale.ticks(Math.max(2, Math.floor(plotWidth / 120)))) {
    const text = tick === 0 ? (model.iteration === null ? "begin" : `iteration ${model.iteration}`) : formatTick(tick);
    const x = Math.min(scale(tick), surface.width - 1 - textWidth(text, 11) / 2);
    surface.text(x, 10, text, {
      size: 11,
      color: tick === 0 ? palette.ink : palette.muted,
      anchor: "middle",
      weight: tick === 0 ? 600 : 400,
    });
    surface.line(scale(tick), RULER - 7, scale(tick), RULER - 3, { color: palette.muted });
  }
  if (from <= 0 && to >= 0) {
    surface.line(scale(0), RULER - 7, scale(0), surface.height - GAP, { color: palette.ink, width: 1, dash: [3, 3] });
  }
}
