/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * State of a join (join.h) that its files share. Private to src/record/worlds.
 */
#ifndef FERMATA_RECORD_WORLDS_JOIN_RUN_H
#define FERMATA_RECORD_WORLDS_JOIN_RUN_H

#include "base/error.h"
#include "record/closing/clock_check.h"
#include "record/worlds/links.h"
#include "record/worlds/world_file.h"

#include <jansson.h>
#include <limits.h>

/** One world. */
struct fm_joined_world {
    char folder[PATH_MAX]; /**< that its archive lies in */
    struct fm_world_content content;
    struct fm_definitions set; /**< its definitions, with its own numbers */
    struct fm_define_map map;  /**< from these to the numbers of the joined set */
    uint32_t first, size;      /**< rank of its first process in the joined archive; processes */
    struct fm_clock_offset clock[2]; /**< of the joined archive's clock, at two times of its own */
    bool is_dated;       /**< its clock was compared by the time of day: it shares no node */
    json_t *environment; /**< NULL: there is none */
};

/** The worlds of an experiment. */
struct fm_join_run {
    const char *directory; /**< of the experiment */
    uint64_t job_end;      /**< as of fm_rebuild */
    char folder[PATH_MAX]; /**< where the joined archive is written */
    struct fm_joined_world *worlds;
    uint32_t count;
    struct fm_link_side *sides;
    uint32_t side_count;
    struct fm_definitions set; /**< of all worlds */
    uint64_t locations, events;
};

/** Local definitions of a location: the mapping tables, and the offsets of its clock to that of its
 * world. */
struct fm_local_tables {
    struct fm_local_table {
        OTF2_MappingType type;
        uint64_t *pairs; /**< number in the events, number in the world */
        size_t count;
    } tables[OTF2_MAPPING_MAX];
    size_t count;
    struct fm_clock_offset offsets[2];
    size_t offset_count;
    bool failed; /**< no memory, or more tables than there are kinds */
};

/** Converts a time of a world to the clock of the joined archive. */
static inline uint64_t fm_join_time(const struct fm_joined_world *world, uint64_t time)
{
    return fm_clock_offsets_apply(world->clock, time);
}

/* ---- definitions (joined_definitions.c) ---- */

/** Reads the definitions of a world. @return FM_ERR_DATA: they are damaged */
fm_status_t fm_join_read(struct fm_joined_world *world, struct fm_error *error);

/** Finds the connections between the worlds. The clocks are known. */
fm_status_t fm_join_connect(struct fm_join_run *run, struct fm_error *error);

/** Makes the joined set of definitions. */
fm_status_t fm_join_define(struct fm_join_run *run, struct fm_error *error);

/* ---- locations (joined_locations.c) ---- */

/** Reads the local definitions of a location; to be freed also after a failure.
 * @param location  number in its world */
fm_status_t fm_local_tables_read(const struct fm_joined_world *world, uint64_t location,
                                 struct fm_local_tables *tables, struct fm_error *error);
void fm_local_tables_free(struct fm_local_tables *tables);

/** Finds the clock of each world: by the processes of a node that world 0 has processes on, too;
 * without one by the time of day. */
fm_status_t fm_join_clocks(struct fm_join_run *run, struct fm_error *error);

/** Writes the local definitions of all locations, and puts their event files into place. */
fm_status_t fm_join_write_locations(struct fm_join_run *run, struct fm_error *error);

#endif
