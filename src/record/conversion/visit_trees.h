/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Events of merged visits: of VISITS records (brief/merged_visits.h). Private to
 * src/record/conversion.
 */
#ifndef FERMATA_RECORD_CONVERSION_VISIT_TREES_H
#define FERMATA_RECORD_CONVERSION_VISIT_TREES_H

#include "record/conversion/convert_state.h"

#include <stddef.h>

/** The number of records of a tree: the VISITS record, and those that follow up to the next root.
 * @param end  of all records */
size_t fm_visit_tree_size(const uint64_t *records, const uint64_t *end);

/** Writes the regions of a tree, one after the other and in each other, from the first Enter on.
 * The path is brought up to date before. */
void fm_visit_tree_events(struct fm_thread *thread, const uint64_t *records, size_t size);

#endif
