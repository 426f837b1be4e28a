// SPDX-License-Identifier: BSD-3-Clause
import { processTitle, locationWord, processWord } from "../../model/report";
import { useRef, type MutableRef } from "preact/hooks";
import type { JSX } from "preact";
import { FoldThreads } from "../../components/FoldThreads";
import { formatCount, printable, shorten } from "../../format";
import type { Timeline } from "../../model/timeline";
import { hasThreads, type RowOrder } from "../../model/row_order";
import type { Matches } from "../../model/timeline_search";
import type { Store } from "../../state/store";
import type { Coloring } from "../../state/timeline";

const colorings = (one: string, many: string): readonly (readonly [Coloring, string, string])[] => [
  ["class", "Activity", "computation, communication, waiting"],
  ["region", "Function", "the functions that take most time"],
  ["kind", "Wait state", "each kind of wait state in its own colour"],
  ["waiting", "Waiting", `the share of waiting in the time of each ${one}`],
  ["blame", "Lateness", `how many ${many} wait for each ${one}`],
  ["counter", "Counter", `the values of the counter, by ${one} and time`],
];

type Order = RowOrder | "similar";

/** @param one  process
 * @param many  locations */
const orders = (one: string, many: string): readonly (readonly [Order, string])[] => [
  ["rank", `by ${one}`],
  ["folded", `by ${one}, threads folded`],
  ["waiting", "most waiting first"],
  ["blame", "most waited for first"],
  ["node", "by node"],
  ["similar", `similar ${many} together`],
];

function Check(props: { name: string; title: string; checked: boolean; change: (checked: boolean) => void }): JSX.Element {
  return (
    <label title={props.title}>
      <input type="checkbox" checked={props.checked} onChange={(event) => props.change(event.currentTarget.checked)} />{" "}
      {props.name}
    </label>
  );
}

/** What the rows show: colours, arrows, counters. */
export function Appearance({ store, timeline }: { store: Store; timeline: Timeline }): JSX.Element {
  const state = store.timeline;
  const counter = state.curves.value;
  return (
    <>
      <span class="segments" role="group" aria-label="Colours">
        {colorings(locationWord(store.report, 1), locationWord(store.report, 2)).filter(([name]) => name !== "counter" || counter !== null).map(([name, text, title]) => (
          <button
            type="button"
            key={name}
            title={title}
            aria-pressed={state.coloring.value === name}
            onClick={() => (state.coloring.value = name)}
          >
            {text}
          </button>
        ))}
      </span>
      <Check
        name="arrows"
        title="Messages, one-sided operations, and what threads begin with; their number above the rows, where single ones cannot be told apart"
        checked={state.arrows.value}
        change={(checked) => (state.arrows.value = checked)}
      />
      {timeline.teams.count > 0 && (
        <Check
          name="teams"
          title="Frames around the threads of each team, from its fork to its join, where there is space"
          checked={state.teams.value}
          change={(checked) => (state.teams.value = checked)}
        />
      )}
      <Check
        name="critical path"
        title="What determines the run time"
        checked={state.path.value}
        change={(checked) => (state.path.value = checked)}
      />
      <Check
        name="call stack"
        title="The functions around each call as nested rows, where rows are high enough (key: e)"
        checked={state.stack.value}
        change={(checked) => state.showStack(checked)}
      />
      {timeline.counters.length > 0 && (
        <select
          aria-label="Counter"
          value={String(state.counter.value)}
          onChange={(event) => state.showCounter(Number(event.currentTarget.value))}
        >
          <option value="-1">no counter</option>
          {timeline.counters.map((each, i) => (
            <option key={i} value={String(i)}>
              {shorten(printable(each.name), 40)}
            </option>
          ))}
        </select>
      )}
    </>
  );
}

/** Which rows are shown, in which order. */
export function RowControls({ store }: { store: Store }): JSX.Element {
  const state = store.timeline;
  const order: Order = state.arrangement.value.kind === "similar" ? "similar" : state.order.value;
  const filtered = state.filtered.value;
  const nodes = new Set(state.ranking?.node).size;
  const isThreaded = state.ranking !== null && hasThreads(state.ranking);
  const { first } = store.report.summary.process;
  const numbers = `${first}-${first + 3}, ${first + 8}`;
  return (
    <>
      <label>
        Rows{" "}
        <select
          aria-label="Order of the rows"
          value={order}
          onChange={(event) => {
            const wanted = event.currentTarget.value as Order;
            if (wanted === "similar") state.group(true);
            else state.sort(wanted);
          }}
        >
          {orders(processWord(store.report, 1), locationWord(store.report, 2))
            .filter(([name]) => (name !== "similar" || state.canGroup()) && (name !== "node" || nodes > 1) && (name !== "folded" || isThreaded))
            .map(([name, text]) => (
              <option key={name} value={name}>
                {text}
              </option>
            ))}
        </select>
      </label>
      {isThreaded && (
        <FoldThreads
          fold={() => state.foldThreads()}
          unfold={() => state.unfoldThreads()}
          isFolded={state.threadsFolded.value}
          isUnfolded={state.threadsUnfolded.value}
        />
      )}
      <input
        type="search"
        class="row-filter"
        aria-label="Filter of the rows"
        placeholder={`${processTitle(store.report, 2)}, nodes: ${numbers}`}
        title={`${processTitle(store.report, 2)} (${numbers}) or parts of the names of nodes`}
        disabled={order === "similar"}
        value={state.filter.value}
        onInput={(event) => state.filterBy(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape" || event.key === "Enter") event.currentTarget.blur();
        }}
      />
      {filtered !== null && order !== "similar" && (
        <span class={filtered.length === 0 ? "no-match" : "muted"} role="status" data-testid="row-count">
          {filtered.length === 0
            ? "no match"
            : `on ${formatCount(filtered.length)} of ${formatCount(state.locations)} ${locationWord(store.report, state.locations)}`}
        </span>
      )}
    </>
  );
}

interface SearchProps {
  store: Store;
  input: MutableRef<HTMLInputElement | null>;
  matches: Matches | null;
  /** Number of matching calls in view; null: single calls are not loaded. */
  count: number | null;
  go: (isNext: boolean) => void;
}

/** Search for functions and wait states, whose calls are highlighted. */
export function TimelineSearch({ store, input, matches, count, go }: SearchProps): JSX.Element {
  const state = store.timeline;
  const own = useRef<HTMLInputElement>(null);
  const names = matches === null ? 0 : matches.functions + matches.metrics.size;
  return (
    <>
      <input
        ref={(element) => {
          own.current = element;
          input.current = element;
        }}
        type="search"
        class="timeline-search"
        aria-label="Search in the timeline"
        placeholder="Function, wait state (/)"
        value={state.search.value}
        onInput={(event) => (state.search.value = event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") go(!event.shiftKey);
          else if (event.key !== "Escape") return;
          else if (state.search.value === "") own.current?.blur();
          else state.search.value = "";
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      {matches !== null && (
        <span class={names === 0 ? "no-match" : "muted"} role="status" data-testid="search-result">
          {names === 0
            ? "no match"
            : count === null
              ? `${formatCount(names)} ${names === 1 ? "name" : "names"}; zoom in for single calls`
              : `${formatCount(count)} in view`}
        </span>
      )}
      {matches !== null && names > 0 && (
        <span class="zoom-buttons">
          <button type="button" title="Previous match (Shift+Enter)" onClick={() => go(false)}>
            {"\u2039"}
          </button>
          <button type="button" title="Next match (Enter)" onClick={() => go(true)}>
            {"\u203a"}
          </button>
        </span>
      )}
    </>
  );
}
