/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Table of the recorded functions of all paradigms of a process. CALL records contain indices of
 * this table.
 */
#ifndef FERMATA_RECORD_PARADIGM_REGION_H
#define FERMATA_RECORD_PARADIGM_REGION_H

#include "record/paradigm/description.h"

/** Maximum number of functions of all paradigms together. Other regions have higher numbers. */
enum { FM_FUNCTIONS_MOST = 8192 };

/** Maximum number of paradigms that are active in a process. */
enum { FM_PARADIGMS_MOST = 16 };

/** A recorded function; its number is its index in the table. */
struct fm_recorded_region {
    const char *name;
    uint32_t role; /**< OTF2_RegionRole */
    const struct fm_paradigm_description *paradigm;
};

#endif
