// SPDX-License-Identifier: BSD-3-Clause
import type { JSX } from "preact";
import { unitName } from "../format";
import type { Metric, Report } from "../model/report";
import { Prose } from "./Prose";

/** Meaning, computation and advice of a metric. */
export function MetricHelp({ report, metric }: { report: Report; metric: Metric }): JSX.Element {
  // Derived metrics are in no tree.
  const above = report.metricForest.parent[metric.index] ?? -1;
  const parts = report.metricForest.children[metric.index] ?? [];
  return (
    <dl class="help">
      <dt>What</dt>
      <dd>
        <Prose text={metric.description} />
      </dd>
      <dt>Computed</dt>
      <dd class="formula">
        {metric.formula}
        {/E_|E\(/.test(metric.formula) && (
          <small> (E and L: when a call is entered and left; E_i: by process i.)</small>
        )}
      </dd>
      {metric.advice !== "" && (
        <>
          <dt>Advice</dt>
          <dd>
            <Prose text={metric.advice} />
          </dd>
        </>
      )}
      <dt>Unit</dt>
      <dd>
        {unitName(metric.unit)}
        {above >= 0 && (
          <>
            {"; part of "}
            <a href={`#metrics?metric=${report.metrics[above]!.id}`}>{report.metrics[above]!.name}</a>
          </>
        )}
        {parts.length > 0 && (
          <>
            {"; parts: "}
            {parts.map((part, i) => (
              <>
                {i > 0 && ", "}
                <a href={`#metrics?metric=${report.metrics[part]!.id}`}>{report.metrics[part]!.name}</a>
              </>
            ))}
          </>
        )}
        {"; id "}
        <code>{metric.id}</code>
      </dd>
    </dl>
  );
}
