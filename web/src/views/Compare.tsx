// SPDX-License-Identifier: BSD-3-Clause
import { useCallback, useMemo } from "preact/hooks";
import type { JSX } from "preact";
import { Chart, type Hit } from "../components/Chart";
import { ExportMenu } from "../components/ExportMenu";
import { Linked } from "../components/Linked";
import { CallpathName, callpathText } from "../components/Names";
import { drawIterations, iterationAt, iterationsHeight, type IterationsModel } from "../draw/iterations";
import type { Surface } from "../draw/surface";
import { drawTable, tableSize, type Table } from "../draw/table";
import { csvOf, type CsvValue } from "../export/csv";
import { formatCount, formatPercent, formatSeconds, formatValue, printable, shorten } from "../format";
import {
  changesOf,
  comparedMetrics,
  comparedPhases,
  comparedProblems,
  statusOf,
  type Change,
  type ComparedPhase,
  type ComparedProblem,
} from "../model/comparison";
import { depthOf } from "../model/forest";
import { inUnits, processTitle, type Iteration } from "../model/report";
import type { Store } from "../state/store";
import { CompareTimelines } from "./CompareTimelines";
import { ComparedEfficiencies, hybridCsv } from "./HybridEfficiency";

const MOST_CHANGES = 12;
/** Smaller problems are summed up. */
const SMALLEST_SHARE = 0.01;
const PICTURE_WIDTH = 1000;

/** The differences of several runs: what `fermata diff` prints, their problems, and their iterations. */
export function Compare({ store }: { store: Store }): JSX.Element {
  const { united, names } = store;
  const other = store.otherRun();
  const changes = useMemo(() => changesOf(united), [united]);
  const phases = useMemo(() => comparedPhases(united.runs), [united]);
  return (
    <section class="view compare" aria-label="Compare">
      <div class="toolbar">
        {names.length > 2 && (
          <label>
            Other run{" "}
            <select value={other.toString()} onChange={(event) => (store.run.value = Number(event.currentTarget.value))}>
              {names.map((name, run) =>
                run === 0 ? null : (
                  <option key={run} value={run.toString()}>
                    {name}
                  </option>
                ),
              )}
            </select>
          </label>
        )}
        <span class="muted">
          Differences: <b>{names[other]}</b> minus <b>{names[0]}</b>. Call paths are matched by the names of their
          functions, as by <code>fermata diff</code>. The other views show {names[0]}.
        </span>
        <span class="spacer" />
        <ExportMenu
          store={store}
          name="comparison"
          title="Comparison"
          csv={() => comparisonCsv(store, changes)}
          picture={() => {
            const table = metricsPicture(store);
            return { ...tableSize(table), draw: (surface, palette) => drawTable(surface, palette, table) };
          }}
        />
      </div>
      <Runs store={store} />
      <ComparedEfficiencies store={store} />
      <Problems store={store} />
      <CompareTimelines store={store} />
      <MetricTable store={store} />
      <div class="two-columns changes">
        <Changes store={store} title="Where more time is spent" changes={changes} sign={1} />
        <Changes store={store} title="Where less time is spent" changes={changes} sign={-1} />
      </div>
      {phases.map((phase) => (
        <Iterations key={phase.region} store={store} phase={phase} />
      ))}
    </section>
  );
}

/** @returns the relative change in words, as `fermata diff` does. */
export function formatChange(base: number, value: number): string {
  if (value === base) return "=";
  if (base === 0) return "new";
  if (value === 0) return "gone";
  const percent = (100 * (value - base)) / Math.abs(base);
  if (Math.abs(percent) >= 999.5) return `x ${(value / base).toFixed(1)}`;
  if (Math.abs(percent) < 0.05) return "<0.1%";
  return `${percent > 0 ? "+" : ""}${percent.toFixed(1)}%`;
}

function signed(text: string, value: number): string {
  return value > 0 ? `+${text}` : text;
}

function Runs({ store }: { store: Store }): JSX.Element {
  const { runs } = store.united;
  const base = runs[0]!;
  return (
    <table class="grid" data-testid="runs">
      <thead>
        <tr>
          <th scope="col">Run</th>
          <th scope="col">Run time</th>
          <th scope="col">Change</th>
          <th scope="col">{processTitle(store.report, 2)}</th>
          <th scope="col">Parallel efficiency</th>
          <th scope="col">Waiting</th>
        </tr>
      </thead>
      <tbody>
        {runs.map(({ experiment, summary, efficiency }, run) => (
          <tr key={run}>
            <th scope="row">{store.names[run]}</th>
            <td>{formatSeconds(experiment.duration)}</td>
            <td>{run === 0 ? "" : formatChange(base.experiment.duration, experiment.duration)}</td>
            <td>{formatCount(experiment.processes)}</td>
            <td>{efficiency.parallel_efficiency === null ? "" : formatPercent(efficiency.parallel_efficiency)}</td>
            <td>{formatPercent(summary.time > 0 ? summary.waiting / summary.time : 0)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Problems({ store }: { store: Store }): JSX.Element {
  const { united } = store;
  const other = store.otherRun();
  const all = useMemo(() => comparedProblems(united, other), [united, other]);
  const problems = all.filter(({ share }) => share >= SMALLEST_SHARE);
  return (
    <>
      <h2>Problems</h2>
      {problems.length === 0 ? (
        <p class="muted">No cause of waiting has 1% of the time in any run.</p>
      ) : (
        <table class="grid" data-testid="problems">
          <thead>
            <tr>
              <th scope="col">Problem</th>
              <th scope="col" class="text">
                Change
              </th>
              {store.names.map((name, run) => (
                <th scope="col" key={run}>
                  {name}
                </th>
              ))}
              <th scope="col">Difference</th>
            </tr>
          </thead>
          <tbody>
            {problems.map((problem) => (
              <ProblemRow key={`${problem.kind}.${problem.callpath}`} store={store} problem={problem} />
            ))}
          </tbody>
        </table>
      )}
      {all.length > problems.length && (
        <p class="muted">{formatCount(all.length - problems.length)} causes below 1% of the time of each run are left out.</p>
      )}
    </>
  );
}

function ProblemRow({ store, problem }: { store: Store; problem: ComparedProblem }): JSX.Element {
  const other = store.otherRun();
  const { costs, callpath, kind, headlines } = problem;
  const run = costs[other]! > 0 ? other : 0;
  const difference = costs[other]! - costs[0]!;
  const status = statusOf(problem, other);
  return (
    <tr>
      <th scope="row">
        {headlines[run] === "" ? (
          <>
            {kind}
            {callpath >= 0 && (
              <>
                {" in "}
                <button type="button" class="link" onClick={() => store.showInTrees("time", callpath)}>
                  <CallpathName report={store.trees} callpath={callpath} />
                </button>
              </>
            )}
          </>
        ) : (
          <Linked store={store} text={headlines[run]!} run={run} callpath={callpath < 0 ? null : callpath} />
        )}
      </th>
      <td class={`text status-${status}`}>{status}</td>
      {costs.map((cost, i) => (
        <td key={i}>{formatSeconds(cost)}</td>
      ))}
      <td>{signed(formatSeconds(difference), difference)}</td>
    </tr>
  );
}

function MetricTable({ store }: { store: Store }): JSX.Element {
  const { united, trees } = store;
  const other = store.otherRun();
  const metrics = useMemo(() => comparedMetrics(united), [united]);
  return (
    <>
      <h2>
        Properties <small>all call paths and locations, parts included</small>
      </h2>
      <table class="grid" data-testid="properties">
        <thead>
          <tr>
            <th scope="col">Property</th>
            {store.names.map((name, run) => (
              <th scope="col" key={run}>
                {name}
              </th>
            ))}
            <th scope="col">Difference</th>
            <th scope="col">Change</th>
          </tr>
        </thead>
        <tbody>
          {metrics.map((metric) => {
            const { name, unit, id } = trees.metrics[metric]!;
            const values = united.runs.map((run) => inUnits(trees, unit, run.metricInclusive[metric]!));
            const difference = values[other]! - values[0]!;
            return (
              <tr key={id} onClick={() => store.showInTrees(id)}>
                <th scope="row" style={{ paddingLeft: `${12 + 12 * depthOf(trees.metricForest, metric)}px` }}>
                  <button type="button" class="link">
                    {name}
                  </button>
                </th>
                {values.map((value, run) => (
                  <td key={run}>{formatValue(unit, value)}</td>
                ))}
                <td>{signed(formatValue(unit, difference), difference)}</td>
                <td>{formatChange(values[0]!, values[other]!)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </>
  );
}

function Changes(props: { store: Store; title: string; changes: readonly Change[]; sign: 1 | -1 }): JSX.Element {
  const { store, title, changes, sign } = props;
  const { trees } = store;
  const other = store.otherRun();
  const difference = ({ values }: Change): number => values[other]! - values[0]!;
  const shown = changes
    .filter((change) => sign * difference(change) > 0)
    .sort((a, b) => sign * (difference(b) - difference(a)))
    .slice(0, MOST_CHANGES);
  const seconds = (value: number): string => formatSeconds(inUnits(trees, "sec", value));
  return (
    <div>
      <h2>{title}</h2>
      {shown.length === 0 && <p class="muted">Nowhere.</p>}
      <table class="grid">
        <tbody>
          {shown.map((change) => (
            <tr
              key={`${change.metric}.${change.callpath}`}
              onClick={() => store.showInTrees(trees.metrics[change.metric]!.id, change.callpath)}
            >
              <th scope="row">
                <button type="button" class="link">
                  {trees.metrics[change.metric]!.name} in <CallpathName report={trees} callpath={change.callpath} />
                </button>
              </th>
              <td class="strong">{signed(seconds(difference(change)), difference(change))}</td>
              <td>
                {seconds(change.values[0]!)} {"\u2192"} {seconds(change.values[other]!)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The iterations of a phase in all runs, aligned by their numbers. */
function Iterations({ store, phase }: { store: Store; phase: ComparedPhase }): JSX.Element {
  const palette = store.palette.value;
  const { runs } = store.united;
  const name = shorten(printable(phase.region), 60);
  const model: IterationsModel = useMemo(
    () => ({ phase, names: store.names, ticksPerSecond: store.united.runs.map(tickRate) }),
    [phase, store],
  );
  const draw = useCallback((surface: Surface) => drawIterations(surface, palette, model), [palette, model]);
  const rowAt = (run: number, iteration: number): Iteration | undefined =>
    phase.phases[run]?.rows.find(({ first, count }) => iteration >= first && iteration < first + count);
  const hit = (x: number, y: number, width: number): Hit | null => {
    const found = iterationAt(model, x, y, width);
    if (found === null) return null;
    const lines = runs.map((report, run) => {
      const row = rowAt(run, found.iteration);
      return `${store.names[run]!}: ${row === undefined ? "none" : formatSeconds(row.duration / row.count / tickRate(report))}`;
    });
    const own = rowAt(0, found.iteration);
    return {
      lines: [`iteration ${found.iteration}`, ...lines],
      ...(own !== undefined && store.timeline.isThere
        ? {
            activate: () => {
              store.timeline.show(own.begin, own.end);
              store.view.value = "timeline";
            },
          }
        : {}),
    };
  };
  return (
    <>
      <h2>
        Iterations of {name}{" "}
        <small>
          computation grey, communication blue, waiting orange; the average of the locations; a click shows the
          iteration of {store.names[0]} in the timeline
        </small>
      </h2>
      <Chart
        draw={draw}
        hit={hit}
        height={iterationsHeight(model)}
        label={`Durations of ${formatCount(phase.iterations)} iterations of ${name} in ${runs.length} runs, one below the other`}
        testId="iterations-chart"
      />
      <p class="actions">
        <ExportMenu
          store={store}
          name="iterations"
          title={`Iterations of ${name}`}
          csv={() =>
            csvOf(
              ["iteration", ...store.names],
              Array.from({ length: phase.iterations }, (_, i) => [
                i,
                ...runs.map((report, run) => {
                  const row = rowAt(run, i);
                  return row === undefined ? null : row.duration / row.count / tickRate(report);
                }),
              ]),
            )
          }
          picture={() => ({
            width: PICTURE_WIDTH,
            height: iterationsHeight(model),
            draw: (surface, colors) => drawIterations(surface, colors, model),
          })}
        />
      </p>
    </>
  );
}

/** Phases stay in the ticks of their own run. */
function tickRate({ tickRate: rate }: { tickRate: number }): number {
  return rate;
}

/** Properties, changes and problems with exact values. */
function comparisonCsv(store: Store, changes: readonly Change[]): string {
  const { trees, united } = store;
  const other = store.otherRun();
  const rows: CsvValue[][] = trees.metrics
    .filter(({ index }) => united.runs.some((run) => run.metricInclusive[index] !== 0))
    .map(({ index, id, unit }) => ["property", id, "", ...united.runs.map((run) => inUnits(trees, unit, run.metricInclusive[index]!))]);
  rows.push(...hybridCsv(united.runs));
  for (const { metric, callpath, values } of changes) {
    const { id, unit } = trees.metrics[metric]!;
    rows.push(["change", id, callpathText(trees, callpath, "/"), ...values.map((value) => inUnits(trees, unit, value))]);
  }
  for (const { kind, callpath, costs } of comparedProblems(united, other)) {
    rows.push(["problem", kind, callpath < 0 ? "" : callpathText(trees, callpath, "/"), ...costs]);
  }
  return csvOf(["what", "id", "callpath", ...store.names], rows);
}

function metricsPicture(store: Store): Table {
  const { trees, united } = store;
  const other = store.otherRun();
  return {
    title: "Properties",
    columns: [
      { title: "Property" },
      ...store.names.map((title) => ({ title, numeric: true })),
      { title: "Difference", numeric: true },
    ],
    rows: comparedMetrics(united).map((metric) => {
      const { name, unit } = trees.metrics[metric]!;
      const values = united.runs.map((run) => inUnits(trees, unit, run.metricInclusive[metric]!));
      const difference = values[other]! - values[0]!;
      return [
        { text: name, indent: 12 * depthOf(trees.metricForest, metric) },
        ...values.map((value) => ({ text: formatValue(unit, value) })),
        { text: signed(formatValue(unit, difference), difference) },
      ];
    }),
  };
}
