// SPDX-License-Identifier: BSD-3-Clause
/** The three trees as files. */
import { callpathText } from "../components/Names";
import { drawTable, tableSize, type Table, type TableCell } from "../draw/table";
import { csvOf, type CsvValue } from "../export/csv";
import type { Picture } from "../export/download";
import { printable, shorten } from "../format";
import { inUnits } from "../model/report";
import { shower } from "../state/panes";
import type { Pane, Store } from "../state/store";
import { treeRows } from "./tree_rows";

const PANES: readonly Pane[] = ["metric", "call", "system"];
const TITLES: Record<Pane, string> = { metric: "Metric", call: "Call path", system: "System" };
/** Maximum number of rows of each tree in a picture. */
const MOST_ROWS = 400;

/** The displayed rows of the three trees, with exact values. */
export function treesCsv(store: Store): string {
  const report = store.trees;
  const rows: CsvValue[][] = [];
  for (const pane of PANES) {
    const tree = treeRows(store, pane, "");
    for (const { node, depth } of tree.rows) {
      const unit = tree.numbers.unit(node);
      const whole = tree.numbers.whole(node);
      const weight = tree.numbers.weight(node);
      const id =
        pane === "metric"
          ? store.metricList.value[node]!.id
          : pane === "call"
            ? callpathText(report, node, "/")
            : store.system.name[node]!;
      rows.push([
        TITLES[pane],
        depth,
        id,
        tree.name(node),
        tree.isOpen(node) ? "exclusive" : "inclusive",
        unit,
        inUnits(report, unit, weight),
        whole === 0 ? null : (100 * weight) / whole,
      ]);
    }
  }
  return csvOf(["tree", "depth", "id", "name", "value is", "unit", "value", "percent"], rows);
}

export function treesPicture(store: Store): Picture {
  const tables = PANES.map((pane): Table => {
    const tree = treeRows(store, pane, "");
    const shown = shower(
      store,
      tree.numbers,
      tree.rows.map((row) => row.node),
    );
    return {
      title: TITLES[pane],
      columns: [{ title: "", numeric: true }, { title: "" }],
      rows: tree.rows.slice(0, MOST_ROWS).map(({ node, depth }): TableCell[] => {
        const { text, color, isFaint } = shown(node);
        return [
          { text, faint: isFaint },
          {
            text: shorten(printable(tree.name(node)), 80),
            indent: depth * 14,
            mark: color,
            faint: isFaint,
          },
        ];
      }),
    };
  });
  const sizes = tables.map(tableSize);
  return {
    width: sizes.reduce((sum, size) => sum + size.width, 0),
    height: Math.max(...sizes.map((size) => size.height)),
    draw: (surface, palette) => {
      let left = 0;
      tables.forEach((table, i) => {
        drawTable(surface, palette, table, left);
        left += sizes[i]!.width;
      });
    },
  };
}
