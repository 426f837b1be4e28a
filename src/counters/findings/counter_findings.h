/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What counters of the inside of a library show about a run, in sentences: messages out of
 * sequence, floods of unexpected messages, rendezvous, algorithms of collectives, and recursive
 * doubling of a number of processes that is not a power of two. Only what the counters of the run
 * prove; a run without these counters has no findings. Thresholds are in counter_findings.c. Not
 * thread-safe.
 */
#ifndef FERMATA_COUNTERS_FINDINGS_COUNTER_FINDINGS_H
#define FERMATA_COUNTERS_FINDINGS_COUNTER_FINDINGS_H

#include "counters/counter_job.h"

#include <stdbool.h>

/** A finding. */
struct fm_counter_finding {
    const char *id;        /**< of its rule, for programs */
    const char *statement; /**< with numbers */
    const char *advice;    /**< what changes it */
    long rank;             /**< that the statement is about; -1: the run */
};

/** Receives a finding, whose texts are valid during the call. */
typedef void fm_counter_found_t(const struct fm_counter_finding *finding, void *context);

/** Looks for findings. @return their number */
size_t fm_counter_findings(const struct fm_counter_job *job, fm_counter_found_t *found,
                           void *context);

/** Rules that findings are made by. */
enum { FM_COUNTER_RULES = 5 };

/** A rule, and the counters that it needs. */
struct fm_counter_rule {
    const char *id;    /**< of its findings */
    const char *what;  /**< what it finds, a noun phrase */
    const char *needs; /**< names and patterns, separated by commas */
};

/** Lists the rules for which the run lacks counters: that they find nothing proves nothing.
 * @return their number */
size_t fm_counter_findings_unjudged(const struct fm_counter_job *job,
                                    struct fm_counter_rule unjudged[FM_COUNTER_RULES]);

/** Whether the run has a counter of the inside of the library that a rule needs. */
bool fm_counter_findings_possible(const struct fm_counter_job *job);

/** Why the run does not have them, as its recorder states it; valid while the job is open. NULL: it
 * has them, or the recorder was not asked for any. */
const char *fm_counter_findings_lack(const struct fm_counter_job *job);

#endif
