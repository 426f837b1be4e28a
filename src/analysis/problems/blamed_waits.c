/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/problems/blamed_waits.h"

#include "analysis/causes/blame/blame.h"
#include "analysis/causes/caused_waits.h"
#include "base/containers/sort.h"
#include "engine/dispatch/dispatch.h"

/* From the blamed location to the one that waits. */
struct part_message {
    struct fm_blamed_part part;
    uint32_t waiter;
    uint32_t unused;
};

/* From the causing location to the one that waits. */
struct wait_message {
    struct fm_blamed_wait wait;
    uint32_t waiter;
    uint32_t unused;
};

struct search {
    const struct fm_formation *formation;
    struct fm_blamed_waits *blamed; /* by location that waits */
    struct fm_dispatch *pieces;     /* struct fm_blame_wait_piece, to the blamed location */
    struct fm_dispatch *parts, *waits;
};

static bool is_charged(fm_delay_kind_t kind)
{
    return fm_charge_of(kind) != FM_CHARGE_DELAY;
}

/* ---- parts ---- */

static void send_piece(void *context, unsigned worker, const struct fm_blame_wait_piece *piece)
{
    const struct search *search = context;
    if (is_charged(piece->kind)) {
        const struct fm_trace *trace = search->formation->analysis->trace;
        fm_dispatch_send(search->pieces, worker, fm_trace_process(trace, piece->location), piece);
    }
}

/* Divides a piece by what the blamed location does. */
static void take_piece(void *context, unsigned worker, uint32_t process, const void *record)
{
    (void)process;
    const struct search *search = context;
    const struct fm_blame_wait_piece *piece = record;
    const struct fm_analysis *analysis = search->formation->analysis;
    const struct fm_busy_time *busy_time = &search->formation->busy_times[piece->location];
    struct fm_busy_time_walk walk = {0};
    struct part_message message = {.part = {.to = piece->from,
                                            .number = piece->number,
                                            .location = piece->location,
                                            .problem = FM_NONE},
                                   .waiter = piece->waiter};
    struct fm_blamed_part *part = &message.part;
    while (part->to < piece->to) {
        part->from = part->to;
        fm_busy_time_look(busy_time, &walk, part->from);
        part->to = walk.until < piece->to ? walk.until : piece->to;
        part->callpath = FM_NONE;
        part->kind = FM_CAUSE_UNATTRIBUTED;
        if (walk.visit != busy_time->nodes) {
            part->callpath = fm_trace_function_of(
                analysis->trace, busy_time->location->profile.items[walk.visit].callpath);
            part->kind =
                fm_cause_kind_of(analysis, analysis->trace->callpaths.items[part->callpath].region,
                                 fm_charge_of(piece->kind));
        }
        fm_dispatch_send(search->parts, worker, fm_trace_process(analysis->trace, piece->waiter),
                         &message);
    }
}

static void take_part(void *context, unsigned worker, uint32_t process, const void *record)
{
    (void)worker;
    (void)process;
    struct search *search = context;
    const struct part_message *message = record;
    fm_vector_push(&search->blamed[message->waiter].parts, message->part);
}

/* ---- wait states ---- */

static void send_waits(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct search *search = context;
    const struct fm_trace *trace = search->formation->analysis->trace;
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last); ++l) {
        const struct fm_caused_waits *caused = &search->formation->caused[l];
        for (size_t i = 0; i < caused->waits.count; ++i) {
            const struct fm_caused_wait *wait = &caused->waits.items[i];
            if (is_charged((fm_delay_kind_t)wait->delay_kind)) {
                struct wait_message message = {
                    .wait = {.cost = (double)wait->wait + wait->phi,
                             .wait = wait->wait,
                             .number = wait->number},
                    .waiter = wait->waiter,
                };
                fm_dispatch_send(search->waits, worker, fm_trace_process(trace, wait->waiter),
                                 &message);
            }
        }
    }
}

static void take_wait(void *context, unsigned worker, uint32_t process, const void *record)
{
    (void)worker;
    (void)process;
    struct search *search = context;
    const struct wait_message *message = record;
    fm_vector_push(&search->blamed[message->waiter].waits, message->wait);
}

/* ---- order ---- */

static int compare_parts(const void *left, const void *right)
{
    const struct fm_blamed_part *a = left, *b = right;
    if (a->number != b->number) {
        return a->number < b->number ? -1 : 1;
    }
    return a->from < b->from ? -1 : a->from > b->from;
}

static int compare_waits(const void *left, const void *right)
{
    const struct fm_blamed_wait *a = left, *b = right;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* Parts come divided at places that depend on the number of workers: those of one call path become
 * one. */
static void join_parts(struct fm_blamed_waits *blamed)
{
    struct fm_blamed_part *parts = blamed->parts.items;
    size_t kept = 0;
    for (size_t i = 0; i < blamed->parts.count; ++i) {
        struct fm_blamed_part *last = kept == 0 ? NULL : &parts[kept - 1];
        if (last != NULL && last->number == parts[i].number && last->to == parts[i].from &&
            last->location == parts[i].location && last->callpath == parts[i].callpath) {
            last->to = parts[i].to;
        } else {
            parts[kept++] = parts[i];
        }
    }
    blamed->parts.count = kept;
}

static void sort_location(struct fm_blamed_waits *blamed)
{
    fm_sort(blamed->parts.items, blamed->parts.count, sizeof *blamed->parts.items, compare_parts);
    fm_sort(blamed->waits.items, blamed->waits.count, sizeof *blamed->waits.items, compare_waits);
    join_parts(blamed);
    uint32_t part = 0;
    for (size_t w = 0; w < blamed->waits.count; ++w) {
        struct fm_blamed_wait *wait = &blamed->waits.items[w];
        wait->first = part;
        while (part < blamed->parts.count && blamed->parts.items[part].number == wait->number) {
            ++part;
        }
        wait->end = part;
    }
}

static void sort_all(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    struct search *search = context;
    const struct fm_trace *trace = search->formation->analysis->trace;
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last); ++l) {
        sort_location(&search->blamed[l]);
    }
}

/* @return whether a wait state of the run is charged by blame */
static bool has_charged(const struct fm_formation *formation)
{
    const struct fm_trace *trace = formation->analysis->trace;
    uint64_t found = 0;
    for (uint32_t l = 0; l < trace->location_count && found == 0; ++l) {
        const struct fm_wait_list *waits = &formation->busy_times[l].waits;
        for (uint32_t w = 0; w < waits->count && found == 0; ++w) {
            found = is_charged(fm_delay_kind((fm_metric_t)waits->items[w].metric));
        }
    }
    return fm_team_largest(formation->analysis->team, found) != 0;
}

struct fm_blamed_waits *fm_blamed_waits_note(struct fm_formation *formation, uint64_t begin,
                                             struct fm_cube_statistics *statistics, uint32_t count)
{
    struct fm_engine *engine = formation->analysis->engine;
    if (formation->is_circular || !has_charged(formation)) {
        fm_blame_book(formation, begin, statistics, count, NULL);
        return NULL;
    }
    struct search search = {
        .formation = formation,
        .blamed = fm_allocate(formation->analysis->trace->location_count, sizeof *search.blamed),
    };
    search.pieces =
        fm_dispatch_create(engine, sizeof(struct fm_blame_wait_piece), take_piece, &search);
    search.parts = fm_dispatch_create(engine, sizeof(struct part_message), take_part, &search);
    fm_blame_book(formation, begin, statistics, count,
                  &(struct fm_blame_listener){&search, send_piece});
    fm_dispatch_deliver(search.pieces);
    fm_dispatch_deliver(search.parts);
    fm_dispatch_free(search.pieces);
    fm_dispatch_free(search.parts);
    return search.blamed;
}

void fm_blamed_waits_complete(const struct fm_formation *formation, struct fm_blamed_waits *blamed)
{
    struct fm_engine *engine = formation->analysis->engine;
    struct search search = {.formation = formation, .blamed = blamed};
    search.waits = fm_dispatch_create(engine, sizeof(struct wait_message), take_wait, &search);
    fm_dispatch_run(search.waits, send_waits, &search);
    fm_dispatch_free(search.waits);
    fm_engine_run(engine, sort_all, &search);
}

void fm_blamed_waits_free(struct fm_blamed_waits *blamed, uint32_t location_count)
{
    for (uint32_t l = 0; blamed != NULL && l < location_count; ++l) {
        fm_vector_free(&blamed[l].waits);
        fm_vector_free(&blamed[l].parts);
    }
    fm_free(blamed);
}
