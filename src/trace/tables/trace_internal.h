/** @file
 * What the reader of definitions leaves for the reader of events: how the archive's references map
 * to indices. Private to src/trace.
 */
#ifndef FERMATA_TRACE_TABLES_TRACE_INTERNAL_H
#define FERMATA_TRACE_TABLES_TRACE_INTERNAL_H

#include "base/containers/map.h"
#include "trace/tables/trace.h"

/** Index of each reference of one kind of definition. */
struct fm_references {
    FM_VECTOR(uint32_t) index; /**< of references from 0 on; FM_NONE: not defined there */
    struct fm_map scattered;   /**< of all others: some recorders give each process its own range */
};

/** Attributes that the reader understands (base/unrecorded.def). */
typedef enum {
#define FM_ATTRIBUTE(symbol, name, type, description) FM_ATTRIBUTE_##symbol,
#include "base/unrecorded.def"
#undef FM_ATTRIBUTE
    FM_ATTRIBUTE_COUNT
} fm_attribute_t;

/** The counters that the events of a metric have values of. */
struct fm_counter_set {
    size_t first; /**< in `set_members` */
    uint8_t count;
};

struct fm_trace_private {
    struct fm_trace trace; /**< first: the public part */
    struct fm_references regions, communicators, windows, groups, strings, lines;
    struct fm_references attributes;      /**< to fm_attribute_t */
    struct fm_references metrics;         /**< to `sets` */
    struct fm_references counter_numbers; /**< of members of metrics */
    FM_VECTOR(struct fm_counter_set) sets;
    FM_VECTOR(uint32_t) set_members; /**< counters; FM_NONE: not defined */
    FM_VECTOR(char *) text;          /**< what `strings` leads to */
    uint32_t program_region;         /**< region that a ProgramBegin event enters */
    struct fm_program_name program_name;
};

static inline struct fm_trace_private *fm_trace_private(struct fm_trace *trace)
{
    return (struct fm_trace_private *)trace;
}

/** @return the index that `reference` stands for, or FM_NONE. */
static inline uint32_t fm_references_find(const struct fm_references *references,
                                          uint64_t reference)
{
    if (reference < references->index.count && references->index.items[reference] != FM_NONE) {
        return references->index.items[reference];
    }
    return references->scattered.count == 0 ? FM_NONE
                                            : fm_map_get(&references->scattered, reference);
}

/** Defines `reference`, again if it was. */
void fm_references_define(struct fm_references *references, uint64_t reference, uint32_t index);

/** Makes every reference that led to index i lead to `new_index`[i]. */
void fm_references_redirect(struct fm_references *references, const uint32_t *new_index);

/** Frees the memory. */
void fm_references_free(struct fm_references *references);

/** Lets all definitions of the same region (name, paradigm, file and line) lead to the
 * first one: some recorders define every region once for each process. */
void fm_regions_merge(struct fm_trace_private *trace);

#endif
