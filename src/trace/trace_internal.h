/** @file
 * What the reader of definitions leaves for the reader of events: how the archive's references map
 * to indices. Private to src/trace.
 */
#ifndef FERMATA_TRACE_TRACE_INTERNAL_H
#define FERMATA_TRACE_TRACE_INTERNAL_H

#include "trace/trace.h"

/** Index of each reference of one kind of definition. */
struct fm_references {
    FM_VECTOR(uint32_t) index; /**< FM_NONE: not defined */
};

struct fm_trace_private {
    struct fm_trace trace; /**< first: the public part */
    struct fm_references regions, communicators, windows, groups, strings;
    FM_VECTOR(char *) text;      /**< what `strings` leads to */
    uint32_t program_region;     /**< region that a ProgramBegin event enters */
    uint32_t program_named_by;   /**< process whose event named it; FM_NONE: none yet */
};

static inline struct fm_trace_private *fm_trace_private(struct fm_trace *trace)
{
    return (struct fm_trace_private *)trace;
}

/** @return the index that `reference` stands for, or FM_NONE. */
static inline uint32_t fm_references_find(const struct fm_references *references,
                                          uint64_t reference)
{
    return reference < references->index.count ? references->index.items[reference] : FM_NONE;
}

/** Defines `reference`. @return whether it is a sane one (archives number from 0). */
bool fm_references_define(struct fm_references *references, uint64_t reference, uint32_t index);

#endif
