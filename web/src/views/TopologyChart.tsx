// SPDX-License-Identifier: BSD-3-Clause
import { useCallback, useMemo } from "preact/hooks";
import type { JSX } from "preact";
import { Chart, type Hit } from "../components/Chart";
import type { Surface } from "../draw/surface";
import { coordinatesOf, drawTopology, placeAt, type TopologyModel } from "../draw/topology";
import { formatValue, printable, shorten } from "../format";
import { inUnits, processName } from "../model/report";
import type { Topology } from "../model/topology";
import type { Store } from "../state/store";

/** Values of processes in the program's cartesian topology. */
export function TopologyChart({ store }: { store: Store }): JSX.Element {
  const { topologies } = store.trees;
  const topology = topologies[store.topology.value] ?? topologies[0];
  if (topology === undefined) {
    const why = store.trees.summary.is_profile ? " Recordings of counters only have no topologies." : "";
    return <p class="empty">The report has no cartesian topology (MPI_Cart_create).{why}</p>;
  }
  return (
    <>
      {topologies.length === 1 && <p class="topology-choice muted">{titleOf(topology)}</p>}
      {topologies.length > 1 && (
        <label class="topology-choice">
          Topology{" "}
          <select
            value={topologies.indexOf(topology)}
            onChange={(event) => (store.topology.value = Number(event.currentTarget.value))}
          >
            {topologies.map((each, i) => (
              <option key={i} value={i}>
                {titleOf(each)}
              </option>
            ))}
          </select>
        </label>
      )}
      <Grid store={store} topology={topology} />
    </>
  );
}

/** "halo: x 4 (wraps around) \u00d7 y 2". */
function titleOf({ name, sizes, periodic, dimensions }: Topology): string {
  const sides = sizes.map((size, i) => {
    const side = dimensions[i] === "" ? `${size}` : `${shorten(printable(dimensions[i]!), 20)} ${size}`;
    return periodic[i] ? `${side} (wraps around)` : side;
  });
  return `${name === "" ? "without a name" : shorten(printable(name), 40)}: ${sides.join(" \u00d7 ")}`;
}

/** Names of the dimensions; those without a name are numbered. */
function dimensionNames({ sizes, dimensions }: Topology): string[] {
  return sizes.map((_, i) => {
    const name = dimensions[i] ?? "";
    return name === "" ? `dimension ${i}` : shorten(printable(name), 20);
  });
}

function Grid({ store, topology }: { store: Store; topology: Topology }): JSX.Element {
  const report = store.trees;
  const palette = store.palette.value;
  const { unit, name } = store.selectedMetric.value;
  const values = store.locationValues.value;
  const selected = store.system.location[store.systemNode.value] ?? -1;
  const processes = useMemo(() => firstLocations(report.locations), [report]);
  const model = useMemo<TopologyModel>(() => {
    const places = new Float64Array(topology.sizes.reduce((product, size) => product * size, 1)).fill(NaN);
    const ranks = new Int32Array(places.length).fill(-1);
    let chosen = -1;
    let largest = 0;
    topology.rank.forEach((rank, i) => {
      const place = topology.place[i]!;
      let sum = 0;
      for (let at = processes[rank] ?? -1; at >= 0 && report.locations[at]?.rank === rank; at++) {
        sum += values[at]!;
        if (at === selected) chosen = place;
      }
      places[place] = sum;
      ranks[place] = rank + report.summary.process.first;
      largest = Math.max(largest, Math.abs(sum));
    });
    return {
      sizes: topology.sizes,
      names: dimensionNames(topology),
      values: places,
      ranks,
      largest,
      format: (value) => formatValue(unit, inUnits(report, unit, value)),
      scale: store.scale.value,
      selected: chosen,
    };
  }, [topology, values, unit, store.scale.value, selected]);
  const draw = useCallback((surface: Surface) => drawTopology(surface, palette, model), [palette, model]);
  const hit = (x: number, y: number, width: number, height: number): Hit | null => {
    const place = placeAt(model, x, y, width, height);
    const member = place < 0 ? -1 : topology.place.indexOf(place);
    if (member < 0) return null;
    const rank = topology.rank[member]!;
    return {
      lines: [
        `${processName(report, rank)} at (${coordinatesOf(topology.sizes, place).join(", ")})`,
        formatValue(unit, inUnits(report, unit, model.values[place]!)),
      ],
      activate: () => store.selectLocation(processes[rank]!),
    };
  };
  const callpath = store.callList.value === "parameter" ? undefined : report.callpaths[store.callpath.value]?.region;
  return (
    <>
      {model.largest === 0 && (
        <p class="topology-zero topology-choice">
          {shorten(printable(name), 60)} is 0{callpath === undefined ? "" : ` in ${shorten(printable(callpath), 60)}`} on every process of the
          topology.
        </p>
      )}
      <Chart
        draw={draw}
        hit={hit}
        height="fill"
        label={`${name} in the topology ${titleOf(topology)}, up to ${formatValue(unit, inUnits(report, unit, model.largest))}`}
        testId="topology-chart"
      />
    </>
  );
}

/** @returns the first location of each rank. */
function firstLocations(locations: readonly { rank: number }[]): number[] {
  const first: number[] = [];
  locations.forEach(({ rank }, i) => (first[rank] ??= i));
  return first;
}
