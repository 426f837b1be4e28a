/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The problems that are examined further, as all processes of the team know them.
 */
#ifndef FERMATA_ANALYSIS_PROBLEMS_SHOWN_H
#define FERMATA_ANALYSIS_PROBLEMS_SHOWN_H

#include "analysis/problems/grouping.h"

/** Problems of at least 1 / FM_SHOWN_PART of all waiting are examined further, but at most
 * FM_SHOWN_LIMIT. */
#define FM_SHOWN_PART  100
#define FM_SHOWN_LIMIT 32

#define FM_NOT_SHOWN UINT8_MAX

struct fm_shown_problem {
    uint32_t kind, callpath;
    uint32_t first, end; /**< in the locations of all problems */
    int64_t cost;
    bool is_function, in_one_callpath; /**< as of struct fm_cube_problem */
    uint32_t overlaps;                 /**< bit i: it has a location in common with problem i */
};

/** The first problems of a list. */
struct fm_shown_problems {
    struct fm_shown_problem *items;
    uint32_t *locations;
    uint32_t count;
    struct fm_lock_fate *fates; /**< ascending by lock; `problem`: FM_NONE: it is not shown */
    size_t fate_count;
    struct fm_lock_member *members; /**< ascending by lock and location */
    size_t member_count;
    uint8_t unattributed; /**< number of the problem without a cause; FM_NOT_SHOWN: none */
    uint8_t variation;    /**< number of the problem that is chance; FM_NOT_SHOWN: none */
};

/** Chooses the problems. Collective.
 * @param list  of process 0
 * @param sum   of all costs; of process 0
 * @return to be freed with fm_shown_problems_free() */
struct fm_shown_problems fm_shown_problems_choose(const struct fm_problem_list *list, int64_t sum,
                                                  struct fm_team *team);

void fm_shown_problems_free(struct fm_shown_problems *shown);

/** Finds the problems that the call paths of a location are part of, by their delays.
 * @param numbers  out: [node]: number of the problem; FM_NOT_SHOWN: none. Behind the nodes: that of
 *                 variation
 * @return whether there is any */
bool fm_shown_problems_of(const struct fm_shown_problems *shown, const struct fm_analysis *analysis,
                          uint32_t location, uint8_t *numbers);

/** @return whether a call path is that of a problem, or `in_all` one that ends in the same
 * function, called at the same line if lines tell its calls apart; FM_NONE only is if that of the
 * problem is. */
bool fm_problem_is_at(const struct fm_trace *trace, uint32_t problem, bool in_all,
                      uint32_t callpath);

/** @return whether a call path is one of those of a problem. */
bool fm_shown_problem_is_at(const struct fm_shown_problem *problem, const struct fm_trace *trace,
                            uint32_t callpath);

/** @return whether the own time of a call path is part of a problem: that of its function
 * (fm_trace_function_of), or of the nearest caller that is a cause with what it calls. Problems of
 * other locations do not matter. */
bool fm_shown_problem_has(const struct fm_shown_problems *shown, const struct fm_analysis *analysis,
                          uint32_t number, uint32_t callpath);

/** @return the number of the problem that a call path of a location is part of; FM_NONE: none. */
uint32_t fm_shown_problem_find(const struct fm_shown_problems *shown, const struct fm_trace *trace,
                               uint32_t kind, uint32_t callpath, uint32_t location);

/** Notes for each part of blamed wait states which problem it belongs to. Runs a stage.
 * @param blamed  by location */
void fm_shown_problems_assign(const struct fm_shown_problems *shown,
                              const struct fm_analysis *analysis, struct fm_blamed_waits *blamed);

#endif
