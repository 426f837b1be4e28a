/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Why calls need the progress of other processes, and kinds of such calls: what they do, in which
 * epoch, on which window, how much and how far, as one number (the key of the kind).
 */
#ifndef FERMATA_ANALYSIS_PROGRESS_NEED_KEY_H
#define FERMATA_ANALYSIS_PROGRESS_NEED_KEY_H

#include <stdbool.h>
#include <stdint.h>

/** What calls of MPI do, or complete: bits. */
enum {
    FM_NEEDS_FOR_PUT = 1,
    FM_NEEDS_FOR_GET = 2,
    FM_NEEDS_FOR_ATOMIC = 4,
    FM_NEEDS_FOR_LOCK = 8,
    FM_NEEDS_FOR_UNLOCK = 16,
    FM_NEEDS_FOR_FLUSH = 32,
    FM_NEEDS_FOR_SEND = 64,
    FM_NEEDS_FOR_RECEIVE = 128, /**< both: an exchange */
    FM_NEEDS_FOR_COMPLETE = 256,
    FM_NEEDS_FOR_COLLECTIVES = 1 << 22, /**< with the set of their names: bits 0 to 21 */
};

/** What calls of other libraries do: what their function is for. */
static inline uint32_t fm_needs_for_function(uint32_t region)
{
    return (uint32_t)1 << 23 | region;
}

/** @return whether it is the function that says what calls do. */
static inline bool fm_needs_is_function(uint32_t what)
{
    return what >> 23 != 0;
}

/** @return the region of fm_needs_for_function(). */
static inline uint32_t fm_needs_region(uint32_t what)
{
    return what & (((uint32_t)1 << 23) - 1);
}

/** Epochs that calls belong to. */
enum {
    FM_NEEDS_IN_NO_EPOCH,
    FM_NEEDS_IN_LOCK_EPOCH,
    FM_NEEDS_IN_ACCESS_EPOCH,
    FM_NEEDS_OF_PERSISTENT, /**< none: some of the collectives are persistent */
};

/** Why a call needs a partner. */
struct fm_needed {
    uint32_t what;      /**< FM_NEEDS_FOR_... or fm_needs_for_function() */
    uint32_t window;    /**< FM_NONE: none */
    uint8_t size_class; /**< of the message: fm_trace_size_class(); 0: there is none */
    uint8_t epoch;      /**< FM_NEEDS_IN_... */
    bool is_later;      /**< an earlier call has begun what this one completes */
};

/** @return the key of a kind of calls. @param is_far  some partner of the call is on another node
 */
uint64_t fm_need_key(const struct fm_needed *why, bool is_far);

/** @return what calls of a kind have in common; the window FM_NONE if there is none. */
struct fm_needed fm_need_of_key(uint64_t key);

/** @return the window of calls of a kind; FM_NONE: none. */
uint32_t fm_need_key_window(uint64_t key);

/** @return whether some partner of each call of a kind is on another node. */
bool fm_need_key_is_far(uint64_t key);

/** @return the key of a call for which two reasons hold. */
uint64_t fm_need_key_merge(uint64_t a, uint64_t b);

#endif
