// SPDX-License-Identifier: BSD-3-Clause
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { JSX } from "preact";
import { MetricHelp } from "../components/MetricHelp";
import { formatValue } from "../format";
import { depthOf, preorder } from "../model/forest";
import { inUnits, type Metric } from "../model/report";
import type { Store } from "../state/store";

/** Explanations of all metrics. */
export function Metrics({ store }: { store: Store }): JSX.Element {
  const query = useSignal("");
  const report = store.trees;
  const wanted = query.value.trim().toLowerCase();
  const isShown = (metric: Metric): boolean =>
    wanted === "" ||
    [metric.name, metric.id, metric.description, metric.advice].some((text) =>
      text.toLowerCase().includes(wanted),
    );
  const chosen = store.selectedMetric.value;
  // The metrics of the user's patterns are last in the list, whatever they are a part of.
  const ordered = preorder(store.metricForest.value).map((index) => store.metricList.value[index]!);
  const item = useRef<HTMLButtonElement>(null);
  useEffect(() => item.current?.scrollIntoView({ block: "nearest" }), [chosen]);
  return (
    <section class="view metrics-view" aria-label="Metrics">
      <div class="metric-list">
        <input
          type="search"
          placeholder="Search names and explanations"
          aria-label="Search metrics"
          value={query.value}
          onInput={(event) => (query.value = event.currentTarget.value)}
        />
        <ul>
          {ordered.filter(isShown).map((metric) => (
            <li key={metric.id} style={{ paddingLeft: `${(wanted === "" ? depthOf(store.metricForest.value, metric.index) : 0) * 12}px` }}>
              <button
                type="button"
                ref={metric === chosen ? item : null}
                class={`link${store.metricTotals.value[metric.index] === 0 ? " faint" : ""}`}
                aria-pressed={metric === chosen}
                onClick={() => {
                  store.metric.value = metric.index;
                  store.leaveEmptyCallpath();
                }}
              >
                {metric.name}
              </button>
            </li>
          ))}
        </ul>
      </div>
      <article class="metric-page">
        <h1>{chosen.name}</h1>
        <p class="muted">
          In this run:{" "}
          <b>
            {formatValue(chosen.unit, inUnits(report, chosen.unit, store.metricTotals.value[chosen.index]!))}
          </b>
        </p>
        <MetricHelp report={report} metric={chosen} />
        <p class="actions">
          <button type="button" onClick={() => store.showInTrees(chosen.id)}>
            Show in the trees
          </button>
        </p>
      </article>
    </section>
  );
}
