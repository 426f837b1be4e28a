// SPDX-License-Identifier: BSD-3-Clause
/** Tables as pictures. */
import type { Palette } from "./colors";
import { textWidth, type Surface } from "./surface";

export interface TableColumn {
  readonly title: string;
  readonly numeric?: boolean;
  /** Maximum width in pixels. */
  readonly limit?: number;
}

export interface TableCell {
  readonly text: string;
  readonly indent?: number;
  /** Colour of a square before the text. */
  readonly mark?: string;
  readonly faint?: boolean;
  readonly bold?: boolean;
}

export interface Table {
  readonly title: string;
  readonly columns: readonly TableColumn[];
  readonly rows: readonly (readonly TableCell[])[];
}

const ROW = 18;
const GAP = 14;
const MARGIN = 16;
const HEAD = 26;

function columnWidths(table: Table): number[] {
  return table.columns.map((column, c) => {
    let width = textWidth(column.title, 11, 600);
    for (const row of table.rows) {
      const cell = row[c];
      if (cell === undefined) continue;
      const extra = (cell.indent ?? 0) + (cell.mark === undefined ? 0 : 16);
      width = Math.max(width, textWidth(cell.text, 12, cell.bold ? 600 : 400) + extra);
    }
    return Math.min(width, column.limit ?? 420);
  });
}

export function tableSize(table: Table): { width: number; height: number } {
  const widths = columnWidths(table);
  return {
    width: Math.max(
      2 * MARGIN + textWidth(table.title, 14, 600),
      2 * MARGIN + widths.reduce((sum, width) => sum + width + GAP, -GAP),
    ),
    height: 2 * MARGIN + HEAD + ROW * (table.rows.length + 1),
  };
}

export function drawTable(surface: Surface, palette: Palette, table: Table, left = 0, top = 0): void {
  const widths = columnWidths(table);
  let y = top + MARGIN + 8;
  surface.text(left + MARGIN, y, table.title, { size: 14, weight: 600, color: palette.ink });
  y += HEAD;
  const across = (draw: (c: number, x: number, width: number) => void): void => {
    let x = left + MARGIN;
    widths.forEach((width, c) => {
      draw(c, x, width);
      x += width + GAP;
    });
  };
  across((c, x, width) => {
    const column = table.columns[c]!;
    surface.text(column.numeric ? x + width : x, y, column.title, {
      size: 11,
      weight: 600,
      color: palette.muted,
      anchor: column.numeric ? "end" : "start",
    });
  });
  for (const row of table.rows) {
    y += ROW;
    across((c, x, width) => {
      const cell = row[c];
      if (cell === undefined) return;
      const numeric = table.columns[c]!.numeric === true;
      let start = x + (cell.indent ?? 0);
      if (cell.mark !== undefined) {
        surface.rect(start, y - 5, 10, 10, cell.mark);
        start += 16;
      }
      surface.text(numeric ? x + width : start, y, cell.text, {
        size: 12,
        weight: cell.bold ? 600 : 400,
        color: cell.faint ? palette.faint : palette.ink,
        anchor: numeric ? "end" : "start",
        limit: numeric ? width : x + width - start,
      });
    });
  }
}
