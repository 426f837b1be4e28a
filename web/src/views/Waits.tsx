// SPDX-License-Identifier: BSD-3-Clause
import { useCallback } from "preact/hooks";
import type { JSX } from "preact";
import { Chain } from "../components/Chain";
import { Chart } from "../components/Chart";
import { ExportMenu } from "../components/ExportMenu";
import { MetricHelp } from "../components/MetricHelp";
import { callpathText } from "../components/Names";
import type { JsonStatistics } from "../data/layout";
import { drawBoxes } from "../draw/boxes";
import type { Surface } from "../draw/surface";
import { drawTable, tableSize, type Table } from "../draw/table";
import { csvOf } from "../export/csv";
import { ERROR_MEANING, formatCount, formatError, formatPercent, formatSeconds } from "../format";
import { inUnits, locationName } from "../model/report";
import type { Store } from "../state/store";

const BOX_ROW = 26;

/** Statistics of the wait states by kind; the longest wait states with the chains of their causes. */
export function Waits({ store }: { store: Store }): JSX.Element {
  const { report } = store;
  const records = [...report.statistics].sort((a, b) => b.sum - a.sum);
  const chosen = records.find((record) => record.metric === store.kind.value) ?? records[0];
  if (chosen === undefined) {
    return (
      <section class="view" aria-label="Wait states">
        <p class="empty">No wait states were found.</p>
      </section>
    );
  }
  return (
    <section class="view waits" aria-label="Wait states">
      <div class="toolbar">
        <span class="muted">Waiting times of single calls, by kind. Box: the middle half; line: the median.</span>
        <span class="spacer" />
        <ExportMenu
          store={store}
          name="wait-states"
          title="Statistics of wait states"
          csv={() => statisticsCsv(records)}
          picture={() => {
            const table = statisticsTable(store, records);
            return { ...tableSize(table), draw: (surface, palette) => drawTable(surface, palette, table) };
          }}
        />
      </div>
      <Kinds store={store} records={records} chosen={chosen} />
      <Worst store={store} record={chosen} />
    </section>
  );
}

/** Seconds of all locations, without Init and Finalize. */
function allTime(store: Store): number {
  return inUnits(store.report, "sec", store.report.summary.time);
}

function Kinds(props: { store: Store; records: JsonStatistics[]; chosen: JsonStatistics }): JSX.Element {
  const { store, records, chosen } = props;
  const { report } = store;
  const palette = store.palette.value;
  const draw = useCallback(
    (surface: Surface) => drawBoxes(surface, palette, records, BOX_ROW),
    [palette, report],
  );
  const whole = allTime(store);
  return (
    <div class="kinds">
      <table class="grid" style={{ "--row": `${BOX_ROW}px` }}>
        <thead>
          <tr>
            <th scope="col">Kind</th>
            <th scope="col">Waiting</th>
            <th scope="col" title="of all time">
              All time
            </th>
            <th scope="col">Number</th>
            <th scope="col">Median</th>
            <th scope="col">Longest</th>
          </tr>
        </thead>
        <tbody>
          {records.map((record) => (
            <tr
              key={record.metric}
              class={record === chosen ? "selected" : ""}
              onClick={() => (store.kind.value = record.metric)}
            >
              <th scope="row">
                <button type="button" class="link" aria-pressed={record === chosen}>
                  {report.metricById.get(record.metric)!.name}
                </button>
              </th>
              <td>{formatSeconds(record.sum)}</td>
              <td title={errorText(record)}>
                {formatPercent(record.sum / whole)}
                {formatError(record.error, whole)}
              </td>
              <td>{formatCount(record.count)}</td>
              <td>{formatSeconds(record.median)}</td>
              <td>{formatSeconds(record.max)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <Chart
        draw={draw}
        height={BOX_ROW * (records.length + 1) + 22}
        label="Distributions of the waiting times, logarithmic"
        testId="wait-boxes"
      />
    </div>
  );
}

/** What is known about the exactness of a kind's waiting times; undefined: nothing. */
function errorText(record: JsonStatistics): string | undefined {
  if (record.error === null || record.error === undefined) {
    return undefined;
  }
  const known = `±${formatSeconds(record.error)}: ${ERROR_MEANING}`;
  return record.insignificant
    ? `${known}; ${formatCount(record.insignificant)} waits are shorter than the error of their times: not significant`
    : known;
}

function Worst({ store, record }: { store: Store; record: JsonStatistics }): JSX.Element {
  const { report } = store;
  const metric = report.metricById.get(record.metric)!;
  return (
    <div class="worst">
      <div>
        <h2>The longest waits: {metric.name}</h2>
        <ol class="chains">
          {record.worst.map((instance, i) => (
            <li key={i}>
              <Chain store={store} instance={instance} />
              {store.timeline.isThere && (
                <button type="button" class="small" onClick={() => store.showInTimeline(instance)}>
                  Show in the timeline
                </button>
              )}
            </li>
          ))}
        </ol>
      </div>
      <aside>
        <h2>{metric.name}</h2>
        <MetricHelp report={report} metric={metric} />
        <p class="actions">
          <button type="button" onClick={() => store.showInTrees(record.metric)}>
            Show in the trees
          </button>
        </p>
      </aside>
    </div>
  );
}

function statisticsCsv(records: readonly JsonStatistics[]): string {
  return csvOf(
    ["metric", "count", "sum", "min", "lower_quartile", "median", "upper_quartile", "max"],
    records.map((r) => [
      r.metric,
      r.count,
      r.sum,
      r.min,
      r.lower_quartile,
      r.median,
      r.upper_quartile,
      r.max,
    ]),
  );
}

function statisticsTable(store: Store, records: readonly JsonStatistics[]): Table {
  const numeric = (title: string) => ({ title, numeric: true });
  return {
    title: "Wait states",
    columns: [
      { title: "Kind" },
      numeric("Waiting"),
      numeric("Number"),
      numeric("Least"),
      numeric("Median"),
      numeric("Longest"),
      { title: "Longest wait" },
    ],
    rows: records.map((r) => [
      { text: store.report.metricById.get(r.metric)!.name },
      { text: formatSeconds(r.sum) },
      { text: formatCount(r.count) },
      { text: formatSeconds(r.min) },
      { text: formatSeconds(r.median) },
      { text: formatSeconds(r.max) },
      {
        text: r.worst[0]
          ? `${locationName(store.report, r.worst[0].location)} in ${callpathText(store.report, r.worst[0].callpath)}`
          : "",
      },
    ]),
  };
}
