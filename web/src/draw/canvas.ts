// SPDX-License-Identifier: BSD-3-Clause
import { FONT, fitText, type Point, type Stroke, type Surface, type TextStyle } from "./surface";

/** Draws on a canvas whose pixels are `scale` times smaller than CSS pixels. */
export class CanvasSurface implements Surface {
  private readonly context: CanvasRenderingContext2D;
  private readonly patterns = new Map<string, CanvasPattern>();

  constructor(
    canvas: HTMLCanvasElement,
    readonly width: number,
    readonly height: number,
    scale: number,
  ) {
    const pixelsX = Math.max(1, Math.round(width * scale));
    const pixelsY = Math.max(1, Math.round(height * scale));
    if (canvas.width !== pixelsX) canvas.width = pixelsX;
    if (canvas.height !== pixelsY) canvas.height = pixelsY;
    this.context = canvas.getContext("2d")!;
    this.context.setTransform(scale, 0, 0, scale, 0, 0);
    this.context.clearRect(0, 0, width, height);
  }

  rect(x: number, y: number, width: number, height: number, fill: string, opacity = 1): void {
    this.context.globalAlpha = opacity;
    this.context.fillStyle = fill;
    this.context.fillRect(x, y, width, height);
    this.context.globalAlpha = 1;
  }

  frame(x: number, y: number, width: number, height: number, stroke: Stroke): void {
    this.prepare(stroke);
    this.context.strokeRect(x, y, width, height);
  }

  line(x1: number, y1: number, x2: number, y2: number, stroke: Stroke): void {
    this.polyline(
      [
        [x1, y1],
        [x2, y2],
      ],
      stroke,
    );
  }

  polyline(points: readonly Point[], stroke: Stroke): void {
    this.prepare(stroke);
    this.trace(points);
    this.context.stroke();
  }

  polygon(points: readonly Point[], fill: string, opacity = 1): void {
    this.context.globalAlpha = opacity;
    this.context.fillStyle = fill;
    this.trace(points);
    this.context.closePath();
    this.context.fill();
    this.context.globalAlpha = 1;
  }

  circle(x: number, y: number, radius: number, fill: string, opacity = 1): void {
    this.context.globalAlpha = opacity;
    this.context.fillStyle = fill;
    this.context.beginPath();
    this.context.arc(x, y, radius, 0, 2 * Math.PI);
    this.context.fill();
    this.context.globalAlpha = 1;
  }

  hatch(x: number, y: number, width: number, height: number, color: string): void {
    let pattern = this.patterns.get(color);
    if (pattern === undefined) {
      pattern = this.makePattern(color);
      this.patterns.set(color, pattern);
    }
    this.context.fillStyle = pattern;
    this.context.fillRect(x, y, width, height);
  }

  pixels(x: number, y: number, width: number, pixels: Uint32Array<ArrayBuffer>): void {
    const height = pixels.length / width;
    if (height === 0) return;
    const picture = new OffscreenCanvas(width, height);
    // Supported browsers run on little-endian machines only.
    const image = new ImageData(new Uint8ClampedArray(pixels.buffer, pixels.byteOffset, pixels.byteLength), width);
    picture.getContext("2d", { willReadFrequently: true })!.putImageData(image, 0, 0);
    this.context.imageSmoothingEnabled = false;
    this.context.drawImage(picture, x, y);
  }

  text(x: number, y: number, text: string, style: TextStyle): void {
    const size = style.size ?? 12;
    const weight = style.weight ?? 400;
    const shown = style.limit === undefined ? text : fitText(text, style.limit, size, weight);
    const context = this.context;
    context.font = `${weight} ${size}px ${FONT}`;
    context.fillStyle = style.color;
    context.textAlign = style.anchor === "middle" ? "center" : (style.anchor ?? "start");
    context.textBaseline = "middle";
    if (style.rotate === undefined) {
      context.fillText(shown, x, y);
      return;
    }
    context.save();
    context.translate(x, y);
    context.rotate((style.rotate * Math.PI) / 180);
    context.fillText(shown, 0, 0);
    context.restore();
  }

  clip(x: number, y: number, width: number, height: number, draw: () => void): void {
    this.context.save();
    this.context.beginPath();
    this.context.rect(x, y, width, height);
    this.context.clip();
    draw();
    this.context.restore();
  }

  private prepare(stroke: Stroke): void {
    this.context.strokeStyle = stroke.color;
    this.context.lineWidth = stroke.width ?? 1;
    this.context.setLineDash([...(stroke.dash ?? [])]);
  }

  private trace(points: readonly Point[]): void {
    this.context.beginPath();
    points.forEach(([x, y], i) => {
      if (i === 0) this.context.moveTo(x, y);
      else this.context.lineTo(x, y);
    });
  }

  private makePattern(color: string): CanvasPattern {
    const tile = document.createElement("canvas");
    tile.width = 6;
    tile.height = 6;
    const context = tile.getContext("2d")!;
    context.strokeStyle = color;
    context.lineWidth = 1.4;
    context.beginPath();
    for (const shift of [-6, 0, 6]) {
      context.moveTo(shift - 1, 7);
      context.lineTo(shift + 7, -1);
    }
    context.stroke();
    return this.context.createPattern(tile, "repeat")!;
  }
}
