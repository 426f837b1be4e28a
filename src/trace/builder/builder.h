/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Builds the tables of a location from its events, one call for each event, in order. Knows nothing
 * of the archive's format. Private to src/trace.
 */
#ifndef FERMATA_TRACE_BUILDER_BUILDER_H
#define FERMATA_TRACE_BUILDER_BUILDER_H

#include "trace/builder/polling_loops.h"
#include "trace/builder/requests.h"
#include "trace/builder/table_sizes.h"
#include "trace/builder/traffic.h"
#include "trace/composition/stretches.h"
#include "trace/tables/trace.h"

/** An access to a file that has begun. */
struct fm_open_access {
    uint64_t bytes;  /**< that it was counted with */
    uint32_t counts; /**< row of the location's counts where */
    uint32_t kind;   /**< fm_count_t */
};

/** An open call. */
struct fm_frame {
    uint64_t enter;
    uint64_t inner; /**< ticks of calls inside it and of the recorder */
    uint32_t visit;
    uint32_t activity; /**< FM_NONE: not a communication call */
    uint32_t phase;    /**< row of the location's phases; FM_NONE: none */
    uint32_t call;     /**< as for fm_builder_enter() */
    bool contains_calls;
    bool is_computation;
    bool has_stretches;     /**< each stretch between calls inside is an activity */
    uint32_t first_stretch; /**< activity that begins the call */
    uint64_t inner_before;  /**< `inner` at the begin of the current stretch */
    uint64_t key;           /**< of the call stack: which calls, from which lines */
    uint32_t recorded;      /**< node of the innermost frame up to this one that is not estimated;
                                 FM_NONE: none */
    bool is_estimated;      /**< as in struct fm_region */
    bool is_in_call;        /**< `recorded` is a call */
    uint32_t polling_calls; /**< `calls` of the builder's polling search, at its Enter */
};

/** A processor time of the computation that ended at a time. */
struct fm_processor_amount {
    uint64_t end;
    uint64_t stretch; /**< ticks of the computation */
    uint64_t amount;
    unsigned which;  /**< fm_processor_time_t, or what follows */
    bool takes_away; /**< it is subtracted again */
};

/** A call that starts a non-blocking collective, without the record of it. */
struct fm_silent_start {
    uint64_t enter;
    uint32_t location, activity;
};

/** A master has begun a team: where the call paths of the other members begin. */
struct fm_fork {
    uint64_t time;
    uint64_t join; /**< UINT64_MAX: not yet */
    uint32_t team;
    uint32_t first_call, call_count; /**< in the calls of all forks */
    uint32_t next;                   /**< later one of the same team; FM_NONE: none */
};

/** The child node that a call found last. */
struct fm_visit_cache {
    uint32_t parent;
    uint32_t visit;
    uint64_t owner; /**< generation of the location that wrote the entry */
};

/** A region that is called at a line, or a value of a parameter. */
struct fm_line_call {
    uint64_t value;
    uint32_t region, line;
    uint32_t kind; /**< enum fm_callpath_kind */
};

/** State of one reader; used for one location after the other. */
struct fm_builder {
    struct fm_trace *trace;
    struct fm_location *location;
    uint32_t location_index;
    uint64_t generation;
    uint64_t now;
    struct fm_time_cursors cursors; /**< in the maps of the location's times */
    uint32_t current_activity;      /**< innermost open call, if it is a communication call */
    bool has_program;               /**< the location has begun the program, not ended it */
    bool is_paused;                 /**< recording was switched off */
    uint64_t paused_since;          /**< the part of the pause before this time is accounted for */
    bool completions_matter; /**< of one-sided operations: some call may complete them that waits
                                  for their targets */
    FM_VECTOR(struct fm_frame) frames;
    uint32_t base;      /**< node below which the location's roots are; FM_NONE: none */
    uint32_t base_fork; /**< fork whose calls lead to `base` */
    uint32_t last_left; /**< node of the region that was left last; FM_NONE: none */
    uint64_t forked_at; /**< time of a fork record behind which the team begins; UINT64_MAX: none */
    FM_VECTOR(struct fm_fork) forks;     /**< of the process's locations so far, in their order */
    FM_VECTOR(uint32_t) open_forks;      /**< of the location; FM_NONE: its team has not begun */
    FM_VECTOR(uint32_t) fork_calls;      /**< open calls at each fork, the outermost first */
    struct fm_map first_fork, last_fork; /**< team -> row of `forks` */
    struct fm_map next_fork; /**< team -> number, from 1 on, of the first fork that the location
                                takes no part in yet; 0: none */
    FM_VECTOR(struct fm_visit_cache) cache;    /**< by call: regions, then `lines` */
    FM_VECTOR(struct fm_line_call) line_calls; /**< calls whose lines are known; values */
    struct fm_map numbers;                     /**< (region, line or number of a value) -> call */
    struct fm_map values;                      /**< bits of a value -> number */
    struct fm_map location_values;             /**< calls of values that the location has */
    struct fm_map
        value_counts;     /**< region of a parameter -> number of its values in the location */
    struct fm_map visits; /**< (parent, call) -> node */
    uint64_t computed;    /**< ticks of computation in calls that were left */
    struct fm_partitioned_message
        partitioned;              /**< of the next record of a message; operation == 0: none */
    uint64_t partition_request;   /**< request that the next partition belongs to */
    struct fm_probe probe;        /**< that parameters are telling of */
    struct fm_merged_call merged; /**< likewise; `activity`: FM_NONE unless it is open */
    struct fm_polling_search polling;
    FM_VECTOR(struct fm_open_wait) awaited; /**< that open calls have stated */
    bool is_ending;                         /**< the location's last event was read */
    struct fm_requests requests;
    FM_VECTOR(struct fm_silent_start) silent_starts; /**< of the process's locations so far */
    size_t next_silent_start;                        /**< those before it belong to a completion */
    uint32_t completing;                             /**< last call that completed a collective */
    uint32_t creating; /**< last call whose part in a creation was noted without its record */
    FM_VECTOR(uint64_t) completed;             /**< ids of the collectives that it has completed */
    FM_VECTOR(struct fm_open_access) accesses; /**< to files, some of which are done */
    struct fm_map access_by_id;                /**< (I/O handle, id) -> row of `accesses` */
    struct fm_traffic_counter traffic;
    struct fm_table_sizes sizes; /**< of the location before */
    uint64_t reading;     /**< ticks that the recorder read processor times before the next call */
    uint64_t stretch;     /**< ticks of the last FM_MEASURED_TIME or FM_DELAY_MEASURED_TIME */
    uint64_t stolen;      /**< ticks of the last FM_STOLEN_TIME */
    size_t next_counter;  /**< where the search for a counter's series begins */
    double *last_values;  /**< [counter]: the last value of a total at the location */
    struct fm_map growth; /**< visit | counter << 32 -> row of the location's `growth` */
    bool is_sampled;      /**< the trace has samples of call stacks */
    uint32_t site;        /**< region and line of the next call; FM_NONE: the call tells */
    bool has_stretch;     /**< a stretch of computation is open */
    struct fm_stretch open;           /**< it, as far as it is known */
    struct fm_stretch_ends open_ends; /**< likewise */
    uint64_t open_key;                /**< of the call stack at its begin */
    uint64_t left_at;   /**< time at which an estimated function was left last; UINT64_MAX: none,
                             or other frames were left since */
    uint32_t left_from; /**< node that was left first at this time */
    struct fm_stretches stretches;                 /**< of computation, of a sampled trace */
    FM_VECTOR(struct fm_processor_amount) amounts; /**< likewise */
    double kernel[FM_KERNEL_ACTIVITY_COUNT];       /**< of a stream: activity of its open kernel, as
                                                        fractions; NAN: not known */
    bool has_kernel_activity;                      /**< some is known */
    uint64_t
        open_copy;   /**< of a stream: id of the operation that the copy it is in was recorded as */
    bool is_copying; /**< it is in such a copy */
    struct fm_trace_defects *defects;
    struct fm_trace_defects defects_before;  /**< when the location began */
    size_t left_open_before, foreign_before; /**< requests of the process, likewise */
    size_t forks_before;
    size_t silent_starts_before, next_silent_start_before; /**< likewise */
};

/** Prepares a builder. `defects` must outlive it. */
void fm_builder_open(struct fm_builder *builder, struct fm_trace *trace,
                     struct fm_trace_defects *defects);
void fm_builder_close(struct fm_builder *builder);

/** Begins and ends the events of one location. */
void fm_builder_begin_location(struct fm_builder *builder, uint32_t location);
void fm_builder_end_location(struct fm_builder *builder);

/** Discards the events of the current location, which are then read again. */
void fm_builder_restart_location(struct fm_builder *builder);
/** Ends a process: all of its locations are done. */
void fm_builder_end_process(struct fm_builder *builder);

/** Sets the time of the next event. Times must not descend: an earlier time counts as a defect. */
static inline void fm_builder_time(struct fm_builder *builder, uint64_t time)
{
    struct fm_location *location = builder->location;
    if (__builtin_expect(builder->trace->time_maps != NULL, 0)) {
        time = fm_time_maps_at(builder->trace->time_maps, builder->location_index,
                               &builder->cursors, time);
    }
    ++location->event_count;
    if (__builtin_expect(location->begin > time, 0) && location->event_count == 1) {
        location->begin = builder->now = time;
    }
    if (__builtin_expect(time < builder->now, 0)) {
        ++builder->defects->unordered_times;
    } else {
        builder->now = time;
    }
}

/** @return the number of a call of a region at a line, or FM_NONE; without a line the region. */
uint32_t fm_builder_call(struct fm_builder *builder, uint32_t region, uint32_t line);

/* Events. Times were given by fm_builder_time(); references are indices of the trace's tables,
 * FM_NONE where the archive's reference is undefined. */
/** Tells from which line the next region is entered, apart from its region.
 * @param site  any number that both have */
static inline void fm_builder_site(struct fm_builder *builder, uint32_t site)
{
    builder->site = site;
}
/* Streams of accelerators are in a call of the trace's idle_region from the end of each work to the
 * begin of the next one. */
void fm_builder_enter(struct fm_builder *builder, uint32_t call);
void fm_builder_leave(struct fm_builder *builder, uint32_t region);

/** Begins and ends the program, which is no call. The location that ends it may be another one than
 * that which has begun it. */
void fm_builder_program_begin(struct fm_builder *builder, uint32_t region);
void fm_builder_program_end(struct fm_builder *builder, uint32_t region);
/** The innermost open region has a value of a parameter from now on, until it is left or the
 * parameter gets another value there: a node below that of the region, and below those of its other
 * parameters. Outside of regions and in communication calls the event is ignored.
 * @param region  that of the parameter; FM_NONE: the record is unusable */
void fm_builder_parameter(struct fm_builder *builder, uint32_t region, uint64_t value);
void fm_builder_flush(struct fm_builder *builder, uint64_t end);
void fm_builder_pause(struct fm_builder *builder);
void fm_builder_resume(struct fm_builder *builder);
void fm_builder_unrecorded(struct fm_builder *builder, fm_series_t series, uint32_t reference,
                           uint32_t peer, uint32_t tag, uint64_t count);
void fm_builder_send(struct fm_builder *builder, uint32_t communicator, uint32_t peer, uint32_t tag,
                     uint64_t bytes, const uint64_t *request);
void fm_builder_send_complete(struct fm_builder *builder, uint64_t request);
void fm_builder_receive_request(struct fm_builder *builder, uint64_t request);
void fm_builder_receive(struct fm_builder *builder, uint32_t communicator, uint32_t peer,
                        uint32_t tag, uint64_t bytes, const uint64_t *request);
/** An access to a file begins or is done. Only those in calls of MPI count, for the call that
 * begins them: with the bytes requested, and as soon as they are done with those transferred.
 * @param handle  reference to an I/O handle, as in the record
 * @param mode    OTF2_IoOperationMode */
void fm_builder_access_begin(struct fm_builder *builder, uint32_t handle, uint8_t mode,
                             uint64_t bytes, uint64_t id);
void fm_builder_access_end(struct fm_builder *builder, uint32_t handle, uint64_t bytes,
                           uint64_t id);
/** A parameter FM_PARAMETER_PARTITIONED_OPERATION to FM_PARAMETER_LAST_PARTITION. */
void fm_builder_partitioned(struct fm_builder *builder, fm_parameter_t parameter, uint64_t value);

/** A parameter FM_PARAMETER_PROBE_COMMUNICATOR to FM_PARAMETER_PROBE_TAG.
 * @param value  communicator (FM_NONE: not known), rank or tag */
void fm_builder_probe(struct fm_builder *builder, fm_parameter_t parameter, uint32_t value);
/** Parameter FM_PARAMETER_MERGED_CALLS or FM_PARAMETER_MERGED_GAPS of the innermost call, outside
 * of calls a value as for fm_builder_parameter(). */
void fm_builder_merged(struct fm_builder *builder, uint32_t region, uint64_t value);
/** A parameter FM_PARAMETER_AWAITED_COMMUNICATOR to FM_PARAMETER_AWAITED_TAKEN_IN of the
 * innermost call: it counts if the call is never left.
 * @param value  index of the communicator or window, rank, tag, number of a thread or text, or
 * count; FM_NONE: any, none or all */
void fm_builder_await(struct fm_builder *builder, fm_parameter_t parameter, uint32_t value);
/** The innermost call waits for a request, if it is never left. */
void fm_builder_await_request(struct fm_builder *builder, uint64_t request);
/** A parameter FM_PARAMETER_MERGED_VISITS to FM_PARAMETER_MERGED_LONGEST of the innermost region.
 */
void fm_builder_merged_visits(struct fm_builder *builder, fm_parameter_t parameter, uint64_t value);
void fm_builder_cancelled(struct fm_builder *builder, uint64_t request);
void fm_builder_collective_request(struct fm_builder *builder, uint64_t request);
/** @param request  that it completes; NULL: a blocking collective */
void fm_builder_collective(struct fm_builder *builder, uint8_t operation, uint32_t communicator,
                           uint32_t root, uint64_t sent, uint64_t received,
                           const struct fm_collective_request *request);
void fm_builder_communicator_created(struct fm_builder *builder, uint32_t communicator);
/** @param counter  of the trace; FM_COUNTER_OF_SAMPLES: a call stack was sampled;
 * FM_COUNTER_OF_PROCESSOR_TIME + i */
void fm_builder_counter(struct fm_builder *builder, uint32_t counter, double value);
/** A collective on a window: outside of MPI one of the window's communicator. */
/** The innermost call has created a window. */
void fm_builder_window_created(struct fm_builder *builder, uint32_t window);
void fm_builder_rma_collective(struct fm_builder *builder, uint8_t operation, uint32_t window,
                               uint32_t root, uint64_t sent, uint64_t received);
/** @param step  FM_RMA_LOCK_REQUEST, FM_RMA_LOCK_ACQUIRE or FM_RMA_LOCK_RELEASE
 * @param lock  id of the lock on its window and target; MPI's are ignored */
void fm_builder_lock(struct fm_builder *builder, fm_rma_type_t step, uint32_t window,
                     uint32_t target, uint64_t lock, bool shared);
void fm_builder_rma(struct fm_builder *builder, fm_rma_type_t type, uint32_t window, uint32_t peer,
                    bool shared, uint64_t id, uint64_t bytes_out, uint64_t bytes_in);

/** The thread is about to begin a team, as its master. */
void fm_builder_fork(struct fm_builder *builder);
void fm_builder_join(struct fm_builder *builder);

/** The thread becomes a member of a team, or leaves it. The call path of a member that is not its
 * master begins below that of the master, whose location must have been read before.
 * @param team  communicator; FM_NONE: the record is unusable */
void fm_builder_team_begin(struct fm_builder *builder, uint32_t team);
void fm_builder_team_end(struct fm_builder *builder, uint32_t team);

/** A record about a POSIX thread, an object or a task.
 * @param team  communicator; FM_NONE: the record is unusable, unless it is about an object
 * @param id    as in struct fm_thread_record */
void fm_builder_thread(struct fm_builder *builder, fm_thread_record_type_t type, uint32_t team,
                       uint64_t id);

/** A lock of threads was acquired or is about to be released.
 * @param type      FM_THREAD_LOCK_ACQUIRE or FM_THREAD_LOCK_RELEASE
 * @param acquired  as in struct fm_thread_record, and `shared` */
void fm_builder_thread_lock(struct fm_builder *builder, fm_thread_record_type_t type, uint64_t lock,
                            uint32_t order, uint64_t acquired, bool shared);

#endif
