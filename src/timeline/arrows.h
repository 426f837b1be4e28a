/** @file
 * Arrows between locations of a timeline: messages, one-sided operations, and the dependences that
 * cause wait states.
 */
#ifndef FERMATA_TIMELINE_ARROWS_H
#define FERMATA_TIMELINE_ARROWS_H

#include "analysis/detail.h"

#include <stdint.h>

enum fm_arrow_kind {
    FM_ARROW_MESSAGE, /**< from the call that sends to the end of the call that receives */
    FM_ARROW_PUT,     /**< from the origin's call to the target */
    FM_ARROW_GET,     /**< from the target to the end of the origin's call */
    FM_ARROW_ATOMIC,  /**< as a put */
    FM_ARROW_CAUSE    /**< from the call whose lateness ends a wait to the end of the wait */
};

/** One end: in a call, or at a moment. */
struct fm_arrow_end {
    uint32_t location;
    uint32_t activity; /**< FM_NONE: no call of that location takes part */
    uint64_t time;
};

struct fm_arrow {
    struct fm_arrow_end tail, head;
    enum fm_arrow_kind kind;
    uint8_t metric; /**< of FM_ARROW_CAUSE: the wait state */
};

typedef FM_VECTOR(struct fm_arrow) fm_arrows;

/** Collects the arrows of which both ends lie in [from, to], sorted by tail: location, activity.
 * @return to be freed with fm_vector_free() */
fm_arrows fm_arrows_collect(const struct fm_detail *detail, uint64_t from, uint64_t to);

/** @return the first arrow whose tail is this call, and in `*count` how many there are. */
const struct fm_arrow *fm_arrows_from(const fm_arrows *arrows, uint32_t location, uint32_t activity,
                                      size_t *count);

/** @return "message", "put", ... or the name of the wait state. */
const char *fm_arrow_name(const struct fm_arrow *arrow);

#endif
