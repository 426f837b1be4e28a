// SPDX-License-Identifier: BSD-3-Clause
/** Box plots of the waiting times of each kind on one logarithmic axis. */
import { scaleLog } from "d3-scale";
import type { JsonStatistics } from "../data/layout";
import { formatTick } from "../format";
import type { Palette } from "./colors";
import type { Surface } from "./surface";

const SIDE = 16;

export function drawBoxes(
  surface: Surface,
  palette: Palette,
  records: readonly JsonStatistics[],
  rowHeight: number,
): void {
  const smallest = Math.min(...records.map((record) => record.min).filter((value) => value > 0));
  const largest = Math.max(...records.map((record) => record.max));
  if (!(largest > 0)) return;
  const low = Math.max(1e-12, Math.min(smallest, largest / 10));
  const x = scaleLog([low, largest], [SIDE, surface.width - SIDE]);
  const bottom = rowHeight * (records.length + 1);
  const decades: number[] = [];
  for (let power = Math.ceil(Math.log10(low)); power <= Math.log10(largest); power++) {
    decades.push(10 ** power);
  }
  const every = Math.max(1, Math.ceil((decades.length * 64) / Math.max(1, surface.width)));
  decades.forEach((tick, i) => {
    surface.line(x(tick), rowHeight, x(tick), bottom, { color: palette.line });
    if (i % every === 0) {
      surface.text(x(tick), bottom + 11, formatTick(tick), {
        size: 11,
        color: palette.muted,
        anchor: "middle",
      });
    }
  });
  records.forEach((record, i) => {
    const y = rowHeight * (i + 1.5);
    const at = (value: number): number => x(Math.max(low, value));
    surface.line(at(record.min), y, at(record.max), y, { color: palette.wait });
    for (const end of [record.min, record.max]) {
      surface.line(at(end), y - 4, at(end), y + 4, { color: palette.wait });
    }
    const left = at(record.lower_quartile);
    const width = Math.max(2, at(record.upper_quartile) - left);
    surface.rect(left, y - 6, width, 12, palette.wait, 0.55);
    surface.line(at(record.median), y - 7, at(record.median), y + 7, { color: palette.ink, width: 2 });
  });
}
