// SPDX-License-Identifier: BSD-3-Clause
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { printable, shorten } from "../format";
import { MOST_DERIVED } from "../state/derived";
import type { Store } from "../state/store";

const TEXT_LIMIT = 200;

/** The definitions of derived metrics, with what is wrong in them, and a field for another one. */
export function DerivedMetrics({ store }: { store: Store }): JSX.Element {
  const text = useSignal("");
  const derived = store.derived.value;
  const add = (event: Event): void => {
    event.preventDefault();
    const definitions = text.value.split(";").map((each) => each.trim()).filter((each) => each !== "");
    if (definitions.length === 0) return;
    store.definitions.value = [...store.definitions.value, ...definitions].slice(0, MOST_DERIVED);
    text.value = "";
    const last = store.derived.value[store.derived.value.length - 1];
    if (last?.metric) store.selectMetric(last.metric.metric.index);
  };
  const remove = (at: number): void => {
    const { id } = store.selectedMetric.value;
    store.definitions.value = store.definitions.value.filter((_, i) => i !== at);
    store.metric.value = store.metricList.value.find((metric) => metric.id === id)?.index ?? 0;
  };
  /** Moves a definition back to the field. */
  const edit = (at: number): void => {
    text.value = derived[at]!.definition;
    remove(at);
  };
  return (
    <form class="toolbar derived" aria-label="Derived metrics" onSubmit={add}>
      <label title="Numbers, ids of metrics, + - * / ( ), min, max, abs, sqrt. Times are seconds. Computed from the values after their aggregation: of each node for itself.">
        New metric{" "}
        <input
          type="text"
          size={34}
          spellcheck={false}
          autocomplete="off"
          placeholder="lateness = mpi_latesender / time"
          value={text.value}
          onInput={(event) => (text.value = event.currentTarget.value)}
        />
      </label>
      <button type="submit">Define</button>
      <ul>
        {derived.map(({ definition, metric, error }, i) => (
          <li key={i} class={metric === null ? "wrong" : ""}>
            {metric === null ? (
              <code>{shorten(printable(definition), TEXT_LIMIT)}</code>
            ) : (
              <button
                type="button"
                class="link"
                aria-pressed={store.selectedMetric.value === metric.metric}
                onClick={() => store.selectMetric(metric.metric.index)}
              >
                <code>{shorten(printable(definition), TEXT_LIMIT)}</code>
              </button>
            )}
            {error !== "" && (
              <span role="alert" class="alarm">
                {error}
              </span>
            )}
            <button type="button" class="quiet" onClick={() => edit(i)}>
              Change
            </button>
            <button type="button" class="quiet" onClick={() => remove(i)}>
              Remove
            </button>
          </li>
        ))}
      </ul>
    </form>
  );
}
