#include "analysis/slices.h"

#include <string.h>

/* A slice holds so many wait states of a location, on average, at least. */
#define LEAST_OF_A_LOCATION 50

#define BINS 4096

struct counting {
    const struct fm_formation *formation;
    uint64_t begin, width;   /* of the first bin, of each bin */
    uint64_t (*waits)[BINS]; /* [worker] */
};

static void count_waits(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct counting *counting = context;
    const struct fm_trace *trace = counting->formation->analysis->trace;
    uint64_t *bins = counting->waits[worker];
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last); ++l) {
        const struct fm_wait_list *waits = &counting->formation->timelines[l].waits;
        for (uint32_t w = 0; w < waits->count; ++w) {
            ++bins[(waits->items[w].until - counting->begin) / counting->width];
        }
    }
}

/* Makes the bins as wide as the run's time asks for. */
static void choose_bins(struct counting *counting)
{
    const struct fm_trace *trace = counting->formation->analysis->trace;
    uint64_t begin = UINT64_MAX, end = 0;
    for (uint32_t l = 0; l < trace->location_count; ++l) {
        const struct fm_location *location = &trace->locations[l];
        if (location->event_count != 0) {
            begin = location->begin < begin ? location->begin : begin;
            end = location->end > end ? location->end : end;
        }
    }
    counting->begin = begin <= end ? begin : 0;
    counting->width = begin <= end ? (end - begin) / BINS + 1 : 1;
}

static uint32_t choose_count(const struct fm_formation *formation, uint64_t total, uint64_t waits)
{
    uint64_t least = (uint64_t)formation->analysis->trace->location_count * LEAST_OF_A_LOCATION;
    return (uint32_t)(total / (waits > least ? waits : least) + 1);
}

struct fm_slices fm_slices_choose(const struct fm_formation *formation, uint64_t waits)
{
    unsigned workers = fm_engine_workers(formation->analysis->engine);
    struct counting counting = {.formation = formation,
                                .waits = fm_allocate(workers, sizeof *counting.waits)};
    choose_bins(&counting);
    fm_engine_run(formation->analysis->engine, count_waits, &counting);
    for (unsigned w = 1; w < workers; ++w) {
        for (unsigned bin = 0; bin < BINS; ++bin) {
            counting.waits[0][bin] += counting.waits[w][bin];
        }
    }
    fm_team_sum(formation->analysis->team, counting.waits[0], BINS);
    uint64_t total = 0;
    for (unsigned bin = 0; bin < BINS; ++bin) {
        total += counting.waits[0][bin];
    }
    uint32_t wanted = choose_count(formation, total, waits);
    struct fm_slices slices = {0, fm_allocate(wanted, sizeof *slices.ends)};
    uint64_t so_far = 0;
    for (unsigned bin = 0; bin < BINS && slices.count + 1 < wanted; ++bin) {
        so_far += counting.waits[0][bin];
        if (so_far * wanted >= total * (slices.count + 1)) {
            slices.ends[slices.count++] = counting.begin + (bin + 1) * counting.width - 1;
        }
    }
    slices.ends[slices.count++] = UINT64_MAX;
    fm_free(counting.waits);
    return slices;
}

void fm_slices_free(struct fm_slices *slices)
{
    fm_free(slices->ends);
}
