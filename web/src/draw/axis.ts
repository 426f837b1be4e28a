/** Round numbers along an axis. */
import { scaleLinear } from "d3-scale";

/** @returns about `count` round numbers between 0 and `largest`. */
export function ticks(largest: number, count: number): number[] {
  return largest > 0 ? scaleLinear([0, largest], [0, 1]).ticks(count) : [0];
}
