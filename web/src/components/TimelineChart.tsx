// SPDX-License-Identifier: BSD-3-Clause
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { JSX } from "preact";
import { CanvasSurface } from "../draw/canvas";
import { drawTimeline, layoutOf, type TimelineScene } from "../draw/timeline/timeline";
import type { TimelineState } from "../state/timeline";
import type { Palette } from "../draw/colors";
import type { Hit } from "./Chart";

/** What a double click does, beside what a click does. */
export interface TimelineHit extends Hit {
  readonly zoom?: () => void;
}

interface Props {
  state: TimelineState;
  scene: TimelineScene;
  palette: Palette;
  /** The item at a point, and the action of a click on it. */
  hit: (x: number, y: number, width: number, height: number) => TimelineHit | null;
  /** @returns whether the key has a meaning. */
  onKey: (key: string) => boolean;
  label: string;
}

const WHEEL_ZOOM = 1.0018;
const KEY_ZOOM = 1.5;
const KEY_PAN = 0.15;

/** A pointer movement shorter than this is a click. */
const CLICK = 4;

const ARROWS = new Set(["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home"]);

function isForTimeline(event: KeyboardEvent): boolean {
  if (document.querySelector("[aria-modal=true]") !== null) return false;
  const target = event.target instanceof Element ? event.target : document.body;
  if (target.matches("input:not([type=checkbox]), select, textarea")) return false;
  // Arrow keys scroll a focused panel, and move the focus in groups.
  return !ARROWS.has(event.key) || target.matches("canvas, body");
}

/** The timeline on a canvas: the wheel zooms, dragging moves, dragging with Shift zooms into a time window, dragging
 * in the ruler selects an interval. */
export function TimelineChart({ state, scene, palette, hit, onKey, label }: Props): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  const [tip, setTip] = useState<{ x: number; y: number; hit: Hit } | null>(null);
  const [band, setBand] = useState<{ from: number; to: number } | null>(null);
  /** Whether the pointer was dragged since it was pressed: its release is no click. */
  const isDragged = useRef(false);

  useEffect(() => {
    const element = box.current!;
    const observer = new ResizeObserver(() => {
      const now = { width: element.clientWidth, height: element.clientHeight };
      setSize(now);
      state.size.value = now;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  useLayoutEffect(() => {
    if (size.width === 0 || size.height === 0) return;
    drawTimeline(new CanvasSurface(canvas.current!, size.width, size.height, devicePixelRatio), palette, scene);
  }, [scene, palette, size]);

  const layout = () => layoutOf(scene, size.width, size.height);
  const partOf = (x: number): number => Math.min(1, Math.max(0, (x - layout().left) / layout().plotWidth));
  const pointOf = (event: MouseEvent): { x: number; y: number } => {
    const bounds = canvas.current!.getBoundingClientRect();
    return { x: event.clientX - bounds.left, y: event.clientY - bounds.top };
  };

  useEffect(() => {
    const element = canvas.current!;
    // Not passive: the page must not scroll.
    const wheel = (event: WheelEvent): void => {
      event.preventDefault();
      const place = pointOf(event);
      const shown = layoutOf(scene, element.clientWidth, element.clientHeight);
      const scroll = event.deltaMode === 1 ? 30 : 1;
      if (event.shiftKey) {
        const at = Math.min(1, Math.max(0, (place.y - shown.upper) / shown.plotHeight));
        state.zoomRows(WHEEL_ZOOM ** (scroll * (event.deltaY || event.deltaX)), at);
      } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        state.pan((scroll * event.deltaX) / shown.plotWidth);
      } else {
        state.zoom(WHEEL_ZOOM ** (scroll * event.deltaY), Math.min(1, Math.max(0, (place.x - shown.left) / shown.plotWidth)));
      }
      setTip(null);
    };
    element.addEventListener("wheel", wheel, { passive: false });
    return () => element.removeEventListener("wheel", wheel);
  }, [scene]);

  const press = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    const start = pointOf(event);
    const element = canvas.current!;
    const span = state.shownSpan();
    const rows = state.shownRows();
    const shown = layout();
    const isRuler = start.y < shown.ruler && start.x >= shown.left;
    isDragged.current = false;
    element.setPointerCapture(event.pointerId);
    element.focus({ preventScroll: true });
    const move = (next: PointerEvent): void => {
      const place = pointOf(next);
      isDragged.current ||= Math.abs(place.x - start.x) + Math.abs(place.y - start.y) > CLICK;
      if (!isDragged.current) return;
      setTip(null);
      if (isRuler || event.shiftKey) {
        setBand({ from: Math.min(start.x, place.x), to: Math.max(start.x, place.x) });
        return;
      }
      const now = state.shownSpan();
      const wanted = span.from + ((start.x - place.x) / shown.plotWidth) * (span.to - span.from);
      state.pan((wanted - now.from) / (now.to - now.from));
      const nowRows = state.shownRows();
      const wantedRow = rows.from + ((start.y - place.y) / shown.plotHeight) * (rows.to - rows.from);
      state.panRows((wantedRow - nowRows.from) / (nowRows.to - nowRows.from));
    };
    const end = (last: PointerEvent): void => {
      element.removeEventListener("pointermove", move);
      element.removeEventListener("pointerup", end);
      element.removeEventListener("pointercancel", end);
      setBand(null);
      if (!isDragged.current || last.type === "pointercancel") return;
      const place = pointOf(last);
      const from = Math.max(shown.left, Math.min(start.x, place.x));
      const to = Math.min(shown.left + shown.plotWidth, Math.max(from + 1, start.x, place.x));
      if (isRuler) state.mark({ from: shown.time(from), to: shown.time(to) });
      else if (event.shiftKey) state.show(shown.time(from), shown.time(to));
    };
    element.addEventListener("pointermove", move);
    element.addEventListener("pointerup", end);
    element.addEventListener("pointercancel", end);
  };

  const key = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const acts: Record<string, () => void> = {
      w: () => state.zoom(1 / KEY_ZOOM, tip === null ? 0.5 : partOf(tip.x)),
      s: () => state.zoom(KEY_ZOOM, tip === null ? 0.5 : partOf(tip.x)),
      a: () => state.pan(-KEY_PAN),
      d: () => state.pan(KEY_PAN),
      ArrowLeft: () => state.pan(-KEY_PAN),
      ArrowRight: () => state.pan(KEY_PAN),
      ArrowUp: () => state.panRows(-KEY_PAN),
      ArrowDown: () => state.panRows(KEY_PAN),
      "+": () => state.zoomRows(1 / KEY_ZOOM),
      "-": () => state.zoomRows(KEY_ZOOM),
      "0": () => state.showAll(),
      Home: () => state.showAll(),
    };
    const act = event.shiftKey && event.key.length === 1 && event.key !== "+" ? undefined : acts[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (act !== undefined) act();
    else if (!onKey(event.key)) return;
    setTip(null);
    event.preventDefault();
  };
  const latest = useRef(key);
  latest.current = key;
  // The keys work wherever the focus is, except where text is typed or a list has its own keys.
  useEffect(() => {
    const onWindow = (event: KeyboardEvent): void => {
      if (!event.defaultPrevented && isForTimeline(event)) latest.current(event);
    };
    addEventListener("keydown", onWindow, { capture: true });
    return () => removeEventListener("keydown", onWindow, { capture: true });
  }, []);

  const find = (event: MouseEvent): { x: number; y: number; hit: Hit } | null => {
    const place = pointOf(event);
    const found = hit(place.x, place.y, size.width, size.height);
    return found && { ...place, hit: found };
  };

  return (
    <div ref={box} class="chart timeline-chart" data-testid="timeline-chart">
      <canvas
        ref={canvas}
        role="application"
        aria-roledescription="timeline"
        aria-label={label}
        aria-busy={state.busy.value || state.isReadingCounter.value}
        tabIndex={0}
        style={{ width: `${size.width}px`, height: `${size.height}px`, cursor: tip?.hit.activate ? "pointer" : "default" }}
        onPointerDown={press}
        onClick={(event) => {
          // The second click of a double click zooms.
          const place = pointOf(event);
          if (!isDragged.current && event.detail < 2) hit(place.x, place.y, size.width, size.height)?.activate?.();
        }}
        onMouseMove={(event) => {
          if (event.buttons === 0) setTip(find(event));
        }}
        onMouseLeave={() => setTip(null)}
        onDblClick={(event) => {
          const place = pointOf(event);
          const zoom = hit(place.x, place.y, size.width, size.height)?.zoom;
          if (zoom !== undefined) zoom();
          else if (layout().isInside(place.x, place.y)) state.zoom(0.2, partOf(place.x));
        }}
      />
      {band && <div class="band" style={{ left: `${band.from}px`, width: `${band.to - band.from}px` }} />}
      {tip && (
        <div
          class="tip"
          role="tooltip"
          style={{
            left: `${Math.min(tip.x + 14, Math.max(0, size.width - 340))}px`,
            top: `${tip.y > size.height - 130 ? tip.y - 20 - 17 * tip.hit.lines.length : tip.y + 16}px`,
          }}
        >
          {tip.hit.lines.map((line, i) => (
            <div key={i} class={i === 0 ? "tip-title" : ""}>
              {line}
            </div>
          ))}
        </div>
      )}
    </div>
  );
}
