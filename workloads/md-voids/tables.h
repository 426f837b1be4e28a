/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables for fermata gpu-imbalance. */
#ifndef MD_VOIDS_TABLES_H
#define MD_VOIDS_TABLES_H

#include "activity.h"

#include <stdio.h>

/* What is known of a domain. */
struct domain_result {
    double atoms, interactions;
    double seconds; /* of the computation of forces, or of the kernel */
    double energy, sum[3], magnitude;
};

/* Writes FOLDER/ranks.csv: time and atoms of each domain; kernels.csv: its kernel, unless `kernel`
 * is NULL. Creates the folder. Returns false and sets errno on failure. */
bool tables_write(const char *folder, const struct domain_result *domains, int count,
                  const char *kernel);

/* Writes FOLDER/ranks.csv, kernels.csv, and threads.csv, the mean work of each thread over all
 * domains. Likewise. */
bool tables_write_model(const char *folder, const struct activity *domains, int count,
                        enum kernel kernel);

/* Returns largest / average - 1 in percent. */
double imbalance_percent(const double *loads, int count, int stride);

#endif
