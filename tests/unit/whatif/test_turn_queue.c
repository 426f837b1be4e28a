/* The queue for a lock: the measured one is found again from the measured times, and any other one
 * is that of a simulation which looks at each tick of time. */
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

/* A run: by owner, and in the order in which the lock is had. */
struct run {
    struct plan plans[MOST];
    struct fm_turn turns[MOST];
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
            .requested = requested,
            .entered = requested + plan->lead,
            .bound = bound,
            .passed = begin + plan->hold,
            .latitude = UINT64_MAX,
            .owner = plan->owner,
            .is_exclusive = plan->is_exclusive,
            .can_wait = true,
        };
        free_at[plan->owner] = turn->passed;
        any_passed = turn->passed > any_passed ? turn->passed : any_passed;
        exclusive_passed =
            plan->is_exclusive && turn->passed > exclusive_passed ? turn->passed : exclusive_passed;
    }
    for (uint32_t n = 0; n < run->count; n++) { /* an owner does not wait for itself */
        struct fm_turn *turn = &run->turns[n];
        uint32_t before = FM_NONE;
        for (uint32_t b = 0; b < n; b++) {
            const struct fm_turn *other = &run->turns[b];
            if ((turn->is_exclusive || other->is_exclusive) &&
                (before == FM_NONE || other->is_exclusive || run->turns[before].is_exclusive ||
                 other->passed > run->turns[before].passed)) {
                before = b;
            }
        }
        turn->is_bound = before != FM_NONE && run->turns[before].owner != turn->owner;
        turn->bound = turn->is_bound ? turn->bound : 0;
    }
}

static void test_measured_order_is_found_again(void **state)
{
    (void)state;
    random_state = 7;
    uint32_t with_slack = 0;
    for (unsigned r = 0; r < RUNS; r++) {
        struct run run;
        measure(&run);
        fm_turns_learn(run.turns, run.count);
        assert_int_equal(fm_turns_take(run.turns, run.count), 0);
        for (uint32_t i = 0; i < run.count; i++) {
            assert_int_equal(run.turns[i].follows, run.turns[i].measured);
            assert_int_equal(run.turns[i].place, i);
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

/* @param turns  with slack; their times are those of the changed run
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
                    naive.requested[i] = previous == FM_NONE
                                             ? turn->requested
                                             : naive.passed[previous] +
                                                   (turn->requested - run->turns[previous].passed);
                    const uint64_t slack = is_head ? turn->slack : 0;
                    chosen = naive.requested[i] <= now + slack ? i : FM_NONE;
                }
                is_head = false;
            }
            if (chosen == FM_NONE) {
                break;
            }
            const struct fm_turn *turn = &run->turns[chosen];
            const uint32_t before = naive_before(run, &naive, order, had, chosen);
            const uint64_t bound = naive_bound(run, &naive, before, chosen);
            if (naive.requested[chosen] <= now && bound <= now) {
                const uint64_t entered =
                    naive.requested[chosen] + (turn->entered - turn->requested);
                const uint64_t old = turn->entered > turn->bound ? turn->entered : turn->bound;
                naive.passed[chosen] = (entered > bound ? entered : bound) + (turn->passed - old);
                naive.has_turn[chosen] = true;
                order[had++] = chosen;
                granted = true;
            }
        }
    }
}

/* The run with other times of thinking, in the measured order: what a first replay gives. */
static void change(struct run *run)
{
    uint64_t free_at[OWNERS] = {0};
    for (uint32_t n = 0; n < run->count; n++) {
        struct fm_turn *turn = &run->turns[n];
        struct plan *plan = &run->plans[run->plan_of[n]];
        const uint32_t before = turn->measured;
        if (random_below(4) == 0) {
            plan->think = random_below(60);
        }
        turn->requested = free_at[turn->owner] + plan->think;
        turn->entered = turn->requested + plan->lead;
        turn->bound = turn->is_bound ? run->turns[before].passed : 0;
        turn->passed = (turn->entered > turn->bound ? turn->entered : turn->bound) + plan->hold;
        free_at[turn->owner] = turn->passed;
    }
}

static void test_another_order_is_simulated(void **state)
{
    (void)state;
    random_state = 8;
    uint64_t overtaking = 0;
    for (unsigned r = 0; r < RUNS; r++) {
        struct run run;
        uint32_t order[MOST];
        measure(&run);
        fm_turns_learn(run.turns, run.count);
        change(&run);
        simulate(&run, order);
        overtaking += fm_turns_take(run.turns, run.count);
        for (uint32_t i = 0; i < run.count; i++) {
            assert_int_equal(run.turns[order[i]].place, i);
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
