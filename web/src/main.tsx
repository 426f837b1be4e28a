import { render } from "preact";
import "./styles/base.css";
import "./styles/trees.css";
import "./styles/views.css";
import "./styles/timeline.css";
import { App } from "./App";
import type { JsonPage } from "./data/layout";
import { hasTimeline, reportOfDocument, timelineOfDocument } from "./data/page";
import { printable, shorten } from "./format";
import { fetchBundle, serverOfDocument } from "./data/server";
import { makeReport } from "./model/report";
import { timelineOfServer } from "./state/served";
import { Store } from "./state/store";
import { bindTheme } from "./state/theme";
import { TimelineState } from "./state/timeline";
import { bindAddress } from "./state/url";

async function start(): Promise<void> {
  const root = document.getElementById("app")!;
  const { theme, palette } = bindTheme();
  try {
    const server = serverOfDocument();
    const report = server === null ? await reportOfDocument() : makeReport(await fetchBundle<JsonPage>("report"));
    if (report === null) {
      render(<p class="empty">This viewer contains no report. Write a page with `fermata view`.</p>, root);
      return;
    }
    document.title = `${shorten(printable(report.experiment.title ?? "report"), 60)} \u2013 fermata`;
    const locations = report.locations.length;
    const timeline =
      server === null
        ? new TimelineState(locations, hasTimeline(), () => timelineOfDocument(locations))
        : new TimelineState(locations, server.timeline, (state) => timelineOfServer(report, state));
    const store = new Store(report, palette, timeline);
    bindAddress(store);
    render(<App store={store} theme={theme} />, root);
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
