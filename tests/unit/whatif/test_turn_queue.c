/* SPDX-License-Identifier: BSD-3-Clause */
/* The queue for a lock: the measured one is found again from the measured times, and any other one
 * is that of a simulation which looks at each tick of time, whether all times that can be known are
 * known at once or one after the other. */
#include "check.h"

#include "trace/tables/trace.h"
#include "whatif/decisions/turn_queue.h"

#include <string.h>

#define OWNERS 4
#define MOST   24
#define RUNS   4000

static uint64_t random_state;

static uint32_t random_below(uint32_t limit)
{
    random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407U;
    return (uint32_t)(random_state >> 33) % limit;
}

/* What an owner does with an acquisition. */
struct plan {
    uint32_t owner;
    uint64_t think; /* from passing the lock on before to the request */
    uint64_t lead;  /* from the request to the call that waits */
    uint64_t hold;
    bool is_exclusive;
};

/* Times of an acquisition. */
struct times {
    uint64_t requested;
    uint64_t entered; /* begin of the call that waits for the lock */
    uint64_t bound;   /* when the lock was passed to it; 0: no release binds it */
    uint64_t passed;  /* when it passes the lock on */
};

/* A run: by owner, and in the order in which the lock is had. */
struct run {
    struct plan plans[MOST];
    struct fm_turn turns[MOST];
    struct times times[MOST];
    struct fm_turn_state states[MOST];
    uint32_t plan_of[MOST]; /* [turn] */
    uint32_t count;
};

/* Chooses among those who want the lock: the measured run. */
static void measure(struct run *run)
{
    uint64_t free_at[OWNERS] = {0}, exclusive_passed = 0, any_passed = 0;
    bool done[MOST] = {false};
    run->count = 4 + random_below(MOST - 3);
    for (uint32_t i = 0; i < run->count; i++) {
        run->plans[i] = (struct plan){random_below(OWNERS), random_below(30), random_below(3),
                                      random_below(6), random_below(3) != 0};
    }
    for (uint32_t n = 0; n < run->count; n++) {
        uint32_t chosen = FM_NONE, seen = 0;
        for (uint32_t owner = 0; owner < OWNERS; owner++) {
            uint32_t i = 0;
            while (i < run->count && (done[i] || run->plans[i].owner != owner)) {
                i++;
            }
            if (i < run->count && random_below(++seen) == 0) {
                chosen = i;
            }
        }
        const struct plan *plan = &run->plans[chosen];
        struct fm_turn *turn = &run->turns[n];
        const uint64_t requested = free_at[plan->owner] + plan->think;
        const uint64_t bound = plan->is_exclusive ? any_passed : exclusive_passed;
        const uint64_t begin = requested + plan->lead > bound ? requested + plan->lead : bound;
        done[chosen] = true;
        run->plan_of[n] = chosen;
        *turn = (struct fm_turn){
            .had_by = UINT64_MAX,
            .owner = plan->owner,
            .is_exclusive = plan->is_exclusive,
            .can_wait = true,
        };
        const uint64_t passed = begin + plan->hold;
        run->times[n] = (struct times){requested, requested + plan->lead, bound, passed};
        run->states[n] =
            (struct fm_turn_state){requested, passed, UINT64_MAX, 0, 0, false, false, false};
        free_at[plan->owner] = passed;
        any_passed = passed > any_passed ? passed : any_passed;
        exclusive_passed =
            plan->is_exclusive && passed > exclusive_passed ? passed : exclusive_passed;
    }
    for (uint32_t n = 0; n < run->count; n++) { /* an owner does not wait for itself */
        struct fm_turn *turn = &run->turns[n];
        uint32_t before = FM_NONE;
        for (uint32_t b = 0; b < n; b++) {
            const struct fm_turn *other = &run->turns[b];
            if ((turn->is_exclusive || other->is_exclusive) &&
                (before == FM_NONE || other->is_exclusive || run->turns[before].is_exclusive ||
                 run->times[b].passed > run->times[before].passed)) {
                before = b;
            }
        }
        turn->is_bound = before != FM_NONE && run->turns[before].owner != turn->owner;
        run->times[n].bound = turn->is_bound ? run->times[n].bound : 0;
    }
}

/* ---- the queue ---- */

/* A run with other times of thinking: each owner requests the lock as long after it has passed it
 * on as in `times`, and holds it as long. */
struct changed {
    const struct run *run;
    struct fm_turn_queue queue;
    struct fm_turn_state states[MOST];
    uint64_t requested[MOST], passed[MOST]; /* as soon as the run has determined them */
    bool is_stated[MOST][2];                /* to the queue: the request, the pass */
};

static uint64_t min(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Determines the times that follow from who has the lock. */
static void determine(struct changed *changed, uint32_t number)
{
    const struct run *run = changed->run;
    const struct times *times = &run->times[number];
    const struct fm_turn *turn = &run->turns[number];
    const struct fm_turn_state *state = &changed->states[number];
    const uint32_t before = state->follows;
    const bool waits = before != FM_NONE && run->turns[before].owner != turn->owner &&
                       (before != turn->measured || turn->is_bound);
    const uint64_t bound = waits ? changed->passed[before] : 0;
    const uint64_t entered = changed->requested[number] + (times->entered - times->requested);
    const uint64_t old = times->entered > times->bound ? times->entered : times->bound;
    changed->passed[number] = (entered > bound ? entered : bound) + (times->passed - old);
    if (turn->next != FM_NONE) {
        changed->requested[turn->next] =
            changed->passed[number] + (run->times[turn->next].requested - times->passed);
    }
}

/* States the times that are determined and not later than `until`.
 * @return the first one that is determined and later; FM_UNKNOWN_TIME */
static uint64_t state_until(struct changed *changed, uint64_t until)
{
    uint64_t next = FM_UNKNOWN_TIME;
    for (uint32_t i = 0; i < changed->run->count; i++) {
        const uint64_t requested = changed->requested[i], passed = changed->passed[i];
        if (!changed->is_stated[i][0] && requested != FM_UNKNOWN_TIME) {
            if (requested <= until) {
                fm_turn_queue_request(&changed->queue, i, requested);
                changed->is_stated[i][0] = true;
            }
            next = requested > until ? min(next, requested) : next;
        }
        if (!changed->is_stated[i][1] && passed != FM_UNKNOWN_TIME) {
            if (passed <= until) {
                fm_turn_queue_pass(&changed->queue, i, passed, UINT64_MAX);
                changed->is_stated[i][1] = true;
            }
            next = passed > until ? min(next, passed) : next;
        }
    }
    return next;
}

/* @param at_once  all times are stated as soon as they are determined; else in their order
 * @return how many acquisitions overtake others */
static uint32_t take_turns(const struct run *run, struct changed *changed, bool at_once)
{
    uint32_t overtaking = 0, had = 0;
    uint64_t now = at_once ? FM_UNKNOWN_TIME - 1 : 0;
    *changed = (struct changed){.run = run};
    for (uint32_t i = 0; i < run->count; i++) {
        changed->requested[i] = run->turns[i].is_first ? run->times[i].requested : FM_UNKNOWN_TIME;
        changed->passed[i] = FM_UNKNOWN_TIME;
        changed->states[i].requested = changed->states[i].passed = FM_UNKNOWN_TIME;
    }
    fm_turn_queue_open(&changed->queue, run->turns, changed->states, run->count);
    while (had < run->count) {
        const uint64_t event = state_until(changed, now);
        const struct fm_known_requests known = {now, now};
        struct fm_turn_wait wait;
        const uint32_t next = fm_turn_queue_next(&changed->queue, known, &wait);
        if (next != FM_NONE) {
            overtaking += fm_turn_queue_grant(&changed->queue, next);
            determine(changed, next);
            had++;
            continue;
        }
        const uint64_t later = min(event, wait.time);
        assert_true(later != FM_UNKNOWN_TIME && later > now);
        now = later;
    }
    fm_turn_queue_close(&changed->queue);
    return overtaking;
}

static void test_measured_order_is_found_again(void **state)
{
    (void)state;
    random_state = 7;
    uint32_t with_slack = 0;
    for (unsigned r = 0; r < RUNS; r++) {
        struct run run;
        struct changed again;
        measure(&run);
        assert_true(fm_turns_learn(run.turns, run.states, run.count));
        assert_int_equal(take_turns(&run, &again, r % 2 == 0), 0);
        for (uint32_t i = 0; i < run.count; i++) {
            assert_int_equal(again.states[i].follows, run.turns[i].measured);
            assert_int_equal(again.states[i].place, i);
            assert_int_equal(again.passed[i], run.times[i].passed);
            with_slack += run.turns[i].slack != 0;
        }
    }
    assert_true(with_slack > RUNS); /* the order of many is not that of the requests */
}

/* ---- the simulation that looks at each tick ---- */

struct naive {
    uint64_t requested[MOST], passed[MOST];
    bool has_turn[MOST];
};

/* @return the acquisition that another one follows */
static uint32_t naive_before(const struct run *run, const struct naive *naive,
                             const uint32_t *order, uint32_t had, uint32_t number)
{
    uint32_t before = FM_NONE;
    for (uint32_t i = 0; i < had; i++) {
        const struct fm_turn *other = &run->turns[order[i]];
        if (other->is_exclusive) {
            before = order[i];
        } else if (run->turns[number].is_exclusive &&
                   (before == FM_NONE || run->turns[before].is_exclusive ||
                    naive->passed[order[i]] > naive->passed[before])) {
            before = order[i];
        }
    }
    return before;
}

static uint64_t naive_bound(const struct run *run, const struct naive *naive, uint32_t before,
                            uint32_t number)
{
    return before == FM_NONE || run->turns[before].owner == run->turns[number].owner
               ? 0
               : naive->passed[before];
}

/* @param run    with slack; its times are those of the changed run
 * @param order  out: acquisitions in the order in which they have the lock */
static void simulate(const struct run *run, uint32_t *order)
{
    struct naive naive = {0};
    uint32_t had = 0;
    for (uint64_t now = 0; had < run->count; now++) {
        for (bool granted = true; granted && had < run->count;) {
            uint32_t chosen = FM_NONE;
            bool is_head = true;
            granted = false;
            for (uint32_t i = 0; i < run->count && chosen == FM_NONE; i++) {
                const struct fm_turn *turn = &run->turns[i];
                uint32_t previous = FM_NONE;
                if (naive.has_turn[i]) {
                    continue;
                }
                for (uint32_t b = 0; b < i; b++) {
                    previous = run->turns[b].owner == turn->owner ? b : previous;
                }
                if (previous == FM_NONE || naive.has_turn[previous]) {
                    naive.requested[i] =
                        previous == FM_NONE
                            ? run->times[i].requested
                            : naive.passed[previous] +
                                  (run->times[i].requested - run->times[previous].passed);
                    const uint64_t slack = is_head ? turn->slack : 0;
                    chosen = naive.requested[i] <= now + slack ? i : FM_NONE;
                }
                is_head = false;
            }
            if (chosen == FM_NONE) {
                break;
            }
            const uint32_t before = naive_before(run, &naive, order, had, chosen);
            const uint64_t bound = naive_bound(run, &naive, before, chosen);
            if (naive.requested[chosen] <= now && bound <= now) {
                const struct times *times = &run->times[chosen];
                const uint64_t entered =
                    naive.requested[chosen] + (times->entered - times->requested);
                const uint64_t old = times->entered > times->bound ? times->entered : times->bound;
                naive.passed[chosen] = (entered > bound ? entered : bound) + (times->passed - old);
                naive.has_turn[chosen] = true;
                order[had++] = chosen;
                granted = true;
            }
        }
    }
}

/* The run with other times of thinking, in the measured order. */
static void change(struct run *run)
{
    uint64_t free_at[OWNERS] = {0};
    for (uint32_t n = 0; n < run->count; n++) {
        const struct fm_turn *turn = &run->turns[n];
        struct times *times = &run->times[n];
        struct plan *plan = &run->plans[run->plan_of[n]];
        if (random_below(4) == 0) {
            plan->think = random_below(60);
        }
        times->requested = free_at[turn->owner] + plan->think;
        times->entered = times->requested + plan->lead;
        times->bound = turn->is_bound ? run->times[turn->measured].passed : 0;
        times->passed =
            (times->entered > times->bound ? times->entered : times->bound) + plan->hold;
        free_at[turn->owner] = times->passed;
    }
}

static void test_another_order_is_simulated(void **state)
{
    (void)state;
    random_state = 8;
    uint64_t overtaking = 0;
    for (unsigned r = 0; r < RUNS; r++) {
        struct run run;
        struct changed changed;
        uint32_t order[MOST];
        measure(&run);
        fm_turns_learn(run.turns, run.states, run.count);
        change(&run);
        simulate(&run, order);
        overtaking += take_turns(&run, &changed, r % 2 == 0);
        for (uint32_t i = 0; i < run.count; i++) {
            assert_int_equal(changed.states[order[i]].place, i);
        }
    }
    assert_true(overtaking > RUNS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_measured_order_is_found_again),
        cmocka_unit_test(test_another_order_is_simulated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
