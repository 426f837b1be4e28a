/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What a region of a scenario is: its name determines its programming model and its role.
 */
#ifndef FERMATA_SCENARIO_REGION_KIND_H
#define FERMATA_SCENARIO_REGION_KIND_H

#include <otf2/OTF2_Definitions.h>
#include <otf2/OTF2_GeneralDefinitions.h>

/** Paradigm and role of a region as OTF2 defines them. OTF2 has no paradigm for ARMCI: its regions
 * have OTF2_PARADIGM_UNKNOWN and their roles. */
struct fm_region_kind {
    OTF2_Paradigm paradigm;
    OTF2_RegionRole role;
};

/** @return the kind of the region `name` by the tables of functions (functions/function_kind.h),
 * whose prefix the name must have as it is spelled in C; any other name is a user function.
 * Thread-safe. */
struct fm_region_kind fm_region_kind(const char *name);

#endif
