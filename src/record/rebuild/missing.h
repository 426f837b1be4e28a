/** @file
 * A sentence about what an incomplete experiment lacks.
 */
#ifndef FERMATA_RECORD_REBUILD_MISSING_H
#define FERMATA_RECORD_REBUILD_MISSING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** How a process ended. */
struct fm_process_end {
    uint32_t rank;
    bool known;     /**< it left a journal */
    bool saved;     /**< all that it recorded is there */
    double seconds; /**< time of its last event since the begin of the run */
};

/** Writes the sentence (without a full stop). `ends` gets sorted by time.
 * @param partly   only a part of the run was to be recorded
 * @param last_call  the call that ends runs in order: "MPI_Finalize"; NULL: there is none
 * @param failure  why the archive could not be completed then; NULL: it did not come to that */
void fm_missing_describe(struct fm_process_end *ends, size_t count, bool partly,
                         const char *last_call, const char *failure, char *text, size_t size);

#endif
