/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Kinds of stretches: those with the same call stacks at both ends. Private to
 * src/trace/composition.
 */
#ifndef FERMATA_TRACE_COMPOSITION_KINDS_H
#define FERMATA_TRACE_COMPOSITION_KINDS_H

#include "trace/composition/stretches.h"
#include "trace/tables/trace.h"

/** A kind. */
struct fm_kind {
    uint32_t first, count; /**< its stretches in `order` */
    uint32_t caller;       /**< node of the common caller of both ends; FM_NONE: there is none */
    uint64_t samples;
};

struct fm_kinds {
    struct fm_kind *items; /**< by the `kind` of stretches */
    uint32_t count;
    uint32_t *order; /**< stretches by kind, then by time */
};

/** Sorts the stretches of a location by kinds. To be freed with fm_kinds_free(). */
struct fm_kinds fm_kinds_of(const struct fm_location *location,
                            const struct fm_stretches *stretches);
void fm_kinds_free(struct fm_kinds *kinds);

/** @return the innermost node that two nodes, which may be FM_NONE, have in common as themselves or
 * as callers; FM_NONE: there is none. O(depth) */
uint32_t fm_common_caller(const struct fm_location *location, uint32_t from, uint32_t to);

/** @return the number of a kind's stretches in the block that begins with number `first` of them: a
 * block ends with the stretch with which it has FM_BLOCK_SAMPLES samples, the last one with the
 * kind. */
uint32_t fm_kind_block(const struct fm_kinds *kinds, const struct fm_stretches *stretches,
                       const struct fm_kind *kind, uint32_t first);

#endif
