// SPDX-License-Identifier: BSD-3-Clause
import { useCallback } from "preact/hooks";
import type { JSX } from "preact";
import { Chart, type Hit } from "../components/Chart";
import { ErrorLegend } from "../components/ErrorLegend";
import { ExportMenu } from "../components/ExportMenu";
import { CallpathName, callpathText } from "../components/Names";
import { drawPhase, phaseRow } from "../draw/phases";
import type { Surface } from "../draw/surface";
import { drawTable, tableSize, type Table } from "../draw/table";
import { csvOf } from "../export/csv";
import { formatCount, formatError, formatPercent, formatSeconds, printable, shorten } from "../format";
import { inUnits, locationName, type Iteration, type Phase, type Report } from "../model/report";
import { errorsOfEfficiency } from "../model/uncertainty";
import type { Store } from "../state/store";
import type { JsonEfficiency } from "../data/layout";
import { HybridEfficiency, hybridColumns, hybridPicture } from "./HybridEfficiency";
import { Iterations } from "./Iterations";
import { LoadLevels } from "./LoadLevels";

const CALLPATHS = 40;
const ITERATIONS = 25;
const CHART_HEIGHT = 220;

/** As in src/diagnosis/efficiency/efficiency.c. */
function verdict(value: number): "good" | "acceptable" | "poor" {
  return value >= 0.9 ? "good" : value >= 0.8 ? "acceptable" : "poor";
}

/** Efficiencies of the run, of its call paths, and of the iterations of its phases. */
export function EfficiencyView({ store }: { store: Store }): JSX.Element {
  const { report } = store;
  const phase = report.phases[store.phase.value];
  const rows = callpathRows(report);
  return (
    <section class="view efficiency-view" aria-label="Efficiency">
      <div class="toolbar">
        <span class="muted">
          Parallel efficiency = load balance &times; communication efficiency
          {report.efficiency.offload_efficiency !== undefined && <> &times; offload efficiency</>}: what part of the time
          is computation.
        </span>
        <span class="spacer" />
        <ExportMenu
          store={store}
          name="efficiency"
          title="Efficiency"
          csv={() => efficiencyCsv(report, rows)}
          picture={() => {
            const table = efficiencyTable(report, rows);
            const hybrid = hybridPicture(report);
            const size = tableSize(table);
            const below = hybrid === null ? { width: 0, height: 0 } : tableSize(hybrid);
            return {
              width: Math.max(size.width, below.width),
              height: size.height + below.height,
              draw: (surface, palette) => {
                drawTable(surface, palette, table);
                if (hybrid !== null) drawTable(surface, palette, hybrid, 0, size.height);
              },
            };
          }}
        />
      </div>
      {errorsOfEfficiency(report.efficiency).some((error) => formatError(error, 1) !== "") && <ErrorLegend />}
      <HybridEfficiency report={report} />
      <table class="grid" data-testid="efficiency-table">
        <thead>
          <tr>
            <th scope="col">Call path</th>
            {ratioColumns(report).map(({ key, title, meaning }) => (
              <th key={key} scope="col" title={meaning}>
                {title}
              </th>
            ))}
            <th scope="col" title="including callees, sum over all locations, without Init and Finalize">
              Time
            </th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">The whole run</th>
            <Ratios of={report.efficiency} columns={ratioColumns(report)} />
            <td>{formatSeconds(report.efficiency.time)}</td>
          </tr>
          {rows.slice(0, CALLPATHS).map((row) => (
            <tr key={row.callpath} onClick={() => store.showInTrees("time", row.callpath)}>
              <th scope="row">
                <button type="button" class="link" title={callpathText(report, row.callpath)}>
                  <CallpathName report={report} callpath={row.callpath} />
                </button>
              </th>
              <Ratios of={row} columns={ratioColumns(report)} />
              <td>{formatSeconds(row.time)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <LoadLevels report={report} />
      {phase === undefined ? (
        <p class="muted">
          The program has no phases. Mark its iterations with FERMATA_ITERATION (fermata/fermata.h) to compare them.
        </p>
      ) : (
        <PhaseRows store={store} phase={phase} />
      )}
    </section>
  );
}

type RatioKey =
  | "parallel_efficiency"
  | "load_balance"
  | "communication_efficiency"
  | "serialization_efficiency"
  | "transfer_efficiency"
  | "offload_efficiency";

interface RatioColumn {
  readonly key: RatioKey;
  readonly title: string;
  readonly meaning: string;
}

/** The efficiencies of computation, which iterations have, too. `longest`: of what the longest time counts. */
const baseColumns = (longest: string): readonly RatioColumn[] => [
  { key: "parallel_efficiency", title: "Parallel", meaning: "average computation / duration" },
  { key: "load_balance", title: "Load balance", meaning: `average / longest ${longest}` },
  { key: "communication_efficiency", title: "Communication", meaning: `longest ${longest} / duration` },
];

/** The efficiencies that are known of a run and its call paths. */
function ratioColumns({ efficiency }: Report): readonly RatioColumn[] {
  const offloads = efficiency.offload_efficiency !== undefined;
  const longest = offloads ? "occupied time" : "computation";
  return [
    ...baseColumns(longest),
    ...((efficiency.transfer_efficiency ?? null) !== null
      ? ([
          { key: "serialization_efficiency", title: "Serialization", meaning: `longest ${longest} / duration predicted on an ideal network; of the whole run` },
          { key: "transfer_efficiency", title: "Transfer", meaning: "duration predicted on an ideal network / duration; of the whole run" },
        ] as const)
      : []),
    ...(offloads
      ? ([{ key: "offload_efficiency", title: "Offload", meaning: "computation / occupied time: that and calls of accelerators" }] as const)
      : []),
  ];
}

function ratiosOf(of: JsonEfficiency, columns: readonly RatioColumn[]): (number | null)[] {
  return columns.map(({ key }) => of[key] ?? null);
}

/** By how much an efficiency may be wrong; undefined: not stated. */
function errorOf(of: JsonEfficiency, key: RatioKey | undefined): number | null | undefined {
  return key === undefined || key === "offload_efficiency" ? undefined : of[`${key}_error`];
}

function Ratios({ of, columns }: { of: JsonEfficiency; columns: readonly RatioColumn[] }): JSX.Element {
  return (
    <>
      {ratiosOf(of, columns).map((value, i) => (
        <td key={i} class={value === null ? "" : `ratio-${verdict(value)}`}>
          {value === null ? "" : formatPercent(value)}
          {formatError(errorOf(of, columns[i]?.key), 1)}
        </td>
      ))}
    </>
  );
}

type CallpathRow = Report["efficiency"]["callpaths"][number];

/** The call paths, those with most time first. */
function callpathRows(report: Report): CallpathRow[] {
  return [...report.efficiency.callpaths].sort((a, b) => b.time - a.time || a.callpath - b.callpath);
}

function efficiencyCsv(report: Report, rows: readonly CallpathRow[]): string {
  const columns = ratioColumns(report);
  const values = (of: JsonEfficiency): (number | null)[] => ratiosOf(of, columns);
  const hybrid = hybridColumns(report);
  const none = hybrid.names.map(() => null);
  return csvOf(["callpath", ...columns.map(({ key }) => key), "time", ...hybrid.names], [
    ["", ...values(report.efficiency), report.efficiency.time, ...hybrid.values],
    ...rows.map((row) => [callpathText(report, row.callpath, "/"), ...values(row), row.time, ...none]),
  ]);
}

function efficiencyTable(report: Report, rows: readonly CallpathRow[]): Table {
  const numeric = (title: string) => ({ title, numeric: true });
  const columns = ratioColumns(report);
  const texts = (of: JsonEfficiency) =>
    ratiosOf(of, columns).map((value) => ({ text: value === null ? "" : formatPercent(value) }));
  return {
    title: "Efficiency",
    columns: [{ title: "Call path" }, ...columns.map(({ title }) => numeric(title)), numeric("Time")],
    rows: [
      [{ text: "The whole run", bold: true }, ...texts(report.efficiency), { text: formatSeconds(report.efficiency.time) }],
      ...rows
        .slice(0, CALLPATHS)
        .map((row) => [
          { text: shorten(printable(callpathText(report, row.callpath)), 80) },
          ...texts(row),
          { text: formatSeconds(row.time) },
        ]),
    ],
  };
}

/* ---- phases ---- */

function iterationName(row: Iteration): string {
  return row.count === 1 ? String(row.first) : `${row.first} to ${row.first + row.count - 1}`;
}

/** Longest computation minus the mean one, per location. */
function imbalance(row: Iteration): number {
  return row.locations === 0 ? 0 : (row.computationCapacity - row.computation) / row.locations;
}

/** Of computation only: beside calls of accelerators, the rest is not all communication. */
function efficiencyOf(report: Report, row: Iteration): JsonEfficiency {
  const ratio = (part: number, whole: number): number | null => (row.computation > 0 && whole > 0 ? part / whole : null);
  return {
    parallel_efficiency: ratio(row.computation, row.capacity),
    load_balance: ratio(row.computation, row.computationCapacity),
    communication_efficiency:
      report.efficiency.offload_efficiency === undefined ? ratio(row.computationCapacity, row.capacity) : null,
  };
}

function PhaseRows({ store, phase }: { store: Store; phase: Phase }): JSX.Element {
  const { report } = store;
  const palette = store.palette.value;
  const seconds = (ticks: number): string => formatSeconds(inUnits(report, "sec", ticks));
  const draw = useCallback(
    (surface: Surface) => drawPhase(surface, palette, phase, report.ticksPerSecond),
    [palette, phase, report],
  );
  const show = (row: Iteration): void => {
    store.timeline.show(row.begin, row.end);
    store.view.value = "timeline";
  };
  const hit = (x: number, _y: number, width: number): Hit | null => {
    const row = phase.rows[phaseRow(phase, x, width)];
    if (row === undefined) return null;
    return {
      lines: [
        `Iteration ${iterationName(row)}: ${seconds(row.duration)}`,
        `computation ${seconds(row.computation / Math.max(1, row.locations))}, waiting ${seconds(row.waiting / Math.max(1, row.locations))} on average`,
        ...(row.slowest >= 0 ? [`${locationName(report, row.slowest)} computed longest`] : []),
        "click for its timeline",
      ],
      activate: () => show(row),
    };
  };
  const order = phase.rows.map((_, i) => i).sort((a, b) => length(phase, b) - length(phase, a) || a - b);
  const name = shorten(printable(phase.region), 60);
  return (
    <>
      <div class="toolbar">
        <h2>
          Iterations of {name} <small>{formatCount(phase.iterations)}</small>
        </h2>
        {report.phases.length > 1 && (
          <label>
            Phase{" "}
            <select
              value={store.phase.value}
              onChange={(event) => (store.phase.value = Number(event.currentTarget.value))}
            >
              {report.phases.map((each, i) => (
                <option key={i} value={i}>
                  {shorten(printable(each.region), 60)}
                </option>
              ))}
            </select>
          </label>
        )}
        <ul class="legend timeline-legend" aria-label="Legend">
          {["compute", "communicate", "wait"].map((color, i) => (
            <li key={color}>
              <span class="swatch" style={{ background: `var(--${color})` }} />{" "}
              {["Computation", "Other calls", "Waiting"][i]}
            </li>
          ))}
        </ul>
        <span class="spacer" />
        <ExportMenu
          store={store}
          name="phases"
          title={`Iterations of ${name}`}
          csv={() => phaseCsv(report, phase)}
          picture={() => ({
            width: 1000,
            height: CHART_HEIGHT,
            draw: (surface, colors) => drawPhase(surface, colors, phase, report.ticksPerSecond),
          })}
        />
      </div>
      <Chart
        draw={draw}
        hit={hit}
        height={CHART_HEIGHT}
        label={`Duration of ${formatCount(phase.iterations)} iterations of ${name}, and the average activity of the locations in them`}
        testId="phase-chart"
      />
      {store.timeline.isThere && <Iterations store={store} phase={phase} />}
      <table class="grid" data-testid="phase-table">
        <thead>
          <tr>
            <th scope="col">Longest iterations</th>
            <th scope="col">Duration</th>
            <th scope="col">Begin</th>
            <th scope="col">Parallel</th>
            <th scope="col">Load balance</th>
            <th scope="col">Communication</th>
            <th scope="col" title="longest minus average computation">
              Imbalance
            </th>
            <th scope="col" title="sum over all locations">
              Waiting
            </th>
            <th scope="col" class="text">
              Mostly
            </th>
            <th scope="col" class="text">
              Slowest
            </th>
          </tr>
        </thead>
        <tbody>
          {order.slice(0, ITERATIONS).map((i) => {
            const row = phase.rows[i]!;
            const most = row.waits.reduce((a, b) => (b.ticks > a.ticks ? b : a), { metric: -1, ticks: 0 });
            return (
              <tr key={i} onClick={() => show(row)}>
                <th scope="row">
                  <button type="button" class="link">
                    {iterationName(row)}
                  </button>
                </th>
                <td>{seconds(row.duration / row.count)}</td>
                <td>{seconds(row.begin)}</td>
                <Ratios of={efficiencyOf(report, row)} columns={baseColumns("computation")} />
                <td>{seconds(imbalance(row))}</td>
                <td>
                  {seconds(row.waiting)}
                  {formatError(row.error, row.time) !== "" && ` (±${seconds(row.error)})`}
                </td>
                <td class="text">{most.metric < 0 ? "" : report.metrics[most.metric]!.name}</td>
                <td class="text">{row.slowest < 0 ? "" : locationName(report, row.slowest)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </>
  );
}

function length(phase: Phase, row: number): number {
  return phase.rows[row]!.duration / phase.rows[row]!.count;
}

function phaseCsv(report: Report, phase: Phase): string {
  const seconds = (ticks: number): number => inUnits(report, "sec", ticks);
  const kinds = phase.rows[0]?.waits.map(({ metric }) => report.metrics[metric]!.id) ?? [];
  return csvOf(
    ["first", "count", "begin", "end", "duration", "computation", "longest_computation", "waiting", "locations", "slowest", ...kinds],
    phase.rows.map((row) => [
      row.first,
      row.count,
      seconds(row.begin),
      seconds(row.end),
      seconds(row.duration),
      seconds(row.computation),
      seconds(row.longest),
      seconds(row.waiting),
      row.locations,
      row.slowest < 0 ? null : row.slowest,
      ...row.waits.map(({ ticks }) => seconds(ticks)),
    ]),
  );
}
