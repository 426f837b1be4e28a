/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The trace of one rank as PyTorch's profiler (Kineto) writes it: Chrome's JSON with an array
 * `traceEvents`, in which complete events ("ph": "X") have a begin and a duration in microseconds.
 *
 * Read are the events of threads (operators, annotations, Python functions, calls of the runtime
 * and the driver library) and those of streams (kernels, copies, memory sets). Flows, instants,
 * counters, and annotations that the profiler repeats on streams, state nothing else.
 */
#ifndef FERMATA_IMPORT_KINETO_KINETO_TRACE_H
#define FERMATA_IMPORT_KINETO_KINETO_TRACE_H

#include "base/containers/map.h"
#include "base/containers/vector.h"
#include "base/error.h"
#include "scenario/key_table.h"

#include <stdbool.h>
#include <stdint.h>

#define FM_KINETO_NONE UINT32_MAX

enum fm_kineto_kind {
    FM_KINETO_OPERATOR, /**< operator, annotation or Python function of a thread */
    FM_KINETO_CALL,     /**< of a thread: of the runtime or driver library */
    FM_KINETO_KERNEL,
    FM_KINETO_COPY,
    FM_KINETO_SET
};

/** A complete event. */
struct fm_kineto_event {
    int64_t begin, end;   /**< nanoseconds of the trace's clock */
    uint64_t correlation; /**< of a call and the work that it launches; 0: none */
    uint64_t bytes;       /**< of a copy or memory set */
    uint32_t name;        /**< in the names of the job */
    uint32_t collective;  /**< in the collectives of the trace; FM_KINETO_NONE: not stated */
    uint8_t kind;         /**< enum fm_kineto_kind */
};

/** A thread, or a stream of an accelerator. */
struct fm_kineto_lane {
    int64_t process; /**< of a stream: its device */
    int64_t thread;  /**< of a stream: its number */
    bool is_stream;
    FM_VECTOR(struct fm_kineto_event) events;
};

/** What an event states about the collective operation that it is part of. */
struct fm_kineto_collective {
    uint32_t name;     /**< "allreduce", in the names of the job; FM_KINETO_NONE: not stated */
    uint32_t group;    /**< name of the process group, likewise */
    uint32_t ranks;    /**< its members as they are written, likewise */
    int64_t sequence;  /**< number in the group; -1: not stated */
    uint64_t elements; /**< sent, or received if those are more */
    uint64_t sent, received; /**< bytes; 0: not stated */
};

/** What a synchronization of the accelerator waits for. */
struct fm_kineto_sync {
    uint64_t correlation;   /**< of the call */
    int64_t device, stream; /**< that waits, or that the host waits for; stream -1: all */
    int64_t record_stream;  /**< the event's */
    uint64_t record;        /**< correlation of the call that has recorded the event; 0: none */
    bool is_of_stream;      /**< a stream waits for the event */
};

/** The trace of a rank. */
struct fm_kineto_trace {
    const char *path;
    int64_t rank;       /**< -1: not stated */
    int64_t world_size; /**< -1: not stated */
    int64_t base;       /**< nanoseconds to be added to all times for the time of day; 0 */
    bool is_hip;
    FM_VECTOR(struct fm_kineto_lane) lanes;
    struct fm_key_table lane_keys; /**< go with `lanes` */
    FM_VECTOR(struct fm_kineto_collective) collectives;
    FM_VECTOR(struct fm_kineto_sync) syncs;
    struct fm_key_table groups;  /**< names of process groups in distributedInfo ... */
    FM_VECTOR(uint32_t) members; /**< ... their members as they are written, in the names */
    uint64_t without_times;      /**< events that have no usable times */
    uint64_t of_other_kinds;     /**< events of categories that are not known */
    char other_kind[32];         /**< the first of these categories */
    bool has_events;             /**< there is an array traceEvents */
};

/** @return whether a file looks like such a trace: JSON, maybe compressed, with one of the keys of
 * the profiler's traces in its first 64 KiB. */
bool fm_kineto_is_trace(const char *path);

/** Reads a trace.
 * @param path   must outlive the trace
 * @param names  of the job: names of events and of what collectives state are added
 * @param trace  out: to be freed with fm_kineto_trace_free(), also after a failure
 * @return FM_ERR_DATA: damaged, truncated, or no such trace */
fm_status_t fm_kineto_trace_read(const char *path, struct fm_key_table *names,
                                 struct fm_kineto_trace *trace, struct fm_error *error);

void fm_kineto_trace_free(struct fm_kineto_trace *trace);

#endif
