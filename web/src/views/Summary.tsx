// SPDX-License-Identifier: BSD-3-Clause
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { ErrorLegend } from "../components/ErrorLegend";
import { Linked } from "../components/Linked";
import { CallpathName } from "../components/Names";
import { Prose } from "../components/Prose";
import { Spread } from "../components/Spread";
import type { JsonProblem, JsonRatio } from "../data/layout";
import { shareColor } from "../draw/colors";
import { formatCount, formatError, formatPercent, formatSeconds, printable, shorten } from "../format";
import { inUnits, locationName, processTitle } from "../model/report";
import { callpathValues, locationValues, metricSet } from "../model/severity";
import { hasErrors } from "../model/uncertainty";
import type { Store } from "../state/store";
import { Hang } from "./Hang";
import { ProblemWhen } from "./ProblemWhen";

/** The summary: where the run loses time, why, and what to do. */
export function Summary({ store }: { store: Store }): JSX.Element {
  const { report } = store;
  const { summary } = report;
  const { problems, observations, others, without_cause } = summary;
  return (
    <section class="view summary" aria-label="Summary">
      <Headline store={store} />
      <Hang store={store} />
      <div class="summary-columns">
        <div>
          <h2>Top problems</h2>
          {problems.length === 0 && (
            <p class="empty">
              {report.summary.is_profile
                ? "Not known: the report has totals only. A trace shows what of the time in calls is waiting, and why."
                : summary.hang !== null
                  ? "No wait state in calls that were left is significant."
                  : "No wait state is significant: the time is spent in other activities."}
            </p>
          )}
          {problems.map((problem, i) => (
            <Finding key={i} store={store} problem={problem} number={i + 1} />
          ))}
          {without_cause !== null && (
            <p class="muted">
              <Linked store={store} text={without_cause} />
            </p>
          )}
          {others.count > 0 && (
            <p class="muted">
              {formatCount(others.count)} more {others.count === 1 ? "problem" : "problems"}: together{" "}
              {formatPercent(others.ticks / report.summary.time)} of all time.
            </p>
          )}
        </div>
        <aside>
          <Efficiency store={store} />
          <Predictions store={store} />
          <CriticalPath store={store} />
          {observations.length > 0 && (
            <>
              <h2>Further findings</h2>
              <ul class="observations">
                {observations.map((text, i) => (
                  <li key={i}>
                    <Linked store={store} text={text} />
                  </li>
                ))}
              </ul>
            </>
          )}
          {report.warnings.length > 0 && (
            <>
              <h2>Warnings</h2>
              <ul class="observations warnings">
                {report.warnings.map((text, i) => (
                  <li key={i}>
                    <Prose text={shorten(printable(text), 600)} />
                  </li>
                ))}
              </ul>
            </>
          )}
        </aside>
      </div>
    </section>
  );
}

function Headline({ store }: { store: Store }): JSX.Element {
  const { report } = store;
  const { experiment, summary } = report;
  const whole = summary.time;
  const nodes = new Set(report.locations.map((location) => location.node)).size;
  const isTimeKnown = !summary.is_profile || experiment.duration > 0;
  const facts: readonly (readonly [string, string])[] = [
    ["Run time", isTimeKnown ? formatSeconds(experiment.duration) : "not known"],
    ...(isTimeKnown ? ([["All time", formatSeconds(inUnits(report, "sec", whole))]] as const) : []),
    ...(summary.startup === 0
      ? []
      : ([["Init and Finalize, not counted", `up to ${formatSeconds(inUnits(report, "sec", summary.startup))}`]] as const)),
    [processTitle(report, 2), formatCount(experiment.processes)],
    ["Threads", formatCount(experiment.locations)],
    ["Nodes", formatCount(nodes)],
    ...(summary.is_profile ? [] : ([["Events", formatCount(experiment.events)]] as const)),
  ];
  return (
    <header class="headline">
      <div class="headline-text">
        <h1>
          {summary.is_profile ? (
            "Calls and counters, without a trace"
          ) : summary.hang !== null && report.hang?.kind !== "none" ? (
            <Linked store={store} text={summary.hang.headline} />
          ) : summary.waiting === 0 ? (
            "No wait states were found"
          ) : (
            <>
              <em>
                {formatPercent(summary.waiting / whole)}
                {formatError(summary.error, whole)}
              </em>{" "}
              of all time is lost waiting
            </>
          )}
        </h1>
        <dl class="facts">
          {facts.map(([name, text]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
        {hasErrors(report) && <ErrorLegend sampled={report.problems.some(({ cause }) => cause.exact === false)} />}
        {!isTimeKnown && (
          <p class="muted">
            No process reached its regular end, so times are not known, nor calls by call path. Number and time of the
            calls of each function, up to the last one counted: <code>fermata counters show</code>.
          </p>
        )}
      </div>
      {isTimeKnown && <Shares store={store} whole={whole} />}
    </header>
  );
}

function isLost(share: string): boolean {
  return share === "Waiting" || share === "Calls never left";
}

/** Distribution of all time, as one bar. */
function Shares({ store, whole }: { store: Store; whole: number }): JSX.Element {
  const palette = store.palette.value;
  const { shares } = store.report.summary;
  const time = (ticks: number): string => formatSeconds(inUnits(store.report, "sec", ticks));
  return (
    <figure class="shares" aria-label="All time by class">
      <div class="shares-bar" aria-hidden="true">
        {shares.map(({ name, ticks }) => (
          <span
            key={name}
            class={isLost(name) ? "hatched" : ""}
            style={{ flexGrow: ticks / whole, background: shareColor(palette, name) }}
            title={`${name}: ${time(ticks)}`}
          />
        ))}
      </div>
      <figcaption>
        {shares.map(({ name, ticks }) => (
          <span key={name} class="legend">
            <i class={isLost(name) ? "hatched" : ""} style={{ background: shareColor(palette, name) }} />
            {name} <b>{formatPercent(ticks / whole)}</b> <span class="muted">{time(ticks)}</span>
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

/** A problem in words, with the time of the cause and the waiting of its largest symptom by location. */
function Finding({ store, problem, number }: { store: Store; problem: JsonProblem; number: number }): JSX.Element {
  const { report } = store;
  const palette = store.palette.value;
  const isOpen = useSignal(number === 1);
  const { cause, metric, callpath } = problem;
  const isWaiting = metric !== null && report.metricById.get(metric)?.isWaitState === true; // else threads are idle
  const values = (id: string | null, path: number | null): Float64Array | null => {
    const index = id === null ? undefined : report.metricById.get(id)?.index;
    return index === undefined || path === null ? null : locationValues(report, metricSet(report, index, false), [path]);
  };
  const waits = values(metric, callpath);
  const causes = values("comp", cause);
  const shown = causes ?? waits;
  return (
    <div class={`finding${isOpen.value ? " open" : ""}`}>
      <div class="finding-head">
        <button
          type="button"
          class="number"
          aria-expanded={isOpen.value}
          aria-label={`Problem ${number}`}
          title={isOpen.value ? "Close" : "Open"}
          onClick={() => (isOpen.value = !isOpen.value)}
        >
          {number}
        </button>
        <span class="headline-sentence">
          <Linked store={store} text={problem.headline} callpath={cause} symptom={callpath} />
        </span>
        <span class="finding-strip" aria-hidden="true">
          {shown !== null && (
            <Spread
              values={shown}
              color={shown === waits ? palette.wait : palette.cause}
              width={90}
              height={18}
              label=""
            />
          )}
        </span>
      </div>
      <div class="finding-body" hidden={!isOpen.value}>
        {report.locations.length > 1 && (
          <div class="strips">
            {causes !== null && <Strip store={store} name="Time of the cause" values={causes} color={palette.cause} />}
            {waits !== null && <Strip store={store} name="Largest symptom" values={waits} color={palette.wait} />}
          </div>
        )}
        <dl class="lines">
          {problem.lines.map(({ label, text }) => (
            <div key={label} class={`line line-${label.toLowerCase()}`}>
              <dt>{label}</dt>
              <dd>
                <Linked store={store} text={text} callpath={cause} symptom={callpath} />
              </dd>
            </div>
          ))}
        </dl>
        <ProblemWhen store={store} problem={problem} />
        <p class="actions">
          {cause !== null && (
            <button type="button" onClick={() => store.showInTrees("time", cause)}>
              Causing call path
            </button>
          )}
          {metric !== null && callpath !== null && (
            <button type="button" onClick={() => store.showInTrees(metric, callpath)}>
              {isWaiting ? "Waiting call path" : "Idle threads"}
            </button>
          )}
          {isWaiting && (
            <button
              type="button"
              onClick={() => {
                store.kind.value = metric;
                store.view.value = "waits";
              }}
            >
              Chains of causes
            </button>
          )}
        </p>
      </div>
    </div>
  );
}

/** A bar for each location. */
function Strip(props: { store: Store; name: string; values: Float64Array; color: string }): JSX.Element {
  const { store, name, values, color } = props;
  const largest = values.reduce((a, b) => Math.max(a, b), 0);
  const last = store.report.locations.length - 1;
  return (
    <figure class="strip">
      <figcaption>
        {name} <span class="muted">up to {formatSeconds(inUnits(store.report, "sec", largest))}</span>
      </figcaption>
      <Spread values={values} color={color} width="fill" height={34} label={`${name}, by location`} />
      <div class="strip-axis">
        <span>{locationName(store.report, 0)}</span>
        <span>{locationName(store.report, last)}</span>
      </div>
    </figure>
  );
}

function Efficiency({ store }: { store: Store }): JSX.Element | null {
  const { efficiency } = store.report.summary;
  if (efficiency === null) return null;
  const of = store.report.efficiency;
  const longest = efficiency.offload === undefined ? "longest computation" : "longest occupied time";
  const rows: readonly (readonly [string, JsonRatio, string, number, (number | null | undefined)?])[] = [
    ["Parallel efficiency", efficiency.parallel, "average computation / run time", 0, of.parallel_efficiency_error],
    ["Load balance", efficiency.load_balance, `average / ${longest}`, 1, of.load_balance_error],
    ["Communication efficiency", efficiency.communication, `${longest} / run time`, 1, of.communication_efficiency_error],
    ...(efficiency.serialization === undefined || efficiency.transfer === undefined
      ? []
      : ([
          ["Serialization efficiency", efficiency.serialization, `${longest} / run time predicted on an ideal network`, 2, of.serialization_efficiency_error],
          ["Transfer efficiency", efficiency.transfer, "run time predicted on an ideal network / run time", 2, of.transfer_efficiency_error],
        ] as const)),
    ...(efficiency.offload === undefined
      ? []
      : ([["Offload efficiency", efficiency.offload, "computation / occupied time: that and calls of accelerators", 1]] as const)),
    ...efficiency.hybrid.map((each) => [each.name, each, each.meaning, each.depth] as const),
  ];
  return (
    <>
      <h2>Efficiency</h2>
      <table class="efficiency" data-testid="efficiency">
        <tbody>
          {rows.map(([name, ratio, meaning, depth, error], row) => (
            <tr key={row} class={ratio.verdict}>
              <th scope="row" style={{ paddingLeft: `${depth * 14}px` }} title={meaning}>
                {name}
              </th>
              <td class="ratio">
                {formatPercent(ratio.value)}
                {formatError(error, 1)}
              </td>
              <td class="meter" aria-hidden="true">
                <span style={{ width: `${Math.min(100, 100 * ratio.value)}%` }} />
              </td>
              <td class="verdict">{ratio.verdict}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

/** What would help: predicted run times with one change each, the shortest first. */
function Predictions({ store }: { store: Store }): JSX.Element | null {
  const { report } = store;
  const { predictions } = report.summary;
  if (predictions.length === 0) return null;
  const run = report.experiment.duration;
  const rows = predictions
    .map((each) => ({ ...each, seconds: run - inUnits(report, "sec", each.saved) }))
    .sort((a, b) => a.seconds - b.seconds);
  const longest = Math.max(run, ...rows.map(({ seconds }) => seconds));
  return (
    <>
      <h2>
        What would help{" "}
        <small>
          predicted by replays of the measured dependencies
          {report.summary.scarce_processors ? ", for processors as scarce as in this run" : ""}; now {formatSeconds(run)}
        </small>
      </h2>
      <table class="predictions" data-testid="predictions">
        <tbody>
          {rows.map(({ cause, text, callpath, seconds, error }, row) => (
            <tr key={row}>
              <td class="ratio">{formatSeconds(seconds)}</td>
              <td class="change">
                {gainText((run - seconds) / run)}
                {formatError(inUnits(report, "sec", error ?? 0), run)}
              </td>
              <td class="text">
                <span class="meter" aria-hidden="true">
                  <span class="compute" style={{ width: `${(100 * seconds) / longest}%` }} />
                </span>
                <Linked store={store} text={cause === null ? text : `${cause} ${text}`} callpath={callpath} symptom={callpath} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

/** @returns "-24.0%": a run that is shorter. */
function gainText(share: number): string {
  if (Math.abs(share) < 0.0005) return "no gain";
  return `${share > 0 ? "\u2212" : "+"}${formatPercent(Math.abs(share))}`;
}

const PATH_ROWS = 6;

/** Composition of the run time. */
function CriticalPath({ store }: { store: Store }): JSX.Element | null {
  const { report } = store;
  const path = report.metricById.get("critical_path");
  if (path === undefined || report.metricInclusive[path.index] === 0) return null;
  const imbalance = report.metricById.get("critical_path_imbalance");
  const time = callpathValues(report, metricSet(report, path.index, false)).exclusive;
  const excess =
    imbalance === undefined
      ? new Float64Array(time.length)
      : callpathValues(report, metricSet(report, imbalance.index, false)).exclusive;
  const whole = report.metricInclusive[path.index]!;
  const errors = new Map(report.pathErrors?.callpaths.map(({ callpath, error }) => [callpath, error]));
  const rows = Array.from(time.keys())
    .filter((callpath) => time[callpath]! >= 0.01 * whole)
    .sort((a, b) => time[b]! - time[a]!)
    .slice(0, PATH_ROWS);
  return (
    <>
      <h2>
        Critical path <small>what the run time is made of</small>
      </h2>
      <ul class="path-bars">
        {rows.map((callpath) => (
          <li key={callpath}>
            <span class="path-label">
              <button type="button" class="link" onClick={() => store.showInTrees("critical_path", callpath)}>
                <CallpathName short report={report} callpath={callpath} />
              </button>
              <b>
                {formatPercent(time[callpath]! / whole)}
                {formatError(errors.get(callpath), inUnits(report, "sec", whole))}
              </b>
            </span>
            <span class="path-bar" aria-hidden="true">
              <span style={{ width: `${(100 * (time[callpath]! - excess[callpath]!)) / whole}%` }} />
              <span class="excess" style={{ width: `${(100 * excess[callpath]!) / whole}%` }} />
            </span>
            {excess[callpath]! > 0.01 * time[callpath]! && (
              <span class="muted">
                {formatSeconds(inUnits(report, "sec", excess[callpath]!))} of{" "}
                {formatSeconds(inUnits(report, "sec", time[callpath]!))} by imbalance
              </span>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
