/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Several reports over common dimensions: call paths matched by the names of their regions from the
 * root on, locations matched by rank and thread. A result contains the union of all call paths and
 * locations. Thread-safe for distinct results.
 */
#ifndef FERMATA_CUBE_MERGE_UNITE_H
#define FERMATA_CUBE_MERGE_UNITE_H

#include "cube/model/cube.h"

/** The common dimensions of several cubes. */
struct fm_cube_union {
    size_t cube_count;
    struct fm_cube *frame; /**< union of regions, call paths and locations; no values */
    uint32_t **callpaths;  /**< [cube][call path of the cube]: the call path of `frame` */
    uint32_t **locations;  /**< [cube][location of the cube]: the location of `frame` */
};

/** Determines the common dimensions. If each report has a single root call path, these roots are
 * united whatever their names, because variants of a program often differ in name.
 * @param cubes   `count` sealed cubes, at least one
 * @param united  out: to be released with fm_cube_union_release(); set only on success */
fm_status_t fm_cube_unite(const struct fm_cube *const *cubes, size_t count,
                          struct fm_cube_union *united, struct fm_error *error);

/** Frees the memory of a union. */
void fm_cube_union_release(struct fm_cube_union *united);

/** The mean of reports of equal runs: each value is the sum of this value over all reports, divided
 * by their number. Topologies come from the first report that has any. Distributions, the critical
 * path, locks, phases, matrices and problems consist of single events or sums of them; they are
 * left out, and a warning reports this. The warnings of the reports are kept.
 * @param names  of the reports, for the warnings
 * @param mean   out: sealed, to be freed with fm_cube_free(); set only on success
 * @return FM_ERR_DATA: a sum exceeds 64 bits */
fm_status_t fm_cube_mean(const struct fm_cube *const *cubes, const char *const *names, size_t count,
                         struct fm_cube **mean, struct fm_error *error);

/** Merges reports of one program that contain different measurements. Each tree of metrics comes,
 * with its distributions, from the first report with any value in it. The critical path, the locks,
 * phases, matrices, topologies and problems come from the first report that has any. Parameters and
 * result as for fm_cube_mean(). */
fm_status_t fm_cube_merge(const struct fm_cube *const *cubes, const char *const *names,
                          size_t count, struct fm_cube **merged, struct fm_error *error);

#endif
