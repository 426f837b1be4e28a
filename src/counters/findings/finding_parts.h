/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Inside of counter_findings.h: what its rules have in common. For counter_findings.c and
 * finding_collectives.c alone.
 */
#ifndef FERMATA_COUNTERS_FINDINGS_FINDING_PARTS_H
#define FERMATA_COUNTERS_FINDINGS_FINDING_PARTS_H

#include "base/text.h"
#include "counters/findings/counter_findings.h"

#include <stdint.h>
#include <stdio.h>

/** Room for a sentence. */
enum { TEXT = 768 };

/** A search for findings. */
struct looking {
    const struct fm_counter_job *job;
    fm_counter_found_t *found;
    void *context;
    size_t count;
};

/** Writes a whole number with its digits in groups. @return text */
static inline const char *number(char text[FM_TEXT_NUMBER], double value)
{
    return fm_text_count(text, (int64_t)value);
}

/** How much of a number is a part of it: "15,000 of 20,000 messages (75.0%)". */
enum { PART = 3 * FM_TEXT_NUMBER };

static inline const char *part_of_messages(char text[PART], double part, double messages)
{
    char numbers[3][FM_TEXT_NUMBER];
    snprintf(text, PART, "%s of %s messages (%s)", number(numbers[0], part),
             number(numbers[1], messages),
             fm_text_percent(numbers[2], (int64_t)part, (int64_t)messages));
    return text;
}

/** @param rank  -1: it is about the run */
static inline void state(struct looking *looking, const char *id, long rank, const char *statement,
                         const char *advice)
{
    struct fm_counter_finding finding = {
        .id = id, .statement = statement, .advice = advice, .rank = rank};
    looking->found(&finding, looking->context);
    looking->count++;
}

/** A value in a rank. @return false: it does not have the counter */
static inline bool value_in(const struct fm_counter_job *job, size_t rank, const char *name,
                            double *value)
{
    size_t counter = fm_counter_job_find(job, name);
    return counter < job->count && fm_counter_job_value(job, rank, counter, -1, value);
}

/** Messages that have arrived in a rank. */
static inline bool arrivals_in(const struct fm_counter_job *job, size_t rank, double *messages)
{
    double eager, others;
    bool known = value_in(job, rank, "EAGER_MESSAGES", &eager) &&
                 value_in(job, rank, "NOT_EAGER_MESSAGES", &others);
    *messages = known ? eager + others : 0;
    return known;
}

static inline unsigned number_of(const struct fm_counter_job *job, size_t rank)
{
    return fm_counter_job_rank(job, rank);
}

/** Looks for findings about collective operations. */
void fm_find_in_collectives(struct looking *looking);

#endif
