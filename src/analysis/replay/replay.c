/* SPDX-License-Identifier: BSD-3-Clause */
/* The scheduling of the replay. A location or junction that needs an event subscribes to it at the
 * owner of the event's process, and goes on when it is woken. Times are read from shared memory:
 * only subscriptions and wake-ups are messages. */
#include "analysis/replay/replay.h"

#include "analysis/replay/follower.h"
#include "base/memory.h"
#include "engine/engine.h"

enum { MESSAGE_SUBSCRIBE, MESSAGE_WAKE };

struct message {
    uint32_t kind;
    uint32_t follower;
    struct fm_awaited source;
};

/* One worker. */
struct worker {
    uint32_t first, last;     /* processes */
    fm_location_vector ready; /* followers that may advance: a stack */
    FM_VECTOR(struct fm_waiter) waiters;
    uint32_t free_waiter;       /* first of a list */
    fm_location_vector blocked; /* with a decider: locations that have begun to wait for events */
    unsigned char apart[FM_APART];
};

struct scheduling {
    struct fm_replay_run run;
    struct fm_engine *engine;
    struct worker *workers;
};

/* ---- followers ---- */

static uint32_t table_of(const struct fm_replay_run *run, uint32_t follower)
{
    uint32_t table = run->dependencies->table_count - 1;
    while (run->table_begin[table] > follower) {
        table--;
    }
    return table;
}

static uint32_t follower_of(const struct fm_replay_run *run, struct fm_awaited source)
{
    return source.kind == FM_AWAITED_JUNCTION ? run->table_begin[source.place] + source.index
                                              : source.place;
}

static uint32_t home_of(const struct fm_replay_run *run, uint32_t follower)
{
    if (follower < run->trace->location_count) {
        return fm_trace_process(run->trace, follower);
    }
    const uint32_t table = table_of(run, follower);
    return run->dependencies->tables[table]
        .junctions.items[follower - run->table_begin[table]]
        .home;
}

static uint32_t *waiters_of(const struct fm_replay_run *run, uint32_t follower)
{
    if (follower < run->trace->location_count) {
        return &run->travellers[follower].waiters;
    }
    const uint32_t table = table_of(run, follower);
    return &run->crossings[table][follower - run->table_begin[table]].waiters;
}

static bool owns(const struct worker *worker, uint32_t process)
{
    return worker->first <= process && process < worker->last;
}

/* ---- waiting ---- */

static void add_waiter(struct scheduling *scheduling, struct worker *worker,
                       struct fm_awaited source, uint32_t follower)
{
    struct fm_replay_run *run = &scheduling->run;
    const uint32_t owner = follower_of(run, source);
    uint32_t *head = waiters_of(run, owner);
    uint32_t number = worker->free_waiter;
    if (number == FM_NO_WAITER) {
        number = (uint32_t)worker->waiters.count;
        fm_vector_push(&worker->waiters, (struct fm_waiter){0});
    } else {
        worker->free_waiter = worker->waiters.items[number].next;
    }
    worker->waiters.items[number] = (struct fm_waiter){source, follower, *head};
    *head = number;
    if (source.kind != FM_AWAITED_JUNCTION) {
        struct fm_traveller *traveller = &run->travellers[owner];
        const uint32_t least = source.kind == FM_AWAITED_MARK ? 0 : source.index;
        traveller->least = least < traveller->least ? least : traveller->least;
        return;
    }
    struct fm_crossing *crossing = &run->crossings[source.place][source.index];
    if (!crossing->is_started) {
        crossing->is_started = true;
        fm_vector_push(&worker->ready, owner);
    }
}

static void wake(struct scheduling *scheduling, struct fm_mailboxes *mailboxes, unsigned number,
                 uint32_t follower)
{
    struct worker *worker = &scheduling->workers[number];
    const uint32_t home = home_of(&scheduling->run, follower);
    if (owns(worker, home)) {
        fm_vector_push(&worker->ready, follower);
    } else {
        const struct message message = {.kind = MESSAGE_WAKE, .follower = follower};
        fm_mailbox_send(mailboxes, number, home, &message, sizeof message);
    }
}

/* Wakes those whose events the follower has reached. */
static void wake_waiters(struct scheduling *scheduling, struct fm_mailboxes *mailboxes,
                         unsigned number, uint32_t follower)
{
    struct fm_replay_run *run = &scheduling->run;
    struct worker *worker = &scheduling->workers[number];
    uint32_t *link = waiters_of(run, follower);
    uint32_t least = UINT32_MAX;
    while (*link != FM_NO_WAITER) {
        struct fm_waiter *waiter = &worker->waiters.items[*link];
        uint64_t time = 0;
        if (!fm_awaited_reached(run, waiter->source, &time)) {
            const uint32_t needed =
                waiter->source.kind == FM_AWAITED_MARK ? 0 : waiter->source.index;
            least = needed < least ? needed : least;
            link = &waiter->next;
            continue;
        }
        const uint32_t reached = *link;
        wake(scheduling, mailboxes, number, waiter->follower);
        *link = waiter->next;
        waiter->next = worker->free_waiter;
        worker->free_waiter = reached;
    }
    if (follower < run->trace->location_count) {
        run->travellers[follower].least = least;
    }
}

/* ---- progress ---- */

static void subscribe(struct scheduling *scheduling, struct fm_mailboxes *mailboxes,
                      unsigned number, uint32_t follower, struct fm_awaited source)
{
    struct worker *worker = &scheduling->workers[number];
    const uint32_t home = home_of(&scheduling->run, follower_of(&scheduling->run, source));
    if (owns(worker, home)) {
        add_waiter(scheduling, worker, source, follower);
    } else {
        const struct message message = {MESSAGE_SUBSCRIBE, follower, source};
        fm_mailbox_send(mailboxes, number, home, &message, sizeof message);
    }
}

static void advance(struct scheduling *scheduling, struct fm_mailboxes *mailboxes, unsigned number,
                    uint32_t follower)
{
    struct fm_replay_run *run = &scheduling->run;
    struct fm_awaited blocked = {0};
    bool done = false, is_open = false;
    if (follower < run->trace->location_count) {
        struct fm_traveller *traveller = &run->travellers[follower];
        traveller->is_open = false;
        done = traveller->is_done || fm_traveller_advance(run, follower);
        blocked = traveller->blocked;
        is_open = traveller->is_open;
        if (!done && !is_open && run->decider != NULL) {
            fm_vector_push(&scheduling->workers[number].blocked, follower);
        }
    } else {
        const uint32_t table = table_of(run, follower);
        done = fm_crossing_advance(run, table, follower - run->table_begin[table], &blocked);
    }
    if (!done && !is_open) {
        subscribe(scheduling, mailboxes, number, follower, blocked);
    }
    if (follower >= run->trace->location_count
            ? done
            : run->travellers[follower].waiters != FM_NO_WAITER &&
                  run->travellers[follower].least <= run->travellers[follower].steps.activity) {
        wake_waiters(scheduling, mailboxes, number, follower);
    }
}

/* Lets the locations go on whose decisions have been taken. */
static void wake_decided(struct scheduling *scheduling, struct worker *worker)
{
    struct fm_replay_run *run = &scheduling->run;
    while (run->decider != NULL && run->decider->woken.count != 0) {
        const uint32_t l = run->decider->woken.items[--run->decider->woken.count];
        if (run->travellers[l].is_open) {
            run->travellers[l].is_open = false;
            fm_vector_push(&worker->ready, l);
        }
    }
}

static void advance_ready(struct scheduling *scheduling, struct fm_mailboxes *mailboxes,
                          unsigned number)
{
    struct worker *worker = &scheduling->workers[number];
    wake_decided(scheduling, worker);
    while (worker->ready.count != 0) {
        advance(scheduling, mailboxes, number, worker->ready.items[--worker->ready.count]);
        wake_decided(scheduling, worker);
    }
}

/* ---- decisions ---- */

/* Decides for the first location that waits for a decision. @return whether there is one */
static bool force_decision(struct scheduling *scheduling)
{
    const struct fm_replay_run *run = &scheduling->run;
    uint32_t first = FM_NONE;
    for (uint32_t l = 0; l < run->trace->location_count; l++) {
        if (run->travellers[l].is_open &&
            (first == FM_NONE || run->travellers[l].new_now < run->travellers[first].new_now)) {
            first = l;
        }
    }
    if (first != FM_NONE) {
        run->decider->force(run->decider->context, run->replay, first,
                            &run->decider->decided[first].items[run->travellers[first].decided]);
        run->replay->circles++;
    }
    return first != FM_NONE;
}

/* Takes all decisions, each when nothing advances without it. Circles come before: what is behind
 * them may be earlier than the decision. */
static void decide(struct scheduling *scheduling, struct fm_mailboxes *mailboxes, unsigned number)
{
    struct fm_replay_run *run = &scheduling->run;
    struct worker *worker = &scheduling->workers[number];
    for (;;) {
        advance_ready(scheduling, mailboxes, number);
        const uint64_t cut =
            fm_circles_cut(run, worker->blocked.items, worker->blocked.count, &worker->ready);
        worker->blocked.count = 0;
        run->replay->circles += cut;
        if (cut == 0 && !run->decider->decide_next(run->decider->context, run->replay) &&
            !force_decision(scheduling)) {
            break;
        }
    }
}

static void start(void *context, struct fm_mailboxes *mailboxes, unsigned number, uint32_t first,
                  uint32_t last)
{
    struct scheduling *scheduling = context;
    struct worker *worker = &scheduling->workers[number];
    const struct fm_trace *trace = scheduling->run.trace;
    worker->first = first;
    worker->last = last;
    worker->free_waiter = FM_NO_WAITER;
    worker->waiters.count = 0;
    for (uint32_t l = fm_trace_first_location(trace, last);
         l > fm_trace_first_location(trace, first); l--) {
        if (!scheduling->run.travellers[l - 1].is_done) {
            fm_vector_push(&worker->ready, l - 1);
        }
    }
    if (scheduling->run.decider != NULL) {
        decide(scheduling, mailboxes, number);
    }
    advance_ready(scheduling, mailboxes, number);
}

static void handle(void *context, struct fm_mailboxes *mailboxes, unsigned number, uint32_t process,
                   const void *content, size_t size)
{
    (void)process, (void)size;
    struct scheduling *scheduling = context;
    struct worker *worker = &scheduling->workers[number];
    const struct message *message = content;
    uint64_t time = 0;
    if (message->kind == MESSAGE_WAKE) {
        fm_vector_push(&worker->ready, message->follower);
    } else if (fm_awaited_reached(&scheduling->run, message->source, &time)) {
        wake(scheduling, mailboxes, number, message->follower);
    } else {
        add_waiter(scheduling, worker, message->source, message->follower);
    }
    advance_ready(scheduling, mailboxes, number);
}

/* ---- tables ---- */

static const fm_polling_vector no_pollings;

static void open_travellers(struct scheduling *scheduling)
{
    struct fm_replay_run *run = &scheduling->run;
    const struct fm_trace *trace = run->trace;
    run->travellers = fm_allocate(trace->location_count, sizeof *run->travellers);
    run->met = fm_allocate(trace->location_count, sizeof *run->met);
    run->replay->locations = fm_allocate(trace->location_count, sizeof *run->replay->locations);
    for (uint32_t l = 0; l < trace->location_count; l++) {
        const struct fm_location *location = &trace->locations[l];
        struct fm_traveller *traveller = &run->travellers[l];
        struct fm_new_times *times = &run->replay->locations[l];
        const size_t count = location->enter.count;
        times->enter = fm_allocate(count, sizeof *times->enter);
        times->leave = fm_allocate(count, sizeof *times->leave);
        for (size_t a = 0; a < count; a++) {
            atomic_init(&times->enter[a], FM_NOT_REACHED);
            atomic_init(&times->leave[a], FM_NOT_REACHED);
        }
        const fm_mark_vector *marks = &run->dependencies->marks[l];
        times->marks = fm_allocate(marks->count, sizeof *times->marks);
        for (size_t m = 0; m < marks->count; m++) {
            atomic_init(&times->marks[m], FM_NOT_REACHED);
        }
        times->waiting = fm_allocate(location->profile.count, sizeof *times->waiting);
        times->begin = location->begin;
        times->blocked_call = FM_NONE;
        fm_steps_begin(&traveller->steps, location,
                       run->repairs ? &no_pollings : &run->dependencies->pollings[l], marks);
        traveller->old_now = traveller->new_now = location->begin;
        traveller->waiters = FM_NO_WAITER;
        traveller->least = UINT32_MAX;
        for (size_t d = 0; d < run->dependencies->of_location[l].count; d++) {
            run->dependencies->of_location[l].items[d].dropped = false;
            run->dependencies->of_location[l].items[d].other_dropped = false;
        }
        for (size_t d = 0; d < run->dependencies->of_marks[l].count; d++) {
            run->dependencies->of_marks[l].items[d].dropped = false;
        }
    }
}

static void open_crossings(struct scheduling *scheduling)
{
    struct fm_replay_run *run = &scheduling->run;
    const unsigned tables = run->dependencies->table_count;
    run->crossings = fm_allocate(tables, sizeof *run->crossings);
    run->table_begin = fm_allocate(tables, sizeof *run->table_begin);
    uint32_t next = run->trace->location_count;
    for (unsigned t = 0; t < tables; t++) {
        const size_t count = run->dependencies->tables[t].junctions.count;
        run->table_begin[t] = next;
        next += (uint32_t)count;
        run->crossings[t] = fm_allocate(count, sizeof **run->crossings);
        for (size_t j = 0; j < count; j++) {
            atomic_init(&run->crossings[t][j].time, FM_NOT_REACHED);
            run->crossings[t][j].waiters = FM_NO_WAITER;
        }
    }
}

/* Forgets who waits for whom: all that are not done are tried again. */
static void forget_waiters(struct scheduling *scheduling)
{
    struct fm_replay_run *run = &scheduling->run;
    for (uint32_t l = 0; l < run->trace->location_count; l++) {
        run->travellers[l].waiters = FM_NO_WAITER;
        run->travellers[l].least = UINT32_MAX;
    }
    for (unsigned t = 0; t < run->dependencies->table_count; t++) {
        for (size_t j = 0; j < run->dependencies->tables[t].junctions.count; j++) {
            run->crossings[t][j].waiters = FM_NO_WAITER;
            run->crossings[t][j].is_started = false;
        }
    }
}

static void close_run(struct scheduling *scheduling)
{
    struct fm_replay_run *run = &scheduling->run;
    for (uint32_t l = 0; l < run->trace->location_count; l++) {
        fm_steps_free(&run->travellers[l].steps);
        fm_vector_free(&run->travellers[l].open);
    }
    for (unsigned t = 0; t < run->dependencies->table_count; t++) {
        fm_free(run->crossings[t]);
    }
    for (unsigned w = 0; w < fm_engine_workers(scheduling->engine); w++) {
        fm_vector_free(&scheduling->workers[w].ready);
        fm_vector_free(&scheduling->workers[w].waiters);
        fm_vector_free(&scheduling->workers[w].blocked);
    }
    fm_free(run->travellers);
    fm_free(run->met);
    fm_free(run->crossings);
    fm_free(run->table_begin);
    fm_free(scheduling->workers);
    fm_engine_free(scheduling->engine);
}

struct fm_engine *fm_replay_engine(const struct fm_trace *trace, unsigned workers)
{
    uint64_t *weights = fm_allocate(trace->process_count, sizeof *weights);
    for (uint32_t l = 0; l < trace->location_count; l++) {
        weights[fm_trace_process(trace, l)] += trace->locations[l].enter.count;
    }
    struct fm_engine *engine = fm_engine_create(NULL, workers, trace->process_count, weights);
    fm_free(weights);
    return engine;
}

static void find_extent(const struct fm_trace *trace, struct fm_replay *replay)
{
    replay->begin = UINT64_MAX;
    for (uint32_t l = 0; l < trace->location_count; l++) {
        const struct fm_location *location = &trace->locations[l];
        if (location->begin <= location->end) {
            const uint64_t end = replay->locations[l].end;
            const uint64_t begin = replay->locations[l].begin;
            replay->begin = begin < replay->begin ? begin : replay->begin;
            replay->end = end > replay->end ? end : replay->end;
        }
    }
    replay->begin = replay->begin == UINT64_MAX ? 0 : replay->begin;
}

static struct fm_replay *replay(const struct fm_detail *detail, const struct fm_edits *edits,
                                struct fm_decider *decider, bool repairs, unsigned workers)
{
    struct fm_replay *made = fm_allocate(1, sizeof *made);
    made->location_count = detail->trace->location_count;
    struct scheduling scheduling = {
        .run = {.trace = detail->trace,
                .dependencies = detail->dependencies,
                .edits = edits,
                .decider = decider,
                .repairs = repairs,
                .replay = made},
        .engine = fm_replay_engine(detail->trace, decider != NULL ? 1 : workers),
    };
    fm_engine_time(scheduling.engine, detail->times);
    scheduling.workers =
        fm_allocate_apart(fm_engine_workers(scheduling.engine), sizeof *scheduling.workers);
    open_travellers(&scheduling);
    open_crossings(&scheduling);
    fm_location_vector unused = {0}; /* all that are not done are tried again */
    uint64_t cut = 0;
    do {
        fm_mailboxes_run(scheduling.engine, start, handle, &scheduling);
        cut = fm_circles_cut(&scheduling.run, NULL, 0, &unused);
        made->circles += cut;
        if (cut != 0) {
            forget_waiters(&scheduling);
        }
    } while (cut != 0);
    fm_vector_free(&unused);
    close_run(&scheduling);
    find_extent(detail->trace, made);
    return made;
}

struct fm_replay *fm_replay_run(const struct fm_detail *detail, const struct fm_edits *edits,
                                struct fm_decider *decider, unsigned workers)
{
    return replay(detail, edits, decider, false, workers);
}

struct fm_replay *fm_replay_repair(const struct fm_detail *detail, unsigned workers)
{
    return replay(detail, NULL, NULL, true, workers);
}

void fm_replay_free(struct fm_replay *replay)
{
    if (replay == NULL) {
        return;
    }
    for (uint32_t l = 0; l < replay->location_count; l++) {
        fm_free(replay->locations[l].enter);
        fm_free(replay->locations[l].leave);
        fm_free(replay->locations[l].marks);
        fm_free(replay->locations[l].waiting);
    }
    fm_free(replay->locations);
    fm_free(replay);
}
