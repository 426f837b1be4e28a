/** @file
 * Programs go the same ways over and over. What a record makes of a path, and the events that it
 * writes, are remembered: where a path has been as it is now, the same record is looked up instead
 * of worked out (path.h). Values that a path has had are kept; while it has one of those again, the
 * path itself is behind.
 *
 * For the paths of threads, one after the other, that have call sites and numbers of regions in
 * common. What is remembered takes 4 MiB at most; where little comes back, nothing is.
 */
#ifndef FERMATA_RECORD_ARCHIVE_PATH_MEMO_H
#define FERMATA_RECORD_ARCHIVE_PATH_MEMO_H

#include "record/capture/path.h"

/** A value that a path has had. */
struct fm_path_value {
    struct fm_path path; /**< with arrays of its own */
    uint64_t hash;
    uint32_t line; /**< fm_path_line, if it is settled */
};

struct fm_path_step;
struct fm_path_event;

/** What is remembered. Zeroed = nothing. */
struct fm_path_memo {
    const struct fm_path_value *now; /**< the path's value; NULL: the path has it itself */
    bool off;                        /**< nothing is remembered any more */
    struct fm_path_value **values;   /**< hash table */
    uint32_t value_count, value_mask;
    struct fm_path_step *steps; /**< hash table of what records make of values */
    uint32_t step_count, step_mask;
    struct fm_path_event *events; /**< that the steps write */
    size_t event_count, event_room;
    size_t bytes;   /**< of values and events */
    uint64_t found; /**< steps that were remembered, since nothing was */
};

/** What fm_path_memo_step is to do: the header of a record STACK, STACK_SITE, REGION_ENTER,
 * REGION_LEAVE, FUNCTION_ENTER or FUNCTION_LEAVE that is sound, or to settle the path. */
#define FM_PATH_SETTLE 0u

/** Does what the functions of path.h do for a record.
 * @param times  of what is written, a Leave that the record tells of at `marked`; of the stack's
 *               records, which write nothing: NULL
 * @return false without memory */
bool fm_path_memo_step(struct fm_path_memo *memo, struct fm_path *path,
                       const struct fm_callsites *sites, uint64_t header,
                       const struct fm_path_writer *writer, const struct fm_path_times *times);

/** The value that the path has, to be read until the next step. */
static inline const struct fm_path *fm_path_memo_value(const struct fm_path_memo *memo,
                                                       const struct fm_path *path)
{
    return memo->now != NULL ? &memo->now->path : path;
}

/** As fm_path_line. */
static inline uint32_t fm_path_memo_line(const struct fm_path_memo *memo,
                                         const struct fm_path *path,
                                         const struct fm_callsites *sites)
{
    return memo->now != NULL ? memo->now->line : fm_path_line(path, sites);
}

/** Gives the path its value, so that it can be changed in other ways, or left for another one.
 * @return false without memory: the path is empty then */
bool fm_path_memo_leave(struct fm_path_memo *memo, struct fm_path *path);

/** Forgets everything. No path is behind its value any more. */
void fm_path_memo_free(struct fm_path_memo *memo);

#endif
