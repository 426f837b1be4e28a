/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/flight/cut.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

static const unsigned char places[] = {
#define FM_KIND(kind, words, place) (place),
    FM_RECORD_KINDS(FM_KIND)
#undef FM_KIND
};

bool fm_cut_time(const uint64_t *record, uint64_t *time)
{
    switch (fm_record_kind(record[0])) {
    case FM_RECORD_STACK:
    case FM_RECORD_STACK_SITE:
    case FM_RECORD_UNRECORDED:
        return false;
    default:
        if (!fm_cut_may_begin(record)) {
            return false;
        }
        *time = record[1];
        return true;
    }
}

bool fm_cut_may_begin(const uint64_t *record)
{
    enum fm_record_kind kind = fm_record_kind(record[0]);
    return kind == FM_RECORD_CALL || kind == FM_RECORD_CALL_LONG ||
           places[kind] == FM_BETWEEN_CALLS;
}

/* ---- open items ---- */

static bool grow(struct fm_cut *cut)
{
    int saved = errno;
    size_t before = cut->room * sizeof *cut->items, bytes = before != 0 ? 2 * before : 4096;
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    errno = saved;
    if (pages == MAP_FAILED) {
        cut->broken = true;
        return false;
    }
    if (before != 0) {
        memcpy(pages, cut->items, before);
        munmap(cut->items, before);
        errno = saved;
    }
    cut->items = pages;
    cut->room = bytes / sizeof *cut->items;
    return true;
}

static void push(struct fm_cut *cut, enum fm_cut_kind kind, uint32_t number, uint32_t known)
{
    if (cut->count < cut->room || grow(cut)) {
        cut->items[cut->count++] = (struct fm_cut_item){
            .number = number, .depth = cut->depth, .kind = kind, .known = known};
    }
    cut->depth += kind == FM_CUT_STACK;
}

/* Removes functions that are over and have no open item inside them. */
static void drop_idle(struct fm_cut *cut)
{
    while (cut->count != 0 && cut->items[cut->count - 1].is_over) {
        cut->count--;
    }
}

static void pop(struct fm_cut *cut, uint32_t kept)
{
    for (size_t i = cut->count; i-- > 0;) {
        struct fm_cut_item *item = &cut->items[i];
        if (item->kind == FM_CUT_STACK && !item->is_over) {
            if (item->depth < kept) {
                break;
            }
            item->is_over = true;
        }
    }
    cut->depth = kept;
    drop_idle(cut);
}

/* Ends the items of a kind from an item on; other items inside that are not over stay. With
 * regions, functions that are over are removed, too. */
static void end_from(struct fm_cut *cut, enum fm_cut_kind kind, size_t first)
{
    size_t count = first;
    for (size_t i = first; i < cut->count; i++) {
        bool goes = kind == FM_CUT_REGION && cut->items[i].is_over;
        if (cut->items[i].kind != kind && !goes) {
            cut->items[count++] = cut->items[i];
        }
    }
    cut->count = count;
    drop_idle(cut);
}

static void end_region(struct fm_cut *cut, uint32_t region)
{
    for (size_t i = cut->count; i-- > 0;) {
        if (cut->items[i].kind == FM_CUT_REGION && cut->items[i].number == region) {
            end_from(cut, FM_CUT_REGION, i);
            return;
        }
    }
}

/* Ends all items of a kind except the outer `kept` ones. */
static void end_behind(struct fm_cut *cut, enum fm_cut_kind kind, uint32_t kept)
{
    for (size_t i = 0; i < cut->count; i++) {
        if (cut->items[i].kind == kind && kept-- == 0) {
            end_from(cut, kind, i);
            return;
        }
    }
}

static void pass_stack(struct fm_cut *cut, uint64_t header)
{
    uint32_t aux = fm_record_aux(header), site = fm_record_ref(header);
    if (fm_record_kind(header) == FM_RECORD_STACK) {
        cut->stack_cut = (aux & FM_STACK_CUT) != 0;
        pop(cut, aux & ~(uint32_t)FM_STACK_CUT);
    }
    if (site != FM_STACK_NO_SITE) {
        push(cut, FM_CUT_STACK, site, 0);
    }
}

/* ---- records ---- */

static void lose(struct fm_cut *cut, const uint64_t *record,
                 const char *(*function_name)(uint32_t function))
{
    uint64_t time;
    bool good = true;
    cut->gone = true;
    if (cut->begin == 0 && fm_cut_time(record, &time)) {
        cut->begin = time;
    }
    if (fm_record_kind(record[0]) == FM_RECORD_PROGRAM_BEGIN) {
        memcpy(cut->program, record, sizeof cut->program);
    } else if (fm_record_kind(record[0]) == FM_RECORD_UNRECORDED) {
        good = fm_unrecorded_add(&cut->unrecorded,
                                 &(struct fm_unrecorded_count){
                                     record[2], fm_record_aux(record[0]), fm_record_ref(record[0]),
                                     (uint32_t)record[1], (uint32_t)(record[1] >> 32)});
    } else {
        good = fm_unrecorded_note(&cut->unrecorded, record, function_name(cut->function));
    }
    cut->broken = cut->broken || !good;
}

void fm_cut_pass(struct fm_cut *cut, const uint64_t *record, bool lost,
                 const char *(*function_name)(uint32_t function))
{
    switch (fm_record_kind(record[0])) {
    case FM_RECORD_CALL:
    case FM_RECORD_CALL_LONG:
        cut->function = fm_record_aux(record[0]);
        break;
    case FM_RECORD_STACK:
    case FM_RECORD_STACK_SITE:
        pass_stack(cut, record[0]);
        break;
    case FM_RECORD_REGION_ENTER:
        push(cut, FM_CUT_REGION, fm_record_ref(record[0]), 0);
        break;
    case FM_RECORD_REGION_LEAVE:
        end_region(cut, fm_record_ref(record[0]));
        break;
    case FM_RECORD_FUNCTION_ENTER:
        push(cut, FM_CUT_INSTRUMENTED, fm_record_ref(record[0]), fm_record_aux(record[0]));
        break;
    case FM_RECORD_FUNCTION_LEAVE:
        end_behind(cut, FM_CUT_INSTRUMENTED, fm_record_ref(record[0]));
        break;
    case FM_RECORD_RECORDING_OFF:
        cut->off = true;
        cut->off_since = record[1];
        break;
    case FM_RECORD_RECORDING_ON:
        cut->off = false;
        end_behind(cut, FM_CUT_REGION, fm_record_ref(record[0]));
        break;
    default:
        break;
    }
    if (lost) {
        lose(cut, record, function_name);
    }
}

/* ---- records before the kept ones ---- */

size_t fm_cut_words(const struct fm_cut *cut)
{
    return FM_WORDS_PROGRAM_BEGIN + 2 * FM_WORDS_RECORDING_OFF + FM_WORDS_RECORDING_ON +
           cut->unrecorded.count * FM_WORDS_UNRECORDED +
           cut->count * (FM_WORDS_REGION_ENTER + FM_WORDS_STACK) + 2 * FM_WORDS_STACK;
}

static uint64_t *put(uint64_t *place, enum fm_record_kind kind, uint32_t aux, uint32_t ref,
                     uint64_t time)
{
    place[0] = fm_record_header(kind, aux, ref);
    place[1] = time;
    return place + 2;
}

static uint64_t *put_counts(const struct fm_unrecorded_table *table, uint64_t *place)
{
    for (size_t i = 0; table->count != 0 && i < table->capacity; i++) {
        const struct fm_unrecorded_count *entry = &table->slots[i];
        if (entry->series != 0) {
            place[0] = fm_record_header(FM_RECORD_UNRECORDED, entry->series, entry->reference);
            place[1] = entry->peer | (uint64_t)entry->tag << 32;
            place[2] = entry->count;
            place += FM_WORDS_UNRECORDED;
        }
    }
    return place;
}

/* Writes the open functions and regions in the order in which they began, as if they began at
 * `time`. */
static uint64_t *put_open(const struct fm_cut *cut, uint64_t *place, uint64_t time)
{
    uint32_t depth = 0;
    *place++ = fm_record_header(FM_RECORD_STACK, 0, FM_STACK_NO_SITE);
    for (size_t i = 0; i < cut->count; i++) {
        const struct fm_cut_item *item = &cut->items[i];
        if (item->kind == FM_CUT_STACK) {
            *place++ = fm_record_header(FM_RECORD_STACK, item->depth, item->number);
            depth = item->depth + 1;
        } else {
            if (depth > item->depth) {
                *place++ = fm_record_header(FM_RECORD_STACK, item->depth, FM_STACK_NO_SITE);
                depth = item->depth;
            }
            bool is_region = item->kind == FM_CUT_REGION;
            place = put(place, is_region ? FM_RECORD_REGION_ENTER : FM_RECORD_FUNCTION_ENTER,
                        is_region ? FM_REGION_CUT : item->known, item->number, time);
        }
    }
    *place++ = fm_record_header(FM_RECORD_STACK, cut->depth | (cut->stack_cut ? FM_STACK_CUT : 0),
                                FM_STACK_NO_SITE);
    return place;
}

/* Writes that recording was paused since the first lost record, and what it left out. */
static uint64_t *put_lost(const struct fm_cut *cut, uint64_t *place)
{
    place = put(place, FM_RECORD_RECORDING_OFF, 0, 0, cut->begin);
    return put_counts(&cut->unrecorded, place);
}

/* Writes what is open behind the pause, which ends at `since`. */
static uint64_t *put_state(const struct fm_cut *cut, uint64_t *place, uint64_t since)
{
    place = put_open(cut, place, since);
    return cut->off ? put(place, FM_RECORD_RECORDING_OFF, 0, 0, since) : place;
}

uint64_t *fm_cut_put(const struct fm_cut *cut, uint64_t *place)
{
    const uint64_t since = cut->off ? cut->off_since : cut->begin;
    if (cut->program[0] != 0) {
        memcpy(place, cut->program, sizeof cut->program);
        place += FM_WORDS_PROGRAM_BEGIN;
    }
    if (cut->gone) {
        place = put(put_lost(cut, place), FM_RECORD_RECORDING_ON, 0, 0, since);
    }
    return put_state(cut, place, since);
}

uint64_t *fm_cut_write(struct fm_cut *cut, uint64_t *place, uint64_t time)
{
    if (cut->program[0] != 0) {
        memcpy(place, cut->program, sizeof cut->program);
        place += FM_WORDS_PROGRAM_BEGIN;
        memset(cut->program, 0, sizeof cut->program);
    }
    if (!cut->gone) {
        return place;
    }
    place = put_lost(cut, place);
    if (time != UINT64_MAX) {
        uint64_t since = cut->off ? cut->off_since : time;
        place = put(place, FM_RECORD_RECORDING_ON, 0, 0, since);
        place = put_state(cut, place, since);
    }
    fm_unrecorded_clear(&cut->unrecorded);
    cut->gone = false;
    cut->begin = 0;
    return place;
}
