#include "analysis/model/findings.h"

uint64_t fm_location_own_time(const struct fm_location *location, uint32_t activity)
{
    uint64_t duration = location->leave.items[activity] - location->enter.items[activity];
    size_t low = 0, high = location->nested.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (location->nested.items[middle].activity < activity) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low < location->nested.count && location->nested.items[low].activity == activity) {
        duration -= location->nested.items[low].ticks;
    }
    return duration;
}

bool fm_findings_add(struct fm_findings *findings, const struct fm_location *location,
                     const struct fm_candidate *candidate)
{
    uint64_t enter = location->enter.items[candidate->activity];
    if (candidate->t <= enter || candidate->t > location->leave.items[candidate->activity]) {
        return false;
    }
    return fm_findings_add_inside(findings, location, candidate);
}

bool fm_findings_add_inside(struct fm_findings *findings, const struct fm_location *location,
                            const struct fm_candidate *candidate)
{
    if (location->nested.count != 0 && candidate->t - location->enter.items[candidate->activity] >
                                           fm_location_own_time(location, candidate->activity)) {
        return false;
    }
    fm_vector_push(&findings->candidates, *candidate);
    return true;
}

void fm_findings_tally(struct fm_findings *findings, const struct fm_location *location,
                       uint32_t activity, fm_tally_t tally, uint64_t count)
{
    if (findings->tallies == NULL) {
        findings->tallies = fm_allocate(location->profile.count * FM_TALLY_KINDS, sizeof(uint64_t));
    }
    findings->tallies[(size_t)location->visit.items[activity] * FM_TALLY_KINDS + tally] += count;
}

const struct fm_candidate *fm_findings_wait(const struct fm_findings *findings, uint32_t activity)
{
    size_t low = 0, high = findings->waits.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (findings->candidates.items[findings->waits.items[middle]].activity < activity) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low < findings->waits.count) {
        const struct fm_candidate *wait = &findings->candidates.items[findings->waits.items[low]];
        return wait->activity == activity ? wait : NULL;
    }
    return NULL;
}

void fm_findings_free(struct fm_findings *findings)
{
    fm_vector_free(&findings->candidates);
    fm_vector_free(&findings->parts);
    fm_vector_free(&findings->points);
    fm_vector_free(&findings->waits);
    fm_free(findings->tallies);
    findings->tallies = NULL;
}
