/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What changes lengthen or shorten on one location: the input of the replay. */
#ifndef FERMATA_ANALYSIS_REPLAY_EDITS_H
#define FERMATA_ANALYSIS_REPLAY_EDITS_H

#include "analysis/dependencies/dependencies.h"
#include "base/containers/vector.h"

#include <stdint.h>

/** A stretch of computation, outside of all calls of communication libraries, whose length changes.
 */
struct fm_stretch_edit {
    uint64_t begin, end; /**< in the measured run */
    uint64_t length;     /**< ticks in the predicted run */
};

/** A factor for the remaining time of a call: what it takes after all that it waits for. */
struct fm_remaining_edit {
    uint32_t activity;
    uint64_t numerator, denominator; /**< denominator > 0 */
};

/** A call that other rules of dependencies bind in the changed run. */
struct fm_freed_edit {
    uint32_t activity;
    uint32_t rules; /**< those that do not bind it, instead of FM_DORMANT_RULES: bits
                         1 << fm_dependency_rule_t */
};

/** A dependency that is on another event in the changed run, or on none. */
struct fm_redirected_edit {
    uint32_t position;          /**< among the dependencies of the location */
    bool binds;                 /**< false: it is on none */
    struct fm_dependency event; /**< `t` and `source` of the other event; the rest is not used */
};

typedef FM_VECTOR(struct fm_redirected_edit) fm_redirected_vector;

/** A call for whose completion a later call waits at its begin; it takes no time itself. */
struct fm_deferred_edit {
    uint32_t at;                     /**< the call that waits for it */
    uint32_t from;                   /**< the call, before `at` */
    uint32_t rules;                  /**< that do not bind it, as in struct fm_freed_edit */
    uint64_t numerator, denominator; /**< of its remaining time */
};

/** A call that completes what goes on before it is entered: its remaining time passes from the
 * latest of its events on, and from the end of the call that has begun it. */
struct fm_overlapped_edit {
    uint32_t activity;
    uint32_t since; /**< the call that has begun it, an earlier one; FM_NONE: the events alone */
};

/** The changes on one location. */
struct fm_edits {
    FM_VECTOR(struct fm_stretch_edit) stretches;     /**< ascending, disjoint */
    FM_VECTOR(struct fm_remaining_edit) remaining;   /**< ascending */
    FM_VECTOR(struct fm_freed_edit) freed;           /**< ascending */
    FM_VECTOR(struct fm_deferred_edit) deferred;     /**< ascending by `at` and `from` */
    fm_redirected_vector redirected;                 /**< ascending */
    FM_VECTOR(struct fm_overlapped_edit) overlapped; /**< ascending */
    FM_VECTOR(uint32_t) removed; /**< ascending: calls that wait for nobody and take no time */
};

/** Frees the tables; the edits are empty afterwards. */
static inline void fm_edits_free(struct fm_edits *edits)
{
    fm_vector_free(&edits->stretches);
    fm_vector_free(&edits->remaining);
    fm_vector_free(&edits->freed);
    fm_vector_free(&edits->deferred);
    fm_vector_free(&edits->redirected);
    fm_vector_free(&edits->overlapped);
    fm_vector_free(&edits->removed);
}

/** @return the edit of a dependency; NULL: none. O(log n) */
static inline const struct fm_redirected_edit *
fm_redirection_in(const fm_redirected_vector *redirected, uint32_t position)
{
    size_t low = 0, high = redirected->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (redirected->items[middle].position < position) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < redirected->count && redirected->items[low].position == position
               ? &redirected->items[low]
               : NULL;
}

/** @return floor(value * numerator / denominator), at most INT64_MAX / 2 */
static inline uint64_t fm_scaled(uint64_t value, uint64_t numerator, uint64_t denominator)
{
    const unsigned __int128 product = (unsigned __int128)value * numerator / denominator;
    return product > INT64_MAX / 2 ? (uint64_t)INT64_MAX / 2 : (uint64_t)product;
}

/** @return the new length of the computation from `from` to `to`.
 * @param next  in: the first stretch that ends behind `from`; out: behind `to` */
static inline uint64_t fm_edited_length(const struct fm_edits *edits, size_t *next, uint64_t from,
                                        uint64_t to)
{
    uint64_t length = 0;
    for (; *next < edits->stretches.count; ++*next) {
        const struct fm_stretch_edit *edit = &edits->stretches.items[*next];
        const uint64_t begin = edit->begin > from ? edit->begin : from;
        const uint64_t end = edit->end < to ? edit->end : to;
        if (edit->begin >= to) {
            break;
        }
        if (begin < end) {
            const uint64_t ticks = edit->end - edit->begin;
            length += begin - from + fm_scaled(end - edit->begin, edit->length, ticks) -
                      fm_scaled(begin - edit->begin, edit->length, ticks);
            from = end;
        }
        if (edit->end > to) {
            break;
        }
    }
    return length + (to - from);
}

#endif
