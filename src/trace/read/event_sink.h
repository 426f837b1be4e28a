/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What the events of an archive mean: a function for each SINK record of event_records.def, which
 * calls the builder with indices of the trace's tables. Both readers, the decoder and the callbacks
 * of OTF2's reader, call these functions, each after fm_builder_time(). References are those of the
 * archive or, if the sink has mapping tables, those of the location. Private to src/trace.
 */
#ifndef FERMATA_TRACE_READ_EVENT_SINK_H
#define FERMATA_TRACE_READ_EVENT_SINK_H

#include "trace/builder/builder.h"
#include "trace/read/location_maps.h"
#include "trace/tables/trace_internal.h"

#include <otf2/otf2.h>

/** State of one reader. */
struct fm_event_sink {
    struct fm_builder builder; /**< receives the events */
    const struct fm_trace_private *references;
    uint32_t program_name; /**< string of the first ProgramBegin event; FM_NONE: none yet */
    uint32_t program_process;
    const struct fm_clock_correction *clock; /**< of the location */
    const struct fm_location_maps *maps; /**< NULL: references in events are those of the archive */
    FM_VECTOR(uint32_t)
    open_contexts; /**< calling contexts of the open call stack, from its root */
    FM_VECTOR(uint32_t) next_contexts; /**< those of the event that is read */
    uint64_t context_time;             /**< when the call stack was known last */
    FM_VECTOR(uint32_t) calls;         /**< by reference of a region; empty: no lines */
};

/** What the attributes of an event state: a MeasurementOnOff event the unrecorded operations of one
 * series, a ThreadReleaseLock event the acquisition of its lock, a NonBlockingCollectiveComplete
 * event the persistent collective. */
struct fm_event_extras {
    uint64_t count;
    fm_attribute_t series; /**< FM_ATTRIBUTE_COUNT: none */
    uint32_t communicator, window, peer, tag, group;
    uint64_t acquired_at; /**< UINT64_MAX: unknown */
    uint32_t acquired_in; /**< region; FM_NONE: unknown */
    bool acquired_shared;
    uint32_t persistent; /**< number of the persistent collective; FM_NONE: it is none */
    uint32_t init;       /**< region that initialized it; FM_NONE: unknown */
};

/** Prepares the calls with source lines of the location that the builder has begun.
 * @param maps  of the location; valid until the next call, or NULL */
void fm_event_sink_use_lines(struct fm_event_sink *sink, const struct fm_location_maps *maps);

/** Initializes a gap without a series. */
void fm_event_extras_open(struct fm_event_extras *extras);

/** Adds an attribute. Attributes that are not about gaps or have the wrong type are ignored. */
void fm_event_extras_add(const struct fm_event_sink *sink, struct fm_event_extras *extras,
                         uint32_t reference, OTF2_Type type, OTF2_AttributeValue value);

void fm_event_measurement(struct fm_event_sink *sink, OTF2_MeasurementMode mode,
                          struct fm_event_extras extras);
void fm_event_program_begin(struct fm_event_sink *sink, uint32_t name);
void fm_event_program_end(struct fm_event_sink *sink);
/** A parameter gets a value. Values of another type than the parameter's definition states are
 * unusable records. */
void fm_event_parameter(struct fm_event_sink *sink, uint32_t parameter, fm_parameter_t type,
                        uint64_t value);
void fm_event_parameter_text(struct fm_event_sink *sink, uint32_t parameter, uint32_t string);
void fm_event_metric(struct fm_event_sink *sink, uint32_t metric, uint8_t count,
                     const OTF2_Type *types, const OTF2_MetricValue *values);

/** @return the repaired time that a field of an event states. */
static inline uint64_t fm_event_repaired(const struct fm_event_sink *sink, uint64_t time)
{
    const struct fm_builder *builder = &sink->builder;
    struct fm_time_cursors cursors = builder->cursors;
    return builder->trace->time_maps == NULL
               ? time
               : fm_time_maps_at(builder->trace->time_maps, builder->location_index, &cursors,
                                 time);
}

static inline uint32_t fm_event_region(const struct fm_event_sink *sink, uint32_t reference)
{
    return fm_references_find(&sink->references->regions,
                              fm_location_map(sink->maps, FM_MAP_REGIONS, reference));
}

static inline uint32_t fm_event_communicator(const struct fm_event_sink *sink, uint32_t reference)
{
    return fm_references_find(&sink->references->communicators,
                              fm_location_map(sink->maps, FM_MAP_COMMUNICATORS, reference));
}

static inline uint32_t fm_event_window(const struct fm_event_sink *sink, uint32_t reference)
{
    return fm_references_find(&sink->references->windows,
                              fm_location_map(sink->maps, FM_MAP_WINDOWS, reference));
}

static inline uint32_t fm_event_group(const struct fm_event_sink *sink, uint32_t reference)
{
    return fm_references_find(&sink->references->groups,
                              fm_location_map(sink->maps, FM_MAP_GROUPS, reference));
}

/* Calls of communication functions, and kernels, have their source line where it is known, other
 * functions if the trace is read with them. */
static inline void fm_event_enter(struct fm_event_sink *sink, uint32_t region)
{
    fm_builder_site(&sink->builder, region);
    fm_builder_enter(&sink->builder, region < sink->calls.count ? sink->calls.items[region]
                                                                : fm_event_region(sink, region));
}

static inline void fm_event_leave(struct fm_event_sink *sink, uint32_t region)
{
    fm_builder_leave(&sink->builder, fm_event_region(sink, region));
}

static inline void fm_event_flush(struct fm_event_sink *sink, uint64_t stop)
{
    fm_builder_flush(&sink->builder, fm_event_repaired(sink, stop));
    sink->context_time = sink->builder.now;
}

static inline void fm_event_access_begin(struct fm_event_sink *sink, uint32_t handle, uint8_t mode,
                                         uint64_t bytes, uint64_t id)
{
    fm_builder_access_begin(&sink->builder, handle, mode, bytes, id);
}

static inline void fm_event_access_end(struct fm_event_sink *sink, uint32_t handle, uint64_t bytes,
                                       uint64_t id)
{
    fm_builder_access_end(&sink->builder, handle, bytes, id);
}

static inline void fm_event_send(struct fm_event_sink *sink, uint32_t receiver,
                                 uint32_t communicator, uint32_t tag, uint64_t bytes)
{
    fm_builder_send(&sink->builder, fm_event_communicator(sink, communicator), receiver, tag, bytes,
                    NULL);
}

static inline void fm_event_isend(struct fm_event_sink *sink, uint32_t receiver,
                                  uint32_t communicator, uint32_t tag, uint64_t bytes,
                                  uint64_t request)
{
    fm_builder_send(&sink->builder, fm_event_communicator(sink, communicator), receiver, tag, bytes,
                    &request);
}

static inline void fm_event_isend_complete(struct fm_event_sink *sink, uint64_t request)
{
    fm_builder_send_complete(&sink->builder, request);
}

static inline void fm_event_irecv_request(struct fm_event_sink *sink, uint64_t request)
{
    fm_builder_receive_request(&sink->builder, request);
}

static inline void fm_event_recv(struct fm_event_sink *sink, uint32_t sender, uint32_t communicator,
                                 uint32_t tag, uint64_t bytes)
{
    fm_builder_receive(&sink->builder, fm_event_communicator(sink, communicator), sender, tag,
                       bytes, NULL);
}

static inline void fm_event_irecv(struct fm_event_sink *sink, uint32_t sender,
                                  uint32_t communicator, uint32_t tag, uint64_t bytes,
                                  uint64_t request)
{
    fm_builder_receive(&sink->builder, fm_event_communicator(sink, communicator), sender, tag,
                       bytes, &request);
}

/* The test of a request has failed, or a call that was never left waits for it. */
static inline void fm_event_request_test(struct fm_event_sink *sink, uint64_t request)
{
    fm_polling_failed(&sink->builder, request);
    fm_builder_await_request(&sink->builder, request);
}

static inline void fm_event_cancelled(struct fm_event_sink *sink, uint64_t request)
{
    fm_builder_cancelled(&sink->builder, request);
}

static inline void fm_event_collective(struct fm_event_sink *sink, OTF2_CollectiveOp operation,
                                       uint32_t communicator, uint32_t root, uint64_t sent,
                                       uint64_t received)
{
    fm_builder_collective(&sink->builder, operation, fm_event_communicator(sink, communicator),
                          root, sent, received, NULL);
}

static inline void fm_event_collective_request(struct fm_event_sink *sink, uint64_t request)
{
    fm_builder_collective_request(&sink->builder, request);
}

static inline void fm_event_collective_complete(struct fm_event_sink *sink,
                                                OTF2_CollectiveOp operation, uint32_t communicator,
                                                uint32_t root, uint64_t sent, uint64_t received,
                                                uint64_t request, struct fm_event_extras extras)
{
    const struct fm_collective_request completed = {request, extras.persistent, extras.init};
    fm_builder_collective(&sink->builder, operation, fm_event_communicator(sink, communicator),
                          root, sent, received, &completed);
}

static inline void fm_event_communicator_created(struct fm_event_sink *sink, uint32_t communicator)
{
    fm_builder_communicator_created(&sink->builder, fm_event_communicator(sink, communicator));
}

static inline void fm_event_rma_window(struct fm_event_sink *sink, OTF2_RmaWinRef window)
{
    fm_builder_window_created(&sink->builder, fm_event_window(sink, window));
}

static inline void fm_event_rma_collective(struct fm_event_sink *sink, OTF2_CollectiveOp operation,
                                           uint32_t window, uint32_t root, uint64_t sent,
                                           uint64_t received)
{
    fm_builder_rma_collective(&sink->builder, operation, fm_event_window(sink, window), root, sent,
                              received);
}

static inline void fm_event_group_sync(struct fm_event_sink *sink, uint32_t window, uint32_t group)
{
    fm_builder_rma(&sink->builder, FM_RMA_GROUP_SYNC, fm_event_window(sink, window),
                   fm_event_group(sink, group), false, 0, 0, 0);
}

static inline void fm_event_put(struct fm_event_sink *sink, uint32_t window, uint32_t target,
                                uint64_t bytes, uint64_t id)
{
    fm_builder_rma(&sink->builder, FM_RMA_PUT, fm_event_window(sink, window), target, false, id,
                   bytes, 0);
}

static inline void fm_event_get(struct fm_event_sink *sink, uint32_t window, uint32_t target,
                                uint64_t bytes, uint64_t id)
{
    fm_builder_rma(&sink->builder, FM_RMA_GET, fm_event_window(sink, window), target, false, id, 0,
                   bytes);
}

static inline void fm_event_atomic(struct fm_event_sink *sink, uint32_t window, uint32_t target,
                                   uint64_t sent, uint64_t received, uint64_t id)
{
    fm_builder_rma(&sink->builder, FM_RMA_ATOMIC, fm_event_window(sink, window), target, false, id,
                   sent, received);
}

/** @param step  FM_RMA_LOCK_REQUEST or FM_RMA_LOCK_ACQUIRE */
static inline void fm_event_lock(struct fm_event_sink *sink, fm_rma_type_t step, uint32_t window,
                                 uint32_t target, uint64_t lock, OTF2_LockType type)
{
    fm_builder_lock(&sink->builder, step, fm_event_window(sink, window), target, lock,
                    type == OTF2_LOCK_SHARED);
}

static inline void fm_event_lock_release(struct fm_event_sink *sink, uint32_t window,
                                         uint32_t target, uint64_t lock)
{
    fm_builder_lock(&sink->builder, FM_RMA_LOCK_RELEASE, fm_event_window(sink, window), target,
                    lock, false);
}

static inline void fm_event_rma_sync(struct fm_event_sink *sink, uint32_t window, uint32_t target)
{
    fm_builder_rma(&sink->builder, FM_RMA_SYNC, fm_event_window(sink, window), target, false, 0, 0,
                   0);
}

/** @param where  FM_RMA_DONE_LOCALLY or FM_RMA_DONE_REMOTELY */
static inline void fm_event_done(struct fm_event_sink *sink, fm_rma_type_t where, uint32_t window,
                                 uint64_t id)
{
    fm_builder_rma(&sink->builder, where, fm_event_window(sink, window), FM_NONE, false, id, 0, 0);
}

/** @param paradigm  OTF2_Paradigm of the lock */
void fm_event_thread_lock(struct fm_event_sink *sink, fm_thread_record_type_t type,
                          uint8_t paradigm, uint32_t lock, uint32_t order,
                          struct fm_event_extras extras);

/** @param type  FM_THREAD_TASK_CREATE, _SWITCH or _COMPLETE */
static inline void fm_event_task(struct fm_event_sink *sink, fm_thread_record_type_t type,
                                 uint32_t team, uint32_t creator, uint32_t generation)
{
    fm_builder_thread(&sink->builder, type, fm_event_communicator(sink, team),
                      (uint64_t)creator << 32 | generation);
}

/** Records of OpenMP; those of other paradigms that fork are handled likewise. */
static inline void fm_event_fork(struct fm_event_sink *sink)
{
    fm_builder_fork(&sink->builder);
}

static inline void fm_event_join(struct fm_event_sink *sink)
{
    fm_builder_join(&sink->builder);
}

static inline void fm_event_team_begin(struct fm_event_sink *sink, uint32_t team)
{
    fm_builder_team_begin(&sink->builder, fm_event_communicator(sink, team));
}

static inline void fm_event_team_end(struct fm_event_sink *sink, uint32_t team)
{
    fm_builder_team_end(&sink->builder, fm_event_communicator(sink, team));
}

/** @param type  as for fm_builder_thread() */
static inline void fm_event_thread(struct fm_event_sink *sink, fm_thread_record_type_t type,
                                   uint32_t team, uint64_t sequence)
{
    fm_builder_thread(&sink->builder, type, fm_event_communicator(sink, team), sequence);
}

#endif
