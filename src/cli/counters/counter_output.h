/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * `fermata counters`: what its forms have in common, and print. Results go to stdout.
 */
#ifndef FERMATA_CLI_COUNTERS_COUNTER_OUTPUT_H
#define FERMATA_CLI_COUNTERS_COUNTER_OUTPUT_H

#include "base/json/json_writer.h"
#include "cli/options/options.h"
#include "counters/counter_job.h"

#include <stdbool.h>

enum fm_counter_format { FM_COUNTERS_TEXT, FM_COUNTERS_JSON, FM_COUNTERS_CSV };

/** What is asked for. */
struct fm_counter_request {
    enum fm_counter_format format;
    char *const *patterns; /**< ended by NULL; none: what the recording asked for */
    bool all;              /**< also counters that are 0 everywhere */
    bool ranks;            /**< a value for each rank */
    const char *grid;      /**< of heatmap; NULL: over time */
    double period;         /**< of watch and convert, seconds */
    bool has_period;       /**< it is stated */
    uint64_t count;        /**< of periods; UINT64_MAX: until the processes end; of rounds */
    int behind;            /**< how many of the operands stand behind "--" */
};

/** Room for a number as text. */
enum { FM_COUNTER_TEXT = 32 };

/** Writes a value: an integer with its digits in groups, a timer with microseconds. */
char *fm_counter_text(char text[FM_COUNTER_TEXT], enum fm_counter_kind kind, double value);

/** Whether a counter of a job is to be printed; values do not matter. */
bool fm_counter_is_asked(const struct fm_counter_request *request,
                         const struct fm_job_counter *counter);

/** Prints all counters that there are. @return FM_OK, or FM_ERR_FAILED: no pattern matches */
fm_status_t fm_counters_list(const struct fm_counter_request *request);

/** Prints the counters of a job, rank by rank if asked, or in a summary. */
void fm_counters_show(const struct fm_counter_request *request, const struct fm_counter_job *job,
                      const char *path, size_t interrupted);

/** Writes a value of a counter as JSON: times with their digits, others as whole numbers.
 * @param key  NULL: an element of an array */
void fm_counters_write_number(struct fm_json *json, const char *key, enum fm_counter_kind kind,
                              double value);

/** Prints sums over all ranks of all jobs. */
void fm_counters_sum(const struct fm_counter_request *request, const struct fm_counter_job *jobs,
                     size_t count);

/** Prints the totals of two jobs and their differences. */
void fm_counters_diff(const struct fm_counter_request *request,
                      const struct fm_counter_job jobs[2]);

/** Prints what counters change by, period by period, until all processes have ended. */
void fm_counters_watch(const struct fm_counter_request *request, struct fm_counter_job *job);

/** Prints a row for each rank, period by period, until all processes have ended, once at least. */
void fm_counters_top(const char *path, struct fm_counter_job *job, double period, uint64_t count);

/** Value of the option read last: a period in seconds, 0.05 at least.
 * @return FM_OK, or FM_ERR_USAGE: refused */
fm_status_t fm_counter_period(struct fm_option_reader *reader, double *period);

/** Prints what updates of counters cost on this machine, by a model and measured; what those of the
 * request's patterns cost a call by the model; and what they add to a measured ping-pong.
 * @param launcher  words of the command that starts 2 ranks, ended by NULL; none: no ping-pong. The
 *                  request's `count` is the number of its rounds
 * @return FM_ERR_USAGE: the patterns choose no counter, nothing is printed; FM_ERR_FAILED: the
 * ping-pong could not be measured, the rest is printed */
fm_status_t fm_counters_calibrate(const struct fm_counter_request *request, char *const *launcher,
                                  struct fm_error *error);

/** Prints what counters of the inside of the library show, with advice. */
void fm_counters_findings(const struct fm_counter_request *request,
                          const struct fm_counter_job *job);

/** Whether an experiment has counters and neither a trace nor what a trace is completed from. */
bool fm_counters_are_all(const char *directory);

/** States on stderr that processes whose calls and traffic are known did not reach their regular
 * end.
 * @param known  number of those processes */
void fm_counters_note_cut(const struct fm_counter_job *job, const char *directory, size_t known);

/** Prints what a recording of counters only has, a line for stderr. */
void fm_counters_print_closing(const char *directory);

/** Prints a counter over time and ranks, from the snapshots of an experiment: SVG, or CSV if the
 * request says so.
 * @param before  NULL: the counter itself; else another experiment, which it is compared with: the
 *                values less those of that one */
fm_status_t fm_counters_heatmap(const struct fm_counter_request *request,
                                const struct fm_counter_job *job, const char *directory,
                                const char *before, const char *name, struct fm_error *error);

/** Prints who has sent how much to whom: a picture (SVG) of one kind of traffic, or all as CSV or
 * JSON.
 * @param name  an experiment directory of a recording with counters only, or the prefix of files of
 *              Open MPI's monitoring components
 * @param kind  its name; NULL: messages of the program. FM_ERR_USAGE: it is none */
fm_status_t fm_counters_matrix(const struct fm_counter_request *request, const char *name,
                               const char *kind, struct fm_error *error);

/** Prints the communicators of an experiment with their traffic, those with the most bytes first.
 */
fm_status_t fm_counters_communicators(const struct fm_counter_request *request,
                                      const struct fm_counter_job *job, const char *directory,
                                      struct fm_error *error);

/** Writes the files of Open MPI's software performance counters to a folder, which is created if it
 * does not exist: counters that are available, of all ranks. With a period their values are brought
 * up to date, period by period, until all processes have ended. FM_ERR_SYSTEM also if a file
 * exists.
 */
fm_status_t fm_counters_convert(const struct fm_counter_request *request,
                                struct fm_counter_job *job, const char *experiment,
                                const char *folder, struct fm_error *error);

/** Prints calls by call path, those with the most time first; the patterns of the request are those
 * of the called functions. FM_ERR_DATA: the experiment has none.
 * @param answer  FM_ERR_FAILED: none of the named functions was called, which stderr states */
fm_status_t fm_counters_sites(const struct fm_counter_request *request,
                              const struct fm_counter_job *job, const char *directory,
                              fm_status_t *answer, struct fm_error *error);

#endif
