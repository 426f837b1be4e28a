// SPDX-License-Identifier: BSD-3-Clause
import { useCallback, useMemo } from "preact/hooks";
import type { JSX } from "preact";
import { Chart, type Hit } from "../components/Chart";
import { ExportMenu } from "../components/ExportMenu";
import { LocationLink } from "../components/Linked";
import { drawMatrix, matrixCell, type MatrixModel } from "../draw/matrix";
import type { Surface } from "../draw/surface";
import { csvOf } from "../export/csv";
import { formatBytes, formatCount, formatError, formatPercent, formatSeconds } from "../format";
import { kindsOf, largestLinks, makeGrid, type MatrixGrid, type MatrixValue } from "../model/matrix";
import { inUnits, locationName, locationNumber, type Matrix, type Report } from "../model/report";
import type { MatrixName, Store } from "../state/store";

const MOST_ROWS = 256;
const LINKS = 25;
const PICTURE = { width: 860, height: 860 };

interface Kind {
  readonly name: MatrixName;
  readonly title: string;
  readonly rows: string;
  readonly columns: string;
  readonly amount: string;
  readonly times: string;
  readonly about: string;
  readonly none: string;
}

/** In the order of the data. */
const KINDS: readonly Kind[] = [
  {
    name: "messages",
    title: "Messages",
    rows: "sender",
    columns: "receiver",
    amount: "Bytes",
    times: "Messages",
    about: "Messages from sender to receiver.",
    none: "No messages were sent.",
  },
  {
    name: "operations",
    title: "One-sided",
    rows: "origin",
    columns: "target",
    amount: "Bytes",
    times: "Operations",
    about: "Puts, gets and atomic operations, from origin to target.",
    none: "There were no one-sided operations.",
  },
  {
    name: "delays",
    title: "Delays",
    rows: "caused by",
    columns: "suffered by",
    amount: "Waiting",
    times: "Wait states",
    about: "Waiting, from the delaying to the waiting location.",
    none: "No location waited for another one.",
  },
  {
    name: "blame",
    title: "Blame",
    rows: "working",
    columns: "waiting",
    amount: "Waiting",
    times: "Wait states",
    about: "Waiting, from the location that was working meanwhile to the waiting location.",
    none: "No location waited for another one.",
  },
];

/** Whether amounts are waiting time, not bytes. */
function isWaiting(kind: Kind): boolean {
  return kind.name === "delays" || kind.name === "blame";
}

/** Relations between pairs of locations. */
export function Matrices({ store }: { store: Store }): JSX.Element {
  const { report } = store;
  const kinds = KINDS.filter((each) => !report.summary.is_profile || !isWaiting(each));
  const kind =
    kinds.find(({ name }) => name === store.matrix.value) ??
    kinds.find((each) => report.matrices[KINDS.indexOf(each)]!.count > 0) ??
    kinds[0]!;
  const matrix = report.matrices[KINDS.indexOf(kind)]!;
  const value = store.matrixValue.value;
  const metrics = useMemo(() => kindsOf(matrix), [matrix]);
  const metric = metrics.find((index) => report.metrics[index]!.id === store.matrixKind.value) ?? -1;
  const range = store.matrixRange.value ?? { from: 0, to: report.locations.length };
  const grid = useMemo(() => makeGrid(matrix, value, metric, range, MOST_ROWS), [matrix, value, metric, range.from, range.to]);
  const links = useMemo(
    () => largestLinks(matrix, value, metric, range, LINKS),
    [matrix, value, metric, range.from, range.to],
  );
  const palette = store.palette.value;
  const isTime = isWaiting(kind);
  const format = (amount: number): string =>
    value === "times" ? formatCount(amount) : isTime ? formatSeconds(inUnits(report, "sec", amount)) : formatBytes(amount);
  const model: MatrixModel = useMemo(
    () => ({
      grid,
      rows: kind.rows,
      columns: kind.columns,
      scale: store.scale.value,
      name: (at) => locationNumber(report, at),
      format,
    }),
    [grid, kind, store.scale.value],
  );
  const draw = useCallback((surface: Surface) => drawMatrix(surface, palette, model), [palette, model]);
  return (
    <section class="view matrices" aria-label="Matrices">
      <div class="toolbar">
        <span class="segments" role="group" aria-label="Matrix">
          {kinds.map((each) => (
            <button
              type="button"
              key={each.name}
              aria-pressed={each === kind}
              onClick={() => (store.matrix.value = each.name)}
            >
              {each.title}
            </button>
          ))}
        </span>
        <span class="segments" role="group" aria-label="Values">
          {(["amount", "times"] as const).map((each) => (
            <button type="button" key={each} aria-pressed={each === value} onClick={() => (store.matrixValue.value = each)}>
              {kind[each]}
            </button>
          ))}
        </span>
        {metrics.length > 1 && (
          <label>
            Kind{" "}
            <select
              value={metric < 0 ? "" : report.metrics[metric]!.id}
              onChange={(event) => (store.matrixKind.value = event.currentTarget.value || null)}
            >
              <option value="">all</option>
              {metrics.map((index) => (
                <option key={index} value={report.metrics[index]!.id}>
                  {report.metrics[index]!.name}
                </option>
              ))}
            </select>
          </label>
        )}
        {store.matrixRange.value !== null && (
          <button type="button" onClick={() => (store.matrixRange.value = null)}>
            All locations
          </button>
        )}
        <span class="muted">{kind.about}</span>
        <span class="spacer" />
        <ExportMenu
          store={store}
          name={`matrix-${kind.name}`}
          title={`${kind.title}: ${kind.rows} by ${kind.columns}`}
          csv={() => matrixCsv(report, matrix, kind)}
          picture={() => ({ ...PICTURE, draw: (surface, colors) => drawMatrix(surface, colors, model) })}
        />
      </div>
      {matrix.count === 0 ? (
        <p class="empty">{kind.none}</p>
      ) : (
        <div class="matrix-body">
          <Chart
            draw={draw}
            hit={(x, y, width, height) => hitAt(store, grid, kind, format, matrixCell(grid, x, y, width, height))}
            height="fill"
            class="matrix-chart"
            label={`${kind.about} ${formatCount(matrix.count)} pairs, ${format(grid.total)} in all`}
            testId="matrix-chart"
          />
          <Links {...{ store, matrix, kind, value, links, format, total: grid.total }} />
        </div>
      )}
    </section>
  );
}

function groupName(report: Report, grid: MatrixGrid, at: number): string {
  const first = grid.first + at * grid.group;
  const last = Math.min(grid.end, first + grid.group) - 1;
  return first === last ? locationName(report, first) : `${locationName(report, first)} to ${locationName(report, last)}`;
}

function hitAt(
  store: Store,
  grid: MatrixGrid,
  kind: Kind,
  format: (value: number) => string,
  cell: { row: number; column: number } | null,
): Hit | null {
  if (cell === null) return null;
  const { report } = store;
  const { row, column } = cell;
  if (row < 0) return { lines: [`${kind.columns} ${groupName(report, grid, column)}`, format(grid.to[column]!)] };
  if (column < 0) return { lines: [`${kind.rows} ${groupName(report, grid, row)}`, format(grid.from[row]!)] };
  const lines = [
    `${kind.rows} ${groupName(report, grid, row)}`,
    `${kind.columns} ${groupName(report, grid, column)}`,
    format(grid.values[row * grid.size + column]!),
  ];
  if (grid.group === 1) return { lines };
  // Both axes show the same locations: those from the one to the other, or a range around them if there are
  // many.
  const [low, high] = row < column ? [row, column] : [column, row];
  const near = (high - low + 1) * 2 <= grid.size;
  const from = grid.first + (near ? low : row) * grid.group;
  const to = Math.min(grid.end, grid.first + ((near ? high : row) + 1) * grid.group);
  return { lines: [...lines, "click to expand"], activate: () => (store.matrixRange.value = { from, to }) };
}

function Links(props: {
  store: Store;
  matrix: Matrix;
  kind: Kind;
  value: MatrixValue;
  links: readonly number[];
  format: (value: number) => string;
  total: number;
}): JSX.Element {
  const { store, matrix, kind, value, links, format, total } = props;
  const { report } = store;
  const of = matrix[value];
  const largest = links.length === 0 ? 1 : of[links[0]!]!;
  return (
    <div class="matrix-links">
      <h2>
        The largest {formatCount(links.length)} of {formatCount(matrix.count)} pairs
      </h2>
      <table class="grid">
        <thead>
          <tr>
            <th scope="col">{kind.rows}</th>
            <th scope="col">{kind.columns}</th>
            <th scope="col">{kind[value]}</th>
            <th scope="col">Share</th>
            <td />
            <th scope="col" class="text">
              Kind
            </th>
          </tr>
        </thead>
        <tbody>
          {links.map((link) => (
            <tr key={link}>
              <th scope="row">
                <LocationLink store={store} location={matrix.from[link]!} />
              </th>
              <td>
                <LocationLink store={store} location={matrix.to[link]!} />
              </td>
              <td>{format(of[link]!)}</td>
              <td>
                {formatPercent(total > 0 ? of[link]! / total : 0)}
                {value === "amount" ? formatError(matrix.error[link], total) : ""}
              </td>
              <td class="meter" aria-hidden="true">
                <span class="wait" style={{ width: `${(100 * of[link]!) / largest}%` }} />
              </td>
              <td class="text">{report.metrics[matrix.metric[link]!]!.name}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {matrix.omitted.links > 0 && (
        <p class="muted">
          {formatCount(matrix.omitted.links)} smaller pairs were left out, with {formatCount(matrix.omitted.count)}{" "}
          {kind.times.toLowerCase()}.
        </p>
      )}
    </div>
  );
}

function matrixCsv(report: Report, matrix: Matrix, kind: Kind): string {
  const isTime = isWaiting(kind);
  const rows = Array.from({ length: matrix.count }, (_, i) => [
    matrix.from[i]!,
    matrix.to[i]!,
    report.metrics[matrix.metric[i]!]!.id,
    matrix.times[i]!,
    isTime ? inUnits(report, "sec", matrix.amount[i]!) : matrix.amount[i]!,
  ]);
  return csvOf(["from", "to", "metric", "count", isTime ? "seconds" : "bytes"], rows);
}
