// SPDX-License-Identifier: BSD-3-Clause
/** A report for tests, built from plain lists. */
import type { Bundle } from "../src/data/bundle";
import type { JsonPage, Unit } from "../src/data/layout";
import { makeReport, type Report } from "../src/model/report";

export interface SmallReport {
  metrics: readonly (readonly [id: string, parent: string | null, unit?: Unit])[];
  callpaths: readonly (readonly [region: string, parent: number | null, callsite?: { file: string; line: number | null }])[];
  ranks: number;
  /** Ranks of world 0, if there is a second world. */
  firstWorld?: number;
  /** metric, call path, location, value in ticks */
  cells: readonly (readonly [string, number, number, number])[];
  ticksPerSecond?: number;
}

export function smallReport(given: SmallReport): Report {
  const index = new Map(given.metrics.map(([id], i) => [id, i]));
  const cells = given.cells
    .map(([metric, callpath, location, value]) => ({ metric: index.get(metric)!, callpath, location, value }))
    .sort((a, b) => a.metric - b.metric || a.callpath - b.callpath || a.location - b.location);
  const rows: { metric: number; callpath: number; count: number }[] = [];
  for (const cell of cells) {
    const row = rows[rows.length - 1];
    if (row !== undefined && row.metric === cell.metric && row.callpath === cell.callpath) row.count++;
    else rows.push({ metric: cell.metric, callpath: cell.callpath, count: 1 });
  }
  const columns: Record<string, number[]> = {
    row_metric: rows.map((row) => row.metric),
    row_callpath: rows.map((row) => row.callpath),
    row_count: rows.map((row) => row.count),
    cell_location: cells.map((cell) => cell.location),
    cell_mantissa: cells.map((cell) => cell.value),
    cell_exponent: cells.map(() => 0),
    path_location: [],
    path_edge: [],
  };
  const page: JsonPage = {
    version: 1,
    name: "test",
    generator: "test",
    cost_shift: 0,
    precision: null,
    environment: null,
    report: {
      experiment: {
        title: "test",
        command: null,
        creator: null,
        machine: null,
        processes: given.ranks,
        locations: given.ranks,
        events: 0,
        duration: 1,
        ticks_per_second: given.ticksPerSecond ?? 1,
      },
      metrics: given.metrics.map(([id, parent, unit]) => ({
        id,
        parent,
        name: id,
        unit: unit ?? "sec",
        description: "",
      })),
      callpaths: given.callpaths.map(([region, parent, callsite], id) => ({
        id,
        parent,
        region,
        paradigm: "user",
        file: null,
        line: null,
        ...(callsite === undefined ? {} : { callsite }),
      })),
      locations: Array.from({ length: given.ranks }, (_, rank) => ({
        id: rank,
        rank,
        thread: 0,
        type: "thread" as const,
        node: "node",
        name: `rank ${rank}`,
        ...(given.firstWorld !== undefined && {
          world: rank < given.firstWorld ? 0 : 1,
          world_rank: rank < given.firstWorld ? rank : rank - given.firstWorld,
        }),
      })),
      statistics: [],
      hang: null,
      warnings: [],
      locks: [],
      locks_left_out: { count: 0, waiting: 0 },
      problems: [],
      efficiency: { parallel_efficiency: null, load_balance: null, communication_efficiency: null, time: 0, hybrid: null, load_levels: [], callpaths: [] },
    },
    sources: [],
    matrices: [],
    phases: [],
    topologies: [],
    metrics: given.metrics.map(() => ({ formula: "", advice: "", wait_state: false, cost: false })),
    summary: {
      process: { one: "rank", many: "ranks", first: 0 },
      time: 0,
      startup: 0,
      waiting: 0, is_profile: false,
      shares: [],
      efficiency: null,
      hang: null,
      problems: [],
      others: { count: 0, ticks: 0 },
      without_cause: null,
      predictions: [],
      scarce_processors: false,
      observations: [],
    },
  };
  const bundle: Bundle<JsonPage> = {
    json: page,
    has: (name) => name in columns,
    column: (name) => Float64Array.from(columns[name] ?? []),
    bytes: (name) => Uint8Array.from(columns[name] ?? []),
  };
  return makeReport(bundle);
}

/** The worked example of the weighted trees in Wolf 2002: two processes of 12 s each; ticks are
 * tenths of a second. */
export function workedExample(): Report {
  return smallReport({
    ticksPerSecond: 10,
    ranks: 2,
    metrics: [
      ["total", null],
      ["execution", "total"],
      ["mpi", "execution"],
      ["communication", "mpi"],
      ["p2p", "communication"],
      ["late_sender", "p2p"],
      ["collective", "communication"],
      ["wait_nxn", "collective"],
    ],
    callpaths: [
      ["main", null],
      ["MPI_Send", 0],
      ["MPI_Recv", 0],
      ["MPI_Allreduce", 0],
    ],
    cells: [
      ["execution", 0, 0, 75],
      ["execution", 0, 1, 68],
      ["p2p", 1, 0, 10],
      ["p2p", 2, 1, 16],
      ["late_sender", 2, 1, 30],
      ["collective", 3, 0, 5],
      ["collective", 3, 1, 6],
      ["wait_nxn", 3, 0, 30],
    ],
  });
}
