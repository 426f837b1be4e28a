/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/conversion/paths/path.h"

#include "record/conversion/paths/path_stack.h"

#include <stdlib.h>
#include <string.h>

/* ---- entries ---- */

static bool add_entry(struct fm_path *path, struct fm_path_entry entry)
{
    if (path->count == path->room) {
        size_t room = path->room != 0 ? 2 * path->room : 64;
        struct fm_path_entry *entries = realloc(path->entries, room * sizeof *entries);
        if (entries == NULL) {
            return false;
        }
        path->entries = entries;
        path->room = room;
    }
    path->entries[path->count++] = entry;
    return true;
}

static void leave(struct fm_path_entry *entry, const struct fm_path_writer *writer, uint64_t time)
{
    if (entry->written) {
        writer->write(writer->context, false, entry->event_region, time);
        entry->written = false;
    }
}

static void remove_entry(struct fm_path *path, size_t place)
{
    path->count--;
    if (place != path->count) { /* usually the innermost entry is removed */
        memmove(&path->entries[place], &path->entries[place + 1],
                (path->count - place) * sizeof *path->entries);
    }
}

static void count_unwritten(struct fm_path *path)
{
    path->unwritten = 0;
    while (path->unwritten < path->count &&
           !path->entries[path->count - 1 - path->unwritten].written) {
        path->unwritten++;
    }
}

/* Leaves and removes entries that are over and have no continuing entry inside them. Entries that
 * are not written are the innermost ones. */
static void leave_over(struct fm_path *path, const struct fm_path_writer *writer, uint64_t time)
{
    for (size_t i = path->count; i-- > 0;) {
        struct fm_path_entry *entry = &path->entries[i];
        if (entry->over) {
            leave(entry, writer, time);
            remove_entry(path, i);
        } else if (entry->written) {
            break;
        }
    }
    count_unwritten(path);
}

/* Whether the entry is a function that is on the stack. */
static bool is_on_stack(const struct fm_path_entry *entry)
{
    return entry->function != FM_PATH_MARKED && !entry->over;
}

/* Marks the functions from `function` on as over, except the outer levels of `function` that equal
 * existing entries. (The line of the call in the last of these levels may differ.) Entries on the
 * stack have its order. @return the number of equal levels */
static uint32_t mark_over(struct fm_path *path, uint32_t function,
                          const struct fm_path_level *levels, uint32_t count)
{
    size_t place = path->count;
    while (place > 0 && (!is_on_stack(&path->entries[place - 1]) ||
                         path->entries[place - 1].function >= function)) {
        place--;
    }
    uint32_t same = 0;
    for (bool alike = true; place < path->count; place++) {
        struct fm_path_entry *entry = &path->entries[place];
        if (is_on_stack(entry)) {
            alike = alike && same < count && entry->function == function &&
                    entry->region == levels[same].region && entry->line == levels[same].line;
            same += alike;
            entry->over = !alike;
        }
    }
    return same;
}

/* Appends an entry that is not written yet. @return false without memory */
static bool append(struct fm_path *path, const struct fm_path_writer *writer, uint32_t function,
                   uint32_t region, uint32_t line)
{
    uint32_t number = writer->number(writer->context, region, line);
    struct fm_path_entry entry = {.event_region = number,
                                  .region = region,
                                  .line = line,
                                  .function = function,
                                  .instrumented = FM_PATH_PLAIN};
    return number != FM_DEFINE_NONE && add_entry(path, entry);
}

/* Enters the unwritten entries, except the innermost `but` ones. */
static void write_entries(struct fm_path *path, const struct fm_path_writer *writer, size_t but,
                          uint64_t time)
{
    for (size_t i = path->count - path->unwritten; i + but < path->count; i++) {
        writer->write(writer->context, true, path->entries[i].event_region, time);
        path->entries[i].written = true;
    }
    path->unwritten = but;
}

/* Lower bound of the number of functions that may still be entered, as if all entries were
 * functions. */
static size_t least_left(const struct fm_path *path, const struct fm_callsites *sites)
{
    return sites->deepest == 0            ? SIZE_MAX
           : sites->deepest > path->count ? sites->deepest - path->count
                                          : 0;
}

/* The exact number, if the number of functions is limited. */
static size_t count_left(const struct fm_path *path, const struct fm_callsites *sites)
{
    size_t shown = 0;
    for (size_t i = 0; i < path->count; i++) {
        shown += is_on_stack(&path->entries[i]);
    }
    return sites->deepest > shown ? sites->deepest - shown : 0;
}

/* The innermost entry, if it is a function of the stack that may have returned and been called
 * again since the last event (fm_path_doubt); else NULL. */
static struct fm_path_entry *innermost_in_doubt(const struct fm_path *path)
{
    struct fm_path_entry *entry = NULL;
    size_t i = path->count;
    while (i > 0 && entry == NULL) {
        entry = path->entries[--i].over ? NULL : &path->entries[i];
    }
    if (entry == NULL || path->hidden != 0 || path->cut || entry->function == FM_PATH_MARKED ||
        entry->instrumented != FM_PATH_PLAIN || !entry->written) {
        return NULL;
    }
    bool is_outermost = true;
    while (i > 0 && is_outermost) {
        is_outermost = !is_on_stack(&path->entries[--i]);
    }
    return is_outermost ? NULL : entry;
}

/* Makes the entries equal to the outer `shown` functions of the stack; new ones are innermost and
 * not written yet. @return false without memory */
static bool update(struct fm_path *path, const struct fm_callsites *sites,
                   const struct fm_path_writer *writer, uint64_t over, size_t shown)
{
    struct fm_path_level levels[FM_PATH_LEVELS];
    /* Inside the whole stack a function that made a tail call may be gone. */
    const size_t end = shown < path->site_count ? shown : path->site_count + 1;
    uint32_t function = (uint32_t)path->settled, count = 0, next = 0;
    size_t left = 0;
    if (path->due || path->doubted) {
        count = function < end ? fm_path_levels(path, sites, function, levels) : 0;
        next = mark_over(path, function, levels, count);
        struct fm_path_entry *doubted = path->doubted ? innermost_in_doubt(path) : NULL;
        if (doubted != NULL) {
            doubted->over = true;
            path->due = true;
            function = doubted->function;
            count = fm_path_levels(path, sites, function, levels);
            next = mark_over(path, function, levels, count);
        }
        path->doubted = false;
        path->hidden = path->hidden > function ? 0 : path->hidden;
        leave_over(path, writer, over);
        left = least_left(path, sites);
    }
    while (path->due) {
        for (; next < count && (left > 0 || (left = count_left(path, sites)) > 0);
             next++, left--, path->unwritten++) {
            if (!append(path, writer, function, levels[next].region, levels[next].line)) {
                return false;
            }
        }
        path->hidden = path->hidden == 0 && next < count ? function + 1 : path->hidden;
        path->due = ++function < end;
        if (path->due) {
            count = fm_path_levels(path, sites, function, levels);
            next = 0;
        }
    }
    path->settled = shown;
    path->due = shown < path->site_count;
    path->moved = path->returning = 0;
    return true;
}

/* The number of outer functions of the stack that a sample shows. */
static size_t shown_by_sample(const struct fm_path *path, const struct fm_callsites *sites)
{
    uint32_t levels;
    const size_t function = path->returning - 1;
    if (path->returning == 0 || path->settled > function || function >= path->site_count) {
        return path->site_count;
    }
    const struct fm_callsite_frame *frames =
        fm_callsite_frames(sites, path->sites[function], &levels);
    return levels != 0 && frames[0].region == path->returning_region ? function : path->site_count;
}

bool fm_path_settle(struct fm_path *path, const struct fm_callsites *sites,
                    const struct fm_path_writer *writer, uint64_t over, uint64_t begun)
{
    bool good = update(path, sites, writer, over, path->site_count);
    write_entries(path, writer, 0, begun);
    return good;
}

bool fm_path_settle_sample(struct fm_path *path, const struct fm_callsites *sites,
                           const struct fm_path_writer *writer, uint64_t over, uint64_t begun)
{
    bool good = update(path, sites, writer, over, shown_by_sample(path, sites));
    write_entries(path, writer, 0, begun);
    return good;
}

/* ---- marked regions ---- */

/* Whether the entry is a region that the program has marked. */
static bool is_marked(const struct fm_path_entry *entry)
{
    return entry->function == FM_PATH_MARKED && entry->instrumented == FM_PATH_PLAIN;
}

/* Whether the region has the name of the function around it, which has no event before. */
static bool marks_its_function(const struct fm_path *path, const struct fm_path_writer *writer,
                               uint32_t region)
{
    if (path->unwritten == 0 || path->hidden != 0 || writer->is_marked_by == NULL) {
        return false;
    }
    const struct fm_path_entry *entry = &path->entries[path->count - 1];
    return entry->function != FM_PATH_MARKED &&
           writer->is_marked_by(writer->context, entry->region, region);
}

bool fm_path_begin(struct fm_path *path, const struct fm_callsites *sites, uint32_t region,
                   const struct fm_path_writer *writer, const struct fm_path_times *times)
{
    bool good = update(path, sites, writer, times->over, path->site_count);
    bool merged = good && marks_its_function(path, writer, region);
    uint32_t line = merged ? path->entries[path->count - 1].line : FM_DEFINE_NONE;
    write_entries(path, writer, merged, times->begun);
    path->unwritten = 0; /* a replaced function lies around the region, so it is not innermost */
    if (!good || !append(path, writer, FM_PATH_MARKED, region, line)) {
        return false;
    }
    path->unwritten = 1;
    write_entries(path, writer, 0, times->marked);
    return true;
}

/* Ends the marked region at a place, and the marked regions inside it. Functions inside it that
 * continue are entered again later. */
static void end_at(struct fm_path *path, size_t place, const struct fm_path_writer *writer,
                   uint64_t time)
{
    for (size_t i = path->count; i-- > place;) {
        struct fm_path_entry *entry = &path->entries[i];
        leave(entry, writer, time);
        if (is_marked(entry) || entry->over) {
            remove_entry(path, i);
        }
    }
    leave_over(path, writer, time);
}

void fm_path_end(struct fm_path *path, uint32_t region, const struct fm_path_writer *writer,
                 uint64_t time)
{
    for (size_t i = path->count; i-- > 0;) {
        if (is_marked(&path->entries[i]) && path->entries[i].region == region) {
            end_at(path, i, writer, time);
            return;
        }
    }
}

size_t fm_path_marked(const struct fm_path *path)
{
    size_t marked = 0;
    for (size_t i = 0; i < path->count; i++) {
        marked += is_marked(&path->entries[i]);
    }
    return marked;
}

size_t fm_path_marked_around(const struct fm_path *path, uint32_t region, size_t count)
{
    size_t found = count, marked = 0;
    for (size_t i = 0; i < path->count && marked < count; i++) {
        if (is_marked(&path->entries[i])) {
            found = path->entries[i].region == region ? marked : found;
            marked++;
        }
    }
    return found;
}

void fm_path_end_behind(struct fm_path *path, size_t count, const struct fm_path_writer *writer,
                        uint64_t time)
{
    for (size_t i = 0; i < path->count; i++) {
        if (is_marked(&path->entries[i]) && count-- == 0) {
            end_at(path, i, writer, time);
            return;
        }
    }
}

/* ---- instrumented functions ---- */

/* The stack's entry of an instrumented function, which is inside all other open instrumented
 * functions; the number of entries: there is none. */
static size_t find_function(const struct fm_path *path, uint32_t region)
{
    size_t i = path->count;
    while (i > 0 && path->entries[i - 1].instrumented == FM_PATH_PLAIN) {
        i--;
    }
    while (i < path->count && (path->entries[i].function == FM_PATH_MARKED ||
                               path->entries[i].over || path->entries[i].region != region)) {
        i++;
    }
    return i;
}

/* Inserts an instrumented function that the stack does not contain, because it is inlined or there
 * is no stack. If instrumented functions begin inside it, its place is around the functions that
 * these have called, else innermost. @return false without memory */
static bool insert_function(struct fm_path *path, const struct fm_path_writer *writer,
                            struct fm_path_level level, size_t place)
{
    if (!append(path, writer, FM_PATH_MARKED, level.region, level.line)) {
        return false;
    }
    struct fm_path_entry entry = path->entries[path->count - 1];
    memmove(&path->entries[place + 1], &path->entries[place],
            (path->count - 1 - place) * sizeof entry);
    path->entries[place] = entry;
    path->unwritten++;
    return true;
}

bool fm_path_enter_function(struct fm_path *path, const struct fm_callsites *sites, uint32_t site,
                            unsigned known, const struct fm_path_writer *writer,
                            const struct fm_path_times *times)
{
    uint32_t levels, number = path->instrumented++;
    bool apart = (known & FM_PATH_APART) != 0, more = (known & FM_PATH_MORE) != 0;
    const struct fm_callsite_frame *frames = fm_callsite_frames(sites, site, &levels);
    if (levels == 0 || site >= sites->count) {
        return true;
    }
    bool good = apart || update(path, sites, writer, times->over, path->site_count);
    size_t place = apart ? path->count : find_function(path, frames[0].region);
    if (!good || (place == path->count && (path->hidden != 0 || path->cut))) {
        return good; /* too deep to be shown */
    }
    if (place == path->count) {
        uint32_t line = apart ? FM_DEFINE_NONE : fm_path_line_of(path, sites, path->site_count);
        place = more ? path->count - path->unwritten : path->count;
        good = insert_function(path, writer, (struct fm_path_level){frames[0].region, line}, place);
    }
    if (good && place >= path->count - path->unwritten) {
        write_entries(path, writer, path->count - place, times->begun);
        write_entries(path, writer, path->count - place - 1, times->marked);
    }
    if (good) {
        path->entries[place].instrumented = number;
    }
    return good;
}

void fm_path_leave_functions(struct fm_path *path, uint32_t count,
                             const struct fm_path_writer *writer, uint64_t time)
{
    size_t place = 0;
    path->instrumented = path->instrumented < count ? path->instrumented : count;
    while (place < path->count && (path->entries[place].instrumented == FM_PATH_PLAIN ||
                                   path->entries[place].instrumented < count)) {
        place++;
    }
    if (place < path->count && is_on_stack(&path->entries[place])) {
        path->returning = 1 + (size_t)path->entries[place].function;
        path->returning_region = path->entries[place].region;
    }
    for (size_t i = place; i < path->count; i++) {
        struct fm_path_entry *entry = &path->entries[i];
        entry->over = entry->over || !is_marked(entry);
        if (entry->function <= path->settled) { /* a further call of it is a new visit */
            path->settled = entry->function;
            path->due = true;
        }
    }
    leave_over(path, writer, time);
}

void fm_path_end_all(struct fm_path *path, const struct fm_path_writer *writer, uint64_t time)
{
    while (path->count > 0) {
        leave(&path->entries[--path->count], writer, time);
    }
    path->unwritten = 0;
    path->settled = 0;
    path->hidden = 0;
    path->returning = 0;
    path->instrumented = 0;
    path->due = path->site_count != 0;
}

size_t fm_path_open(const struct fm_path *path)
{
    size_t open = 0;
    for (size_t i = 0; i < path->count; i++) {
        open += path->entries[i].written;
    }
    return open;
}

void fm_path_free(struct fm_path *path)
{
    free(path->entries);
    free(path->sites);
    memset(path, 0, sizeof *path);
}
