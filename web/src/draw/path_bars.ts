// SPDX-License-Identifier: BSD-3-Clause
/** The critical path along lanes: its segments, and its changes to other locations. */
import type { PathSegments } from "../model/report";
import type { Surface } from "./surface";

export interface PathFrame {
  readonly x: (ticks: number) => number;
  /** Vertical middle of a location; NaN: it is not drawn. */
  readonly y: (location: number) => number;
  readonly from: number; // pixels
  readonly to: number;
  readonly thick: number;
  readonly color: string;
}

/** Changes between pieces of at least this width are drawn one by one. */
const CLEAR = 1.5;

/** Where thousands of changes share one pixel, the opacity of each lane is proportional to the length of the
 * path in it. */
export function drawPathBars(surface: Surface, path: PathSegments, frame: PathFrame): void {
  const { location, edge } = path;
  const { x, y, thick, color } = frame;
  const dense = new Map<number, Float32Array>(); // by location: covered part of each pixel
  const wide = Math.max(1, Math.ceil(frame.to - frame.from));
  let wasClear = false;
  for (let i = firstFrom(path, frame); i < location.length; i++) {
    const begin = x(edge[i]!);
    if (begin > frame.to) break;
    const from = Math.max(frame.from, begin);
    const to = Math.min(frame.to, x(edge[i + 1]!));
    if (to < frame.from) continue;
    const isClear = x(edge[i + 1]!) - begin >= CLEAR;
    const at = y(location[i]!);
    if (Number.isNaN(at)) {
      wasClear = false;
      continue;
    }
    if (isClear) {
      if (wasClear && begin >= frame.from) surface.line(begin, y(location[i - 1]!), begin, at, { color, width: 0.8 });
      surface.rect(from, at - thick / 2, to - from, thick, color);
    } else {
      let covered = dense.get(location[i]!);
      if (covered === undefined) dense.set(location[i]!, (covered = new Float32Array(wide)));
      const pixel = Math.min(wide - 1, Math.floor(from - frame.from));
      covered[pixel]! += to - from;
    }
    wasClear = isClear;
  }
  for (const [at, covered] of dense) {
    covered.forEach((part, pixel) => {
      if (part <= 0) return;
      const opacity = Math.max(0.08, Math.min(1, part));
      surface.rect(frame.from + pixel, y(at) - thick / 2, 1, thick, color, opacity);
    });
  }
}

/** @returns the first piece that extends into the frame. */
function firstFrom({ location, edge }: PathSegments, frame: PathFrame): number {
  let low = 0;
  let high = location.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (frame.x(edge[middle + 1]!) < frame.from) low = middle + 1;
    else high = middle;
  }
  return low;
}
