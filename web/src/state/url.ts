// SPDX-License-Identifier: BSD-3-Clause
/** Every state of the page has an address: #view?key=value&... with the differences from the initial
 * state. */
import { batch, effect, type Signal } from "@preact/signals";
import { SCALE_NAMES } from "../draw/colors";
import { metricNamed } from "../model/report";
import { ALIGNED_COLORINGS } from "./aligned";
import type { Store, ViewName } from "./store";
import type { Span } from "./timeline";

interface Field {
  readonly key: string;
  read(): string;
  write(text: string): void;
}

const VIEWS: readonly ViewName[] = [
  "compare", "summary", "trees", "timeline", "waits", "path", "efficiency", "matrices", "locks", "metrics", "run",
];

function choice<T extends string>(key: string, target: Signal<T>, values: readonly T[]): Field {
  return {
    key,
    read: () => target.value,
    write: (text) => {
      const found = values.find((value) => value === text);
      if (found !== undefined) target.value = found;
    },
  };
}

function index(key: string, target: Signal<number>, count: number): Field {
  return {
    key,
    read: () => target.value.toString(),
    write: (text) => {
      const number = Number(text);
      if (Number.isInteger(number) && number >= 0 && number < count) target.value = number;
    },
  };
}

function set(key: string, target: Signal<ReadonlySet<number>>, count: number): Field {
  return {
    key,
    read: () => encodeSet(target.value),
    write: (text) => {
      target.value = new Set(decodeSet(text).filter((number) => number < count));
    },
  };
}

function flag(key: string, target: Signal<boolean>): Field {
  return {
    key,
    read: () => (target.value ? "1" : "0"),
    write: (text) => {
      target.value = text !== "0";
    },
  };
}

/** Longer texts in an address are ignored. */
const MOST_TEXT = 200;

function text(key: string, target: Signal<string>): Field {
  return {
    key,
    read: () => target.value,
    write: (given) => {
      if (given.length <= MOST_TEXT) target.value = given;
    },
  };
}

/** @returns both numbers of "1_2". */
function numbersOf(text: string): [number, number] | null {
  const match = /^(\d+(?:\.\d+)?)_(\d+(?:\.\d+)?)$/.exec(text);
  return match && [Number(match[1]), Number(match[2])];
}

function span(key: string, target: Signal<Span | null>): Field {
  const short = (value: number): string => String(Math.round(value * 100) / 100);
  return {
    key,
    read: () => (target.value === null ? "" : `${short(target.value.from)}_${short(target.value.to)}`),
    write: (text) => {
      const numbers = numbersOf(text);
      target.value = numbers && numbers[1] > numbers[0] ? { from: numbers[0], to: numbers[1] } : null;
    },
  };
}

/** As span(), but of numbers that may be negative, with nine digits. */
function signedSpan(key: string, target: Signal<{ readonly from: number; readonly to: number } | null>): Field {
  const short = (value: number): string => String(Number(value.toPrecision(9)));
  const pattern = /^(-?\d+(?:\.\d+)?(?:e-?\d+)?)_(-?\d+(?:\.\d+)?(?:e-?\d+)?)$/;
  return {
    key,
    read: () => (target.value === null ? "" : `${short(target.value.from)}_${short(target.value.to)}`),
    write: (text) => {
      const match = pattern.exec(text);
      const [from, to] = [Number(match?.[1]), Number(match?.[2])];
      target.value = match !== null && Number.isFinite(from) && to > from && Number.isFinite(to) ? { from, to } : null;
    },
  };
}

/** Writes a set of numbers as differences: "0.1.5" is {0, 1, 6}. */
export function encodeSet(numbers: ReadonlySet<number>): string {
  let before = 0;
  return [...numbers]
    .sort((a, b) => a - b)
    .map((number) => {
      const difference = number - before;
      before = number;
      return difference.toString(36);
    })
    .join(".");
}

export function decodeSet(text: string): number[] {
  let number = 0;
  return text
    .split(".")
    .filter((part) => /^[0-9a-z]{1,6}$/.test(part))
    .map((part) => (number += parseInt(part, 36)));
}

function fields(store: Store): Field[] {
  const report = store.trees;
  return [
    {
      // First: the metric may be a derived one.
      key: "define",
      read: () => store.definitions.value.join(";"),
      write: (text) => {
        store.definitions.value = text.split(";").map((each) => each.trim()).filter((each) => each !== "");
      },
    },
    index("run", store.run, store.united.runs.length),
    {
      key: "metric",
      read: () => store.selectedMetric.value.id,
      write: (text) => {
        const found = store.metricList.value.find(({ id }) => id === text) ?? metricNamed(report.metricById, text);
        if (found !== undefined) store.metric.value = found.index;
      },
    },
    set("mx", store.metricOpen, report.metrics.length),
    choice("calls", store.callList, ["tree", "paths", "functions", ...(store.parameters.length > 0 ? (["parameter"] as const) : [])]),
    text("by", store.parameter),
    index("call", store.callpath, report.callpaths.length),
    set("cx", store.callOpen, report.callpaths.length),
    choice("system", store.systemView, ["tree", "ranks", "distribution", "heatmap", "topology"]),
    index("place", store.systemNode, store.system.kind.length),
    set("sx", store.systemOpen, store.system.kind.length),
    choice("mode", store.mode, [
      "absolute", "root", "selection", ...(store.isComparing() ? (["difference", "peer"] as const) : []),
    ]),
    choice("order", store.order, ["definition", "value", "name"]),
    {
      key: "threshold",
      read: () => store.threshold.value.toString(),
      write: (text) => {
        const number = Number(text);
        if (number >= 0 && number <= 1) store.threshold.value = number;
      },
    },
    {
      key: "limits",
      read: () => (store.limits.value === null ? "" : `${store.limits.value.low}_${store.limits.value.high}`),
      write: (text) => {
        const [low, high] = text.split("_").map(Number);
        store.limits.value =
          low !== undefined && high !== undefined && low >= 0 && high > low ? { low, high } : null;
      },
    },
    choice("scale", store.scale, SCALE_NAMES),
    {
      key: "zeros",
      read: () => (store.zeros.value ? "1" : ""),
      write: (text) => {
        store.zeros.value = text === "1";
      },
    },
    {
      key: "kind",
      read: () => store.kind.value ?? "",
      write: (text) => {
        store.kind.value = report.metricById.has(text) ? text : null;
      },
    },
    span("t", store.timeline.span),
    {
      key: "counter",
      read: () => (store.timeline.counter.value < 0 ? "" : store.timeline.counter.value.toString()),
      write: (text) => {
        store.timeline.counter.value = /^\d{1,6}$/.test(text) ? Number(text) : -1;
      },
    },
    flag("alike", store.timeline.grouped),
    set("open", store.timeline.open, report.locations.length),
    span("rows", store.timeline.rows),
    choice("color", store.timeline.coloring, ["class", "region", "kind", "waiting", "blame", "counter"]),
    choice("sort", store.timeline.order, ["rank", "folded", "waiting", "blame", "node"]),
    text("ranks", store.timeline.filter),
    set("pins", store.timeline.pinned, report.locations.length),
    flag("stack", store.timeline.stack),
    text("find", store.timeline.search),
    span("interval", store.timeline.interval),
    {
      key: "item",
      read: () => {
        const item = store.timeline.item.value;
        if (item === null) return "";
        return `${item.location}_${item.time}${item.callpath === null ? "" : `_${item.callpath}`}`;
      },
      write: (text) => {
        const match = /^(\d+)_(\d+(?:\.\d+)?)(?:_(\d+))?$/.exec(text);
        const callpath = match?.[3] === undefined ? null : Number(match[3]);
        const isKnown = match !== null && (callpath === null || callpath < report.callpaths.length);
        store.timeline.item.value = isKnown ? { location: Number(match[1]), time: Number(match[2]), callpath } : null;
      },
    },
    flag("arrows", store.timeline.arrows),
    flag("teams", store.timeline.teams),
    flag("path", store.timeline.path),
    {
      key: "wait",
      read: () => {
        const wait = store.timeline.chosen.value;
        return wait === null ? "" : `${wait.location}_${wait.enter}`;
      },
      write: (text) => {
        const numbers = numbersOf(text);
        store.timeline.chosen.value = numbers && { location: numbers[0], enter: numbers[1] };
      },
    },
    index("aphase", store.aligned.phase, store.aligned.phases.length),
    index("at", store.aligned.iteration, Number.MAX_SAFE_INTEGER),
    signedSpan("around", store.aligned.span),
    span("aranks", store.aligned.rows),
    choice("acolor", store.aligned.coloring, ALIGNED_COLORINGS),
    index("lock", store.lock, report.locks.length),
    index("grid", store.topology, 16),
    index("phase", store.phase, report.phases.length),
    choice("matrix", store.matrix, ["messages", "operations", "delays", "blame"]),
    choice("value", store.matrixValue, ["amount", "times"]),
    {
      key: "link",
      read: () => store.matrixKind.value ?? "",
      write: (text) => {
        store.matrixKind.value = report.metricById.has(text) ? text : null;
      },
    },
    {
      key: "among",
      read: () => (store.matrixRange.value === null ? "" : `${store.matrixRange.value.from}_${store.matrixRange.value.to}`),
      write: (text) => {
        const numbers = numbersOf(text);
        const isRange = numbers !== null && numbers[0] < numbers[1] && numbers[1] <= report.locations.length;
        store.matrixRange.value = isRange ? { from: Math.floor(numbers[0]), to: Math.ceil(numbers[1]) } : null;
      },
    },
  ];
}

/** Browsers accept 200 changes of the address in 30 seconds and drop others: this number of changes is
 * allowed in a burst, and one more after each interval of some milliseconds. */
const ADDRESS_CHANGES = 40;
const ADDRESS_PAUSE = 250;

/** Synchronizes the address and the state in both directions.
 * @param prepare  changes the state of the address
 * @returns ends the synchronization */
export function bindAddress(store: Store, prepare: (store: Store) => void = () => {}): () => void {
  const all = fields(store);
  const home = `#${store.view.value}`;
  const defaults = new Map(all.map((field) => [field.key, field.read()]));

  const apply = (): void => {
    const [view = "", query = ""] = location.hash.slice(1).split("?", 2);
    const first = store.isComparing() ? "compare" : "summary";
    const known = VIEWS.find((name) => name === view) ?? first;
    store.view.value = known === "compare" ? first : known;
    const given = new URLSearchParams(query);
    for (const field of all) {
      const text = given.get(field.key) ?? defaults.get(field.key)!;
      if (text !== field.read()) field.write(text);
    }
    if (given.has("metric") && !given.has("call")) store.leaveEmptyCallpath();
  };
  // During long zooming or moving, the address follows in steps.
  let later: string | null = null;
  let left = ADDRESS_CHANGES;
  const writeLater = (): void => {
    if (later === null) return;
    if (later !== location.hash) {
      history.replaceState(null, "", later);
      if (left-- === ADDRESS_CHANGES) setTimeout(regain, ADDRESS_PAUSE);
    }
    later = null;
  };
  const regain = (): void => {
    left++;
    if (left < ADDRESS_CHANGES) setTimeout(regain, ADDRESS_PAUSE);
    if (left > 0) writeLater();
  };

  const follow = (): void => {
    later = null;
    batch(apply);
  };

  follow();
  prepare(store);
  let jumps = store.jumps.value;
  const stop = effect(() => {
    const query = new URLSearchParams();
    for (const field of all) {
      const text = field.read();
      // Without a call path, one with values of the metric may be selected.
      const isDefault = text === defaults.get(field.key) && !(field.key === "call" && query.has("metric"));
      if (!isDefault) query.set(field.key, text);
    }
    const text = query.toString();
    const hash = `#${store.view.value}${text === "" ? "" : `?${text}`}`;
    const isNewView = hash.split("?")[0] !== (location.hash.split("?")[0] || home);
    const isJump = jumps !== store.jumps.value;
    jumps = store.jumps.value;
    if (!isNewView && !isJump) {
      later = hash === home && location.hash === "" ? null : hash;
      if (left > 0) writeLater();
      return;
    }
    // Going back in the history restores the previous state.
    writeLater();
    if (hash !== location.hash) history.pushState(null, "", hash);
  });
  addEventListener("popstate", follow);
  addEventListener("hashchange", follow);
  return () => {
    writeLater();
    stop();
    removeEventListener("popstate", follow);
    removeEventListener("hashchange", follow);
  };
}
