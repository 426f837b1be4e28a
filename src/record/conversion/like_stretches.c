/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/conversion/like_stretches.h"

#include "record/conversion/visits.h"

#include <stdlib.h>
#include <string.h>

/** KINDS: of stretches that a thread remembers, the last ones. SHORTEST: part of a sample's reach
 * that a stretch must have. INNERMOST: functions by which call stacks are told apart. */
enum { KINDS = 1024, SHORTEST = 20, INNERMOST = 8 };

/** A call stack. */
struct stack {
    uint32_t *sites; /**< from the outermost */
    size_t count, room;
    bool cut;
};

/** Stretches that are like each other. */
struct kind {
    uint64_t key; /**< 0: none */
    struct stack sample;
};

struct fm_like_stretches {
    uint64_t begin_key; /**< of the event that the present stretch begins with */
    bool has_begin_stack, has_sample, has_lost_sample;
    uint32_t reach;           /**< of samples */
    struct stack sample;      /**< the last one of the present stretch */
    struct stack next;        /**< at the end of it, while a sample is imitated */
    struct kind kinds[KINDS]; /**< by their keys */
};

static uint64_t mixed(uint64_t key, uint64_t value)
{
    key = (key ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return key ^ key >> 32;
}

static uint64_t mixed_with_stack(uint64_t key, const struct fm_path *path)
{
    size_t first = path->site_count > INNERMOST ? path->site_count - INNERMOST : 0;
    key = mixed(key, path->site_count);
    for (size_t i = first; i < path->site_count; i++) {
        key = mixed(key, path->sites[i]);
    }
    return key;
}

static bool copy_stack(struct stack *to, const struct fm_path *path)
{
    const size_t count = path->site_count;
    if (to->room < count) {
        uint32_t *larger = realloc(to->sites, count * sizeof *larger);
        if (larger == NULL) {
            return false;
        }
        to->sites = larger;
        to->room = count;
    }
    if (count != 0) {
        memcpy(to->sites, path->sites, count * sizeof *to->sites);
    }
    to->count = count;
    to->cut = path->cut;
    return true;
}

static bool move_to(struct fm_path *path, const struct stack *stack)
{
    size_t kept = 0;
    while (kept < path->site_count && kept < stack->count &&
           path->sites[kept] == stack->sites[kept]) {
        kept++;
    }
    bool good = fm_path_pop(path, (uint32_t)kept, stack->cut);
    for (size_t i = kept; good && i < stack->count; i++) {
        good = fm_path_push(path, stack->sites[i]);
    }
    return good;
}

static void imitate_sample(struct fm_thread *thread, const struct stack *sample, uint64_t begin,
                           uint64_t end)
{
    struct fm_path *path = &thread->path;
    struct stack *next = &thread->like->next;
    fm_convert_check(copy_stack(next, path) && move_to(path, sample));
    fm_visits_sample(thread, begin + (end - begin) / 2, begin, UINT32_MAX);
    fm_convert_check(move_to(path, next));
}

static bool is_call(enum fm_record_kind kind)
{
    return kind == FM_RECORD_CALL || kind == FM_RECORD_CALL_LONG;
}

/** Whether a record is an event of which the call stack is known. */
static bool has_stack(const uint64_t *record)
{
    enum fm_record_kind kind = fm_record_kind(record[0]);
    return is_call(kind) || kind == FM_RECORD_REGION_ENTER ||
           (kind == FM_RECORD_FUNCTION_ENTER && (fm_record_aux(record[0]) & FM_PATH_APART) == 0);
}

/** Whether stretches begin and end with a record. */
static bool is_boundary(const uint64_t *record)
{
    enum fm_record_kind kind = fm_record_kind(record[0]);
    return has_stack(record) || kind == FM_RECORD_FUNCTION_ENTER ||
           kind == FM_RECORD_REGION_LEAVE || kind == FM_RECORD_FUNCTION_LEAVE;
}

/** Whether a record between calls is no event. */
static bool is_no_event(enum fm_record_kind kind)
{
    return kind == FM_RECORD_STACK || kind == FM_RECORD_STACK_SITE || kind == FM_RECORD_PROCESSOR ||
           kind == FM_RECORD_ITERATION;
}

/** The key of a boundary: what it is, without times. */
static uint64_t key_of(const struct fm_thread *thread, const uint64_t *record)
{
    enum fm_record_kind kind = fm_record_kind(record[0]);
    uint64_t key = is_call(kind) ? mixed(1, fm_record_aux(record[0]))
                                 : mixed(kind + UINT64_C(2), fm_record_ref(record[0]));
    return has_stack(record) ? mixed_with_stack(key, &thread->path) : key;
}

static unsigned power_of_two(uint64_t ticks)
{
    return 63U - (unsigned)__builtin_clzll(ticks);
}

void fm_like_stretches_before(struct fm_thread *thread, const uint64_t *record)
{
    struct fm_like_stretches *like = thread->like;
    if (thread->stretch_begin == 0 || !is_boundary(record)) {
        return;
    }
    const uint64_t begin = thread->stretch_begin, end = record[1];
    if (end <= begin || like->has_lost_sample || !(like->has_begin_stack || has_stack(record)) ||
        end - begin < like->reach / SHORTEST) {
        return;
    }
    uint64_t key = mixed(mixed(like->begin_key, key_of(thread, record)), power_of_two(end - begin));
    key += key == 0;
    struct kind *kind = &like->kinds[key % KINDS];
    if (like->has_sample) {
        const struct kind noted = {key, like->sample};
        like->sample = kind->sample; /* its memory is used again */
        *kind = noted;
    } else if (kind->key == key && end - begin <= like->reach) {
        imitate_sample(thread, &kind->sample, begin, end);
    }
}

static void note_sample(struct fm_thread *thread, const uint64_t *record)
{
    if (thread->like == NULL) {
        thread->like = calloc(1, sizeof *thread->like);
    }
    struct fm_like_stretches *like = thread->like;
    fm_convert_check(like != NULL);
    if (like != NULL) {
        like->reach = fm_record_ref(record[0]);
        like->has_sample = true;
        fm_convert_check(copy_stack(&like->sample, &thread->path));
    }
}

static void begin_stretch(struct fm_thread *thread, const uint64_t *record)
{
    struct fm_like_stretches *like = thread->like;
    thread->stretch_begin = is_call(fm_record_kind(record[0])) ? thread->pending_leave : record[1];
    like->begin_key = key_of(thread, record);
    like->has_begin_stack = has_stack(record);
    like->has_sample = false;
    like->has_lost_sample = false;
}

void fm_like_stretches_after(struct fm_thread *thread, const uint64_t *record, bool is_of_call)
{
    enum fm_record_kind kind = fm_record_kind(record[0]);
    if (kind == FM_RECORD_SAMPLE) {
        note_sample(thread, record);
    } else if (thread->like != NULL && is_boundary(record)) {
        begin_stretch(thread, record);
    } else if (thread->like != NULL && kind == FM_RECORD_SAMPLE_LOST) {
        thread->like->has_lost_sample = true;
    } else if (!is_of_call && !is_no_event(kind)) {
        fm_like_stretches_interrupt(thread);
    }
}

void fm_like_stretches_free(struct fm_thread *thread)
{
    struct fm_like_stretches *like = thread->like;
    for (size_t i = 0; like != NULL && i < KINDS; i++) {
        free(like->kinds[i].sample.sites);
    }
    if (like != NULL) {
        free(like->sample.sites);
        free(like->next.sites);
    }
    free(like);
    thread->like = NULL;
}
