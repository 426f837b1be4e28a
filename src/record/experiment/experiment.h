/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The experiment directory: its name, the environment description, the log, the result for the
 * launcher. Used by rank 0 only, except fm_experiment_protect and fm_experiment_remove_location.
 */
#ifndef FERMATA_RECORD_EXPERIMENT_EXPERIMENT_H
#define FERMATA_RECORD_EXPERIMENT_EXPERIMENT_H

#include "record/closing/clock_check.h"
#include "record/closing/overhead.h"
#include "record/paradigm/region.h"
#include "record/sampling/obtained_rate.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Creates the directory that FERMATA_EXPERIMENT_DIRECTORY names, or a new
 * `fermata-<app>-<ranks>x<threads>-<time>` in the working directory, in a batch job (job.h)
 * `fermata-<app>-<ranks>x<threads>-job<id>-<time>`. If the name exists, a number is appended; an
 * existing directory is never changed. Tells the launcher (fm_experiment_result): of the programs
 * of one command, the first one has the name without a number, and others may join it.
 * @param path  receives the absolute path (size bytes), or the reason of the failure
 * @return success */
bool fm_experiment_create(uint32_t ranks, char *path, size_t size);

/** Creates a directory for processes that another run of the program has started, in that run's
 * experiment, which the launcher's file names: `worlds/1` or the first number that is free.
 * @param path  receives the absolute path (size bytes)
 * @return false: there is no such experiment here, or it cannot be written to */
bool fm_experiment_create_world(char *path, size_t size);

/** Moves an experiment whose processes are connected with others into the one that the launcher's
 * file names, as fm_experiment_create_world would have created it there: several launchers of an
 * MPI library may be started by one of fermata. No file of it is open.
 * @param directory  in, out: its absolute path (size bytes)
 * @return false: it stays where it is, because it is that of the launcher, or in it, or there is
 * none */
bool fm_experiment_become_world(char *directory, size_t size);

/** Whether the launcher of this run finds the experiment: its file names the directory, or that of
 * the experiment in which fm_experiment_create_world has created it. */
bool fm_experiment_is_launched(const char *directory);

/** The path that fm_experiment_create tries first.
 * @param what  program and size of the run: `<app>-<ranks>x<threads>`
 * @param when  begin of the run
 * @param path  receives the absolute path (size bytes) */
void fm_experiment_place(const char *what, const char *when, char *path, size_t size);

/** Version of the library of a paradigm. */
struct fm_library_version {
    const char *paradigm; /**< its name */
    const char *version;
};

/** Facts for environment.json. */
struct fm_environment {
    uint32_t ranks;
    uint64_t locations; /**< 0 while the program runs */
    uint64_t events;
    uint64_t bytes;                       /**< of the archive */
    uint64_t flushes;                     /**< full buffers, all processes */
    uint64_t resolution;                  /**< ticks per second */
    double clock_deviation;               /**< largest, in ticks */
    const struct fm_clock_quality *clock; /**< NULL: not known yet */
    const char *clock_doubt;              /**< a sentence, or NULL: clocks can be trusted */
    uint64_t memory;                      /**< budget of a process, bytes */
    struct fm_library_version libraries[FM_PARADIGMS_MOST]; /**< known versions */
    size_t library_count;
    const char *progress;      /**< FERMATA_PROGRESS: "target" or "async", NULL if it is neither */
    uint64_t max_size;         /**< size limit of the experiment, bytes; 0, UINT64_MAX: none */
    const char *recorded;      /**< parts of the run selected for recording, NULL: everything */
    const char *unseen;        /**< calls that are not recorded, sentences, or NULL */
    uint32_t marks;            /**< marks that rank 0 has recorded: bits of enum fm_mark_kind */
    const char *failure;       /**< first failure, or NULL */
    const char *incomplete;    /**< the missing parts, a sentence, or NULL */
    double sample_rate;        /**< in Hz; 0: nothing was sampled */
    bool sample_rate_is_asked; /**< the user has chosen it */
    bool sampled_by_perf, sampled_by_timers; /**< the clocks of samples */
    uint64_t sample_signals; /**< how often sampling timers fired, of all processes */
    uint64_t sampled_cpu;    /**< CPU time that these timers measured, nanoseconds */
    uint64_t samples, samples_lost;
    double sampling_seconds;    /**< time spent on samples, of all processes */
    double delivery_seconds;    /**< time that their signals took in addition, an estimate */
    uint64_t functions_dropped; /**< visits of instrumented functions, too short to be recorded */
    double run_seconds;         /**< of the processes' main threads; 0: not known */
    double run_delay_seconds;   /**< in which these waited for a processor, in calls and outside */
    /* Cost of recording; known when `memory_used` is not 0: */
    uint64_t memory_used;              /**< maximum of a process, bytes */
    double cpu_seconds;                /**< of the recorder in all processes */
    double begin_seconds;              /**< duration of the begin of recording */
    double end_seconds;                /**< duration of the end of recording */
    double nanoseconds_per_call;       /**< of a recorded call */
    double nanoseconds_per_page_fault; /**< on new memory of the program; 0: not known */
    double overhead;                   /**< run time with / without recording - 1 */
    bool overhead_is_least;            /**< it may be much more */
    struct fm_overhead_costs costs;    /**< of all threads; begin and end: of all processes */
    bool complete; /**< the program reached its end, the whole run was recorded */
};

/** What the run measured of its sampling timers. */
struct fm_obtained_rate fm_experiment_rate(const struct fm_environment *environment);

/** Writes environment.json; replaces an older one atomically, or leaves it if the write fails. */
void fm_experiment_describe(const char *directory, const struct fm_environment *environment);

/** Appends a line to the log. */
void fm_experiment_log(const char *directory, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Totals of a recording; 0 each while the program runs. */
struct fm_experiment_totals {
    uint64_t events;
    uint64_t bytes; /**< of the archive */
    uint64_t samples, samples_lost;
    /* Cost of the recorder; 0: not known. */
    uint64_t memory;   /**< maximum of a process, bytes */
    uint64_t cpu;      /**< of all processes, microseconds */
    uint64_t overhead; /**< estimated, relative to the run time without recording, millionths */
    bool overhead_is_least; /**< it may be much more */
};

/** Totals from the facts of a run. */
struct fm_experiment_totals fm_experiment_totals(const struct fm_environment *environment);

/** Writes the totals as a line of numbers, for the launcher. @return its length */
int fm_experiment_totals_write(const struct fm_experiment_totals *totals, char *text, size_t size);

/** Reads totals written by fm_experiment_totals_write. @return the text after the numbers; NULL:
 * the text contains no totals */
const char *fm_experiment_totals_read(struct fm_experiment_totals *totals, const char *text);

/** Writes the directory and the totals to the launcher's file (FERMATA_RESULT_FILE), unless it is
 * one that fm_experiment_create_world has created. If no launcher waits for this process, prints
 * the closing line on stderr if `closing` is set. */
void fm_experiment_result(const char *directory, const struct fm_experiment_totals *totals,
                          bool closing);

/** Formats the totals for the user: `1234 events, 0.5 MB`, with samples if there were any, and the
 * recorder's cost if it is known.
 * @return text, which has `size` bytes */
const char *fm_experiment_totals_text(const struct fm_experiment_totals *totals, char *text,
                                      size_t size);

/** Restricts the files of a location to their owner. @return their size in bytes */
uint64_t fm_experiment_protect(const char *directory, uint64_t location);

/** As fm_experiment_protect, for the files of the whole archive. */
uint64_t fm_experiment_protect_global(const char *directory);

/** Removes the files of a location, or those of the whole archive, that could not be completed. */
void fm_experiment_remove_location(const char *directory, uint64_t location);
void fm_experiment_remove_archive(const char *directory);

/** Removes the emptied folder of the journals. */
void fm_experiment_remove_journal(const char *directory);

/** Removes an experiment without archive: all its files and the directory. */
void fm_experiment_remove(const char *directory);

#endif
