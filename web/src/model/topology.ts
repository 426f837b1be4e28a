// SPDX-License-Identifier: BSD-3-Clause
/** Cartesian topologies: src/view/report/topology_data.h. */
import type { Bundle } from "../data/bundle";
import type { JsonTopology } from "../data/layout";

/** Ranks in a cartesian grid. */
export interface Topology {
  readonly name: string;
  readonly sizes: readonly number[];
  readonly periodic: readonly boolean[];
  /** Names; "": none. */
  readonly dimensions: readonly string[];
  /** Rank, and its coordinates as one number, the last dimension fastest. */
  readonly rank: Float64Array;
  readonly place: Float64Array;
}

export function makeTopologies(bundle: Bundle<{ topologies: JsonTopology[] }>): Topology[] {
  const rank = bundle.column("topology_rank");
  const place = bundle.column("topology_place");
  let at = 0;
  return bundle.json.topologies.map(({ name, sizes, periodic, dimensions, ranks }) => {
    const first = at;
    at += ranks;
    return { name, sizes, periodic, dimensions, rank: rank.subarray(first, at), place: place.subarray(first, at) };
  });
}
