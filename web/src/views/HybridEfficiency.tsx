// SPDX-License-Identifier: BSD-3-Clause
/** Efficiencies of runs whose processes have threads: factors of the parallel efficiency
 * (src/diagnosis/efficiency/hybrid_efficiency.h). */
import type { JSX } from "preact";
import type { JsonSummary } from "../data/layout";
import type { Table, TableCell } from "../draw/table";
import type { CsvValue } from "../export/csv";
import { formatPercent } from "../format";
import type { Report } from "../model/report";
import type { Store } from "../state/store";

type Row = NonNullable<JsonSummary["efficiency"]>["hybrid"][number];

const INDENT = 14;

/** @returns the factors in their order; empty: not defined. */
function hybridRows({ summary }: Report): readonly Row[] {
  return summary.efficiency?.hybrid ?? [];
}

/** Columns of the run for the table of call paths as CSV; none: not defined. */
export function hybridColumns({ efficiency }: Report): { names: string[]; values: number[] } {
  const hybrid = efficiency.hybrid ?? {};
  return { names: Object.keys(hybrid), values: Object.values(hybrid) };
}

/** The factors of one run. */
export function HybridEfficiency({ report }: { report: Report }): JSX.Element | null {
  const rows = hybridRows(report);
  const parallel = report.efficiency.parallel_efficiency;
  if (rows.length === 0 || parallel === null) return null;
  const factors = rows.filter(({ depth }) => depth === 0);
  return (
    <>
      <h2>
        Processes and threads{" "}
        <small>
          parallel {formatPercent(parallel)} ={" "}
          {factors.map(({ name, value }) => `${name.toLowerCase()} ${formatPercent(value)}`).join(" \u00d7 ")}; each is the product
          of the two rows below it
        </small>
      </h2>
      <table class="grid hybrid" data-testid="hybrid-table">
        <thead>
          <tr>
            <th scope="col">Factor</th>
            <th scope="col">Efficiency</th>
            <th scope="col" class="text">
              Meaning
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, value, verdict, meaning, depth }, row) => (
            <tr key={row}>
              <th scope="row" style={depth === 0 ? {} : { paddingLeft: `${12 + INDENT * depth}px` }}>
                {name}
              </th>
              <td class={`ratio-${verdict}`}>{formatPercent(value)}</td>
              <td class="text muted">{meaning}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

/** The factors as a table of a picture; null: not defined. */
export function hybridPicture(report: Report): Table | null {
  const rows = hybridRows(report);
  if (rows.length === 0) return null;
  return {
    title: "Processes and threads",
    columns: [{ title: "Factor" }, { title: "Efficiency", numeric: true }, { title: "Meaning" }],
    rows: rows.map(({ name, value, meaning, depth }): TableCell[] => [
      { text: name, indent: INDENT * depth, bold: depth === 0 },
      { text: formatPercent(value) },
      { text: meaning, faint: true },
    ]),
  };
}

/* ---- several runs ---- */

interface ComparedRow {
  readonly name: string;
  /** Of the table of `fermata report --format=json`. */
  readonly key: string;
  readonly meaning: string;
  readonly depth: number;
  /** [run]; null: not defined. */
  readonly values: readonly (number | null)[];
}

/** @returns the parallel efficiency and its factors in all runs; empty: no run has such factors. */
function comparedRows(runs: readonly Report[]): ComparedRow[] {
  const base = runs.find((run) => hybridRows(run).length > 0);
  if (base === undefined) return [];
  const keys = hybridColumns(base).names;
  return [
    {
      name: "Parallel efficiency",
      key: "parallel_efficiency",
      meaning: "average computation / run time",
      depth: 0,
      values: runs.map(({ efficiency }) => efficiency.parallel_efficiency),
    },
    ...hybridRows(base).map(({ name, meaning, depth }, row) => ({
      name,
      key: keys[row]!,
      meaning,
      depth: depth + 1,
      values: runs.map((run) => hybridRows(run)[row]?.value ?? null),
    })),
  ];
}

export function hybridCsv(runs: readonly Report[]): CsvValue[][] {
  return comparedRows(runs).map(({ key, values }) => ["efficiency", key, "", ...values]);
}

/** @returns the difference in percentage points, as `fermata diff` prints it. */
function points(base: number | null, value: number | null): string {
  if (base === null || value === null) return "";
  const difference = 100 * (value - base);
  return `${difference >= 0 ? "+" : ""}${difference.toFixed(1)}`;
}

export function ComparedEfficiencies({ store }: { store: Store }): JSX.Element | null {
  const rows = comparedRows(store.united.runs);
  const other = store.otherRun();
  if (rows.length === 0) return null;
  return (
    <>
      <h2>
        Efficiencies <small>of the processes and of the threads inside them; the difference in percentage points</small>
      </h2>
      <table class="grid" data-testid="compared-efficiencies">
        <thead>
          <tr>
            <th scope="col">Factor</th>
            {store.names.map((name, run) => (
              <th scope="col" key={run}>
                {name}
              </th>
            ))}
            <th scope="col">Difference</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, key, meaning, depth, values }) => (
            <tr key={key}>
              <th scope="row" title={meaning} style={depth === 0 ? {} : { paddingLeft: `${12 + INDENT * depth}px` }}>
                {name}
              </th>
              {values.map((value, run) => (
                <td key={run}>{value === null ? "" : formatPercent(value)}</td>
              ))}
              <td>{points(values[0]!, values[other]!)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
