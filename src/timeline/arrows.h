/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Arrows between locations of a timeline: messages, one-sided operations, what threads begin with
 * and wait for, and the causes of wait states.
 */
#ifndef FERMATA_TIMELINE_ARROWS_H
#define FERMATA_TIMELINE_ARROWS_H

#include "analysis/detail.h"

#include <stdint.h>

/* One-sided operations end where the transfer is known to be complete (transfers.h); if no record
 * states that, with their own call, as recorded. */
enum fm_arrow_kind {
    FM_ARROW_MESSAGE, /**< from the sending call to the end of the receiving call */
    FM_ARROW_PUT,     /**< from the origin's call to the end of the target's call that completes it
                           there; passive target: of the origin's call that does */
    FM_ARROW_GET,    /**< from the target, at the begin of the origin's call, to the end of the call
                          that completes it at the origin */
    FM_ARROW_ATOMIC, /**< as FM_ARROW_PUT */
    FM_ARROW_LOCK,   /**< from the origin's call to the target of a window's lock; not collected */
    FM_ARROW_FORK,   /**< from the fork of a team of OpenMP to a member's begin */
    FM_ARROW_THREAD_START, /**< from the creation of a POSIX thread to its begin */
    FM_ARROW_THREAD_END,   /**< from the end of a POSIX thread to the end of the wait for it */
    FM_ARROW_TASK,         /**< from the creation of a task to its begin on another thread */
    FM_ARROW_HAND_OVER,    /**< from the release of a lock of threads to its acquisition by a thread
                                that waited for it */
    FM_ARROW_CAUSE         /**< from the late call that causes a wait to the end of the wait */
};

/** One end of an arrow: a call, or a time. */
struct fm_arrow_end {
    uint32_t location;
    uint32_t activity; /**< the call; FM_NONE: no call of that location is involved */
    uint64_t time;
};

struct fm_arrow {
    struct fm_arrow_end tail, head;
    uint64_t bytes; /**< of messages (4 GiB - 1: that or more) and one-sided operations */
    enum fm_arrow_kind kind;
    uint8_t metric; /**< FM_ARROW_CAUSE: the wait state */
};

typedef FM_VECTOR(struct fm_arrow) fm_arrows;

/** Receives an arrow. */
typedef void fm_arrow_sink(void *context, const struct fm_arrow *arrow);

/** Collects the arrows with both ends in [from, to], sorted by location and activity of the tail.
 * @return to be freed with fm_vector_free() */
fm_arrows fm_arrows_collect(const struct fm_detail *detail, uint64_t from, uint64_t to);

/** @return the first arrow whose tail is this call; `*count` is set to their number. */
const struct fm_arrow *fm_arrows_from(const fm_arrows *arrows, uint32_t location, uint32_t activity,
                                      size_t *count);

/** @return "message", "put", ... or the name of the wait state. */
const char *fm_arrow_name(const struct fm_arrow *arrow);

#endif
