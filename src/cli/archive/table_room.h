/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Where the tables of an analysis go: to memory, or, where it does not suffice, to a file.
 */
#ifndef FERMATA_CLI_ARCHIVE_TABLE_ROOM_H
#define FERMATA_CLI_ARCHIVE_TABLE_ROOM_H

#include "analysis/memory_need.h"
#include "base/process/memory_room.h"
#include "engine/team/team.h"

#include <stdbool.h>
#include <stddef.h>

/** What decides, and what was decided. The caller sets the members above `memory`. */
struct fm_table_room {
    const char *output;   /**< path of the report: the file is made beside it */
    size_t limit;         /**< what the user wants to stay in memory, bytes; 0: no choice */
    bool must_predict;    /**< the user wants predictions, also if they need more memory */
    bool quiet;           /**< prints warnings only */
    struct fm_team *team; /**< shares the memory of its machine */
    struct fm_memory_room memory;
    bool has_file, has_told;
};

/** Reads how much memory there is, and applies the user's choice. */
void fm_table_room_begin(struct fm_table_room *room);

/** Decides by the size of a trace, and prints a line if not all fits into memory. To be called
 * before tables are made; fm_analysis_sized_t.
 * @param room  struct fm_table_room
 * @return whether dependencies, and thereby predictions, are made */
bool fm_table_room_decide(void *room, const struct fm_analysis_size *size);

#endif
