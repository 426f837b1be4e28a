// SPDX-License-Identifier: BSD-3-Clause
/** Files that the page writes and offers as downloads. */
import { CanvasSurface } from "../draw/canvas";
import type { Palette } from "../draw/colors";
import type { Surface } from "../draw/surface";
import { SvgSurface } from "../draw/svg";

/** The appearance of a view on paper. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly draw: (surface: Surface, palette: Palette) => void;
}

/** PNG files have twice the resolution of a standard screen. */
const PNG_SCALE = 2;

export function saveBlob(name: string, blob: Blob): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

export function saveText(name: string, type: string, text: string): void {
  saveBlob(name, new Blob([text], { type: `${type};charset=utf-8` }));
}

export function svgOf(picture: Picture, palette: Palette, title: string): string {
  const surface = new SvgSurface(picture.width, picture.height);
  surface.rect(0, 0, picture.width, picture.height, palette.panel);
  picture.draw(surface, palette);
  return surface.finish(title);
}

export function pngOf(picture: Picture, palette: Palette): Promise<Blob> {
  const canvas = document.createElement("canvas");
  const surface = new CanvasSurface(canvas, picture.width, picture.height, PNG_SCALE);
  surface.rect(0, 0, picture.width, picture.height, palette.panel);
  picture.draw(surface, palette);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => {
      if (blob === null) reject(new Error("the browser cannot render a picture of this size; make the window smaller"));
      else resolve(blob);
    }, "image/png");
  });
}
