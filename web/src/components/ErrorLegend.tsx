// SPDX-License-Identifier: BSD-3-Clause
import type { JSX } from "preact";
import { ERROR_MEANING } from "../format";

/** What the sign of errors stands for. */
export function ErrorLegend(): JSX.Element {
  return (
    <p class="muted">
      {"\u00b1"} {ERROR_MEANING}
    </p>
  );
}
