// SPDX-License-Identifier: BSD-3-Clause
import { FONT, fitText, type Point, type Stroke, type Surface, type TextStyle } from "./surface";

/** Escapes text for XML; characters that XML does not allow are removed. */
export function escapeXml(text: string): string {
  return text
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "")
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;")
    .replace(/"/g, "&quot;");
}

const round = (value: number): string => (Math.round(value * 100) / 100).toString();

/** Builds an SVG document. */
export class SvgSurface implements Surface {
  private readonly parts: string[] = [];
  private readonly hatches = new Map<string, string>();
  private clips = 0;

  constructor(
    readonly width: number,
    readonly height: number,
  ) {}

  /** @returns the document; `title` describes it for screen readers. */
  finish(title: string): string {
    const patterns = [...this.hatches].map(
      ([color, id]) =>
        `<pattern id="${id}" width="6" height="6" patternUnits="userSpaceOnUse" ` +
        `patternTransform="rotate(-45)"><rect width="6" height="1.4" fill="${escapeXml(color)}"/></pattern>`,
    );
    return (
      `<svg xmlns="http://www.w3.org/2000/svg" width="${round(this.width)}" height="${round(this.height)}" ` +
      `viewBox="0 0 ${round(this.width)} ${round(this.height)}" font-family="${escapeXml(FONT)}">` +
      `<title>${escapeXml(title)}</title><defs>${patterns.join("")}</defs>${this.parts.join("")}</svg>\n`
    );
  }

  rect(x: number, y: number, width: number, height: number, fill: string, opacity = 1): void {
    this.parts.push(`<rect ${box(x, y, width, height)} ${paint(fill, opacity)}/>`);
  }

  frame(x: number, y: number, width: number, height: number, stroke: Stroke): void {
    this.parts.push(`<rect ${box(x, y, width, height)} fill="none" ${outline(stroke)}/>`);
  }

  line(x1: number, y1: number, x2: number, y2: number, stroke: Stroke): void {
    this.parts.push(
      `<line x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}" ${outline(stroke)}/>`,
    );
  }

  polyline(points: readonly Point[], stroke: Stroke): void {
    this.parts.push(`<polyline points="${list(points)}" fill="none" ${outline(stroke)}/>`);
  }

  polygon(points: readonly Point[], fill: string, opacity = 1): void {
    this.parts.push(`<polygon points="${list(points)}" ${paint(fill, opacity)}/>`);
  }

  circle(x: number, y: number, radius: number, fill: string, opacity = 1): void {
    this.parts.push(
      `<circle cx="${round(x)}" cy="${round(y)}" r="${round(radius)}" ${paint(fill, opacity)}/>`,
    );
  }

  pixels(x: number, y: number, width: number, pixels: Uint32Array): void {
    const line = (row: number): Uint32Array => pixels.subarray(row * width, (row + 1) * width);
    const isSame = (a: Uint32Array, b: Uint32Array): boolean => a.every((pixel, i) => pixel === b[i]);
    // Lines of the same colour are merged.
    for (let row = 0, end = 1; (row + 1) * width <= pixels.length; row = end++) {
      while ((end + 1) * width <= pixels.length && isSame(line(row), line(end))) end++;
      this.pixelLine(x, y + row, end - row, line(row));
    }
  }

  private pixelLine(x: number, y: number, height: number, pixels: Uint32Array): void {
    let from = 0;
    for (let i = 1; i <= pixels.length; i++) {
      if (i < pixels.length && pixels[i] === pixels[from]) continue;
      const color = pixels[from]!;
      const rgb = [color & 255, (color >> 8) & 255, (color >> 16) & 255].join(",");
      if (color !== 0) this.rect(x + from, y, i - from, height, `rgb(${rgb})`);
      from = i;
    }
  }

  hatch(x: number, y: number, width: number, height: number, color: string): void {
    let id = this.hatches.get(color);
    if (id === undefined) {
      id = `hatch${this.hatches.size}`;
      this.hatches.set(color, id);
    }
    this.parts.push(`<rect ${box(x, y, width, height)} fill="url(#${id})"/>`);
  }

  text(x: number, y: number, text: string, style: TextStyle): void {
    const size = style.size ?? 12;
    const weight = style.weight ?? 400;
    const shown = style.limit === undefined ? text : fitText(text, style.limit, size, weight);
    const turn =
      style.rotate === undefined ? "" : ` transform="rotate(${style.rotate} ${round(x)} ${round(y)})"`;
    this.parts.push(
      `<text x="${round(x)}" y="${round(y)}" font-size="${size}" font-weight="${weight}" ` +
        `text-anchor="${style.anchor ?? "start"}" dominant-baseline="central" ` +
        `fill="${escapeXml(style.color)}"${turn}>${escapeXml(shown)}</text>`,
    );
  }

  clip(x: number, y: number, width: number, height: number, draw: () => void): void {
    const id = `clip${this.clips++}`;
    this.parts.push(
      `<clipPath id="${id}"><rect ${box(x, y, width, height)}/></clipPath><g clip-path="url(#${id})">`,
    );
    draw();
    this.parts.push("</g>");
  }
}

function box(x: number, y: number, width: number, height: number): string {
  return `x="${round(x)}" y="${round(y)}" width="${round(Math.max(0, width))}" height="${round(Math.max(0, height))}"`;
}

function paint(fill: string, opacity: number): string {
  return `fill="${escapeXml(fill)}"${opacity === 1 ? "" : ` fill-opacity="${round(opacity)}"`}`;
}

function outline(stroke: Stroke): string {
  const dash = stroke.dash === undefined ? "" : ` stroke-dasharray="${stroke.dash.join(" ")}"`;
  return `stroke="${escapeXml(stroke.color)}" stroke-width="${stroke.width ?? 1}"${dash}`;
}

function list(points: readonly Point[]): string {
  return points.map(([x, y]) => `${round(x)},${round(y)}`).join(" ");
}
