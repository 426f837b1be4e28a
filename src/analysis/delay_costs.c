/* Costs of delays and of intervals before contention [H17 Defs 7, 14-19], and the classes of wait
 * states [Defs 10, 11].
 *
 * A location goes through its own wait states and those that it caused, from the latest to the
 * earliest. Its own wait states propagate to the locations that caused them: a message carries the
 * time, what the wait state has caused in turn (phi), and what the waiter did in the interval. It
 * goes on as long as the next message is there. Everything that concerns a location is computed in
 * this order and by one worker, so that the result does not depend on how work is distributed. */
#include "analysis/formation.h"
#include "analysis/intervals.h"
#include "cube/delay_kind.h"
#include "engine/mail.h"

#include <math.h>
#include <string.h>

/* Time of a call path in the waiter's interval. */
struct share {
    uint64_t ticks;
    uint32_t callpath;
};

enum message_kind { MESSAGE_WAIT, MESSAGE_CLASS };

/* From the waiter to the causing location: MESSAGE_WAIT, followed by `share_count` shares. Back to
 * the waiter: MESSAGE_CLASS with the direct part of the waiting time. */
struct cost_message {
    uint64_t t;
    uint64_t begin;       /* of the interval on both sides */
    uint64_t wait;        /* ticks */
    uint64_t waiter_busy; /* ticks of the waiter's whole interval */
    double phi;           /* waiting that this wait state has caused */
    double direct;
    uint32_t location; /* that the message is for */
    uint32_t waiter;
    uint32_t number; /* of the wait state in the waiter's list */
    uint32_t share_count;
    uint8_t message_kind;
    uint8_t delay_kind;
};

/* One location's progress from its latest wait state to its earliest. */
struct walk {
    uint32_t waits_left;           /* own wait states not yet propagated: 0 .. waits_left - 1 */
    uint32_t next_incoming;        /* wait state caused by this location that is due next */
    struct cost_message **arrived; /* for each incoming one; NULL: not yet */
    double *factors; /* segment tree: phi per tick of wait state, in each node for its range */
    double *extra;   /* phi of wait states of which only a part lies in an interval */
};

/* One worker's tables. */
struct scratch {
    struct fm_profile profile;
    uint64_t *waiter_time; /* by call path: what the waiter did; all 0 between two uses */
    FM_VECTOR(unsigned char) message;
    uint32_t profile_location; /* whose profile `profile` is, and of which interval */
    uint64_t profile_begin, profile_end;
};

struct costs {
    struct fm_formation *formation;
    struct fm_points *points;
    struct walk *walks;      /* by location */
    struct scratch *scratch; /* by worker */
};

/* ---- phi ---- */

/* Adds `factor` to the wait states first .. last. */
static void propagate(struct walk *walk, uint32_t count, uint32_t first, uint32_t last,
                      double factor)
{
    for (uint32_t low = first + count, high = last + count + 1; low < high; low /= 2, high /= 2) {
        if (low & 1) {
            walk->factors[low++] += factor;
        }
        if (high & 1) {
            walk->factors[--high] += factor;
        }
    }
}

static double phi_of(const struct walk *walk, const struct fm_wait_list *waits, uint32_t number)
{
    double factor = 0;
    for (uint32_t node = number + waits->count; node > 0; node /= 2) {
        factor += walk->factors[node];
    }
    return factor * (double)(waits->until[number] - waits->enter[number]) + walk->extra[number];
}

/* ---- at the waiter ---- */

static uint32_t visit_of(const struct fm_location *location, uint32_t activity)
{
    return location->visit.items[activity];
}

static const struct fm_candidate *candidate_of(const struct costs *costs, uint32_t location,
                                               uint32_t number)
{
    const struct fm_wait_list *waits = &costs->formation->timelines[location].waits;
    return &costs->formation->analysis->findings[location]
                .candidates.items[waits->candidates[number]];
}

static const struct fm_profile *profile_between(struct costs *costs, struct scratch *scratch,
                                                uint32_t location, uint64_t begin, uint64_t end)
{
    /* Those who wait for one and the same call often share the interval. */
    if (scratch->profile_location != location || scratch->profile_begin != begin ||
        scratch->profile_end != end) {
        fm_timeline_profile(&costs->formation->timelines[location], begin, end, &scratch->profile);
        scratch->profile_location = location;
        scratch->profile_begin = begin;
        scratch->profile_end = end;
    }
    return &scratch->profile;
}

static void book_wait(struct costs *costs, uint32_t location, uint32_t number, double phi)
{
    const struct fm_trace *trace = costs->formation->analysis->trace;
    const struct fm_candidate *wait = candidate_of(costs, location, number);
    fm_delay_kind_t kind = fm_delay_kind((fm_metric_t)wait->metric);
    uint32_t visit = visit_of(&trace->locations[location], wait->activity);
    uint64_t ticks = wait->t - trace->locations[location].enter.items[wait->activity];
    fm_formation_add(costs->formation, location, visit,
                     fm_delay_wait_metric(FM_METRIC_WAIT_COUNT, kind), 1);
    fm_formation_add(
        costs->formation, location, visit,
        fm_delay_wait_metric(phi > 0 ? FM_METRIC_WAIT_PROPAGATING : FM_METRIC_WAIT_TERMINAL, kind),
        (int64_t)ticks);
}

static void send_wait(struct costs *costs, struct fm_mail *mail, unsigned worker, uint32_t location,
                      uint32_t number)
{
    const struct fm_trace *trace = costs->formation->analysis->trace;
    const struct fm_location *waiter = &trace->locations[location];
    const struct fm_wait_list *waits = &costs->formation->timelines[location].waits;
    const struct fm_candidate *wait = candidate_of(costs, location, number);
    struct scratch *scratch = &costs->scratch[worker];
    fm_delay_kind_t kind = fm_delay_kind((fm_metric_t)wait->metric);
    struct cost_message message = {
        .t = wait->t,
        .begin = fm_interval_begin(trace, costs->points, location, wait->cause_location, wait->t,
                                   fm_delay_is_contention(kind)),
        .wait = waits->until[number] - waits->enter[number],
        .phi = phi_of(&costs->walks[location], waits, number),
        .location = wait->cause_location,
        .waiter = location,
        .number = number,
        .message_kind = MESSAGE_WAIT,
        .delay_kind = (uint8_t)kind,
    };
    book_wait(costs, location, number, message.phi);
    const struct fm_profile *profile =
        profile_between(costs, scratch, location, message.begin, waits->enter[number]);
    message.share_count = fm_delay_is_contention(kind) ? 0 : profile->count;
    scratch->message.count = 0;
    fm_vector_reserve(&scratch->message,
                      sizeof message + message.share_count * sizeof(struct share));
    struct share *shares = (struct share *)(scratch->message.items + sizeof message);
    for (uint32_t i = 0; i < profile->count; ++i) {
        uint32_t visit = profile->visits[i];
        message.waiter_busy += profile->time[visit];
        if (i < message.share_count) {
            shares[i] = (struct share){profile->time[visit], waiter->profile.items[visit].callpath};
        }
    }
    memcpy(scratch->message.items, &message, sizeof message);
    fm_mail_send(mail, worker, trace->locations[wait->cause_location].process,
                 scratch->message.items,
                 sizeof message + message.share_count * sizeof(struct share));
}

/* ---- at the causing location ---- */

/* The causing location's wait states inside an interval. */
struct inner_waits {
    uint32_t first, last; /* none: first > last */
    uint64_t ticks;       /* together, without what lies before the interval */
    uint64_t first_ticks; /* of the first one */
};

static struct inner_waits waits_between(const struct fm_wait_list *waits, uint64_t begin,
                                        uint64_t end)
{
    uint32_t first = fm_wait_list_behind(waits, begin);
    uint32_t behind = fm_wait_list_behind(waits, end);
    struct inner_waits inner = {.first = first, .last = behind - 1};
    if (first >= behind) {
        inner.last = first;
        inner.first = first + 1;
        return inner;
    }
    uint64_t cut = waits->enter[first] < begin ? begin - waits->enter[first] : 0;
    inner.first_ticks = waits->until[first] - waits->enter[first] - cut;
    inner.ticks = waits->before[behind] - waits->before[first] - cut;
    return inner;
}

/* Distributes `amount` for each tick of waiting over the wait states of an interval. */
static void propagate_to(struct walk *walk, const struct fm_wait_list *waits,
                         const struct inner_waits *inner, double amount)
{
    if (inner->first > inner->last || amount == 0) {
        return;
    }
    uint32_t first = inner->first;
    if (inner->first_ticks != waits->until[first] - waits->enter[first]) {
        walk->extra[first] += amount * (double)inner->first_ticks;
        ++first;
    }
    if (first <= inner->last) {
        propagate(walk, waits->count, first, inner->last, amount);
    }
}

static void book_unattributed(struct costs *costs, const struct fm_incoming_wait *incoming,
                              const struct cost_message *message)
{
    uint32_t location = message->location;
    uint32_t visit =
        visit_of(&costs->formation->analysis->trace->locations[location], incoming->activity);
    fm_formation_add_cost(costs->formation, location, visit, FM_METRIC_DELAY_UNATTRIBUTED,
                          (double)message->wait + message->phi);
}

/* Books the costs of a wait state whose event is the begin of a call. @return its direct part */
static double book_delay(struct costs *costs, struct scratch *scratch,
                         const struct fm_incoming_wait *incoming,
                         const struct cost_message *message)
{
    uint32_t index = message->location;
    const struct fm_location *location = &costs->formation->analysis->trace->locations[index];
    const struct fm_wait_list *waits = &costs->formation->timelines[index].waits;
    uint64_t end = location->enter.items[incoming->activity];
    const struct share *shares = (const struct share *)(message + 1);
    for (uint32_t i = 0; i < message->share_count; ++i) {
        scratch->waiter_time[shares[i].callpath] = shares[i].ticks;
    }
    const struct fm_profile *profile = profile_between(costs, scratch, index, message->begin, end);
    uint64_t delay = 0;
    for (uint32_t i = 0; i < profile->count; ++i) {
        uint64_t own = profile->time[profile->visits[i]];
        uint64_t other = scratch->waiter_time[location->profile.items[profile->visits[i]].callpath];
        delay += own > other ? own - other : 0;
    }
    struct inner_waits inner = waits_between(waits, message->begin, end);
    double whole = (double)delay + (double)inner.ticks;
    double wait = (double)message->wait;
    if (whole > 0) {
        for (uint32_t i = 0; i < profile->count; ++i) {
            uint32_t visit = profile->visits[i];
            uint64_t own = profile->time[visit];
            uint64_t other = scratch->waiter_time[location->profile.items[visit].callpath];
            if (own > other) {
                double part = (double)(own - other) / whole;
                fm_delay_kind_t kind = (fm_delay_kind_t)message->delay_kind;
                fm_formation_add_cost(costs->formation, index, visit,
                                      fm_delay_cost_metric(kind, false), part * wait);
                fm_formation_add_cost(costs->formation, index, visit,
                                      fm_delay_cost_metric(kind, true), part * message->phi);
            }
        }
        propagate_to(&costs->walks[index], waits, &inner, (wait + message->phi) / whole);
    } else {
        book_unattributed(costs, incoming, message);
    }
    for (uint32_t i = 0; i < message->share_count; ++i) {
        scratch->waiter_time[shares[i].callpath] = 0;
    }
    return whole > 0 ? wait * ((double)delay / whole) : wait;
}

/* Books the costs of a wait state whose event is the end of a call. @return its direct part */
static double book_interval_delay(struct costs *costs, struct scratch *scratch,
                                  const struct fm_incoming_wait *incoming,
                                  const struct cost_message *message)
{
    uint32_t index = message->location;
    const struct fm_wait_list *waits = &costs->formation->timelines[index].waits;
    const struct fm_profile *profile =
        profile_between(costs, scratch, index, message->begin, message->t);
    struct inner_waits inner = waits_between(waits, message->begin, message->t);
    uint64_t busy = 0;
    for (uint32_t i = 0; i < profile->count; ++i) {
        busy += profile->time[profile->visits[i]];
    }
    double wait = (double)message->wait;
    double ratio = 0; /* part of the waiting that goes back to the owner's own waiting */
    if (inner.ticks > 0) {
        ratio = busy <= message->waiter_busy || inner.ticks >= message->wait
                    ? 1
                    : (double)inner.ticks / wait;
    } else if (busy == 0) {
        book_unattributed(costs, incoming, message);
        return wait;
    }
    fm_delay_kind_t kind = (fm_delay_kind_t)message->delay_kind;
    for (uint32_t i = 0; i < profile->count && ratio < 1; ++i) {
        uint32_t visit = profile->visits[i];
        double part = (1 - ratio) * ((double)profile->time[visit] / (double)busy);
        fm_formation_add_cost(costs->formation, index, visit, fm_delay_cost_metric(kind, false),
                              part * wait);
        fm_formation_add_cost(costs->formation, index, visit, fm_delay_cost_metric(kind, true),
                              part * message->phi);
    }
    if (ratio > 0) {
        propagate_to(&costs->walks[index], waits, &inner,
                     ratio * (wait + message->phi) / (double)inner.ticks);
    }
    return (1 - ratio) * wait;
}

static void answer_wait(struct costs *costs, struct fm_mail *mail, unsigned worker,
                        const struct fm_incoming_wait *incoming, const struct cost_message *message)
{
    struct scratch *scratch = &costs->scratch[worker];
    struct cost_message answer = {
        .location = message->waiter,
        .waiter = message->waiter,
        .number = message->number,
        .message_kind = MESSAGE_CLASS,
    };
    answer.direct = incoming->contention ? book_interval_delay(costs, scratch, incoming, message)
                                         : book_delay(costs, scratch, incoming, message);
    fm_mail_send(mail, worker,
                 costs->formation->analysis->trace->locations[message->waiter].process, &answer,
                 sizeof answer);
}

/* Goes on with a location until the next message is missing. */
static void advance(struct costs *costs, struct fm_mail *mail, unsigned worker, uint32_t location)
{
    struct walk *walk = &costs->walks[location];
    const struct fm_wait_list *waits = &costs->formation->timelines[location].waits;
    const struct fm_points *points = &costs->points[location];
    for (;;) {
        bool has_incoming = walk->next_incoming < points->incoming.count;
        bool has_own = walk->waits_left > 0;
        /* At equal times what this location caused comes first: it lies behind its own waiting. */
        if (has_incoming && (!has_own || points->incoming.items[walk->next_incoming].t >=
                                             waits->until[walk->waits_left - 1])) {
            struct cost_message *message = walk->arrived[walk->next_incoming];
            if (message == NULL) {
                return;
            }
            answer_wait(costs, mail, worker, &points->incoming.items[walk->next_incoming], message);
            fm_free(message);
            walk->arrived[walk->next_incoming++] = NULL;
        } else if (has_own) {
            send_wait(costs, mail, worker, location, --walk->waits_left);
        } else {
            return;
        }
    }
}

/* ---- the phase ---- */

static uint32_t find_incoming(const struct fm_points *points, const struct cost_message *message)
{
    uint32_t low = 0, high = (uint32_t)points->incoming.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct fm_incoming_wait *wait = &points->incoming.items[middle];
        bool before = wait->t != message->t             ? wait->t > message->t
                      : wait->waiter != message->waiter ? wait->waiter < message->waiter
                                                        : wait->wait < message->number;
        if (before) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* @return whether the location waits for this message: advance() stops only where the next one is
 * due and missing, or where there is none */
static bool is_due(const struct walk *walk, const struct fm_points *points,
                   const struct cost_message *message)
{
    const struct fm_incoming_wait *next = &points->incoming.items[walk->next_incoming];
    return next->t == message->t && next->waiter == message->waiter &&
           next->wait == message->number;
}

static void book_class(struct costs *costs, const struct cost_message *message)
{
    const struct fm_trace *trace = costs->formation->analysis->trace;
    const struct fm_candidate *wait = candidate_of(costs, message->location, message->number);
    const struct fm_wait_list *waits = &costs->formation->timelines[message->location].waits;
    fm_delay_kind_t kind = fm_delay_kind((fm_metric_t)wait->metric);
    uint32_t visit = visit_of(&trace->locations[message->location], wait->activity);
    double ticks = (double)(waits->until[message->number] - waits->enter[message->number]);
    fm_formation_add_cost(costs->formation, message->location, visit,
                          fm_delay_wait_metric(FM_METRIC_WAIT_DIRECT, kind), message->direct);
    fm_formation_add_cost(costs->formation, message->location, visit,
                          fm_delay_wait_metric(FM_METRIC_WAIT_INDIRECT, kind),
                          ticks - message->direct);
}

static void handle(void *context, struct fm_mail *mail, unsigned worker, uint32_t process,
                   const void *content, size_t size)
{
    (void)process;
    struct costs *costs = context;
    const struct cost_message *message = content;
    if (message->message_kind == MESSAGE_CLASS) {
        book_class(costs, message);
        return;
    }
    struct walk *walk = &costs->walks[message->location];
    const struct fm_points *points = &costs->points[message->location];
    if (is_due(walk, points, message)) {
        answer_wait(costs, mail, worker, &points->incoming.items[walk->next_incoming++], message);
        advance(costs, mail, worker, message->location);
    } else {
        walk->arrived[find_incoming(points, message)] =
            memcpy(fm_resize(NULL, 0, size), content, size);
    }
}

static void start(void *context, struct fm_mail *mail, unsigned worker, uint32_t first,
                  uint32_t last)
{
    struct costs *costs = context;
    const struct fm_trace *trace = costs->formation->analysis->trace;
    for (uint32_t p = first; p < last; ++p) {
        const struct fm_process *process = &trace->processes[p];
        for (uint32_t l = process->first_location;
             l < process->first_location + process->location_count; ++l) {
            uint32_t count = costs->formation->timelines[l].waits.count;
            costs->walks[l] = (struct walk){
                .waits_left = count,
                .arrived =
                    fm_allocate(costs->points[l].incoming.count, sizeof(struct cost_message *)),
                .factors = fm_allocate(2 * (size_t)count, sizeof(double)),
                .extra = fm_allocate(count, sizeof(double)),
            };
        }
    }
    for (uint32_t p = first; p < last; ++p) {
        const struct fm_process *process = &trace->processes[p];
        for (uint32_t l = process->first_location;
             l < process->first_location + process->location_count; ++l) {
            advance(costs, mail, worker, l);
        }
    }
}

void fm_formation_costs(struct fm_formation *formation, struct fm_points *points)
{
    const struct fm_trace *trace = formation->analysis->trace;
    unsigned workers = fm_engine_workers(formation->analysis->engine);
    struct costs costs = {
        .formation = formation,
        .points = points,
        .walks = fm_allocate(trace->location_count, sizeof(struct walk)),
        .scratch = fm_allocate(workers, sizeof(struct scratch)),
    };
    for (unsigned w = 0; w < workers; ++w) {
        costs.scratch[w].waiter_time = fm_allocate(trace->callpaths.count, sizeof(uint64_t));
        costs.scratch[w].profile_location = FM_NONE;
    }
    fm_mail_run(formation->analysis->engine, start, handle, &costs);
    for (uint32_t l = 0; l < trace->location_count; ++l) {
        fm_free(costs.walks[l].arrived);
        fm_free(costs.walks[l].factors);
        fm_free(costs.walks[l].extra);
    }
    for (unsigned w = 0; w < workers; ++w) {
        fm_profile_free(&costs.scratch[w].profile);
        fm_free(costs.scratch[w].waiter_time);
        fm_vector_free(&costs.scratch[w].message);
    }
    fm_free(costs.walks);
    fm_free(costs.scratch);
}
