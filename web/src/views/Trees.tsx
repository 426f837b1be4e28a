// SPDX-License-Identifier: BSD-3-Clause
import { useComputed, useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { JSX } from "preact";
import { runOfFile, type ChosenRun } from "../data/page";
import { ExportMenu } from "../components/ExportMenu";
import { MetricHelp } from "../components/MetricHelp";
import { Source } from "../components/Source";
import { CallpathName } from "../components/Names";
import { Splitter } from "../components/Splitter";
import { SCALE_NAMES } from "../draw/colors";
import { printable, shorten } from "../format";
import { DEFAULT_THRESHOLD, type Mode, type Order, type Store } from "../state/store";
import { DerivedMetrics } from "../components/DerivedMetrics";
import { ParameterTable } from "./ParameterTable";
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
  { mode: "difference", name: "Difference", title: "the other run minus the first run" },
  { mode: "peer", name: "% of other run", title: "the first run in percent of the same value in the other run" },
];

/** @returns the last parts of a long path of a file: the first parts only name the build folder. */
function endOfPath(file: string): string {
  const parts = file.split("/");
  return parts.length > 4 ? `\u2026/${parts.slice(-3).join("/")}` : file;
}

interface Props {
  store: Store;
  /** Whether the last run was chosen from a file. */
  chosen: boolean;
  choose: (run: ChosenRun | null) => void;
}

/** Three coupled trees: metric, call path, system. A collapsed node shows its inclusive value, an expanded
 * node its exclusive value. The selection in a tree determines the values of the trees to its right. */
export function Trees({ store, chosen, choose }: Props): JSX.Element {
  const split = useSignal<readonly [number, number]>([0.34, 0.36]);
  const columns = useComputed(() => {
    const [first, second] = split.value;
    return `${first}fr 7px ${second}fr 7px ${1 - first - second}fr`;
  });
  const metric = store.selectedMetric.value;
  const report = store.trees;
  const hasCalls = report.callpaths.length > 0;
  const callpath = store.callpath.value;
  const file = report.callpaths[callpath]?.file ?? null;
  const line = report.callpaths[callpath]?.line ?? null;
  return (
    <section class="view trees-view" aria-label="Trees">
      <Toolbar store={store} chosen={chosen} choose={choose} />
      <DerivedMetrics store={store} />
      <div class="panes" style={{ gridTemplateColumns: columns.value }}>
        <MetricPane store={store} />
        <Splitter label="Width of the metric tree" at={split.value[0]} onMove={(by) => (split.value = moved(split.value, by, 0))} />
        <CallPane store={store} />
        <Splitter label="Width of the system tree" at={split.value[0] + split.value[1]} onMove={(by) => (split.value = moved(split.value, 0, by))} />
        <SystemPane store={store} />
      </div>
      <details class="about" open>
        <summary>
          <b>{metric.name}</b>
          {hasCalls && (
            <>
              {" in "}
              <CallpathName report={report} callpath={callpath} />
              {file !== null && (
                <span class="muted" title={printable(file)}>
                  {" "}
                  {shorten(printable(endOfPath(file)), 120)}
                  {line !== null && `:${line}`}
                </span>
              )}
              {report.callpaths[callpath]!.isEstimated && <span class="muted"> (by samples)</span>}
            </>
          )}
        </summary>
        <div class="about-body">
          {store.callList.value === "parameter" && <ParameterTable store={store} />}
          <MetricHelp report={report} metric={metric} />
          {file !== null && line !== null && <Source report={report} file={file} line={line} />}
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

function Toolbar({ store, chosen, choose }: Props): JSX.Element {
  return (
    <div class="toolbar" role="toolbar" aria-label="Settings of the trees">
      <div class="segments" role="group" aria-label="Numbers">
        {MODES.filter(({ mode }) => (mode !== "peer" && mode !== "difference") || store.isComparing()).map(
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
      {store.isComparing() && <RunChoice store={store} />}
      <PeerChoice chosen={chosen} choose={choose} />
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

/** The run whose values are displayed, or that is compared with the first one. */
function RunChoice({ store }: { store: Store }): JSX.Element {
  const isRelative = store.isRelative();
  return (
    <label>
      {isRelative ? "Other run" : "Run"}{" "}
      <select
        value={(isRelative ? store.otherRun() : store.run.value).toString()}
        onChange={(event) => (store.run.value = Number(event.currentTarget.value))}
      >
        {store.names.map((name, run) =>
          isRelative && run === 0 ? null : (
            <option key={run} value={run.toString()}>
              {name}
            </option>
          ),
        )}
      </select>
    </label>
  );
}

/** Selects another experiment's page for comparison. */
function PeerChoice({ chosen, choose }: Omit<Props, "store">): JSX.Element {
  const input = useRef<HTMLInputElement>(null);
  const failure = useSignal("");
  const load = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    try {
      const other = await runOfFile(await file.text());
      choose({ ...other, report: { ...other.report, name: file.name } });
    } catch (error) {
      failure.value = error instanceof Error ? error.message : String(error);
    }
  };
  return (
    <span>
      <input
        ref={input}
        type="file"
        accept=".html,text/html"
        hidden
        aria-label="Page of another experiment"
        data-testid="peer-file"
        onChange={(event) => void load(event.currentTarget.files?.[0])}
      />
      {chosen ? (
        <button type="button" title="Stop comparing" onClick={() => choose(null)}>
          {"\u00d7"} comparison
        </button>
      ) : (
        <button type="button" title="Choose the page of another experiment" onClick={() => input.current?.click()}>
          Compare...
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
