/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What the recorder knows of the objects by which threads synchronize: locks, conditions, barriers,
 * semaphores. They are found by their address in a hash table of the process, without a lock; a
 * look-up allocates at the first use of an object only. Objects are never removed: an object at the
 * address of an earlier one counts as the same.
 *
 * Of a lock, the table has the latest acquisition. The fields of `holder` belong to the thread that
 * holds the lock exclusively: the lock itself guards them.
 */
#ifndef FERMATA_RECORD_THREADS_OBJECTS_H
#define FERMATA_RECORD_THREADS_OBJECTS_H

#include "record/capture/hot.h"

#include <stdbool.h>
#include <stdint.h>

/** An acquisition of a lock. */
struct fm_acquisition {
    uint64_t order;     /**< of the lock's acquisitions, from 1 on; 0: none is known */
    uint64_t time;      /**< clock ticks */
    uint64_t in;        /**< return address of the acquiring call */
    uint32_t is_record; /**< it was recorded: so is the release */
    uint32_t is_shared; /**< other threads may hold the lock at the same time */
};

/** States of fm_object.is_recorded. */
enum { FM_OBJECT_NEW = 1, FM_OBJECT_REPORTED = 2 };

/** An object. Zeroed = free slot. */
struct fm_object {
    uint64_t address;     /**< atomic */
    uint32_t waiters;     /**< recorded calls that wait for it now; atomic */
    uint32_t is_recorded; /**< records refer to it: FM_OBJECT_...; atomic */
    uint64_t
        owner; /**< of a lock that can be shared: the thread that has it exclusively; 0: none */
    uint64_t orders; /**< number of acquisitions so far; of shared ones, atomic */
    struct fm_acquisition holder;
};

/** Tables, each four times as large as the one before; and places in each that are searched. */
enum { FM_OBJECTS_FIRST_BITS = 14, FM_OBJECTS_TABLES = 8, FM_OBJECTS_PROBES = 4 };

/** The first table. */
extern FM_HIDDEN struct fm_object *fm_objects;

/** Allocates the first table, once. @return false without memory */
bool fm_objects_begin(void);

/** fm_object_at for objects that are not found at once; errno is preserved. */
FM_COLD struct fm_object *fm_object_search(uint64_t address);

static inline uint64_t fm_object_hash(uint64_t address)
{
    return address * 0x9e3779b97f4a7c15u;
}

/** The object at an address. Thread-safe, async-signal-safe. @return NULL: without memory */
static inline struct fm_object *fm_object_at(const void *object)
{
    uint64_t address = (uint64_t)(uintptr_t)object;
    struct fm_object *slot = &fm_objects[fm_object_hash(address) >> (64 - FM_OBJECTS_FIRST_BITS)];
    if (FM_LIKELY(__atomic_load_n(&slot->address, __ATOMIC_RELAXED) == address)) {
        return slot;
    }
    return fm_object_search(address);
}

/** Number of an object, for a record: unique in the process, from 1 on. */
uint32_t fm_object_id(struct fm_object *object);

/** Reports the objects whose numbers records have; see fm_paradigm.report_objects. */
void fm_objects_report(void (*report)(void *context, uint32_t id, uint64_t address), void *context,
                       bool only_new);

static inline void fm_object_waits(struct fm_object *object)
{
    __atomic_fetch_add(&object->waiters, 1, __ATOMIC_SEQ_CST);
}

static inline void fm_object_waited(struct fm_object *object)
{
    __atomic_fetch_sub(&object->waiters, 1, __ATOMIC_RELAXED);
}

/** Whether a recorded call waits for the object now. */
static inline bool fm_object_is_awaited(const struct fm_object *object)
{
    return __atomic_load_n(&object->waiters, __ATOMIC_RELAXED) != 0;
}

#endif
