/** @file
 * Several reports over common dimensions: call paths matched by the names of their regions from the
 * root on, locations by rank and thread. Results have the call paths and locations that any of the
 * reports has. Thread-safe for distinct results.
 */
#ifndef FERMATA_CUBE_MERGE_UNITE_H
#define FERMATA_CUBE_MERGE_UNITE_H

#include "cube/model/cube.h"

/** The common dimensions of several cubes. */
struct fm_cube_union {
    size_t cube_count;
    struct fm_cube *frame; /**< regions, call paths and locations of all; no values */
    uint32_t **callpaths;  /**< [cube][its call path]: the call path of `frame` */
    uint32_t **locations;  /**< [cube][its location]: the location of `frame` */
};

/** Finds the common dimensions. The root call paths of reports that have one root each are the same
 * one, whatever their names: programs differ in name from variant to variant.
 * @param cubes   `count` sealed cubes, at least one
 * @param united  out: to be released with fm_cube_union_release(); set only on success */
fm_status_t fm_cube_unite(const struct fm_cube *const *cubes, size_t count,
                          struct fm_cube_union *united, struct fm_error *error);

/** Frees what fm_cube_unite() made. */
void fm_cube_union_release(struct fm_cube_union *united);

/** The mean of reports of equal runs: each value is the sum of those of all reports, divided by
 * their number. Topologies come from the first report that has any. Distributions, the critical
 * path, locks, phases and matrices, which are single events or sums of them, are left out, which a
 * warning reports; the warnings of the reports are kept.
 * @param names  of the reports, for the warnings
 * @param mean   out: sealed, to be freed with fm_cube_free(); set only on success
 * @return FM_ERR_DATA: a sum exceeds 64 bits */
fm_status_t fm_cube_mean(const struct fm_cube *const *cubes, const char *const *names, size_t count,
                         struct fm_cube **mean, struct fm_error *error);

/** Joins reports of one program that measured different things: each tree of metrics comes from the
 * first report that has any value in it, with its distributions; the critical path, the
 * locks, phases, matrices and topologies come from the first report that has any.
 * Parameters and result as for fm_cube_mean(). */
fm_status_t fm_cube_merge(const struct fm_cube *const *cubes, const char *const *names,
                          size_t count, struct fm_cube **merged, struct fm_error *error);

#endif
