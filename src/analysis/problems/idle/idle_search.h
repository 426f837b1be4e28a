/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What the parts of the search for problems of idle threads share. Internal to idle_problems.c and
 * idle_symptoms.c.
 */
#ifndef FERMATA_ANALYSIS_PROBLEMS_IDLE_IDLE_SEARCH_H
#define FERMATA_ANALYSIS_PROBLEMS_IDLE_IDLE_SEARCH_H

#include "analysis/problems/idle/idle_causes.h"
#include "analysis/problems/idle/idle_pieces.h"
#include "analysis/problems/iterations.h"
#include "analysis/problems/shown.h"

/** Idle time by whether the master executes serial code or is in a team. */
enum { FM_IDLE_SERIAL_CODE, FM_IDLE_IN_A_TEAM, FM_IDLE_TEAMS };

/** Idle time of the threads of a master while it is in a node of its call tree, ticks. */
struct fm_idle_time {
    uint64_t ticks[FM_IDLE_TEAMS];  /**< the master does not wait */
    uint64_t waited[FM_IDLE_TEAMS]; /**< the master waits */
};

/** @return the sum of both. */
static inline uint64_t fm_idle_sum(const uint64_t ticks[FM_IDLE_TEAMS])
{
    return ticks[FM_IDLE_SERIAL_CODE] + ticks[FM_IDLE_IN_A_TEAM];
}

struct fm_idle_search {
    const struct fm_formation *formation;
    const struct fm_trace *trace;
    struct fm_idle_time **times; /**< [location][node]; NULL: not fm_idle_is_master() */
    struct fm_idle_causes causes;
    struct fm_shown_problems shown; /**< those that are described */
};

/** Adds symptoms to the problems that are shown, and to that of masters that wait. Runs a stage;
 * collective.
 * @param problems  of process 0, in the order of `search->shown`
 * @param waiting   idle time during which masters wait */
void fm_idle_symptoms_find(const struct fm_idle_search *search, struct fm_cube_problem *problems,
                           struct fm_cube_problem *waiting);

/** @return the number of the shown problem that idle time in a call path of a master belongs to
 * while the master does not wait; FM_NONE: it is not shown. */
static inline uint32_t fm_idle_problem_of(const struct fm_idle_search *search, uint32_t callpath,
                                          uint32_t master)
{
    return fm_shown_problem_find(&search->shown, search->trace, FM_CAUSE_IDLE,
                                 search->causes.of_callpath[callpath], master);
}

#endif
