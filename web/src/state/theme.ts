// SPDX-License-Identifier: BSD-3-Clause
/** Light or dark. */
import { computed, effect, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import { readPalette, type Palette } from "../draw/colors";

export type Theme = "auto" | "light" | "dark";

const KEY = "fermata-theme";

/** Pages opened from a file may have no storage. */
function remembered(): Theme {
  try {
    const theme = localStorage.getItem(KEY);
    return theme === "light" || theme === "dark" ? theme : "auto";
  } catch {
    return "auto";
  }
}

function remember(theme: Theme): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // The setting is then not stored; the next page starts with the default.
  }
}

export function bindTheme(): { theme: Signal<Theme>; palette: ReadonlySignal<Palette> } {
  const theme = signal<Theme>(remembered());
  const changes = signal(0);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => changes.value++);
  const palette = computed(() => {
    // The style sheet uses this attribute, or the system's preference without it.
    if (theme.value === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme.value;
    void changes.value;
    return readPalette();
  });
  effect(() => remember(theme.value));
  return { theme, palette };
}
