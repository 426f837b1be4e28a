/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The counters of all processes of a run: the files of EXPERIMENT/counters, and those of spawned
 * worlds in EXPERIMENT/worlds/N/counters, side by side. Not thread-safe.
 *
 * Ranks are counted on over the worlds, as in the trace: rank 0 of the first spawned world follows
 * the last rank of world 0.
 */
#ifndef FERMATA_COUNTERS_COUNTER_JOB_H
#define FERMATA_COUNTERS_COUNTER_JOB_H

#include "base/error.h"
#include "counters/catalogue.h"
#include "fermata/counters.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A counter that at least one process has. */
struct fm_job_counter {
    const char *name, *unit;
    enum fm_counter_kind kind;
    unsigned bins;
    unsigned boundary; /**< of bins by size: bytes of the largest small message */
    bool is_selected;  /**< the recording asked for it */
};

/** Processes with one MPI_COMM_WORLD. */
struct fm_job_world {
    unsigned number; /**< 0: those that the launcher has started */
    unsigned first;  /**< rank of its first process in the run */
    unsigned size;   /**< processes that it has, with a file or without */
    char *folder;    /**< of its files; NULL: a single file was opened */
};

/** A run. */
struct fm_counter_job {
    char *path;
    struct fm_job_world *worlds; /**< by number, ascending; only those that have files */
    size_t world_count;
    size_t ranks;               /**< files */
    fermata_counters_t **files; /**< by rank in the run, ascending */
    size_t *world_of;           /**< of each file: position of its world */
    size_t count;               /**< counters */
    struct fm_job_counter *counters;
};

/** Opens the files of an experiment.
 * @param path  the experiment directory, its folder `counters`, or a single file
 * @return FM_OK; FM_ERR_DATA: there are no counters, or a file is damaged; FM_ERR_SYSTEM */
fm_status_t fm_counter_job_open(const char *path, struct fm_counter_job *job,
                                struct fm_error *error);

/** Opens the files of processes that have begun since: late ranks and spawned worlds.
 * @return whether there are any; positions of files have changed then, and all files are others */
bool fm_counter_job_take_others(struct fm_counter_job *job);

/** @return the rank in the run of the process at a position */
unsigned fm_counter_job_rank(const struct fm_counter_job *job, size_t position);

/** @return the number of processes that the run has, with a file or without */
unsigned fm_counter_job_size(const struct fm_counter_job *job);

/** Path of another file of the process at a position, FOLDER/NAME.N. @return `path` */
char *fm_counter_job_file(const struct fm_counter_job *job, size_t position, const char *name,
                          char *path, size_t size);

/** Reads the present values of all processes.
 * @return the number of processes that were killed while they counted a call */
size_t fm_counter_job_read(struct fm_counter_job *job);

void fm_counter_job_close(struct fm_counter_job *job);

/** A value of a counter in a process.
 * @param rank  position of the file
 * @param bin   number of a bin; -1: the value of the counter
 * @param value receives it; timers in seconds
 * @return false: the process does not have the counter */
bool fm_counter_job_value(const struct fm_counter_job *job, size_t rank, size_t counter, int bin,
                          double *value);

/** @return the number of a counter of the job in the file of a process; -1: it does not have it */
int fm_counter_job_place(const struct fm_counter_job *job, size_t rank, size_t counter);

/** How the values of the processes are distributed. */
struct fm_counter_spread {
    double total, mean, least, most; /**< the total of a watermark is the extreme value */
    size_t ranks;                    /**< that have the counter */
    unsigned least_rank, most_rank;  /**< their ranks; of equal values the first */
};

struct fm_counter_spread fm_counter_job_spread(const struct fm_counter_job *job, size_t counter,
                                               int bin);

/** @return the counter called so (also by one of Open MPI's names); `count`: there is none */
size_t fm_counter_job_find(const struct fm_counter_job *job, const char *name);

/** Number of processes in a state: FERMATA_PROCESS_... */
size_t fm_counter_job_in_state(const struct fm_counter_job *job, int state);

/** @return the begin of the earliest process, nanoseconds since the epoch of 1970 */
uint64_t fm_counter_job_start(const struct fm_counter_job *job);

/** A counter that processes do not have. */
struct fm_counter_lack {
    char name[128];
    const char *reason; /**< valid until the job is read or closed */
    size_t ranks;       /**< that do not have it for this reason */
};

/** Several of them; `items` is to be freed. */
struct fm_counter_lacks {
    struct fm_counter_lack *items;
    size_t count, capacity;
};

/** Lists what is asked for and not available: of what the processes state to be unavailable (all of
 * it without patterns), and of the patterns each name that no process has, with the reason of the
 * catalogue. Of a pattern with wildcards that matches no counter of the run, those of Open MPI's
 * that it matches.
 * @param patterns  lists of names and patterns, ended by NULL */
struct fm_counter_lacks fm_counter_job_lacks(const struct fm_counter_job *job,
                                             char *const *patterns);

/** Whether one of such lists has the name of a counter of files, without wildcards. */
bool fm_counter_is_named(char *const *patterns, const char *name);

/** @return what is known to be wrong with a counter that a variable of the library counts; NULL:
 *         nothing is
 * @param obtained  how it is obtained, as the file states it; NULL is allowed */
const char *fm_counter_defect(const char *name, const char *obtained);

#endif
