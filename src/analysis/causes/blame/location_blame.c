/* SPDX-License-Identifier: BSD-3-Clause */
/* What one location is blamed for, and how it is a link in chains.
 *
 * The wait states that the location has caused are intervals of time with weights, sorted by their
 * begins and by their ends. Going through both and through the location's own waiting parts, the
 * sum of the weights is a step function of time: outside of the own waiting parts it is blame of
 * what the location does; inside it enters the chains. */
#include "analysis/causes/blame/location_waits.h"

#include "analysis/causes/charge.h"

/* ---- each wait state for itself ---- */

uint64_t fm_blame_look(const struct fm_busy_time *busy_time,
                       const struct fm_blame_wait_piece *piece, struct fm_busy_time_walk *walk)
{
    fm_busy_time_look(busy_time, walk, piece->is_sample ? piece->at : piece->from);
    return piece->is_sample || walk->until > piece->to ? piece->to : walk->until;
}

void fm_blame_piece_of_wait(const struct fm_blame_run *run, unsigned worker,
                            struct fm_blame_wait_piece piece)
{
    const struct fm_blame_each *each = run->each;
    if (each->without_visits) {
        each->take(each->context, worker, &piece);
        return;
    }
    const struct fm_busy_time *busy_time = &run->formation->busy_times[piece.location];
    struct fm_busy_time_walk walk = {0};
    const uint64_t to = piece.to;
    while (piece.from < to) {
        piece.to = to;
        piece.to = fm_blame_look(busy_time, &piece, &walk);
        piece.visit = walk.visit == busy_time->nodes ? FM_NONE : walk.visit;
        each->take(each->context, worker, &piece);
        piece.from = piece.to;
    }
}

/* A wait state that ends in no chain blames the location alone; all others are followed. */
static void follow_each(const struct fm_blamed_location *examined)
{
    const struct fm_blame_scratch *scratch = examined->scratch;
    size_t part = 0;
    uint64_t entered_until = 0; /* by parts so far */
    for (size_t i = 0; i < scratch->arrivals.count; i++) {
        const struct fm_caused_wait *wait =
            &examined->caused->waits.items[scratch->arrivals.items[i]];
        for (; part < scratch->parts.count && scratch->parts.items[part].from < wait->t; part++) {
            if (scratch->parts.items[part].is_entered) {
                entered_until = scratch->parts.items[part].to;
            }
        }
        if (!fm_blame_is_wanted(examined, wait)) {
            continue;
        }
        uint64_t from = wait->t - wait->wait;
        if (entered_until <= from) {
            fm_blame_piece_of_wait(examined->run, examined->worker,
                                   (struct fm_blame_wait_piece){
                                       .from = from,
                                       .to = wait->t,
                                       .until = wait->t,
                                       .waiter = wait->waiter,
                                       .number = wait->number,
                                       .location = examined->number,
                                       .kind = (fm_delay_kind_t)wait->delay_kind,
                                   });
            continue;
        }
        fm_blame_send_source(examined,
                             &(struct fm_blame_tie){.from = from,
                                                    .to = wait->t,
                                                    .until = wait->t,
                                                    .weight = wait->number,
                                                    .location = wait->waiter,
                                                    .other = examined->number,
                                                    .kind = wait->delay_kind},
                             fm_blame_holders_between(examined, from, wait->t));
    }
}

/* ---- blame over time ---- */

/* A step function for each kind. */
struct steps {
    uint64_t values[FM_DELAY_NONE];
    uint64_t mask; /* kinds whose value is not 0 */
};

_Static_assert(FM_DELAY_NONE <= 64, "a mask has 64 bits");

static void step(struct steps *steps, uint32_t kind, uint64_t change)
{
    steps->values[kind] += change;
    uint64_t bit = (uint64_t)1 << kind;
    steps->mask = steps->values[kind] != 0 ? steps->mask | bit : steps->mask & ~bit;
}

static void blame(struct fm_blamed_location *examined, uint64_t from, uint64_t to,
                  const struct steps *steps)
{
    const struct fm_blame_request *request = examined->run->request;
    struct fm_busy_time_walk *walk = &examined->walk;
    for (uint64_t time = from; time < to;) {
        fm_busy_time_look(examined->busy_time, walk, time);
        struct fm_blame_piece piece = {
            .from = time,
            .to = walk->until < to ? walk->until : to,
            .location = examined->number,
            .visit = walk->visit == examined->busy_time->nodes ? FM_NONE : walk->visit,
        };
        for (uint64_t mask = steps->mask; mask != 0; mask &= mask - 1) {
            piece.kind = (fm_delay_kind_t)__builtin_ctzll(mask);
            piece.weight = steps->values[piece.kind];
            request->take(request->context, examined->worker, &piece);
        }
        time = piece.to;
    }
}

/* Where the walk through the steps stands. */
struct position {
    size_t begin, end, dead_end, part; /* the next ones */
    bool inside;                       /* part `part` */
    struct steps waiting;              /* for the location, without those that are in a dead end */
    struct steps stuck;                /* in a dead end */
    struct steps entered;              /* as sent to the window */
};

static uint64_t next_time(const struct fm_blamed_location *examined,
                          const struct position *position)
{
    const struct fm_blame_scratch *scratch = examined->scratch;
    uint64_t next = UINT64_MAX;
    if (position->end < scratch->arrivals.count) {
        next = examined->caused->waits.items[scratch->arrivals.items[position->end]].t;
    }
    if (position->begin < scratch->begins.count &&
        scratch->begins.items[position->begin].key < next) {
        next = scratch->begins.items[position->begin].key;
    }
    if (position->dead_end < scratch->dead_end_times.count &&
        scratch->dead_end_times.items[position->dead_end].key < next) {
        next = scratch->dead_end_times.items[position->dead_end].key;
    }
    if (position->part < scratch->parts.count) {
        const struct fm_waiting_part *part = &scratch->parts.items[position->part];
        uint64_t boundary = position->inside ? part->to : part->from;
        next = boundary < next ? boundary : next;
    }
    return next;
}

static void take_steps(const struct fm_blamed_location *examined, struct position *position,
                       uint64_t time)
{
    const struct fm_blame_scratch *scratch = examined->scratch;
    const struct fm_caused_wait *waits = examined->caused->waits.items;
    for (; position->begin < scratch->begins.count &&
           scratch->begins.items[position->begin].key == time;
         position->begin++) {
        uint32_t arrival = scratch->begins.items[position->begin].value;
        step(&position->waiting, waits[arrival].delay_kind, scratch->weights.items[arrival]);
    }
    for (; position->end < scratch->arrivals.count &&
           waits[scratch->arrivals.items[position->end]].t == time;
         position->end++) {
        uint32_t arrival = scratch->arrivals.items[position->end];
        step(&position->waiting, waits[arrival].delay_kind, 0 - scratch->weights.items[arrival]);
    }
    for (; position->dead_end < scratch->dead_end_times.count &&
           scratch->dead_end_times.items[position->dead_end].key == time;
         position->dead_end++) {
        uint32_t number = scratch->dead_end_times.items[position->dead_end].value;
        const struct fm_dead_end *dead_end = &scratch->dead_ends.items[number / 2];
        uint64_t change = number % 2 == 0 ? dead_end->weight : 0 - dead_end->weight;
        step(&position->stuck, dead_end->kind, change);
        step(&position->waiting, dead_end->kind, 0 - change);
    }
}

/* Sends what has changed in the steps that enter a waiting part. */
static void send_entered(const struct fm_blamed_location *examined, struct position *position,
                         uint64_t time, bool inside, uint32_t window)
{
    struct fm_blame_run *run = examined->run;
    for (uint64_t mask = position->entered.mask | (inside ? position->waiting.mask : 0); mask != 0;
         mask &= mask - 1) {
        uint32_t kind = (uint32_t)__builtin_ctzll(mask);
        uint64_t change =
            (inside ? position->waiting.values[kind] : 0) - position->entered.values[kind];
        if (change != 0) {
            step(&position->entered, kind, change);
            fm_dispatch_send(run->changes, examined->worker, run->homes[window],
                             &(struct fm_blame_change){.time = time,
                                                       .weight = change,
                                                       .location = examined->number,
                                                       .window = (uint16_t)window,
                                                       .kind = (uint16_t)kind});
        }
    }
}

/* The location is a link in chains: sends what it depends on itself. */
static void send_wait(const struct fm_blamed_location *examined, const struct fm_waiting_part *part)
{
    const struct fm_wait *wait = &examined->busy_time->waits.items[part->wait];
    struct fm_blame_tie tie = {.from = part->from,
                               .to = part->to,
                               .until = wait->until,
                               .location = examined->number,
                               .other = wait->cause_location,
                               .type = FM_TIE_WAIT};
    const fm_delay_kind_t kind = fm_delay_kind((fm_metric_t)wait->metric);
    size_t count = 0;
    const struct fm_lock_claim *claims = NULL;
    if (examined->view != NULL && fm_charge_of(kind) != FM_CHARGE_DELAY) {
        const struct fm_lock_claim wanted = {.until = wait->until,
                                             .enter = wait->enter,
                                             .waiter = examined->number,
                                             .cause = wait->cause_location};
        count = fm_lock_claims_find(&examined->view->waiting, &wanted, &claims);
    }
    if (count == 0) {
        fm_blame_send_tie(examined, tie);
        return;
    }
    tie.other = FM_NONE;
    for (size_t i = 0; i < count; i++) {
        tie.from = claims[i].from > part->from ? claims[i].from : part->from;
        tie.to = claims[i].to < part->to ? claims[i].to : part->to;
        tie.succession = claims[i].succession;
        if (tie.from < tie.to) {
            fm_blame_send_tie(examined, tie);
        }
    }
}

/* Enters and leaves waiting parts at a time: those that others do not enter do not matter. */
static void pass_parts(const struct fm_blamed_location *examined, struct position *position,
                       uint64_t time)
{
    const struct fm_blame_scratch *scratch = examined->scratch;
    if (position->inside && scratch->parts.items[position->part].to == time) {
        send_entered(examined, position, time, false, scratch->parts.items[position->part].window);
        position->inside = false;
        position->part++;
    }
    while (!position->inside && position->part < scratch->parts.count &&
           !scratch->parts.items[position->part].is_entered) {
        position->part++;
    }
    if (!position->inside && position->part < scratch->parts.count &&
        scratch->parts.items[position->part].from == time) {
        send_wait(examined, &scratch->parts.items[position->part]);
        position->inside = true;
    }
    if (position->inside) {
        send_entered(examined, position, time, true, scratch->parts.items[position->part].window);
    }
}

static void go_through(struct fm_blamed_location *examined)
{
    struct position position = {0};
    pass_parts(examined, &position, UINT64_MAX);
    uint64_t time = 0;
    for (uint64_t next; (next = next_time(examined, &position)) != UINT64_MAX; time = next) {
        if (!position.inside && position.waiting.mask != 0) {
            blame(examined, time, next, &position.waiting);
        }
        if (position.stuck.mask != 0) {
            blame(examined, time, next, &position.stuck);
        }
        take_steps(examined, &position, next);
        pass_parts(examined, &position, next);
    }
}

void fm_blame_location(struct fm_blame_run *run, unsigned worker, uint32_t location)
{
    struct fm_blamed_location examined = {
        .run = run,
        .scratch = &run->scratch[worker],
        .worker = worker,
        .number = location,
        .busy_time = &run->formation->busy_times[location],
        .caused = &run->formation->caused[location],
        .view = fm_lock_holders_view(run->formation->analysis->lock_holders, location),
    };
    if (examined.view != NULL) {
        fm_blame_send_spans(&examined);
    }
    if (examined.caused->waits.count == 0 &&
        (examined.view == NULL || examined.view->spans.count == 0)) {
        return;
    }
    fm_blame_list_waits(&examined);
    if (run->each != NULL) {
        follow_each(&examined);
    }
    go_through(&examined);
}

void fm_blame_by_chains(struct fm_blame_run *run, unsigned worker, uint32_t location)
{
    struct fm_blame_scratch *scratch = &run->scratch[worker];
    const fm_blame_changes *changes = &run->blamed[location];
    struct fm_blamed_location examined = {
        .run = run,
        .scratch = scratch,
        .worker = worker,
        .number = location,
        .busy_time = &run->formation->busy_times[location],
    };
    scratch->begins.count = scratch->spare.count = 0;
    fm_vector_reserve(&scratch->begins, changes->count);
    fm_vector_reserve(&scratch->spare, changes->count);
    for (size_t i = 0; i < changes->count; i++) {
        scratch->begins.items[i] = (struct fm_keyed){changes->items[i].time, (uint32_t)i};
    }
    fm_keyed_sort(scratch->begins.items, changes->count, scratch->spare.items);
    struct steps steps = {0};
    uint64_t time = 0;
    for (size_t i = 0; i < changes->count; i++) {
        const struct fm_blame_change *change = &changes->items[scratch->begins.items[i].value];
        if (change->time != time && steps.mask != 0) {
            blame(&examined, time, change->time, &steps);
        }
        time = change->time;
        step(&steps, change->kind, change->weight);
    }
}

void fm_blame_scratch_free(struct fm_blame_scratch *scratch)
{
    fm_vector_free(&scratch->parts);
    fm_vector_free(&scratch->begins);
    fm_vector_free(&scratch->spare);
    fm_vector_free(&scratch->weights);
    fm_vector_free(&scratch->arrivals);
    fm_vector_free(&scratch->dead_ends);
    fm_vector_free(&scratch->dead_end_times);
    fm_vector_free(&scratch->boundaries);
    fm_vector_free(&scratch->active);
    fm_vector_free(&scratch->holders);
}
