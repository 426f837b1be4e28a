// SPDX-License-Identifier: BSD-3-Clause
import type { JSX } from "preact";
import { Linked, To } from "../components/Linked";
import { callpathText } from "../components/Names";
import { formatCount, formatRanges, printable, shorten } from "../format";
import { makeHangGraph, type HangEdge, type HangGraph, type HangNode, type HangState } from "../model/hang";
import { callName, locationWord, shortLocationName, type Report } from "../model/report";
import type { Store } from "../state/store";

const BOX = { width: 196, height: 42 };
const SIZE = { width: 720, margin: 30 };
const MOST_NODES = 6;
const LONGEST = 30;
const RANGES = 3;

const STATES: Readonly<Record<HangState, string>> = {
  stuck: "can never go on",
  waiting: "waits",
  inside: "has entered its call only just now",
  elsewhere: "is in no call that hangs",
  ended: "ended before",
};

/** Of a run that ended inside of calls: who waits for whom, in sentences and as a graph. */
export function Hang({ store }: { store: Store }): JSX.Element | null {
  const { hang: text } = store.report.summary;
  const { hang } = store.report;
  if (text === null || hang === null) return null;
  const graph = makeHangGraph(hang, MOST_NODES);
  return (
    <section class={`hang ${hang.kind}`} aria-label="How the run ended" data-testid="hang">
      <h2>{hang.kind === "none" ? <Linked store={store} text={text.headline} /> : "Who waits for whom at the end"}</h2>
      {graph.edges.length > 0 && <Graph store={store} graph={graph} />}
      <dl class="lines">
        {text.lines.map(({ label, text: sentence }, i) => (
          <div key={i} class="line">
            <dt>{label}</dt>
            <dd>
              <Linked store={store} text={sentence} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Nodes on an ellipse, clockwise from the top; two beside each other. */
function places(count: number): { points: Point[]; height: number } {
  const across = count === 1 ? 0 : 245;
  const down = count < 3 ? 0 : count < 5 ? 100 : 170;
  const height = 2 * (down + SIZE.margin) + BOX.height + (count === 1 ? BOX.height : 0);
  const begin = count === 2 ? Math.PI : -Math.PI / 2;
  const points = Array.from({ length: count }, (_, i) => {
    const angle = begin + (2 * Math.PI * i) / count;
    return { x: SIZE.width / 2 + across * Math.cos(angle), y: height / 2 + down * Math.sin(angle) };
  });
  return { points, height };
}

/** Where the line from the middle of a box to a point leaves the box. */
function border(from: Point, to: Point): Point {
  const dx = to.x - from.x;
  const dy = to.y - from.y;
  const share = Math.min(
    dx === 0 ? Infinity : (BOX.width / 2 + 3) / Math.abs(dx),
    dy === 0 ? Infinity : (BOX.height / 2 + 3) / Math.abs(dy),
  );
  return { x: from.x + share * dx, y: from.y + share * dy };
}

function Graph({ store, graph }: { store: Store; graph: HangGraph }): JSX.Element {
  const { points, height } = places(graph.nodes.length);
  const { report } = store;
  return (
    <figure>
      <svg viewBox={`0 0 ${SIZE.width} ${height}`} role="img" aria-label="Who waits for whom">
        <defs>
          <marker id="hang-arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
            <path d="M0 0L8 4L0 8z" />
          </marker>
        </defs>
        {graph.nodes.map((node, i) => (
          <Box key={i} store={store} node={node} at={points[i]!} />
        ))}
        {graph.edges.map((edge, i) => (
          <Arrow key={i} edge={edge} points={points} />
        ))}
      </svg>
      <figcaption class="muted">
        An arrow leads from who waits to what for.{graph.edges.some(({ isAny }) => isAny) ? " Dashed: one of several is enough." : ""}
        {graph.left > 0 ? ` ${formatCount(graph.left)} more ${locationWord(report, graph.left)} below.` : ""}
      </figcaption>
    </figure>
  );
}

function Arrow({ edge, points }: { edge: HangEdge; points: readonly Point[] }): JSX.Element {
  const a = points[edge.from]!;
  const b = points[edge.to]!;
  const style = `${edge.isInCycle ? "cycle" : ""}${edge.isAny ? " any" : ""}`;
  const text = shorten(printable(edge.text), LONGEST);
  if (edge.from === edge.to) {
    const x = a.x + BOX.width / 2 - 20;
    const y = a.y + BOX.height / 2 + 3;
    return (
      <g class={style}>
        <path d={`M${x} ${y}c0 34 -60 34 -60 2`} marker-end="url(#hang-arrow)" />
        <text x={x - 30} y={y + 38}>{text}</text>
      </g>
    );
  }
  // Bent to the left, so that two that lead to and fro do not lie on each other.
  const length = Math.hypot(b.x - a.x, b.y - a.y);
  const bend = 26 / length;
  const middle = { x: (a.x + b.x) / 2 + (b.y - a.y) * bend, y: (a.y + b.y) / 2 - (b.x - a.x) * bend };
  const begin = border(a, middle);
  const end = border(b, middle);
  return (
    <g class={style}>
      <path d={`M${begin.x} ${begin.y}Q${middle.x} ${middle.y} ${end.x} ${end.y}`} marker-end="url(#hang-arrow)" />
      <text x={(begin.x + 2 * middle.x + end.x) / 4} y={(begin.y + 2 * middle.y + end.y) / 4 - 5}>{text}</text>
    </g>
  );
}

/** @returns "rank 3", or "ranks 0-6, 8" in as much space as there is. */
function nodeName(report: Report, locations: readonly number[]): string {
  if (locations.length === 1) return shortLocationName(report, locations[0]!);
  const { first } = report.summary.process;
  const hasThreads = report.locations.some(({ thread }) => thread > 0);
  const count = locations.length;
  if (hasThreads) return `${formatCount(count)} ${locationWord(report, count)}`;
  const numbers = locations.map((location) => report.locations[location]!.rank + first);
  return `${report.summary.process.many} ${formatRanges(numbers, RANGES)}`;
}

function Box({ store, node, at }: { store: Store; node: HangNode; at: Point }): JSX.Element {
  const { report } = store;
  const { callpath, state, locations } = node;
  const call = callpath === null ? "" : shorten(printable(callName(report.callpaths[callpath]!)), LONGEST);
  const name = shorten(nodeName(report, locations), LONGEST);
  const title = `${name}: ${STATES[state]}${callpath === null ? "" : `, in ${callpathText(report, callpath)}`}`;
  const box = (
    <g class={`box ${state}`}>
      <title>{title}</title>
      <rect x={at.x - BOX.width / 2} y={at.y - BOX.height / 2} width={BOX.width} height={BOX.height} rx={6} />
      <text x={at.x} y={at.y - 4} class="who">{name}</text>
      <text x={at.x} y={at.y + 13}>{state === "ended" ? "ended before" : call === "" ? "in no function" : call}</text>
    </g>
  );
  return callpath === null || state === "ended" ? (
    box
  ) : (
    <To store={store} place={{ kind: "callpath", callpath }}>
      {box}
    </To>
  );
}
