/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/causes/time_windows.h"

/* A window contains at least this number of wait states of a location, on average. */
#define LEAST_OF_A_LOCATION 80

void fm_wait_times_begin(struct fm_wait_times *times, const struct fm_trace *trace)
{
    uint64_t begin = UINT64_MAX, end = 0;
    for (uint32_t l = 0; l < trace->location_count; ++l) {
        const struct fm_location *location = &trace->locations[l];
        if (location->event_count != 0) {
            begin = location->begin < begin ? location->begin : begin;
            end = location->end > end ? location->end : end;
        }
    }
    *times = (struct fm_wait_times){
        .begin = begin <= end ? begin : 0,
        .width = begin <= end ? (end - begin) / FM_WAIT_TIME_BINS + 1 : 1,
    };
}

void fm_wait_times_add(struct fm_wait_times *times, const struct fm_wait_list *waits)
{
    uint64_t bin = 0, edge = times->begin + times->width;
    for (uint32_t w = 0; w < waits->count; ++w) {
        uint64_t until = waits->items[w].until;
        if (until >= edge) {
            bin = (until - times->begin) / times->width;
            edge = times->begin + (bin + 1) * times->width;
        }
        ++times->counts[bin];
    }
}

static uint64_t choose_count(uint64_t total, uint32_t locations, uint64_t waits)
{
    uint64_t least = (uint64_t)locations * LEAST_OF_A_LOCATION;
    return total / (waits > least ? waits : least) + 1;
}

struct fm_time_windows fm_time_windows_choose(const struct fm_wait_times *times, uint32_t locations,
                                              uint64_t waits)
{
    uint64_t total = 0;
    for (unsigned bin = 0; bin < FM_WAIT_TIME_BINS; ++bin) {
        total += times->counts[bin];
    }
    uint64_t wanted = choose_count(total, locations, waits);
    wanted = wanted < FM_WAIT_TIME_BINS ? wanted : FM_WAIT_TIME_BINS;
    struct fm_time_windows windows = {0, fm_allocate(wanted, sizeof *windows.ends)};
    uint64_t so_far = 0;
    for (unsigned bin = 0; bin < FM_WAIT_TIME_BINS && windows.count + 1 < wanted; ++bin) {
        so_far += times->counts[bin];
        if (so_far * wanted >= total * (windows.count + 1)) {
            windows.ends[windows.count++] = times->begin + (bin + 1) * times->width - 1;
        }
    }
    windows.ends[windows.count++] = UINT64_MAX;
    return windows;
}

void fm_time_windows_free(struct fm_time_windows *windows)
{
    fm_free(windows->ends);
}
