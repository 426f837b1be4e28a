/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/results/phase_instances.h"

#include <string.h>

struct fm_phase_regions fm_phase_regions_find(const struct fm_trace *trace)
{
    struct fm_phase_regions found = {
        .regions = fm_allocate(trace->region_count, sizeof *found.regions),
        .number_of = fm_allocate(trace->region_count, sizeof *found.number_of),
    };
    for (uint32_t r = 0; r < trace->region_count; ++r) {
        found.number_of[r] = FM_NONE;
        if (trace->regions[r].is_phase) {
            found.number_of[r] = found.count;
            found.regions[found.count++] = r;
        }
    }
    return found;
}

void fm_phase_regions_free(struct fm_phase_regions *regions)
{
    fm_free(regions->regions);
    fm_free(regions->number_of);
}

static uint32_t phase_of(const struct fm_phase_regions *regions, const struct fm_location *location,
                         const struct fm_phase *instance)
{
    return regions->number_of[location->profile.items[instance->visit].region];
}

/* Finds for each phase the location whose instances count for `location`: itself, or else the first
 * location of its process that has instances. */
static void find_owners(const struct fm_phase_regions *regions, const struct fm_trace *trace,
                        const struct fm_process *process, uint32_t location, uint32_t *owners)
{
    memset(owners, 0xff, regions->count * sizeof *owners);
    for (uint32_t i = 0; i <= process->location_count; ++i) {
        uint32_t other = i == 0 ? location : process->first_location + i - 1;
        const struct fm_location *candidate = &trace->locations[other];
        for (size_t p = 0; p < candidate->phases.count; ++p) {
            uint32_t phase = phase_of(regions, candidate, &candidate->phases.items[p]);
            owners[phase] = owners[phase] == FM_NONE ? other : owners[phase];
        }
    }
}

void fm_phase_instances(const struct fm_phase_regions *regions, const struct fm_trace *trace,
                        uint32_t location, fm_phase_instance_handler_t *handle, void *context)
{
    const struct fm_process *process = &trace->processes[fm_trace_process(trace, location)];
    uint32_t *owners = fm_allocate(regions->count, sizeof *owners);
    uint64_t *numbers = fm_allocate(regions->count, sizeof *numbers);
    find_owners(regions, trace, process, location, owners);
    for (uint32_t i = 0; i < process->location_count; ++i) {
        uint32_t other = process->first_location + i;
        const struct fm_location *owner = &trace->locations[other];
        for (size_t p = 0; p < owner->phases.count; ++p) {
            const struct fm_phase *instance = &owner->phases.items[p];
            uint32_t phase = phase_of(regions, owner, instance);
            if (owners[phase] == other) {
                handle(context, phase, numbers[phase]++, other, instance);
            }
        }
    }
    fm_free(owners);
    fm_free(numbers);
}
