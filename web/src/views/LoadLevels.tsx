// SPDX-License-Identifier: BSD-3-Clause
import type { JSX } from "preact";
import type { JsonLoad, JsonLoadLevel } from "../data/layout";
import { formatCount, formatPercent, formatSeconds, printable, shorten } from "../format";
import { locationName, type Report } from "../model/report";

/** How unevenly times and adjusted loads of streams, processes and nodes are spread; nothing if there is one of each. */
export function LoadLevels({ report }: { report: Report }): JSX.Element | null {
  const levels = report.efficiency.load_levels;
  if (levels.length === 0) return null;
  const hasComposite = levels.some((level) => level.composite !== null);
  return (
    <table class="grid" data-testid="load-levels">
      <thead>
        <tr>
          <th scope="col">Load imbalance</th>
          <th scope="col" title="largest / average - 1 of the times outside of communication libraries">
            Of times
          </th>
          <th scope="col" class="text">
            Longest
          </th>
          <th scope="col" title="average load of the parts of a unit / its time">
            Efficiency inside
          </th>
          <th scope="col" title="largest / average - 1 of the loads: time x efficiency inside">
            Adjusted
          </th>
          <th scope="col" class="text">
            Largest load
          </th>
          {hasComposite && (
            <th scope="col" title="as Adjusted, for kernels that are limited in part by what all multiprocessors share">
              Composite
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {levels.map((level) => (
          <tr key={level.level}>
            <th scope="row">
              {formatCount(level.units)} {{ stream: "streams", thread: "accelerators", process: report.summary.process.many, node: "nodes" }[level.level]}
            </th>
            <td>{percent(level.measured.imbalance)}</td>
            <td class="text">{largest(report, level, level.measured)}</td>
            <td>{percent(level.efficiency)}</td>
            <td>{percent(level.adjusted.imbalance)}</td>
            <td class="text">{largest(report, level, level.adjusted)}</td>
            {hasComposite && <td>{percent(level.composite?.imbalance ?? null)}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function percent(value: number | null): string {
  return value === null ? "" : formatPercent(value);
}

function largest(report: Report, { level }: JsonLoadLevel, load: JsonLoad): string {
  const name =
    level === "node"
      ? shorten(printable(report.locations[load.location]!.node), 40)
      : locationName(report, load.location);
  return `${name}: ${formatSeconds(load.largest)}`;
}
