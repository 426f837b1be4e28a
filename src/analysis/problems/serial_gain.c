/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/problems/serial_gain.h"

/* ---- gain ---- */

/* @return whether a problem stands for library calls under locks, too: it is a lock, or locks have
 * joined it */
static bool has_locks(const struct fm_shown_problems *shown, uint32_t number)
{
    const struct fm_shown_problem *problem = &shown->items[number];
    bool found = problem->kind == FM_CAUSE_CONTENTION;
    for (size_t i = 0; i < shown->fate_count && !found; ++i) {
        found = problem->kind == FM_CAUSE_SERIALIZATION &&
                shown->fates[i].callpath == problem->callpath;
    }
    return found;
}

/* Adds the cells of the metric that this process has to the problems of their call paths, and those
 * of library calls to all problems that stand for such calls under locks. The last one that holds a
 * lock makes nobody wait, but is serialized, too: all locations count. */
static void add_up(const struct fm_formation *formation, const struct fm_shown_problems *shown,
                   uint64_t *sums)
{
    bool of_calls[FM_SHOWN_LIMIT] = {false};
    for (uint32_t p = 0; p < shown->count; ++p) {
        of_calls[p] = has_locks(shown, p);
    }
    for (unsigned w = 0; w < fm_engine_workers(formation->analysis->engine); ++w) {
        const struct fm_cost_cells *costs = &formation->costs[w];
        for (size_t i = 0; i < costs->cells.count; ++i) {
            const struct fm_cube_cell *cell = &costs->cells.items[i];
            if (cell->metric != FM_METRIC_CRITICAL_PATH_SERIALIZATION) {
                continue;
            }
            const struct fm_trace *trace = formation->analysis->trace;
            const uint32_t function = fm_trace_function_of(trace, cell->callpath);
            const uint32_t kind = fm_cause_kind_of(
                formation->analysis, trace->callpaths.items[function].region, FM_CHARGE_CONTENTION);
            for (uint32_t p = 0; p < shown->count; ++p) {
                if (kind != FM_CAUSE_SERIALIZATION
                        ? of_calls[p]
                        : shown->items[p].kind != FM_CAUSE_CONTENTION &&
                              fm_shown_problem_is_at(&shown->items[p], trace, function)) {
                    sums[p] += (uint64_t)cell->value;
                }
            }
        }
    }
}

void fm_serialization_gain(const struct fm_formation *formation,
                           const struct fm_shown_problems *shown, struct fm_cube_problem *problems)
{
    uint64_t sums[FM_SHOWN_LIMIT] = {0};
    add_up(formation, shown, sums);
    fm_team_sum(formation->analysis->team, sums, shown->count);
    for (uint32_t i = 0; fm_team_leads(formation->analysis->team) && i < shown->count; ++i) {
        if (problems[i].kind == FM_CAUSE_SERIALIZATION || problems[i].kind == FM_CAUSE_CONTENTION) {
            uint64_t cost = (uint64_t)problems[i].cost;
            uint64_t gain = sums[i] < cost ? sums[i] : cost;
            problems[i].gain = (struct fm_cube_gain){
                .is_known = true,
                .removed = (gain >> formation->cost_shift) +
                           ((gain & ((UINT64_C(1) << formation->cost_shift) - 1)) != 0),
            };
        }
    }
}

/* ---- lock ---- */

/* @return whether a problem has a location that stands for an owner of a lock: any thread of its
 * process, unless threads own the lock */
static bool has_owner(const struct fm_cube *cube, const struct fm_cube_problem *problem,
                      const struct fm_cube_lock *lock, uint32_t owner)
{
    for (uint32_t i = 0; i < problem->location_count; ++i) {
        uint32_t location = problem->locations[i];
        if (location == owner || (!fm_cube_lock_is_of_threads(lock) &&
                                  cube->locations[location].rank == cube->locations[owner].rank)) {
            return true;
        }
    }
    return false;
}

/* @return waiting for a lock that locations of a problem have caused; those that have caused least
 * of it are not known one by one */
static uint64_t caused_by(const struct fm_cube *cube, const struct fm_cube_problem *problem,
                          const struct fm_cube_lock *lock)
{
    uint64_t caused = 0;
    uint32_t found = 0;
    for (uint32_t i = 0; i < lock->holder_count; ++i) {
        if (has_owner(cube, problem, lock, lock->holders[i].location)) {
            caused += lock->holders[i].caused;
            ++found;
        }
    }
    return found == FM_CUBE_LOCK_PARTIES ? lock->waiting : caused;
}

uint32_t fm_serialization_lock(const struct fm_cube *cube, const struct fm_cube_problem *problem)
{
    uint32_t best = FM_CUBE_NONE;
    uint64_t most = 0, sum = 0;
    for (uint32_t i = 0; i < cube->lock_count; ++i) {
        uint64_t caused = caused_by(cube, problem, &cube->locks[i]);
        sum += caused;
        if (caused > most) {
            most = caused;
            best = i;
        }
    }
    return most > sum / 2 ? best : FM_CUBE_NONE;
}
