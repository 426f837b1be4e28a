// SPDX-License-Identifier: BSD-3-Clause
/** Drawing targets of charts: a canvas on the screen or in a PNG file, or an SVG file. */

export interface Stroke {
  readonly color: string;
  readonly width?: number;
  readonly dash?: readonly number[];
}

export interface TextStyle {
  readonly size?: number;
  readonly color: string;
  readonly anchor?: "start" | "middle" | "end";
  readonly weight?: number;
  /** Rotation in degrees around the text's anchor. */
  readonly rotate?: number;
  /** Longer text is truncated with an ellipsis. */
  readonly limit?: number;
}

export type Point = readonly [number, number];

/** Coordinates are CSS pixels. Text is vertically centred. */
export interface Surface {
  readonly width: number;
  readonly height: number;
  rect(x: number, y: number, width: number, height: number, fill: string, opacity?: number): void;
  frame(x: number, y: number, width: number, height: number, stroke: Stroke): void;
  line(x1: number, y1: number, x2: number, y2: number, stroke: Stroke): void;
  polyline(points: readonly Point[], stroke: Stroke): void;
  polygon(points: readonly Point[], fill: string, opacity?: number): void;
  circle(x: number, y: number, radius: number, fill: string, opacity?: number): void;
  /** Diagonal lines over a rectangle. */
  hatch(x: number, y: number, width: number, height: number, color: string): void;
  text(x: number, y: number, text: string, style: TextStyle): void;
  /** Draws lines of `width` pixels: 0xff, blue, green, red, highest byte first; 0: transparent. */
  pixels(x: number, y: number, width: number, pixels: Uint32Array<ArrayBuffer>): void;
  /** Draws with clipping to the rectangle. */
  clip(x: number, y: number, width: number, height: number, draw: () => void): void;
}

/** A part of a surface as a separate surface. */
export function partOf(
  whole: Surface,
  left: number,
  top: number,
  width: number,
  height: number,
): Surface {
  const move = (points: readonly Point[]): Point[] => points.map(([x, y]) => [x + left, y + top]);
  return {
    width,
    height,
    rect: (x, y, w, h, fill, opacity) => whole.rect(x + left, y + top, w, h, fill, opacity),
    frame: (x, y, w, h, stroke) => whole.frame(x + left, y + top, w, h, stroke),
    line: (x1, y1, x2, y2, stroke) => whole.line(x1 + left, y1 + top, x2 + left, y2 + top, stroke),
    polyline: (points, stroke) => whole.polyline(move(points), stroke),
    polygon: (points, fill, opacity) => whole.polygon(move(points), fill, opacity),
    circle: (x, y, radius, fill, opacity) => whole.circle(x + left, y + top, radius, fill, opacity),
    hatch: (x, y, w, h, color) => whole.hatch(x + left, y + top, w, h, color),
    text: (x, y, text, style) => whole.text(x + left, y + top, text, style),
    pixels: (x, y, w, pixels) => whole.pixels(x + left, y + top, w, pixels),
    clip: (x, y, w, h, draw) => whole.clip(x + left, y + top, w, h, draw),
  };
}

export const FONT = '"Inter", system-ui, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", sans-serif';

let measuring: CanvasRenderingContext2D | null = null;

/** @returns the width of a text in CSS pixels. */
export function textWidth(text: string, size = 12, weight = 400): number {
  measuring ??= document.createElement("canvas").getContext("2d");
  if (measuring === null) return text.length * size * 0.55;
  measuring.font = `${weight} ${size}px ${FONT}`;
  return measuring.measureText(text).width;
}

/** Truncates a text to at most `limit` pixels. */
export function fitText(text: string, limit: number, size = 12, weight = 400): string {
  if (textWidth(text, size, weight) <= limit) return text;
  let low = 0;
  let high = Math.min(text.length, 1000);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (textWidth(`${text.slice(0, middle)}\u2026`, size, weight) <= limit) low = middle;
    else high = middle - 1;
  }
  return low === 0 ? "" : `${text.slice(0, low)}\u2026`;
}
