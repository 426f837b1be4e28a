/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The events that scripts receive, and an index of the tables of a run that finds those of a
 * location in the order of its calls.
 */
#ifndef FERMATA_PATTERNS_EVENT_INDEX_H
#define FERMATA_PATTERNS_EVENT_INDEX_H

#include "analysis/collective/collective_index.h"
#include "analysis/detail.h"
#include "patterns/script.h"
#include "trace/tables/record_kind.h"

/** What an event is. */
typedef enum {
    FM_OBJECT_CALL,
    FM_OBJECT_SEND,       /**< `data`: struct fm_detail_message */
    FM_OBJECT_RECEIVE,    /**< likewise */
    FM_OBJECT_COLLECTIVE, /**< `data`: struct fm_collective_part */
    FM_OBJECT_PHASE,      /**< `data`: struct fm_phase */
    FM_OBJECT_SAMPLE,     /**< `data`: struct fm_sample_ref */
    FM_OBJECT_WAIT, /**< `data`: struct fm_candidate; `value`: ticks of the subscribed metric itself
                     */
    FM_OBJECT_OPERATION, /**< `data`: struct fm_operation_ref */
    FM_OBJECT_LOCK,      /**< `data`: struct fm_kept_hold */
    FM_OBJECT_THREAD,    /**< `data`: struct fm_thread_record */
    FM_OBJECT_REPORT     /**< of a script; `value`: what it reported */
} fm_object_kind_t;

/** An event of a location; refers to tables of the run. */
struct fm_event {
    fm_object_kind_t kind;
    uint32_t location;
    uint32_t activity; /**< FM_NONE: a phase, a sample, an event of a thread, a hold without a call
                            of its own, or a report about one of them */
    uint32_t visit;    /**< node of the location's call tree; FM_NONE: it has none */
    const void *data;
    int64_t value;
};

/** A value of a counter. */
struct fm_sample_ref {
    const struct fm_sample *sample;
    uint32_t counter;
};

/** A one-sided operation. */
struct fm_operation_ref {
    const struct fm_rma *record;
    uint64_t bytes;
};

/** A hold of a lock by a location. */
struct fm_hold_ref {
    const struct fm_kept_hold *kept;
    uint32_t activity; /**< that requests the lock; FM_NONE: none */
};

/** Events of a location. */
struct fm_location_events {
    FM_VECTOR(const struct fm_detail_message *) sends;    /**< ascending by their sending call */
    FM_VECTOR(const struct fm_detail_message *) receives; /**< ascending by the completing call */
    FM_VECTOR(struct fm_hold_ref) holds;       /**< with a call, ascending by call, then time */
    FM_VECTOR(struct fm_hold_ref) other_holds; /**< without, ascending by acquisition */
};

struct fm_event_index {
    const struct fm_detail *detail;
    const struct fm_trace *trace;
    uint64_t begin;             /**< of the run */
    bool takes[FM_EVENT_KINDS]; /**< the kinds that are wanted */
    struct fm_location_events *locations;
    struct fm_collective_index collectives; /**< of no location unless they are wanted */
};

/** Indexes the events of a run.
 * @param takes  the kinds that are wanted */
void fm_event_index_open(struct fm_event_index *index, const struct fm_detail *detail,
                         uint64_t begin, const bool takes[FM_EVENT_KINDS]);
void fm_event_index_close(struct fm_event_index *index);

/** @return the call of an activity. */
struct fm_event fm_event_of_call(const struct fm_event_index *index, uint32_t location,
                                 uint32_t activity);

/** @return the ticks of a wait state: of a polling loop from its first call on. */
int64_t fm_event_waited(const struct fm_event_index *index, const struct fm_event *event);

/** @return a hold of a lock as an event at its owner. O(log calls) */
struct fm_event fm_event_of_hold(const struct fm_event_index *index,
                                 const struct fm_kept_hold *kept);

/** @return the hold of the same lock before one of `holds`; NULL: it is the first one. */
const struct fm_kept_hold *fm_hold_before(const fm_kept_holds *holds,
                                          const struct fm_kept_hold *kept);

/** @return the samples of a location, ascending by time, then counter; to be freed with fm_free().
 */
struct fm_sample_ref *fm_samples_of_location(const struct fm_location *location, size_t *count);

/** @return the node of a location's call tree at a time between its calls; FM_NONE: none. */
uint32_t fm_visit_between_calls(const struct fm_location *location, uint64_t time);

/** @return the name of an event of a thread, NULL: it is none for itself. */
const char *fm_thread_event_name(const struct fm_thread_record *record);

/** @return the class of a call, as patterns know it: "barrier", ..., "other". */
const char *fm_call_class_name(fm_call_t call);

/** @return whether the call path of an event contains a function. */
bool fm_event_is_within(const struct fm_event_index *index, const struct fm_event *event,
                        const char *name);

/** @return the call path of an event; FM_CUBE_NONE: it has none. */
uint32_t fm_event_callpath(const struct fm_event_index *index, const struct fm_event *event);

#endif
