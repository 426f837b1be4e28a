/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Writes a simulated run as OTF2 archive DIR/traces.otf2, one location after the other, so that
 * only two files are open at the same time. Each location has a region mapping table and two clock
 * offsets of its node, like the archives of recorders.
 */
#ifndef FERMATA_BENCH_SOR_ARCHIVE_H
#define FERMATA_BENCH_SOR_ARCHIVE_H

#include "sor_simulation.h"

#include <otf2/otf2.h>

/** @return number of events of all ranks in an iteration, including its share of a reduction; the
 * mean of all iterations */
double sor_events_per_iteration(const struct sor_problem *problem);

/** Writes the archive into the existing folder `directory`.
 * @param events  out: number of events written */
OTF2_ErrorCode sor_archive_write(const struct sor_simulation *simulation, const char *directory,
                                 uint64_t *events);

#endif
