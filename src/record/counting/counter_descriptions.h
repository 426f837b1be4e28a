/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Descriptions of counters in files (counters/counter_layout.h).
 */
#ifndef FERMATA_RECORD_COUNTING_COUNTER_DESCRIPTIONS_H
#define FERMATA_RECORD_COUNTING_COUNTER_DESCRIPTIONS_H

#include "counters/counter_layout.h"
#include "record/counting/counter_file.h"

/** Number of the counters of recorded.def. */
enum {
    FM_DESCRIPTIONS_SINGLE =
#define FM_COUNTER(symbol, name, kind, unit, bins, moment, meaning) 1 +
#define FM_USAGE_COUNTER(symbol, name, kind, unit, meaning)         1 +
#define FM_MODEL_COUNTER(symbol, name, kind, unit, bins, meaning)
#include "counters/definitions/recorded.def"
#undef FM_COUNTER
#undef FM_USAGE_COUNTER
#undef FM_MODEL_COUNTER
        0,
    FM_DESCRIPTIONS_OF_MODEL =
#define FM_COUNTER(symbol, name, kind, unit, bins, moment, meaning)
#define FM_USAGE_COUNTER(symbol, name, kind, unit, meaning)
#define FM_MODEL_COUNTER(symbol, name, kind, unit, bins, meaning) 1 +
#include "counters/definitions/recorded.def"
#undef FM_COUNTER
#undef FM_USAGE_COUNTER
#undef FM_MODEL_COUNTER
        0,
    FM_DESCRIPTIONS = FM_DESCRIPTIONS_SINGLE + FM_COUNTER_MODELS * FM_DESCRIPTIONS_OF_MODEL
};

/** Describes the counters of recorded.def. Called once, when the file is made.
 * @param each   receives FM_DESCRIPTIONS of them
 * @param asked  the list of those that are asked for */
void fm_counter_describe_all(struct fm_counter_description *each, const char *asked);

/** Describes a counter that is added, after fm_counter_describe_all.
 * @param slot  its first word; 0: it is unavailable */
struct fm_counter_description fm_counter_describe(const struct fm_added_counter *counter,
                                                  uint32_t slot);

#endif
