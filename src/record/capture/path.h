/** @file
 * The path of open regions that a location is in while its records become events: functions of the
 * call stack and regions that the program has marked, in the order in which they began.
 *
 * Begins and ends of stack functions are derived from the difference between the stacks of two
 * successive events, so their times lie between the two events. The time in between belongs to the
 * functions that enclose both events: a function that has ended ends at the earlier event, a
 * function that has begun begins at the later one. A sample stands for the time before it: there,
 * functions end and begin at the earlier event.
 *
 * A function whose last act is to call another one may be gone from the stack by then (tail calls).
 * If the call site shows that it calls that function, the function is put back into the path.
 *
 * A marked region holds together what is inside it: a function that returned while a region that
 * began in it is open stays in the path until the region ends; and functions that go on beyond the
 * end of a region inside them, or around which it ended, are left with it and entered again.
 *
 * Programs mark functions with regions of their names: such a region stands for the function, which
 * is left out of the path while the region is open, unless something happened in it before.
 *
 * Instrumented functions report their own begin and end. An instrumented function that is also on
 * the captured stack is the same entry, with exact times; otherwise it is an entry of its own.
 */
#ifndef FERMATA_RECORD_CAPTURE_PATH_H
#define FERMATA_RECORD_CAPTURE_PATH_H

#include "record/archive/callsites.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** An open region. */
struct fm_path_entry {
    uint32_t event_region; /**< number that its events have */
    uint32_t region;       /**< number of its definition */
    uint32_t line;         /**< where it was called: LINE, or none */
    uint32_t function;     /**< of the call stack, from the outermost; FM_PATH_MARKED: none */
    uint32_t instrumented; /**< how many instrumented functions are open around this one;
                                FM_PATH_PLAIN: it is not instrumented */
    bool over;             /**< it ended, but regions are open that began in it */
    bool written;          /**< its Enter is written, its Leave is not; else it is innermost, or a
                                function that the region inside it stands for */
};

#define FM_PATH_MARKED UINT32_MAX
#define FM_PATH_PLAIN  UINT32_MAX

/** Functions that one call site can stand for, at most; functions inside those are omitted. */
enum { FM_PATH_LEVELS = 66 };

/** The path of a location. Zeroed = empty. */
struct fm_path {
    struct fm_path_entry *entries;
    size_t count, room;
    size_t unwritten; /**< number of innermost entries that are not written */
    uint32_t *sites;  /**< call sites of the stack's functions, from the outermost */
    size_t site_count, site_room;
    size_t settled;        /**< how many of the functions the entries already show */
    bool due;              /**< the stack has changed since the entries were brought up to date */
    bool cut;              /**< the stack goes on behind the last function */
    uint32_t instrumented; /**< number of instrumented functions that are open, hidden ones, too */
    size_t hidden; /**< 1 + the number of the outermost function that is not shown, or not with
                        those inlined into it, for there are too many; 0: all are */
};

/** What a path does with a region that begins or ends: an Enter (`enter`) or a Leave is written. */
struct fm_path_writer {
    void (*write)(void *context, bool enter, uint32_t event_region, uint64_t time);
    /** Number that events of a region called at a line have. */
    uint32_t (*number)(void *context, uint32_t region, uint32_t line);
    /** Whether a marked region has the name of a function; NULL: none has. */
    bool (*is_marked_by)(void *context, uint32_t function, uint32_t region);
    void *context;
};

/** When a marked region begins, and what changes before it (fm_path_settle). */
struct fm_path_times {
    uint64_t over, begun;
    uint64_t marked;
};

/** The stack has changed: only the outer `kept` functions are still there.
 * @return false: there were not that many */
bool fm_path_pop(struct fm_path *path, uint32_t kept, bool cut);

/** ... and a function is inside those. @return false without memory */
bool fm_path_push(struct fm_path *path, uint32_t site);

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
    path->sites[kept] = site;
    return true;
}

/** Brings the path up to date before an event.
 * @param over   time at which functions ended that are gone
 * @param begun  time at which those began that are new
 * @return false without memory */
bool fm_path_settle(struct fm_path *path, const struct fm_callsites *sites,
                    const struct fm_path_writer *writer, uint64_t over, uint64_t begun);

/** Whether there is nothing to do for fm_path_settle. */
static inline bool fm_path_is_settled(const struct fm_path *path)
{
    return !path->due && path->unwritten == 0;
}

/** About how many Leaves and Enters fm_path_settle will write. */
static inline size_t fm_path_due(const struct fm_path *path)
{
    return path->unwritten + (path->count > path->settled ? path->count - path->settled : 0) +
           2 * (path->site_count - path->settled) + 2;
}

/** Where the innermost function of a settled path makes its call: LINE, or FM_DEFINE_NONE. */
uint32_t fm_path_line(const struct fm_path *path, const struct fm_callsites *sites);

/** Brings the path up to date and begins a marked region in it, whose function is left out if the
 * region has its name. @return false without memory */
bool fm_path_begin(struct fm_path *path, const struct fm_callsites *sites, uint32_t region,
                   const struct fm_path_writer *writer, const struct fm_path_times *times);

/** Ends the innermost marked region with that definition, and those inside it; none: nothing. */
void fm_path_end(struct fm_path *path, uint32_t region, const struct fm_path_writer *writer,
                 uint64_t time);

/** Ends all marked regions but the outer `count` of them. */
void fm_path_end_behind(struct fm_path *path, size_t count, const struct fm_path_writer *writer,
                        uint64_t time);

/** What is known of an instrumented function when it begins. */
enum {
    FM_PATH_MORE = 1, /**< others that have begun inside it come next */
    FM_PATH_APART = 2 /**< the call stack was not looked at in it */
};

/** An instrumented function begins: at `marked`, unless it is known to have begun before.
 * @param site   call site of its first instruction
 * @param known  FM_PATH_MORE, FM_PATH_APART
 * @return false without memory */
bool fm_path_enter_function(struct fm_path *path, const struct fm_callsites *sites, uint32_t site,
                            unsigned known, const struct fm_path_writer *writer,
                            const struct fm_path_times *times);

/** All instrumented functions but the outer `count` have ended, with what they have called. */
void fm_path_leave_functions(struct fm_path *path, uint32_t count,
                             const struct fm_path_writer *writer, uint64_t time);

/** Ends all that is open. */
void fm_path_end_all(struct fm_path *path, const struct fm_path_writer *writer, uint64_t time);

/** Number of Leaves that fm_path_end_all would write. */
size_t fm_path_open(const struct fm_path *path);

void fm_path_free(struct fm_path *path);

#endif
