// SPDX-License-Identifier: BSD-3-Clause
/** Round numbers along an axis. */
import { scaleLinear } from "d3-scale";

/** @returns about `count` round numbers between 0 and `largest`. */
export function ticks(largest: number, count: number): number[] {
  return largest > 0 ? scaleLinear([0, largest], [0, 1]).ticks(count) : [0];
}

/** @returns the smallest of 1, 2, 5, 10, 20, ... that is at least `least`. */
export function niceStep(least: number): number {
  for (let step = 1; ; step *= 10) {
    for (const factor of [1, 2, 5]) if (factor * step >= least) return factor * step;
  }
}
