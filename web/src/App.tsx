// SPDX-License-Identifier: BSD-3-Clause
import { useSignal, type Signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { JSX } from "preact";
import { Help } from "./components/Help";
import { SearchPalette } from "./components/Palette";
import { printable, shorten } from "./format";
import { processTitle, type Report } from "./model/report";
import type { Store, ViewName } from "./state/store";
import type { Theme } from "./state/theme";
import type { ChosenRun } from "./data/page";
import { Compare } from "./views/Compare";
import { EfficiencyView } from "./views/Efficiency";
import { Locks } from "./views/Locks";
import { Matrices } from "./views/Matrices";
import { Metrics } from "./views/Metrics";
import { Path } from "./views/Path";
import { Run } from "./views/Run";
import { Summary } from "./views/Summary";
import { TimelineView } from "./views/timeline/Timeline";
import { Trees } from "./views/Trees";
import { Waits } from "./views/Waits";

interface Tab {
  readonly view: ViewName;
  readonly name: string;
}

const TABS: readonly Tab[] = [
  { view: "summary", name: "Summary" },
  { view: "trees", name: "Trees" },
  { view: "timeline", name: "Timeline" },
  { view: "waits", name: "Wait states" },
  { view: "path", name: "Critical path" },
  { view: "efficiency", name: "Efficiency" },
  { view: "matrices", name: "Matrices" },
  { view: "locks", name: "Locks" },
  { view: "metrics", name: "Metrics" },
  { view: "run", name: "Run" },
];

/** Views that need a trace: a report of counters only has nothing for them. */
const OF_TRACES: readonly ViewName[] = ["timeline", "waits", "path", "locks"];

/** Whether a view has something of a report. Counters only may lack the traffic of pairs of ranks. */
function isThere(view: ViewName, report: Report): boolean {
  const isMissing = view === "matrices" ? report.matrices.every(({ count }) => count === 0) : OF_TRACES.includes(view);
  return !report.summary.is_profile || !isMissing;
}

/** Of a page with several runs. It has no number. */
const COMPARE: Tab = { view: "compare", name: "Compare" };

const NEXT_THEME: Record<Theme, Theme> = { auto: "light", light: "dark", dark: "auto" };

interface Props {
  store: Store;
  theme: Signal<Theme>;
  /** Whether the last run was chosen from a file. */
  chosen: boolean;
  /** Compares with the run of another page too, or no longer (null). */
  choose: (run: ChosenRun | null) => void;
}

export function App({ store, theme, chosen, choose }: Props): JSX.Element {
  const overlay = useSignal<"none" | "search" | "keys">("none");
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => onShortcut(event, store, overlay);
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  const { experiment } = store.report;
  const view = store.view.value;
  const shown = TABS.filter((tab) => isThere(tab.view, store.report));
  const tabs = store.isComparing() ? [COMPARE, ...shown] : shown;
  return (
    <>
      <header class="top">
        <a class="brand" href="#summary" aria-label="fermata: summary">
          <svg viewBox="0 0 32 22" width="26" height="18" aria-hidden="true">
            <path d="M3 19a13 13 0 0 1 26 0" fill="none" stroke="currentColor" stroke-width="3.6" />
            <circle cx="16" cy="17.4" r="3.2" fill="currentColor" />
          </svg>
          fermata
        </a>
        <span class="title" title={shorten(printable(experiment.command ?? ""), 1000)}>
          {shorten(printable(experiment.title ?? "Experiment"), 60)}
        </span>
        <nav aria-label="Views">
          {tabs.map((tab) => (
            <button
              type="button"
              key={tab.view}
              aria-current={view === tab.view ? "page" : undefined}
              onClick={() => (store.view.value = tab.view)}
            >
              {tab.name}
              {tab.view === "run" && store.report.warnings.length > 0 && (
                <span class="badge" aria-label={`${store.report.warnings.length} warnings`}>
                  {store.report.warnings.length}
                </span>
              )}
            </button>
          ))}
        </nav>
        <span class="spacer" />
        <button type="button" class="quiet" onClick={() => (overlay.value = "search")} title="Search (key: /)">
          Search <kbd>/</kbd>
        </button>
        <button
          type="button"
          class="quiet"
          title="Light, dark, or system theme"
          onClick={() => (theme.value = NEXT_THEME[theme.value])}
        >
          {theme.value === "auto" ? "Auto" : theme.value === "light" ? "Light" : "Dark"}
        </button>
        <button type="button" class="quiet" onClick={() => (overlay.value = "keys")} title="Keys and licences (key: ?)">
          ?
        </button>
      </header>
      <main tabIndex={0}>
        {view !== "summary" && view !== "metrics" && <h1 class="unseen">{tabs.find((tab) => tab.view === view)?.name}</h1>}
        {view === "timeline" && <h2 class="unseen">{processTitle(store.report, 2)} over time</h2>}
        {view === "summary" && <Summary store={store} />}
        {view === "compare" && <Compare store={store} />}
        {view === "trees" && <Trees store={store} chosen={chosen} choose={choose} />}
        {view === "timeline" && <TimelineView store={store} />}
        {view === "waits" && <Waits store={store} />}
        {view === "path" && <Path store={store} />}
        {view === "efficiency" && <EfficiencyView store={store} />}
        {view === "matrices" && <Matrices store={store} />}
        {view === "locks" && <Locks store={store} />}
        {view === "metrics" && <Metrics store={store} />}
        {view === "run" && <Run store={store} />}
      </main>
      {overlay.value === "search" && (
        <SearchPalette store={store} onClose={() => (overlay.value = "none")} />
      )}
      {overlay.value === "keys" && <Help report={store.report} onClose={() => (overlay.value = "none")} />}
    </>
  );
}

function onShortcut(event: KeyboardEvent, store: Store, overlay: Signal<"none" | "search" | "keys">): void {
  // The view has its own meaning of the key.
  if (event.defaultPrevented) return;
  const digit = /^Digit([0-9])$/.exec(event.code);
  if (event.key === "Escape" && overlay.value !== "none") {
    overlay.value = "none";
    return;
  }
  const target = event.target as HTMLElement;
  const isTyping = target.matches("input:not([type=checkbox]), select, textarea");
  if ((event.ctrlKey || event.metaKey) && event.key === "k") overlay.value = "search";
  else if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  else if (event.key === "/") overlay.value = "search";
  else if (event.key === "?") overlay.value = overlay.value === "keys" ? "none" : "keys";
  else if (event.key === "h" && store.view.value === "trees") store.expandHottest();
  else if (event.key === "m" && store.view.value === "trees") nextMode(store);
  else if (event.shiftKey && digit !== null) store.view.value = TABS[(Number(digit[1]) + 9) % 10]!.view;
  else if (/^[0-9]$/.test(event.key)) store.view.value = TABS[(Number(event.key) + 9) % 10]!.view;
  else return;
  event.preventDefault();
}

function nextMode(store: Store): void {
  const modes = ["absolute", "root", "selection", ...(store.isComparing() ? (["difference", "peer"] as const) : [])] as const;
  const at = modes.findIndex((mode) => mode === store.mode.value);
  store.mode.value = modes[(at + 1) % modes.length]!;
}
