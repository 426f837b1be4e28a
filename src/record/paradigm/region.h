/** @file
 * Recorded functions of all paradigms of a process, in one table: what the numbers in CALL records
 * mean.
 */
#ifndef FERMATA_RECORD_PARADIGM_REGION_H
#define FERMATA_RECORD_PARADIGM_REGION_H

#include "record/paradigm/description.h"

/** Functions of all paradigms together. Other regions have the numbers behind. */
enum { FM_FUNCTIONS_MOST = 1024 };

/** Paradigms that may be active in a process. */
enum { FM_PARADIGMS_MOST = 8 };

/** A recorded function; its number is its place in the table. */
struct fm_recorded_region {
    const char *name;
    uint32_t role; /**< OTF2_RegionRole */
    const struct fm_paradigm_description *paradigm;
};

#endif
