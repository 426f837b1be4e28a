// SPDX-License-Identifier: BSD-3-Clause
import { useComputed } from "@preact/signals";
import { useCallback } from "preact/hooks";
import type { JSX } from "preact";
import { Chart, type Hit } from "../components/Chart";
import { drawDistribution } from "../draw/distribution";
import { drawHeatMap, heatMapCell, type HeatMapModel } from "../draw/heatmap";
import { drawRanks, rankAt } from "../draw/ranks";
import { formatValue, printable, shorten } from "../format";
import { distribute } from "../model/distribution";
import { callName, inUnits, titleOf } from "../model/report";
import { callpathLocationValues, locationValues } from "../model/severity";
import type { Store } from "../state/store";

/** Maximum number of call paths in a heat map; the others are smaller. */
const HEAT_ROWS = 40;
const HEAT_CELLS = 8_000_000;

function write(store: Store, value: number): string {
  return formatValue(store.selectedMetric.value.unit, value);
}

/** Values of the locations, or of processes with all of their threads, in seconds, occurrences or bytes. */
function unitValues(store: Store): Float64Array {
  const { unit } = store.selectedMetric.value;
  const columns = store.columns.value;
  return store
    .shownOf(columns.count, (run, metrics) => columns.sum(locationValues(run, metrics, store.callpaths.value)))
    .map((value) => inUnits(store.trees, unit, value));
}

/** A bar for each location or process. */
export function Ranks({ store }: { store: Store }): JSX.Element {
  const values = useComputed(() => unitValues(store)).value;
  const palette = store.palette.value;
  const format = (value: number): string => write(store, value);
  const columns = store.columns.value;
  const selected = selectedColumn(store);
  const draw = useCallback(
    (surface: Parameters<typeof drawRanks>[0]) => {
      drawRanks(surface, palette, { values, format, number: columns.number, selected });
    },
    [values, palette, selected, columns],
  );
  const hit = (x: number, y: number, width: number, height: number): Hit | null => {
    const column = rankAt(values.length, x, y, width, height);
    if (column < 0) return null;
    return {
      lines: [columns.name(column), write(store, values[column]!)],
      activate: () => selectColumn(store, column),
    };
  };
  return <Chart draw={draw} hit={hit} height="fill" label={describe(store)} testId="ranks-chart" />;
}

/** @returns the column of the selected location or process; -1: none. */
function selectedColumn(store: Store): number {
  const columns = store.columns.value;
  const node = store.systemNode.value;
  const location = store.system.location[node]!;
  if (location >= 0) return columns.of(location);
  const thread = store.threaded.includes(node) ? store.system.forest.children[node]![0]! : -1;
  return store.threadsFolded.value && thread >= 0 ? columns.of(store.system.location[thread]!) : -1;
}

/** Selects a location, or a process whose threads are folded. */
function selectColumn(store: Store, column: number): void {
  const columns = store.columns.value;
  const node = store.system.nodeOf[columns.location(column)]!;
  const above = store.system.forest.parent[node]!;
  if (columns.count < store.trees.locations.length && store.threaded.includes(above)) store.systemNode.value = above;
  else store.selectLocation(columns.location(column));
}

/** Box and violin of the values of the locations or processes. */
export function Distribution({ store }: { store: Store }): JSX.Element {
  const values = useComputed(() => unitValues(store)).value;
  const palette = store.palette.value;
  const statistics = distribute(values);
  const draw = useCallback(
    (surface: Parameters<typeof drawDistribution>[0]) =>
      drawDistribution(surface, palette, { values, format: (value) => write(store, value) }),
    [values, palette],
  );
  return (
    <div class="chart-with-table">
      <Chart draw={draw} height="fill" label={describe(store)} testId="distribution-chart" />
      <table class="numbers">
        <tbody>
          {(
            [
              [titleOf(store.columns.value.word(2)), statistics.count.toString()],
              ["Sum", write(store, statistics.sum)],
              ["Mean", write(store, statistics.mean)],
              ["Std. deviation", write(store, statistics.deviation)],
              ["Maximum", write(store, statistics.max)],
              ["Upper quartile", write(store, statistics.upperQuartile)],
              ["Median", write(store, statistics.median)],
              ["Lower quartile", write(store, statistics.lowerQuartile)],
              ["Minimum", write(store, statistics.min)],
            ] as const
          ).map(([name, text]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{text}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Call paths by locations or processes. */
export function HeatMap({ store }: { store: Store }): JSX.Element {
  const report = store.trees;
  const palette = store.palette.value;
  const columns = store.columns.value;
  const { unit } = store.selectedMetric.value;
  const formatTicks = (value: number): string => formatValue(unit, inUnits(report, unit, value));
  const model = useComputed<HeatMapModel | null>(() => {
    const columns = store.columns.value;
    const width = columns.count;
    const locations = report.locations.length;
    if (locations * report.callpaths.length > HEAT_CELLS) return null;
    const exclusive = store.shownOf(width * report.callpaths.length, (run, metrics) => {
      const all = callpathLocationValues(run, metrics, true);
      if (width === locations) return all;
      const sums = new Float64Array(width * report.callpaths.length);
      for (let callpath = 0; callpath < report.callpaths.length; callpath++) {
        sums.set(columns.sum(all.subarray(callpath * locations, (callpath + 1) * locations)), callpath * width);
      }
      return sums;
    });
    const size = (callpath: number): number => Math.abs(store.callNodes.value.exclusive[callpath]!);
    const rows = store.callpaths.value
      .filter((callpath) => size(callpath) !== 0)
      .sort((a, b) => size(b) - size(a))
      .slice(0, HEAT_ROWS)
      .map((callpath) => ({
        name: shorten(printable(callName(report.callpaths[callpath]!)), 80),
        callpath,
        values: exclusive.subarray(callpath * width, (callpath + 1) * width),
      }));
    return {
      rows,
      columns: width,
      column: columns.word(1),
      number: columns.number,
      scale: store.scale.value,
      format: formatTicks,
    };
  });
  const draw = useCallback(
    (surface: Parameters<typeof drawHeatMap>[0]) => {
      if (model.value !== null) drawHeatMap(surface, palette, model.value);
    },
    [model.value, palette],
  );
  if (model.value === null) return <p class="empty">Too many locations for one picture.</p>;
  if (model.value.rows.length === 0) return <p class="empty">No values of this metric here.</p>;
  const hit = (x: number, y: number, wide: number, height: number): Hit | null => {
    const cell = heatMapCell(model.value!, x, y, wide, height);
    if (cell === null) return null;
    const row = model.value!.rows[cell.row]!;
    return {
      lines: [row.name, columns.name(cell.column), formatTicks(row.values[cell.column]!)],
      activate: () => {
        store.callList.value = "tree";
        store.selectCallpath(row.callpath);
        selectColumn(store, cell.column);
      },
    };
  };
  return <Chart draw={draw} hit={hit} height="fill" label={describe(store)} testId="heatmap-chart" />;
}

function describe(store: Store): string {
  const { min, median, max } = distribute(unitValues(store));
  return (
    `${store.selectedMetric.value.name} of ${store.columns.value.count} ${store.columns.value.word(store.columns.value.count)}: ` +
    `from ${write(store, min)} to ${write(store, max)}, median ${write(store, median)}`
  );
}
