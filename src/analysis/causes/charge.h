/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * How wait states are charged to call paths: by delays, or, if they wait for a lock or for
 * progress, by blame.
 */
#ifndef FERMATA_ANALYSIS_CAUSES_CHARGE_H
#define FERMATA_ANALYSIS_CAUSES_CHARGE_H

#include "analysis/causes/formation.h"
#include "cube/model/cube_problem.h"

enum fm_charge {
    FM_CHARGE_DELAY,      /**< by delays: all kinds except the next two */
    FM_CHARGE_CONTENTION, /**< by blame: waiting for a lock */
    FM_CHARGE_PROGRESS    /**< by blame: waiting for progress */
};

/** @return how wait states of a kind are charged. */
enum fm_charge fm_charge_of(fm_delay_kind_t kind);

/** @return the kind of cause that a region is: enum fm_cause_kind; of contention, library calls
 * inside an epoch of the lock are FM_CAUSE_CONTENTION instead. */
uint32_t fm_cause_kind_of(const struct fm_analysis *analysis, uint32_t region,
                          enum fm_charge charge);

#endif
