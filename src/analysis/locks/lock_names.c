/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/locks/lock_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Names a lock of threads: by its variable if the trace names it, a critical construct by its
 * region. */
static void name_thread_lock(const struct fm_trace *trace, const struct fm_named_lock *found,
                             char *name, size_t size)
{
    const uint32_t number = (uint32_t)found->id;
    const char *object = fm_trace_object_name(trace, found->process, number);
    const struct fm_region *region =
        found->region == FM_NONE ? NULL : &trace->regions[found->region];
    if (object != NULL) {
        snprintf(name, size, "%s", object);
    } else if (region != NULL && strncmp(region->name, "!$omp critical", 14) == 0) {
        snprintf(name, size, "%s", region->name);
    } else {
        snprintf(name, size, "%s %" PRIu32,
                 found->paradigm == FM_PARADIGM_OPENMP ? "OpenMP lock" : "lock", number);
    }
}

/* Names a lock as its programming model does: a symmetric variable, a mutex of a process, which may
 * be one of a set (the upper half of the number), a coarray element of an image. */
void fm_lock_name(const struct fm_trace *trace, const struct fm_named_lock *found, char *name,
                  size_t size)
{
    char set[32] = "";
    if (found->is_of_threads) {
        name_thread_lock(trace, found, name, size);
        return;
    }
    switch (found->paradigm) {
    case FM_PARADIGM_ARMCI:
        if (found->id > UINT32_MAX) {
            snprintf(set, sizeof set, " of set %" PRIu32, (uint32_t)(found->id >> 32));
        }
        snprintf(name, size, "ARMCI mutex %" PRIu32 "%s of process %" PRIu32, (uint32_t)found->id,
                 set, found->process);
        break;
    case FM_PARADIGM_CAF:
        snprintf(name, size, "coarray lock 0x%" PRIx64 " of image %" PRIu32, found->id,
                 found->process + 1);
        break;
    default:
        snprintf(name, size, "SHMEM lock 0x%" PRIx64, found->id);
        break;
    }
}
