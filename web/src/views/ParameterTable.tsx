// SPDX-License-Identifier: BSD-3-Clause
/** The values of a parameter side by side: the numbers of `fermata report --by parameter:NAME`. */
import { useMemo } from "preact/hooks";
import type { JSX } from "preact";
import { formatPercent, formatSeconds, formatValue, printable, shorten } from "../format";
import { inUnits } from "../model/report";
import { callpathValues, metricSet } from "../model/severity";
import { evaluateDerived } from "../state/derived";
import type { Store } from "../state/store";

export function ParameterTable({ store }: { store: Store }): JSX.Element {
  const { trees } = store;
  const groups = store.callGroups.value;
  const run = store.united.runs[store.isRelative() ? 0 : store.run.value]!;
  const derived = store.derived.value.flatMap(({ metric }) => metric ?? []);
  const rows = useMemo(() => {
    const sumsOf = (metrics: readonly number[]): Float64Array => {
      const sums = new Float64Array(groups.names.length);
      callpathValues(run, metrics).exclusive.forEach((value, callpath) => (sums[groups.of[callpath]!]! += value));
      return sums;
    };
    const root = trees.metricById.get("time")?.index ?? 0;
    const waits = trees.metrics.filter((metric) => metric.isWaitState && metric.root === root);
    const time = sumsOf(metricSet(trees, root, false));
    const waiting = sumsOf(waits.map(({ index }) => index));
    const own = derived.map(({ expression, unit }) => evaluateDerived(trees, expression, unit, groups.names.length, sumsOf));
    return groups.names
      .map((name, i) => ({ name, group: i, time: time[i]!, waiting: waiting[i]!, derived: own.map((values) => values[i]!) }))
      .filter(({ time: ticks }, i) => i + 1 < groups.names.length || ticks !== 0);
  }, [groups, run, store.derived.value]);
  const all = rows.reduce((sum, { time }) => sum + time, 0);
  const seconds = (ticks: number): string => formatSeconds(inUnits(trees, "sec", ticks));
  return (
    <table class="grid" data-testid="parameter-table">
      <caption class="unseen">Values of the parameter {shorten(printable(store.shownParameter()), 60)}</caption>
      <thead>
        <tr>
          <th scope="col">{shorten(printable(store.shownParameter()), 60)}</th>
          <th scope="col">Time</th>
          <th scope="col">of all</th>
          <th scope="col">Waiting</th>
          <th scope="col">of it</th>
          {derived.map(({ metric }) => (
            <th scope="col" key={metric.id}>
              {shorten(printable(metric.name), 40)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, group, time, waiting, derived: values }) => (
          <tr key={group} onClick={() => (store.callpath.value = groups.of.indexOf(group))}>
            <th scope="row">
              <button type="button" class="link">
                {shorten(printable(name), 80)}
              </button>
            </th>
            <td>{seconds(time)}</td>
            <td>{formatPercent(all === 0 ? 0 : time / all)}</td>
            <td>{seconds(waiting)}</td>
            <td>{formatPercent(time === 0 ? 0 : waiting / time)}</td>
            {values.map((value, i) => (
              <td key={i}>{formatValue(derived[i]!.unit, inUnits(trees, derived[i]!.unit, value))}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
