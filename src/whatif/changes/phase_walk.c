/* SPDX-License-Identifier: BSD-3-Clause */
#include "whatif/changes/phase_walk.h"

bool fm_trace_has_phases(const struct fm_trace *trace)
{
    for (uint32_t l = 0; l < trace->location_count; l++) {
        if (trace->locations[l].phases.count != 0) {
            return true;
        }
    }
    return false;
}

void fm_phase_walk_begin(struct fm_phase_walk *iterations, const struct fm_trace *trace,
                         uint32_t location)
{
    const struct fm_process *process = &trace->processes[fm_trace_process(trace, location)];
    iterations->owner = NULL;
    iterations->next = 0;
    iterations->open.count = iterations->ends.count = 0;
    fm_map_clear(&iterations->count_of);
    if (trace->locations[location].phases.count != 0) {
        iterations->owner = &trace->locations[location];
    }
    for (uint32_t t = 0; iterations->owner == NULL && t < process->location_count; t++) {
        const struct fm_location *other = &trace->locations[process->first_location + t];
        iterations->owner = other->phases.count != 0 ? other : NULL;
    }
}

struct fm_phase_number fm_phase_walk_at(struct fm_phase_walk *iterations, uint64_t time)
{
    const struct fm_location *owner = iterations->owner;
    while (owner != NULL && iterations->next < owner->phases.count &&
           owner->phases.items[iterations->next].begin <= time) {
        const struct fm_phase *phase = &owner->phases.items[iterations->next++];
        while (iterations->ends.count != 0 &&
               iterations->ends.items[iterations->ends.count - 1] <= phase->begin) {
            iterations->ends.count--;
            iterations->open.count--;
        }
        const uint32_t region = owner->profile.items[phase->visit].region;
        uint32_t *count = fm_map_at(&iterations->count_of, region, 0);
        fm_vector_push(&iterations->open, (struct fm_phase_number){region, (*count)++});
        fm_vector_push(&iterations->ends, phase->end);
    }
    while (iterations->ends.count != 0 &&
           iterations->ends.items[iterations->ends.count - 1] <= time) {
        iterations->ends.count--;
        iterations->open.count--;
    }
    return iterations->open.count != 0 ? iterations->open.items[iterations->open.count - 1]
                                       : (struct fm_phase_number){FM_NONE, FM_OUTSIDE_PHASES};
}

void fm_phase_walk_free(struct fm_phase_walk *iterations)
{
    fm_map_free(&iterations->count_of);
    fm_vector_free(&iterations->open);
    fm_vector_free(&iterations->ends);
}
