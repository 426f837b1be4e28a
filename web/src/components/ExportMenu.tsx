// SPDX-License-Identifier: BSD-3-Clause
import { useRef } from "preact/hooks";
import type { JSX } from "preact";
import { pngOf, saveBlob, saveText, svgOf, type Picture } from "../export/download";
import type { Store } from "../state/store";

interface Props {
  store: Store;
  /** Base name of the files, without suffix. */
  name: string;
  title: string;
  csv: () => string;
  picture: () => Picture;
}

/** In pixels, at most: with less room to its left the menu opens to the right. */
const ITEMS_WIDTH = 200;

/** Exports the displayed data as a file. */
export function ExportMenu({ store, name, title, csv, picture }: Props): JSX.Element {
  const details = useRef<HTMLDetailsElement>(null);
  const file = `fermata-${(store.report.experiment.title ?? "report").replace(/[^A-Za-z0-9._-]+/g, "_").slice(0, 40)}-${name}`;
  const close = (): void => {
    if (details.current !== null) details.current.open = false;
  };
  const save = (ending: "csv" | "svg" | "png") => async (): Promise<void> => {
    close();
    const palette = store.palette.value;
    if (ending === "csv") saveText(`${file}.csv`, "text/csv", csv());
    else if (ending === "svg") saveText(`${file}.svg`, "image/svg+xml", svgOf(picture(), palette, title));
    else saveBlob(`${file}.png`, await pngOf(picture(), palette));
  };
  return (
    <details
      class="menu"
      ref={details}
      onToggle={({ currentTarget }) => {
        currentTarget.classList.toggle("leftmost", currentTarget.getBoundingClientRect().right < ITEMS_WIDTH);
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape") close();
      }}
    >
      <summary>Export</summary>
      <div class="menu-items">
        <button type="button" onClick={save("csv")}>
          CSV <small>numbers, exact</small>
        </button>
        <button type="button" onClick={save("svg")}>
          SVG <small>drawing</small>
        </button>
        <button type="button" onClick={save("png")}>
          PNG <small>picture</small>
        </button>
      </div>
    </details>
  );
}
