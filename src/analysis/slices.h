/** @file
 * Slices of time that hold about the same number of wait states each: what is under way, or at
 * hand, at once is bounded. */
#ifndef FERMATA_ANALYSIS_SLICES_H
#define FERMATA_ANALYSIS_SLICES_H

#include "analysis/formation.h"

struct fm_slices {
    uint32_t count;
    uint64_t *ends; /**< last tick of each slice; of the last one UINT64_MAX */
};

/** Chooses slices, the same for all of the team. Runs a phase; collective.
 * @param waits  that a slice is to hold; if there are many locations, it holds more: going through
 *               all of them once more must pay
 * @return to be freed with fm_slices_free() */
struct fm_slices fm_slices_choose(const struct fm_formation *formation, uint64_t waits);

void fm_slices_free(struct fm_slices *slices);

#endif
