/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * How unevenly a load is spread over processes (or nodes, or threads), and how well it follows the
 * work: the formulas of D. Eberius, Low-level metrics for MPI and GPUs (2020), chapter 4, which are
 * those of O. Pearce et al. for processes. Loads that are NAN are not known and are left out.
 */
#ifndef FERMATA_DIAGNOSIS_EFFICIENCY_LOAD_IMBALANCE_H
#define FERMATA_DIAGNOSIS_EFFICIENCY_LOAD_IMBALANCE_H

#include <stddef.h>

/** The spread of a load. */
struct fm_load_imbalance {
    size_t count;     /**< loads that are known */
    double largest;   /**< NAN: none is known */
    double average;   /**< NAN: none is known */
    double imbalance; /**< formula 4.1 as a fraction: (largest - average) / average, from 0 (equal
                           loads) to count - 1 (one has all); NAN: all loads are 0, or unknown */
    size_t where;     /**< index of the largest load, the first one if several are equal */
};

/** Computes formula 4.1; with adjusted loads it is formula 4.5.
 * @param loads  not negative */
struct fm_load_imbalance fm_load_imbalance_of(const double *loads, size_t count);

/** @return Pearson's correlation coefficient of two series, from -1 to 1, over the places where
 * both are known; NAN: fewer than two such places, or a series is constant. */
double fm_correlation(const double *left, const double *right, size_t count);

#endif
