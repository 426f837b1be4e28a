// SPDX-License-Identifier: BSD-3-Clause
import type { JSX } from "preact";
import { ERROR_MEANING, SAMPLED_ERROR_MEANING } from "../format";

/** What the sign of errors stands for.
 * @param sampled  whether what samples tell is among what has errors */
export function ErrorLegend({ sampled = false }: { sampled?: boolean }): JSX.Element {
  return (
    <p class="muted">
      {"\u00b1"} {sampled ? SAMPLED_ERROR_MEANING : ERROR_MEANING}
    </p>
  );
}
