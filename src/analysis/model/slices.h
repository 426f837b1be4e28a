/** @file
 * Slices of time that hold about the same number of wait states each: what is under way, or at
 * hand, at once is bounded. */
#ifndef FERMATA_ANALYSIS_MODEL_SLICES_H
#define FERMATA_ANALYSIS_MODEL_SLICES_H

#include "analysis/model/timeline.h"

#define FM_WAIT_TIME_BINS 4096

/** How many wait states end when. */
struct fm_wait_times {
    uint64_t begin, width; /**< ticks: of the first bin, of each bin */
    uint64_t counts[FM_WAIT_TIME_BINS];
};

/** Makes the bins as wide as the time of a run asks for; nothing is counted yet. */
void fm_wait_times_begin(struct fm_wait_times *times, const struct fm_trace *trace);

/** Counts the wait states of a location. */
void fm_wait_times_add(struct fm_wait_times *times, const struct fm_wait_list *waits);

struct fm_slices {
    uint32_t count;
    uint64_t *ends; /**< last tick of each slice; of the last one UINT64_MAX */
};

/** Chooses slices.
 * @param times      of all locations
 * @param locations  number of all
 * @param waits      that a slice is to hold; if there are many locations, it holds more: going
 *                   through all of them once more must pay
 * @return to be freed with fm_slices_free() */
struct fm_slices fm_slices_choose(const struct fm_wait_times *times, uint32_t locations,
                                  uint64_t waits);

void fm_slices_free(struct fm_slices *slices);

#endif
