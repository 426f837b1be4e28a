/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What recording the functions of a run costs: the table behind `fermata score`.
 */
#ifndef FERMATA_CLI_SCORE_SCORE_H
#define FERMATA_CLI_SCORE_SCORE_H

#include "base/containers/vector.h"
#include "base/error.h"
#include "filter/filter.h"
#include "functions/paradigm_names.h"
#include "trace/survey/survey.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/** Types of regions: functions of libraries by their paradigm, and user code. */
enum fm_score_type {
    FM_SCORE_MPI,
    FM_SCORE_OPENMP,
    FM_SCORE_THREADS, /**< of a threading library */
    FM_SCORE_SHMEM,
    FM_SCORE_LIBRARY, /**< any other */
    FM_SCORE_COM,     /**< user code that leads to calls of libraries */
    FM_SCORE_USR,     /**< user code that does not */
    FM_SCORE_TYPES
};

/** Estimates of what recording takes while the program runs (docs/performance.md): nanoseconds for
 * a visit of an instrumented function and for a call of a library, bytes of the buffer for either.
 */
enum { FM_SCORE_FUNCTION_COST = 50, FM_SCORE_CALL_COST = 40, FM_SCORE_RECORD_BYTES = 40 };

/** A region, or all regions of a type. */
struct fm_score_row {
    const char *name, *file; /**< any bytes; file NULL: unknown. They belong to the survey, or to
                                  the score. */
    enum fm_score_type type;
    bool instrumented; /**< by the compiler: a filter can leave it out */
    bool is_estimate;  /**< its visits are an estimate, its time is not known */
    bool left_out;     /**< by the filter, or by the one that is suggested */
    uint64_t visits;
    uint64_t ticks; /**< own time, without that of the regions inside */
    double bytes;   /**< of its events in the trace */
    double cost;    /**< of recording it, in seconds; 0 if it is known from call stacks and samples
                       only */
};

struct fm_score {
    FM_VECTOR(struct fm_score_row) rows;       /**< those with visits, most bytes first */
    struct fm_score_row types[FM_SCORE_TYPES]; /**< sums */
    struct fm_score_row all, kept;             /**< sums; kept: without what is left out */
    uint64_t ticks_per_second;
    uint64_t events;
    uint64_t processes;
    double bytes; /**< of the archive; without what is left out: */
    double bytes_kept;
    double buffer; /**< of the process with the most records, in bytes; and then: */
    double buffer_kept;
    uint64_t unreadable; /**< locations that could not be read to their end */
    bool is_estimate;    /**< the run has no trace: `bytes` are those of one that is recorded with
                              the same settings, `buffer` those of the process's records */
    double samples;      /**< of an estimate: those that are part of it */
    uint64_t lacking;    /**< of an estimate: processes of which nothing is known */
    FM_VECTOR(char *) texts; /**< that the score owns */
};

/** Estimates of the bytes of an event in a trace: a byte for the kind, 9 for the time, few for a
 * region, more for others, which have more to say. */
enum { FM_SCORE_REGION_EVENT = 12, FM_SCORE_OTHER_EVENT = 20 };

/** Reads all events of a survey.
 * @param score  out: to be freed with fm_score_free(), before the survey is closed */
void fm_score_read(struct fm_survey *survey, struct fm_score *score);

/** Reads the calls and visits of a recording with counters only, and estimates the trace that it
 * would have.
 * @param score  out: to be freed with fm_score_free(), also after a failure
 * @return FM_OK; FM_ERR_DATA: nothing is known of any process, or files are damaged; FM_ERR_SYSTEM
 */
fm_status_t fm_score_read_counters(const char *directory, struct fm_score *score,
                                   struct fm_error *error);

/** The type of a function of a programming model. */
enum fm_score_type fm_score_type_of(fm_paradigm_t model);

/** Adds a row and its share of the sums. `bytes` and what belongs to it must be known. */
void fm_score_add(struct fm_score *score, struct fm_score_row row);

/** All rows are added: sorts them. */
void fm_score_sort(struct fm_score *score);

/** Marks what a filter leaves out, of what is instrumented.
 * @param filter  NULL: what is suggested: user code that leads to no calls, whose recording takes
 *                more than a tenth of its time and fills more than a thousandth of the trace */
void fm_score_apply(struct fm_score *score, const struct fm_filter *filter);

/** Writes a filter file that leaves out what is marked. Errors are left in the stream. */
void fm_score_write_filter(const struct fm_score *score, FILE *file);

/** Prints the table; with `most` regions at most. */
void fm_score_print_text(const struct fm_score *score, size_t most);

/** Prints all of it as JSON. */
void fm_score_print_json(const struct fm_score *score);

/** Short name of a type. */
const char *fm_score_type_name(enum fm_score_type type);

void fm_score_free(struct fm_score *score);

#endif
