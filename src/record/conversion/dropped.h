/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Records that are left out of the archive although they were recorded: the visits of phases that
 * other processes have not kept (selection/thinning.h), and what exceeds the size limit. The
 * archive contains a pause in their place, with the counts that matching needs (unrecorded.h), as
 * if recording had been paused. State of one thread during the conversion of its records; no
 * output.
 *
 * Changes of the call stack are not left out: they take effect at the next event that is written.
 */
#ifndef FERMATA_RECORD_CONVERSION_DROPPED_H
#define FERMATA_RECORD_CONVERSION_DROPPED_H

#include "record/capture/nesting.h"
#include "record/conversion/paths/path.h"
#include "record/selection/unrecorded.h"

#include <stdbool.h>
#include <stdint.h>

/** Zeroed = nothing is left out. */
struct fm_dropped {
    bool active;
    bool to_the_end; /**< all further records are left out, else one visit and those behind it */
    bool lingers;    /**< the visit has ended, at `ended`; without a record in between the next
                          visit may be left out in the same pause */
    bool off;        /**< recording was paused at the last record */
    bool broken;     /**< there was no memory: counts are missing */
    uint64_t ended;
    uint32_t function;         /**< of the last call */
    size_t stay;               /**< outer marked regions of the path that are still open */
    uint32_t functions_stay;   /**< outer instrumented functions of the path that are still open */
    struct fm_nesting regions; /**< marked regions begun since */
    struct fm_nesting functions; /**< instrumented functions begun since: call site */
    struct fm_unrecorded_table unrecorded;
};

/** Begins to leave out records.
 * @param path        of the thread
 * @param to_the_end  the last records, too
 * @param off         recording is paused */
void fm_dropped_begin(struct fm_dropped *dropped, const struct fm_path *path, bool to_the_end,
                      bool off);

/** Leaves out a record other than STACK and STACK_SITE. Sets `lingers` at the end of the visit.
 * @param function_name  names functions in records */
void fm_dropped_pass(struct fm_dropped *dropped, const struct fm_path *path, const uint64_t *record,
                     const char *(*function_name)(uint32_t function));

/** Ends: makes the structure ready for the next visit; the memory stays allocated. */
void fm_dropped_end(struct fm_dropped *dropped);

void fm_dropped_free(struct fm_dropped *dropped);

#endif
