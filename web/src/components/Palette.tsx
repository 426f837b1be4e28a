// SPDX-License-Identifier: BSD-3-Clause
import { useComputed, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { JSX } from "preact";
import { printable, shorten } from "../format";
import { locationName, processWord } from "../model/report";
import type { Store } from "../state/store";
import { callpathText } from "./Names";

interface Item {
  readonly kind: string;
  readonly name: string;
  readonly go: () => void;
}

const MOST = 40;

function find(store: Store, query: string): Item[] {
  const { report } = store;
  const wanted = query.trim().toLowerCase();
  if (wanted === "") return [];
  const items: Item[] = [];
  const matches = (text: string): boolean => text.toLowerCase().includes(wanted);
  for (const metric of report.metrics) {
    if (items.length >= MOST) return items;
    if (!matches(metric.name) && !matches(metric.id)) continue;
    items.push({
      kind: report.metricInclusive[metric.index] === 0 ? "metric, 0" : "metric",
      name: metric.name,
      go: () => store.showInTrees(metric.id),
    });
  }
  for (const callpath of report.callpaths) {
    if (items.length >= MOST) return items;
    if (!matches(callpath.region)) continue;
    items.push({
      kind: "call path",
      name: shorten(callpathText(report, callpath.index), 160),
      go: () => {
        store.callList.value = "tree";
        store.selectCallpath(callpath.index);
        store.view.value = "trees";
      },
    });
  }
  for (const location of report.locations) {
    if (items.length >= MOST) return items;
    const name = locationName(report, location.index);
    if (!matches(name) && !matches(location.name)) continue;
    items.push({
      kind: shorten(printable(location.node), 24),
      name,
      go: () => {
        store.systemView.value = "tree";
        store.selectLocation(location.index);
        store.view.value = "trees";
      },
    });
  }
  return items;
}

/** Finds metrics, call paths and locations by name. */
export function SearchPalette({ store, onClose }: { store: Store; onClose: () => void }): JSX.Element {
  const query = useSignal("");
  const at = useSignal(0);
  const items = useComputed(() => find(store, query.value));
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const go = (item: Item | undefined): void => {
    if (item === undefined) return;
    item.go();
    onClose();
  };
  return (
    <div class="overlay" onClick={onClose}>
      <div
        class="palette"
        role="dialog"
        aria-label="Search"
        aria-modal="true"
        onClick={(event) => event.stopPropagation()}
        onKeyDown={(event) => {
          if (event.key === "Escape") onClose();
          else if (event.key === "ArrowDown") at.value = Math.min(items.value.length - 1, at.value + 1);
          else if (event.key === "ArrowUp") at.value = Math.max(0, at.value - 1);
          else if (event.key === "Enter") go(items.value[at.value]);
          else return;
          event.preventDefault();
        }}
      >
        <input
          ref={input}
          type="search"
          role="combobox"
          aria-label={`Search metrics, call paths, ${processWord(store.report, 2)}`}
          aria-expanded={items.value.length > 0}
          aria-controls="palette-items"
          placeholder={`Metric, call path, ${processWord(store.report, 1)} ...`}
          value={query.value}
          onInput={(event) => {
            query.value = event.currentTarget.value;
            at.value = 0;
          }}
        />
        <ul id="palette-items" role="listbox">
          {items.value.map((item, i) => (
            <li
              key={i}
              role="option"
              aria-selected={i === at.value}
              class={i === at.value ? "selected" : ""}
              onClick={() => go(item)}
            >
              <span>{item.name}</span>
              <small>{item.kind}</small>
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}
