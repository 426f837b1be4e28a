/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/problems/blamed_waits.h"

#include "analysis/causes/blame/blame.h"
#include "analysis/causes/caused_waits.h"
#include "analysis/locks/lock_holders.h"
#include "base/containers/sort.h"
#include "engine/dispatch/dispatch.h"

/* From the blamed location to the one that waits. */
struct part_message {
    struct fm_blamed_part part;
    uint32_t waiter;
    uint32_t unused;
};

/* A piece of a wait state and the lock that is waited for. */
struct piece_of_lock {
    struct fm_blame_wait_piece piece;
    fm_lock_key_t lock, group; /* FM_NO_LOCK: none */
    bool is_of_threads;        /* the lock */
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
    uint32_t **marks; /* [location][wait state]: number in the marks of its locks, FM_NONE:
                         none; NULL: the location has none. Of locations owned here */
    struct fm_dispatch *for_locks; /* struct fm_blame_wait_piece, to the location that waits */
    struct fm_dispatch *pieces;    /* struct piece_of_lock, to the blamed location */
    struct fm_dispatch *parts, *waits;
};

static bool is_charged(fm_delay_kind_t kind)
{
    return fm_charge_of(kind) != FM_CHARGE_DELAY;
}

/* ---- parts ---- */

/* @return which lock a wait state of a location is for; NULL: none */
static const struct fm_lock_mark *search_mark(const struct fm_formation *formation,
                                              uint32_t location, uint32_t number)
{
    const struct fm_wait *wait = &formation->busy_times[location].waits.items[number];
    const struct fm_lock_view *view =
        fm_lock_holders_view(formation->analysis->lock_holders, location);
    return view == NULL
               ? NULL
               : fm_lock_mark_find(&view->marks, wait->until, wait->enter, wait->cause_location);
}

/* Notes which lock each wait state of a location is for: a wait state has many pieces. */
static void note_marks(const struct search *search, uint32_t location)
{
    const struct fm_lock_view *view =
        fm_lock_holders_view(search->formation->analysis->lock_holders, location);
    if (view == NULL || view->marks.count == 0) {
        return;
    }
    const uint32_t count = search->formation->busy_times[location].waits.count;
    uint32_t *marks = fm_resize(NULL, 0, (count + (size_t)1) * sizeof *marks);
    for (uint32_t w = 0; w < count; ++w) {
        const struct fm_lock_mark *mark = search_mark(search->formation, location, w);
        marks[w] = mark == NULL ? FM_NONE : (uint32_t)(mark - view->marks.items);
    }
    search->marks[location] = marks;
}

static void note_all_marks(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    const struct search *search = context;
    const struct fm_trace *trace = search->formation->analysis->trace;
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last); ++l) {
        note_marks(search, l);
    }
}

/* @return the noted mark of a wait state; NULL: none */
static const struct fm_lock_mark *mark_of(const struct search *search,
                                          const struct fm_blame_wait_piece *piece)
{
    const uint32_t *marks = search->marks[piece->waiter];
    if (marks == NULL || marks[piece->number] == FM_NONE) {
        return NULL;
    }
    const struct fm_lock_view *view =
        fm_lock_holders_view(search->formation->analysis->lock_holders, piece->waiter);
    return &view->marks.items[marks[piece->number]];
}

static void send_found(const struct search *search, unsigned worker,
                       const struct piece_of_lock *found)
{
    fm_dispatch_send(search->pieces, worker,
                     fm_trace_process(search->formation->analysis->trace, found->piece.location),
                     found);
}

/* Sends a piece to the blamed location: with the lock that is waited for, as far as it is that, and
 * the rest of a wait for progress without. @param mark  NULL: no lock is waited for */
static void send_with_lock(const struct search *search, unsigned worker,
                           const struct fm_blame_wait_piece *piece, const struct fm_lock_mark *mark)
{
    const uint64_t passed = mark == NULL ? piece->from : mark->passed;
    if (passed > piece->from) {
        struct piece_of_lock found = {*piece, mark->lock, mark->group, mark->is_of_threads};
        found.piece.to = passed < piece->to ? passed : piece->to;
        send_found(search, worker, &found);
    }
    if (passed < piece->to) {
        struct piece_of_lock found = {*piece, FM_NO_LOCK, FM_NO_LOCK, false};
        found.piece.from = passed > piece->from ? passed : piece->from;
        send_found(search, worker, &found);
    }
}

static void send_piece(void *context, unsigned worker, const struct fm_blame_wait_piece *piece)
{
    const struct search *search = context;
    const struct fm_analysis *analysis = search->formation->analysis;
    const uint32_t waiting = fm_trace_process(analysis->trace, piece->waiter);
    if (!is_charged(piece->kind)) {
        return;
    }
    if (fm_engine_owns(analysis->engine, waiting)) {
        send_with_lock(search, worker, piece, mark_of(search, piece));
    } else {
        fm_dispatch_send(search->for_locks, worker, waiting, piece);
    }
}

/* Finds out for which lock a piece waits that another process of the analysis has found. */
static void add_lock(void *context, unsigned worker, uint32_t process, const void *record)
{
    (void)process;
    const struct search *search = context;
    const struct fm_blame_wait_piece *piece = record;
    send_with_lock(search, worker, piece, mark_of(search, piece));
}

/* @return whether a location is in an epoch of the lock that a piece waits for, from a time on.
 * @param until  in, out: as of fm_lock_is_present() */
static bool is_inside(const struct search *search, const struct piece_of_lock *found, uint64_t from,
                      uint64_t *until)
{
    const struct fm_analysis *analysis = search->formation->analysis;
    if (found->lock == FM_NO_LOCK) {
        return false;
    }
    const uint32_t location =
        found->is_of_threads
            ? found->piece.location
            : fm_trace_first_location(analysis->trace,
                                      fm_trace_process(analysis->trace, found->piece.location));
    const struct fm_lock_view *view = fm_lock_holders_view(analysis->lock_holders, location);
    return fm_lock_is_present(&view->presences, found->lock, found->group, from, until);
}

/* Divides a piece by what the blamed location does. */
static void take_piece(void *context, unsigned worker, uint32_t process, const void *record)
{
    (void)process;
    const struct search *search = context;
    const struct piece_of_lock *found = record;
    const struct fm_blame_wait_piece *piece = &found->piece;
    const struct fm_analysis *analysis = search->formation->analysis;
    const struct fm_busy_time *busy_time = &search->formation->busy_times[piece->location];
    struct fm_busy_time_walk walk = {0};
    struct part_message message = {.part = {.to = piece->from,
                                            .number = piece->number,
                                            .location = piece->location,
                                            .is_for_lock = found->lock != FM_NO_LOCK,
                                            .problem = FM_NONE},
                                   .waiter = piece->waiter};
    struct fm_blamed_part *part = &message.part;
    struct fm_blame_wait_piece rest = *piece;
    while (part->to < piece->to) {
        part->from = rest.from = part->to;
        part->to = fm_blame_look(busy_time, &rest, &walk);
        uint64_t until = part->to;
        part->is_inside =
            is_inside(search, found, piece->is_sample ? piece->at : part->from, &until);
        part->to = piece->is_sample ? part->to : until;
        part->callpath = FM_NONE;
        part->kind = FM_CAUSE_UNATTRIBUTED;
        if (walk.visit != busy_time->nodes) {
            part->callpath = fm_trace_function_of(
                analysis->trace, busy_time->location->profile.items[walk.visit].callpath);
            const enum fm_charge charge = piece->lacks_progress ? FM_CHARGE_PROGRESS
                                          : part->is_for_lock   ? FM_CHARGE_CONTENTION
                                                                : fm_charge_of(piece->kind);
            part->kind = (uint8_t)fm_cause_kind_of(
                analysis, analysis->trace->callpaths.items[part->callpath].region, charge);
            if (part->is_inside && !piece->lacks_progress && part->kind != FM_CAUSE_SERIALIZATION) {
                part->kind = FM_CAUSE_CONTENTION;
            }
        }
        fm_dispatch_send(search->parts, worker, fm_trace_process(analysis->trace, piece->waiter),
                         &message);
    }
}

/* @return whether a part continues another one */
static bool continues(const struct fm_blamed_part *last, const struct fm_blamed_part *part)
{
    return last->number == part->number && last->to == part->from &&
           last->location == part->location && last->callpath == part->callpath &&
           last->kind == part->kind && last->is_inside == part->is_inside &&
           last->is_for_lock == part->is_for_lock;
}

static void take_part(void *context, unsigned worker, uint32_t process, const void *record)
{
    (void)worker;
    (void)process;
    struct search *search = context;
    const struct part_message *message = record;
    struct fm_blamed_waits *blamed = &search->blamed[message->waiter];
    struct fm_blamed_part *last =
        blamed->parts.count == 0 ? NULL : &blamed->parts.items[blamed->parts.count - 1];
    if (last != NULL && continues(last, &message->part)) {
        last->to = message->part.to;
    } else {
        fm_vector_push(&blamed->parts, message->part);
    }
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
    struct fm_blamed_wait wait = message->wait;
    const struct fm_lock_mark *mark = search_mark(search->formation, message->waiter, wait.number);
    wait.lock = mark == NULL ? FM_NO_LOCK : mark->lock;
    fm_vector_push(&search->blamed[message->waiter].waits, wait);
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
        if (last != NULL && continues(last, &parts[i])) {
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
    search.marks = fm_allocate(formation->analysis->trace->location_count, sizeof *search.marks);
    fm_engine_run(engine, note_all_marks, &search);
    search.for_locks =
        fm_dispatch_create(engine, sizeof(struct fm_blame_wait_piece), add_lock, &search);
    search.pieces = fm_dispatch_create(engine, sizeof(struct piece_of_lock), take_piece, &search);
    search.parts = fm_dispatch_create(engine, sizeof(struct part_message), take_part, &search);
    fm_blame_book(formation, begin, statistics, count,
                  &(struct fm_blame_listener){&search, send_piece});
    fm_dispatch_deliver(search.for_locks);
    fm_dispatch_deliver(search.pieces);
    fm_dispatch_deliver(search.parts);
    fm_dispatch_free(search.for_locks);
    for (uint32_t l = 0; l < formation->analysis->trace->location_count; ++l) {
        fm_free(search.marks[l]);
    }
    fm_free(search.marks);
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
