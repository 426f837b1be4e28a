/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The definitions of metrics in an archive: its counters, and which counters a Metric event has
 * values of. Private to src/trace.
 */
#ifndef FERMATA_TRACE_READ_COUNTER_DEFINITIONS_H
#define FERMATA_TRACE_READ_COUNTER_DEFINITIONS_H

#include "trace/tables/trace_internal.h"

#include <otf2/otf2.h>

struct fm_raw_counter {
    uint32_t reference, name, unit;                       /**< `name` and `unit`: of strings */
    bool is_total, is_relative, is_since_begin, is_apart; /**< as in struct fm_counter */
    double scale;
};

struct fm_raw_metric {
    uint32_t reference;
    uint32_t like; /**< of an instance: its class; FM_NONE: the metric is a class */
    size_t first;  /**< of its members in `members` */
    uint8_t count;
    bool is_apart; /**< of a class: values are recorded apart from the events of the code */
};

/** Zeroed: nothing was read. */
struct fm_raw_counters {
    FM_VECTOR(struct fm_raw_counter) counters;
    FM_VECTOR(struct fm_raw_metric) metrics;
    FM_VECTOR(uint32_t) members; /**< references */
};

/** Registers callbacks whose user data must be a struct fm_raw_counters, or begin with one. */
void fm_raw_counters_register(OTF2_GlobalDefReaderCallbacks *callbacks);

/** Creates the counters of the trace, in the order of their definitions. Counters with the same
 * name, unit and kind become one, since some recorders define each counter once per process. */
void fm_raw_counters_resolve(const struct fm_raw_counters *raw, struct fm_trace_private *into);

void fm_raw_counters_free(struct fm_raw_counters *raw);

#endif
