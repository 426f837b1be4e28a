/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What counters cost on this machine, by the model of D. Eberius, "Low-level metrics for MPI and
 * GPUs" (2020), formulas 3.1-3.6: eight elementary costs are measured, and added up to the cost of
 * an update of a counter of each kind; the updates themselves are measured, too. Each is measured
 * alone: nothing before or after overlaps with it. In a program something may, which makes it
 * cheaper.
 *
 * The counters of the model are those of a library: shared by threads (atomic additions), switched
 * on and off by a bit each. Those that fermata's hooks in Open MPI keep are of this sort; those
 * that the recorder keeps for each thread need neither.
 */
#ifndef FERMATA_COUNTERS_COUNTER_COSTS_H
#define FERMATA_COUNTERS_COUNTER_COSTS_H

#include <stddef.h>

/** Elementary costs. */
enum fm_cost {
    FM_COST_IF,     /**< a branch that is predicted, beyond the test that it depends on */
    FM_COST_FUNC,   /**< a call of a function */
    FM_COST_BITMAP, /**< a test of a bit by its number */
    FM_COST_COMP,   /**< a comparison of numbers */
    FM_COST_ASSIGN, /**< a store */
    FM_COST_ATOMIC, /**< an atomic addition */
    FM_COST_SUB,    /**< a subtraction */
    FM_COST_CYC,    /**< a reading of the clock */
    FM_COSTS
};

/** Updates of counters. */
enum fm_update {
    FM_UPDATE_OFF,            /**< of a counter that is switched off */
    FM_UPDATE_ON,             /**< of one that is on */
    FM_UPDATE_WATERMARK_MISS, /**< likewise, with a watermark that stays */
    FM_UPDATE_WATERMARK_HIT,  /**< with one that rises */
    FM_UPDATE_TIMER,          /**< a timer: begin and end */
    FM_UPDATE_BIN,            /**< a counter with four bins, the last of which is meant */
    FM_UPDATES
};

/** Nanoseconds. */
struct fm_counter_costs {
    double costs[FM_COSTS];
    double measured[FM_UPDATES];
};

/** Measures: `repeats` times `updates` of each sort; the least time of each counts. Takes about 100
 * ns for each of them. */
struct fm_counter_costs fm_counter_costs_measure(size_t repeats, size_t updates);

/** Cost of an update by the model. */
double fm_update_predicted(const struct fm_counter_costs *costs, enum fm_update update);

/** Texts for people: name in the model and meaning; name and formula. */
const char *fm_cost_name(enum fm_cost cost);
const char *fm_cost_meaning(enum fm_cost cost);
const char *fm_update_name(enum fm_update update);
const char *fm_update_formula(enum fm_update update);

#endif
