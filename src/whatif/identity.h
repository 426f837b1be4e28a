/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The identity check: a replay without changes gives every call its measured times. */
#ifndef FERMATA_WHATIF_IDENTITY_H
#define FERMATA_WHATIF_IDENTITY_H

#include "analysis/detail.h"
#include "analysis/replay/replay.h"

/** The outcome. */
struct fm_identity {
    uint64_t calls; /**< compared, with two times each */
    uint64_t moved; /**< times that differ; 0: identity holds */
    /* The first time that differs, in the order of the measured times; ties: lowest location. */
    uint32_t location, activity;
    bool is_leave;
    uint64_t measured, replayed;
};

/** Compares a replay without changes with the measured run. */
struct fm_identity fm_identity_check(const struct fm_detail *detail,
                                     const struct fm_replay *replay);

#endif
