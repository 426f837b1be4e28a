/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Output of the reader of definitions for the reader of events: the mapping of the archive's
 * references to indices. Private to src/trace.
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

/** The counters whose values the events of a metric contain. */
struct fm_counter_set {
    size_t first; /**< in `set_members` */
    uint8_t count;
};

/** A function on a call stack, and the functions that lead there: a node of a tree. */
struct fm_calling_context {
    uint32_t region; /**< FM_NONE: not defined */
    uint32_t parent; /**< row; FM_NONE: it is a root */
};

struct fm_trace_private {
    struct fm_trace trace; /**< first: the public part */
    struct fm_references regions, communicators, windows, groups, strings, lines;
    struct fm_references parameters;      /**< to regions */
    struct fm_references attributes;      /**< to fm_attribute_t */
    struct fm_references metrics;         /**< to `sets` */
    struct fm_references counter_numbers; /**< of members of metrics */
    FM_VECTOR(struct fm_counter_set) sets;
    FM_VECTOR(uint32_t) set_members; /**< counters; FM_NONE: not defined */
    struct fm_references context_numbers, generator_numbers;
    FM_VECTOR(struct fm_calling_context) contexts; /**< indexed by `context_numbers` */
    FM_VECTOR(double)
    generators;              /**< indexed by `generator_numbers`: weight of a sample of each
                                  generator of interrupts; 0: they do not stand for time */
    FM_VECTOR(char *) text;  /**< indexed by `strings` */
    uint32_t program_region; /**< region that a ProgramBegin event enters */
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

/** Defines `reference`; a later definition replaces an earlier one. */
void fm_references_define(struct fm_references *references, uint64_t reference, uint32_t index);

/** Maps every reference with index i to `new_index`[i]. */
void fm_references_redirect(struct fm_references *references, const uint32_t *new_index);

/** Frees the memory. */
void fm_references_free(struct fm_references *references);

/** Maps all definitions of the same region (name, paradigm, file and line) or parameter (name and
 * type) to the first one: some recorders define every region once for each process. */
void fm_regions_merge(struct fm_trace_private *trace);

/** Adds up the nodes of each location's call tree that stand for the same call path (the values of
 * a parameter beyond FM_PARAMETER_LIMIT): afterwards a location has at most one node for each call
 * path.
 * @param callpaths  number of call paths */
void fm_visits_fold(struct fm_trace *trace, size_t callpaths);

#endif
