/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * environment.json of an experiment with several worlds. Private to src/record/worlds.
 */
#ifndef FERMATA_RECORD_WORLDS_JOIN_ENVIRONMENT_H
#define FERMATA_RECORD_WORLDS_JOIN_ENVIRONMENT_H

#include "record/rebuild/rebuild.h"
#include "record/worlds/join_run.h"

/** Reads the description of a world. @return NULL: there is none */
json_t *fm_join_environment_load(const char *folder);

/** Writes the description of the joined experiment into its directory: that of world 0, with the
 * sums of all worlds and what is missing of them.
 * @param lost    worlds that left nothing that could be read
 * @param result  receives all but `bytes` */
fm_status_t fm_join_environment_write(const struct fm_join_run *run, uint32_t lost,
                                      struct fm_rebuilt *result, struct fm_error *error);

#endif
