// SPDX-License-Identifier: BSD-3-Clause
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { JSX } from "preact";
import { printable, shorten } from "../format";
import type { VisibleRow } from "../model/forest";
import type { Shown } from "../state/panes";

export const ROW_HEIGHT = 22;
const NAME_LIMIT = 300;
/** Rows drawn above and below the visible part. */
const MARGIN = 8;

/** Open or close a node; also its whole subtree; open the whole subtree. */
export type Toggle = "one" | "all" | "open";

interface Props {
  id: string;
  label: string;
  rows: readonly VisibleRow[];
  selected: number;
  name: (node: number) => string;
  /** Text after the name, less prominent. */
  detail?: (node: number) => string;
  isMarked?: (node: number) => boolean;
  isOpen: (node: number) => boolean;
  hasChildren: (node: number) => boolean;
  shown: (node: number) => Shown;
  /** Draws the distribution of the node's value over the locations. */
  spread?: ((node: number) => JSX.Element | null) | undefined;
  onSelect: (node: number) => void;
  onToggle: (node: number, how: Toggle) => void;
  empty: string;
}

/** A tree with a value for each node. Only the visible rows are in the document. */
export function TreePane(props: Props): JSX.Element {
  const { id, rows, selected, isOpen, hasChildren } = props;
  const box = useRef<HTMLDivElement>(null);
  const [scroll, setScroll] = useState(0);
  const [height, setHeight] = useState(600);
  const at = rows.findIndex((row) => row.node === selected);

  useLayoutEffect(() => {
    const element = box.current!;
    const observer = new ResizeObserver(() => setHeight(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  useLayoutEffect(() => {
    if (at < 0) return;
    const element = box.current!;
    const top = at * ROW_HEIGHT;
    if (top < element.scrollTop || top + ROW_HEIGHT > element.scrollTop + element.clientHeight) {
      element.scrollTop = Math.max(0, top - element.clientHeight / 2);
    }
  }, [selected, at]);

  const onKeyDown = (event: KeyboardEvent): void => {
    const row = rows[at];
    const move = (to: number): void => {
      const target = rows[Math.min(rows.length - 1, Math.max(0, to))];
      if (target !== undefined) props.onSelect(target.node);
    };
    const page = Math.max(1, Math.floor(height / ROW_HEIGHT) - 1);
    switch (event.key) {
      case "ArrowDown":
        move(at + 1);
        break;
      case "ArrowUp":
        move(at - 1);
        break;
      case "PageDown":
        move(at + page);
        break;
      case "PageUp":
        move(at - page);
        break;
      case "Home":
        move(0);
        break;
      case "End":
        move(rows.length - 1);
        break;
      case "ArrowRight":
        if (row === undefined) return;
        if (hasChildren(row.node) && !isOpen(row.node)) props.onToggle(row.node, "one");
        else if (hasChildren(row.node)) move(at + 1);
        break;
      case "ArrowLeft":
        if (row === undefined) return;
        if (hasChildren(row.node) && isOpen(row.node)) props.onToggle(row.node, "one");
        else {
          let above = at - 1;
          while (above >= 0 && rows[above]!.depth >= row.depth) above--;
          if (above >= 0) move(above);
        }
        break;
      case "Enter":
      case " ":
        if (row === undefined || !hasChildren(row.node)) return;
        props.onToggle(row.node, event.shiftKey ? "all" : "one");
        break;
      case "*":
        if (row === undefined || !hasChildren(row.node)) return;
        props.onToggle(row.node, "open");
        break;
      default:
        return;
    }
    event.preventDefault();
  };

  const first = Math.max(0, Math.floor(scroll / ROW_HEIGHT) - MARGIN);
  const last = Math.min(rows.length, Math.ceil((scroll + height) / ROW_HEIGHT) + MARGIN);
  return (
    <div
      ref={box}
      class="tree"
      role="tree"
      id={id}
      aria-label={props.label}
      tabIndex={0}
      aria-activedescendant={at >= first && at < last ? `${id}-${selected}` : undefined}
      onScroll={(event) => setScroll(event.currentTarget.scrollTop)}
      onKeyDown={onKeyDown}
    >
      {rows.length === 0 && <p class="empty">{props.empty}</p>}
      <div class="tree-rows" role="presentation" style={{ height: `${rows.length * ROW_HEIGHT}px` }}>
        {rows.slice(first, last).map((row, i) => (
          <Row key={row.node} pane={props} row={row} top={(first + i) * ROW_HEIGHT} />
        ))}
      </div>
    </div>
  );
}

function Row({ pane, row, top }: { pane: Props; row: VisibleRow; top: number }): JSX.Element {
  const { node } = row;
  const shown = pane.shown(node);
  const isSelected = node === pane.selected;
  const isParent = pane.hasChildren(node);
  const isOpen = isParent && pane.isOpen(node);
  const name = printable(pane.name(node));
  const detail = pane.detail?.(node) ?? "";
  const toggle = (event: MouseEvent): void => {
    event.stopPropagation();
    pane.onToggle(node, event.shiftKey ? "all" : "one");
  };
  return (
    <div
      id={`${pane.id}-${node}`}
      role="treeitem"
      aria-level={row.depth + 1}
      aria-posinset={row.position}
      aria-setsize={row.siblings}
      aria-selected={isSelected}
      aria-expanded={isParent ? isOpen : undefined}
      class={`row${isSelected ? " selected" : ""}${shown.isFaint ? " faint" : ""}${pane.isMarked?.(node) ? " marked" : ""}`}
      style={{ top: `${top}px` }}
      onClick={() => pane.onSelect(node)}
      onDblClick={(event) => {
        if (isParent) toggle(event);
      }}
    >
      <span class="indent" style={{ width: `${row.depth * 14}px` }} />
      {isParent ? (
        <span class={`caret${isOpen ? " open" : ""}`} aria-hidden="true" onClick={toggle} onDblClick={(event) => event.stopPropagation()} />
      ) : (
        <span class="caret none" />
      )}
      <span class="name" title={name.length > 60 ? shorten(name, 2000) : undefined}>
        {shorten(name, NAME_LIMIT)}
        {detail !== "" && <span class="detail"> {printable(detail)}</span>}
      </span>
      <span class="value">{shown.text}</span>
      <span class="bar" aria-hidden="true">
        <span style={{ width: `${Math.max(shown.fraction * 100, shown.fraction > 0 ? 4 : 0)}%`, background: shown.color }} />
      </span>
      {pane.spread?.(node)}
    </div>
  );
}
