/** @file
 * The experiment directory: its name, the environment description, the log, the result for the
 * launcher. All of it is rank 0's work, except fm_experiment_protect.
 */
#ifndef FERMATA_RECORD_EXPERIMENT_EXPERIMENT_H
#define FERMATA_RECORD_EXPERIMENT_EXPERIMENT_H

#include "record/closing/clock_check.h"
#include "record/paradigm/region.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Creates the directory that FERMATA_EXPERIMENT_DIRECTORY names, or a new
 * `fermata-<app>-<ranks>x<threads>-<time>` in the working directory, in a batch job (job.h)
 * `fermata-<app>-<ranks>x<threads>-job<id>-<time>`; an existing one is never touched: the name gets
 * a number then.
 * @param path  receives the absolute path (size bytes), or the reason of the failure
 * @return success */
bool fm_experiment_create(uint32_t ranks, char *path, size_t size);

/** The name that fm_experiment_create tries first.
 * @param what  program and size of the run: `<app>-<ranks>x<threads>`
 * @param when  the time of its begin
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
    const char *clock_doubt;              /**< a sentence, or NULL: it can be trusted */
    uint64_t memory;                      /**< budget of a process, bytes */
    struct fm_library_version libraries[FM_PARADIGMS_MOST]; /**< that are known */
    size_t library_count;
    const char *progress;   /**< FERMATA_PROGRESS: "target" or "async", NULL if it is neither */
    const char *recorded;   /**< what was selected to be recorded, NULL: everything */
    const char *failure;    /**< first failure, or NULL */
    const char *incomplete; /**< what is missing, a sentence, or NULL */
    double sample_rate;     /**< in Hz; 0: nothing was sampled */
    uint64_t samples, samples_lost;
    uint64_t functions_dropped; /**< visits of instrumented functions, too short to be recorded */
    /* What recording cost; known when `memory_used` is not 0: */
    uint64_t memory_used;        /**< most of a process, bytes */
    double cpu_seconds;          /**< of all processes */
    double begin_seconds;        /**< time that the begin and the end of recording took */
    double end_seconds;          /**< */
    double nanoseconds_per_call; /**< of a recorded call */
    double overhead;             /**< time of the run with it / without it - 1, estimated */
    bool complete;               /**< the program reached its end, all of it was recorded */
};

/** Writes environment.json, replacing an older one as a whole or not at all. */
void fm_experiment_describe(const char *directory, const struct fm_environment *environment);

/** Appends a line to the log. */
void fm_experiment_log(const char *directory, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** What was recorded, in numbers; 0 each while the program runs. */
struct fm_experiment_totals {
    uint64_t events;
    uint64_t bytes; /**< of the archive */
    uint64_t samples, samples_lost;
    /* The recorder's; 0: not known. */
    uint64_t memory;   /**< most of a process, bytes */
    uint64_t cpu;      /**< of all processes, microseconds */
    uint64_t overhead; /**< estimated share of the run without it, millionths */
};

/** The numbers among the facts of a run. */
struct fm_experiment_totals fm_experiment_totals(const struct fm_environment *environment);

/** The totals as a line of numbers, for the launcher. @return its length */
int fm_experiment_totals_write(const struct fm_experiment_totals *totals, char *text, size_t size);

/** Reads that back. @return what follows the numbers in the text; NULL: it has none */
const char *fm_experiment_totals_read(struct fm_experiment_totals *totals, const char *text);

/** Tells the launcher (FERMATA_RESULT_FILE) the directory and the numbers, or, with none waiting,
 * prints the closing line on stderr. */
void fm_experiment_result(const char *directory, const struct fm_experiment_totals *totals,
                          bool closing);

/** The numbers as people read them: `1234 events, 0.5 MB`, with samples if there were any, and what
 * the recorder cost if that is known.
 * @return text, which has `size` bytes */
const char *fm_experiment_totals_text(const struct fm_experiment_totals *totals, char *text,
                                      size_t size);

/** Takes all permissions of others from the files of a location. @return their size in bytes */
uint64_t fm_experiment_protect(const char *directory, uint64_t location);

/** As fm_experiment_protect, for the files of the whole archive. */
uint64_t fm_experiment_protect_global(const char *directory);

/** Removes the files of a location, or those of the whole archive, that could not be completed. */
void fm_experiment_remove_location(const char *directory, uint64_t location);
void fm_experiment_remove_archive(const char *directory);

/** Removes the emptied folder of the journals. */
void fm_experiment_remove_journal(const char *directory);

/** Removes an experiment of which nothing is to be kept: all but its archive. */
void fm_experiment_remove(const char *directory);

/** A size like 64M (K, M, G) in bytes; `otherwise` if the text is NULL or none. */
uint64_t fm_experiment_size(const char *text, uint64_t otherwise);

#endif
