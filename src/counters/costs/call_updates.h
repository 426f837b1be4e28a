/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What counters cost a call of an MPI function, by the model of counter_costs.h: which updates a
 * library makes in the call for a chosen set of counters, by the moments and kinds of the
 * catalogue, and their sum [Eberius 2020, formula 3.6].
 *
 * MPI_Send and MPI_Recv are looked at as a whole: each of them sends or receives one message of the
 * program, which is small and finds its receive posted. Of another function its own counters alone
 * are known, the number of its calls and the time in them.
 *
 * A counter that is not chosen is switched off. In MPI_Send and MPI_Recv it costs O_Off if it is
 * one of Open MPI's software performance counters: the library of the model has these.
 */
#ifndef FERMATA_COUNTERS_COSTS_CALL_UPDATES_H
#define FERMATA_COUNTERS_COSTS_CALL_UPDATES_H

#include "base/containers/vector.h"
#include "counters/catalogue.h"
#include "counters/costs/counter_costs.h"

/** Numbers of updates; each costs what the formula of the same name says. */
struct fm_updates {
    unsigned on;          /**< O_On: each counter that is on, of whatever kind but a watermark */
    unsigned off;         /**< O_Off */
    unsigned timers;      /**< O_Timer, beside an O_On */
    unsigned watermarks;  /**< O_Watermark, beside the O_On of its level */
    unsigned binned;      /**< O_Bin, beside an O_On */
    unsigned comparisons; /**< of all O_Bin: their numbers of bins, less one each */
};

/** @return nanoseconds of a number of updates by the model; watermarks rise. */
double fm_updates_predicted(const struct fm_counter_costs *costs, struct fm_updates updates);

/** Room for a formula. */
enum { FM_UPDATES_FORMULA = 128 };

/** Writes a formula: "4*O_On + O_Bin"; "0" for nothing. @return text */
const char *fm_updates_formula(char text[FM_UPDATES_FORMULA], struct fm_updates updates);

struct fm_updates fm_updates_sum(struct fm_updates a, struct fm_updates b);

/** A chosen counter. */
struct fm_counter_update {
    char name[FM_COUNTER_WORD];
    char function[FM_COUNTER_WORD]; /**< in which it is updated; "": in none by each call */
    const char *when; /**< each call, each message; for those without function: what it counts */
    struct fm_updates updates;
};

/** A function with all its updates. */
struct fm_call_cost {
    char function[FM_COUNTER_WORD];
    struct fm_updates updates;
};

/** The chosen counters, and the functions: MPI_Send and MPI_Recv first, then those of which a
 * counter is chosen. */
struct fm_call_updates {
    FM_VECTOR(struct fm_counter_update) counters;
    FM_VECTOR(struct fm_call_cost) calls;
};

/** Finds the updates for chosen counters.
 * @param patterns  lists as `fermata counters` takes them, ended by NULL, all of which are known;
 *                  "all" chooses Open MPI's software performance counters. Counters that mean the
 *                  same (SEND, calls:MPI_Send) count once. A pattern of times of functions
 *                  ("time:MPI_*") chooses none: it has no list of functions to match.
 * @return to be freed by fm_call_updates_free() */
struct fm_call_updates fm_call_updates_find(char *const *patterns);

void fm_call_updates_free(struct fm_call_updates *found);

#endif
