// SPDX-License-Identifier: BSD-3-Clause
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { JSX } from "preact";
import { CanvasSurface } from "../draw/canvas";
import type { Palette } from "../draw/colors";
import { drawOverview, type OverviewModel } from "../draw/timeline/timeline_overview";
import type { TimelineState } from "../state/timeline";

interface Props {
  state: TimelineState;
  model: OverviewModel;
  palette: Palette;
}

const HEIGHT = 34;

/** The whole run; a click or dragging moves the displayed time window. */
export function TimelineOverview({ state, model, palette }: Props): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = box.current!;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    if (width > 0) drawOverview(new CanvasSurface(canvas.current!, width, HEIGHT, devicePixelRatio), palette, model);
  }, [model, palette, width]);
  const move = (event: PointerEvent): void => {
    const bounds = canvas.current!.getBoundingClientRect();
    const part = (event.clientX - bounds.left - model.left) / Math.max(1, width - model.left - model.right);
    const { from, to } = state.shownSpan();
    const middle = Math.min(1, Math.max(0, part)) * model.timeline.length;
    state.show(middle - (to - from) / 2, middle + (to - from) / 2);
  };
  return (
    <div ref={box} class="timeline-overview" data-testid="timeline-overview">
      <canvas
        ref={canvas}
        role="img"
        aria-label="The whole run, and the displayed part of it"
        style={{ width: `${width}px`, height: `${HEIGHT}px` }}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          canvas.current!.setPointerCapture(event.pointerId);
          move(event);
        }}
        onPointerMove={(event) => {
          if ((event.buttons & 1) !== 0 && canvas.current!.hasPointerCapture(event.pointerId)) move(event);
        }}
      />
    </div>
  );
}
