// SPDX-License-Identifier: BSD-3-Clause
import { useComputed, useSignal, type Signal } from "@preact/signals";
import type { JSX } from "preact";
import { FoldThreads } from "../components/FoldThreads";
import { Spread } from "../components/Spread";
import { TreePane, type Toggle } from "../components/TreePane";
import { printable, shorten } from "../format";
import { subtree } from "../model/forest";
import { callpathNames, locationName, processTitle } from "../model/report";
import { callpathLocationValues } from "../model/severity";
import { ScaleLegend } from "../components/ScaleLegend";
import { scaleEnds, shower } from "../state/panes";
import { toggled, type CallList, type Store, type SystemView } from "../state/store";
import { Distribution, HeatMap, Ranks } from "./SystemCharts";
import { TopologyChart } from "./TopologyChart";
import { callRows, metricRows, systemRows, type TreeRows } from "./tree_rows";

/** The small charts beside the call paths are omitted for more cells than this. */
const SPREAD_CELLS = 3_000_000;
const SPREAD_WIDTH = 56;

function Search({ query, what }: { query: Signal<string>; what: string }): JSX.Element {
  return (
    <input
      type="search"
      class="pane-search"
      placeholder="Search"
      aria-label={`Search ${what}`}
      value={query.value}
      onInput={(event) => (query.value = event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === "Escape") query.value = "";
      }}
    />
  );
}

function Tabs<T extends string>(props: {
  label: string;
  value: T;
  options: readonly (readonly [T, string])[];
  onChange: (value: T) => void;
}): JSX.Element {
  return (
    <div class="segments small" role="group" aria-label={props.label}>
      {props.options.map(([value, name]) => (
        <button
          type="button"
          key={value}
          aria-pressed={props.value === value}
          onClick={() => props.onChange(value)}
        >
          {name}
        </button>
      ))}
    </div>
  );
}

function toggle(
  tree: TreeRows,
  open: Signal<ReadonlySet<number>>,
  node: number,
  how: Toggle,
): void {
  if (how === "one") {
    open.value = toggled(open.value, node);
    return;
  }
  const below = subtree(tree.forest, node).filter((each) => tree.forest.children[each]!.length > 0);
  const changed = new Set(open.value);
  const closes = how === "all" && changed.has(node);
  for (const each of below) {
    if (closes) changed.delete(each);
    else changed.add(each);
  }
  open.value = changed;
}

function nodesOf(tree: TreeRows): number[] {
  return tree.rows.map((row) => row.node);
}

export function MetricPane({ store }: { store: Store }): JSX.Element {
  const query = useSignal("");
  const tree = useComputed(() => metricRows(store, query.value));
  const shown = useComputed(() => shower(store, tree.value.numbers, nodesOf(tree.value)));
  const metrics = store.metricList.value;
  const selected = store.selectedMetric.value.index;
  return (
    <section class="pane" aria-label="Metrics">
      <header>
        <h2>Metric</h2>
        <span class="spacer" />
        <Search query={query} what="metrics" />
      </header>
      <TreePane
        id="metric-tree"
        label="Metrics"
        rows={tree.value.rows}
        selected={selected}
        name={tree.value.name}
        isMarked={(node) => metrics[node]!.isWaitState && metrics[node]!.root === metrics[0]!.root}
        isOpen={tree.value.isOpen}
        hasChildren={(node) =>
          store.metricForest.value.children[node]!.some(
            (child) => store.zeros.value || store.metricOccurs.value(child) || child === selected,
          )
        }
        shown={(node) => {
          const all = shown.value(node);
          // The value of a tree relative to itself is 100 %: no bar.
          const isWhole = metrics[node]!.root === node && !tree.value.isOpen(node);
          return isWhole && store.mode.value !== "difference" ? { ...all, fraction: 0 } : all;
        }}
        onSelect={(node) => {
          store.metric.value = node;
          store.leaveEmptyCallpath();
        }}
        onToggle={(node, how) => toggle(tree.value, store.metricOpen, node, how)}
        empty="No metric has this name."
      />
      <ScaleLegend store={store} {...scaleEnds(store, tree.value.numbers, nodesOf(tree.value))} />
    </section>
  );
}

export function CallPane({ store }: { store: Store }): JSX.Element {
  const query = useSignal("");
  const report = store.trees;
  const tree = useComputed(() => callRows(store, query.value));
  const shown = useComputed(() => shower(store, tree.value.numbers, nodesOf(tree.value)));
  const width = report.locations.length;
  const spreads = useComputed(() =>
    width > 1 && width * report.callpaths.length <= SPREAD_CELLS
      ? store.shownOf(width * report.callpaths.length, (run, metrics) => callpathLocationValues(run, metrics))
      : null,
  );
  const isTree = store.callList.value === "tree";
  const spread = (node: number): JSX.Element | null => {
    if (spreads.value === null) return null;
    return (
      <Spread
        values={spreads.value.subarray(node * width, (node + 1) * width)}
        color={store.palette.value.muted}
        width={SPREAD_WIDTH}
        height={16}
        label=""
      />
    );
  };
  return (
    <section class="pane" aria-label="Call paths">
      <header>
        <h2>Call path</h2>
        <Tabs<CallList>
          label="Form of the call tree"
          value={store.callList.value}
          options={[
            ["tree", "Tree"],
            ["paths", "Paths"],
            ["functions", "Functions"],
            ...(store.parameters.length > 0 ? ([["parameter", "Parameter"]] as const) : []),
          ]}
          onChange={(value) => (store.callList.value = value)}
        />
        {store.callList.value === "parameter" && store.parameters.length > 1 && (
          <select
            aria-label="Parameter by whose values the call paths are grouped"
            value={store.shownParameter()}
            onChange={(event) => (store.parameter.value = event.currentTarget.value)}
          >
            {store.parameters.map((name) => (
              <option key={name} value={name}>
                {shorten(printable(name), 30)}
              </option>
            ))}
          </select>
        )}
        <span class="spacer" />
        <Search query={query} what="call paths" />
      </header>
      <TreePane
        id="call-tree"
        label="Call paths"
        rows={tree.value.rows}
        selected={store.callpath.value}
        name={tree.value.name}
        detail={(node) =>
          store.callList.value === "paths" ? callpathNames(report, node).slice(0, -1).reverse().join(" \u2190 ") : ""
        }
        isOpen={tree.value.isOpen}
        hasChildren={(node) => isTree && report.callForest.children[node]!.length > 0}
        shown={shown.value}
        spread={isTree ? spread : undefined}
        onSelect={(node) => (store.callpath.value = node)}
        onToggle={(node, how) => toggle(tree.value, store.callOpen, node, how)}
        empty={query.value === "" ? "No values of this metric." : "No call path has this name."}
      />
      <ScaleLegend store={store} {...scaleEnds(store, tree.value.numbers, nodesOf(tree.value))} />
    </section>
  );
}

export function SystemPane({ store }: { store: Store }): JSX.Element {
  const query = useSignal("");
  const tree = useComputed(() => systemRows(store, query.value));
  const shown = useComputed(() => shower(store, tree.value.numbers, nodesOf(tree.value)));
  const { system } = store;
  const view = store.systemView.value;
  const names = useComputed(() => {
    const { locations } = store.trees;
    // Names that are all the same, or that only number the locations, carry no information.
    return locations.some(
      ({ name, index }) => name !== locations[0]!.name && name !== locationName(store.trees, index),
    );
  });
  return (
    <section class="pane" aria-label="System">
      <header>
        <h2>System</h2>
        <Tabs<SystemView>
          label="Form of the system tree"
          value={view}
          options={[
            ["tree", "Tree"],
            ["ranks", processTitle(store.trees, 2)],
            ["distribution", "Box"],
            ["heatmap", "Heat map"],
            ...(store.trees.topologies.length > 0 ? ([["topology", "Topology"]] as const) : []),
          ]}
          onChange={(value) => (store.systemView.value = value)}
        />
        <span class="spacer" />
        {view === "tree" && <Search query={query} what="locations" />}
        {view !== "topology" && store.threaded.length > 0 && (
          <FoldThreads
            fold={() => store.foldThreads()}
            unfold={() => store.unfoldThreads()}
            isFolded={store.threadsFolded.value}
            isUnfolded={store.threadsUnfolded.value}
          />
        )}
      </header>
      {view === "tree" && (
        <TreePane
          id="system-tree"
          label="System"
          rows={tree.value.rows}
          selected={store.systemNode.value}
          name={tree.value.name}
          detail={(node) => {
            const location = system.location[node]!;
            if (location < 0 || !names.value) return "";
            return store.trees.locations[location]!.name;
          }}
          isOpen={tree.value.isOpen}
          hasChildren={(node) => system.forest.children[node]!.length > 0}
          shown={shown.value}
          onSelect={(node) => (store.systemNode.value = node)}
          onToggle={(node, how) => toggle(tree.value, store.systemOpen, node, how)}
          empty="No location has this name."
        />
      )}
      {view === "tree" && <ScaleLegend store={store} {...scaleEnds(store, tree.value.numbers, nodesOf(tree.value))} />}
      {view === "ranks" && <Ranks store={store} />}
      {view === "distribution" && <Distribution store={store} />}
      {view === "heatmap" && <HeatMap store={store} />}
      {view === "topology" && <TopologyChart store={store} />}
    </section>
  );
}
