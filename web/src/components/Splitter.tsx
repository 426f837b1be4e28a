// SPDX-License-Identifier: BSD-3-Clause
import type { JSX } from "preact";

interface Props {
  label: string;
  /** The fraction of the panes' width before it. */
  at: number;
  /** Fraction of the panes' width. */
  onMove: (by: number) => void;
}

const STEP = 0.02;

/** Moves the border between two panes. */
export function Splitter({ label, at, onMove }: Props): JSX.Element {
  const drag = (event: PointerEvent): void => {
    const handle = event.currentTarget as HTMLElement;
    const width = handle.parentElement!.clientWidth;
    let last = event.clientX;
    handle.setPointerCapture(event.pointerId);
    const move = (moved: PointerEvent): void => {
      onMove((moved.clientX - last) / width);
      last = moved.clientX;
    };
    const end = (): void => {
      handle.removeEventListener("pointermove", move);
      handle.removeEventListener("pointerup", end);
      handle.removeEventListener("pointercancel", end);
    };
    handle.addEventListener("pointermove", move);
    handle.addEventListener("pointerup", end);
    handle.addEventListener("pointercancel", end);
    event.preventDefault();
  };
  return (
    <div
      class="splitter"
      role="separator"
      aria-orientation="vertical"
      aria-label={label}
      aria-valuenow={Math.round(100 * at)}
      aria-valuemin={0}
      aria-valuemax={100}
      tabIndex={0}
      onPointerDown={drag}
      onKeyDown={(event) => {
        if (event.key === "ArrowLeft") onMove(-STEP);
        else if (event.key === "ArrowRight") onMove(STEP);
        else return;
        event.preventDefault();
      }}
    />
  );
}
