#include "analysis/cause_chain.h"

#include "cube/delay_kind.h"

/* A wait state: number in a location's list. */
struct wait_ref {
    uint32_t location;
    uint32_t number;
};

/* What delayed a wait state's cause most. */
struct main_cause {
    struct fm_cube_cause cause;
    bool is_wait;
    struct wait_ref wait; /* if is_wait */
};

static const struct fm_candidate *candidate_of(const struct fm_formation *formation,
                                               struct wait_ref wait)
{
    uint32_t position = formation->timelines[wait.location].waits.candidates[wait.number];
    return &formation->analysis->findings[wait.location].candidates.items[position];
}

static uint32_t callpath_of(const struct fm_trace *trace, uint32_t location, uint32_t activity)
{
    const struct fm_location *l = &trace->locations[location];
    return l->profile.items[l->visit.items[activity]].callpath;
}

/* @return the longest wait state of a location that ends in (begin, end]; sets *ticks to its part
 * in there and *sum to that of all of them */
static uint32_t longest_wait(const struct fm_wait_list *waits, uint64_t begin, uint64_t end,
                             uint64_t *ticks, uint64_t *sum)
{
    uint32_t longest = FM_NONE;
    *ticks = *sum = 0;
    for (uint32_t w = fm_wait_list_behind(waits, begin); w < waits->count && waits->until[w] <= end;
         ++w) {
        uint64_t from = waits->enter[w] > begin ? waits->enter[w] : begin;
        *sum += waits->until[w] - from;
        if (longest == FM_NONE || waits->until[w] - from > *ticks) {
            longest = w;
            *ticks = waits->until[w] - from;
        }
    }
    return longest;
}

/* Finds the call path that took longer on the cause than on the waiter (all of the cause's time, if
 * it is a contention) by most. @return its number in the causing location's call tree */
static uint32_t longest_delay(const struct fm_location *cause, const struct fm_profile *own,
                              const struct fm_location *waiter, const struct fm_profile *other,
                              uint64_t *ticks, uint64_t *sum)
{
    uint32_t longest = FM_NONE;
    *ticks = *sum = 0;
    for (uint32_t i = 0; i < own->count; ++i) {
        uint32_t visit = own->visits[i];
        uint64_t excess = own->time[visit], less = 0;
        for (uint32_t j = 0; other != NULL && j < other->count; ++j) {
            if (waiter->profile.items[other->visits[j]].callpath ==
                cause->profile.items[visit].callpath) {
                less += other->time[other->visits[j]];
            }
        }
        excess = excess > less ? excess - less : 0;
        *sum += excess;
        if (excess > *ticks) {
            longest = visit;
            *ticks = excess;
        }
    }
    return longest;
}

/* @return whether anything can be named */
static bool find_main_cause(const struct fm_formation *formation, const struct fm_points *points,
                            struct wait_ref wait, struct main_cause *found)
{
    const struct fm_trace *trace = formation->analysis->trace;
    const struct fm_candidate *candidate = candidate_of(formation, wait);
    const struct fm_wait_list *waits = &formation->timelines[wait.location].waits;
    uint32_t cause = candidate->cause_location;
    bool contention = fm_delay_is_contention(fm_delay_kind((fm_metric_t)candidate->metric));
    uint64_t begin =
        fm_interval_begin(trace, points, wait.location, cause, candidate->t, contention);
    struct fm_profile own = {0}, other = {0};
    fm_timeline_profile(&formation->timelines[cause], begin, candidate->t, &own);
    fm_timeline_profile(&formation->timelines[wait.location], begin, waits->enter[wait.number],
                        &other);
    uint64_t delay, delays, waited, waited_sum;
    uint32_t visit = longest_delay(&trace->locations[cause], &own, &trace->locations[wait.location],
                                   contention ? NULL : &other, &delay, &delays);
    uint32_t number =
        longest_wait(&formation->timelines[cause].waits, begin, candidate->t, &waited, &waited_sum);
    fm_profile_free(&own);
    fm_profile_free(&other);
    if (visit == FM_NONE && number == FM_NONE) {
        return false;
    }
    uint64_t whole = delays + waited_sum;
    found->is_wait = number != FM_NONE && waited_sum > delays;
    found->wait = (struct wait_ref){cause, number};
    uint64_t ticks = found->is_wait ? waited : delay;
    found->cause = (struct fm_cube_cause){
        .location = cause,
        .callpath = found->is_wait
                        ? callpath_of(trace, cause, candidate_of(formation, found->wait)->activity)
                        : trace->locations[cause].profile.items[visit].callpath,
        .metric = found->is_wait ? candidate_of(formation, found->wait)->metric : FM_METRIC_NONE,
        .ticks = ticks,
        .permille = (uint32_t)((double)ticks * 1000 / (double)whole + 0.5),
    };
    return true;
}

static void follow(const struct fm_formation *formation, const struct fm_points *points,
                   struct wait_ref wait, struct fm_cube_instance *instance)
{
    struct main_cause found;
    instance->chain_length = 0;
    while (instance->chain_length < FM_CUBE_CHAIN &&
           find_main_cause(formation, points, wait, &found)) {
        instance->chain[instance->chain_length++] = found.cause;
        if (!found.is_wait) {
            return;
        }
        wait = found.wait;
    }
}

void fm_cause_chains_fill(struct fm_formation *formation, const struct fm_points *points,
                          struct fm_cube *cube)
{
    for (uint32_t s = 0; s < cube->statistics_count; ++s) {
        struct fm_cube_statistics *statistics = &cube->statistics[s];
        for (uint32_t i = 0; i < statistics->worst_count; ++i) {
            struct fm_cube_instance *instance = &statistics->worst[i];
            uint64_t until = cube->experiment.begin + instance->enter + instance->wait;
            const struct fm_wait_list *waits = &formation->timelines[instance->location].waits;
            uint32_t number = fm_wait_list_behind(waits, until);
            if (number > 0 && waits->until[number - 1] == until) {
                follow(formation, points, (struct wait_ref){instance->location, number - 1},
                       instance);
            }
        }
    }
}
