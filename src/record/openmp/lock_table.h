/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The locks of OpenMP by their addresses: those of critical and ordered regions, and of the
 * program. They are numbered in the order of their first use, behind FM_OMP_LOCKS_FIRST, so that
 * their numbers differ from those of the locks of POSIX threads. A lock that is destroyed and made
 * again at the same address keeps its number.
 */
#ifndef FERMATA_RECORD_OBJECTS_OBJECT_TABLE_H
#define FERMATA_RECORD_OBJECTS_OBJECT_TABLE_H

#include "record/capture/hot.h"

#include <stdbool.h>
#include <stdint.h>

#define FM_OMP_LOCKS_FIRST ((uint32_t)1 << 30)

/** A lock. `acquired` and `nesting` belong to the thread that holds it. */
struct fm_omp_lock {
    uint64_t address;
    uint32_t id;
    uint32_t acquired; /**< number of acquisitions so far */
    uint32_t nesting;  /**< how often its owner has taken a lock that nests */
    bool is_variable; /**< of the program; atomic. The locks of critical constructs without name and
                           of ordered constructs are none */
    bool is_reported; /**< as new */
};

/** The lock at an address. Its first look-up adds it to the table; later ones take no lock and no
 * system call. errno is preserved. O(1). @return NULL: no memory */
struct fm_omp_lock *fm_omp_lock_at(const volatile void *address);

/** Reports the locks whose addresses are those of variables; see fm_paradigm.report_objects. */
void fm_omp_locks_report(void (*report)(void *context, uint32_t id, uint64_t address),
                         void *context, bool only_new);

#endif
