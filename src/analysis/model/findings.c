/* SPDX-License-Identifier: BSD-3-Clause */
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

static bool has_time_until(const struct fm_location *location, uint32_t activity, uint64_t t)
{
    return location->nested.count == 0 ||
           t - location->enter.items[activity] <= fm_location_own_time(location, activity) ||
           fm_trace_loop(location, activity) != NULL;
}

bool fm_location_waits(const struct fm_location *location, uint32_t activity, uint64_t t)
{
    return fm_trace_begin(location, activity) < t && t <= location->leave.items[activity] &&
           has_time_until(location, activity, t);
}

bool fm_findings_add(struct fm_findings *findings, const struct fm_location *location,
                     const struct fm_candidate *candidate)
{
    if (!fm_location_waits(location, candidate->activity, candidate->t)) {
        return false;
    }
    fm_vector_push(&findings->candidates, *candidate);
    return true;
}

bool fm_findings_add_inside(struct fm_findings *findings, const struct fm_location *location,
                            const struct fm_candidate *candidate)
{
    if (!has_time_until(location, candidate->activity, candidate->t)) {
        return false;
    }
    fm_vector_push(&findings->candidates, *candidate);
    return true;
}

static uint64_t *counts_of(struct fm_findings *findings, const struct fm_location *location,
                           fm_metric_t metric)
{
    for (size_t i = 0; i < findings->counts.count; ++i) {
        if (findings->counts.items[i].metric == metric) {
            return findings->counts.items[i].values;
        }
    }
    uint64_t *values = fm_allocate(location->profile.count, sizeof *values);
    fm_vector_push(&findings->counts, (struct fm_count){metric, values});
    return values;
}

void fm_findings_count(struct fm_findings *findings, const struct fm_location *location,
                       uint32_t activity, fm_metric_t metric, uint64_t count)
{
    fm_findings_count_visit(findings, location, location->visit.items[activity], metric, count);
}

void fm_findings_count_visit(struct fm_findings *findings, const struct fm_location *location,
                             uint32_t visit, fm_metric_t metric, uint64_t count)
{
    if (count != 0) {
        counts_of(findings, location, metric)[visit] += count;
    }
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
    fm_vector_free(&findings->moved);
    fm_vector_free(&findings->outside);
    fm_vector_free(&findings->idle);
    for (size_t i = 0; i < findings->counts.count; ++i) {
        fm_free(findings->counts.items[i].values);
    }
    fm_vector_free(&findings->counts);
}
