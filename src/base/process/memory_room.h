/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * How much memory this process may still take before the system refuses it, or ends the process.
 */
#ifndef FERMATA_BASE_PROCESS_MEMORY_ROOM_H
#define FERMATA_BASE_PROCESS_MEMORY_ROOM_H

#include <stdint.h>

/** What limits the memory of this process most. */
typedef enum {
    FM_MEMORY_OF_MACHINE,       /**< the memory that is available on it */
    FM_MEMORY_OF_CONTROL_GROUP, /**< the limit of a control group, as of a container or a job */
    FM_MEMORY_OF_DATA_LIMIT     /**< RLIMIT_DATA (ulimit -d) */
} fm_memory_bound_t;

/** Memory that this process may still take, bytes. */
struct fm_memory_room {
    uint64_t bytes; /**< private memory; UINT64_MAX: not known */
    fm_memory_bound_t bound;
    uint64_t mappable; /**< address space, of mapped files, too (RLIMIT_AS); UINT64_MAX: any */
};

/** Reads how much memory this process may take now. Memory that holds contents of files which the
 * system can read again counts as available; swap space does not count. Takes the limits of the
 * process's control groups, of both versions, with those of all groups above them.
 * @param root  prefix of the paths below /proc and /sys, for tests; "" otherwise
 */
struct fm_memory_room fm_memory_room(const char *root);

/** @return how many processes the system has ended so far because memory ran out, on the machine;
 * UINT64_MAX: not known */
uint64_t fm_memory_kills(void);

#endif
