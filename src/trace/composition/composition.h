/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * How much of a stretch of computation each call path took, where samples alone tell it.
 *
 * A sample says little about the stretch that it was taken in, and nothing about those without one.
 * The composition of a stretch comes from a pool: the samples of stretches like it, those of its
 * kind (the same call stacks at both ends) and of nearly its length. Where pools mix lengths, what
 * makes stretches longer is found by a regression of the samples on the length. The composition is
 * then laid out in time, in the order in which its functions were sampled.
 *
 * The length of a stretch stays exact; times of regions that were recorded as such are not touched.
 * Samples of a location explain that location only.
 */
#ifndef FERMATA_TRACE_COMPOSITION_COMPOSITION_H
#define FERMATA_TRACE_COMPOSITION_COMPOSITION_H

#include "trace/composition/stretches.h"
#include "trace/tables/trace.h"

/** Finds nodes of a call tree that grows. */
struct fm_child_finder {
    /** @return the node below another node (FM_NONE: a root) of the function and the call site of a
     * third one, which is added if it is new */
    uint32_t (*child)(void *context, uint32_t parent, uint32_t like);
    void *context;
};

/** Replaces the states of a location within its stretches by their compositions, and the times of
 * the nodes of its call tree accordingly. O(s log s + p) for s stretches with p parts in all.
 * @param stretches  of the location: ascending, not overlapping */
void fm_compose(const struct fm_trace *trace, struct fm_location *location,
                const struct fm_stretches *stretches, struct fm_child_finder nodes);

#endif
