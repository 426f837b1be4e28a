// SPDX-License-Identifier: BSD-3-Clause
import type { JSX } from "preact";
import { printable } from "../format";
import { withoutQuotes, type Part } from "../model/mentions";

/** A text of the analysis: names between backquotes are set as names. */
export function Prose({ text }: { text: string }): JSX.Element {
  return <Parts parts={withoutQuotes([text])[0]!} />;
}

/** Parts of a text. */
export function Parts({ parts }: { parts: readonly Part[] }): JSX.Element {
  return (
    <>
      {parts.map(({ text, isCode }, i) =>
        isCode ? (
          <code key={i} class="name">
            {printable(text)}
          </code>
        ) : (
          printable(text)
        ),
      )}
    </>
  );
}
