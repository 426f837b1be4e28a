// SPDX-License-Identifier: BSD-3-Clause
/** Derived metrics: names for expressions over metrics, computed from values after their aggregation, as the
 * "postderived" metrics of CubePL. */
import type { Unit } from "../data/layout";
import { printable } from "../format";
import { evaluate, ExpressionError, metricsIn, parseExpression, unitOf, type Expression } from "../model/expression";
import { metricNamed, type Metric, type Report } from "../model/report";
import { metricSet } from "../model/severity";

export interface DerivedMetric {
  readonly metric: Metric;
  readonly expression: Expression;
  readonly unit: Unit;
}

/** A definition, and its metric or what is wrong with it. */
export interface Derived {
  readonly definition: string;
  readonly metric: DerivedMetric | null;
  readonly error: string;
}

/** More definitions in an address are ignored. */
export const MOST_DERIVED = 32;
const LONGEST_NAME = 60;

/** @returns the id of a derived metric in addresses: no metric of a report begins with "=". */
export function derivedId(name: string): string {
  return `=${name}`;
}

/** Splits "name = expression". @returns null: there is no name, or an invalid one */
function split(definition: string): { name: string; text: string; at: number } | null {
  const match = /^(\s*([A-Za-z_][A-Za-z0-9_.]*)\s*=)([^]*)$/.exec(definition);
  if (match === null || match[2]!.length > LONGEST_NAME) return null;
  return { name: match[2]!, text: match[3]!, at: match[1]!.length };
}

function derive(definition: string, report: Report, index: number, taken: ReadonlySet<string>): Derived {
  const failed = (error: string): Derived => ({ definition, metric: null, error });
  const parts = split(definition);
  if (parts === null) return failed("a definition is: name = expression, with a name of letters, digits and _");
  const { name, text, at } = parts;
  if (taken.has(name)) return failed(`there is already a metric "${name}"`);
  try {
    const expression = parseExpression(text, (named) => metricNamed(report.metricById, named)?.id ?? null);
    const unit = unitOf(expression, (id) => report.metricById.get(id)!.unit);
    const metric: Metric = {
      index,
      id: derivedId(name),
      name,
      unit,
      description: "Defined in this page.",
      formula: text.trim(),
      advice: "",
      isWaitState: false,
      root: index,
    };
    return { definition, metric: { metric, expression, unit }, error: "" };
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return failed(`column ${at + error.at + 1}: ${printable(error.message)}`);
  }
}

/** @returns the derived metrics of definitions. The valid ones are numbered after the metrics of the report. */
export function makeDerived(definitions: readonly string[], report: Report): Derived[] {
  const taken = new Set(report.metricById.keys());
  let index = report.metrics.length;
  return definitions.slice(0, MOST_DERIVED).map((definition) => {
    const derived = derive(definition, report, index, taken);
    if (derived.metric === null) return derived;
    taken.add(derived.metric.metric.name);
    index++;
    return derived;
  });
}

/** Computes a derived metric for `length` elements. `values` sums the severities of some metrics; a metric of the
 * expression counts with its parts. Times are seconds in the expression, and ticks in `values` and the result. */
export function evaluateDerived(
  report: Report,
  expression: Expression,
  unit: Unit,
  length: number,
  values: (metrics: readonly number[]) => Float64Array,
): Float64Array {
  const operands = new Map(
    metricsIn(expression).map((id) => {
      const metric = report.metricById.get(id)!;
      const sums = values(metricSet(report, metric.index, false));
      return [id, metric.unit === "sec" ? sums.map((ticks) => ticks / report.ticksPerSecond) : sums];
    }),
  );
  const result = evaluate(expression, operands, length);
  return unit === "sec" ? result.map((seconds) => seconds * report.ticksPerSecond) : result;
}
