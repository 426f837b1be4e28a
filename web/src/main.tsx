// SPDX-License-Identifier: BSD-3-Clause
import { render } from "preact";
import "./styles/base.css";
import "./styles/trees.css";
import "./styles/views.css";
import "./styles/timeline.css";
import { App } from "./App";
import type { JsonPage } from "./data/layout";
import { hasTimeline, reportsOfDocument, timelineOfDocument, type ChosenRun } from "./data/page";
import { printable, shorten } from "./format";
import { fetchBundle, ofRun, serverOfDocument, type Server } from "./data/server";
import { makeReport, type Report } from "./model/report";
import { timelineOfServer } from "./state/served";
import { Store } from "./state/store";
import { bindTheme } from "./state/theme";
import { TimelineState } from "./state/timeline";
import { bindAddress } from "./state/url";

async function reportsOfServer(server: Server): Promise<Report[]> {
  return Promise.all(
    server.timelines.map(async (_, run) => makeReport(await fetchBundle<JsonPage>(ofRun("report", run)))),
  );
}

/** @returns the name of a run, of which `fermata whatif` states that it was predicted: src/cli/whatif. */
function nameOf({ name, warnings }: Report): string {
  return warnings[0]?.startsWith("predicted from ") === true ? `${shorten(printable(name), 48)} (predicted)` : name;
}

/** @returns distinct names of runs. */
function distinct(names: readonly string[]): string[] {
  const shown = names.map((name) => shorten(printable(name), 60));
  return shown.map((name, i) => (shown.indexOf(name) === i ? name : `${name} (${i + 1})`));
}

function stateOfChosen({ report, timeline }: ChosenRun): TimelineState {
  const read = timeline ?? (() => Promise.reject(new Error("the page has no timeline")));
  return new TimelineState(report.locations.length, timeline !== null, read);
}

async function start(): Promise<void> {
  const root = document.getElementById("app")!;
  const { theme, palette } = bindTheme();
  try {
    const server = serverOfDocument();
    const reports = server === null ? await reportsOfDocument() : await reportsOfServer(server);
    const report = reports[0];
    if (report === undefined) {
      render(<p class="empty">This viewer contains no report. Write a page with `fermata view`.</p>, root);
      return;
    }
    document.title = `${shorten(printable(report.experiment.title ?? "report"), 60)} \u2013 fermata`;
    const makeState = (run: number): TimelineState => {
      const locations = reports[run]!.locations.length;
      return server === null
        ? new TimelineState(locations, hasTimeline(run), () => timelineOfDocument(run, locations))
        : new TimelineState(locations, server.timelines[run]!, (state) => timelineOfServer(reports[run]!, run, state));
    };
    const timeline = makeState(0);
    // Those of a comparison have a common time: the timeline of the first run alone has its own.
    const aligned = reports.map((_, run) => makeState(run));
    let shown = 0;
    let leave = (): void => {};
    // Another run can be chosen from a file: all that depends on the dimensions is made again.
    const show = (chosen: ChosenRun | null, prepare: (store: Store) => void): void => {
      leave();
      const runs = chosen === null ? reports : [...reports, chosen.report];
      const states = chosen === null ? aligned : [...aligned, stateOfChosen(chosen)];
      const store = new Store(runs, distinct(runs.map(nameOf)), palette, timeline, states);
      leave = bindAddress(store, prepare);
      const choose = (chosen: ChosenRun | null): void => {
        const mode = chosen === null ? "absolute" : "peer";
        show(chosen, (made) => {
          made.mode.value = reports.length > 1 && chosen === null ? "difference" : mode;
          if (chosen !== null) made.run.value = reports.length;
        });
      };
      render(<App key={++shown} store={store} theme={theme} chosen={chosen !== null} choose={choose} />, root);
    };
    show(null, () => {});
    // For measurements: the time at which the requested view was displayed.
    performance.mark("fermata-ready");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    render(
      <p class="empty" role="alert">
        The report in this page cannot be read: {reason}. It needs a browser of 2023 or later.
      </p>,
      root,
    );
  }
}

void start();
