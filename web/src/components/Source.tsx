// SPDX-License-Identifier: BSD-3-Clause
import { useEffect, useRef } from "preact/hooks";
import type { JSX } from "preact";
import { printable } from "../format";
import type { Report } from "../model/report";

interface Props {
  report: Report;
  file: string;
  line: number;
}

/** The source around a line, if the page contains it. */
export function Source({ report, file, line }: Props): JSX.Element | null {
  const marked = useRef<HTMLSpanElement>(null);
  const excerpt = report.sources.find(
    (each) => each.file === file && line >= each.first && line < each.first + each.lines.length,
  );
  useEffect(() => {
    const box = marked.current?.parentElement;
    if (box) box.scrollTop = marked.current!.offsetTop - box.clientHeight / 2;
  }, [excerpt, line]);
  if (excerpt === undefined) return null;
  return (
    <pre class="source" aria-label={`Source, line ${line}`} tabIndex={0} data-testid="source">
      {excerpt.lines.map((text, i) => {
        const number = excerpt.first + i;
        const isHere = number === line;
        return (
          <span key={number} class={isHere ? "here" : ""} ref={isHere ? marked : null}>
            <b>{number}</b>
            {printable(text.replace(/\t/g, "    "))}
            {"\n"}
          </span>
        );
      })}
    </pre>
  );
}
