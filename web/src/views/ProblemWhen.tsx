// SPDX-License-Identifier: BSD-3-Clause
import { useCallback } from "preact/hooks";
import type { JSX } from "preact";
import { Chart, type Hit } from "../components/Chart";
import type { JsonProblem } from "../data/layout";
import { drawWhen, whenRow } from "../draw/when";
import type { Surface } from "../draw/surface";
import { formatInterval, formatPercent, formatSeconds, printable, shorten } from "../format";
import { inUnits } from "../model/report";
import type { Store } from "../state/store";

const HEIGHT = 44;

/** When a problem arises: the waiting in each iteration of its phase, with its iterations emphasized; and the way
 * to its place in the timeline. */
export function ProblemWhen({ store, problem }: { store: Store; problem: JsonProblem }): JSX.Element | null {
  const { report } = store;
  const palette = store.palette.value;
  const phase = problem.phase === null ? undefined : report.phases[problem.phase];
  const { when } = problem;
  const draw = useCallback(
    (surface: Surface) => phase && drawWhen(surface, palette, phase, when),
    [palette, phase, when],
  );
  const worst = worstOf(store, problem);
  const isLinked = store.timeline.isThere && (when.length > 0 || worst !== undefined);
  const hit = (x: number, _y: number, width: number): Hit | null => {
    const row = phase?.rows[whenRow(phase, x, width)];
    if (row === undefined) return null;
    const seconds = (ticks: number): string => formatSeconds(inUnits(report, "sec", ticks));
    return {
      lines: [
        row.count === 1 ? `Iteration ${row.first}` : `Iterations ${row.first} to ${row.first + row.count - 1}`,
        `waiting ${seconds(row.waiting)}, ${formatPercent(row.capacity > 0 ? row.waiting / row.capacity : 0)} of its time`,
        ...(store.timeline.isThere ? ["click for its timeline"] : []),
      ],
      ...(store.timeline.isThere ? { activate: () => store.showInterval(row.begin, row.end) } : {}),
    };
  };
  return (
    <>
      {phase !== undefined && when.length > 0 && (
        <figure class="strip when">
          <figcaption>
            Waiting by iteration <span class="muted">of {shorten(printable(phase.region), 40)}; dark: this problem</span>
          </figcaption>
          <Chart draw={draw} hit={hit} height={HEIGHT} label={whenText(problem)} testId="when" />
        </figure>
      )}
      {isLinked && (
        <p class="actions">
          {when.map(({ first, last, begin, end }, i) => (
            <button
              type="button"
              key={i}
              title={formatInterval(inUnits(report, "sec", begin), inUnits(report, "sec", end))}
              onClick={() => store.showInterval(begin, end)}
            >
              {when.length === 1 ? "Show in the timeline" : `Show ${iterationsText(first, last)} in the timeline`}
            </button>
          ))}
          {when.length === 0 && worst !== undefined && (
            <button type="button" onClick={() => store.showInTimeline(worst)}>
              Show its longest wait in the timeline
            </button>
          )}
        </p>
      )}
    </>
  );
}

function iterationsText(first: number | undefined, last: number | undefined): string {
  if (first === undefined || last === undefined) return "this time";
  return first === last ? `iteration ${first}` : `iterations ${first}-${last}`;
}

function whenText({ when }: JsonProblem): string {
  return `Waiting by iteration; the problem's: ${when.map(({ first, last }) => iterationsText(first, last)).join(", ")}`;
}

/** @returns the longest wait state of a problem's largest symptom. */
function worstOf({ report }: Store, { metric, callpath }: JsonProblem) {
  if (metric === null) return undefined;
  return report.statisticsOf.get(metric)?.worst.find((instance) => callpath === null || instance.callpath === callpath);
}
