/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The path of open regions of a location during the conversion of its records to events: functions
 * of the call stack and regions that the program has marked, in the order in which they began.
 *
 * Begins and ends of stack functions are derived from the difference between the stacks of two
 * successive events, so their times lie between the two events. The time in between belongs to the
 * functions that enclose both events: a function that has ended ends at the earlier event, a
 * function that has begun begins at the later one. A sample stands for the time before it: there,
 * functions end and begin at the earlier event.
 *
 * Equal stacks at two events do not prove that the innermost function did not return in between.
 * The caller of these functions decides from other evidence (fm_path_is_ahead) whether it counts as
 * one visit; if not (fm_path_doubt), the function ends at the earlier event and begins at the later
 * one, so that the time in between belongs to its caller.
 *
 * A function that makes a tail call is no longer on the stack during that call. If the call site of
 * its caller shows that the caller calls this function, the function is put back into the path.
 *
 * Enters and Leaves nest properly. A function that returned while a region that began in it is open
 * stays in the path until the region ends. Functions inside a marked region that continue after its
 * end are left together with the region and entered again.
 *
 * Programs may mark a function with a region of the same name. Such a region replaces the function
 * in the path while the region is open, unless an event in the function precedes the region.
 *
 * Instrumented functions report their own begin and end. An instrumented function that is also on
 * the captured stack is the same entry, with exact times; otherwise it is an entry of its own.
 */
#ifndef FERMATA_RECORD_CONVERSION_PATHS_PATH_H
#define FERMATA_RECORD_CONVERSION_PATHS_PATH_H

#include "record/archive/callsites.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** An open region. */
struct fm_path_entry {
    uint32_t event_region; /**< number that its events have */
    uint32_t region;       /**< number of its definition */
    uint32_t line;         /**< LINE of the call, or none */
    uint32_t function;     /**< of the call stack, from the outermost; FM_PATH_MARKED: none */
    uint32_t instrumented; /**< number of instrumented functions open around this one;
                                FM_PATH_PLAIN: it is not instrumented */
    bool over;             /**< it ended, but regions are open that began in it */
    bool written;          /**< its Enter is written, its Leave is not; else it is innermost, or a
                                function replaced by the region inside it */
};

#define FM_PATH_MARKED UINT32_MAX
#define FM_PATH_PLAIN  UINT32_MAX

/** Maximum number of functions of one call site; functions inlined deeper are omitted. */
enum { FM_PATH_LEVELS = 66 };

/** The path of a location. Zeroed = empty. */
struct fm_path {
    struct fm_path_entry *entries;
    size_t count, room;
    size_t unwritten; /**< number of innermost entries that are not written */
    uint32_t *sites;  /**< call sites of the stack's functions, from the outermost */
    size_t site_count, site_room;
    size_t settled;        /**< number of outer functions that have entries already */
    bool due;              /**< the stack has changed since the last update of the entries */
    bool cut;              /**< the stack has further functions inside the last one */
    bool doubted;          /**< the next update begins the innermost function anew */
    size_t moved;          /**< 1 + number of outer functions that are in the same calls as at the
                                last event; 0: all are */
    uint32_t site_before;  /**< call site of the function inside them at the last event;
                                FM_DEFINE_NONE: there was none */
    uint32_t instrumented; /**< number of open instrumented functions, including hidden ones */
    size_t returning;      /**< 1 + number of the function on the stack whose end as an instrumented
                                one was the last event; 0: none */
    uint32_t returning_region; /**< its region */
    size_t hidden; /**< 1 + the number of the outermost function that has no entry, or not all its
                        inlined functions, because of the depth limit; 0: all have entries */
};

/** Callbacks of a path. */
struct fm_path_writer {
    /** Writes the Enter (`enter`) or Leave of a region. */
    void (*write)(void *context, bool enter, uint32_t event_region, uint64_t time);
    /** Number in events of a region called at a line; FM_DEFINE_NONE without memory. */
    uint32_t (*number)(void *context, uint32_t region, uint32_t line);
    /** Whether a marked region has the name of a function; NULL: none has. */
    bool (*is_marked_by)(void *context, uint32_t function, uint32_t region);
    void *context;
};

/** Times of a beginning marked region (`marked`) and of the changes before it (fm_path_settle). */
struct fm_path_times {
    uint64_t over, begun;
    uint64_t marked;
};

/** Changes the stack: only the outer `kept` functions remain.
 * @param cut  the stack has further functions that are not recorded
 * @return false: the stack has fewer functions */
bool fm_path_pop(struct fm_path *path, uint32_t kept, bool cut);

/** Adds a function inside the others. @return false without memory */
bool fm_path_push(struct fm_path *path, uint32_t site);

/** Notes that function number `kept` changes its call, before it does. */
static inline void fm_path_note_moved(struct fm_path *path, size_t kept)
{
    if (path->moved == 0 || kept + 1 < path->moved) {
        path->site_before = kept < path->site_count ? path->sites[kept] : FM_DEFINE_NONE;
        path->moved = kept + 1;
    }
}

/** fm_path_pop and fm_path_push in one step, for the most frequent change: the innermost function
 * makes its next call from another line, and all entries stay as they are.
 * @return false: the stack has changed in another way; the path is as before */
static inline bool fm_path_move(struct fm_path *path, const struct fm_callsites *sites,
                                uint32_t kept, bool cut, uint32_t site)
{
    if (path->due || path->unwritten != 0 || path->hidden != 0 || cut != path->cut ||
        (size_t)kept + 1 != path->site_count ||
        !fm_callsites_are_similar(sites, path->sites[kept], site)) {
        return false;
    }
    fm_path_note_moved(path, kept);
    path->sites[kept] = site;
    return true;
}

/** Whether the innermost function on the stack at the last event and now has gone forward in its
 * code: it makes its present call behind the earlier one. Called before fm_path_settle. */
bool fm_path_is_ahead(const struct fm_path *path, const struct fm_callsites *sites);

/** States that the innermost function on the stack at the last event and now may have returned in
 * between: the next event ends it, and begins it anew. Without effect on marked regions,
 * instrumented functions, the outermost function and functions inside which others are not shown.
 */
static inline void fm_path_doubt(struct fm_path *path)
{
    path->doubted = true;
}

/** Brings the path up to date before an event.
 * @param over   end time of functions that are gone
 * @param begun  begin time of new functions
 * @return false without memory */
bool fm_path_settle(struct fm_path *path, const struct fm_callsites *sites,
                    const struct fm_path_writer *writer, uint64_t over, uint64_t begun);

/** As fm_path_settle, before an event that the program does not call. An instrumented function
 * whose end was the last event and that still is on the stack has not returned yet: this is no
 * further visit. */
bool fm_path_settle_sample(struct fm_path *path, const struct fm_callsites *sites,
                           const struct fm_path_writer *writer, uint64_t over, uint64_t begun);

/** Notes an event at which fm_path_settle has nothing to do, if this is one. @return whether it is
 */
static inline bool fm_path_is_settled(struct fm_path *path)
{
    if (path->due || path->unwritten != 0 || path->doubted) {
        return false;
    }
    path->moved = 0;
    return true;
}

/** Approximate number of Leaves and Enters that fm_path_settle will write. */
static inline size_t fm_path_due(const struct fm_path *path)
{
    return path->unwritten + (path->count > path->settled ? path->count - path->settled : 0) +
           2 * (path->site_count - path->settled) + 2 + 2 * (size_t)path->doubted;
}

/** LINE at which the innermost function of a settled path makes its call, or FM_DEFINE_NONE. */
uint32_t fm_path_line(const struct fm_path *path, const struct fm_callsites *sites);

/** Brings the path up to date and begins a marked region in it, which replaces its function if the
 * two have the same name. @return false without memory */
bool fm_path_begin(struct fm_path *path, const struct fm_callsites *sites, uint32_t region,
                   const struct fm_path_writer *writer, const struct fm_path_times *times);

/** Ends the innermost marked region with that definition, and the marked regions inside it. Without
 * effect if no such region is open. */
void fm_path_end(struct fm_path *path, uint32_t region, const struct fm_path_writer *writer,
                 uint64_t time);

/** Number of open marked regions. */
size_t fm_path_marked(const struct fm_path *path);

/** Number of marked regions outside the innermost one with that definition, among the outer `count`
 * ones; `count`: there is none. */
size_t fm_path_marked_around(const struct fm_path *path, uint32_t region, size_t count);

/** Ends all marked regions except the outer `count`. */
void fm_path_end_behind(struct fm_path *path, size_t count, const struct fm_path_writer *writer,
                        uint64_t time);

/** Flags of the begin of an instrumented function. */
enum {
    FM_PATH_MORE = 1, /**< the next record is the begin of an instrumented function inside it */
    FM_PATH_APART = 2 /**< the call stack was not captured in it */
};

/** Begins an instrumented function: at `marked`, unless an earlier event shows an earlier begin.
 * @param site   call site of its first instruction
 * @param known  FM_PATH_MORE, FM_PATH_APART
 * @return false without memory */
bool fm_path_enter_function(struct fm_path *path, const struct fm_callsites *sites, uint32_t site,
                            unsigned known, const struct fm_path_writer *writer,
                            const struct fm_path_times *times);

/** Ends all instrumented functions except the outer `count`, with the functions they called. */
void fm_path_leave_functions(struct fm_path *path, uint32_t count,
                             const struct fm_path_writer *writer, uint64_t time);

/** Ends all open regions. */
void fm_path_end_all(struct fm_path *path, const struct fm_path_writer *writer, uint64_t time);

/** Number of Leaves that fm_path_end_all would write. */
size_t fm_path_open(const struct fm_path *path);

void fm_path_free(struct fm_path *path);

#endif
