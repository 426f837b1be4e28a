/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The description of a run in its experiment: environment.json beside the trace.
 */
#ifndef FERMATA_CLI_ARCHIVE_ENVIRONMENT_H
#define FERMATA_CLI_ARCHIVE_ENVIRONMENT_H

#include "base/error.h"
#include "cube/model/cube.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/** Reads it.
 * @param archive  the experiment directory, or an anchor file in one
 * @return an object to be released, or NULL if there is none that can be read */
json_t *fm_environment_load(const char *archive);

/** @return a sentence without a full stop about an environment.json that is there and cannot be
 * read, to be freed; NULL: it can be, or there is none */
char *fm_environment_damage(const char *archive);

/** Adds this sentence to the warnings of a report, unless they have it. */
fm_status_t fm_environment_warn(const char *archive, struct fm_cube *cube, struct fm_error *error);

/** @return by how much recording has made the run longer, millionths; 0: not stated
 * @param environment  may be NULL */
uint32_t fm_environment_overhead(const json_t *environment);

/** Whether it may have made the run longer by much more than that. */
bool fm_environment_overhead_is_least(const json_t *environment);

/** What the recorder spent most time on: fm_recorder_cost_t + 1; 0: not known. */
uint32_t fm_environment_costliest(const json_t *environment);

/** @return how often sampling timers fired in a second of CPU time, thousandths; 0: not stated
 * @param environment  may be NULL */
uint32_t fm_environment_sample_rate(const json_t *environment);

/** @return the command line of the program in it as a shell takes it, to be freed; NULL if there is
 * none, or no memory. */
char *fm_environment_command(const json_t *environment);

/** Sets a text in it; the file is replaced as a whole or stays as it is. An archive without such a
 * file is left alone, and so is a file that says it already.
 * @return FM_OK or FM_ERR_SYSTEM */
fm_status_t fm_environment_set(const char *archive, const char *key, const char *text,
                               struct fm_error *error);

#endif
