/* SPDX-License-Identifier: BSD-3-Clause */
#include "whatif/consequences.h"

#include "base/memory.h"

#include <string.h>

/* Of the waiting of a problem, so much may remain. */
#define REMAINDER 10

struct fm_replay_waiting fm_replay_waiting_of(const struct fm_trace *trace,
                                              const struct fm_replay *replay)
{
    struct fm_replay_waiting waiting = {
        .location_count = trace->location_count,
        .ticks = fm_allocate(trace->location_count, sizeof *waiting.ticks),
    };
    for (uint32_t l = 0; l < trace->location_count; l++) {
        const size_t nodes = trace->locations[l].profile.count;
        waiting.ticks[l] = fm_allocate(nodes, sizeof **waiting.ticks);
        for (size_t v = 0; v < nodes; v++) {
            waiting.ticks[l][v] = replay->locations[l].waiting[v];
        }
    }
    return waiting;
}

void fm_replay_waiting_free(struct fm_replay_waiting *waiting)
{
    for (uint32_t l = 0; l < waiting->location_count; l++) {
        fm_free(waiting->ticks[l]);
    }
    fm_free(waiting->ticks);
    *waiting = (struct fm_replay_waiting){0};
}

/* @return how long a location waits in a call path */
static uint64_t waiting_in(const struct fm_location *location, const uint64_t *ticks,
                           uint32_t callpath)
{
    uint64_t sum = 0;
    for (size_t v = 0; v < location->profile.count; v++) {
        sum += location->profile.items[v].callpath == callpath ? ticks[v] : 0;
    }
    return sum;
}

/* @return whether the waiting of a problem vanishes. All waiting of the same locations in the same
 * call paths counts, whatever it is for: what remains may be that of the problem. */
static bool vanishes(const struct fm_cube *cube, const struct fm_trace *trace,
                     const struct fm_replay_waiting *measured, const struct fm_replay *without,
                     const struct fm_cube_problem *problem)
{
    const uint64_t cost = (uint64_t)problem->cost >> cube->experiment.cost_shift;
    uint64_t before = 0, after = 0;
    for (uint32_t s = 0; s < problem->symptom_count; s++) {
        const struct fm_cube_symptom *symptom = &problem->symptoms[s];
        for (uint32_t i = 0; i < symptom->location_count; i++) {
            const uint32_t l = symptom->locations[i];
            before += waiting_in(&trace->locations[l], measured->ticks[l], symptom->callpath);
            after +=
                waiting_in(&trace->locations[l], without->locations[l].waiting, symptom->callpath);
        }
    }
    return before >= cost - cost / REMAINDER && after <= cost / REMAINDER;
}

/* @return whether a location waits for a problem */
static bool waits_for(const struct fm_cube_problem *problem, uint32_t location)
{
    for (uint32_t s = 0; s < problem->symptom_count; s++) {
        const struct fm_cube_symptom *symptom = &problem->symptoms[s];
        for (uint32_t i = 0; i < symptom->location_count; i++) {
            if (symptom->locations[i] == location) {
                return true;
            }
        }
    }
    return false;
}

/* @return whether a problem is one of waiting for locations that all wait for another problem */
static bool is_behind(const struct fm_cube_problem *problem, const struct fm_cube_problem *other)
{
    bool all = problem->kind != FM_CAUSE_IDLE && problem->location_count > 0 &&
               problem->symptom_count > 0 && problem->prediction_count == 0 &&
               problem->consequence_of == 0;
    for (uint32_t i = 0; all && i < problem->location_count; i++) {
        all = waits_for(other, problem->locations[i]);
    }
    return all;
}

void fm_consequences_find(struct fm_cube *cube, const struct fm_trace *trace,
                          const struct fm_replay_waiting *measured, const struct fm_replay *without,
                          uint32_t of)
{
    for (uint32_t i = of + 1; i < cube->problem_count; i++) {
        if (is_behind(&cube->problems[i], &cube->problems[of]) &&
            vanishes(cube, trace, measured, without, &cube->problems[i])) {
            fm_cube_set_consequence(cube, i, of);
        }
    }
}
