/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Describes the missing data of an incomplete experiment.
 */
#ifndef FERMATA_RECORD_REBUILD_MISSING_H
#define FERMATA_RECORD_REBUILD_MISSING_H

#include "base/process_noun.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** How a process ended. */
struct fm_process_end {
    uint32_t rank;
    bool known;     /**< the process has a usable journal */
    bool saved;     /**< all its records are there */
    double seconds; /**< time of its last event since the begin of the run */
};

/** Writes a sentence (without a full stop) about the missing data. Sorts `ends` by time.
 * @param noun     what a process is called
 * @param partly   only a part of the run was selected for recording
 * @param last_call  the call that ends runs regularly: "MPI_Finalize"; NULL: there is none
 * @param failure  why the archive could not be completed in that call; NULL: the run did not reach
 *                 its end */
void fm_missing_describe(struct fm_process_end *ends, size_t count,
                         const struct fm_process_noun *noun, bool partly, const char *last_call,
                         const char *failure, char *text, size_t size);

#endif
