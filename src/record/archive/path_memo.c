#include "record/archive/path_memo.h"

#include "record/capture/record.h"

#include <stdlib.h>
#include <string.h>

enum {
    BYTES_MOST = 2 * 1024 * 1024, /* of values and events */
    STEPS_MOST = 16 * 1024,
    TABLE_LEAST = 256,
    WORTH_KEEPING = 4 /* times that a step is found: it pays to remember them */
};

/* Times of fm_path_times. */
enum when { OVER, BEGUN, MARKED };

/* An event that a step writes. */
struct fm_path_event {
    uint32_t region;
    bool enter;
    unsigned char when;
};

/* What a record makes of a value. */
struct fm_path_step {
    const struct fm_path_value *from, *to; /* from NULL: a free place */
    uint64_t header;
    uint32_t first_event, event_count;
};

/* ---- values ---- */

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
}

static uint64_t hash_of(const struct fm_path *path)
{
    uint64_t hash = mix(path->count, path->site_count);
    hash = mix(hash, path->unwritten << 32 | path->settled);
    hash = mix(hash, path->hidden << 32 | (uint64_t)path->instrumented << 2 |
                         (uint64_t)path->due << 1 | path->cut);
    for (size_t i = 0; i < path->count; i++) {
        const struct fm_path_entry *entry = &path->entries[i];
        hash = mix(hash, (uint64_t)entry->event_region << 32 | entry->function);
        hash = mix(hash, (uint64_t)entry->instrumented << 2 | (uint64_t)entry->over << 1 |
                             entry->written);
    }
    for (size_t i = 0; i < path->site_count; i++) {
        hash = mix(hash, path->sites[i]);
    }
    return hash;
}

static bool are_same_entries(const struct fm_path_entry *one, const struct fm_path_entry *other)
{
    return one->event_region == other->event_region && one->region == other->region &&
           one->line == other->line && one->function == other->function &&
           one->instrumented == other->instrumented && one->over == other->over &&
           one->written == other->written;
}

static bool are_same(const struct fm_path *one, const struct fm_path *other)
{
    bool same = one->count == other->count && one->site_count == other->site_count &&
                one->unwritten == other->unwritten && one->settled == other->settled &&
                one->hidden == other->hidden && one->instrumented == other->instrumented &&
                one->due == other->due && one->cut == other->cut;
    for (size_t i = 0; same && i < one->count; i++) {
        same = are_same_entries(&one->entries[i], &other->entries[i]);
    }
    return same && (one->site_count == 0 ||
                    memcmp(one->sites, other->sites, one->site_count * sizeof *one->sites) == 0);
}

/* A copy in the arrays of `to`, which grow if they have to. @return false without memory */
static bool copy(struct fm_path *to, const struct fm_path *from)
{
    struct fm_path own = *to;
    if (from->count > own.room) {
        own.entries = realloc(to->entries, from->count * sizeof *own.entries);
        if (own.entries == NULL) {
            return false;
        }
        to->entries = own.entries;
        to->room = own.room = from->count;
    }
    if (from->site_count > own.site_room) {
        own.sites = realloc(to->sites, from->site_count * sizeof *own.sites);
        if (own.sites == NULL) {
            return false;
        }
        own.site_room = from->site_count;
    }
    *to = *from;
    to->entries = own.entries;
    to->room = own.room;
    to->sites = own.sites;
    to->site_room = own.site_room;
    if (from->count != 0) {
        memcpy(to->entries, from->entries, from->count * sizeof *to->entries);
    }
    if (from->site_count != 0) {
        memcpy(to->sites, from->sites, from->site_count * sizeof *to->sites);
    }
    return true;
}

/* Place of an equal value, or the free one where it belongs. */
static uint32_t place_of_value(const struct fm_path_memo *memo, const struct fm_path *path,
                               uint64_t hash)
{
    uint32_t place = (uint32_t)hash & memo->value_mask;
    while (memo->values[place] != NULL &&
           (memo->values[place]->hash != hash || !are_same(&memo->values[place]->path, path))) {
        place = (place + 1) & memo->value_mask;
    }
    return place;
}

/* Size of a table that is more than half full, or none; `room` of what there is. */
static uint32_t next_room(uint32_t room)
{
    return room != 0 ? 2 * room : TABLE_LEAST;
}

static bool grow_values(struct fm_path_memo *memo)
{
    uint32_t before = memo->values != NULL ? memo->value_mask + 1 : 0, room = next_room(before);
    struct fm_path_value **old = memo->values, **values = calloc(room, sizeof(void *));
    if (values == NULL) {
        return false;
    }
    memo->values = values;
    memo->value_mask = room - 1;
    for (uint32_t i = 0; i < before; i++) {
        if (old[i] != NULL) {
            values[place_of_value(memo, &old[i]->path, old[i]->hash)] = old[i];
        }
    }
    free(old);
    return true;
}

/* The path's value, kept if it is new. @return NULL without memory */
static const struct fm_path_value *keep(struct fm_path_memo *memo, const struct fm_path *path,
                                        const struct fm_callsites *sites)
{
    if ((memo->values == NULL || 2 * memo->value_count > memo->value_mask) && !grow_values(memo)) {
        return NULL;
    }
    uint64_t hash = hash_of(path);
    uint32_t place = place_of_value(memo, path, hash);
    if (memo->values[place] == NULL) {
        struct fm_path_value *value = calloc(1, sizeof *value);
        if (value == NULL || !copy(&value->path, path)) {
            if (value != NULL) {
                fm_path_free(&value->path);
            }
            free(value);
            return NULL;
        }
        value->hash = hash;
        value->line = fm_path_is_settled(path) ? fm_path_line(path, sites) : FM_DEFINE_NONE;
        memo->bytes += sizeof *value + path->count * sizeof *path->entries +
                       path->site_count * sizeof *path->sites;
        memo->values[place] = value;
        memo->value_count++;
    }
    return memo->values[place];
}

bool fm_path_memo_leave(struct fm_path_memo *memo, struct fm_path *path)
{
    const struct fm_path_value *value = memo->now;
    memo->now = NULL;
    if (value != NULL && !copy(path, &value->path)) {
        fm_path_free(path);
        return false;
    }
    return true;
}

void fm_path_memo_free(struct fm_path_memo *memo)
{
    for (uint32_t i = 0; memo->values != NULL && i <= memo->value_mask; i++) {
        if (memo->values[i] != NULL) {
            fm_path_free(&memo->values[i]->path);
            free(memo->values[i]);
        }
    }
    free(memo->values);
    free(memo->steps);
    free(memo->events);
    memset(memo, 0, sizeof *memo);
}

/* ---- steps ---- */

static uint32_t place_of_step(const struct fm_path_memo *memo, const struct fm_path_value *from,
                              uint64_t header)
{
    uint32_t place = (uint32_t)mix(from->hash, header) & memo->step_mask;
    while (memo->steps[place].from != NULL &&
           (memo->steps[place].from != from || memo->steps[place].header != header)) {
        place = (place + 1) & memo->step_mask;
    }
    return place;
}

static bool grow_steps(struct fm_path_memo *memo)
{
    uint32_t before = memo->steps != NULL ? memo->step_mask + 1 : 0, room = next_room(before);
    struct fm_path_step *old = memo->steps, *steps = calloc(room, sizeof *steps);
    if (steps == NULL) {
        return false;
    }
    memo->steps = steps;
    memo->step_mask = room - 1;
    for (uint32_t i = 0; i < before; i++) {
        if (old[i].from != NULL) {
            steps[place_of_step(memo, old[i].from, old[i].header)] = old[i];
        }
    }
    free(old);
    return true;
}

/* Without memory there is one step less to find. */
static void keep_step(struct fm_path_memo *memo, const struct fm_path_step *step)
{
    bool room = memo->steps != NULL && 2 * memo->step_count <= memo->step_mask;
    if (step->from != NULL && step->to != NULL && (room || grow_steps(memo))) {
        memo->steps[place_of_step(memo, step->from, step->header)] = *step;
        memo->step_count++;
    }
}

static void write_events(const struct fm_path_memo *memo, const struct fm_path_step *step,
                         const struct fm_path_writer *writer, const struct fm_path_times *times)
{
    for (uint32_t i = 0; i < step->event_count; i++) {
        const struct fm_path_event *event = &memo->events[step->first_event + i];
        uint64_t time = event->when == OVER    ? times->over
                        : event->when == BEGUN ? times->begun
                                               : times->marked;
        writer->write(writer->context, event->enter, event->region, time);
    }
}

/* ---- working them out ---- */

static bool change_stack(struct fm_path *path, uint64_t header)
{
    uint32_t site = fm_record_ref(header), aux = fm_record_aux(header);
    bool good = true;
    if (fm_record_kind(header) == FM_RECORD_STACK) {
        good = fm_path_pop(path, aux & ~(uint32_t)FM_STACK_CUT, (aux & FM_STACK_CUT) != 0);
    }
    return good && (site == FM_STACK_NO_SITE || fm_path_push(path, site));
}

static bool work_out(struct fm_path *path, const struct fm_callsites *sites, uint64_t header,
                     const struct fm_path_writer *writer, const struct fm_path_times *times)
{
    uint32_t ref = fm_record_ref(header);
    if (header == FM_PATH_SETTLE) {
        return fm_path_settle(path, sites, writer, times->over, times->begun);
    }
    switch (fm_record_kind(header)) {
    case FM_RECORD_REGION_ENTER:
        return fm_path_begin(path, sites, ref, writer, times);
    case FM_RECORD_REGION_LEAVE:
        fm_path_end(path, ref, writer, times->marked);
        return true;
    case FM_RECORD_FUNCTION_ENTER:
        return fm_path_enter_function(path, sites, ref, fm_record_aux(header), writer, times);
    case FM_RECORD_FUNCTION_LEAVE:
        fm_path_leave_functions(path, ref, writer, times->marked);
        return true;
    default:
        return change_stack(path, header);
    }
}

/* Notes events instead of writing them; their times are those of fm_path_times by `enum when`. */
struct note {
    struct fm_path_memo *memo;
    const struct fm_path_writer *writer;
    bool complete;
};

static void note_event(void *context, bool enter, uint32_t event_region, uint64_t time)
{
    struct note *note = context;
    struct fm_path_memo *memo = note->memo;
    if (memo->event_count == memo->event_room) {
        size_t room = memo->event_room != 0 ? 2 * memo->event_room : TABLE_LEAST;
        struct fm_path_event *events = realloc(memo->events, room * sizeof *events);
        if (events == NULL) {
            note->complete = false;
            return;
        }
        memo->events = events;
        memo->event_room = room;
    }
    memo->events[memo->event_count++] =
        (struct fm_path_event){event_region, enter, (unsigned char)time};
    memo->bytes += sizeof *memo->events;
}

static uint32_t number(void *context, uint32_t region, uint32_t line)
{
    const struct note *note = context;
    return note->writer->number(note->writer->context, region, line);
}

static bool is_marked_by(void *context, uint32_t function, uint32_t region)
{
    const struct note *note = context;
    return note->writer->is_marked_by(note->writer->context, function, region);
}

static void forget(struct fm_path_memo *memo)
{
    bool off = memo->found < (uint64_t)WORTH_KEEPING * memo->step_count;
    fm_path_memo_free(memo);
    memo->off = off;
}

/* A step that is not known. */
static bool first_step(struct fm_path_memo *memo, struct fm_path *path,
                       const struct fm_callsites *sites, uint64_t header,
                       const struct fm_path_writer *writer, const struct fm_path_times *times)
{
    static const struct fm_path_times whens = {.over = OVER, .begun = BEGUN, .marked = MARKED};
    struct note note = {memo, writer, true};
    struct fm_path_writer noting = {note_event, number,
                                    writer->is_marked_by != NULL ? is_marked_by : NULL, &note};
    if (memo->bytes > BYTES_MOST || memo->step_count == STEPS_MOST) {
        if (!fm_path_memo_leave(memo, path)) {
            return false;
        }
        forget(memo);
        return fm_path_memo_step(memo, path, sites, header, writer, times);
    }
    struct fm_path_step step = {
        .from = memo->now, .header = header, .first_event = (uint32_t)memo->event_count};
    if (!fm_path_memo_leave(memo, path) || !work_out(path, sites, header, &noting, &whens) ||
        !note.complete) {
        return false;
    }
    step.to = memo->now = keep(memo, path, sites);
    step.event_count = (uint32_t)memo->event_count - step.first_event;
    write_events(memo, &step, writer, times);
    keep_step(memo, &step);
    return true;
}

bool fm_path_memo_step(struct fm_path_memo *memo, struct fm_path *path,
                       const struct fm_callsites *sites, uint64_t header,
                       const struct fm_path_writer *writer, const struct fm_path_times *times)
{
    if (memo->off) {
        return work_out(path, sites, header, writer, times);
    }
    if (memo->now == NULL) {
        memo->now = keep(memo, path, sites);
    }
    if (memo->now != NULL && memo->steps != NULL) {
        const struct fm_path_step *step = &memo->steps[place_of_step(memo, memo->now, header)];
        if (step->from != NULL) {
            memo->now = step->to;
            memo->found++;
            write_events(memo, step, writer, times);
            return true;
        }
    }
    return first_step(memo, path, sites, header, writer, times);
}
