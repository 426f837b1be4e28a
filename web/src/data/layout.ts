// SPDX-License-Identifier: BSD-3-Clause
/** The JSON in the page's data: docs/report-json.md, src/view/report/report_data.h. Times are seconds, unless called
 * ticks. */

/** "": a number without a unit, of a derived metric. */
export type Unit = "sec" | "occ" | "bytes" | "";

export interface JsonCause {
  location: number;
  callpath: number;
  metric: string | null;
  share: number;
  time: number;
}

export interface JsonInstance {
  location: number;
  callpath: number;
  enter: number;
  wait: number;
  cause_location: number | null;
  cause_callpath: number | null;
  causes: JsonCause[];
}

export interface JsonStatistics {
  metric: string;
  count: number;
  sum: number;
  min: number;
  lower_quartile: number;
  median: number;
  upper_quartile: number;
  max: number;
  error?: number | null;
  insignificant?: number | null;
  insignificant_sum?: number | null;
  worst: JsonInstance[];
}

export interface JsonLockParty {
  rank: number;
  location: number;
  epochs: number;
  held: number;
  caused: number;
  caused_error?: number | null;
  waits: number;
  waiting: number;
  waiting_error?: number | null;
}

/** A call path in which a lock is waited for (`waits` times), or held while others wait. */
export interface JsonLockPlace {
  callpath: number;
  waits?: number;
  waiting: number;
}

export interface JsonLock {
  window: number | null;
  name: string | null;
  target: number | null;
  exclusive: number;
  shared: number;
  held: number;
  waits: number;
  waiting: number;
  waiting_error?: number | null;
  begin: number;
  end: number;
  longest_queue: number;
  longest_chain: number;
  chain_locations: number[];
  holders: JsonLockParty[];
  victims: JsonLockParty[];
  held_in: JsonLockPlace[];
  waited_in: JsonLockPlace[];
  queue: number[];
}

/** A problem: docs/report-json.md. */
export interface JsonCauseOfWaiting {
  id: number;
  cause: { callpath: number | null; locations: number[]; kind: string; exact?: boolean };
  cost: number;
}

export interface JsonReport {
  experiment: {
    title: string | null;
    command: string | null;
    creator: string | null;
    machine: string | null;
    processes: number;
    locations: number;
    events: number;
    duration: number;
    ticks_per_second: number;
  };
  metrics: { id: string; parent: string | null; name: string; unit: Unit; description: string }[];
  callpaths: {
    id: number;
    parent: number | null;
    region: string;
    paradigm: string;
    file: string | null;
    line: number | null;
    estimated?: boolean;
    callsite?: { file: string; line: number | null };
  }[];
  locations: {
    id: number;
    rank: number;
    thread: number;
    type: "thread" | "stream";
    node: string;
    name: string;
    /** Only in runs with several worlds. */
    world?: number;
    world_rank?: number;
  }[];
  statistics: JsonStatistics[];
  /** By how much the times of call paths on the critical path may be wrong; null: unknown */
  critical_path_errors?: {
    turns: number;
    insignificant_turns: number;
    callpaths: { callpath: number; error: number }[];
  } | null;
  /** null: the run did not end inside of calls. */
  hang: JsonHang | null;
  warnings: string[];
  locks: JsonLock[];
  locks_left_out: { count: number; waiting: number };
  problems: JsonCauseOfWaiting[];
  efficiency: JsonTimedEfficiency & {
    /** Of processes and the threads inside them; null: not defined. */
    hybrid: Record<string, number> | null;
    load_levels: JsonLoadLevel[];
    callpaths: (JsonTimedEfficiency & { callpath: number })[];
  };
}

/** How a run ended inside of calls that never returned: docs/report-json.md. Seconds. */
export interface JsonHang {
  kind: "none" | "deadlock" | "missing" | "no_progress";
  open_ends: number;
  since: number;
  waits: JsonHangWait[];
  /** Each waits for the next one, the last for the first. */
  cycle: number[];
  places: { location: number; callpath: number | null; ended: boolean }[];
}

export interface JsonHangWait {
  location: number;
  callpath: number | null;
  since: number;
  counts: boolean;
  stuck: boolean;
  mode: "and" | "or";
  for: JsonHangPart[];
}

export interface JsonHangPart {
  awaits: string;
  /** Locations, of a process its first one; at most 64. */
  for: number[];
  mode: "and" | "or";
  object: string | null;
  tag: number | null;
  there: boolean;
  never: boolean;
}

/** Imbalance of streams, threads with accelerators, processes or nodes: src/diagnosis/efficiency/load_levels.h. Seconds. */
export interface JsonLoadLevel {
  level: "stream" | "thread" | "process" | "node";
  parts: string;
  units: number;
  efficiency: number | null;
  measured: JsonLoad;
  adjusted: JsonLoad;
  /** null: what is active inside of accelerators was not measured. */
  composite: JsonLoad | null;
}

export interface JsonLoad {
  average: number;
  largest: number;
  imbalance: number | null;
  /** The first one of the unit with the largest load. */
  location: number;
}

/** With the seconds that it is about, of all locations together: without Init and Finalize. */
export interface JsonTimedEfficiency extends JsonEfficiency {
  time: number;
}

/** Null without computation. */
export interface JsonEfficiency {
  parallel_efficiency: number | null;
  load_balance: number | null;
  communication_efficiency: number | null;
  /** Of the run: by how much the efficiencies may be wrong; null: unknown */
  parallel_efficiency_error?: number | null;
  load_balance_error?: number | null;
  communication_efficiency_error?: number | null;
  serialization_efficiency_error?: number | null;
  transfer_efficiency_error?: number | null;
  /** Of the run: the factors of communication; null: not predicted. */
  serialization_efficiency?: number | null;
  transfer_efficiency?: number | null;
  /** Computation / that and the threads' calls of accelerators; absent: there are no such calls. */
  offload_efficiency?: number | null;
}

export interface JsonProblem {
  /** Of the report's problem; null: a kind of wait state. */
  id: number | null;
  /** Call path that others wait for; null: the entry is a kind of wait state, its causes are not known. */
  cause: number | null;
  /** The largest symptom: kind of wait state and its call path; null: not known. */
  metric: string | null;
  callpath: number | null;
  /** Waiting that stems from it. */
  ticks: number;
  /** The phase whose iterations `when` counts; null: none. */
  phase: number | null;
  /** Where most of the cost arises; empty: it is spread over the run. Ticks. */
  when: { first?: number; last?: number; begin: number; end: number }[];
  headline: string;
  lines: { label: string; text: string }[];
}

export interface JsonPrediction {
  /** Name of the problem; null: the change is of a barrier or fence, which the text names. */
  cause: string | null;
  text: string;
  callpath: number;
  saved: number;
  /** Of `saved`; 0: unknown. */
  error?: number;
}

export interface JsonRatio {
  value: number;
  verdict: "good" | "acceptable" | "poor";
}

/** What the processes of the program are called, and the number of the first: src/diagnosis/process_word.h. */
export interface JsonProcess {
  one: string;
  many: string;
  first: number;
}

export interface JsonSummary {
  process: JsonProcess;
  /** Ticks of all locations, without Init and Finalize. */
  time: number;
  /** Ticks of Init and Finalize, on the location where they take longest. */
  startup: number;
  /** Ticks. */
  waiting: number;
  /** Ticks by which `waiting` may be wrong; 0: unknown. */
  error?: number;
  /** Of counters only: what of the time is waiting is not known. */
  is_profile: boolean;
  shares: { name: string; ticks: number }[];
  efficiency: {
    parallel: JsonRatio;
    load_balance: JsonRatio;
    communication: JsonRatio;
    /** The factors of communication; absent: not predicted. */
    serialization?: JsonRatio;
    transfer?: JsonRatio;
    /** Absent: no call of accelerators. */
    offload?: JsonRatio;
    /** Of processes and the threads inside them; empty: not defined. */
    hybrid: (JsonRatio & { name: string; meaning: string; depth: number })[];
  } | null;
  /** Of a run that ended inside of calls: who waits for whom. */
  hang: { headline: string; lines: { label: string; text: string }[] } | null;
  problems: JsonProblem[];
  others: { count: number; ticks: number };
  /** A sentence about waiting without a cause in the program. */
  without_cause: string | null;
  /** What the run would take with changes, by replays: what is changed, and by how many ticks the run is shorter. */
  predictions: JsonPrediction[];
  /** Whether ranks lacked processors for a part of the computation that predictions contain. */
  scarce_processors: boolean;
  observations: string[];
}

export interface JsonPage {
  version: number;
  /** Of the run, where it was opened. */
  name: string;
  generator: string;
  cost_shift: number;
  precision: number | null;
  environment: unknown;
  report: JsonReport;
  metrics: { formula: string; advice: string; wait_state: boolean; cost: boolean }[];
  summary: JsonSummary;
  sources: JsonExcerpt[];
  matrices: { omitted: { links: number; count: number; amount: number } }[];
  phases: { region: string; iterations: number; rows: number; kinds: number[] }[];
  topologies: JsonTopology[];
}

/** Lines of a source file: src/view/report/source_data.h. */
export interface JsonExcerpt {
  file: string;
  first: number;
  lines: string[];
}

/** The JSON in the timeline's data: src/view/timeline/timeline_data.h. Times are ticks. */
export interface JsonTimeline {
  version: number;
  length: number;
  calls: number;
  windows: {
    from: number;
    to: number;
    metric: number | null;
    location: number | null;
    enter: number | null;
  }[];
  /** Number of groups of similar locations: src/view/timeline/similar_locations.h. */
  alike: number;
  counters: JsonCounter[];
  bins?: { count: number; rows: number; group: number; waits: number[] };
}

/** The JSON in the index of a timeline's tiles: src/view/tiles/tiles.h. */
export interface JsonTileIndex {
  version: number;
  length: number;
  calls: number;
  locations: number;
  rows: number;
  bins: number;
  waits: number[];
  levels: { group: number; first: number; bands: number; depth: number }[];
  alike_level: { first: number; depth: number };
  alike: number;
  counters: JsonCounter[];
  first_event: number;
}

/** A tile with cells: src/view/tiles/tile_cells.h. */
export interface JsonCells {
  rows: number;
  /** Positions in the run's kinds of wait states. */
  kinds: number[];
}

/** A counter: src/view/timeline/counter_data.h. */
export interface JsonCounter {
  name: string;
  unit: string;
  total: boolean;
  /** Number of locations with values; only if the values are in the same data. */
  series?: number;
  /** Tile of the values, if a server provides them. */
  tile?: number;
}

/** A cartesian topology: src/view/report/topology_data.h. */
export interface JsonTopology {
  name: string;
  sizes: number[];
  periodic: boolean[];
  dimensions: string[];
  ranks: number;
}
