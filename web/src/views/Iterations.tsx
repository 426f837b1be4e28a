// SPDX-License-Identifier: BSD-3-Clause
import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import type { JSX } from "preact";
import { Chart, type Hit } from "../components/Chart";
import { drawIterationMap, iterationCell, type IterationMapModel } from "../draw/iteration_map";
import type { Surface } from "../draw/surface";
import { drawTimeline, type TimelineScene } from "../draw/timeline/timeline";
import { timelineColors } from "../draw/timeline/timeline_colors";
import { scaleColor } from "../draw/colors";
import { formatSeconds } from "../format";
import { plainArrangement } from "../model/arrangement";
import { iterationMap, worstAndTypical } from "../model/iterations";
import { inUnits, locationName, type Iteration, type Phase, locationWord, shortLocationName } from "../model/report";
import type { Timeline } from "../model/timeline";
import type { Store } from "../state/store";

interface Props {
  store: Store;
  phase: Phase;
}

/** The iterations of a phase by rank: a heat map, and the longest iteration beside a typical one. */
export function Iterations({ store, phase }: Props): JSX.Element | null {
  const { timeline } = store;
  useEffect(() => timeline.load(), []);
  const data = timeline.data.value;
  if (data === null) {
    if (!timeline.isThere || timeline.failure.value !== null) return null;
    return (
      <p class="muted" aria-busy="true">
        Reading the timeline...
      </p>
    );
  }
  if (phase.rows.length === 0) return null;
  return (
    <>
      <HeatMap store={store} phase={phase} timeline={data} />
      <Pair store={store} phase={phase} timeline={data} />
    </>
  );
}

type Value = "computation" | "waiting";

const ROW_HEIGHT = 9;
const SHADES = 12;

function nameOf({ first, count }: Iteration): string {
  return count === 1 ? `iteration ${first}` : `iterations ${first} to ${first + count - 1}`;
}

function HeatMap({ store, phase, timeline }: Props & { timeline: Timeline }): JSX.Element {
  const { report } = store;
  const palette = store.palette.value;
  const [shown, setShown] = useState<Value>("computation");
  const map = useMemo(
    () => iterationMap(timeline, phase, report.locations.length),
    [phase, timeline.isTiled ? timeline.overview : timeline.segments],
  );
  const scale = store.scale.value;
  const model = useMemo<IterationMapModel>(() => {
    const values = map[shown];
    const most = values.reduce((largest, value) => Math.max(largest, value), 0);
    return { map, phase, values, most, names: report.locations.map((_, location) => shortLocationName(report, location)), scale };
  }, [map, phase, shown, scale]);
  const draw = useCallback((surface: Surface) => drawIterationMap(surface, palette, model), [palette, model]);
  const seconds = (ticks: number): string => formatSeconds(inUnits(report, "sec", ticks));
  const hit = (x: number, y: number, width: number, height: number): Hit | null => {
    const found = iterationCell(model, x, y, width, height);
    if (found === null) return null;
    const cell = found.row * map.columns.length + found.column;
    const { first, end } = map.columns[found.column]!;
    const from = phase.rows[first]!;
    const to = phase.rows[end - 1]!;
    const name = nameOf({ ...from, count: to.first + to.count - from.first });
    const who = locationName(report, map.location[cell]!);
    return {
      lines: [
        `${who}, ${name}`,
        `computation ${seconds(map.computation[cell]!)}`,
        `waiting ${seconds(map.waiting[cell]!)}`,
        ...(map.group > 1 ? [`the largest values of ${map.group} ${locationWord(report, map.group)}`] : []),
        "click for its timeline",
      ],
      activate: () => store.showInterval(from.begin, to.end),
    };
  };
  const shades = Array.from({ length: SHADES }, (_, i) => scaleColor(scale, palette.dark, i / (SHADES - 1)));
  return (
    <>
      <div class="toolbar">
        <h3>Iterations by {locationWord(report, 1)}</h3>
        <span class="segments" role="group" aria-label="Values of the heat map">
          {(["computation", "waiting"] as const).map((value) => (
            <button type="button" key={value} aria-pressed={shown === value} onClick={() => setShown(value)}>
              {value === "computation" ? "Computation" : "Waiting"}
            </button>
          ))}
        </span>
        <ul class="legend timeline-legend" aria-label="Legend of the heat map">
          <li>
            0 s
            <span class="swatch scale" style={{ background: `linear-gradient(to right, ${shades.join(",")})` }} />
            {seconds(model.most)}
          </li>
        </ul>
      </div>
      <Chart
        draw={draw}
        hit={hit}
        height={Math.min(420, Math.max(120, map.rows * ROW_HEIGHT + 24))}
        label={`${shown === "computation" ? "Computation" : "Waiting"} of each ${locationWord(report, 1)} in each iteration, up to ${seconds(model.most)}`}
        testId="iteration-map"
      />
    </>
  );
}

const PAIR_HEIGHT = 260;

/** The longest and a typical iteration, in the same scale. */
function Pair({ store, phase, timeline }: Props & { timeline: Timeline }): JSX.Element | null {
  const { worst, typical } = worstAndTypical(phase);
  if (worst === typical) return null;
  const length = phase.rows[worst]!.end - phase.rows[worst]!.begin;
  return (
    <div class="iteration-pair">
      {([["Longest", worst], ["Typical", typical]] as const).map(([name, row]) => (
        <Picture key={name} {...{ store, timeline, name, length }} iteration={phase.rows[row]!} />
      ))}
    </div>
  );
}

function Picture(props: { store: Store; timeline: Timeline; name: string; iteration: Iteration; length: number }): JSX.Element {
  const { store, timeline, name, iteration, length } = props;
  const { report } = store;
  const palette = store.palette.value;
  const scene = useMemo<TimelineScene>(
    () => ({
      report,
      timeline,
      colors: timelineColors(report, timeline, "class", palette, store.scale.value),
      span: { from: iteration.begin, to: iteration.begin + length },
      rows: { from: 0, to: report.locations.length },
      arrangement: plainArrangement(report.locations.length),
      field: null,
      scale: store.scale.value,
      arrows: false,
      teams: false,
      phase: null,
      stack: false,
      interval: { from: iteration.begin, to: iteration.end },
      item: null,
      totals: null,
      path: null,
      chosen: -1,
      chain: [],
    }),
    [report, timeline, palette, iteration, length],
  );
  const draw = useCallback((surface: Surface) => drawTimeline(surface, palette, scene), [palette, scene]);
  const duration = formatSeconds(inUnits(report, "sec", iteration.duration / iteration.count));
  const show = (): void => store.showInterval(iteration.begin, iteration.end);
  return (
    <figure>
      <figcaption>
        {name}:{" "}
        <button type="button" class="link" onClick={show}>
          {nameOf(iteration)}
        </button>
        , {duration}
        {iteration.slowest >= 0 && <span class="muted">; {locationName(report, iteration.slowest)} computed longest</span>}
      </figcaption>
      <Chart
        draw={draw}
        hit={() => ({ lines: [nameOf(iteration), "click for its timeline"], activate: show })}
        height={PAIR_HEIGHT}
        label={`${name} iteration: ${nameOf(iteration)}, ${duration}`}
        testId={`iteration-${name.toLowerCase()}`}
      />
    </figure>
  );
}
