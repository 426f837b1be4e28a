// SPDX-License-Identifier: BSD-3-Clause
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { JSX } from "preact";
import { CanvasSurface } from "../draw/canvas";
import { alignedHeight, alignedLayout, alignedParts, drawAligned, type AlignedModel } from "../draw/timeline/aligned";
import type { Palette } from "../draw/colors";
import type { AlignedState } from "../state/aligned";
import type { Hit } from "./Chart";

interface Props {
  state: AlignedState;
  model: AlignedModel;
  palette: Palette;
  /** The item at a point of a run's part of the chart. */
  hit: (run: number, x: number, y: number, width: number, height: number) => Hit | null;
  label: string;
}

const WHEEL_ZOOM = 1.0018;
const KEY_ZOOM = 1.5;
const KEY_PAN = 0.15;

/** A pointer movement shorter than this is a click. */
const CLICK = 4;

/** Timelines of several runs on a canvas. The wheel with Ctrl zooms (without, it scrolls the page), dragging moves all
 * of them; the keys of the timeline work while the chart has the focus. */
export function AlignedChart({ state, model, palette, hit, label }: Props): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(0);
  const [tip, setTip] = useState<{ x: number; y: number; hit: Hit } | null>(null);
  const height = alignedHeight(model);

  useEffect(() => {
    const element = box.current!;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  // Determines the resolution of a server's tiles.
  useEffect(() => {
    if (width === 0) return;
    for (const part of alignedParts(model)) state.timelines[part.run]!.size.value = { width, height: part.height };
  }, [width, height]);

  useLayoutEffect(() => {
    if (width > 0) drawAligned(new CanvasSurface(canvas.current!, width, height, devicePixelRatio), palette, model);
  }, [model, palette, width, height]);

  const pointOf = (event: MouseEvent): { x: number; y: number } => {
    const bounds = canvas.current!.getBoundingClientRect();
    return { x: event.clientX - bounds.left, y: event.clientY - bounds.top };
  };
  const partOfTime = (x: number): number => {
    const layout = alignedLayout(model, width);
    return layout === null ? 0.5 : Math.min(1, Math.max(0, (x - layout.left) / layout.plotWidth));
  };

  useEffect(() => {
    const element = canvas.current!;
    const wheel = (event: WheelEvent): void => {
      const isPan = Math.abs(event.deltaX) > Math.abs(event.deltaY);
      if (!event.ctrlKey && !event.metaKey && !event.shiftKey && !isPan) return;
      event.preventDefault();
      const scroll = event.deltaMode === 1 ? 30 : 1;
      if (event.shiftKey) state.zoomRows(WHEEL_ZOOM ** (scroll * (event.deltaY || event.deltaX)));
      else if (isPan) state.pan((scroll * event.deltaX) / Math.max(1, width));
      else state.zoom(WHEEL_ZOOM ** (scroll * event.deltaY), partOfTime(pointOf(event).x));
      setTip(null);
    };
    // Not passive: the page must not scroll.
    element.addEventListener("wheel", wheel, { passive: false });
    return () => element.removeEventListener("wheel", wheel);
  }, [model, width]);

  const find = (event: MouseEvent): { x: number; y: number; hit: Hit } | null => {
    const place = pointOf(event);
    const part = alignedParts(model).find(({ top, height: own }) => place.y >= top && place.y < top + own);
    const found = part && hit(part.run, place.x, place.y - part.top, width, part.height);
    return found ? { ...place, hit: found } : null;
  };

  const press = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    const element = canvas.current!;
    const start = pointOf(event);
    const layout = alignedLayout(model, width);
    let last = start;
    let moved = false;
    element.setPointerCapture(event.pointerId);
    element.focus({ preventScroll: true });
    const move = (next: PointerEvent): void => {
      const place = pointOf(next);
      moved ||= Math.abs(place.x - start.x) + Math.abs(place.y - start.y) > CLICK;
      if (!moved || layout === null) return;
      setTip(null);
      state.pan((last.x - place.x) / layout.plotWidth);
      last = place;
    };
    const end = (up: PointerEvent): void => {
      element.removeEventListener("pointermove", move);
      element.removeEventListener("pointerup", end);
      element.removeEventListener("pointercancel", end);
      if (!moved && up.type === "pointerup") find(up)?.hit.activate?.();
    };
    element.addEventListener("pointermove", move);
    element.addEventListener("pointerup", end);
    element.addEventListener("pointercancel", end);
  };

  const key = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = tip === null ? 0.5 : partOfTime(tip.x);
    const acts: Record<string, () => void> = {
      w: () => state.zoom(1 / KEY_ZOOM, at),
      s: () => state.zoom(KEY_ZOOM, at),
      a: () => state.pan(-KEY_PAN),
      d: () => state.pan(KEY_PAN),
      ArrowLeft: () => state.pan(-KEY_PAN),
      ArrowRight: () => state.pan(KEY_PAN),
      "+": () => state.zoomRows(1 / KEY_ZOOM),
      "-": () => state.zoomRows(KEY_ZOOM),
      "0": () => state.showAll(),
    };
    const act = acts[event.key];
    if (act === undefined) return;
    act();
    setTip(null);
    event.preventDefault();
  };

  const busy = state.timelines.some(({ isThere, data, busy, failure }) => isThere && (data.value === null ? failure.value === null : busy.value));
  return (
    <div ref={box} class="chart aligned-chart" style={{ height: `${height}px` }} data-testid="aligned-chart">
      <canvas
        ref={canvas}
        role="application"
        aria-roledescription="timelines"
        aria-label={label}
        aria-busy={busy}
        tabIndex={0}
        style={{ width: `${width}px`, height: `${height}px`, cursor: tip?.hit.activate ? "pointer" : "default" }}
        onPointerDown={press}
        onKeyDown={key}
        onMouseMove={(event) => {
          if (event.buttons === 0) setTip(find(event));
        }}
        onMouseLeave={() => setTip(null)}
      />
      {tip && (
        <div
          class="tip"
          role="tooltip"
          style={{ left: `${Math.min(tip.x + 14, Math.max(0, width - 340))}px`, top: `${tip.y + 16}px` }}
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
