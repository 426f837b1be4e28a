// SPDX-License-Identifier: BSD-3-Clause
import type { JSX } from "preact";
import { Prose } from "../components/Prose";
import { formatCount, formatSeconds, printable, shorten } from "../format";
import { processTitle, processWord, type Report } from "../model/report";
import type { Store } from "../state/store";

const TEXT_LIMIT = 2000;

/** Properties of the measurement; usage of this page. */
export function Run({ store }: { store: Store }): JSX.Element {
  const { report } = store;
  const { experiment } = report;
  const facts: (readonly [string, string | null])[] = [
    ["Program", experiment.title],
    ["Command", experiment.command],
    ["Machine", experiment.machine],
    ["Recorded by", experiment.creator],
    ["Analysed by", report.generator],
    [processTitle(report, 2), formatCount(experiment.processes)],
    ["Threads", formatCount(experiment.locations)],
    ["Run time", formatSeconds(experiment.duration)],
    ["Events", formatCount(experiment.events)],
    ["Clock", `${formatCount(experiment.ticks_per_second)} ticks a second`],
    [
      "Numbers",
      report.precision === null
        ? "exact, as in the report"
        : `sums are exact; times of single locations are rounded to ${report.precision} binary digits to keep this page small`,
    ],
  ];
  return (
    <section class="view run" aria-label="Run">
      <div class="two-columns">
        <div>
          <h2>Experiment</h2>
          <Facts facts={facts} />
          <h2>Recording</h2>
          {report.environment === null ? (
            <p class="empty">No information about the recording.</p>
          ) : (
            <Facts facts={flatten(report.environment, "")} />
          )}
        </div>
        <div>
          <h2>Warnings</h2>
          {report.warnings.length === 0 ? (
            <p class="muted">No warnings: nothing was left out.</p>
          ) : (
            <ul class="observations warnings">
              {report.warnings.map((text, i) => (
                <li key={i}>
                    <Prose text={shorten(printable(text), TEXT_LIMIT)} />
                  </li>
              ))}
            </ul>
          )}
          <h2>How to use this page</h2>
          <Keys report={report} />
          <p>
            Every state has an address: copy the address from the address bar to share the current view. A page as a
            file contains all of its data and makes no network requests.
          </p>
        </div>
      </div>
    </section>
  );
}

function Facts({ facts }: { facts: readonly (readonly [string, string | null])[] }): JSX.Element {
  return (
    <table class="facts-table">
      <tbody>
        {facts.map(([name, text], i) => (
          <tr key={i}>
            <th scope="row">{printable(name)}</th>
            <td>{text === null || text === "" ? <span class="muted">unknown</span> : shorten(printable(text), TEXT_LIMIT)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** @returns the leaves of a JSON value with their names. */
function flatten(value: unknown, name: string): [string, string | null][] {
  if (value === null || value === undefined) return [[name, null]];
  if (Array.isArray(value)) return [[name, value.map(String).join(" ")]];
  if (typeof value !== "object") return [[name, String(value)]];
  return Object.entries(value).flatMap(([key, part]) =>
    flatten(part, name === "" ? key.replace(/_/g, " ") : `${name}, ${key.replace(/_/g, " ")}`),
  );
}

export function Keys({ report }: { report: Report }): JSX.Element {
  const [one, many] = [processWord(report, 1), processWord(report, 2)];
  const keys: readonly (readonly [string, string])[] = [
    ["1 ... 9 0", "the views, from left to right; in the timeline with Shift"],
    ["/", `search for metrics, call paths, ${many}; in the timeline for calls and wait states`],
    ["\u2191 \u2193 \u2190 \u2192", "in a tree: go to a row; close and open it"],
    ["*", "in a tree: open all below"],
    ["h", "open the trees along the largest values"],
    ["m", "in the trees: next kind of numbers: values, percent of all, of the selection; differences of runs"],
    ["w s a d", "in the timeline: zoom in and out, earlier and later"],
    ["f", "in the timeline: zoom to the selection, or to the interval"],
    ["m", "in the timeline: make the selection's time the interval, with its statistics"],
    ["Esc", "in the timeline: remove the selection, then the interval, then the search"],
    ["+ - \u2191 \u2193", `in the timeline: fewer and more ${many}, other ${many}`],
    ["n p", "in the timeline: next and previous of the longest wait states"],
    ["c", "in the timeline: from a wait state to the wait state that caused it"],
    ["e", "in the timeline: call stacks as nested rows"],
    ["0", "in the timeline: the whole run"],
    ["g", `in the timeline: one row for similar ${many}, or one row for each ${one}`],
    ["?", "this list"],
  ];
  return (
    <dl class="keys">
      {keys.map(([key, text], i) => (
        <div key={i}>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}
