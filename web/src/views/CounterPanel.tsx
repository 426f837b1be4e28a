// SPDX-License-Identifier: BSD-3-Clause
import { useCallback } from "preact/hooks";
import type { JSX } from "preact";
import { Chart, type Hit } from "../components/Chart";
import type { Palette } from "../draw/colors";
import { drawCurves, envelope } from "../draw/timeline/counters";
import type { Surface } from "../draw/surface";
import { layoutOf, type TimelineScene } from "../draw/timeline/timeline";
import { formatNumber, formatSeconds, printable, shorten } from "../format";
import { MOST_CURVES, unitOf, valueAt, type Counter, type CounterField } from "../model/counters";
import { inUnits, locationName } from "../model/report";
import { groupText } from "./Groups";

interface Props {
  scene: TimelineScene;
  counter: Counter;
  field: CounterField;
  palette: Palette;
}

/** @returns a value with its unit. */
export function valueText(counter: Counter, value: number): string {
  const unit = unitOf(counter);
  return unit === "" ? formatNumber(value) : `${formatNumber(value)} ${shorten(printable(unit), 20)}`;
}

export function counterTitle(counter: Counter): string {
  const unit = unitOf(counter);
  const name = shorten(printable(counter.name), 60);
  return unit === "" ? name : `${name} (${shorten(printable(unit), 20)})`;
}

function rowName({ report, arrangement }: TimelineScene, row: number): string {
  const group = arrangement.group(row);
  return group >= 0 && arrangement.kind !== "folded" ? groupText(report, arrangement.alike!, group) : locationName(report, arrangement.location(row));
}

/** The curves of a counter, below the timeline and for the same time window. */
export function CounterPanel({ scene, counter, field, palette }: Props): JSX.Element {
  const names = field.cells.map((_, i) => rowName(scene, field.first + i * field.group));
  const draw = useCallback(
    (surface: Surface) => {
      const { left, plotWidth } = layoutOf(scene, surface.width, surface.height);
      const right = surface.width - left - plotWidth;
      drawCurves(surface, palette, { field, title: counterTitle(counter), names, left, right });
    },
    [scene, palette, field],
  );
  const hit = (x: number, _: number, width: number, height: number): Hit | null => {
    const layout = layoutOf(scene, width, height);
    if (x < layout.left || x > layout.left + layout.plotWidth) return null;
    const time = Math.min(layout.time(x), field.span.to - 1e-9);
    return {
      lines: [
        `${counterTitle(counter)} at ${formatSeconds(inUnits(scene.report, "sec", time))}`,
        ...valuesAt(counter, field, names, time),
      ],
    };
  };
  return (
    <Chart
      draw={draw}
      hit={hit}
      height={130}
      testId="counter-curves"
      label={`Curves of the counter ${counterTitle(counter)}: from ${formatNumber(field.low)} to ${formatNumber(field.high)}`}
    />
  );
}

function valuesAt(counter: Counter, field: CounterField, names: readonly string[], time: number): string[] {
  if (field.cells.length <= MOST_CURVES) {
    return names
      .map((name, i) => ({ name, value: valueAt(field, field.first + i * field.group, time) }))
      .filter(({ value }) => !Number.isNaN(value))
      .map(({ name, value }) => `${name}: ${valueText(counter, value)}`);
  }
  const part = Math.floor(((time - field.span.from) / (field.span.to - field.span.from)) * field.parts);
  const { least, mean, most } = envelope(field);
  if (Number.isNaN(mean[part]!)) return ["no values"];
  return [
    `mean ${valueText(counter, mean[part]!)}`,
    `from ${formatNumber(least[part]!)} to ${formatNumber(most[part]!)}`,
  ];
}
