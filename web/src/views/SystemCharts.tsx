import { useComputed } from "@preact/signals";
import { useCallback } from "preact/hooks";
import type { JSX } from "preact";
import { Chart, type Hit } from "../components/Chart";
import { drawDistribution } from "../draw/distribution";
import { drawHeatMap, heatMapCell, type HeatMapModel } from "../draw/heatmap";
import { drawRanks, rankAt } from "../draw/ranks";
import { formatValue, printable, shorten } from "../format";
import { distribute } from "../model/distribution";
import { inUnits, locationName, locationNumber, processWord } from "../model/report";
import { callpathLocationValues } from "../model/severity";
import type { Store } from "../state/store";

/** Maximum number of call paths in a heat map; the others are smaller. */
const HEAT_ROWS = 40;
const HEAT_CELLS = 8_000_000;

function write(store: Store, value: number): string {
  return formatValue(store.selectedMetric.value.unit, value);
}

/** Values of the locations in seconds, occurrences or bytes. */
function unitValues(store: Store): Float64Array {
  const { unit } = store.selectedMetric.value;
  return store.locationValues.value.map((value) => inUnits(store.trees, unit, value));
}

/** A bar for each location. */
export function Ranks({ store }: { store: Store }): JSX.Element {
  const values = useComputed(() => unitValues(store)).value;
  const palette = store.palette.value;
  const format = (value: number): string => write(store, value);
  const selected = store.system.location[store.systemNode.value] ?? -1;
  const draw = useCallback(
    (surface: Parameters<typeof drawRanks>[0]) => {
      const number = (location: number): string => locationNumber(store.trees, location);
      drawRanks(surface, palette, { values, format, number, selected });
    },
    [values, palette, selected],
  );
  const hit = (x: number, y: number, width: number, height: number): Hit | null => {
    const location = rankAt(values.length, x, y, width, height);
    if (location < 0) return null;
    return {
      lines: [locationName(store.trees, location), write(store, values[location]!)],
      activate: () => store.selectLocation(location),
    };
  };
  return <Chart draw={draw} hit={hit} height="fill" label={describe(store)} testId="ranks-chart" />;
}

/** Box and violin of the locations' values. */
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
              ["Locations", statistics.count.toString()],
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

/** Call paths by locations. */
export function HeatMap({ store }: { store: Store }): JSX.Element {
  const report = store.trees;
  const palette = store.palette.value;
  const width = report.locations.length;
  const { unit } = store.selectedMetric.value;
  const formatTicks = (value: number): string => formatValue(unit, inUnits(report, unit, value));
  const model = useComputed<HeatMapModel | null>(() => {
    if (width * report.callpaths.length > HEAT_CELLS) return null;
    const exclusive = store.shownOf(width * report.callpaths.length, (run, metrics) =>
      callpathLocationValues(run, metrics, true),
    );
    const size = (callpath: number): number => Math.abs(store.callNodes.value.exclusive[callpath]!);
    const rows = store.callpaths.value
      .filter((callpath) => size(callpath) !== 0)
      .sort((a, b) => size(b) - size(a))
      .slice(0, HEAT_ROWS)
      .map((callpath) => ({
        name: shorten(printable(report.callpaths[callpath]!.region), 80),
        callpath,
        values: exclusive.subarray(callpath * width, (callpath + 1) * width),
      }));
    const isProcess = report.locations.every(({ thread }) => thread === 0);
    return {
      rows,
      columns: width,
      column: isProcess ? processWord(report, 1) : "location",
      number: (column) => locationNumber(report, column),
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
      lines: [row.name, locationName(report, cell.column), formatTicks(row.values[cell.column]!)],
      activate: () => {
        store.callList.value = "tree";
        store.selectCallpath(row.callpath);
        store.selectLocation(cell.column);
      },
    };
  };
  return <Chart draw={draw} hit={hit} height="fill" label={describe(store)} testId="heatmap-chart" />;
}

function describe(store: Store): string {
  const { min, median, max } = distribute(unitValues(store));
  return (
    `${store.selectedMetric.value.name} of ${store.trees.locations.length} locations: ` +
    `from ${write(store, min)} to ${write(store, max)}, median ${write(store, median)}`
  );
}
