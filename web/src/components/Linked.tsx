// SPDX-License-Identifier: BSD-3-Clause
import { batch } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { mentions, withoutQuotes, type Place } from "../model/mentions";
import { pathTo } from "../model/forest";
import { locationName, processWord, type Report } from "../model/report";
import type { Store } from "../state/store";
import { encodeSet } from "../state/url";
import { Parts } from "./Prose";

interface Props {
  store: Store;
  text: string;
  /** The run that the sentence is about. */
  run?: number;
  /** Call paths of the run that the sentence is about, the most important first; common ones if `run` is not 0. */
  callpath?: number | null;
  symptom?: number | null;
}

const TITLES: Record<Place["kind"], (report: Report) => string> = {
  callpath: () => "Show in the trees",
  source: () => "Show the source",
  metric: () => "Show in the trees",
  location: (report) => `Show this ${processWord(report, 1)} in the trees`,
  iterations: () => "Show these iterations",
  time: () => "Show in the timeline",
  lock: () => "Show this lock",
};

/** Leads to a place; its address is that of the view alone, for another tab. The back button returns. */
export function To(props: {
  store: Store;
  place: Place;
  symptom?: number | null;
  children: ComponentChildren;
}): JSX.Element {
  const { store, place, symptom = null, children } = props;
  return (
    <a
      href={addressOf(store, place)}
      class="mention"
      title={TITLES[place.kind](store.report)}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        batch(() => go(store, place, symptom));
      }}
    >
      {children}
    </a>
  );
}

function addressOf(store: Store, place: Place): string {
  switch (place.kind) {
    case "callpath":
    case "source": {
      const above = pathTo(store.trees.callForest, place.callpath).slice(0, -1);
      return `#trees?metric=time&call=${place.callpath}&cx=${encodeSet(new Set(above))}`;
    }
    case "metric":
      return `#trees?metric=${encodeURIComponent(store.trees.metrics[place.metric]!.id)}`;
    case "location":
      return `#trees?place=${store.system.nodeOf[place.location]}`;
    case "iterations":
      return "#efficiency";
    case "time":
      return `#timeline?t=${place.from * store.report.ticksPerSecond}_${place.to * store.report.ticksPerSecond}`;
    case "lock":
      return `#locks?lock=${place.lock}`;
  }
}

/** A sentence whose mentions of functions, source lines, ranks, iterations, times, locks and metrics lead there. */
export function Linked({ store, text, run = 0, callpath = null, symptom = null }: Props): JSX.Element {
  // In the trees, all runs have the same call paths, locations and metrics. Phases and locks are the run's own.
  const pieces = mentions(store.united.runs[run]!, text, { callpaths: [callpath, symptom] });
  const parts = withoutQuotes(pieces.map(({ text: piece }) => piece));
  return (
    <>
      {pieces.map(({ place }, i) =>
        place === null || !canGo(store, place, run) ? (
          <Parts key={i} parts={parts[i]!} />
        ) : (
          <To key={i} store={store} place={place} symptom={symptom}>
            <Parts parts={parts[i]!} />
          </To>
        ),
      )}
    </>
  );
}

/** The name of a location, which leads to it. */
export function LocationLink({ store, location }: { store: Store; location: number }): JSX.Element {
  return (
    <To store={store} place={{ kind: "location", location }}>
      {locationName(store.report, location)}
    </To>
  );
}

/** The timeline, the phases and the locks are those of the first run. */
function canGo(store: Store, place: Place, run: number): boolean {
  if (place.kind === "time") return run === 0 && store.timeline.isThere;
  return run === 0 || (place.kind !== "iterations" && place.kind !== "lock");
}

/** Shows a place. The back button returns from it. */
export function go(store: Store, place: Place, symptom: number | null = null): void {
  store.jump();
  switch (place.kind) {
    case "callpath":
    case "source":
      store.showInTrees("time", place.callpath);
      break;
    case "metric":
      store.showInTrees(store.trees.metrics[place.metric]!.id, symptom ?? undefined);
      break;
    case "location":
      store.systemView.value = "tree";
      store.selectLocation(place.location);
      store.view.value = "trees";
      break;
    case "iterations":
      showIterations(store, place.first, place.last);
      break;
    case "time": {
      const { ticksPerSecond } = store.report;
      store.timeline.show(place.from * ticksPerSecond, place.to * ticksPerSecond);
      store.view.value = "timeline";
      break;
    }
    case "lock":
      store.lock.value = place.lock;
      store.view.value = "locks";
      break;
  }
}

/** Shows iterations in the timeline, or the phase without a timeline. */
function showIterations(store: Store, first: number, last: number): void {
  const rows = store.report.phases[store.phase.value]?.rows ?? [];
  const shown = rows.filter((row) => row.first <= last && row.first + row.count > first);
  if (shown.length === 0 || !store.timeline.isThere) {
    store.view.value = "efficiency";
    return;
  }
  const begin = Math.min(...shown.map((row) => row.begin));
  const end = Math.max(...shown.map((row) => row.end));
  store.timeline.show(begin, end);
  store.view.value = "timeline";
}
