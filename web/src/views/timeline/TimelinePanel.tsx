// SPDX-License-Identifier: BSD-3-Clause
import type { JSX } from "preact";
import { Chain } from "../../components/Chain";
import { CallpathName } from "../../components/Names";
import type { JsonInstance } from "../../data/layout";
import { formatPercent, formatSeconds } from "../../format";
import { inUnits, locationName } from "../../model/report";
import type { Arrangement } from "../../model/arrangement";
import { blockedBy, type Item } from "../../model/selection";
import { activitiesIn, type Activity, type Timeline } from "../../model/timeline";
import type { Store } from "../../state/store";
import type { Span } from "../../state/timeline";
import { Blocked, ItemExplanation, sourceText } from "./TimelineItem";
import { IntervalPanel } from "./TimelineInterval";

interface Props {
  store: Store;
  timeline: Timeline;
  arrangement: Arrangement;
  rows: Span;
  /** The selected call or computation; null: none, or its events are not loaded. */
  item: Item | null;
  /** The selected wait state; -1: none. */
  chosen: number;
  chain: readonly Activity[];
  longest: readonly number[];
  select: (wait: number) => void;
}

/** Explanation of the selection: a wait state and its causes, a call, an interval; and a list of the longest wait
 * states. */
export function TimelinePanel(props: Props): JSX.Element {
  const { chosen, store, timeline, item } = props;
  const interval = store.timeline.interval.value;
  const isMissing = (store.timeline.chosen.value !== null && chosen < 0) || (store.timeline.item.value !== null && item === null);
  return (
    <aside class="timeline-panel" aria-label="Explanation" aria-live="polite" tabIndex={0}>
      {chosen >= 0 && <Explanation {...props} />}
      {item !== null && <ItemExplanation {...props} item={item} />}
      {isMissing && (
        <p class="muted">
          {timeline.isTiled ? "Reading the events of the selection..." : "The page does not have the events of the selection."}
        </p>
      )}
      {interval !== null && <IntervalPanel {...props} interval={interval} />}
      {store.timeline.chosen.value === null && store.timeline.item.value === null && interval === null && (
        <p class="muted">
          Click a hatched wait state, or one of these, to see its cause; click any call or computation to see what it blocked;
          drag along the time scale for the statistics of an interval.
        </p>
      )}
      <Longest {...props} />
    </aside>
  );
}

function Explanation({ store, timeline, chosen, chain, select }: Props): JSX.Element {
  const { report } = store;
  const { waits } = timeline;
  const seconds = (ticks: number): string => formatSeconds(inUnits(report, "sec", ticks));
  const metric = report.metrics[waits.metric[chosen]!]!;
  const cause = waits.causeLocation[chosen]!;
  const time = waits.time[chosen]!;
  const instance = instanceOf(store, timeline, chosen);
  const source = sourceText(report, waits.callpath[chosen]!);
  const enter = waits.enter[chosen]!;
  const item = { location: waits.location[chosen]!, callpath: waits.callpath[chosen]!, from: enter, to: enter + time, isCall: true };
  return (
    <div class="explanation" data-testid="explanation">
      <h2>
        {metric.name}: {seconds(time)}
      </h2>
      <p>
        <b>{locationName(report, waits.location[chosen]!)}</b> waited in{" "}
        <CallpathName short report={report} callpath={waits.callpath[chosen]!} />, {seconds(waits.enter[chosen]!)} after the
        start
        {cause >= 0 && (
          <>
            , until <b>{locationName(report, cause)}</b> reached{" "}
            <CallpathName short report={report} callpath={waits.causeCallpath[chosen]!} />
          </>
        )}
        {source === null ? "" : ` (${source})`}.
      </p>
      {cause >= 0 && <h3>Activity of the cause during the wait</h3>}
      <ol class="steps">
        {chain.map((step, i) => (
          <Step
            key={i}
            {...{ store, timeline, select, step }}
            parts={partsOf(timeline, i === 0 ? chosen : chain[i - 1]!.wait)}
          />
        ))}
      </ol>
      {chain.length === 0 && cause >= 0 && (
        <p class="muted">
          {timeline.isTiled ? "Reading" : "The page does not have"} the events of {locationName(report, cause)} at that
          time.
        </p>
      )}
      {instance !== null && (
        <>
          <h3>Cause found by the analysis</h3>
          <Chain store={store} instance={instance} />
        </>
      )}
      {blockedBy(timeline, item).length > 0 && <Blocked {...{ store, timeline, item, select }} />}
      <p class="actions">
        <button type="button" onClick={() => select(chosen)}>
          Zoom to wait state
        </button>
        <button type="button" onClick={() => store.showInTrees(metric.id, waits.callpath[chosen]!)}>
          Show in the trees
        </button>
        <button type="button" onClick={() => store.timeline.select(null)}>
          Close
        </button>
      </p>
    </div>
  );
}

const PARTS = 3;

/** Smaller shares are not listed. */
const LEAST_SHARE = 0.01;

/** @returns the activities of the cause of a wait during the wait. */
function partsOf(timeline: Timeline, wait: number): Activity[] {
  const { waits } = timeline;
  const window = timeline.windows[waits.window[wait]!]!;
  const from = waits.enter[wait]!;
  const parts = activitiesIn(timeline, window, waits.causeLocation[wait]!, from, from + waits.time[wait]!);
  return parts.filter((part, i) => i === 0 || part.share >= LEAST_SHARE).slice(0, PARTS);
}

/** The activity of a cause: mostly computation, which ends the chain, or mostly waiting, which continues
 * it. */
function Step(props: {
  store: Store;
  timeline: Timeline;
  select: (wait: number) => void;
  step: Activity;
  parts: readonly Activity[];
}): JSX.Element {
  const { store, timeline, select, step, parts } = props;
  const { report } = store;
  return (
    <li>
      <b>{locationName(report, step.location)}</b> was
      <ul>
        {parts.map((part, i) => (
          <li key={i} class={part.wait >= 0 ? "waited" : "worked"}>
            <span class="meter" aria-hidden="true">
              <span class={part.wait >= 0 ? "wait" : "cause"} style={{ width: `${100 * Math.min(1, part.share)}%` }} />
            </span>
            <b>{formatPercent(part.share)}</b> in <CallpathName short report={report} callpath={part.callpath} />
            {part.wait >= 0 && (
              <>
                {", "}
                <button type="button" class="link" onClick={() => select(part.wait)}>
                  waiting: {report.metrics[timeline.waits.metric[part.wait]!]!.name}
                </button>
              </>
            )}
          </li>
        ))}
      </ul>
    </li>
  );
}

/** @returns the report's record of a wait state, if it is among the longest of its kind. */
function instanceOf(store: Store, timeline: Timeline, wait: number): JsonInstance | null {
  const { waits } = timeline;
  const { report } = store;
  for (const record of report.statistics) {
    for (const instance of record.worst) {
      const enter = Math.round(instance.enter * report.ticksPerSecond);
      if (instance.location === waits.location[wait] && enter === waits.enter[wait]) return instance;
    }
  }
  return null;
}

function Longest({ store, timeline, chosen, longest, select }: Props): JSX.Element {
  const { report } = store;
  const { waits } = timeline;
  const most = longest.length === 0 ? 1 : waits.time[longest[0]!]!;
  return (
    <div class="longest">
      <h3>The longest wait states{timeline.bins === null || timeline.isTiled ? "" : " in the excerpts"}</h3>
      {longest.length === 0 && <p class="muted">No wait states.</p>}
      <ol>
        {longest.map((wait) => (
          <li key={wait} class={wait === chosen ? "selected" : ""}>
            <button type="button" class="link" onClick={() => select(wait)}>
              {report.metrics[waits.metric[wait]!]!.name}
            </button>{" "}
            <span class="muted">{locationName(report, waits.location[wait]!)}</span>
            <b>{formatSeconds(inUnits(report, "sec", waits.time[wait]!))}</b>
            <span class="meter" aria-hidden="true">
              <span class="wait" style={{ width: `${(100 * waits.time[wait]!) / most}%` }} />
            </span>
          </li>
        ))}
      </ol>
    </div>
  );
}
