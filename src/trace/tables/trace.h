/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * A run in memory: definitions, and for each location columnar tables of its communication calls
 * and of their records, filled by one pass over the archive. All later stages read these tables and
 * nothing else.
 *
 * Processes are numbered by their rank in MPI_COMM_WORLD, those of several worlds (spawned
 * processes) by world and rank; the locations of a process are adjacent, so that location order is
 * (rank, thread). Times are ticks of the trace clock after the archive's clock offsets and the maps
 * of the trace were applied.
 */
#ifndef FERMATA_TRACE_TABLES_TRACE_H
#define FERMATA_TRACE_TABLES_TRACE_H

#include "base/containers/vector.h"
#include "base/error.h"
#include "base/processor_time.h"
#include "functions/paradigm_names.h"
#include "functions/polling_role.h"
#include "trace/clock/time_map.h"
#include "trace/tables/callpaths.h"
#include "trace/tables/counters.h"
#include "trace/tables/estimates.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FM_NONE       UINT32_MAX
#define FM_UNRECORDED (UINT32_MAX - 1)

/** Type of a parameter that a program sets. */
typedef enum {
    FM_PARAMETER_NONE, /**< the region is no parameter */
    FM_PARAMETER_SIGNED,
    FM_PARAMETER_UNSIGNED,
    FM_PARAMETER_TEXT,
    FM_PARAMETER_OBJECT, /**< unsigned: what threads synchronize by, no parameter of the program */
    FM_PARAMETER_CORRELATION, /**< unsigned: which launch made which work of an accelerator */
    FM_PARAMETER_STREAM,      /**< unsigned: which stream a call is about */
    FM_PARAMETER_EVENT,       /**< unsigned: which record of an event a call is about */
    FM_PARAMETER_PARTITIONED_OPERATION, /**< unsigned, likewise: base/partitioned_names.h */
    FM_PARAMETER_PARTITIONS,
    FM_PARAMETER_PARTITIONED_REQUEST,
    FM_PARAMETER_PARTITION,
    FM_PARAMETER_LAST_PARTITION,
    FM_PARAMETER_PROBE_COMMUNICATOR, /**< unsigned: base/probe_names.h */
    FM_PARAMETER_PROBE_SOURCE,
    FM_PARAMETER_PROBE_TAG,
    FM_PARAMETER_LOST_PROCESSOR, /**< unsigned: base/polling_names.h */
    FM_PARAMETER_MERGED_CALLS,   /**< likewise in calls; elsewhere a parameter of the program */
    FM_PARAMETER_MERGED_GAPS,
    FM_PARAMETER_MERGED_VISITS, /**< unsigned: base/merged_visit_names.h */
    FM_PARAMETER_MERGED_SHORTEST,
    FM_PARAMETER_MERGED_LONGEST,
    FM_PARAMETER_AWAITED_COMMUNICATOR, /**< signed: base/awaited_names.h */
    FM_PARAMETER_AWAITED_SOURCE,
    FM_PARAMETER_AWAITED_TAG,
    FM_PARAMETER_AWAITED_ROOT,
    FM_PARAMETER_AWAITED_WINDOW,
    FM_PARAMETER_AWAITED_TARGET,
    FM_PARAMETER_AWAITED_OWNER,
    FM_PARAMETER_AWAITED_SINCE,
    FM_PARAMETER_AWAITED_OMITTED,
    FM_PARAMETER_AWAITED_TAKEN_IN /**< text */
} fm_parameter_t;

/** A region of the program. A parameter is kept as a region, too, whose nodes in call trees are its
 * values. */
struct fm_region {
    char *name;
    char *file;    /**< NULL: unknown */
    uint32_t line; /**< 0: unknown */
    fm_paradigm_t paradigm;
    fm_call_t call;
    bool is_phase;       /**< its instances are phases of the program: iterations, steps */
    bool is_computation; /**< time in it is computation; to be set before events are read */
    fm_parameter_t parameter;
    bool starts_collective;         /**< starts a non-blocking collective, by its name */
    bool is_begun_only;             /**< fm_function_only_begins() */
    bool is_fetching;               /**< fm_function_fetches() */
    struct fm_polling_role polling; /**< what its calls are in a loop that polls */
    bool is_library; /**< a function of a library that the program uses (fm_is_library_function) */
    bool is_estimated; /**< a function of which only samples of call stacks, and the call stacks of
                            calls, tell when it begins and ends */
    bool is_system_wait; /**< a function of the C library whose calls by the program are recorded:
                              those in which it sleeps or waits */
};

/** @return whether call paths always tell calls of a region apart by their lines, where these are
 * known, and have the line as theirs: calls of libraries, and the kernels that these launch. Calls
 * of the C library (`is_system_wait`) are told apart, too; other functions on request only
 * (`with_callsites` of the trace). */
static inline bool fm_region_has_lines(const struct fm_region *region)
{
    return region->call != FM_CALL_USER || fm_paradigm_is_of_accelerators(region->paradigm);
}

/** A line of the program. */
struct fm_source_line {
    char *file;
    uint32_t line;
};

struct fm_process {
    uint32_t first_location;
    uint32_t location_count;
    char *name;
    char *node;     /**< host name */
    uint32_t world; /**< number of its MPI_COMM_WORLD; 0 in a run with one */
    /* Its end, by properties of its locations (base/awaited_names.h); times of the process's clock,
     * UINT64_MAX: not known. */
    uint64_t heartbeat, job_end;
    bool has_ended;       /**< by itself; without such properties: it has finalized a library */
    uint8_t thread_level; /**< 1 + the value of FM_PROPERTY_THREAD_LEVEL; 0: not known */
};

/** Cartesian topology of a communicator. */
struct fm_topology {
    uint8_t dimension_count;
    uint32_t *sizes;
    bool *periodic;
    uint32_t *coordinates;  /**< [rank][dimension]; FM_NONE where the archive has none */
    char *name;             /**< NULL: none */
    char **dimension_names; /**< [dimension]; NULL: none */
};

struct fm_communicator {
    char *name;
    bool is_self;              /**< one definition for the private communicator of every process */
    uint32_t size;             /**< number of members; both groups of an inter-communicator */
    uint32_t first_group_size; /**< members of the first group; `size` unless inter-communicator */
    uint32_t *members;         /**< process of each rank; second group behind the first */
    struct fm_topology *topology; /**< NULL: none known */
};

struct fm_window {
    char *name;
    uint32_t communicator;
    bool is_of_accelerators; /**< its operations are copies of accelerators: no communication */
    atomic_bool is_shared_memory; /**< some process that was read has created it by
                                       MPI_Win_allocate_shared; written while events are read */
};

struct fm_group {
    uint32_t size;
    uint32_t *processes;
};

/** One end of a message. Activities are indices into the activity table of the record's location
 * (start) and of `complete_location` (complete). */
struct fm_message_end {
    uint32_t start;    /**< call that sent, or gave the receive its place in the matching order */
    uint32_t complete; /**< call that completed it; FM_NONE (receives only): never, it matches
                          nothing; FM_UNRECORDED (sends only): some call that is not known */
    uint32_t complete_location;
    uint32_t communicator;
    uint32_t peer; /**< rank in the communicator */
    uint32_t tag;
    uint32_t bytes;       /**< size of the message; UINT32_MAX: that or more */
    uint32_t partitioned; /**< 1 + row of the location's `partitioned`; 0: none */
};

/** A message in partitions. */
struct fm_partitioned_message {
    uint64_t operation; /**< number among those with its communicator, peer, tag and direction << 32
                           | number of the start, from 1 on */
    uint64_t request;   /**< unique in the process */
    uint32_t partitions;
};

/** A range of partitions that a call has made ready, or has found to have arrived. */
struct fm_partition_call {
    uint64_t request; /**< of the message */
    uint32_t activity;
    uint32_t first, last;
};

/** What a successful probe has found. */
struct fm_probe {
    uint32_t activity;
    uint32_t communicator;
    uint32_t peer; /**< rank in the communicator */
    uint32_t tag;
};

/** A receive whose place in the matching order is that of a probe: the call that then posted it. */
struct fm_matched_receive {
    uint32_t receive; /**< row of the location's receives */
    uint32_t post;    /**< activity */
};

/** Of a part in a collective operation whose record is missing, as its call was never left. */
#define FM_OPERATION_UNKNOWN UINT8_MAX

/** One location's part in a collective operation. */
struct fm_collective {
    uint32_t start;    /**< call that took part: decides the order of instances and the kind */
    uint32_t complete; /**< call that waits for it: `start` for blocking ones; FM_NONE: never */
    uint32_t complete_location;
    uint32_t communicator;
    uint32_t window;   /**< that its record names, outside of MPI; FM_NONE: a communicator's */
    uint32_t root;     /**< rank, or an OTF2_COLLECTIVE_ROOT_ value */
    uint8_t operation; /**< OTF2_CollectiveOp; FM_OPERATION_UNKNOWN: that of a call never left */
    bool non_blocking;
    bool moved_bytes;    /**< this location sent or received something in it */
    uint8_t size_class;  /**< of the larger one of both: fm_trace_size_class() */
    uint32_t persistent; /**< number of the persistent collective among those of the communicator;
                              FM_NONE: it is none, or the archive does not state it */
    uint32_t init;       /**< region that initialized it; FM_NONE: likewise */
};

typedef enum {
    FM_RMA_PUT,
    FM_RMA_GET,
    FM_RMA_ATOMIC,
    FM_RMA_COLLECTIVE,   /**< MPI: creation, fence, freeing, by the call */
    FM_RMA_GROUP_SYNC,   /**< start, complete, post, wait, by the call; `peer` = group */
    FM_RMA_LOCK_REQUEST, /**< `peer` = target rank, FM_NONE = all */
    FM_RMA_LOCK_ACQUIRE,
    FM_RMA_LOCK_RELEASE,
    FM_RMA_DONE_LOCALLY,  /**< the operations with this id are done at the origin; completions are
                             kept behind the first lock or operation with a request */
    FM_RMA_DONE_REMOTELY, /**< ... and at the target */
    FM_RMA_SYNC, /**< in a flush: names its target, `peer` (FM_NONE: all); kept as completions are
                  */
    FM_RMA_LOCK_NAME /**< outside of MPI: `id` and `peer` name the lock of the record behind it, of
                          the same call; FM_NONE: the lock belongs to no process */
} fm_rma_type_t;

/** A one-sided record, in the order of the location. */
struct fm_rma {
    uint64_t id; /**< of operations and their completion: unique among the open ones of a process
                  * and window; of an acquisition: its time */
    uint32_t activity;
    uint32_t window;
    uint32_t peer;      /**< rank in the window's communicator, unless said otherwise */
    uint8_t type;       /**< fm_rma_type_t */
    bool shared;        /**< of locks */
    uint8_t size_class; /**< of operations: fm_trace_size_class(); of other records 0 */
};

/** @return the class of messages of a size: 1 for 0 bytes, else one for each power of two. */
static inline uint8_t fm_trace_size_class(uint64_t bytes)
{
    return (uint8_t)(bytes == 0 ? 1 : 65 - __builtin_clzll(bytes));
}

typedef enum {
    FM_THREAD_FORK,       /**< the thread is about to begin a team of OpenMP as its master */
    FM_THREAD_JOIN,       /**< ... has ended it */
    FM_THREAD_TEAM_BEGIN, /**< the thread becomes a member of a team, which `team` names */
    FM_THREAD_TEAM_END,
    FM_THREAD_CREATE, /**< of a POSIX thread; `id`: its number in the team */
    FM_THREAD_BEGIN,
    FM_THREAD_WAIT,        /**< for the end of a POSIX thread */
    FM_THREAD_END,         /**< `activity`: an empty one of the call path that it left last */
    FM_THREAD_OBJECT,      /**< `id`: what the innermost call synchronizes by */
    FM_THREAD_CORRELATION, /**< `id`: of the call that launches work of an accelerator, and of that
                                work in its stream */
    FM_THREAD_STREAM,      /**< `id`: archive's location of a stream that the innermost call waits
                                for, puts an event on, or lets wait for an event */
    FM_THREAD_EVENT,       /**< `id`: of the call that puts an event behind the work of a stream,
                                and of those that wait for it, or let a stream wait */
    FM_THREAD_LOCK_ACQUIRE,
    FM_THREAD_LOCK_RELEASE,
    FM_THREAD_TASK_CREATE, /**< outside of calls of communication, `next_activity` is an empty one
                                of the innermost open region, if there is one */
    FM_THREAD_TASK_SWITCH,
    FM_THREAD_TASK_COMPLETE /**< `activity`: an empty one of the task's call path */
} fm_thread_record_type_t;

/** What an object that threads synchronize by is called. */
struct fm_object_name {
    uint32_t process;
    uint32_t object; /**< number in its process */
    char *name;
};

/** A record about threads, in the order of the location. */
struct fm_thread_record {
    uint64_t time;
    uint64_t id;            /**< of a thread: number in the team; of a lock: number in its model
                                 and process, POSIX threads from 1 << 32 on; of a task: creator << 32 |
                                 generation; else 0 */
    uint64_t acquired;      /**< of a release: time of the acquisition if that has no record;
                                 UINT64_MAX: unknown */
    uint64_t overhead;      /**< of a fork: ticks of the recorder's own work directly behind it */
    uint32_t team;          /**< communicator of locations; FM_NONE: the record names none */
    uint32_t order;         /**< of a lock: number of the acquisition */
    uint32_t activity;      /**< innermost open call; FM_NONE: it is no call of communication */
    uint32_t next_activity; /**< first activity that is entered after the record */
    uint32_t next_state;    /**< first change of state after the record */
    uint32_t visit;         /**< node of the innermost open region; FM_NONE: none */
    uint8_t type;           /**< fm_thread_record_type_t */
    bool shared;            /**< of a release with `acquired`: the lock was acquired shared */
};

/** A call that waits may execute other code meanwhile: a barrier of OpenMP executes tasks, a
 * critical construct its body. Each stretch between two calls inside is an activity of its own. */
struct fm_continuation {
    uint32_t activity;
    uint32_t first; /**< activity that begins the call */
};

/** Quantities that are counted for each call path and location. */
typedef enum {
    FM_COUNT_EMPTY_SENDS,
    FM_COUNT_SENDS,
    FM_COUNT_EMPTY_RECEIVES,
    FM_COUNT_RECEIVES,
    FM_COUNT_EMPTY_COLLECTIVES,
    FM_COUNT_COLLECTIVE_EXCHANGES,
    FM_COUNT_COLLECTIVE_SOURCES,
    FM_COUNT_COLLECTIVE_DESTINATIONS,
    FM_COUNT_PUTS,
    FM_COUNT_GETS,
    FM_COUNT_ATOMICS,
    FM_COUNT_BYTES_SENT,
    FM_COUNT_BYTES_RECEIVED,
    FM_COUNT_BYTES_COLLECTIVE_OUT,
    FM_COUNT_BYTES_COLLECTIVE_IN,
    FM_COUNT_BYTES_PUT,
    FM_COUNT_BYTES_GET,
    FM_COUNT_BYTES_TO_ACCELERATORS,
    FM_COUNT_BYTES_FROM_ACCELERATORS,
    FM_COUNT_FILE_BYTES_READ, /**< by MPI, likewise the next two */
    FM_COUNT_FILE_BYTES_WRITTEN,
    FM_COUNT_FILE_OPERATIONS, /**< reads and writes with a record of their bytes */
    FM_COUNT_KERNEL_IDLE,     /**< ticks of kernels: the parts of struct fm_kernel_load */
    FM_COUNT_KERNEL_INACTIVE,
    FM_COUNT_KERNEL_ADJUSTED,
    FM_COUNT_KERNEL_COMPOSITE,
    FM_COUNT_KINDS
} fm_count_t;

/** A node of one location's call tree with its exclusive time and counts. A node without visits
 * belongs to the call path of the team's master, below which the paths of the other members begin.
 */
struct fm_visit_profile {
    uint64_t value;  /**< as in struct fm_callpath */
    uint32_t parent; /**< node of the same location; FM_NONE: a root */
    uint32_t region;
    uint32_t line;     /**< where a call of communication is made; FM_NONE: unknown */
    uint32_t kind;     /**< enum fm_callpath_kind */
    uint32_t callpath; /**< node of the call forest of all locations */
    uint32_t counts;   /**< row of `counts`; FM_NONE: nothing was counted */
    uint64_t time;     /**< ticks, without `overhead` */
    uint64_t overhead; /**< ticks of the recorder's own work */
    uint64_t visits;
    uint64_t merged;            /**< visits that were not recorded one by one */
    uint64_t merged_since;      /**< first Enter of those, if there are any */
    uint64_t shortest, longest; /**< of those, ticks; 0, 0: not known */
    uint64_t samples;           /**< call stacks that were sampled in it */
    uint64_t processor_times[FM_STRETCH_TIME_COUNT]; /**< ticks, by fm_processor_time_t and what
                                                           follows (base/processor_time.h) */
};

/** @return whether the location was in the call path: samples may have told it, without a visit. */
static inline bool fm_is_visited(const struct fm_visit_profile *profile)
{
    return profile->visits != 0 || profile->time != 0;
}

/** Series whose members are matched in their order. */
typedef enum {
    FM_SERIES_SENDS,       /**< of a communicator to `peer` with `tag` */
    FM_SERIES_RECEIVES,    /**< of a communicator from `peer` with `tag` */
    FM_SERIES_COLLECTIVES, /**< of a communicator; `peer`: number of the persistent collective;
                                FM_NONE: of the others */
    FM_SERIES_WINDOW_COLLECTIVES, /**< of a window */
    FM_SERIES_ACCESS_EPOCHS,      /**< of a window; `peer` = group of targets */
    FM_SERIES_EXPOSURE_EPOCHS     /**< of a window; `peer` = group of origins */
} fm_series_t;

/** The unrecorded members of one series in a pause of the recording. */
struct fm_unrecorded {
    uint64_t time;      /**< within the pause: behind all that was recorded before */
    uint64_t count;     /**< members of the series */
    uint32_t reference; /**< communicator or window */
    uint32_t peer;      /**< rank or group */
    uint32_t tag;
    uint8_t series; /**< fm_series_t */
};

/** A pause of the recording. */
struct fm_pause {
    uint64_t begin;
    uint64_t end; /**< UINT64_MAX: it lasts to the end */
};

/** A loop that polls: failed tests and the call that ends them are one activity of the rules of
 * wait states, from the Enter of the first to the Leave of the last call. */
struct fm_polling_loop {
    uint32_t first, last; /**< activities, first < last */
};

/** The recorder itself worked while a thread was in a loop that polls, or may have been. */
struct fm_loop_flush {
    uint64_t from, to;
    uint32_t visit; /**< node that it is overhead of; FM_NONE: none */
};

/** A call of the archive that stands for several calls of its function. */
struct fm_merged_call {
    uint32_t activity;
    uint32_t calls; /**< at least 1 */
    uint64_t gaps;  /**< ticks of it that lie between these calls: they belong to the caller */
};

/** The part of a call that is not its own time: calls inside it, gaps between merged calls, and
 * work of the recorder. */
struct fm_nested_time {
    uint32_t activity;
    uint64_t ticks;
};

/** What the recorder did in the computation before a call: a part of it. */
struct fm_reading_time {
    uint32_t activity;
    uint64_t ticks;
};

/** A region that was never left. */
struct fm_unleft_region {
    uint32_t visit;    /**< node of `profile` */
    uint32_t activity; /**< FM_NONE: it is no call of communication, or executes another call */
    uint32_t phase;    /**< row of the location's phases; FM_NONE: none */
    bool is_computation;
    uint64_t own; /**< ticks of its own, if it is no activity */
};

/** What an open call waits for: a message (source and tag), the members of a collective operation
 * (root), a call of other processes on a window (target), or the owner of a lock. Or a request that
 * it completes. */
struct fm_open_wait {
    uint32_t activity;
    uint32_t stated;       /**< bit FM_STATES(parameter) for each of the following that is known */
    uint32_t communicator; /**< FM_NONE: not defined */
    uint32_t source, tag;  /**< FM_NONE: any */
    uint32_t root;         /**< FM_NONE: none */
    uint32_t window;       /**< FM_NONE: not defined */
    uint32_t target;       /**< FM_NONE: all */
    uint32_t owner;        /**< of the lock: upper half of its location's id */
    uint32_t taken_in;     /**< number of the text for fm_trace_text(); FM_NONE: not known */
    uint32_t omitted;      /**< requests of the call that are not stated */
    bool has_request;
    uint64_t request;
    uint8_t kind; /**< fm_open_request_t */
    uint32_t row; /**< of the location's sends, receives or collectives; FM_NONE: not known */
};

#define FM_STATES(parameter)                                                                       \
    (1U << (FM_PARAMETER_AWAITED_##parameter - FM_PARAMETER_AWAITED_COMMUNICATOR))

/** What a request of an open call is about. */
typedef enum {
    FM_OPEN_NO_REQUEST,
    FM_OPEN_SEND,
    FM_OPEN_RECEIVE,
    FM_OPEN_COLLECTIVE,
    FM_OPEN_OTHER /**< a one-sided operation, or an operation of another thread */
} fm_open_request_t;

/** An instance of a region that is a phase. */
struct fm_phase {
    uint64_t begin, end;
    uint64_t computation; /**< ticks of it that are computation */
    uint32_t visit;       /**< node of `profile` */
};

typedef enum {
    FM_TRAFFIC_MESSAGES,
    FM_TRAFFIC_PUTS,
    FM_TRAFFIC_GETS,
    FM_TRAFFIC_ATOMICS
} fm_traffic_kind_t;

/** Messages or one-sided operations of a location to one process. */
struct fm_traffic {
    uint32_t process;
    uint32_t kind;  /**< fm_traffic_kind_t */
    uint64_t count; /**< messages or operations */
    uint64_t bytes;
};

struct fm_count_row {
    uint64_t values[FM_COUNT_KINDS];
};

/** One thread of execution. Activities are its calls of communication libraries, in the order in
 * which they were entered. */
struct fm_location {
    uint64_t id; /**< of the archive */
    char *name;
    uint32_t process;
    uint32_t thread;         /**< position in its process */
    bool is_stream;          /**< of an accelerator; behind the threads of its process. Between its
                                  kernels and copies it is in calls of idle_region. */
    uint64_t defined_events; /**< number of events that its definition states */
    uint64_t event_count;    /**< number of events that were read */
    bool has_clock_offsets;  /**< the archive has some for it */
    bool is_unreadable;      /**< its local definitions are damaged: it has no events */
    uint64_t begin, end;     /**< first and last time; begin > end: no events */
    FM_VECTOR(uint64_t) enter;
    FM_VECTOR(uint64_t) leave;
    FM_VECTOR(uint32_t) visit;       /**< node of `profile` that the activity belongs to */
    FM_VECTOR(uint64_t) state_since; /**< when the code outside of communication calls changed: */
    FM_VECTOR(uint32_t)
    state_visit; /**< ... to this node of `profile`; FM_NONE: none. Calls that contain others are
                      such code, too. */
    FM_VECTOR(struct fm_visit_profile) profile;
    FM_VECTOR(struct fm_count_row) counts;
    FM_VECTOR(struct fm_message_end) sends;
    FM_VECTOR(struct fm_message_end) receives;    /**< in the order in which they were posted */
    FM_VECTOR(struct fm_matched_receive) matched; /**< ascending by receive */
    FM_VECTOR(struct fm_partitioned_message) partitioned;
    FM_VECTOR(struct fm_partition_call) partitions; /**< in the order of the calls */
    FM_VECTOR(struct fm_probe) probes;              /**< in the order of the calls */
    bool has_matched_probes;                        /**< some receives were started by them */
    FM_VECTOR(struct fm_collective) collectives;    /**< in the order in which they were started */
    FM_VECTOR(struct fm_rma) rma;
    FM_VECTOR(uint64_t)
    operation_bytes; /**< in detail: of each put, get and atomic operation in
                        `rma`, in their order */
    FM_VECTOR(struct fm_thread_record) threads;
    FM_VECTOR(struct fm_continuation) continuations; /**< ascending by activity */
    FM_VECTOR(struct fm_nested_time) nested;         /**< ascending by activity */
    FM_VECTOR(struct fm_reading_time) readings;      /**< ascending by activity */
    FM_VECTOR(struct fm_polling_loop) loops;         /**< ascending, disjoint */
    FM_VECTOR(struct fm_loop_flush) loop_flushes;    /**< ascending */
    FM_VECTOR(struct fm_merged_call) merged;         /**< with gaps; ascending by activity */
    FM_VECTOR(struct fm_unrecorded) unrecorded;      /**< ascending by time */
    FM_VECTOR(struct fm_pause) pauses;               /**< of the recording, ascending */
    uint64_t paused;                      /**< ticks of them; they belong to no call path */
    FM_VECTOR(struct fm_phase) phases;    /**< in the order in which they were entered */
    FM_VECTOR(struct fm_traffic) traffic; /**< ascending by kind and process */
    fm_counter_table counters;            /**< that it has values of, ascending */
    FM_VECTOR(struct fm_counter_growth)
    growth;                                    /**< of totals by call path, each pair at most once
                                                    before call paths are merged */
    struct fm_estimates estimates;             /**< of its composed stretches */
    FM_VECTOR(struct fm_unleft_region) open;   /**< regions without a Leave, the outermost first */
    FM_VECTOR(struct fm_open_wait) open_waits; /**< what those that are calls wait for, ascending */
    uint32_t open_states; /**< the last changes of state: the ends of open regions */
    bool is_incomplete;   /**< events are missing at its end: not readable, or not recorded */
    uint64_t lasts_to;    /**< end of its process, if it has a heartbeat; UINT64_MAX: not known */
    uint64_t last_event;  /**< time of the last event; open regions last longer */
};

/** Defects of the archive; defective records were ignored or repaired. */
struct fm_trace_defects {
    uint64_t unordered_times;  /**< times earlier than the event before: taken as equal to it */
    uint64_t unmatched_leaves; /**< Leave events without their Enter: ignored */
    uint64_t open_calls; /**< calls that lack their Leave: ended by that of a call around them, or
                              by the end of an incomplete location */
    uint64_t open_ends;  /**< locations that end inside of functions or calls */
    uint64_t
        unusable_records;   /**< records outside of communication calls or with wrong references */
    uint64_t open_requests; /**< receives and collectives that were never completed */
    uint64_t unrecorded_completions; /**< sends without a record of their completion */
    uint64_t unrecorded_starts; /**< non-blocking collectives without a record of their start */
    uint64_t doubled_records;   /**< second records of what a call does once: ignored */
    uint64_t pauses;            /**< of the recording, on all locations */
    uint64_t paused;            /**< ticks of them */
    uint64_t missing_locations; /**< locations whose events could not be read to their end */
};

/** The program's name by ProgramBegin events. */
struct fm_program_name {
    uint32_t process; /**< the lowest one that names it; FM_NONE: none does */
    uint32_t text;    /**< number of the text in the trace */
};

/** Property of an archive: a fence that does not synchronize all processes of its window waits for
 * those that it exchanged data with. So it is in predicted runs (whatif, narrow=). */
#define FM_PARTNER_FENCES "FERMATA::PARTNER_FENCES"

struct fm_trace {
    char *anchor; /**< path of the anchor file */
    char *creator;
    char *machine;
    char *program; /**< name of the measured program; NULL: unknown */
    uint64_t ticks_per_second;
    uint64_t clock_begin; /**< global offset of the clock properties */
    struct fm_region *regions;
    uint32_t region_count;
    uint32_t idle_region; /**< FM_NONE: no location is a stream */
    uint32_t
        copy_regions; /**< of streams whose copies are recorded as one-sided operations: copies
                           to the accelerator, the next one from it; undefined without streams */
    bool is_sampled;  /**< it has samples of call stacks */
    bool has_partner_fences; /**< FM_PARTNER_FENCES is a property of the archive */
    bool has_passive_target; /**< whether a region locks or unlocks windows of MPI, or flushes them
                              */
    struct fm_source_line *lines; /**< that make calls, as far as they are known */
    uint32_t line_count;
    struct fm_process *processes;
    uint32_t process_count;
    struct fm_location *locations;
    uint32_t location_count;
    uint32_t *process_of; /**< [location]: as in the location, for those who need no more of it */
    struct fm_communicator *communicators;
    uint32_t communicator_count;
    struct fm_window *windows;
    uint32_t window_count;
    struct fm_object_name *object_names; /**< ascending by process and number */
    uint32_t object_name_count;
    struct fm_group *groups;
    uint32_t group_count;
    struct fm_counter *counters;
    uint32_t counter_count;
    uint32_t
        metric_locations;  /**< locations that have values of counters only, which are left out */
    char *metric_location; /**< name of the first one; NULL: none */
    bool ignores_clock_offsets; /**< those of the archive; to be set before events are read */
    bool with_callsites;        /**< functions of the program are told apart by the lines that call
                                     them; to be set before events are read */
    const struct fm_time_maps *time_maps; /**< applied to the times of all events; NULL: none; to be
                                               set before events are read */
    bool in_detail; /**< whether values of counters and `operation_bytes` are kept; to be set before
                       events are read */
    FM_VECTOR(struct fm_callpath) callpaths;
    struct fm_trace_defects defects;
    atomic_uint_fast64_t *read_events; /**< grows with the events that are read; NULL: not wanted */
};

/** Reads the definitions of an archive.
 * @param archive  experiment directory that holds traces.otf2, or path of an anchor file
 * @param trace    out: to be freed with fm_trace_free(); set only on success */
fm_status_t fm_trace_open(const char *archive, struct fm_trace **trace, struct fm_error *error);

/** Reads the events of the processes first .. last - 1. Distinct ranges may be read by several
 * threads at the same time. fm_trace_unify() must follow. Processes that are never read have
 * locations without events. */
fm_status_t fm_trace_load(struct fm_trace *trace, uint32_t first, uint32_t last,
                          struct fm_trace_defects *defects, struct fm_error *error);

/** @return the name of a node of the call forest: that of its region, or "NAME=VALUE" of a
 * parameter; "NAME=(others)" for FM_CALLPATH_OTHERS. To be freed with free(); NULL without memory.
 */
char *fm_trace_callpath_name(const struct fm_trace *trace, const struct fm_callpath *node);

/** @return the call path of the function of the program that a call path is charged to as a cause:
 * itself, or of code of a library the innermost caller that is none. What no function of the
 * program calls stands for itself. O(depth) */
uint32_t fm_trace_function_of(const struct fm_trace *trace, uint32_t callpath);

/** @return the node of the function of the program that a node of a location's call tree is part
 * of, as fm_trace_function_of(). `visit` may be FM_NONE. O(depth) */
uint32_t fm_trace_function_visit(const struct fm_trace *trace, const struct fm_location *location,
                                 uint32_t visit);

/** @return the latest time known of the processes first .. last - 1, also by their heartbeats; 0:
 * none
 */
uint64_t fm_trace_latest(const struct fm_trace *trace, uint32_t first, uint32_t last);

/** Lets what was never left last to the end of its process, in all tables of the processes first ..
 * last - 1. To be called once, before fm_trace_unify().
 * @param latest  latest time known of all processes: how long those last without a heartbeat */
void fm_trace_end_open_calls(struct fm_trace *trace, uint32_t first, uint32_t last,
                             uint64_t latest);

/** @return a text by its number, "(unknown)" if there is none */
const char *fm_trace_text(const struct fm_trace *trace, uint32_t number);

/** @return whether an activity was never left. O(depth of the open regions) */
bool fm_trace_is_open(const struct fm_location *location, uint32_t activity);

/** @return the innermost call in which a location was at its end, if it had not left it and its
 * process did not end by itself; FM_NONE: none, or events are missing. */
uint32_t fm_trace_last_call(const struct fm_trace *trace, uint32_t location);

/** Builds the call forest of the locations that were read from their call trees, in location order.
 */
void fm_trace_unify(struct fm_trace *trace);

/** Replaces the call forest by one that has all of its call paths, and renumbers the call trees.
 * @param callpaths  which is copied */
void fm_trace_adopt_callpaths(struct fm_trace *trace, struct fm_callpaths *callpaths);

/** @return the program's name, by the events of the processes that were read. */
struct fm_program_name fm_trace_program_name(const struct fm_trace *trace);

/** Names the program, unless a lower process has named it. Thread-safe. */
void fm_trace_name_program(struct fm_trace *trace, struct fm_program_name name);

/** @return the first location of a process; of process_count: the number of all locations. */
/** @return the name of an object of a process; NULL: the trace does not name it. O(log names) */
const char *fm_trace_object_name(const struct fm_trace *trace, uint32_t process, uint32_t object);

static inline uint32_t fm_trace_first_location(const struct fm_trace *trace, uint32_t process)
{
    return process < trace->process_count ? trace->processes[process].first_location
                                          : trace->location_count;
}

/** @return the process of a location. */
static inline uint32_t fm_trace_process(const struct fm_trace *trace, uint32_t location)
{
    return trace->process_of[location];
}

/** Frees the tables of communication records of the processes first .. last - 1; calls, call trees
 * and changes of state stay. To be called after the last pattern: later stages need the memory.
 * Safe for distinct processes at the same time. */
void fm_trace_forget_records(struct fm_trace *trace, uint32_t first, uint32_t last);

/** Frees the one-sided records of a process. Safe for distinct processes at the same time. */
void fm_trace_forget_rma(struct fm_trace *trace, uint32_t process);

/** Frees the records of the sends and receives of a process. Likewise safe. */
void fm_trace_forget_messages(struct fm_trace *trace, uint32_t process);

/** Frees what a location owns, for those outside of a trace. */
void fm_location_free(struct fm_location *location);

/** Frees the trace. NULL is allowed. */
void fm_trace_free(struct fm_trace *trace);

/** fm_trace_member() for communicators whose ranks depend on the observing process. */
uint32_t fm_trace_member_seen(const struct fm_trace *trace, uint32_t communicator, uint32_t rank,
                              uint32_t process);

/** @return the process that has `rank` in `communicator` as seen from `process`, or FM_NONE. */
static inline uint32_t fm_trace_member(const struct fm_trace *trace, uint32_t communicator,
                                       uint32_t rank, uint32_t process)
{
    const struct fm_communicator *c = &trace->communicators[communicator];
    if (c->is_self || c->first_group_size != c->size) {
        return fm_trace_member_seen(trace, communicator, rank, process);
    }
    return rank < c->size ? c->members[rank] : FM_NONE;
}

/** @return the rank of `process` in `communicator`, or FM_NONE. O(log size) for intracommunicators
 * whose members ascend, O(size) otherwise. */
uint32_t fm_trace_rank(const struct fm_trace *trace, uint32_t communicator, uint32_t process);

/** @return whether fermata has recorded the trace; a copy of it by `fermata export` is one, too. */
bool fm_trace_is_own(const struct fm_trace *trace);

/** @return the call that posted a receive: Late Receiver counts from its Enter.
 * @param location  of the receive; becomes that of the call, maybe another thread's */
uint32_t fm_trace_post(const struct fm_trace *trace, uint32_t *location, uint32_t receive);

/** @return the number of activities of a location that were entered at `time` or before. O(log n)
 */
uint32_t fm_trace_entered(const struct fm_location *location, uint64_t time);

/** @return the polling loop that an activity ends; NULL: it ends none. O(log loops) */
const struct fm_polling_loop *fm_trace_loop(const struct fm_location *location, uint32_t activity);

/** @return the begin of an activity as the rules of wait states see it: its Enter, or that of the
 * first call of the polling loop that it ends. O(log loops) */
static inline uint64_t fm_trace_begin(const struct fm_location *location, uint32_t activity)
{
    if (__builtin_expect(location->loops.count == 0, 1)) {
        return location->enter.items[activity];
    }
    const struct fm_polling_loop *loop = fm_trace_loop(location, activity);
    return location->enter.items[loop == NULL ? activity : loop->first];
}

/** @return index of the region that an activity of a location calls. */
static inline uint32_t fm_trace_region(const struct fm_location *location, uint32_t activity)
{
    return location->profile.items[location->visit.items[activity]].region;
}

/** @return the region that an activity of a location calls. */
static inline const struct fm_region *
fm_trace_called(const struct fm_trace *trace, const struct fm_location *location, uint32_t activity)
{
    return &trace->regions[fm_trace_region(location, activity)];
}

/** @return whether a location makes calls of a kind. O(nodes of its call tree) */
bool fm_location_calls(const struct fm_trace *trace, const struct fm_location *location,
                       fm_call_t call);

#endif
