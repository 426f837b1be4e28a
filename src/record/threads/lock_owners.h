/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What open calls of threads wait for (record/paradigm/open_call.h): the object, and who has it.
 */
#ifndef FERMATA_RECORD_THREADS_LOCK_OWNERS_H
#define FERMATA_RECORD_THREADS_LOCK_OWNERS_H

#include "record/paradigm/open_call.h"
#include "record/threads/lock_records.h"

/** A SYNCHRONIZATION_OBJECT; FM_WORDS_SYNCHRONIZATION_OBJECT words. @return the place behind it */
static inline uint64_t *fm_put_object(uint64_t *place, struct fm_object *object)
{
    place[0] = fm_record_header(FM_RECORD_SYNCHRONIZATION_OBJECT, 0, fm_object_id(object));
    return place + FM_WORDS_SYNCHRONIZATION_OBJECT;
}

/** States that the open call waits for the object. */
static inline void fm_open_object(struct fm_thread *thread, struct fm_object *object)
{
    fm_open_end(thread, fm_put_object(fm_open_begin(thread), object));
}

/** Kinds of locks, by what states who has one. */
enum fm_lock_kind {
    FM_LOCK_MUTEX, /**< also of C11 */
    FM_LOCK_SHARED,
    FM_LOCK_SPIN
};

/** States that the open call waits for a lock, and who has it now, as far as that is known. Another
 * thread may have got it until the call ends: then the release by the one that is stated is
 * recorded (fm_object_waits). The call has told that it waits. */
FM_COLD void fm_open_lock(struct fm_thread *thread, struct fm_object *object, const void *lock,
                          enum fm_lock_kind kind);

#endif
