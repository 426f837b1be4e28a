/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Start-up and shut-down of libraries (MPI_Init, shmem_finalize, ...): time that is not counted as
 * time of the program, except waiting in the shut-down for processes that are still busy.
 */
#ifndef FERMATA_DIAGNOSIS_STARTUP_H
#define FERMATA_DIAGNOSIS_STARTUP_H

#include "cube/model/cube.h"

#include <stdbool.h>

/** @return whether all time of `metric` is start-up or shut-down of a library. */
bool fm_is_startup(fm_metric_t metric);

/** @return whether a metric of the tree of time belongs to a library by which processes
 * communicate: MPI, OpenSHMEM, ARMCI, coarrays. */
bool fm_is_communication(fm_metric_t metric);

/** @return whether a region is a function that starts up or shuts down a library, by the tables of
 * functions. A search by name. */
bool fm_is_startup_region(const struct fm_cube_region *region);

/** @return for each call path whether its function starts up or shuts down a library, to be freed
 * with fm_free(). Time: a search by name for each region. */
bool *fm_startup_callpaths(const struct fm_cube *cube);

/** @return whether a value is time of start-up or shut-down.
 * @param callpaths  fm_startup_callpaths() of the cube */
bool fm_is_startup_cell(const bool *callpaths, const struct fm_cube_cell *cell);

#endif
