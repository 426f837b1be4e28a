/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The severity cube: metric x call path x location -> exact value, with the definitions of its
 * dimensions, the statistics of the wait states and the description of the experiment. Values are
 * exclusive in all three dimensions; views compute inclusive ones. Time is in integer clock ticks
 * everywhere; seconds appear only when a view is written.
 *
 * The structures are plain data: they are filled through the functions below; file writer, reports
 * and exports read the fields. Strings belong to the cube. Not thread-safe while it is written;
 * afterwards any number of threads may read it.
 */
#ifndef FERMATA_CUBE_MODEL_CUBE_H
#define FERMATA_CUBE_MODEL_CUBE_H

#include "base/error.h"
#include "cube/model/cube_finding.h"
#include "cube/model/cube_hang.h"
#include "cube/model/cube_matrix.h"
#include "cube/model/cube_problem.h"
#include "cube/model/cube_time.h"
#include "cube/model/cube_topology.h"
#include "cube/model/metric.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FM_CUBE_NONE UINT32_MAX

/** Paradigm of regions that are values of parameters. Their names are NAME=VALUE. */
#define FM_CUBE_PARAMETER "parameter"

/** A region of the program: function, MPI call, loop; or a value of a parameter that the program
 * sets in the region above it. */
struct fm_cube_region {
    char *name;
    char *paradigm;    /**< "user", "mpi", "openmp", "shmem", ... as OTF2 and Cube call them, or
                            FM_CUBE_PARAMETER */
    char *file;        /**< NULL: unknown */
    uint32_t line;     /**< 0: unknown */
    bool is_estimated; /**< only samples tell of the times in it */
};

/** A node of the call forest, which all locations share. Parents precede their children. */
struct fm_cube_callpath {
    uint32_t parent; /**< FM_CUBE_NONE: a root */
    uint32_t region;
    uint32_t site; /**< line that calls it, if call paths are told apart by it; FM_CUBE_NONE: they
                      are not, or it is unknown, or the region itself has it (calls of libraries) */
};

/** A place in the program that calls a function. */
struct fm_cube_site {
    char *file;    /**< or, without debug information, binary and address: "a.out+0x1234" */
    uint32_t line; /**< 0: unknown */
};

/** Messages in partitions (MPI_Psend_init) whose last partition a location made ready. */
struct fm_cube_last_partition {
    uint32_t partition;    /**< that was the last one of most of them; ties: the lowest */
    uint32_t partitions;   /**< of these messages: it is less than this number */
    uint64_t messages;     /**< in which it was the last one; 0: there are none, or unknown */
    uint64_t all_messages; /**< in which some partition of this location was */
};

/** Messages to a process that its library had taken in before their receive was posted: bounds, by
 * the trace (docs/counters.md). */
struct fm_cube_unexpected {
    uint64_t messages;                /**< that were looked at; 0: none, or nothing is known */
    uint64_t least, most;             /**< unexpected ones of them */
    uint64_t queue_least, queue_most; /**< largest number of those at a time whose receive had not
                                           been posted */
    uint64_t bytes_least, bytes_most; /**< largest sum of their data, likewise */
};

/** A location: a thread of a process. Ascending by rank, then by thread. */
struct fm_cube_location {
    uint64_t id; /**< as in the trace */
    uint32_t rank;
    uint32_t thread; /**< 0, 1, ... inside its rank */
    char *node;      /**< host name */
    char *name;
    bool is_stream; /**< of an accelerator, not a thread; to be set after the location was added */
    struct fm_cube_last_partition last_partition; /**< likewise */
    struct fm_cube_unexpected unexpected; /**< likewise; of the process, in its first location */
    uint32_t world;      /**< number of its MPI_COMM_WORLD, likewise; 0 in a run with one */
    uint32_t world_rank; /**< rank there, likewise */
};

/** One exclusive value that is not 0. */
struct fm_cube_cell {
    uint32_t metric; /**< fm_metric_t */
    uint32_t callpath;
    uint32_t location; /**< index, not id */
    int64_t value;     /**< ticks, occurrences or bytes: the metric's unit */
};

#define FM_CUBE_CHAIN 8

/** A link of a chain of causes: a delay, or an earlier wait state that has a cause of its own. */
struct fm_cube_cause {
    uint32_t location;
    uint32_t callpath;
    uint32_t metric;   /**< wait state; FM_METRIC_NONE: the call path itself took longer */
    uint32_t permille; /**< share of this cause, in thousandths, in all delays and waits of its
                            location in the interval, or in the wait state, if that was longer: the
                            rest delays it in no call path */
    uint64_t ticks;
};

/** What is blamed for most of a wait state: what was being done while it lasted. */
struct fm_cube_blamed {
    uint32_t location; /**< FM_CUBE_NONE: not known */
    uint32_t callpath; /**< FM_CUBE_NONE: none was executed */
    uint64_t ticks;    /**< part of the waiting time */
};

/** One wait state, as shown among the worst of its kind. */
struct fm_cube_instance {
    uint32_t location;       /**< location that waited */
    uint32_t callpath;       /**< of the waiting call */
    uint64_t enter;          /**< ticks since the begin of the run */
    uint64_t wait;           /**< ticks */
    uint32_t cause_location; /**< location whose event ended the wait; FM_CUBE_NONE: unknown */
    uint32_t cause_callpath; /**< call whose lateness ended the wait; FM_CUBE_NONE: unknown */
    struct fm_cube_blamed blamed;
    uint32_t chain_length;
    struct fm_cube_cause chain[FM_CUBE_CHAIN]; /**< nearest cause first */
};

#define FM_CUBE_WORST 5

/** Distribution of the waiting times of all instances of one wait-state kind, in ticks. Quartiles
 * are elements of the sorted list: element floor(q * (count - 1)). */
struct fm_cube_statistics {
    uint32_t metric;
    uint64_t count, sum, min, lower_quartile, median, upper_quartile, max;
    uint64_t error; /**< ticks by which `sum` may be wrong, if cube->errors are known */
    uint64_t insignificant, insignificant_sum; /**< waits shorter than their error: number, ticks */
    uint32_t worst_count;
    struct fm_cube_instance worst[FM_CUBE_WORST]; /**< longest first */
};

/** A piece of the critical path; the pieces follow one another without gaps. */
struct fm_cube_segment {
    uint32_t location;
    uint64_t begin, end; /**< ticks since the begin of the run */
};

#define FM_CUBE_LARGEST_COST_SHIFT 60
#define FM_CUBE_LOCK_BINS          256
#define FM_CUBE_LOCK_PARTIES       5
#define FM_CUBE_LOCK_CHAIN         16
#define FM_CUBE_LOCK_PLACES        5

/** The use of a lock by one rank. */
struct fm_cube_lock_party {
    uint32_t location;
    uint64_t epochs;  /**< number of epochs in which it held the lock */
    uint64_t held;    /**< ticks */
    uint64_t caused;  /**< ticks that others waited for its releases of the lock */
    uint64_t waits;   /**< number of its waits for the lock */
    uint64_t waiting; /**< ticks, sum of these waits */
    uint64_t caused_error, waiting_error; /**< ticks by which these may be wrong, if cube->errors
                                               are known; else 0 */
};

/** A call path in which a lock is waited for, or is held while others wait. */
struct fm_cube_lock_place {
    uint32_t callpath;
    uint64_t waits;   /**< number of the waits that are in it; 0: the lock is held in it */
    uint64_t waiting; /**< ticks that is waited in it, or meanwhile */
};

/** A lock that is locked exclusively at least once, and the queue of the epochs that wait for it
 * (docs/report-format.md defines all terms). Times are ticks since the begin of the run. */
struct fm_cube_lock {
    uint32_t window;    /**< number of the window in the trace; FM_CUBE_NONE: a lock outside of MPI,
                             whose name says all */
    char *name;         /**< of the window, or of such a lock; NULL: the window has none */
    uint32_t target;    /**< rank; FM_CUBE_NONE: epochs that lock all targets at once. Without
                             window: rank of the process whose threads have the lock;
                             FM_CUBE_NONE: a lock of processes */
    uint64_t exclusive; /**< number of exclusive epochs */
    uint64_t shared;    /**< number of shared epochs */
    uint64_t held;      /**< ticks, added up over all epochs */
    uint64_t waits;     /**< number of epochs that waited */
    uint64_t waiting;   /**< ticks, added up */
    uint64_t error;     /**< ticks by which `waiting` may be wrong, if cube->errors are known; else
                             0 */
    uint64_t begin;     /**< first request */
    uint64_t end;       /**< last release */
    uint64_t longest_queue;
    uint64_t longest_chain; /**< number of epochs that waited each for the one before; 0: no wait */
    uint32_t chain_count;
    uint32_t chain[FM_CUBE_LOCK_CHAIN]; /**< locations of the first epochs of the longest chain */
    uint32_t holder_count;
    struct fm_cube_lock_party holders[FM_CUBE_LOCK_PARTIES]; /**< most waiting caused first */
    uint32_t victim_count;
    struct fm_cube_lock_party victims[FM_CUBE_LOCK_PARTIES]; /**< longest waiting first */
    uint32_t held_in_count; /**< 0: not known, or there was no waiting; as the others below */
    struct fm_cube_lock_place held_in[FM_CUBE_LOCK_PLACES]; /**< most waiting first */
    uint32_t waited_in_count;
    struct fm_cube_lock_place waited_in[FM_CUBE_LOCK_PLACES]; /**< most waiting first */
    uint32_t bin_count; /**< 0 (no waiting) or FM_CUBE_LOCK_BINS */
    uint64_t *queue;    /**< [bin]: waiting ticks in each of bin_count equal parts of begin..end */
};

/** By how much the times of the critical path may be wrong, if cube->errors are known. */
struct fm_cube_path_errors {
    uint64_t turns;         /**< switches of the path to another location, where a wait ends */
    uint64_t insignificant; /**< switches at waits that are shorter than their error */
    uint64_t *of_callpath;  /**< [call path]: ticks by which its time on the path may be wrong;
                                 NULL: not known */
};

/** Description of the measured run. Strings may be NULL: unknown. */
struct fm_cube_experiment {
    char *title;   /**< the program, or the archive's name */
    char *command; /**< command line of the measured program */
    char *creator; /**< recorder that wrote the trace */
    char *machine;
    uint64_t ticks_per_second;
    uint32_t cost_shift; /**< number of fractional binary digits of costs in ticks */
    uint64_t begin;      /**< earliest event, ticks of the trace clock */
    uint64_t end;        /**< latest event */
    uint64_t event_count;
    uint32_t process_count;
    uint64_t duration;       /**< longest time of a location without start-up and shut-down of the
                                  libraries, as a replay measures it; 0: nothing was predicted */
    uint64_t ideal_duration; /**< the same predicted on a network where transfers take no time, at
                                  most `duration`; 0: not predicted */
    uint32_t lack_of_processors; /**< percent of the time of all threads, calls included, in which
                                      they were ready and had no processor; 0: none, or unknown */
    uint64_t page_fault;    /**< ticks that a page fault on new memory takes, as the recorder has
                                 measured it on the node of rank 0; 0: not known */
    uint32_t overhead;      /**< by how much recording makes the run longer, as the recorder has
                                 measured it: millionths of the run without it; 0: not known */
    bool overhead_is_least; /**< it may be much more: the work that the recorder cannot measure is
                                 not small beside the program's */
    uint32_t costliest;   /**< what that is mostly spent on: fm_recorder_cost_t + 1; 0: not known */
    uint32_t sample_rate; /**< how often sampling timers fired in a second of the CPU time of their
                               threads, thousandths; 0: never, or not known */
};

/** What the times of different processes were made comparable by. */
typedef enum {
    FM_CUBE_CLOCK_LINEAR,  /**< clock offsets, interpolated */
    FM_CUBE_CLOCK_LOGICAL, /**< ... and the controlled logical clock */
    FM_CUBE_CLOCK_NONE     /**< nothing */
} fm_cube_clock_mode_t;

/** What is known about the clocks of the run (docs/clocks.md). */
struct fm_cube_clock {
    uint8_t mode;       /**< fm_cube_clock_mode_t */
    bool is_estimated;  /**< the offsets were estimated from messages, for the archive has none */
    uint64_t error;     /**< of estimated offsets: ticks that the clock of a process may differ from
                             that of process 0; 0: they are not estimated */
    uint32_t unbounded; /**< processes whose estimated offset has no such limit */
    uint64_t violations_before, violations_after; /**< of the clock condition: before the times were
                                                       repaired, and in this report */
};

/** Errors of measured times (docs/clocks.md). */
struct fm_cube_errors {
    bool are_known;
    uint64_t call;  /**< ticks that recording a call costs; 0: not known, of another recorder */
    uint64_t clock; /**< ticks that the clocks of two processes on different nodes, or of any two
                         processes with estimated offsets, may differ; 0: all have one clock */
    uint64_t computation; /**< ticks of all locations together by which computation may be too long:
                               what the recorder did in it */
    uint64_t longest_computation; /**< the same of one location, the largest */
};

struct fm_cube {
    struct fm_cube_experiment experiment;
    struct fm_cube_region *regions;
    uint32_t region_count;
    struct fm_cube_callpath *callpaths;
    uint32_t callpath_count;
    struct fm_cube_site *sites; /**< of the call paths; none unless the analysis told them apart */
    uint32_t site_count;
    struct fm_cube_location *locations;
    uint32_t location_count;
    struct fm_cube_cell *cells; /**< ascending by (metric, callpath, location), no duplicates */
    size_t cell_count;
    struct fm_cube_statistics *statistics; /**< ascending by metric */
    uint32_t statistics_count;
    struct fm_cube_segment *segments; /**< critical path, from the begin of the run to its end */
    uint32_t segment_count;
    struct fm_cube_path_errors path_errors;
    char **warnings; /**< what is missing or left out, one sentence each */
    uint32_t warning_count;
    uint32_t omission_count;    /**< the first of them are of fm_cube_warn_omission; not in files */
    struct fm_cube_lock *locks; /**< ascending by (window, target); those without window last */
    uint32_t lock_count;
    uint64_t left_out_locks;         /**< locks of threads that `locks` has not */
    uint64_t left_out_locks_waiting; /**< ticks that were waited for these */
    struct fm_cube_clock clock;
    bool is_profile; /**< of counters only: what calls there were and how long they took is known,
                        not when; so wait states, critical path and messages are not known */
    struct fm_cube_errors errors;
    bool path_from_init_to_finalize; /**< the critical path covers only this part of the run */
    char **switched_off; /**< ids of the wait states, built-in or of the user's patterns, that
                              the user did not want to be searched for */
    uint32_t switched_off_count;
    struct fm_cube_finding *findings; /**< in the order of their rules */
    uint32_t finding_count;
    struct fm_cube_hang hang;     /**< if the run ended inside of calls */
    char **partition_names;       /**< of the partitions that the user chose */
    uint32_t partition_count;     /**< 0: none were chosen */
    uint32_t *partition_of;       /**< by location; FM_CUBE_NONE: in none of them */
    struct fm_cube_phase *phases; /**< in the order of the trace's regions */
    uint32_t phase_count;
    struct fm_cube_bins bins;
    struct fm_cube_matrix matrices[FM_MATRIX_COUNT];
    struct fm_cube_topology *topologies; /**< in the order of the trace's communicators */
    uint32_t topology_count;
    struct fm_cube_problem *problems; /**< largest cost first */
    uint32_t problem_count;
    uint32_t region_capacity, callpath_capacity, location_capacity, site_capacity;
    size_t cell_capacity;
    uint32_t segment_capacity;
    uint32_t statistics_capacity, warning_capacity, lock_capacity, problem_capacity;
};

/** @return whether a lock belongs to the threads of one process. */
static inline bool fm_cube_lock_is_of_threads(const struct fm_cube_lock *lock)
{
    return lock->window == FM_CUBE_NONE && lock->target != FM_CUBE_NONE;
}

/** @return an empty cube, to be freed with fm_cube_free(); NULL if memory is exhausted. */
struct fm_cube *fm_cube_create(void);

/** Frees the cube and all that it owns. NULL is allowed. */
void fm_cube_free(struct fm_cube *cube);

/** Sets a text of the experiment, such as `&cube->experiment.title`, to a copy of `text` (NULL:
 * unknown); frees the old one. */
fm_status_t fm_cube_set_text(char **field, const char *text, struct fm_error *error);

/** Adds a region; the strings are copied, `file` may be NULL.
 * @return its index, or FM_CUBE_NONE if memory is exhausted. */
uint32_t fm_cube_add_region(struct fm_cube *cube, const char *name, const char *paradigm,
                            const char *file, uint32_t line);

/** Adds a call path below `parent` (FM_CUBE_NONE: a root). @return its index, or FM_CUBE_NONE if
 * memory is exhausted, or parent or region do not exist. */
uint32_t fm_cube_add_callpath(struct fm_cube *cube, uint32_t parent, uint32_t region);

/** Adds a place that calls functions; `file` is copied. The same place may be added repeatedly.
 * @return its index, or FM_CUBE_NONE if memory is exhausted. */
uint32_t fm_cube_add_site(struct fm_cube *cube, const char *file, uint32_t line);

/** Adds a location. To be called in ascending order of rank, then of thread. The strings are
 * copied.
 * @param id  of the location in the trace, in any order
 * @return its index, or FM_CUBE_NONE if memory is exhausted. */
uint32_t fm_cube_add_location(struct fm_cube *cube, uint64_t id, uint32_t rank, uint32_t thread,
                              const char *node, const char *name);

/** Appends a value; any order and repetitions are allowed until fm_cube_seal(), which adds them up.
 * FM_ERR_FAILED: metric, call path or location do not exist. */
fm_status_t fm_cube_add(struct fm_cube *cube, fm_metric_t metric, uint32_t callpath,
                        uint32_t location, int64_t value, struct fm_error *error);

/** Appends a statistics record (copied). */
fm_status_t fm_cube_add_statistics(struct fm_cube *cube, const struct fm_cube_statistics *record,
                                   struct fm_error *error);

/** Appends a segment of the critical path (copied). */
fm_status_t fm_cube_add_segment(struct fm_cube *cube, const struct fm_cube_segment *segment,
                                struct fm_error *error);

/** Sets the errors of the critical path (copied). To be called after all call paths have been
 * added.
 */
fm_status_t fm_cube_set_path_errors(struct fm_cube *cube, const struct fm_cube_path_errors *errors,
                                    struct fm_error *error);

/** Appends a lock (copied with its name and queue). To be called in ascending order of (window,
 * target). FM_ERR_FAILED: the order is wrong, or a count exceeds its array. */
fm_status_t fm_cube_add_lock(struct fm_cube *cube, const struct fm_cube_lock *lock,
                             struct fm_error *error);

/** @return the begin of bin `bin` of the lock's time; `bin` == bin_count: the end of the last bin.
 */
uint64_t fm_cube_lock_edge(const struct fm_cube_lock *lock, uint32_t bin);

/** Frees the locks; the cube has none afterwards. Called by fm_cube_free(). */
void fm_cube_free_locks(struct fm_cube *cube);

/** Sets the partitions of the locations (copied). To be called after all locations have been added.
 * @param of_location  [location]: its partition; FM_CUBE_NONE: none
 * @return FM_ERR_FAILED: a location's partition does not exist */
fm_status_t fm_cube_set_partitions(struct fm_cube *cube, char *const *names, uint32_t count,
                                   const uint32_t *of_location, struct fm_error *error);

/** Frees the partitions; the cube has none afterwards. Called by fm_cube_free(). */
void fm_cube_free_partitions(struct fm_cube *cube);

/** Appends a warning, a sentence for the reader of the report. */
fm_status_t fm_cube_warn(struct fm_cube *cube, struct fm_error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** Likewise, of something that the analysis was to add to the cube and has not: placed before all
 * other warnings, and printed by commands that print no others. */
fm_status_t fm_cube_warn_omission(struct fm_cube *cube, struct fm_error *error, const char *format,
                                  ...) __attribute__((format(printf, 3, 4)));

/** Sorts cells and statistics, adds up repeated cells, drops zeros: afterwards the fields are in
 * the documented order. FM_ERR_DATA: a sum exceeds 64 bits; FM_ERR_FAILED: two statistics of one
 * metric. */
fm_status_t fm_cube_seal(struct fm_cube *cube, struct fm_error *error);

/** @return the first cell of `metric`, and in `*count` their number (sealed cubes only). */
const struct fm_cube_cell *fm_cube_metric_cells(const struct fm_cube *cube, fm_metric_t metric,
                                                size_t *count);

/** Notes that a wait state, or a pattern of the user, was switched off. */
void fm_cube_switch_off(struct fm_cube *cube, const char *id);

/** @return whether this was noted. */
bool fm_cube_is_switched_off(const struct fm_cube *cube, const char *id);

/** Frees what was noted. */
void fm_cube_free_switched_off(struct fm_cube *cube);

/** @return the exclusive value, 0 if there is none (sealed cubes only). */
int64_t fm_cube_value(const struct fm_cube *cube, fm_metric_t metric, uint32_t callpath,
                      uint32_t location);

/** @return the sum of the exclusive values on some locations (sealed cubes only).
 * @param locations  NULL: the first `count` */
int64_t fm_cube_value_on(const struct fm_cube *cube, fm_metric_t metric, uint32_t callpath,
                         const uint32_t *locations, uint32_t count);

/** @return the call path of the function of the program that a call path is charged to as a cause:
 * itself, or of code of a library (fm_is_library_function) the innermost caller that is none. What
 * no function of the program calls stands for itself. O(depth) */
uint32_t fm_cube_function_of(const struct fm_cube *cube, uint32_t callpath);

/** @return the statistics of `metric`, NULL if there are none. */
const struct fm_cube_statistics *fm_cube_metric_statistics(const struct fm_cube *cube,
                                                           fm_metric_t metric);

/** Finds a call path by its region names from a root, separated by '/' (one before the first is
 * allowed; names may contain '/' themselves), each followed by its source position if the call path
 * has one (fm_cube_callpath_place()). @return its index, or FM_CUBE_NONE. */
uint32_t fm_cube_find_callpath(const struct fm_cube *cube, const char *path);

/** Writes the report file `path`: versioned, self-describing, with a checksum
 * (docs/report-format.md). The file appears complete or not at all; an existing one is replaced. */
fm_status_t fm_cube_write(const struct fm_cube *cube, const char *path, struct fm_error *error);

/** Reads a report file. A damaged, truncated or foreign file gives FM_ERR_DATA with file and
 * reason.
 * @param cube  out: to be freed with fm_cube_free(); set only on success */
fm_status_t fm_cube_read(const char *path, struct fm_cube **cube, struct fm_error *error);

#endif
