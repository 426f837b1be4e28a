/* SPDX-License-Identifier: BSD-3-Clause */
/* Follows chains of causes from location to location. The waiter sends the causing location its
 * profile of the interval. The causing location finds the call path in which it spent most
 * additional time, or, if that was longer, its longest wait state inside the interval; a wait state
 * continues the chain. */
#include "analysis/causes/cause_chain.h"

#include "analysis/causes/profile_excess.h"
#include "cube/model/delay_kind.h"
#include "engine/mailbox/mailbox.h"

#include <string.h>

/* Position in a chain. */
struct link {
    uint32_t statistics; /* position in the list */
    uint32_t instance;
    uint32_t depth;
};

/* From the waiter to the causing location, followed by `share_count` struct fm_waiter_share. */
struct question {
    uint64_t begin, end; /* of the interval at the causing location */
    uint64_t wait;       /* ticks of the wait state inside the interval */
    struct link link;
    uint32_t location; /* the causing location */
    uint32_t share_count;
};

/* One cause of a chain. */
struct finding {
    struct fm_cube_cause cause;
    struct link link;
};

/* One worker's tables. */
struct scratch {
    struct fm_profile profile;
    struct fm_excess excess;
    FM_VECTOR(struct fm_cause_share) own; /* of the causing location */
    FM_VECTOR(unsigned char) message;
    FM_VECTOR(struct finding) findings;
};

struct chains {
    const struct fm_formation *formation;
    const struct fm_statistics_list *statistics;
    uint64_t begin;          /* of the run */
    struct scratch *scratch; /* by worker */
};

/* ---- at the waiter ---- */

/* Sends the question for the cause of a location's wait state. */
static void ask(struct chains *chains, struct fm_mailboxes *mailboxes, unsigned worker,
                uint32_t location, uint32_t number, struct link link)
{
    const struct fm_formation *formation = chains->formation;
    const struct fm_trace *trace = formation->analysis->trace;
    const struct fm_busy_time *busy_time = &formation->busy_times[location];
    const struct fm_wait *wait = &busy_time->waits.items[number];
    struct scratch *scratch = &chains->scratch[worker];
    bool contention = fm_delay_metrics(fm_delay_kind((fm_metric_t)wait->metric))->is_contention;
    const uint64_t begin = busy_time->waits.begin[number];
    struct question question = {
        .begin = begin,
        .end = wait->until,
        .wait = wait->until - (wait->enter > begin ? wait->enter : begin),
        .link = link,
        .location = wait->cause_location,
    };
    /* Computation of the waiter does not reduce the delay of a lock's owner. */
    if (!contention) {
        fm_busy_time_profile(busy_time, question.begin, wait->enter, &scratch->profile);
        question.share_count = scratch->profile.count;
    }
    size_t size = sizeof question + question.share_count * sizeof(struct fm_waiter_share);
    scratch->message.count = 0;
    fm_vector_reserve(&scratch->message, size);
    memcpy(scratch->message.items, &question, sizeof question);
    struct fm_waiter_share *shares =
        (struct fm_waiter_share *)(scratch->message.items + sizeof question);
    for (uint32_t i = 0; i < question.share_count; ++i) {
        uint32_t visit = scratch->profile.visits[i];
        shares[i].callpath = busy_time->location->profile.items[visit].callpath;
        memcpy(shares[i].ticks, &scratch->profile.time[visit], sizeof shares[i].ticks);
    }
    fm_mailbox_send(mailboxes, worker, fm_trace_process(trace, question.location),
                    scratch->message.items, size);
}

/* ---- at the causing location ---- */

/* The longest delay or wait state, and the sum of all of them. */
struct longest {
    uint32_t number; /* of the wait state, or node of the call tree; FM_NONE: there is none */
    uint64_t ticks;
    uint64_t sum;
};

/* @return the longest wait state that ends in (begin, end]; only the part inside counts */
static struct longest longest_wait(const struct fm_wait_list *waits, uint64_t begin, uint64_t end)
{
    struct longest longest = {.number = FM_NONE};
    for (uint32_t w = fm_wait_list_behind(waits, begin);
         w < waits->count && waits->items[w].until <= end; ++w) {
        const struct fm_wait *wait = &waits->items[w];
        uint64_t ticks = wait->until - (wait->enter > begin ? wait->enter : begin);
        longest.sum += ticks;
        if (longest.number == FM_NONE || ticks > longest.ticks) {
            longest.number = w;
            longest.ticks = ticks;
        }
    }
    return longest;
}

/* @return the call path with the largest excess of the profile over that of the waiter */
static struct longest longest_delay(struct scratch *scratch, const struct fm_location *cause,
                                    const struct question *question)
{
    const struct fm_profile *profile = &scratch->profile;
    scratch->own.count = 0;
    for (uint32_t i = 0; i < profile->count; ++i) {
        uint32_t visit = profile->visits[i];
        fm_vector_push(&scratch->own,
                       (struct fm_cause_share){profile->time[visit], visit,
                                               cause->profile.items[visit].callpath});
    }
    const struct fm_sides sides = {.own = scratch->own.items,
                                   .own_count = (uint32_t)scratch->own.count,
                                   .shares = (const struct fm_waiter_share *)(question + 1),
                                   .share_count = question->share_count};
    struct longest longest = {.number = FM_NONE,
                              .sum = fm_excess_compare(&scratch->excess, &sides)};
    for (uint32_t i = 0; i < sides.own_count; ++i) {
        uint64_t excess = (uint64_t)(fm_excess_in(&scratch->excess, &sides.own[i]) + 0.5);
        if (excess > longest.ticks) {
            longest.number = sides.own[i].visit;
            longest.ticks = excess;
        }
    }
    fm_excess_forget(&scratch->excess, &sides);
    return longest;
}

static uint32_t callpath_of(const struct fm_location *location, uint32_t activity)
{
    return location->profile.items[location->visit.items[activity]].callpath;
}

static void answer(void *context, struct fm_mailboxes *mailboxes, unsigned worker, uint32_t process,
                   const void *message, size_t size)
{
    (void)process;
    (void)size;
    struct chains *chains = context;
    const struct question *question = message;
    const struct fm_formation *formation = chains->formation;
    const struct fm_busy_time *busy_time = &formation->busy_times[question->location];
    const struct fm_location *location = busy_time->location;
    struct scratch *scratch = &chains->scratch[worker];
    fm_busy_time_profile(busy_time, question->begin, question->end, &scratch->profile);
    struct longest delay = longest_delay(scratch, location, question);
    struct longest wait = longest_wait(&busy_time->waits, question->begin, question->end);
    if (delay.number == FM_NONE && wait.number == FM_NONE) {
        return;
    }
    /* What is in no call path, such as a thread that begins late, delays, too. */
    uint64_t known = delay.sum + wait.sum;
    uint64_t whole = known > question->wait ? known : question->wait;
    bool is_wait = wait.number != FM_NONE && wait.ticks > delay.ticks;
    uint64_t ticks = is_wait ? wait.ticks : delay.ticks;
    struct fm_cube_cause cause = {
        .location = question->location,
        .metric = FM_METRIC_NONE,
        .ticks = ticks,
        .permille = (uint32_t)((double)ticks * 1000 / (double)whole + 0.5),
    };
    if (is_wait) {
        cause.callpath = callpath_of(location, busy_time->waits.items[wait.number].activity);
        cause.metric = busy_time->waits.items[wait.number].metric;
    } else {
        cause.callpath = location->profile.items[delay.number].callpath;
    }
    fm_vector_push(&scratch->findings, (struct finding){cause, question->link});
    if (is_wait && question->link.depth + 1 < FM_CUBE_CHAIN) {
        struct link next = question->link;
        ++next.depth;
        ask(chains, mailboxes, worker, question->location, wait.number, next);
    }
}

/* ---- the stage ---- */

/* Begins the chains of the worst instances of a worker's locations. */
static void start(void *context, struct fm_mailboxes *mailboxes, unsigned worker, uint32_t first,
                  uint32_t last)
{
    struct chains *chains = context;
    const struct fm_trace *trace = chains->formation->analysis->trace;
    for (uint32_t s = 0; s < chains->statistics->count; ++s) {
        const struct fm_cube_statistics *statistics = &chains->statistics->items[s];
        for (uint32_t i = 0; i < statistics->worst_count; ++i) {
            const struct fm_cube_instance *instance = &statistics->worst[i];
            uint32_t process = fm_trace_process(trace, instance->location);
            if (process < first || process >= last) {
                continue;
            }
            uint64_t until = chains->begin + instance->enter + instance->wait;
            const struct fm_wait_list *waits =
                &chains->formation->busy_times[instance->location].waits;
            uint32_t number = fm_wait_list_behind(waits, until);
            if (number > 0 && waits->items[number - 1].until == until) {
                ask(chains, mailboxes, worker, instance->location, number - 1,
                    (struct link){s, i, 0});
            }
        }
    }
}

/* Shares the causes found by each process of the analysis with all processes, and fills the
 * chains. */
static void share_findings(struct fm_team *team, const struct scratch *scratch, unsigned workers,
                           struct fm_statistics_list *statistics)
{
    FM_VECTOR(struct finding) own = {0};
    FM_VECTOR(struct finding) all = {0};
    for (unsigned w = 0; w < workers; ++w) {
        for (size_t i = 0; i < scratch[w].findings.count; ++i) {
            fm_vector_push(&own, scratch[w].findings.items[i]);
        }
    }
    fm_team_share_vector(team, &own, &all);
    for (size_t i = 0; i < all.count; ++i) {
        const struct link *link = &all.items[i].link;
        struct fm_cube_instance *instance =
            &statistics->items[link->statistics].worst[link->instance];
        instance->chain[link->depth] = all.items[i].cause;
        if (instance->chain_length <= link->depth) {
            instance->chain_length = link->depth + 1;
        }
    }
    fm_vector_free(&own);
    fm_vector_free(&all);
}

void fm_cause_chains_find(const struct fm_formation *formation, uint64_t begin,
                          struct fm_statistics_list *statistics)
{
    struct fm_engine *engine = formation->analysis->engine;
    unsigned workers = fm_engine_workers(engine);
    struct chains chains = {
        .formation = formation,
        .statistics = statistics,
        .begin = begin,
        .scratch = fm_allocate_apart(workers, sizeof *chains.scratch),
    };
    for (unsigned w = 0; w < workers; ++w) {
        fm_excess_open(&chains.scratch[w].excess, formation->analysis->trace, formation->recorded);
    }
    fm_mailboxes_run(engine, start, answer, &chains);
    share_findings(formation->analysis->team, chains.scratch, workers, statistics);
    for (unsigned w = 0; w < workers; ++w) {
        fm_profile_free(&chains.scratch[w].profile);
        fm_excess_close(&chains.scratch[w].excess);
        fm_vector_free(&chains.scratch[w].own);
        fm_vector_free(&chains.scratch[w].message);
        fm_vector_free(&chains.scratch[w].findings);
    }
    fm_free(chains.scratch);
}
