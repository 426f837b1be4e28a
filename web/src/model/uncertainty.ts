// SPDX-License-Identifier: BSD-3-Clause
import type { JsonEfficiency } from "../data/layout";
import { formatError } from "../format";
import { inUnits, type Report } from "./report";

/** By how much efficiencies may be wrong: parallel, load balance, communication, and the latter's factors. */
export function errorsOfEfficiency(of: JsonEfficiency): (number | null | undefined)[] {
  return [
    of.parallel_efficiency_error,
    of.load_balance_error,
    of.communication_efficiency_error,
    of.serialization_efficiency_error,
    of.transfer_efficiency_error,
  ];
}

/** @returns whether the summary of a report shows numbers with their errors. */
export function hasErrors(report: Report): boolean {
  const { efficiency, experiment, pathErrors, summary } = report;
  const path = report.metricById.get("critical_path");
  const onPath = path === undefined ? 0 : inUnits(report, "sec", report.metricInclusive[path.index]!);
  return [
    formatError(summary.error, summary.time),
    ...errorsOfEfficiency(efficiency).map((error) => formatError(error, 1)),
    ...summary.problems.flatMap(({ headline, lines }) => [headline, ...lines.map(({ text }) => text)]),
    ...summary.predictions.map(({ error }) => formatError(inUnits(report, "sec", error ?? 0), experiment.duration)),
    ...(pathErrors?.callpaths ?? []).map(({ error }) => formatError(error, onPath)),
  ].some((text) => /\u00b1\d/.test(text));
}
