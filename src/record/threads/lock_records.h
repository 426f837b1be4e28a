/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Records of acquisitions and releases of locks.
 */
#ifndef FERMATA_RECORD_THREADS_LOCK_RECORDS_H
#define FERMATA_RECORD_THREADS_LOCK_RECORDS_H

#include "record/threads/objects.h"
#include "record/threads/posix.h"

/** An ACQUIRE_LOCK; FM_WORDS_ACQUIRE_LOCK words. @return the place behind it */
static inline uint64_t *fm_put_acquired(uint64_t *place, struct fm_object *object, uint64_t order)
{
    place[0] =
        fm_record_header(FM_RECORD_ACQUIRE_LOCK, OTF2_PARADIGM_PTHREAD, fm_object_id(object));
    place[1] = order;
    return place + FM_WORDS_ACQUIRE_LOCK;
}

/** Call site of an acquisition that was not recorded. Called in the recorded call that releases. */
static inline uint32_t fm_released_site(struct fm_thread *thread, const struct fm_acquisition *ends)
{
    return ends->order != 0 && !ends->is_record ? fm_thread_site_of(thread, ends->in) : 0;
}

/** Words of the record of a release; 0: the acquisition is not known. */
static inline size_t fm_released_words(const struct fm_acquisition *ends)
{
    return ends->order == 0  ? 0
           : ends->is_record ? FM_WORDS_RELEASE_LOCK
                             : FM_WORDS_RELEASE_NOTED_LOCK;
}

/** A RELEASE_LOCK, or a RELEASE_NOTED_LOCK if the acquisition was not recorded; fm_released_words
 * words. @return the place behind it */
static inline uint64_t *fm_put_released(uint64_t *place, struct fm_object *object,
                                        const struct fm_acquisition *ends, uint32_t site)
{
    if (ends->order == 0) {
        return place;
    }
    uint32_t id = fm_object_id(object);
    place[1] = ends->order;
    if (ends->is_record) {
        place[0] = fm_record_header(FM_RECORD_RELEASE_LOCK, OTF2_PARADIGM_PTHREAD, id);
        return place + FM_WORDS_RELEASE_LOCK;
    }
    place[0] = fm_record_header(FM_RECORD_RELEASE_NOTED_LOCK, OTF2_PARADIGM_PTHREAD, id);
    place[2] = ends->time;
    place[3] = site | (uint64_t)ends->is_shared << FM_NOTED_LOCK_SHARED_BIT;
    return place + FM_WORDS_RELEASE_NOTED_LOCK;
}

#endif
