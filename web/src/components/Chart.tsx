// SPDX-License-Identifier: BSD-3-Clause
import { useEffect, useRef, useState } from "preact/hooks";
import type { JSX } from "preact";
import { CanvasSurface } from "../draw/canvas";
import type { Surface } from "../draw/surface";

export interface Hit {
  readonly lines: readonly string[];
  readonly activate?: () => void;
}

interface Props {
  /** Draws the chart; called again when the function or the size changes. */
  draw: (surface: Surface) => void;
  /** Returns the item at a point. */
  hit?: (x: number, y: number, width: number, height: number) => Hit | null;
  height: number | "fill";
  /** Description of the chart for screen readers. */
  label: string;
  class?: string;
  testId?: string;
}

/** A chart on a canvas, with a textual description of the item under the pointer. */
export function Chart({ draw, hit, height, label, class: extra, testId }: Props): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  const [tip, setTip] = useState<{ x: number; y: number; hit: Hit } | null>(null);

  useEffect(() => {
    const element = box.current!;
    const observer = new ResizeObserver(() => {
      setSize({ width: element.clientWidth, height: element.clientHeight });
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  useEffect(() => {
    if (size.width === 0 || size.height === 0) return;
    draw(new CanvasSurface(canvas.current!, size.width, size.height, devicePixelRatio));
  }, [draw, size]);

  const find = (event: MouseEvent): { x: number; y: number; hit: Hit } | null => {
    const bounds = canvas.current!.getBoundingClientRect();
    const x = event.clientX - bounds.left;
    const y = event.clientY - bounds.top;
    const found = hit?.(x, y, size.width, size.height) ?? null;
    return found && { x, y, hit: found };
  };

  return (
    <div
      ref={box}
      class={`chart ${extra ?? ""}`}
      style={height === "fill" ? {} : { height: `${height}px` }}
      data-testid={testId}
    >
      <canvas
        ref={canvas}
        role="img"
        aria-label={label}
        style={{ width: `${size.width}px`, height: `${size.height}px`, cursor: tip?.hit.activate ? "pointer" : "default" }}
        onMouseMove={(event) => setTip(find(event))}
        onMouseLeave={() => setTip(null)}
        onClick={(event) => find(event)?.hit.activate?.()}
      />
      {tip && (
        <div
          class="tip"
          role="tooltip"
          style={{
            left: `${Math.min(tip.x + 14, Math.max(0, size.width - 260))}px`,
            top: `${tip.y + 16}px`,
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
