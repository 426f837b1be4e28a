/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What the counters of the kernel explain of a problem: preemptions, page faults, system calls and
 * waiting in the operating system in the computation that makes others wait.
 *
 * Something is stated as the reason only if
 *  - at least half of the cause's computation was measured, and half of that of the other
 *    locations, or all but a tenth of what it takes there;
 *  - what the computation takes longer there in the mean is enough for half of the waiting, if all
 *    others wait for it;
 *  - the time that it takes there exceeds the time that it takes on the others by at least half of
 *    what the computation takes longer there, apart from lack of processors; of page faults the
 *    kernel may count a quarter only, if as many, as long as measured on the machine, take half;
 *  - so do time and page faults of all computation there, by at least a tenth of what the others
 *    have, since what is counted between two calls is divided between functions by time; and
 *  - the events themselves occur at least twice as often there as on the others, and the kernel
 * works at least twice as long. What was not measured is taken to be as what was. So events that
 * occur everywhere, or are too few for the time, are no reason. Of a cause on all locations nothing
 * is stated: there are no others to compare with.
 */
#ifndef FERMATA_DIAGNOSIS_PROBLEMS_EVIDENCE_KERNEL_EVIDENCE_H
#define FERMATA_DIAGNOSIS_PROBLEMS_EVIDENCE_KERNEL_EVIDENCE_H

#include "diagnosis/diagnosis.h"
#include "diagnosis/sentences.h"

/** What makes a computation longer there than elsewhere. */
typedef enum {
    FM_KERNEL_EXPLAINS_NOTHING,
    FM_KERNEL_PAGE_FAULTS,  /**< page faults, with the kernel time that they take */
    FM_KERNEL_SYSTEM_CALLS, /**< kernel time for which the page faults are too few */
    FM_KERNEL_WAITS         /**< waiting in the operating system, not for a processor */
} fm_kernel_reason_t;

/** @return the reason with the longest time. */
fm_kernel_reason_t fm_kernel_reason(const struct fm_diagnosis *diagnosis,
                                    const struct fm_cube_problem *cause);

/** Appends the reason with its numbers ("Why"), if there is one. */
void fm_evidence_of_kernel(const struct fm_diagnosis *diagnosis,
                           const struct fm_cube_problem *cause, struct fm_sentences *lines);

/** @return what the kernel has counted of switches in the computation of a cause, in which threads
 * lacked processors: "preempted 41 times there, 2 times on the other ranks", or that the counters
 * contradict the lack; "" if switches were not counted. To be freed with free(). */
char *fm_preemptions_text(const struct fm_diagnosis *diagnosis,
                          const struct fm_cube_problem *cause);

#endif
