// SPDX-License-Identifier: BSD-3-Clause
import { useEffect, useRef } from "preact/hooks";
import type { JSX } from "preact";
import type { Report } from "../model/report";
import { Keys } from "../views/Run";

/** The keys of the page, and the licences of what the page contains. */
export function Help({ report, onClose }: { report: Report; onClose: () => void }): JSX.Element {
  const dialog = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    // The next Tab reaches the licences, and the arrow keys scroll the dialog.
    dialog.current?.focus();
    return () => before?.focus();
  }, []);
  return (
    <div class="overlay" onClick={onClose}>
      <div
        ref={dialog}
        class="palette keys-list"
        role="dialog"
        aria-label="Keys"
        aria-modal="true"
        tabIndex={-1}
        onClick={(event) => event.stopPropagation()}
      >
        <Keys report={report} />
        <Licences />
      </div>
    </div>
  );
}

function Licences(): JSX.Element {
  // The build writes the text into the page (licences.ts).
  const template = document.getElementById("licences") as HTMLTemplateElement | null;
  return (
    <details class="licences">
      <summary>Licences</summary>
      <pre>{template?.content.textContent}</pre>
    </details>
  );
}
