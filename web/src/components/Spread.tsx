// SPDX-License-Identifier: BSD-3-Clause
import { useLayoutEffect, useRef } from "preact/hooks";
import type { JSX } from "preact";
import { CanvasSurface } from "../draw/canvas";

interface Props {
  /** One value for each location. */
  values: ArrayLike<number>;
  /** Value of the full height; default: the largest of `values`. */
  largest?: number;
  color: string;
  width: number | "fill";
  height: number;
  /** "": the chart adds nothing for screen readers. */
  label: string;
}

/** A small chart of values over the locations: a bar for each location, or for the
 * largest of several; negative values as long as positive ones. */
export function Spread({ values, largest, color, width, height, label }: Props): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null);
  useLayoutEffect(() => {
    const element = canvas.current!;
    const wide = width === "fill" ? element.clientWidth : width;
    const surface = new CanvasSurface(element, wide, height, devicePixelRatio);
    let top = largest ?? 0;
    if (largest === undefined) for (let i = 0; i < values.length; i++) top = Math.max(top, Math.abs(values[i]!));
    if (top <= 0) return;
    const columns = Math.min(values.length, Math.floor(wide));
    const step = wide / columns;
    const gap = step >= 4 ? 1 : 0;
    for (let column = 0; column < columns; column++) {
      const from = Math.floor((column * values.length) / columns);
      const to = Math.max(from + 1, Math.floor(((column + 1) * values.length) / columns));
      let value = 0;
      for (let i = from; i < to; i++) value = Math.max(value, Math.abs(values[i]!));
      const tall = Math.min(1, value / top) * (height - 1);
      if (value > 0) {
        surface.rect(column * step, height - Math.max(1, tall), step - gap, Math.max(1, tall), color);
      }
    }
  }, [values, largest, color, width, height]);
  return (
    <canvas
      ref={canvas}
      class="spread"
      {...(label === "" ? { "aria-hidden": true } : { role: "img", "aria-label": label })}
      style={{ width: width === "fill" ? "100%" : `${width}px`, height: `${height}px` }}
    />
  );
}
