/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What a location did between its recorded events: stretches of computation, and the samples of
 * call stacks that were taken in them. Private to src/trace.
 */
#ifndef FERMATA_TRACE_COMPOSITION_STRETCHES_H
#define FERMATA_TRACE_COMPOSITION_STRETCHES_H

#include "base/containers/map.h"
#include "base/containers/vector.h"

#include <stdint.h>

/** A sample of a call stack. */
struct fm_stack_sample {
    uint64_t time;
    double weight;  /**< CPU time that it stands for, in any unit */
    uint32_t visit; /**< node of its innermost function in the location's call tree */
    uint32_t
        recorded; /**< node of the innermost region that is no estimated function; FM_NONE: none
                   */
};

/** What the ends of stretches have in common that have the same call stacks there, call by call. */
struct fm_stretch_ends {
    uint64_t calls;    /**< equal: the innermost calls at both ends are equal */
    uint32_t from, to; /**< nodes at its begin and end; FM_NONE: outside of all regions */
    uint32_t before;   /**< node of the state at its begin: `from` may have been entered there */
    uint32_t after;    /**< node of the state behind it */
    uint32_t recorded; /**< as of samples */
};

/** The time between two recorded events of a location: ends of calls, and begins and ends of
 * regions that were recorded as such. */
struct fm_stretch {
    uint64_t begin, end;
    uint64_t blocked; /**< ticks of it in which the thread did not run, or it is not known that it
                           was ready to */
    uint64_t delayed; /**< ticks in which it was ready to run: the code that it ran takes longer */
    uint32_t kind;    /**< row of the ends */
    uint32_t first_sample, sample_count;
    uint32_t first_state, state_end; /**< changes of state in it, as the archive has them */
};

/** Those of one location, in the order of time. Zeroed = empty. */
struct fm_stretches {
    FM_VECTOR(struct fm_stretch) items;
    FM_VECTOR(struct fm_stack_sample) samples;
    FM_VECTOR(struct fm_stretch_ends) ends; /**< of each kind, in the order of its first stretch */
    struct fm_map kind_of;                  /**< key of the call stacks -> row of `ends` */
};

/** @return ticks in which a thread ran in a stretch, or was ready to. */
static inline uint64_t fm_stretch_ready(const struct fm_stretch *stretch)
{
    const uint64_t length = stretch->end - stretch->begin;
    return length > stretch->blocked ? length - stretch->blocked : 0;
}

/** @return ticks of CPU time in a stretch: C in the formulas. */
static inline uint64_t fm_stretch_ticks(const struct fm_stretch *stretch)
{
    const uint64_t ready = fm_stretch_ready(stretch);
    return ready > stretch->delayed ? ready - stretch->delayed : 0;
}

/** Forgets all stretches, and keeps the memory. */
static inline void fm_stretches_clear(struct fm_stretches *stretches)
{
    stretches->items.count = stretches->samples.count = stretches->ends.count = 0;
    fm_map_clear(&stretches->kind_of);
}

static inline void fm_stretches_free(struct fm_stretches *stretches)
{
    fm_vector_free(&stretches->items);
    fm_vector_free(&stretches->samples);
    fm_vector_free(&stretches->ends);
    fm_map_free(&stretches->kind_of);
}

#endif
