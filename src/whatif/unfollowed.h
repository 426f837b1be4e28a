/** @file
 * Which dependencies of a run the replay does not follow: its sentences name them. */
#ifndef FERMATA_WHATIF_UNFOLLOWED_H
#define FERMATA_WHATIF_UNFOLLOWED_H

#include "analysis/detail.h"

/** Calls whose dependencies are not followed: their remaining time is what they took. */
struct fm_unfollowed {
    const char *name; /**< what they wait for */
    uint64_t calls;
    uint64_t waits;   /**< of them, those that waited in the measured run */
    uint64_t waiting; /**< ticks */
};

/** Upper limit of the number of kinds. */
#define FM_UNFOLLOWED_KINDS 16

/** Finds the kinds of calls in the run.
 * @param found  out: at least FM_UNFOLLOWED_KINDS
 * @return their number */
unsigned fm_unfollowed_find(const struct fm_detail *detail, struct fm_unfollowed *found);

#endif
