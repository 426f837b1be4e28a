/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions of user code. The nesting of each thread is tracked here, so that every REGION_LEAVE
 * matches a REGION_ENTER, even if the marks of the program do not match. */
#include "fermata/fermata.h"
#include "record/counting/counter_samples.h"
#include "record/counting/rank_snapshots.h"
#include "record/selection/selected.h"
#include "record/selection/size_limit.h"
#include "record/session/session.h"
#include "record/user/functions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The object of a region, to which programs hold a pointer. There is one for each number
 * (fm_user_object). */
struct user_region {
    struct fm_open_region open; /* must be first: fm_open_region() returns pointers to it */
    struct fm_phase_visits visits;
    bool has_snapshots; /* of counters, when a visit begins */
    size_t length;      /* of the name */
    char name[];
};

void *fm_user_define_region(struct fm_text name, struct fm_text file, uint32_t line, uint32_t kind)
{
    int saved = errno;
    struct user_region *region = malloc(sizeof *region + name.length + 1);
    char *source = file.length != 0 ? fm_user_copy(file) : NULL;
    uint32_t number = FM_DEFINE_NONE;
    if (region != NULL && (source != NULL || file.length == 0)) {
        region->length = name.length;
        if (name.length != 0) {
            memcpy(region->name, name.text, name.length);
        }
        region->name[name.length] = '\0';
        region->has_snapshots = fm_rank_snapshots_is_phase(region->name, name.length);
        number = fm_session_region(
            region->name, OTF2_REGION_ROLE_CODE, OTF2_PARADIGM_USER,
            kind == FERMATA_PHASE ? OTF2_REGION_FLAG_PHASE : OTF2_REGION_FLAG_NONE, source, line);
        region->open = (struct fm_open_region){
            .number = number,
            .is_phase = kind == FERMATA_PHASE,
            .is_selected = fm_scope_is_phase(fm_selected(), region->name, name.length)};
        region->visits = (struct fm_phase_visits){
            .name = region->name, .bucket = fm_thinning_bucket(region->name, name.length)};
    }
    if (number == FM_DEFINE_NONE) {
        free(region);
        region = NULL;
    } else {
        region = fm_user_object(FM_DEFINE_REGION, number, region);
        if (region != NULL && kind == FERMATA_PHASE) {
            fm_size_limit_add_phase(&region->visits);
            __atomic_store_n(&region->open.visits, &region->visits, __ATOMIC_RELEASE);
        }
    }
    free(source);
    errno = saved;
    return region;
}

/* Writes the Enter of a region, after the number of the visit if it is an iteration. */
static void write_enter(struct fm_thread *thread, uint32_t region, uint64_t time, uint64_t flags,
                        uint64_t number)
{
    uint64_t *place = fm_user_room(thread, FM_WORDS_ITERATION + FM_WORDS_REGION_ENTER);
    if ((flags & FM_OPEN_ITERATION) != 0) {
        place[0] = fm_record_header(FM_RECORD_ITERATION, 0, region);
        place[1] = time;
        place[2] = number;
        place += FM_WORDS_ITERATION;
    }
    place[0] = fm_record_header(FM_RECORD_REGION_ENTER, 0, region);
    place[1] = time;
    fm_user_written(thread, place + FM_WORDS_REGION_ENTER);
}

static void write_record(struct fm_thread *thread, enum fm_record_kind kind, uint32_t region,
                         uint64_t time)
{
    uint64_t *place = fm_user_room(thread, FM_WORDS_REGION_ENTER);
    place[0] = fm_record_header(kind, 0, region);
    place[1] = time;
    fm_user_written(thread, place + FM_WORDS_REGION_ENTER);
}

/* Regions that begin now have no records. */
static bool regions_are_off;

void fm_user_switch_regions(bool off)
{
    __atomic_store_n(&regions_are_off, off, __ATOMIC_RELAXED);
}

/* The region is open without records, so that its end is found. */
static void begin_unrecorded(const struct user_region *region)
{
    uint64_t now;
    struct fm_thread *thread = fm_user_thread(&now, false);
    if (thread != NULL) {
        fm_nesting_push(&thread->open, (uintptr_t)region | FM_OPEN_UNRECORDED);
        fm_user_done(thread);
    }
}

static void end_visit(struct fm_thread *thread, struct fm_phase_visits *visits, uint64_t flags)
{
    if ((flags & FM_OPEN_SELECTED) != 0) {
        fm_selected_visit_ends();
    }
    if (visits != NULL) {
        fm_size_limit_visit_ends(visits, thread, flags);
    }
}

void fm_user_begin_region(void *object)
{
    const struct user_region *region = object;
    uint64_t now, number = 0, flags = 0;
    if (__builtin_expect(__atomic_load_n(&regions_are_off, __ATOMIC_RELAXED), 0)) {
        begin_unrecorded(region);
        return;
    }
    struct fm_phase_visits *visits = __atomic_load_n(&region->open.visits, __ATOMIC_ACQUIRE);
    if (region->open.is_selected && fm_selected_visit_begins()) {
        flags = FM_OPEN_SELECTED;
    }
    if (visits != NULL) {
        flags |= fm_size_limit_visit_begins(visits, fm_thread_self, &number);
    }
    const bool may_merge = flags == 0 && visits == NULL && !region->has_snapshots;
    struct fm_thread *thread = fm_user_thread(&now, may_merge);
    bool pushed = thread != NULL && fm_nesting_push(&thread->open, (uintptr_t)region | flags);
    if (pushed) {
        thread->iterations += (flags & FM_OPEN_ITERATION) != 0;
        if (may_merge && __builtin_expect(fm_thread_merges(thread, FM_METER_MARKS), 0) &&
            fm_visit_enter(thread, fm_visit_key(FM_VISITED_REGION, region->open.number), now,
                           FM_HERE)) {
            fm_user_done(thread);
            return;
        }
        if (thread->stack != NULL) {
            fm_thread_note_stack(thread, FM_HERE);
        }
        write_enter(thread, region->open.number, now, flags, number);
        if (region->has_snapshots) {
            fm_rank_snapshots_take(thread);
            fm_counter_samples_record(thread, now);
        }
    } else {
        end_visit(NULL, visits, flags);
    }
    if (thread != NULL) {
        fm_user_done(thread);
    }
}

static const struct user_region *open_region(const struct fm_thread *thread, size_t depth)
{
    return (const struct user_region *)fm_open_region(thread->open.regions[depth]);
}

static void write_leave(struct fm_thread *thread, size_t depth, uint64_t now)
{
    if ((thread->open.regions[depth] & FM_OPEN_UNRECORDED) == 0) {
        write_record(thread, FM_RECORD_REGION_LEAVE, open_region(thread, depth)->open.number, now);
    }
}

/* Ends the open region at `depth` and all regions inside it. The leave record of the outer region
 * also ends the inner ones; only if the outer region is unrecorded, they get their own records. */
static void end_at(struct fm_thread *thread, size_t depth, uint64_t now)
{
    if (__builtin_expect(thread->visits.count != 0, 0) && fm_visit_leave_open(thread, depth, now)) {
        return;
    }
    if ((thread->open.regions[depth] & FM_OPEN_UNRECORDED) != 0) {
        for (size_t inner = thread->open.count; --inner > depth;) {
            write_leave(thread, inner, now);
        }
    }
    write_leave(thread, depth, now);
    for (size_t inner = thread->open.count; inner-- > depth;) {
        end_visit(thread, open_region(thread, inner)->open.visits, thread->open.regions[inner]);
    }
    thread->open.count = depth;
}

void fm_user_end_region(const void *object)
{
    const struct user_region *region = object;
    uint64_t now;
    struct fm_thread *thread = fm_user_thread(&now, true);
    if (thread == NULL) {
        return;
    }
    for (size_t depth = thread->open.count; depth-- > 0;) {
        if (open_region(thread, depth) == region) {
            end_at(thread, depth, now);
            break;
        }
    }
    fm_user_done(thread);
}

void fm_user_end_region_named(struct fm_text name)
{
    uint64_t now;
    struct fm_thread *thread = fm_user_thread(&now, true);
    if (thread == NULL) {
        return;
    }
    for (size_t depth = thread->open.count; depth-- > 0;) {
        const struct user_region *region = open_region(thread, depth);
        if (!region->open.is_construct && region->length == name.length &&
            (name.length == 0 || memcmp(region->name, name.text, name.length) == 0)) {
            end_at(thread, depth, now);
            break;
        }
    }
    fm_user_done(thread);
}
