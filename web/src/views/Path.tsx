// SPDX-License-Identifier: BSD-3-Clause
import { useCallback } from "preact/hooks";
import type { JSX } from "preact";
import { Chart, type Hit } from "../components/Chart";
import { ExportMenu } from "../components/ExportMenu";
import { CallpathName, callpathText } from "../components/Names";
import { drawCriticalPath, segmentAt } from "../draw/critical_path";
import type { Surface } from "../draw/surface";
import { csvOf } from "../export/csv";
import { formatCount, formatError, formatInterval, formatPercent, formatSeconds } from "../format";
import { inUnits, locationName, locationWord, type Report } from "../model/report";
import { callpathValues, metricSet } from "../model/severity";
import type { Store } from "../state/store";

const HEIGHT = 260;
const PICTURE_WIDTH = 1000;
const ROWS = 60;

/** The critical path: the chain of activities that determines the run time. */
export function Path({ store }: { store: Store }): JSX.Element {
  const { report } = store;
  const palette = store.palette.value;
  const path = report.criticalPath;
  const draw = useCallback((surface: Surface) => drawCriticalPath(surface, palette, report), [palette, report]);
  const metric = report.metricById.get("critical_path");
  if (metric === undefined || path.location.length === 0) {
    return (
      <section class="view" aria-label="Critical path">
        <p class="empty">There is no critical path in this report.</p>
      </section>
    );
  }
  const hit = (x: number, _y: number, width: number): Hit | null => {
    const segment = segmentAt(report, x, width);
    if (segment < 0) return null;
    const begin = path.edge[segment]!;
    const end = path.edge[segment + 1]!;
    const interval = formatInterval(inUnits(report, "sec", begin), inUnits(report, "sec", end));
    return {
      lines: [locationName(report, path.location[segment]!), interval],
      activate: () => store.selectLocation(path.location[segment]!),
    };
  };
  const rows = pathRows(store);
  return (
    <section class="view path-view" aria-label="Critical path">
      <div class="toolbar">
        <span class="muted">
          The chain of activities that determined the length of the run. Only a shorter critical path makes the run
          shorter.
        </span>
        <span class="spacer" />
        <ExportMenu
          store={store}
          name="critical-path"
          title="Critical path"
          csv={() =>
            csvOf(
              ["location", "begin", "end"],
              Array.from(path.location, (location, i) => [
                location,
                inUnits(report, "sec", path.edge[i]!),
                inUnits(report, "sec", path.edge[i + 1]!),
              ]),
            )
          }
          picture={() => ({
            width: PICTURE_WIDTH,
            height: HEIGHT,
            draw: (surface, colors) => drawCriticalPath(surface, colors, report),
          })}
        />
      </div>
      <Chart
        draw={draw}
        hit={hit}
        height={HEIGHT}
        label={`Critical path: ${path.location.length} segments on the locations over time`}
        testId="path-chart"
      />
      <Switches report={report} />
      <table class="grid">
        <thead>
          <tr>
            <th scope="col">Call path</th>
            <th scope="col">On the path</th>
            <th scope="col">Share</th>
            <td />
            <th scope="col" title="maximum saving by perfect balance of this call path">
              By imbalance
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, ROWS).map((row) => (
            <tr key={row.callpath} onClick={() => store.showInTrees("critical_path", row.callpath)}>
              <th scope="row">
                <button type="button" class="link" title={callpathText(report, row.callpath)}>
                  <CallpathName report={report} callpath={row.callpath} />
                </button>
              </th>
              <td>{formatSeconds(row.time)}</td>
              <td>
                {formatPercent(row.share)}
                {formatError(row.error, 1)}
              </td>
              <td class="meter" aria-hidden="true">
                <span class="path" style={{ width: `${100 * (row.share - row.excessShare)}%` }} />
                <span class="cause" style={{ width: `${100 * row.excessShare}%` }} />
              </td>
              <td>{row.excess > 0 ? formatSeconds(row.excess) : ""}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** At how many switches to other locations the path may as well lead elsewhere. */
function Switches({ report }: { report: Report }): JSX.Element | null {
  const { pathErrors } = report;
  if (pathErrors === null || pathErrors.insignificant_turns === 0) return null;
  const { turns, insignificant_turns: short } = pathErrors;
  return (
    <p class="muted">
      {formatCount(short)} of {formatCount(turns)} {turns === 1 ? "switch" : "switches"} of the path to other {locationWord(report, 2)}{" "}
      {short === 1 ? "is" : "are"} at waits shorter than the error of their times: there the path may as well lead elsewhere.
    </p>
  );
}

function pathRows(store: Store) {
  const { report } = store;
  const of = (id: string): Float64Array => {
    const metric = report.metricById.get(id);
    return metric === undefined
      ? new Float64Array(report.callpaths.length)
      : callpathValues(report, metricSet(report, metric.index, false)).exclusive;
  };
  const time = of("critical_path");
  const excess = of("critical_path_imbalance");
  const whole = time.reduce((sum, value) => sum + value, 0);
  const errors = new Map(report.pathErrors?.callpaths.map((each) => [each.callpath, each.error]));
  return Array.from(time.keys())
    .filter((callpath) => time[callpath]! > 0)
    .sort((a, b) => time[b]! - time[a]!)
    .map((callpath) => ({
      callpath,
      time: inUnits(report, "sec", time[callpath]!),
      share: time[callpath]! / whole,
      error: (errors.get(callpath) ?? 0) / inUnits(report, "sec", whole),
      excess: inUnits(report, "sec", excess[callpath]!),
      excessShare: excess[callpath]! / whole,
    }));
}
