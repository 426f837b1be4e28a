/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Numbers of regions in the events of a process. Where call sites are known, a region that is
 * called from several lines has one number for each line, so the number in an Enter identifies the
 * line of the call. The mapping tables of the local definitions map each number to the region's
 * global definition, for any reader, and to the line (docs/architecture.md).
 */
#ifndef FERMATA_RECORD_ARCHIVE_EVENT_REGIONS_H
#define FERMATA_RECORD_ARCHIVE_EVENT_REGIONS_H

#include <stdbool.h>
#include <stdint.h>

/** A region and the line that calls it. */
struct fm_event_region {
    uint32_t region; /**< number of a function; FM_FUNCTIONS_MOST + number of a definition */
    uint32_t line;   /**< number of a LINE definition, or FM_DEFINE_NONE */
};

/** The numbers of a process. Zeroed: lines are unknown, event numbers equal region numbers. */
struct fm_event_regions {
    bool with_lines;
    struct fm_event_region *items; /**< by number */
    uint32_t count, room;
    uint32_t *index; /**< hash table of numbers + 1 */
    uint32_t mask;
};

/** Number of a region called at a line. Amortized O(1).
 * @return FM_DEFINE_NONE without memory */
uint32_t fm_event_region(struct fm_event_regions *regions, uint32_t region, uint32_t line);

void fm_event_regions_free(struct fm_event_regions *regions);

#endif
