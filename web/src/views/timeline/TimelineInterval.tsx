// SPDX-License-Identifier: BSD-3-Clause
import { useEffect, useMemo, useState } from "preact/hooks";
import type { JSX } from "preact";
import { CallpathName, callpathText } from "../../components/Names";
import { csvOf, type CsvValue } from "../../export/csv";
import { saveText } from "../../export/download";
import { formatBytes, formatCount, formatPercent, formatSeconds, printable, shorten } from "../../format";
import { locationsIn, type Arrangement } from "../../model/arrangement";
import { statisticsIn, type Blame, type IntervalStatistics } from "../../model/interval";
import { inUnits, locationName, type Report, locationWord } from "../../model/report";
import { ARROW_NAMES, isOfThreads, type Timeline } from "../../model/timeline";
import type { Store } from "../../state/store";
import type { Span } from "../../state/timeline";

const LISTED = 8;

/** Tiles arrive in quick succession: the statistics follow when none has arrived for this time. */
const DELAY = 120;

/** What the statistics are of. */
interface Wanted {
  readonly timeline: Timeline;
  readonly arrangement: Arrangement;
  readonly rows: Span;
  readonly interval: Span;
}

interface Props extends Wanted {
  readonly store: Store;
}

/** Statistics of the selected interval and the displayed rows. */
export function IntervalPanel({ store, timeline, arrangement, rows, interval }: Props): JSX.Element {
  const { report } = store;
  const [done, setDone] = useState<{ readonly of: Wanted; readonly statistics: IntervalStatistics } | null>(null);
  const wanted = useMemo<Wanted>(
    () => ({ timeline, arrangement, rows, interval }),
    [timeline, arrangement, rows.from, rows.to, interval],
  );
  useEffect(() => {
    const compute = (): void =>
      setDone({ of: wanted, statistics: statisticsIn(report, timeline, locationsIn(arrangement, rows), interval) });
    if (!timeline.isTiled) {
      compute();
      return undefined;
    }
    const timer = setTimeout(compute, DELAY);
    return () => clearTimeout(timer);
  }, [wanted]);
  // Until those of other rows are computed, the previous ones stay; those of another interval do not.
  const statistics = done?.of.interval === interval ? done.statistics : null;
  const isCurrent = done?.of === wanted;
  const seconds = (ticks: number): string => formatSeconds(inUnits(report, "sec", ticks));
  return (
    <div class="explanation interval" data-testid="interval" aria-busy={!isCurrent}>
      <h2>Interval: {seconds(interval.to - interval.from)}</h2>
      <p>
        {seconds(interval.from)} to {seconds(interval.to)}
        {statistics !== null && (
          <>
            , on {formatCount(statistics.locations)} of {formatCount(report.locations.length)}{" "}
            {locationWord(report, report.locations.length)}
          </>
        )}
      </p>
      {statistics !== null && <Tables {...{ report, statistics, timeline }} />}
      <p class="actions">
        {statistics !== null && (
          <button
            type="button"
            title="As a CSV file"
            disabled={!isCurrent}
            onClick={() => saveText("fermata-interval.csv", "text/csv", intervalCsv(report, statistics))}
          >
            Export the numbers
          </button>
        )}
        <button type="button" onClick={() => store.timeline.show(interval.from, interval.to)} title="Key: f">
          Zoom to it
        </button>
        <button type="button" onClick={() => store.timeline.mark(null)} title="Key: Escape">
          Close
        </button>
      </p>
    </div>
  );
}

interface Row {
  readonly name: JSX.Element | string;
  readonly note: string;
  readonly ticks: number;
}

function Table(props: { report: Report; title: string; rows: readonly Row[]; whole: number; color: string }): JSX.Element | null {
  const { report, title, rows, whole, color } = props;
  if (rows.length === 0) return null;
  const most = rows.reduce((largest, { ticks }) => Math.max(largest, ticks), 1e-9);
  return (
    <>
      <h3>{title}</h3>
      <ol class="wait-list" aria-label={title}>
        {rows.slice(0, LISTED).map(({ name, note, ticks }, i) => (
          <li key={i}>
            <span>
              {name} <span class="muted">{note}</span>
            </span>
            <b>
              {formatSeconds(inUnits(report, "sec", ticks))}
              {whole > 0 && <span class="muted share"> {formatPercent(ticks / whole)}</span>}
            </b>
            <span class="meter" aria-hidden="true">
              <span class={color} style={{ width: `${(100 * ticks) / most}%` }} />
            </span>
          </li>
        ))}
        {rows.length > LISTED && <li class="muted">and {formatCount(rows.length - LISTED)} more</li>}
      </ol>
    </>
  );
}

function countText(count: number, one: string): string {
  return count === 0 ? "" : `${formatCount(count)} ${one}${count === 1 ? "" : "s"}`;
}

function Tables({ report, statistics, timeline }: { report: Report; statistics: IntervalStatistics; timeline: Timeline }): JSX.Element {
  const { time, known, functions, kinds, blame, messages } = statistics;
  const isPartial = known < time * (1 - 1e-9);
  const classes = [
    ["Computation", statistics.computation],
    ["Communication", statistics.calls],
    ["Waiting", statistics.waiting],
  ] as const;
  return (
    <>
      <p class="interval-shares">
        {classes.map(([name, ticks]) => (
          <span key={name}>
            {name} <b>{formatPercent(time > 0 ? ticks / time : 0)}</b>
          </span>
        ))}
      </p>
      {isPartial && (
        <p class="muted">
          Single events are loaded for {formatPercent(time > 0 ? known / time : 0)} of this time: functions, counts, and
          causes refer to them. {timeline.isTiled ? "Zoom in for the others." : ""}
        </p>
      )}
      <Table
        report={report}
        title="Functions"
        whole={time}
        color="compute"
        rows={functions.map(({ region, ticks, calls, waiting }) => ({
          name: shorten(printable(region), 40),
          note: [countText(calls, "call"), waiting > 0 ? `${formatSeconds(inUnits(report, "sec", waiting))} waiting` : ""]
            .filter((text) => text !== "")
            .join(", "),
          ticks,
        }))}
      />
      <Table
        report={report}
        title="Wait states"
        whole={time}
        color="wait"
        rows={kinds.map(({ metric, ticks, count }) => ({
          name: report.metrics[metric]!.name,
          note: countText(count, "wait"),
          ticks,
        }))}
      />
      <Table
        report={report}
        title="Waited for"
        whole={statistics.waiting}
        color="cause"
        rows={blame.map((entry) => ({ name: <BlameName report={report} blame={entry} />, note: "", ticks: entry.ticks }))}
      />
      {(["Messages and operations", "Threads"] as const).map((title) => (
        <Table
          key={title}
          report={report}
          title={title}
          whole={0}
          color="communicate"
          rows={messages
            .filter(({ kind }) => isOfThreads(kind) === (title === "Threads"))
            .map(({ kind, count, bytes, ticks }) => ({
              name: ARROW_NAMES[kind]!,
              note: `${formatCount(count)}${bytes > 0 ? `, ${formatBytes(bytes)} together` : ""}, on average`,
              ticks: ticks / count,
            }))}
        />
      ))}
    </>
  );
}

function BlameName({ report, blame }: { report: Report; blame: Blame }): JSX.Element {
  return (
    <>
      {locationName(report, blame.location)}{" "}
      {blame.callpath === null ? (
        <span class="muted">(its events are not loaded)</span>
      ) : blame.callpath < 0 ? (
        <span class="muted">waiting itself</span>
      ) : (
        <>
          in <CallpathName short report={report} callpath={blame.callpath} />
        </>
      )}
    </>
  );
}

/** All numbers of an interval: one row for each. "more" is the waiting of functions, the bytes of messages. */
export function intervalCsv(report: Report, statistics: IntervalStatistics): string {
  const seconds = (ticks: number): number => inUnits(report, "sec", ticks);
  const rows: CsvValue[][] = [
    ["interval", null, null, statistics.locations, seconds(statistics.from), seconds(statistics.to)],
    ["class", "computation", null, null, seconds(statistics.computation), null],
    ["class", "communication", null, null, seconds(statistics.calls), null],
    ["class", "waiting", null, null, seconds(statistics.waiting), null],
    ["class", "known", null, null, seconds(statistics.known), null],
  ];
  for (const { region, calls, ticks, waiting } of statistics.functions) {
    rows.push(["function", region, null, calls, seconds(ticks), seconds(waiting)]);
  }
  for (const { metric, count, ticks } of statistics.kinds) {
    rows.push(["wait state", report.metrics[metric]!.id, null, count, seconds(ticks), null]);
  }
  for (const { location, callpath, ticks } of statistics.blame) {
    const what = callpath === null ? "unknown" : callpath < 0 ? "waiting" : callpathText(report, callpath, "/");
    rows.push(["waited for", what, location, null, seconds(ticks), null]);
  }
  for (const { kind, count, bytes, ticks } of statistics.messages) {
    rows.push([isOfThreads(kind) ? "thread" : "message", ARROW_NAMES[kind]!, null, count, seconds(ticks), bytes]);
  }
  return csvOf(["kind", "name", "location", "count", "seconds", "more"], rows);
}
