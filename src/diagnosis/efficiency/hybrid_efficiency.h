/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The POP efficiencies of runs whose processes have threads: a factor for the processes and one for
 * the threads inside them, which multiply to the parallel efficiency.
 */
#ifndef FERMATA_DIAGNOSIS_EFFICIENCY_HYBRID_EFFICIENCY_H
#define FERMATA_DIAGNOSIS_EFFICIENCY_HYBRID_EFFICIENCY_H

#include "diagnosis/diagnosis.h"

#include <stdbool.h>

/** Each value is between 0 and 1. With U = time of a process's first thread outside of the
 * communication library, C = computation of a thread, M = the longest C of a process, without
 * start-up, and means over all threads, to each of which the U and M of its process belong:
 *
 *   processes = mean U / duration     = process_balance * process_communication
 *   threads   = mean C / mean U       = thread_balance * thread_work
 *   processes * threads               = mean C / duration, the parallel efficiency
 */
struct fm_hybrid_efficiency {
    double processes;
    double process_balance;       /**< mean U / longest U */
    double process_communication; /**< longest U / duration */
    double threads;
    double thread_balance; /**< mean C / mean M */
    double thread_work;    /**< mean M / mean U */
};

/** Computes the hybrid efficiencies of a run.
 * @param efficiency  out: set only if the result is true
 * @return whether they are defined: there is time of OpenMP and computation, some process has
 * several threads, and their first ones communicate for them */
bool fm_hybrid_efficiency(const struct fm_cube *cube, struct fm_hybrid_efficiency *efficiency);

/** A hybrid efficiency for readers. */
struct fm_hybrid_row {
    const char *key;     /**< in JSON: "process_balance" */
    const char *name;    /**< "Load balance" */
    const char *meaning; /**< a quotient in words: "average / longest" */
    unsigned depth;      /**< 0: product of the rows of depth 1 that follow */
    double value;
};

#define FM_HYBRID_ROWS 6

/** Lists the efficiencies in the order of the report. */
void fm_hybrid_rows(const struct fm_hybrid_efficiency *efficiency,
                    struct fm_hybrid_row rows[FM_HYBRID_ROWS]);

#endif
