// SPDX-License-Identifier: BSD-3-Clause
/** Distributions of values. */

export interface Distribution {
  readonly count: number;
  readonly sum: number;
  readonly mean: number;
  readonly deviation: number;
  readonly min: number;
  readonly lowerQuartile: number;
  readonly median: number;
  readonly upperQuartile: number;
  readonly max: number;
}

/** @returns the quantile of an ascending list, interpolated between neighbouring values. */
export function quantile(sorted: ArrayLike<number>, q: number): number {
  const position = q * (sorted.length - 1);
  const below = Math.floor(position);
  const low = sorted[below] ?? 0;
  const high = sorted[Math.min(below + 1, sorted.length - 1)] ?? 0;
  return low + (high - low) * (position - below);
}

export function distribute(values: ArrayLike<number>): Distribution {
  const sorted = Float64Array.from(values).sort();
  const sum = sorted.reduce((total, value) => total + value, 0);
  const mean = sorted.length === 0 ? 0 : sum / sorted.length;
  const square = sorted.reduce((total, value) => total + (value - mean) ** 2, 0);
  return {
    count: sorted.length,
    sum,
    mean,
    deviation: sorted.length === 0 ? 0 : Math.sqrt(square / sorted.length),
    min: sorted[0] ?? 0,
    lowerQuartile: quantile(sorted, 0.25),
    median: quantile(sorted, 0.5),
    upperQuartile: quantile(sorted, 0.75),
    max: sorted[sorted.length - 1] ?? 0,
  };
}

/** Estimates a density with a Gaussian kernel (bandwidth by Silverman's rule).
 * @returns `points` densities at equal distances from min to max, scaled to a largest of 1 */
export function density(values: ArrayLike<number>, points: number): Float64Array {
  const { min, max, deviation, count, upperQuartile, lowerQuartile } = distribute(values);
  const densities = new Float64Array(points);
  if (count === 0 || max <= min) return densities.fill(1);
  const spread = Math.min(deviation, (upperQuartile - lowerQuartile) / 1.349 || deviation);
  const width = Math.max(0.9 * spread * count ** -0.2, (max - min) / (2 * points));
  // Values are first counted in fine bins: the cost does not depend on their number.
  const bins = new Float64Array(4 * points);
  for (let i = 0; i < values.length; i++) {
    const bin = Math.floor(((values[i]! - min) / (max - min)) * (bins.length - 1));
    bins[bin]! += 1;
  }
  for (let p = 0; p < points; p++) {
    const at = min + ((max - min) * p) / (points - 1);
    for (let b = 0; b < bins.length; b++) {
      if (bins[b] === 0) continue;
      const distance = (at - (min + ((max - min) * b) / (bins.length - 1))) / width;
      densities[p]! += bins[b]! * Math.exp(-0.5 * distance * distance);
    }
  }
  const largest = densities.reduce((a, b) => Math.max(a, b), 0);
  return densities.map((value) => value / largest);
}
