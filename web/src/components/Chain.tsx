// SPDX-License-Identifier: BSD-3-Clause
import type { JSX } from "preact";
import type { JsonCause, JsonInstance } from "../data/layout";
import { formatPercent, formatSeconds } from "../format";
import { locationName } from "../model/report";
import type { Store } from "../state/store";
import { To } from "./Linked";
import { CallpathName } from "./Names";

/** A wait state and the chain of its causes. */
export function Chain({ store, instance }: { store: Store; instance: JsonInstance }): JSX.Element {
  const { report } = store;
  const longest = Math.max(instance.wait, ...instance.causes.map((cause) => cause.time));
  return (
    <div class="chain">
      <ChainStep
        store={store}
        kind="wait"
        location={instance.location}
        callpath={instance.callpath}
        time={instance.wait}
        longest={longest}
        text={`waited, ${formatSeconds(instance.enter)} after the start`}
      />
      {instance.cause_location !== null && instance.cause_callpath !== null && (
        <div class="chain-link">
          for{" "}
          <To store={store} place={{ kind: "location", location: instance.cause_location }}>
            {locationName(report, instance.cause_location)}
          </To>{" "}
          in{" "}
          <To store={store} place={{ kind: "callpath", callpath: instance.cause_callpath }}>
            <CallpathName short report={report} callpath={instance.cause_callpath} />
          </To>
          , which was late because
        </div>
      )}
      {instance.causes.map((cause, i) => (
        <ChainStep
          key={i}
          store={store}
          kind={cause.metric === null ? "delay" : "wait"}
          location={cause.location}
          callpath={cause.callpath}
          time={cause.time}
          longest={longest}
          text={describeCause(store, cause)}
        />
      ))}
    </div>
  );
}

function describeCause(store: Store, cause: JsonCause): string {
  const share = `${formatPercent(cause.share)} of its delay`;
  if (cause.metric === null) return `took longer (${share})`;
  const kind = store.report.metricById.get(cause.metric)?.name ?? cause.metric;
  return `waited: ${kind} (${share}), because`;
}

export function ChainStep(props: {
  store: Store;
  kind: "wait" | "delay";
  location: number;
  callpath: number;
  time: number;
  longest: number;
  text: string;
}): JSX.Element {
  const { store, kind, location, callpath, time, longest, text } = props;
  return (
    <div class={`chain-step ${kind}`}>
      <span class="chain-who">
        <To store={store} place={{ kind: "location", location }}>
          {locationName(store.report, location)}
        </To>
      </span>
      <span class="chain-bar" aria-hidden="true">
        <span style={{ width: `${Math.max(2, (100 * time) / longest)}%` }} />
      </span>
      <b class="chain-time">{formatSeconds(time)}</b>
      <span class="chain-text">
        <To store={store} place={{ kind: "callpath", callpath }}>
          <CallpathName short report={store.report} callpath={callpath} />
        </To>{" "}
        <span class="muted">{text}</span>
      </span>
    </div>
  );
}
