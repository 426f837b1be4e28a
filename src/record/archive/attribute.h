/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Attributes of events in the archive: the counts of operations that were not recorded during a
 * pause (base/unrecorded.def). OTF2 has no record for such counts; every tool can read attributes.
 */
#ifndef FERMATA_RECORD_ARCHIVE_ATTRIBUTE_H
#define FERMATA_RECORD_ARCHIVE_ATTRIBUTE_H

#include "record/archive/define.h"

enum fm_attribute {
#define FM_ATTRIBUTE(symbol, name, type, description) FM_ATTRIBUTE_##symbol,
#include "base/unrecorded.def"
#undef FM_ATTRIBUTE
    FM_ATTRIBUTE_COUNT
};

/** Whether an event with attributes was written (set in convert.c; a converter of several
 * processes' records clears it before each process). */
extern bool fm_attributes_used;

/** Defines all attributes in a set without attributes. @return false without memory */
bool fm_attributes_define(struct fm_definitions *set);

#endif
