/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The calls of the threads of a process on objects that are no locks (conditions, semaphores,
 * barriers), and which call awakened which.
 */
#ifndef FERMATA_ANALYSIS_THREADS_OBJECT_CALLS_H
#define FERMATA_ANALYSIS_THREADS_OBJECT_CALLS_H

#include "base/containers/vector.h"
#include "trace/tables/trace.h"

/** A call on an object, which a record of the call names. */
struct fm_object_call {
    uint64_t object;
    uint64_t enter, leave;
    uint32_t location;
    uint32_t activity;
};

typedef FM_VECTOR(struct fm_object_call) fm_object_calls;

/** Lists the calls of some kinds in a process, by object and Enter. O(n log n).
 * @param kinds  FM_CALLS() of these
 * @param calls  replaced; to be freed with fm_vector_free() */
void fm_object_calls_list(const struct fm_trace *trace, uint32_t process, uint64_t kinds,
                          fm_object_calls *calls);

/** A call that waited for an object, and the last call of another thread that was entered in it,
 * (Enter, Leave], to awaken a thread there; of simultaneous ones that of the lowest location. */
struct fm_awakening {
    struct fm_object_call wait, by;
};

typedef FM_VECTOR(struct fm_awakening) fm_awakenings;

/** Finds what awakened the waiting calls of a process, by object and Enter. Calls that nothing
 * awakened are left out.
 * @param waits, wakes  kinds of the calls
 * @param found         replaced; to be freed with fm_vector_free() */
void fm_awakenings_find(const struct fm_trace *trace, uint32_t process, fm_call_t waits,
                        fm_call_t wakes, fm_awakenings *found);

#endif
