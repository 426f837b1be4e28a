// SPDX-License-Identifier: BSD-3-Clause
/** Colours of the page and of charts. All scales are distinguishable with colour-blindness. */
import { interpolateCividis, interpolateInferno, interpolatePuBu, interpolateViridis, interpolateYlOrBr } from "d3-scale-chromatic";

export type ScaleName = "heat" | "viridis" | "cividis";
export const SCALE_NAMES: readonly ScaleName[] = ["heat", "viridis", "cividis"];

/** Colours of the charts, resolved for the current theme. */
export interface Palette {
  readonly dark: boolean;
  readonly background: string;
  readonly panel: string;
  readonly ink: string;
  readonly muted: string;
  readonly faint: string;
  readonly line: string;
  readonly accent: string;
  readonly wait: string;
  readonly compute: string;
  readonly communicate: string;
  readonly cause: string;
  readonly path: string;
}

const variables: Record<Exclude<keyof Palette, "dark">, string> = {
  background: "--background",
  panel: "--panel",
  ink: "--ink",
  muted: "--muted",
  faint: "--faint",
  line: "--line",
  accent: "--accent",
  wait: "--wait",
  compute: "--compute",
  communicate: "--communicate",
  cause: "--cause",
  path: "--path",
};

/** @returns the current colours of the style sheet. */
export function readPalette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const colors = Object.fromEntries(
    Object.entries(variables).map(([name, variable]) => [name, style.getPropertyValue(variable).trim()]),
  ) as Record<Exclude<keyof Palette, "dark">, string>;
  return { dark: style.getPropertyValue("--dark").trim() === "1", ...colors };
}

/** @returns the colour of a fraction (0 to 1) on a scale: more is darker on a light page, brighter on
 * a dark one. */
export function scaleColor(name: ScaleName, dark: boolean, fraction: number): string {
  const t = Math.min(1, Math.max(0, fraction));
  switch (name) {
    case "heat":
      return dark ? interpolateInferno(0.22 + 0.68 * t) : interpolateYlOrBr(0.12 + 0.78 * t);
    case "viridis":
      return interpolateViridis(dark ? 0.15 + 0.85 * t : 0.95 - 0.95 * t);
    case "cividis":
      return interpolateCividis(dark ? 0.1 + 0.9 * t : 0.98 - 0.98 * t);
  }
}

/** @returns the colour of a fraction (-1 to 1): a position on the scale, or blue for less than nothing (differences). */
export function fractionColor(name: ScaleName, palette: Palette, fraction: number): string {
  if (fraction >= 0) return scaleColor(name, palette.dark, fraction);
  const t = Math.min(1, -fraction);
  return interpolatePuBu(palette.dark ? 0.85 - 0.55 * t : 0.25 + 0.65 * t);
}

/** Colours of the classes of time in the overview. */
export function shareColor(palette: Palette, name: string): string {
  switch (name) {
    case "Computation":
      return palette.compute;
    case "Waiting":
    case "Calls never left":
      return palette.wait;
    case "Idle threads":
    case "Overhead":
      return palette.muted;
    case "Not classified":
      return palette.faint;
    default:
      return palette.communicate;
  }
}

/** @returns red, green, blue of "#rrggbb". */
export function channels(color: string): readonly number[] {
  const code = parseInt(color.slice(1), 16);
  return [(code >> 16) & 255, (code >> 8) & 255, code & 255];
}

/** @returns black or white, whichever is easier to read on a colour ("#rrggbb"). */
export function textOn(color: string): string {
  const [red, green, blue] = channels(color).map((channel) => {
    const part = channel / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  // Relative luminance of WCAG 2.2: at 0.179, the contrast to black and to white is equal.
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? "#000000" : "#ffffff";
}
