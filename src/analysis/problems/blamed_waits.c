/* A record goes from location to location: "from .. to, this client depends on you". The location
 * divides it: while it does not wait, its call paths are blamed; while it waits, the client depends
 * on the location that it waits for, or on the holders of the lock, to which parts of the record go
 * on. */
#include "analysis/problems/blamed_waits.h"

#include "analysis/one_sided/holders/lock_holders.h"
#include "base/containers/sort.h"
#include "engine/mailbox/mailbox.h"

#include <string.h>

/* A client depends on a location. */
struct dependence {
    uint64_t client;
    uint64_t from, to;
    uint64_t until;       /* wait states that end later are not followed */
    uint64_t first_until; /* of a succession: end of the first wait state; 0: none */
    uint32_t location;
    uint32_t is_wait;
    uint32_t charge; /* enum fm_charge, by the wait state at which the chain begins */
    uint32_t length; /* of the chain so far */
};

struct worker_state {
    FM_VECTOR(struct fm_blamed_piece) pieces;
    FM_VECTOR(struct dependence) ready; /* for locations of this worker */
    uint32_t first_location, last_location;
    unsigned char apart[FM_APART];
};

struct search {
    const struct fm_formation *formation;
    const struct fm_shown_problems *shown;
    struct fm_holder_span *spans; /* of all processes, by succession and time */
    size_t span_count;
    uint8_t **numbers; /* [location]: [node][FM_CHARGES]: problem; NULL: not known yet */
    struct worker_state *workers;
};

/* ---- locks ---- */

static const struct fm_lock_view *view_of(const struct fm_formation *formation, uint32_t location)
{
    return fm_lock_holders_view(formation->analysis->lock_holders, location);
}

/* Finds the claims of a wait state: where several locks were waited for until the same tick, those
 * of the first one. @return their number */
static size_t find_claims(const struct fm_formation *formation, uint32_t location,
                          const struct fm_wait *wait, const struct fm_lock_claim **claims)
{
    const struct fm_lock_view *view = view_of(formation, location);
    if (view == NULL) {
        return 0;
    }
    const fm_lock_claims *waiting = &view->waiting;
    size_t low = 0, high = waiting->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (waiting->items[middle].until < wait->until) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    while (low < waiting->count && waiting->items[low].until == wait->until &&
           (waiting->items[low].cause != wait->cause_location ||
            waiting->items[low].enter != wait->enter)) {
        ++low;
    }
    size_t end = low;
    while (end < waiting->count && waiting->items[end].until == wait->until &&
           waiting->items[end].wait == waiting->items[low].wait) {
        ++end;
    }
    *claims = waiting->items + low;
    return end - low;
}

static enum fm_charge charge_of(const struct fm_wait *wait)
{
    return fm_charge_of(fm_delay_kind((fm_metric_t)wait->metric));
}

static int compare_spans(const void *left, const void *right)
{
    const struct fm_holder_span *a = left, *b = right;
    if (a->succession != b->succession) {
        return a->succession < b->succession ? -1 : 1;
    }
    return a->from < b->from ? -1 : a->from > b->from;
}

/* Gives all processes the holders of all successions. */
static void share_spans(struct search *search)
{
    const struct fm_analysis *analysis = search->formation->analysis;
    FM_VECTOR(struct fm_holder_span) own = {0};
    for (uint32_t l = 0; l < analysis->trace->location_count; ++l) {
        if (!fm_engine_owns(analysis->engine, fm_trace_process(analysis->trace, l))) {
            continue;
        }
        const struct fm_lock_view *view = view_of(search->formation, l);
        for (size_t i = 0; view != NULL && i < view->spans.count; ++i) {
            fm_vector_push(&own, view->spans.items[i]);
        }
    }
    size_t bytes;
    search->spans = fm_team_share(analysis->team, own.items, own.count * sizeof *own.items, &bytes);
    search->span_count = bytes / sizeof *own.items;
    fm_sort(search->spans, search->span_count, sizeof *search->spans, compare_spans);
    fm_vector_free(&own);
}

/* @return number of the first span of a succession that ends after `time`, or of what is behind */
static size_t span_behind(const struct search *search, uint64_t succession, uint64_t time)
{
    size_t low = 0, high = search->span_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct fm_holder_span *span = &search->spans[middle];
        if (span->succession < succession || (span->succession == succession && span->to <= time)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* ---- at a location ---- */

static const uint8_t *numbers_of(struct search *search, uint32_t location)
{
    const struct fm_analysis *analysis = search->formation->analysis;
    if (search->numbers[location] == NULL) {
        search->numbers[location] =
            fm_allocate(analysis->trace->locations[location].profile.count + 1, FM_CHARGES);
        fm_shown_problems_of(search->shown, analysis, location, search->numbers[location]);
    }
    return search->numbers[location];
}

static bool is_same_client(const struct fm_blamed_piece *a, const struct fm_blamed_piece *b)
{
    return a->client == b->client && a->is_wait == b->is_wait && a->until == b->until &&
           a->is_dead_end == b->is_dead_end;
}

static void add_piece(struct worker_state *state, const struct fm_blamed_piece *piece)
{
    if (piece->problem == FM_NOT_SHOWN || piece->from >= piece->to) {
        return;
    }
    if (state->pieces.count > 0) {
        struct fm_blamed_piece *last = &state->pieces.items[state->pieces.count - 1];
        if (is_same_client(last, piece) && last->problem == piece->problem &&
            last->to == piece->from) {
            last->to = piece->to;
            return;
        }
    }
    fm_vector_push(&state->pieces, *piece);
}

/* Blames a problem from `from` to `to`. */
static void blame(struct worker_state *state, const struct dependence *dependence, uint8_t problem,
                  uint64_t from, uint64_t to)
{
    add_piece(state, &(struct fm_blamed_piece){
                         .client = dependence->client,
                         .from = from,
                         .to = to,
                         .until = dependence->first_until,
                         .problem = problem,
                         .is_wait = (uint16_t)dependence->is_wait,
                     });
}

/* Blames what the location does from `from` to `to`, while it does not wait. */
static void blame_activities(struct search *search, struct worker_state *state,
                             const struct dependence *dependence, uint64_t from, uint64_t to)
{
    const struct fm_busy_time *busy_time = &search->formation->busy_times[dependence->location];
    const uint8_t *numbers = numbers_of(search, dependence->location);
    struct fm_busy_time_walk walk = {0};
    while (from < to) {
        fm_busy_time_look(busy_time, &walk, from);
        uint64_t end = walk.until < to ? walk.until : to;
        blame(state, dependence,
              walk.visit == busy_time->nodes
                  ? search->shown->unattributed
                  : numbers[(size_t)walk.visit * FM_CHARGES + dependence->charge],
              from, end);
        from = end;
    }
}

static bool is_at(const struct worker_state *state, uint32_t location)
{
    return state->first_location <= location && location < state->last_location;
}

static void send(struct search *search, struct fm_mailboxes *mailboxes, unsigned worker,
                 const struct dependence *dependence)
{
    const struct fm_trace *trace = search->formation->analysis->trace;
    if (is_at(&search->workers[worker], dependence->location)) {
        fm_vector_push(&search->workers[worker].ready, *dependence);
    } else {
        fm_mailbox_send(mailboxes, worker, fm_trace_process(trace, dependence->location),
                        dependence, sizeof *dependence);
    }
}

/* The location waits from `from` to `to`: the client depends on what it waits for. */
static void follow(struct search *search, struct fm_mailboxes *mailboxes, unsigned worker,
                   const struct dependence *dependence, const struct fm_wait *wait, uint64_t from,
                   uint64_t to)
{
    struct dependence next = *dependence;
    next.until = wait->until;
    if (!dependence->is_wait && dependence->length == 0) {
        next.first_until = wait->until;
    }
    ++next.length;
    const struct fm_lock_claim *claims;
    size_t count = charge_of(wait) == FM_CHARGE_CONTENTION
                       ? find_claims(search->formation, dependence->location, wait, &claims)
                       : 0;
    for (size_t c = 0; c < count; ++c) {
        uint64_t begin = claims[c].from > from ? claims[c].from : from;
        uint64_t end = claims[c].to < to ? claims[c].to : to;
        for (size_t s = span_behind(search, claims[c].succession, begin);
             s < search->span_count && search->spans[s].succession == claims[c].succession &&
             search->spans[s].from < end;
             ++s) {
            next.location = search->spans[s].location;
            next.from = search->spans[s].from > begin ? search->spans[s].from : begin;
            next.to = search->spans[s].to < end ? search->spans[s].to : end;
            send(search, mailboxes, worker, &next);
        }
    }
    if (count == 0) {
        next.location = wait->cause_location;
        next.from = from;
        next.to = to;
        send(search, mailboxes, worker, &next);
    }
}

/* Divides a record among what its location does and waits for. */
static void divide(struct search *search, struct fm_mailboxes *mailboxes, unsigned worker,
                   const struct dependence *dependence)
{
    struct worker_state *state = &search->workers[worker];
    const struct fm_location *location =
        &search->formation->analysis->trace->locations[dependence->location];
    const struct fm_wait_list *waits = &search->formation->busy_times[dependence->location].waits;
    uint32_t limit = 2 * search->formation->analysis->trace->location_count + 16;
    uint64_t at = dependence->from;
    for (uint32_t w = fm_wait_list_behind(waits, at); at < dependence->to; ++w) {
        const struct fm_wait *wait = &waits->items[w];
        if (w >= waits->count || wait->enter >= dependence->to) {
            blame_activities(search, state, dependence, at, dependence->to);
            return;
        }
        uint64_t from = wait->enter > at ? wait->enter : at;
        uint64_t to = wait->until < dependence->to ? wait->until : dependence->to;
        blame_activities(search, state, dependence, at, from);
        size_t visit = location->visit.items[wait->activity];
        uint8_t at_call =
            numbers_of(search, dependence->location)[visit * FM_CHARGES + dependence->charge];
        if (wait->until > dependence->until || dependence->length > limit) {
            blame(state, dependence, at_call, from, to);
        } else {
            if (!dependence->is_wait && dependence->length == 0) {
                add_piece(state, &(struct fm_blamed_piece){.client = dependence->client,
                                                           .from = from,
                                                           .to = to,
                                                           .until = wait->until,
                                                           .problem = at_call,
                                                           .is_dead_end = 1});
            }
            follow(search, mailboxes, worker, dependence, wait, from, to);
        }
        at = to > at ? to : at;
    }
}

static void divide_ready(struct search *search, struct fm_mailboxes *mailboxes, unsigned worker)
{
    struct worker_state *state = &search->workers[worker];
    while (state->ready.count > 0) {
        struct dependence dependence = state->ready.items[--state->ready.count];
        divide(search, mailboxes, worker, &dependence);
    }
}

/* ---- the clients ---- */

/* Begins with the spans in which a location is the holder of a lock. */
static void begin_successions(struct search *search, struct fm_mailboxes *mailboxes,
                              unsigned worker, uint32_t location)
{
    const struct fm_lock_view *view = view_of(search->formation, location);
    for (size_t i = 0; view != NULL && i < view->spans.count; ++i) {
        const struct fm_holder_span *span = &view->spans.items[i];
        divide(search, mailboxes, worker,
               &(struct dependence){
                   .client = span->succession,
                   .from = span->from,
                   .to = span->to,
                   .until = UINT64_MAX,
                   .location = location,
                   .charge = FM_CHARGE_CONTENTION,
               });
        divide_ready(search, mailboxes, worker);
    }
}

/* Begins with a location's waits for progress, and for locks whose holders are not known. */
static void begin_waits(struct search *search, struct fm_mailboxes *mailboxes, unsigned worker,
                        uint32_t location)
{
    const struct fm_wait_list *waits = &search->formation->busy_times[location].waits;
    for (uint32_t w = 0; w < waits->count; ++w) {
        const struct fm_wait *wait = &waits->items[w];
        const struct fm_lock_claim *claims;
        enum fm_charge charge = charge_of(wait);
        if (charge == FM_CHARGE_DELAY ||
            (charge == FM_CHARGE_CONTENTION &&
             find_claims(search->formation, location, wait, &claims) > 0)) {
            continue;
        }
        send(search, mailboxes, worker,
             &(struct dependence){
                 .client = (uint64_t)location << 32 | w,
                 .from = wait->enter,
                 .to = wait->until,
                 .until = wait->until,
                 .location = wait->cause_location,
                 .is_wait = 1,
                 .charge = charge,
             });
        divide_ready(search, mailboxes, worker);
    }
}

static void start(void *context, struct fm_mailboxes *mailboxes, unsigned worker, uint32_t first,
                  uint32_t last)
{
    struct search *search = context;
    const struct fm_trace *trace = search->formation->analysis->trace;
    struct worker_state *state = &search->workers[worker];
    state->first_location = fm_trace_first_location(trace, first);
    state->last_location = fm_trace_first_location(trace, last);
    for (uint32_t l = state->first_location; l < state->last_location; ++l) {
        begin_successions(search, mailboxes, worker, l);
        begin_waits(search, mailboxes, worker, l);
    }
}

static void take_dependence(void *context, struct fm_mailboxes *mailboxes, unsigned worker,
                            uint32_t process, const void *content, size_t size)
{
    (void)process;
    struct search *search = context;
    struct dependence dependence;
    memcpy(&dependence, content, size);
    divide(search, mailboxes, worker, &dependence);
    divide_ready(search, mailboxes, worker);
}

/* ---- the result ---- */

/* Pieces of one client and sort follow one another in time. */
static int compare_clients(const struct fm_blamed_piece *a, const struct fm_blamed_piece *b)
{
    if (a->is_wait != b->is_wait) {
        return a->is_wait < b->is_wait ? -1 : 1;
    }
    if (a->client != b->client) {
        return a->client < b->client ? -1 : 1;
    }
    return a->is_dead_end < b->is_dead_end ? -1 : a->is_dead_end > b->is_dead_end;
}

static int compare_pieces(const void *left, const void *right)
{
    const struct fm_blamed_piece *a = left, *b = right;
    int order = compare_clients(a, b);
    if (order != 0) {
        return order;
    }
    if (a->from != b->from) {
        return a->from < b->from ? -1 : 1;
    }
    return a->problem < b->problem ? -1 : a->problem > b->problem;
}

struct fm_blamed_waits fm_blamed_waits_find(const struct fm_formation *formation,
                                            const struct fm_shown_problems *shown)
{
    const struct fm_analysis *analysis = formation->analysis;
    unsigned workers = fm_engine_workers(analysis->engine);
    struct fm_blamed_waits blamed = {.formation = formation};
    struct search search = {
        .formation = formation,
        .shown = shown,
        .numbers = fm_allocate(analysis->trace->location_count, sizeof *search.numbers),
        .workers = fm_allocate_apart(workers, sizeof *search.workers),
    };
    share_spans(&search);
    fm_mailboxes_run(analysis->engine, start, take_dependence, &search);
    FM_VECTOR(struct fm_blamed_piece) own = {0};
    for (unsigned w = 0; w < workers; ++w) {
        struct worker_state *state = &search.workers[w];
        fm_vector_reserve(&own, state->pieces.count);
        for (size_t i = 0; i < state->pieces.count; ++i) {
            own.items[own.count++] = state->pieces.items[i];
        }
        fm_vector_free(&state->pieces);
        fm_vector_free(&state->ready);
    }
    fm_team_share_vector(analysis->team, &own, &blamed.pieces);
    fm_sort(blamed.pieces.items, blamed.pieces.count, sizeof *blamed.pieces.items, compare_pieces);
    fm_vector_free(&own);
    for (uint32_t l = 0; l < analysis->trace->location_count; ++l) {
        fm_free(search.numbers[l]);
    }
    fm_free(search.numbers);
    fm_free(search.workers);
    fm_free(search.spans);
    return blamed;
}

void fm_blamed_waits_free(struct fm_blamed_waits *blamed)
{
    fm_vector_free(&blamed->pieces);
}

/* Reports the pieces of a client and sort in the time of `wanted`, for a wait state that ends at
 * `until`. */
static void report_pieces(const struct fm_blamed_waits *blamed,
                          const struct fm_blamed_piece *wanted, uint64_t until,
                          fm_blamed_part_handler_t *handle, void *context)
{
    size_t low = 0, high = blamed->pieces.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct fm_blamed_piece *piece = &blamed->pieces.items[middle];
        int order = compare_clients(piece, wanted);
        if (order < 0 || (order == 0 && piece->to <= wanted->from)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (; low < blamed->pieces.count; ++low) {
        const struct fm_blamed_piece *piece = &blamed->pieces.items[low];
        if (compare_clients(piece, wanted) != 0 || piece->from >= wanted->to) {
            return;
        }
        uint64_t begin = piece->from > wanted->from ? piece->from : wanted->from;
        uint64_t end = piece->to < wanted->to ? piece->to : wanted->to;
        if (begin < end && (until < piece->until) == (piece->is_dead_end != 0)) {
            handle(context, piece->problem, begin, end);
        }
    }
}

void fm_blamed_wait_parts(const struct fm_blamed_waits *blamed, uint32_t location, uint32_t number,
                          fm_blamed_part_handler_t *handle, void *context)
{
    const struct fm_wait *wait = &blamed->formation->busy_times[location].waits.items[number];
    const struct fm_lock_claim *claims;
    size_t count = charge_of(wait) == FM_CHARGE_CONTENTION
                       ? find_claims(blamed->formation, location, wait, &claims)
                       : 0;
    struct fm_blamed_piece wanted = {0};
    for (size_t c = 0; c < count; ++c) {
        wanted.client = claims[c].succession;
        wanted.from = claims[c].from;
        wanted.to = claims[c].to;
        for (uint16_t dead_end = 0; dead_end < 2; ++dead_end) {
            wanted.is_dead_end = dead_end;
            report_pieces(blamed, &wanted, wait->until, handle, context);
        }
    }
    if (count == 0) {
        wanted.client = (uint64_t)location << 32 | number;
        wanted.is_wait = 1;
        wanted.to = UINT64_MAX;
        report_pieces(blamed, &wanted, wait->until, handle, context);
    }
}
