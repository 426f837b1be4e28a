import { useComputed, useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { JSX } from "preact";
import { reportOfFile } from "../data/page";
import { ExportMenu } from "../components/ExportMenu";
import { MetricHelp } from "../components/MetricHelp";
import { Source } from "../components/Source";
import { CallpathName } from "../components/Names";
import { Splitter } from "../components/Splitter";
import { SCALE_NAMES } from "../draw/colors";
import { printable, shorten } from "../format";
import { alignReport } from "../model/align";
import { DEFAULT_THRESHOLD, type Mode, type Order, type Store } from "../state/store";
import { CallPane, MetricPane, SystemPane } from "./TreePanes";
import { treesCsv, treesPicture } from "./trees_export";

const MODES: readonly { mode: Mode; name: string; title: string }[] = [
  { mode: "absolute", name: "Values", title: "seconds, occurrences, bytes" },
  { mode: "root", name: "% of all", title: "percent of the root of the metric tree" },
  {
    mode: "selection",
    name: "% of selection",
    title: "percent of the selection in the tree to the left",
  },
  { mode: "peer", name: "% of other run", title: "percent of the same value in another experiment" },
];

/** Three coupled trees: metric, call path, system. A collapsed node shows its inclusive value, an expanded
 * node its exclusive value. The selection in a tree determines the values of the trees to its right. */
/** @returns the last parts of a long path of a file: the first parts only name the build folder. */
function endOfPath(file: string): string {
  const parts = file.split("/");
  return parts.length > 4 ? `\u2026/${parts.slice(-3).join("/")}` : file;
}

export function Trees({ store }: { store: Store }): JSX.Element {
  const split = useSignal<readonly [number, number]>([0.34, 0.36]);
  const columns = useComputed(() => {
    const [first, second] = split.value;
    return `${first}fr 7px ${second}fr 7px ${1 - first - second}fr`;
  });
  const metric = store.selectedMetric.value;
  const hasCalls = store.report.callpaths.length > 0;
  const callpath = store.callpath.value;
  const file = store.report.callpaths[callpath]?.file ?? null;
  const line = store.report.callpaths[callpath]?.line ?? null;
  return (
    <section class="view trees-view" aria-label="Trees">
      <Toolbar store={store} />
      <div class="panes" style={{ gridTemplateColumns: columns.value }}>
        <MetricPane store={store} />
        <Splitter label="Width of the metric tree" onMove={(by) => (split.value = moved(split.value, by, 0))} />
        <CallPane store={store} />
        <Splitter label="Width of the system tree" onMove={(by) => (split.value = moved(split.value, 0, by))} />
        <SystemPane store={store} />
      </div>
      <details class="about" open>
        <summary>
          <b>{metric.name}</b>
          {hasCalls && (
            <>
              {" in "}
              <CallpathName report={store.report} callpath={callpath} />
              {file !== null && (
                <span class="muted" title={printable(file)}>
                  {" "}
                  {shorten(printable(endOfPath(file)), 120)}
                  {line !== null && `:${line}`}
                </span>
              )}
            </>
          )}
        </summary>
        <div class="about-body">
          <MetricHelp report={store.report} metric={metric} />
          {file !== null && line !== null && <Source report={store.report} file={file} line={line} />}
        </div>
      </details>
    </section>
  );
}

function moved(
  [first, second]: readonly [number, number],
  left: number,
  right: number,
): readonly [number, number] {
  const least = 0.12;
  const a = Math.min(1 - 2 * least, Math.max(least, first + left));
  const b = Math.min(1 - a - least, Math.max(least, second - left + right));
  return [a, b];
}

function Toolbar({ store }: { store: Store }): JSX.Element {
  return (
    <div class="toolbar" role="toolbar" aria-label="Settings of the trees">
      <div class="segments" role="group" aria-label="Numbers">
        {MODES.filter(({ mode }) => mode !== "peer" || store.peer.value !== null).map(
          ({ mode, name, title }) => (
            <button
              type="button"
              key={mode}
              title={title}
              aria-pressed={store.mode.value === mode}
              onClick={() => (store.mode.value = mode)}
            >
              {name}
            </button>
          ),
        )}
      </div>
      <PeerChoice store={store} />
      <button type="button" title="Open the trees along the largest values (key: h)" onClick={() => store.expandHottest()}>
        Hottest
      </button>
      <label>
        Sort{" "}
        <select
          value={store.order.value}
          onChange={(event) => (store.order.value = event.currentTarget.value as Order)}
        >
          <option value="definition">as defined</option>
          <option value="value">by value</option>
          <option value="name">by name</option>
        </select>
      </label>
      <ScaleChoice store={store} />
      <label title="Smaller shares are grey">
        Grey below{" "}
        <select
          value={store.threshold.value.toString()}
          onChange={(event) => (store.threshold.value = Number(event.currentTarget.value))}
        >
          {[0, 0.001, DEFAULT_THRESHOLD, 0.01, 0.05].map((ratio) => (
            <option key={ratio} value={ratio.toString()}>
              {100 * ratio}%
            </option>
          ))}
        </select>
      </label>
      <label>
        <input
          type="checkbox"
          checked={store.zeros.value}
          onChange={(event) => (store.zeros.value = event.currentTarget.checked)}
        />{" "}
        zeros
      </label>
      <span class="spacer" />
      <ExportMenu
        store={store}
        name="trees"
        title="Severities by metric, call path and system"
        csv={() => treesCsv(store)}
        picture={() => treesPicture(store)}
      />
    </div>
  );
}

/** Colours between two limits, or up to the largest visible value. */
function ScaleChoice({ store }: { store: Store }): JSX.Element {
  const limits = store.limits.value;
  const percent = (ratio: number): string => (100 * ratio).toString();
  const change = (which: "low" | "high", text: string): void => {
    const ratio = Number(text) / 100;
    const changed = { ...(limits ?? { low: 0, high: 1 }), [which]: ratio };
    if (changed.high > changed.low && changed.low >= 0) store.limits.value = changed;
  };
  return (
    <span class="scale-choice">
      <label>
        Colours{" "}
        <select
          value={store.scale.value}
          onChange={(event) =>
            (store.scale.value = SCALE_NAMES.find((name) => name === event.currentTarget.value) ?? "heat")
          }
        >
          {SCALE_NAMES.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <label>
        <select
          aria-label="Limits of the colours"
          value={limits === null ? "auto" : "fixed"}
          onChange={(event) =>
            (store.limits.value = event.currentTarget.value === "auto" ? null : { low: 0, high: 1 })
          }
        >
          <option value="auto">up to the largest</option>
          <option value="fixed">from, to</option>
        </select>
      </label>
      {limits !== null && (
        <>
          <input
            type="number"
            aria-label="First colour, percent"
            min="0"
            max="100"
            step="any"
            value={percent(limits.low)}
            onChange={(event) => change("low", event.currentTarget.value)}
          />
          <input
            type="number"
            aria-label="Last colour, percent"
            min="0"
            max="100"
            step="any"
            value={percent(limits.high)}
            onChange={(event) => change("high", event.currentTarget.value)}
          />
          %
        </>
      )}
    </span>
  );
}

/** Selects another experiment's page for comparison. */
function PeerChoice({ store }: { store: Store }): JSX.Element {
  const input = useRef<HTMLInputElement>(null);
  const failure = useSignal("");
  const load = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    try {
      const other = await reportOfFile(await file.text());
      store.peer.value = alignReport(store.report, other);
      store.peerName.value = file.name;
      store.mode.value = "peer";
      failure.value = "";
    } catch (error) {
      failure.value = error instanceof Error ? error.message : String(error);
    }
  };
  const drop = (): void => {
    store.peer.value = null;
    if (store.mode.value === "peer") store.mode.value = "absolute";
  };
  return (
    <span>
      <input
        ref={input}
        type="file"
        accept=".html,text/html"
        hidden
        data-testid="peer-file"
        onChange={(event) => void load(event.currentTarget.files?.[0])}
      />
      {store.peer.value === null ? (
        <button type="button" title="Choose the page of another experiment" onClick={() => input.current?.click()}>
          Compare...
        </button>
      ) : (
        <button type="button" title="Stop comparing" onClick={drop}>
          {"\u00d7"} {shorten(printable(store.peerName.value), 24)}
        </button>
      )}
      {failure.value !== "" && (
        <span role="alert" class="alarm">
          {failure.value}
        </span>
      )}
    </span>
  );
}
