/* SPDX-License-Identifier: BSD-3-Clause */
#include "diagnosis/hang/hang_text.h"

#include "base/memory.h"
#include "diagnosis/location_set.h"
#include "diagnosis/number_format.h"
#include "diagnosis/place.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Parts of a call that are described; groups of locations, and places, that are. */
#define SHOWN_PARTS  4
#define SHOWN_GROUPS 24
#define SHOWN_CYCLE  8

/* A text that grows up to its size. */
struct draft {
    char text[2048];
    size_t length;
};

static void __attribute__((format(printf, 2, 3)))
append(struct draft *draft, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(draft->text + draft->length, sizeof draft->text - draft->length,
                                 format, arguments);
    va_end(arguments);
    draft->length += length > 0 ? (size_t)length : 0;
    draft->length = draft->length < sizeof draft->text ? draft->length : sizeof draft->text - 1;
}

static char *name_set(const struct fm_diagnosis *diagnosis, const uint32_t *items, uint32_t count)
{
    return fm_location_set_text(diagnosis, (struct fm_location_set){items, count}, NULL);
}

static int compare_numbers(const void *a, const void *b)
{
    const uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return left < right ? -1 : left > right;
}

/* @return a thread of the process that is spoken of */
static char *name_thread(const struct fm_cube *cube, uint32_t location)
{
    const struct fm_cube_location *where = &cube->locations[location];
    char name[64];
    snprintf(name, sizeof name, "%s %u", fm_place_kind(where), where->thread);
    return fm_copy_string(name);
}

/* @return the targets of a part as text: threads of its own process by themselves, else processes
 */
static char *name_targets(const struct fm_diagnosis *diagnosis,
                          const struct fm_cube_hang_part *part, uint32_t waiter)
{
    const struct fm_cube *cube = diagnosis->cube;
    const uint32_t *targets = &cube->hang.targets[part->first_target];
    const uint32_t rank = cube->locations[waiter].rank;
    uint32_t *all = fm_allocate(cube->location_count + (size_t)1, sizeof *all);
    uint32_t count = 0;
    bool own = true;
    for (uint32_t t = 0; t < part->target_count; t++) {
        own &= cube->locations[targets[t]].rank == rank;
    }
    if (part->target_count == 1) {
        char *name = own && fm_place_has_other_threads(cube, waiter)
                         ? name_thread(cube, targets[0])
                         : fm_place_process(diagnosis, targets[0]);
        fm_free(all);
        return name;
    }
    for (uint32_t t = 0; t < part->target_count && count < cube->location_count; t++) {
        all[count++] = targets[t];
        for (uint32_t l = targets[t] + 1;
             !own && l < cube->location_count &&
             cube->locations[l].rank == cube->locations[targets[t]].rank &&
             count < cube->location_count;
             l++) {
            all[count++] = l;
        }
    }
    qsort(all, count, sizeof *all, compare_numbers);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (kept == 0 || all[kept - 1] != all[i]) {
            all[kept++] = all[i];
        }
    }
    char *name = name_set(diagnosis, all, kept);
    fm_free(all);
    return name;
}

/* ---- what a call waits for ---- */

static void add_message(struct draft *draft, const struct fm_cube_hang_part *part)
{
    if (part->tag != FM_CUBE_NONE) {
        append(draft, " with tag %u", part->tag);
    }
    if (part->object[0] != '\0' && strcmp(part->object, "MPI_COMM_WORLD") != 0) {
        append(draft, " on %s", part->object);
    }
}

static void add_lock(const struct fm_diagnosis *diagnosis, struct draft *draft,
                     const struct fm_cube_hang_part *part, const char *who)
{
    append(draft, "for %s, which %s holds", part->object[0] != '\0' ? part->object : "a lock", who);
    if (part->taken_in[0] != '\0') {
        append(draft, ", taken in %s", part->taken_in);
    } else if (part->place != FM_CUBE_NONE) {
        char *place = fm_place_callpath_with_line(diagnosis, part->place);
        append(draft, ", taken in %s", place);
        free(place);
    }
}

static void add_others(const struct fm_diagnosis *diagnosis, struct draft *draft,
                       const struct fm_cube_hang_part *part, const char *who)
{
    const char *any = part->is_others ? diagnosis->process.one : "";
    switch ((fm_awaits_t)part->awaits) {
    case FM_AWAITS_MESSAGE:
        append(draft, "for a message from %s%s", part->is_others ? "any other " : "",
               part->is_others ? any : who);
        add_message(draft, part);
        break;
    case FM_AWAITS_RECEIVER:
        append(draft, "for %s to receive its message", who);
        add_message(draft, part);
        break;
    case FM_AWAITS_MEMBERS:
        append(draft, part->is_never ? "for %s, which will never come" : "for %s to come", who);
        if (part->object[0] != '\0') {
            append(draft, " (%s%s%s)", part->object, part->note[0] != '\0' ? "; " : "", part->note);
        }
        break;
    case FM_AWAITS_POST:
        append(draft, "for %s to post its exposure of %s", who, part->object);
        break;
    case FM_AWAITS_COMPLETE:
        append(draft, "for %s to complete its access to %s", who, part->object);
        break;
    case FM_AWAITS_PROGRESS:
        append(draft, "for %s to make a call, as the library needs it for %s", who, part->object);
        break;
    case FM_AWAITS_CHANGE:
        append(draft, "for a change that any other %s or thread may make", any);
        break;
    case FM_AWAITS_SIGNAL:
        append(draft, "for a signal of another thread");
        break;
    case FM_AWAITS_TEAM:
        append(draft, "for %s to reach the barrier", who);
        break;
    case FM_AWAITS_TASKS:
        append(draft, "for tasks of other threads");
        break;
    case FM_AWAITS_END:
        append(draft, "for the end of %s", who);
        break;
    default: /* FM_AWAITS_IMAGES */
        append(draft, "for %s to synchronize with it", who);
        break;
    }
}

/* Nothing is missing. */
static void add_present(struct draft *draft, const struct fm_cube_hang_part *part, const char *who)
{
    const bool is_known = part->target_count != 0;
    switch ((fm_awaits_t)part->awaits) {
    case FM_AWAITS_MESSAGE:
        append(draft, "for a message%s%s", is_known ? " from " : "", is_known ? who : "");
        add_message(draft, part);
        append(draft, ", which was sent and may be under way");
        break;
    case FM_AWAITS_RECEIVER:
        append(draft, "for its message");
        add_message(draft, part);
        append(draft, " to arrive at %s, which has posted a receive", who);
        break;
    case FM_AWAITS_MEMBERS:
        append(draft, "while all that it needs are there");
        append(draft, part->object[0] != '\0' ? " (%s)" : "%s", part->object);
        break;
    default:
        append(draft, "while nothing is missing that it needs");
        break;
    }
}

static void add_part(const struct fm_diagnosis *diagnosis, struct draft *draft,
                     const struct fm_cube_hang_part *part, uint32_t waiter)
{
    if (part->awaits == FM_AWAITS_UNKNOWN) {
        append(draft, "what for is not recorded");
        return;
    }
    char *who = name_targets(diagnosis, part, waiter);
    if (part->is_there) {
        add_present(draft, part, who);
        free(who);
        return;
    }
    if (part->awaits == FM_AWAITS_LOCK) {
        add_lock(diagnosis, draft, part, who);
    } else {
        add_others(diagnosis, draft, part, who);
    }
    if (part->is_never && part->awaits != FM_AWAITS_MEMBERS) {
        append(draft, part->is_others          ? ", all of which have ended"
                      : part->target_count > 1 ? ", which have ended"
                                               : ", which has ended");
    }
    const bool is_noted = part->awaits == FM_AWAITS_MEMBERS && part->object[0] != '\0';
    if (part->note[0] != '\0' && !is_noted) {
        append(draft, " (%s)", part->note);
    }
    free(who);
}

/* "in main/receive (halo.c:9) for a message with tag 7 of rank 1" */
static void describe(const struct fm_diagnosis *diagnosis, const struct fm_cube_hang_wait *wait,
                     struct draft *draft)
{
    const struct fm_cube_hang *hang = &diagnosis->cube->hang;
    draft->length = 0;
    if (wait->callpath == FM_CUBE_NONE) {
        append(draft, "in a call");
    } else {
        char *place = fm_place_callpath_with_line(diagnosis, wait->callpath);
        append(draft, "in %s", place);
        free(place);
    }
    for (uint32_t p = 0; p < wait->part_count && p < SHOWN_PARTS; p++) {
        append(draft, p == 0 ? " " : wait->is_any ? ", or " : ", and ");
        add_part(diagnosis, draft, &hang->parts[wait->first_part + p], wait->location);
    }
    if (wait->part_count > SHOWN_PARTS) {
        append(draft, ", and for %u more", wait->part_count - SHOWN_PARTS);
    }
}

/* @param now  NULL: not known */
static void describe_place(const struct fm_diagnosis *diagnosis,
                           const struct fm_cube_hang_place *place, const char *now,
                           struct draft *draft)
{
    draft->length = 0;
    if (place->has_ended) {
        append(draft, "ended before");
        return;
    }
    if (place->callpath == FM_CUBE_NONE) {
        append(draft, "in no function that was recorded");
    } else {
        char *name = fm_place_callpath_with_line(diagnosis, place->callpath);
        append(draft, "last seen in %s", name);
        free(name);
    }
    if (now != NULL) {
        append(draft, ", now %s", now);
    }
}

/* ---- groups of locations ---- */

/* Locations about which the same is said. */
struct group {
    char *text;
    uint32_t *items;
    uint32_t count;
    uint8_t sort; /* 0: can never go on, 1: counts, 2: does not count */
};

struct groups {
    struct group *items;
    uint32_t count;
    uint32_t omitted; /* locations of further groups */
};

static void add_to_group(struct groups *groups, const struct fm_cube *cube, const char *text,
                         uint8_t sort, uint32_t location)
{
    uint32_t g = 0;
    while (g < groups->count &&
           (groups->items[g].sort != sort || strcmp(groups->items[g].text, text) != 0)) {
        g++;
    }
    if (g == groups->count) {
        if (groups->count == SHOWN_GROUPS) {
            groups->omitted++;
            return;
        }
        groups->items[groups->count++] = (struct group){
            .text = fm_copy_string(text),
            .items = fm_allocate(cube->location_count + (size_t)1, sizeof(uint32_t)),
            .sort = sort,
        };
    }
    groups->items[g].items[groups->items[g].count++] = location;
}

static void tell_groups(const struct fm_diagnosis *diagnosis, struct groups *groups, uint8_t sort,
                        const char *label, const char *verb, struct fm_sentences *sentences)
{
    bool is_first = true;
    for (uint32_t g = 0; g < groups->count; g++) {
        const struct group *group = &groups->items[g];
        if (group->sort != sort) {
            continue;
        }
        char *who = name_set(diagnosis, group->items, group->count);
        fm_sentences_add(sentences, is_first ? label : "", "%s: %s%s.", who, verb, group->text);
        is_first = false;
        free(who);
    }
}

static void free_groups(struct groups *groups)
{
    for (uint32_t g = 0; g < groups->count; g++) {
        fm_free(groups->items[g].text);
        fm_free(groups->items[g].items);
    }
    fm_free(groups->items);
}

/* ---- the story ---- */

static char *name_stuck(const struct fm_diagnosis *diagnosis, bool stuck)
{
    const struct fm_cube *cube = diagnosis->cube;
    const struct fm_cube_hang *hang = &cube->hang;
    uint32_t *items = fm_allocate(cube->location_count + (size_t)1, sizeof *items);
    uint32_t count = 0;
    for (uint32_t i = 0; i < hang->wait_count; i++) {
        if (stuck ? hang->waits[i].is_stuck : hang->waits[i].counts) {
            items[count++] = hang->waits[i].location;
        }
    }
    char *text = name_set(diagnosis, items, count);
    fm_free(items);
    return text;
}

static char *name_cycle(const struct fm_diagnosis *diagnosis)
{
    const struct fm_cube_hang *hang = &diagnosis->cube->hang;
    uint32_t *items = fm_allocate(hang->cycle_count + (size_t)1, sizeof *items);
    memcpy(items, hang->cycle, hang->cycle_count * sizeof *items);
    qsort(items, hang->cycle_count, sizeof *items, compare_numbers);
    char *text = name_set(diagnosis, items, hang->cycle_count);
    fm_free(items);
    return text;
}

/* @return the locations outside of calls that had not ended; NULL: there are none */
static char *name_running(const struct fm_diagnosis *diagnosis)
{
    const struct fm_cube *cube = diagnosis->cube;
    const struct fm_cube_hang *hang = &cube->hang;
    uint32_t *items = fm_allocate(cube->location_count + (size_t)1, sizeof *items);
    uint32_t count = 0;
    for (uint32_t i = 0; i < hang->place_count; i++) {
        if (!hang->places[i].has_ended) {
            items[count++] = hang->places[i].location;
        }
    }
    char *text = count != 0 ? name_set(diagnosis, items, count) : NULL;
    fm_free(items);
    return text;
}

static void tell_unproved(const struct fm_diagnosis *diagnosis, const char *who,
                          struct fm_sentences *sentences)
{
    const struct fm_cube *cube = diagnosis->cube;
    char time[FM_FORMAT_SIZE];
    char *running = name_running(diagnosis);
    fm_format_ticks(time, cube, (int64_t)cube->hang.since);
    if (running != NULL) {
        fm_sentences_add(sentences, "",
                         "Waiting, but no deadlock is proved: since %s %s waited for others, while "
                         "%s could still go on.",
                         time, who, running);
    } else {
        fm_sentences_add(
            sentences, "",
            "No progress since %s, but no deadlock is proved: %s waited for what others, "
            "or the library, could still have done.",
            time, who);
    }
    free(running);
}

/* Whether the cycle has all threads of one process of several, whose name stands for them. */
static bool is_process_of_several(const struct fm_diagnosis *diagnosis, const char *who)
{
    const struct fm_cube *cube = diagnosis->cube;
    const struct fm_cube_hang *hang = &cube->hang;
    for (uint32_t i = 1; i < hang->cycle_count; i++) {
        if (cube->locations[hang->cycle[i]].rank != cube->locations[hang->cycle[0]].rank) {
            return false;
        }
    }
    return strstr(who, "thread") == NULL;
}

static void tell_kind(const struct fm_diagnosis *diagnosis, struct fm_sentences *sentences)
{
    const struct fm_cube_hang *hang = &diagnosis->cube->hang;
    char *who;
    switch (hang->kind) {
    case FM_HANG_DEADLOCK:
        who = name_cycle(diagnosis);
        if (hang->cycle_count == 1) {
            fm_sentences_add(sentences, "", "Deadlock: %s waits for itself.", who);
        } else {
            fm_sentences_add(sentences, "", "Deadlock: %s%s wait for each other in a circle.",
                             is_process_of_several(diagnosis, who) ? "the threads of " : "", who);
        }
        break;
    case FM_HANG_MISSING:
        who = name_stuck(diagnosis, true);
        fm_sentences_add(sentences, "",
                         "The run hung: %s can never go on: what is waited for will "
                         "not come.",
                         who);
        break;
    case FM_HANG_NO_PROGRESS:
        who = name_stuck(diagnosis, false);
        tell_unproved(diagnosis, who, sentences);
        break;
    default:
        who = NULL;
        fm_sentences_add(sentences, "",
                         "The run ended inside of calls, none of which had lasted "
                         "for long.");
        break;
    }
    free(who);
}

static void tell_cycle(const struct fm_diagnosis *diagnosis, struct fm_sentences *sentences)
{
    const struct fm_cube_hang *hang = &diagnosis->cube->hang;
    struct draft draft = {.length = 0};
    bool is_of_one_process = hang->cycle_count > 1;
    if (hang->cycle_count < 2) {
        return;
    }
    for (uint32_t i = 1; i < hang->cycle_count; i++) {
        is_of_one_process =
            is_of_one_process && diagnosis->cube->locations[hang->cycle[i]].rank ==
                                     diagnosis->cube->locations[hang->cycle[0]].rank;
    }
    for (uint32_t i = 0; i <= hang->cycle_count; i++) {
        if (i == SHOWN_CYCLE && hang->cycle_count > SHOWN_CYCLE) {
            append(&draft, " -> ...");
            i = hang->cycle_count;
        }
        const uint32_t location = hang->cycle[i % hang->cycle_count];
        char *name = is_of_one_process ? name_thread(diagnosis->cube, location)
                                       : fm_place_location(diagnosis, location);
        append(&draft, "%s%s", i == 0 ? "" : " -> ", name);
        free(name);
    }
    fm_sentences_add(sentences, "Circle", "%s.", draft.text);
}

void fm_hang_text(const struct fm_diagnosis *diagnosis, const char *const *now,
                  struct fm_sentences *sentences)
{
    const struct fm_cube *cube = diagnosis->cube;
    const struct fm_cube_hang *hang = &cube->hang;
    if (hang->open_ends == 0) {
        return;
    }
    struct groups waits = {.items = fm_allocate(SHOWN_GROUPS, sizeof *waits.items)};
    struct groups places = {.items = fm_allocate(SHOWN_GROUPS, sizeof *places.items)};
    tell_kind(diagnosis, sentences);
    for (uint32_t i = 0; i < hang->wait_count; i++) {
        const struct fm_cube_hang_wait *wait = &hang->waits[i];
        struct draft draft;
        describe(diagnosis, wait, &draft);
        add_to_group(&waits, cube, draft.text,
                     wait->is_stuck ? 0
                     : wait->counts ? 1
                                    : 2,
                     wait->location);
    }
    for (uint32_t i = 0; i < hang->place_count; i++) {
        const struct fm_cube_hang_place *place = &hang->places[i];
        struct draft draft;
        describe_place(diagnosis, place, now != NULL ? now[place->location] : NULL, &draft);
        add_to_group(&places, cube, draft.text, 0, place->location);
    }
    tell_groups(diagnosis, &waits, 0, "Stuck", "", sentences);
    tell_cycle(diagnosis, sentences);
    tell_groups(diagnosis, &waits, 1, "Waiting", "", sentences);
    tell_groups(diagnosis, &waits, 2, "Inside", "for a short time ", sentences);
    tell_groups(diagnosis, &places, 0, "Others", "", sentences);
    if (waits.omitted + places.omitted != 0) {
        fm_sentences_add(sentences, "", "And %u more, each elsewhere.",
                         waits.omitted + places.omitted);
    }
    free_groups(&waits);
    free_groups(&places);
}
