// SPDX-License-Identifier: BSD-3-Clause
import type { JSX } from "preact";
import { fractionColor } from "../draw/colors";
import type { Store } from "../state/store";

interface Props {
  store: Store;
  /** Values of the first and the last colour, formatted. */
  low: string;
  high: string;
  signed: boolean;
}

const STOPS = 9;

/** The colours between two values. */
export function ScaleLegend({ store, low, high, signed }: Props): JSX.Element {
  const palette = store.palette.value;
  const colors = Array.from({ length: STOPS }, (_, i) => {
    const t = i / (STOPS - 1);
    return fractionColor(store.scale.value, palette, signed ? 2 * t - 1 : t);
  });
  return (
    <p class="scale-legend" data-testid="scale-legend">
      <span class="unseen">Colours from </span>
      {low}
      <span aria-hidden="true" class="scale-colors" style={{ background: `linear-gradient(to right, ${colors.join(", ")})` }} />
      <span class="unseen"> to </span>
      {high}
    </p>
  );
}
