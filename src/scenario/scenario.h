/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Scenarios: small timelines, written by hand or by a generator, with the results that their
 * analysis must have; also timelines that were imported from other profilers. A scenario becomes an
 * OTF2 archive record by record, so that every rule of the analysis can be tested exactly. The
 * language is described in docs/scenarios.md.
 *
 * All structures are plain data that fm_scenario_parse() or the builder functions fill. A scenario
 * is not thread-safe while it is built, and safe for any number of readers afterwards.
 */
#ifndef FERMATA_SCENARIO_SCENARIO_H
#define FERMATA_SCENARIO_SCENARIO_H

#include "base/error.h"
#include "scenario/decimal.h"
#include "scenario/key_table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FM_SCENARIO_TICKS_PER_UNIT 1000
#define FM_SCENARIO_TIME_LIMIT     1000000000000000000u /**< largest time, in ticks */
#define FM_SCENARIO_LOCATION_LIMIT (1u << 20)           /**< ranks x threads */
#define FM_SCENARIO_NONE           UINT32_MAX /**< no root, or every target; any source or tag */
#define FM_SCENARIO_NO_TIME        UINT64_MAX

/** Kinds of events; each event is one OTF2 record. */
enum fm_scenario_kind {
    FM_SCENARIO_ENTER,
    FM_SCENARIO_LEAVE,
    FM_SCENARIO_SEND,
    FM_SCENARIO_RECV,
    FM_SCENARIO_ISEND,
    FM_SCENARIO_ISEND_COMPLETE,
    FM_SCENARIO_IRECV_REQUEST,
    FM_SCENARIO_IRECV,
    FM_SCENARIO_PROBE,     /**< of the text: events are its parameters (base/probe_names.h) */
    FM_SCENARIO_FAILED,    /**< MpiRequestTest or RmaOpTest, by the region */
    FM_SCENARIO_MERGED,    /**< of the text: events are its parameters (base/polling_names.h) */
    FM_SCENARIO_LOST,      /**< likewise */
    FM_SCENARIO_MEMBERS,   /**< of the text: events are its parameters (base/awaited_names.h) */
    FM_SCENARIO_TARGET,    /**< likewise */
    FM_SCENARIO_OWNER,     /**< likewise */
    FM_SCENARIO_OMITTED,   /**< likewise */
    FM_SCENARIO_HEARTBEAT, /**< of the text: a property of the process */
    FM_SCENARIO_REQUEST_CANCELLED,
    FM_SCENARIO_COLL_BEGIN,
    FM_SCENARIO_COLL_END,
    FM_SCENARIO_NB_COLL_REQUEST,
    FM_SCENARIO_NB_COLL_COMPLETE,
    FM_SCENARIO_IO_READ,
    FM_SCENARIO_IO_WRITE,
    FM_SCENARIO_IO_COMPLETE,
    FM_SCENARIO_WIN_CREATE,
    FM_SCENARIO_WIN_DESTROY,
    FM_SCENARIO_RMA_COLL_BEGIN,
    FM_SCENARIO_RMA_COLL_END,
    FM_SCENARIO_GROUP_SYNC,
    FM_SCENARIO_PUT,
    FM_SCENARIO_GET,
    FM_SCENARIO_ATOMIC,
    FM_SCENARIO_DONE_BLOCKING,
    FM_SCENARIO_DONE_NONBLOCKING,
    FM_SCENARIO_DONE_REMOTE,
    FM_SCENARIO_LOCK_REQUEST,
    FM_SCENARIO_LOCK_ACQUIRE,
    FM_SCENARIO_LOCK_TRY,
    FM_SCENARIO_LOCK_RELEASE,
    FM_SCENARIO_SYNC,
    FM_SCENARIO_WAIT_CHANGE,
    FM_SCENARIO_PARAMETER,
    FM_SCENARIO_PARAMETER_UNSIGNED,
    FM_SCENARIO_PARAMETER_TEXT,
    FM_SCENARIO_FORK,
    FM_SCENARIO_JOIN,
    FM_SCENARIO_ACQUIRE_LOCK,
    FM_SCENARIO_RELEASE_LOCK,
    FM_SCENARIO_TEAM_BEGIN,
    FM_SCENARIO_TEAM_END,
    FM_SCENARIO_TASK_CREATE,
    FM_SCENARIO_TASK_SWITCH,
    FM_SCENARIO_TASK_COMPLETE,
    FM_SCENARIO_THREAD_CREATE,
    FM_SCENARIO_THREAD_BEGIN,
    FM_SCENARIO_THREAD_WAIT,
    FM_SCENARIO_THREAD_END,
    FM_SCENARIO_ACTIVITY,
    FM_SCENARIO_SAMPLE,
    FM_SCENARIO_BUFFER_FLUSH,
    FM_SCENARIO_RECORDING_OFF,
    FM_SCENARIO_RECORDING_ON
};

/* Bits of a RELEASE_LOCK's detail: what its record tells of the acquisition. */
#define FM_SCENARIO_ACQUIRED_AT     1 /**< the time, in `bytes` */
#define FM_SCENARIO_ACQUIRED_IN     2 /**< the function, in `object` */
#define FM_SCENARIO_ACQUIRED_SHARED 4

/** Name of the parameter that names the object (condition, barrier, semaphore) of a thread's call.
 */
#define FM_SCENARIO_OBJECT_PARAMETER "synchronization object"

/** Likewise the number by which a launch and the work that it makes on a stream name each other,
 * the location of a stream that a call is about, and the number of an event's record. */
#define FM_SCENARIO_CORRELATION_PARAMETER "accelerator correlation"
#define FM_SCENARIO_STREAM_PARAMETER      "accelerator stream"
#define FM_SCENARIO_EVENT_PARAMETER       "accelerator event"

/** One event. The kind determines which fields are used; the others are 0. */
struct fm_scenario_event {
    uint64_t time;     /**< ticks */
    uint64_t id;       /**< request, matching id of an RMA operation, or lock; number of a
                            thread in its team; value of a parameter: bits of the number, or
                            index of the text; bits of an activity, a double */
    uint64_t bytes;    /**< of the message or operation; bytes sent in a collective; ticks at which
                            a released lock was acquired, or a flush ends */
    uint64_t received; /**< bytes received in a collective */
    uint32_t object;   /**< index of the region, communicator, window, team or parameter */
    uint32_t peer;     /**< rank in the communicator: destination, source, root, target (maybe
                            FM_SCENARIO_NONE); index of the group of a group_sync; threads of a
                            fork; acquisition order of a thread lock; number of the thread that
                            created a task */
    uint32_t tag;      /**< of the message; generation number of a task; number of a persistent
                            collective */
    uint32_t init;     /**< 1 + index of the region that initialized the persistent collective;
                            0: it is none */
    uint32_t region;   /**< the innermost region at this event, FM_SCENARIO_NONE: none */
    uint8_t kind;      /**< enum fm_scenario_kind */
    uint8_t detail;    /**< collective operation (OTF2_CollectiveOp), 1 for a shared lock,
                            FM_SCENARIO_ACQUIRED_*, or fm_kernel_activity_t */
};

/** A communicator. Index 0 is `world`, 1 is `self`. */
struct fm_scenario_comm {
    uint32_t *ranks;  /**< world rank of each member; NULL: rank i is world rank i */
    uint32_t *sorted; /**< world ranks in ascending order; NULL where `ranks` is */
    uint32_t size;
    uint32_t first_size; /**< members of the first group of an inter-communicator; else `size` */
    uint32_t number;     /**< of an inter-communicator among those of the scenario */
};

struct fm_scenario_window {
    uint32_t comm;
};

/** A team of threads of one process. Those that are created one by one (thread_* events) are a team
 * of POSIX threads, all others are OpenMP's. */
struct fm_scenario_team {
    uint32_t *locations; /**< rank * thread_count + thread */
    uint32_t size;
};

/** The name of a lock, condition, barrier or semaphore of a process. */
struct fm_scenario_object_name {
    uint32_t rank;
    uint64_t object;
    char *name;
};

/** What is to be added to the clock of a rank at a time of that clock. */
struct fm_scenario_clock_offset {
    uint32_t rank;
    uint64_t time;
    int64_t offset;
};

/** What is known of a process besides its events. */
struct fm_scenario_process {
    uint64_t heartbeat;   /**< last time at which it lived; FM_SCENARIO_NO_TIME: unknown */
    bool has_ended;       /**< by itself */
    uint8_t thread_level; /**< 0: unknown, else 1 + the value of FM_PROPERTY_THREAD_LEVEL */
};

struct fm_scenario_location {
    struct fm_scenario_event *events;
    size_t count, capacity;
    uint32_t *open_regions; /**< entered and not left, the innermost last */
    size_t depth, depth_capacity;
    bool is_stream; /**< of an accelerator */
    bool is_absent; /**< not in the archive: its process has fewer locations than others */
    char *name;     /**< NULL: by its number */
};

/** Kinds of expectations. */
typedef enum {
    FM_EXPECT_SEVERITY, /**< a metric at a call path and location */
    FM_EXPECT_PHASE,    /**< a value of an iteration of a phase */
    FM_EXPECT_MATRIX,   /**< a value of a pair of locations: traffic from one to the other */
    FM_EXPECT_PROBLEM,  /**< a value of the problems of a call path and location */
    FM_EXPECT_PREDICTED /**< a severity of the predicted run, or its `run_time` */
} fm_scenario_subject_t;

/** A value that the analysis must compute. */
struct fm_scenario_expectation {
    fm_scenario_subject_t subject;
    char *metric;        /**< or name of a phase's, matrix's or problem's value */
    char *callpath;      /**< `main/foo/MPI_Send`, or the region of a phase; NULL: sum over all */
    uint32_t prediction; /**< FM_EXPECT_PREDICTED: index in `predictions` */
    bool all_locations;
    uint32_t rank, thread; /**< unless all_locations */
    bool all_iterations;
    uint64_t iteration; /**< of a phase, unless all_iterations */
    bool all_origins;
    uint32_t from_rank, from_thread; /**< of a matrix, unless all_origins */
    fm_decimal value;                /**< units of time, or counts */
    fm_decimal tolerance;
    uint64_t line; /**< in the file */
};

struct fm_scenario {
    char *name;                /**< of the file, for messages */
    const char *machine;       /**< root of the system tree */
    uint64_t ticks_per_second; /**< 1000 / unit */
    uint32_t rank_count, thread_count;
    struct fm_key_table regions;      /**< names */
    struct fm_key_table comm_names;   /**< keys go with `comms` */
    struct fm_key_table window_names; /**< keys go with `windows` */
    struct fm_key_table team_names;   /**< keys go with `teams` */
    struct fm_key_table parameters;   /**< kind of their events (one byte), then the name */
    struct fm_key_table texts;        /**< values of parameters */
    struct fm_key_table phases;       /**< names of the regions that are phases of the program */
    struct fm_key_table options;      /**< of the analysis: "--critical-path=init-finalize" */
    struct fm_key_table predictions;  /**< changes of a prediction, separated by blanks */
    struct fm_key_table nodes;  /**< names; the first is that of ranks without a `node` line */
    struct fm_key_table groups; /**< world ranks (uint32_t) of the peers of group_sync events */
    uint32_t *node_of_rank;     /**< index in `nodes` */
    uint32_t *world_of_rank;    /**< number of its MPI_COMM_WORLD */
    struct fm_scenario_process *processes; /**< by rank */
    uint64_t job_end;                      /**< FM_SCENARIO_NO_TIME: unknown */
    bool has_worlds;                       /**< there is more than one */
    bool has_samples;                      /**< of call stacks */
    struct fm_scenario_comm *comms;
    uint32_t intercomm_count;
    struct fm_scenario_window *windows;
    struct fm_scenario_team *teams;
    struct fm_scenario_object_name *object_names;
    size_t object_name_count;
    struct fm_scenario_clock_offset *clock_offsets;
    size_t clock_offset_count, clock_offset_capacity;
    struct fm_scenario_location *locations; /**< rank * thread_count + thread */
    struct fm_scenario_expectation *expectations;
    size_t expectation_count;
    uint32_t comm_capacity, window_capacity;
    size_t team_capacity, object_name_capacity, expectation_capacity;
};

/** Reads a scenario file.
 * @param scenario  out: to be freed with fm_scenario_free(); set only on success
 * @return FM_ERR_DATA with file, line and reason; FM_ERR_SYSTEM if it cannot be read. */
fm_status_t fm_scenario_read(const char *path, struct fm_scenario **scenario,
                             struct fm_error *error);

/** Reads a scenario from memory; any bytes are allowed and give FM_ERR_DATA at worst.
 * @param name  of the file, for messages
 * @param text  `length` bytes, not necessarily terminated */
fm_status_t fm_scenario_parse(const char *name, const char *text, size_t length,
                              struct fm_scenario **scenario, struct fm_error *error);

/** Frees the scenario and all that it owns. NULL is allowed. */
void fm_scenario_free(struct fm_scenario *scenario);

/** Writes the scenario as OTF2 archive `directory`/traces.otf2. The directory must not exist; if
 * writing fails, it is removed again. The writing is done by a child process. Thread-safe.
 * @return FM_ERR_USAGE if the directory exists, FM_ERR_SYSTEM if it cannot be written. */
fm_status_t fm_scenario_write_archive(const struct fm_scenario *scenario, const char *directory,
                                      struct fm_error *error);

/* Builders, for generators that need no text. */

/** @return a scenario without events, with `world` and `self`; NULL without memory or if there are
 * no or too many locations. */
struct fm_scenario *fm_scenario_create(const char *name, uint64_t ticks_per_second,
                                       uint32_t rank_count, uint32_t thread_count);

/** Adds a communicator.
 * @param ranks  world ranks of the members, distinct and below rank_count; copied
 * @return its index, FM_SCENARIO_NONE without memory or if the name exists. */
uint32_t fm_scenario_add_comm(struct fm_scenario *scenario, const char *name, const uint32_t *ranks,
                              uint32_t count);

/** Adds an inter-communicator; the first `first_count` ranks are its first group.
 * @return as fm_scenario_add_comm */
uint32_t fm_scenario_add_intercomm(struct fm_scenario *scenario, const char *name,
                                   const uint32_t *ranks, uint32_t count, uint32_t first_count);

/** Adds an RMA window. @return its index, FM_SCENARIO_NONE without memory or if the name exists. */
uint32_t fm_scenario_add_window(struct fm_scenario *scenario, const char *name, uint32_t comm);

/** Adds a team of threads.
 * @param locations  rank * thread_count + thread of the members, distinct; copied
 * @return its index, FM_SCENARIO_NONE without memory or if the name exists. */
uint32_t fm_scenario_add_team(struct fm_scenario *scenario, const char *name,
                              const uint32_t *locations, uint32_t count);

/** Adds a clock offset. @return false without memory */
bool fm_scenario_add_clock_offset(struct fm_scenario *scenario, uint32_t rank, uint64_t time,
                                  int64_t offset);

/** Gives an object of a process a name. @return false without memory. */
bool fm_scenario_name_object(struct fm_scenario *scenario, uint32_t rank, uint64_t object,
                             const char *name, size_t length);

/** Appends an event to a location; `event->region` is filled in here.
 * @param location  rank * thread_count + thread
 * @return false without memory. */
bool fm_scenario_append(struct fm_scenario *scenario, uint32_t location,
                        const struct fm_scenario_event *event);

/** Appends an expectation; takes over its strings. @return false without memory (nothing taken). */
bool fm_scenario_expect(struct fm_scenario *scenario,
                        const struct fm_scenario_expectation *expectation);

/** States the messages that calls without an end wait for as recorders do (base/awaited_names.h):
 * until then, they are stated as those that probes have found. To be called behind the last event.
 * @return false without memory. */
bool fm_scenario_finish_open_calls(struct fm_scenario *scenario);

/** @return whether the world rank is a member of the communicator. */
bool fm_scenario_comm_has(const struct fm_scenario *scenario, uint32_t comm, uint32_t rank);

/** @return the number of ranks that `rank`, a member, may name as partners: of the communicator, or
 * of the other group of an inter-communicator. */
uint32_t fm_scenario_peers(const struct fm_scenario *scenario, uint32_t comm, uint32_t rank);

/** @return the world rank of a rank of the communicator, as seen by the world rank `observer`
 * (which only matters for `self`). */
uint32_t fm_scenario_world_rank(const struct fm_scenario *scenario, uint32_t comm, uint32_t rank,
                                uint32_t observer);

#endif
