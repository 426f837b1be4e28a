/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/causes/profile_excess.h"

#include "base/memory.h"

#include <string.h>

uint32_t *fm_recorded_callpaths(const struct fm_trace *trace)
{
    bool any = false;
    for (uint32_t r = 0; r < trace->region_count && !any; ++r) {
        any = trace->regions[r].is_estimated;
    }
    if (!any) {
        return NULL;
    }
    const uint32_t count = (uint32_t)trace->callpaths.count;
    uint32_t *recorded = fm_allocate(count, sizeof *recorded);
    for (uint32_t c = 0; c < count; ++c) {
        const struct fm_callpath *callpath = &trace->callpaths.items[c];
        if (!trace->regions[callpath->region].is_estimated) {
            recorded[c] = c;
        } else {
            recorded[c] = callpath->parent == FM_NONE ? count : recorded[callpath->parent];
        }
    }
    return recorded;
}

void fm_excess_open(struct fm_excess *excess, const struct fm_trace *trace,
                    const uint32_t *recorded)
{
    const size_t count = trace->callpaths.count;
    *excess = (struct fm_excess){
        .recorded = recorded,
        .waiter_time = fm_allocate(count, sizeof *excess->waiter_time),
        .of_path = recorded == NULL ? NULL : fm_allocate(count + 1, sizeof *excess->of_path),
    };
}

void fm_excess_close(struct fm_excess *excess)
{
    fm_free(excess->waiter_time);
    fm_free(excess->of_path);
}

static uint64_t difference(const struct fm_excess *excess, const struct fm_cause_share *own)
{
    uint64_t other = excess->waiter_time[own->callpath];
    return own->ticks > other ? own->ticks - other : 0;
}

static uint64_t waiter_ticks(const struct fm_waiter_share *share)
{
    uint64_t ticks;
    memcpy(&ticks, share->ticks, sizeof ticks);
    return ticks;
}

static struct fm_recorded_excess *of_path(const struct fm_excess *excess, uint32_t callpath)
{
    return &excess->of_path[excess->recorded[callpath]];
}

static uint64_t compare_recorded(struct fm_excess *excess, const struct fm_sides *sides)
{
    for (uint32_t i = 0; i < sides->share_count; ++i) {
        of_path(excess, sides->shares[i].callpath)->ticks -=
            (int64_t)waiter_ticks(&sides->shares[i]);
    }
    for (uint32_t i = 0; i < sides->own_count; ++i) {
        struct fm_recorded_excess *of = of_path(excess, sides->own[i].callpath);
        of->ticks += (int64_t)sides->own[i].ticks;
        of->positive += difference(excess, &sides->own[i]);
    }
    uint64_t sum = 0;
    for (uint32_t i = 0; i < sides->own_count; ++i) {
        struct fm_recorded_excess *of = of_path(excess, sides->own[i].callpath);
        sum += of->ticks > 0 && !of->is_counted ? (uint64_t)of->ticks : 0;
        of->is_counted = true;
    }
    return sum;
}

uint64_t fm_excess_compare(struct fm_excess *excess, const struct fm_sides *sides)
{
    for (uint32_t i = 0; i < sides->share_count; ++i) {
        excess->waiter_time[sides->shares[i].callpath] = waiter_ticks(&sides->shares[i]);
    }
    if (excess->recorded != NULL) {
        return compare_recorded(excess, sides);
    }
    uint64_t sum = 0;
    for (uint32_t i = 0; i < sides->own_count; ++i) {
        sum += difference(excess, &sides->own[i]);
    }
    return sum;
}

double fm_excess_in(const struct fm_excess *excess, const struct fm_cause_share *own)
{
    double ticks = (double)difference(excess, own);
    if (excess->recorded == NULL || ticks == 0) {
        return ticks;
    }
    const struct fm_recorded_excess *of = of_path(excess, own->callpath);
    return of->ticks > 0 ? ticks * ((double)of->ticks / (double)of->positive) : 0;
}

void fm_excess_forget(struct fm_excess *excess, const struct fm_sides *sides)
{
    for (uint32_t i = 0; i < sides->share_count; ++i) {
        excess->waiter_time[sides->shares[i].callpath] = 0;
        if (excess->recorded != NULL) {
            *of_path(excess, sides->shares[i].callpath) = (struct fm_recorded_excess){0};
        }
    }
    for (uint32_t i = 0; i < sides->own_count && excess->recorded != NULL; ++i) {
        *of_path(excess, sides->own[i].callpath) = (struct fm_recorded_excess){0};
    }
}
