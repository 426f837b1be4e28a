/* SPDX-License-Identifier: BSD-3-Clause */
/* Propagation of wait states: computes the waiting that each wait state has caused in turn (phi).
 *
 * A location processes its own wait states and those that it caused, from the latest to the
 * earliest. The phi of an own wait state is complete when the walk reaches it; it is sent to the
 * location that caused the wait state, which distributes it over its own earlier wait states. A
 * location continues as long as it has received the phi of the next wait state that it caused. All
 * values of a location are computed in this order and by one worker, so that the result does not
 * depend on the distribution of work.
 *
 * Phi between locations of one worker is written directly; between workers and processes it is sent
 * in messages. */
#include "analysis/causes/caused_waits.h"
#include "analysis/causes/time_windows.h"
#include "engine/dispatch/dispatch.h"
#include "engine/mailbox/mailbox.h"

#include <math.h>

/* Number of wait states in a time window: they and their intermediate results fit in a cache. */
#define WAITS_AT_HAND 4096

/* Fixed-point numbers: a sum of costs of different size is exact, and 0 after all summands are
 * subtracted again. Sums below 2^72 fit; phi is at most all waiting of the run, which is below 2^64
 * ticks. */
typedef unsigned __int128 fixed_point;
#define FIXED_POINT_ONE 0x1p56

/* From the waiter to the causing location. */
struct phi_message {
    double phi;
    uint32_t location; /* causing location */
    uint32_t position; /* among the wait states that it has caused */
};

/* One location's progress from its latest wait state to its earliest. */
struct walk {
    uint32_t own_left;    /* own wait states not yet propagated: 0 .. own_left - 1 */
    uint32_t caused_left; /* wait states caused by this location that are not yet distributed */
    struct fm_caused_waits *caused;
    const struct fm_wait_list *waits;
    fixed_point factor;   /* phi per tick of the current wait state */
    fixed_point *changes; /* by own wait state: added to `factor` when the walk reaches it */
    double *extra;        /* phi of wait states that lie only partly in an interval; NULL: none */
    bool is_through;      /* all wait states in the worker's window are processed */
};

/* State of a worker. All of its locations process the same time window, so that their data stay in
 * the cache; the worker moves to the next window when all of them are through. */
struct place {
    uint64_t begin;
    uint32_t window;
    uint32_t not_through; /* locations */
    uint32_t first_location, last_location;
    FM_VECTOR(uint32_t) ready; /* locations that can continue */
    unsigned char apart[FM_APART];
};

struct propagation {
    struct fm_formation *formation;
    struct fm_caused_waits *caused; /* by location */
    const bool *stops;              /* by kind: propagates nothing; NULL: all propagate */
    struct walk *walks;             /* by location */
    struct fm_time_windows windows;
    struct fm_dispatch *terminals;
    struct place *places; /* by worker */
};

static bool is_at(const struct place *place, uint32_t location)
{
    return place->first_location <= location && location < place->last_location;
}

/* ---- phi of a location's own wait states ---- */

static fixed_point to_fixed_point(double number)
{
    double scaled = number * FIXED_POINT_ONE;
    return scaled < 0x1p62 ? (uint64_t)scaled : (fixed_point)scaled;
}

static double from_fixed_point(fixed_point number)
{
    double high = (double)(uint64_t)(number >> 64), low = (double)(uint64_t)number;
    return (high * 0x1p64 + low) / FIXED_POINT_ONE;
}

/* Adds `factor` to the wait states first .. last, none of which the walk has reached. */
static void add_factor(struct walk *walk, uint32_t first, uint32_t last, double factor)
{
    fixed_point change = to_fixed_point(factor);
    walk->changes[last] += change;
    if (first > 0) {
        walk->changes[first - 1] -= change;
    }
}

/* Moves to a wait state; called once for each, from the last to the first. */
static void come_to(struct walk *walk, uint32_t number)
{
    walk->factor += walk->changes[number];
}

/* @return phi of the current wait state */
static double phi_of(const struct walk *walk, uint32_t number)
{
    return from_fixed_point(walk->factor) * (double)fm_wait_ticks(&walk->waits->items[number]) +
           (walk->extra == NULL ? 0 : walk->extra[number]);
}

/* Distributes the costs of a wait state over the own wait states that caused it. */
static void distribute(const struct propagation *propagation, struct walk *walk,
                       const struct fm_caused_wait *wait)
{
    if (wait->inner >= wait->inner_end ||
        (propagation->stops != NULL && propagation->stops[wait->delay_kind])) {
        return;
    }
    const double *extras = walk->caused->parts.items + wait->first;
    uint32_t first = wait->inner;
    double cut = wait->traits & FM_CAUSED_CUT ? *extras++ : 0;
    double cost = (double)wait->wait + wait->phi;
    double amount = (wait->traits & FM_CAUSED_PARTLY ? *extras * cost : cost) / wait->whole;
    if (amount == 0) {
        return;
    }
    if (wait->traits & FM_CAUSED_CUT) {
        if (walk->extra == NULL) {
            walk->extra = fm_allocate(walk->waits->count, sizeof *walk->extra);
        }
        walk->extra[first++] += amount * cut;
    }
    if (first < wait->inner_end) {
        add_factor(walk, first, wait->inner_end - 1, amount);
    }
}

/* ---- terminal wait states ---- */

static void sum_up_covers(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    struct propagation *propagation = context;
    const struct fm_trace *trace = propagation->formation->analysis->trace;
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last); ++l) {
        fm_wait_list_sum_up(&propagation->formation->busy_times[l].waits);
    }
}

/* @return whether a wait state is in no interval that caused waiting. If this process owns both the
 * waiting and the causing location, both call this function; otherwise the waiting location sends
 * the result to the causing one. */
static bool is_terminal(const struct propagation *propagation, uint32_t waiter, uint32_t number)
{
    return propagation->formation->busy_times[waiter].waits.covers[number] == 0;
}

static bool is_owned(const struct propagation *propagation, uint32_t location)
{
    const struct fm_analysis *analysis = propagation->formation->analysis;
    return fm_engine_owns(analysis->engine, fm_trace_process(analysis->trace, location));
}

/* Sent to the causing location: position of a terminal wait state there. */
struct terminal_message {
    uint32_t location;
    uint32_t position;
};

static void take_terminal(void *context, unsigned worker, uint32_t process, const void *record)
{
    (void)worker;
    (void)process;
    struct propagation *propagation = context;
    const struct terminal_message *message = record;
    propagation->caused[message->location].waits.items[message->position].phi = 0;
}

static void tell_terminal(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct propagation *propagation = context;
    const struct fm_trace *trace = propagation->formation->analysis->trace;
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last); ++l) {
        const struct fm_wait_list *waits = &propagation->formation->busy_times[l].waits;
        for (uint32_t n = 0; n < waits->count; ++n) {
            struct terminal_message message = {waits->items[n].cause_location, waits->positions[n]};
            if (is_terminal(propagation, l, n) && !is_owned(propagation, message.location)) {
                fm_dispatch_send(propagation->terminals, worker,
                                 fm_trace_process(trace, message.location), &message);
            }
        }
    }
}

/* Sends the terminal wait states to those causing locations that other processes own. */
static void tell_all_terminals(struct propagation *propagation)
{
    struct fm_engine *engine = propagation->formation->analysis->engine;
    propagation->terminals =
        fm_dispatch_create(engine, sizeof(struct terminal_message), take_terminal, propagation);
    fm_dispatch_run(propagation->terminals, tell_terminal, propagation);
    fm_dispatch_free(propagation->terminals);
}

/* ---- transfer of phi ---- */

static bool is_told(const struct fm_caused_wait *wait)
{
    return wait->phi == wait->phi;
}

/* Stores phi at a location of this worker. The location is ready if its walk waits for this phi. */
static void take_phi(struct propagation *propagation, unsigned worker,
                     const struct phi_message *message)
{
    struct walk *walk = &propagation->walks[message->location];
    walk->caused->waits.items[message->position].phi = message->phi;
    if (message->position == walk->caused_left - 1) {
        fm_vector_push(&propagation->places[worker].ready, message->location);
    }
}

static void tell_phi(struct propagation *propagation, struct fm_mailboxes *mailboxes,
                     unsigned worker, uint32_t location, uint32_t number)
{
    const struct fm_analysis *analysis = propagation->formation->analysis;
    struct walk *walk = &propagation->walks[location];
    struct fm_wait *wait = &walk->waits->items[number];
    come_to(walk, number);
    if (is_terminal(propagation, location, number)) {
        return;
    }
    struct phi_message message = {
        .phi = phi_of(walk, number),
        .location = wait->cause_location,
        .position = walk->waits->positions[number],
    };
    if (propagation->stops == NULL) {
        wait->propagates = message.phi > 0;
    }
    if (is_at(&propagation->places[worker], message.location)) {
        take_phi(propagation, worker, &message);
    } else {
        fm_mailbox_send(mailboxes, worker, fm_trace_process(analysis->trace, message.location),
                        &message, sizeof message);
    }
}

static bool has_caused_in(const struct walk *walk, uint64_t begin)
{
    return walk->caused_left > 0 && walk->caused->waits.items[walk->caused_left - 1].t >= begin;
}

/* Advances a location until the phi of its next caused wait state is missing, or the window
 * ends. */
static void advance(struct propagation *propagation, struct fm_mailboxes *mailboxes,
                    unsigned worker, uint32_t location)
{
    struct walk *walk = &propagation->walks[location];
    struct fm_caused_wait *caused = walk->caused->waits.items;
    const struct fm_wait *waits = walk->waits->items;
    struct place *place = &propagation->places[worker];
    uint64_t window = place->begin;
    for (;;) {
        /* At equal times the caused wait states come first: they are later effects than the
         * location's own waiting. */
        if (walk->caused_left > 0 && (walk->own_left == 0 || caused[walk->caused_left - 1].t >=
                                                                 waits[walk->own_left - 1].until)) {
            struct fm_caused_wait *wait = &caused[walk->caused_left - 1];
            if (!is_told(wait)) {
                if (!is_owned(propagation, wait->waiter) ||
                    !is_terminal(propagation, wait->waiter, wait->number)) {
                    break;
                }
                wait->phi = 0;
            }
            distribute(propagation, walk, wait);
            --walk->caused_left;
        } else if (walk->own_left > 0 && waits[walk->own_left - 1].until >= window) {
            tell_phi(propagation, mailboxes, worker, location, --walk->own_left);
        } else {
            break;
        }
    }
    if (!walk->is_through && !has_caused_in(walk, window)) {
        walk->is_through = true;
        --place->not_through;
    }
}

static void advance_ready(struct propagation *propagation, struct fm_mailboxes *mailboxes,
                          unsigned worker)
{
    struct place *place = &propagation->places[worker];
    while (place->ready.count > 0) {
        advance(propagation, mailboxes, worker, place->ready.items[--place->ready.count]);
    }
}

/* Begins the next (earlier) window, as long as the current one is finished. Missing phi depends
 * only on later times, so that at least one worker can always continue.
 * @return whether a window was begun */
static bool move_window(struct propagation *propagation, struct fm_mailboxes *mailboxes,
                        unsigned worker)
{
    struct place *place = &propagation->places[worker];
    uint32_t window = place->window;
    while (place->not_through == 0 && place->window > 0) {
        --place->window;
        place->begin = place->window == 0 ? 0 : propagation->windows.ends[place->window - 1] + 1;
        place->not_through = place->last_location - place->first_location;
        for (uint32_t l = place->first_location; l < place->last_location; ++l) {
            propagation->walks[l].is_through = false;
            advance(propagation, mailboxes, worker, l);
        }
        advance_ready(propagation, mailboxes, worker);
    }
    return place->window != window;
}

static void begin(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct propagation *propagation = context;
    const struct fm_trace *trace = propagation->formation->analysis->trace;
    struct place *place = &propagation->places[worker];
    *place = (struct place){
        .begin = UINT64_MAX,
        .window = propagation->windows.count,
        .first_location = fm_trace_first_location(trace, first),
        .last_location = fm_trace_first_location(trace, last),
    };
    for (uint32_t l = place->first_location; l < place->last_location; ++l) {
        const struct fm_wait_list *waits = &propagation->formation->busy_times[l].waits;
        propagation->walks[l] = (struct walk){
            .own_left = waits->count,
            .caused_left = (uint32_t)propagation->caused[l].waits.count,
            .caused = &propagation->caused[l],
            .waits = waits,
            .changes = fm_allocate(waits->count, sizeof(fixed_point)),
        };
    }
}

static void start(void *context, struct fm_mailboxes *mailboxes, unsigned worker, uint32_t first,
                  uint32_t last)
{
    struct propagation *propagation = context;
    begin(propagation, worker, first, last);
    move_window(propagation, mailboxes, worker);
}

static void handle(void *context, struct fm_mailboxes *mailboxes, unsigned worker, uint32_t process,
                   const void *content, size_t size)
{
    (void)process;
    (void)size;
    struct propagation *propagation = context;
    take_phi(propagation, worker, content);
    advance_ready(propagation, mailboxes, worker);
    move_window(propagation, mailboxes, worker);
}

/* ---- the stages ---- */

static void close_walks(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    struct propagation *propagation = context;
    const struct fm_trace *trace = propagation->formation->analysis->trace;
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last); ++l) {
        fm_free(propagation->walks[l].changes);
        fm_free(propagation->walks[l].extra);
    }
}

/* @return whether all locations have processed all wait states: no location waits for phi
 * forever */
static bool is_complete(const struct propagation *propagation)
{
    const struct fm_analysis *analysis = propagation->formation->analysis;
    for (uint32_t l = 0; l < analysis->trace->location_count; ++l) {
        if (propagation->walks[l].own_left != 0 || propagation->walks[l].caused_left != 0) {
            return false;
        }
    }
    return true;
}

/* Computes phi of the wait states of which it is not known. */
static void propagate(struct fm_formation *formation, struct fm_caused_waits *caused,
                      const bool *stops)
{
    unsigned workers = fm_engine_workers(formation->analysis->engine);
    struct propagation propagation = {
        .formation = formation,
        .caused = caused,
        .stops = stops,
        .walks = fm_allocate(formation->analysis->trace->location_count, sizeof(struct walk)),
        .windows = fm_time_windows_choose(
            formation->times, formation->analysis->trace->location_count, WAITS_AT_HAND),
        .places = fm_allocate_apart(workers, sizeof(struct place)),
    };
    if (stops == NULL) {
        fm_engine_run(formation->analysis->engine, sum_up_covers, &propagation);
        tell_all_terminals(&propagation);
    }
    fm_mailboxes_run(formation->analysis->engine, start, handle, &propagation);
    formation->is_circular = !is_complete(&propagation);
    fm_engine_run(formation->analysis->engine, close_walks, &propagation);
    fm_time_windows_free(&propagation.windows);
    for (unsigned w = 0; w < workers; ++w) {
        fm_vector_free(&propagation.places[w].ready);
    }
    fm_free(propagation.places);
    fm_free(propagation.walks);
}

void fm_propagate(struct fm_formation *formation, struct fm_caused_waits *caused)
{
    propagate(formation, caused, NULL);
}

/* Forgets what was propagated. A wait state that has caused nothing still causes nothing. */
static void forget(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    struct fm_formation *formation = context;
    const struct fm_trace *trace = formation->analysis->trace;
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last); ++l) {
        struct fm_caused_waits *caused = &formation->caused[l];
        for (size_t i = 0; i < caused->waits.count; ++i) {
            if (caused->waits.items[i].phi != 0) {
                caused->waits.items[i].phi = NAN;
            }
        }
    }
}

void fm_propagate_without(struct fm_formation *formation, const bool *stops)
{
    fm_engine_run(formation->analysis->engine, forget, formation);
    propagate(formation, formation->caused, stops);
}
