/* SPDX-License-Identifier: BSD-3-Clause */
#include "diagnosis/efficiency/load_imbalance.h"

#include <math.h>

struct fm_load_imbalance fm_load_imbalance_of(const double *loads, size_t count)
{
    struct fm_load_imbalance spread = {.largest = NAN, .average = NAN, .imbalance = NAN};
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        if (isnan(loads[i])) {
            continue;
        }
        if (spread.count == 0 || loads[i] > spread.largest) {
            spread.largest = loads[i];
            spread.where = i;
        }
        spread.count++;
        sum += loads[i];
    }
    if (spread.count > 0) {
        spread.average = sum / (double)spread.count;
    }
    if (spread.average > 0) {
        spread.imbalance = (spread.largest - spread.average) / spread.average;
        /* The sum is rounded: equal loads may have an average above the largest one. */
        spread.imbalance = spread.imbalance < 0 ? 0 : spread.imbalance;
    }
    return spread;
}

double fm_correlation(const double *left, const double *right, size_t count)
{
    size_t known = 0;
    double left_mean = 0, right_mean = 0;
    for (size_t i = 0; i < count; i++) {
        if (!isnan(left[i]) && !isnan(right[i])) {
            known++;
            left_mean += left[i];
            right_mean += right[i];
        }
    }
    if (known < 2) {
        return NAN;
    }
    left_mean /= (double)known;
    right_mean /= (double)known;
    double both = 0, left_square = 0, right_square = 0;
    for (size_t i = 0; i < count; i++) {
        if (!isnan(left[i]) && !isnan(right[i])) {
            const double a = left[i] - left_mean, b = right[i] - right_mean;
            both += a * b;
            left_square += a * a;
            right_square += b * b;
        }
    }
    /* Rounding leaves a little of the squares of a constant series. */
    const double least = 1e-24;
    if (left_square <= least * left_mean * left_mean * (double)known ||
        right_square <= least * right_mean * right_mean * (double)known) {
        return NAN;
    }
    const double r = both / sqrt(left_square) / sqrt(right_square);
    return r > 1 ? 1 : r < -1 ? -1 : r;
}
