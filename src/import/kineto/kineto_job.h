/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The traces of a job: one file a rank, and what is known of all of them together.
 */
#ifndef FERMATA_IMPORT_KINETO_KINETO_JOB_H
#define FERMATA_IMPORT_KINETO_KINETO_JOB_H

#include "import/kineto/kineto_trace.h"

/** What is not certain, or was mended: counted over the job. */
struct fm_kineto_defects {
    uint64_t cut;           /**< events of threads that end after the event that contains them */
    uint64_t shared;        /**< work of streams that begins before the work in front of it ends */
    uint64_t hidden;        /**< ... and that ends before it, too: left out */
    uint64_t unlaunched;    /**< work whose launch is not in the trace */
    uint64_t unnamed_syncs; /**< synchronizations that do not state what they wait for */
    uint64_t without_bytes; /**< copies that do not state how much they copy */
};

/** A job. {0}: without traces. */
struct fm_kineto_job {
    FM_VECTOR(char *) paths;
    FM_VECTOR(struct fm_kineto_trace) traces; /**< ascending by rank */
    FM_VECTOR(char *) warnings;               /**< sentences with a full stop */
    struct fm_key_table names;
    struct fm_kineto_defects defects;
    int64_t origin; /**< of all times, in nanoseconds of the first trace's time of day */
};

/** Reads the traces of a directory, or one file.
 * @param job  out: to be freed with fm_kineto_job_free(), also after a failure
 * @return FM_ERR_DATA: a file is damaged, or two are of one rank */
fm_status_t fm_kineto_job_read(const char *path, struct fm_kineto_job *job, struct fm_error *error);

void fm_kineto_job_free(struct fm_kineto_job *job);

/** Makes the begin of the first event the origin of all times. To be called again when the bases of
 * traces change. */
void fm_kineto_set_origin(struct fm_kineto_job *job);

/** Adds a warning. */
void fm_kineto_warn(struct fm_kineto_job *job, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** @return a name of the job; "" of FM_KINETO_NONE */
const char *fm_kineto_name(const struct fm_kineto_job *job, uint32_t name);

/** @return a time of a trace as nanoseconds since the job's origin. */
uint64_t fm_kineto_time(const struct fm_kineto_job *job, const struct fm_kineto_trace *trace,
                        int64_t time);

#endif
