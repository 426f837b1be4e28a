/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Joins the archives of the worlds of a program to one: of the processes that `mpirun` has started
 * (world 0, whose archive is the experiment's), and of those that the program has spawned (in
 * `worlds/1`, `worlds/2`, ...). Each world records and ends on its own; nothing is exchanged
 * between them while the program runs.
 *
 * All steps until the joined archive is complete leave the archives of the worlds as they are. An
 * interrupted join is repeated.
 */
#ifndef FERMATA_RECORD_WORLDS_JOIN_H
#define FERMATA_RECORD_WORLDS_JOIN_H

#include "record/rebuild/rebuild.h"

/** Whether the experiment has processes that are connected with another world, and its archive is
 * that of world 0 alone. */
bool fm_join_is_due(const char *directory);

/** Writes the archive of all worlds, and states in environment.json what is missing. The caller
 * holds the lock of the experiment, and no archive is open.
 * @param job_end  as of fm_rebuild
 * @param result  `processes` and what follows, of all worlds
 * @return as of fm_rebuild */
fm_status_t fm_join(const char *directory, uint64_t job_end, struct fm_rebuilt *result,
                    struct fm_error *error);

#endif
