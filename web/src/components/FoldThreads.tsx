// SPDX-License-Identifier: BSD-3-Clause
import type { JSX } from "preact";

/** Two buttons, which hide or show the rows of all threads; one that changes nothing is disabled. */
export function FoldThreads(props: {
  fold: () => void;
  unfold: () => void;
  isFolded: boolean;
  isUnfolded: boolean;
}): JSX.Element {
  const { fold, unfold, isFolded, isUnfolded } = props;
  return (
    <span class="zoom-buttons fold-threads" role="group" aria-label="Threads">
      <button type="button" title="One row for the threads of each process" disabled={isFolded} onClick={fold}>
        Fold all threads
      </button>
      <button type="button" title="A row for each thread" disabled={isUnfolded} onClick={unfold}>
        Unfold all
      </button>
    </span>
  );
}
