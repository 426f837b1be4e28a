// SPDX-License-Identifier: BSD-3-Clause
import type { JSX } from "preact";
import { CallpathName } from "../../components/Names";
import { ESTIMATE_MEANING, ESTIMATE_SIGN, formatCount, formatPercent, formatSeconds, printable, shorten } from "../../format";
import type { JsonHangWait } from "../../data/layout";
import { awaitedText, callNeverLeft } from "../../model/hang";
import { inUnits, locationName, type Report, locationWord, shortLocationName } from "../../model/report";
import { blockedBy, waitsDuring, type Item, type WaitPart } from "../../model/selection";
import type { Timeline } from "../../model/timeline";
import type { Store } from "../../state/store";

const LISTED = 6;

interface Props {
  store: Store;
  timeline: Timeline;
  item: Item;
  /** Selects and shows a wait state. */
  select: (wait: number) => void;
}

/** "solver.c:120", or null. */
export function sourceText(report: Report, callpath: number): string | null {
  const { file, line } = report.callpaths[callpath]!;
  if (file === null) return null;
  const name = shorten(printable(file), 60);
  return line === null || line === 0 ? name : `${name}:${line}`;
}

/** Explanation of a call or a computation: what, where, how long, what it waited for, what it blocked. */
export function ItemExplanation({ store, timeline, item, select }: Props): JSX.Element {
  const { report } = store;
  const seconds = (ticks: number): string => formatSeconds(inUnits(report, "sec", ticks));
  const waited = waitsDuring(timeline, item);
  const source = sourceText(report, item.callpath);
  const { isEstimated } = report.callpaths[item.callpath]!;
  const time = waited.reduce((sum, { ticks }) => sum + ticks, 0);
  const open = item.isCall ? callNeverLeft(report, item.location, item.from) : undefined;
  return (
    <div class="explanation" data-testid="item">
      <h2>
        {shorten(printable(report.callpaths[item.callpath]!.region), 60)}: {isEstimated && ESTIMATE_SIGN}
        {seconds(item.to - item.from)}
      </h2>
      <p>
        <b>{locationName(report, item.location)}</b> {item.isCall ? "was in" : "computed in"}{" "}
        <CallpathName short report={report} callpath={item.callpath} /> from {seconds(item.from)} {open === undefined ? `to ${seconds(item.to)} after the start` : "after the start on, and never left it"}
        {source === null ? "" : `, ${source}`}.{isEstimated && ` ${ESTIMATE_MEANING}.`}
      </p>
      <h3>Waited for</h3>
      {open !== undefined && <Awaited report={report} wait={open} />}
      {waited.length === 0 && open === undefined && <p class="muted">Nothing: it contains no wait state.</p>}
      {waited.length > 0 && (
        <>
          {item.to > item.from && (
            <p class="muted">
              {seconds(time)}, {formatPercent(time / (item.to - item.from))} of it
            </p>
          )}
          <WaitList {...{ store, timeline, select }} parts={waited} isCause={false} />
        </>
      )}
      <Blocked {...{ store, timeline, item, select }} />
      <p class="actions">
        <button type="button" onClick={() => store.timeline.frame(item.from, item.to)} title="Key: f">
          Zoom to it
        </button>
        <button type="button" onClick={() => store.timeline.mark(item)} title="Key: m">
          Statistics of this time
        </button>
        <button type="button" onClick={() => store.timeline.togglePin(item.location)}>
          {store.timeline.pinned.value.has(item.location) ? "Remove the pin" : `Pin the ${locationWord(store.report, 1)}`}
        </button>
        <button type="button" onClick={() => store.showInTrees("time", item.callpath)}>
          Show in the trees
        </button>
        <button type="button" onClick={() => store.timeline.select(null)} title="Key: Escape">
          Close
        </button>
      </p>
    </div>
  );
}

/** What a call waits for that was never left. */
function Awaited({ report, wait }: { report: Report; wait: JsonHangWait }): JSX.Element {
  return (
    <ul>
      {wait.for.slice(0, LISTED).map((part, i) => (
        <li key={i}>
          {shorten(printable(awaitedText(part)), 60)}
          {part.for.length > 0 && `: ${part.for.length > LISTED ? `${formatCount(part.for.length)} ${locationWord(report, 2)}`
            : part.for.map((location) => shortLocationName(report, location)).join(part.mode === "or" ? " or " : ", ")}`}
        </li>
      ))}
      {wait.for.length > LISTED && <li class="muted">and {formatCount(wait.for.length - LISTED)} more</li>}
    </ul>
  );
}

/** The wait states of others for an item. */
export function Blocked({ store, timeline, item, select }: Props): JSX.Element {
  const blocked = blockedBy(timeline, item);
  const total = blocked.reduce((sum, { ticks }) => sum + ticks, 0);
  const ranks = new Set(blocked.map(({ wait }) => timeline.waits.location[wait]!)).size;
  return (
    <>
      <h3>Blocked</h3>
      {blocked.length === 0 ? (
        <p class="muted">
          {timeline.bins === null
            ? `Nobody: no ${locationWord(store.report, 1)} waited for it.`
            : "Nobody in the loaded events."}
        </p>
      ) : (
        <>
          <p class="muted">
            {formatSeconds(inUnits(store.report, "sec", total))} on {formatCount(ranks)} of{" "}
            {formatCount(store.report.locations.length)} {locationWord(store.report, store.report.locations.length)}
          </p>
          <WaitList {...{ store, timeline, select }} parts={blocked} isCause />
        </>
      )}
    </>
  );
}

function WaitList(props: {
  store: Store;
  timeline: Timeline;
  parts: readonly WaitPart[];
  /** The waiting locations are named, not those that they wait for. */
  isCause: boolean;
  select: (wait: number) => void;
}): JSX.Element {
  const { store, timeline, parts, isCause, select } = props;
  const { report } = store;
  const { waits } = timeline;
  const most = parts[0]?.ticks ?? 1;
  return (
    <ol class="wait-list">
      {parts.slice(0, LISTED).map(({ wait, ticks }) => {
        const who = isCause ? waits.location[wait]! : waits.causeLocation[wait]!;
        return (
          <li key={wait}>
            <span>
              <button type="button" class="link" onClick={() => select(wait)}>
                {report.metrics[waits.metric[wait]!]!.name}
              </button>{" "}
              <span class="muted">{who >= 0 ? `${isCause ? "" : "for "}${locationName(report, who)}` : ""}</span>
            </span>
            <b>{formatSeconds(inUnits(report, "sec", ticks))}</b>
            <span class="meter" aria-hidden="true">
              <span class="wait" style={{ width: `${(100 * ticks) / most}%` }} />
            </span>
          </li>
        );
      })}
      {parts.length > LISTED && <li class="muted">and {formatCount(parts.length - LISTED)} more</li>}
    </ol>
  );
}
