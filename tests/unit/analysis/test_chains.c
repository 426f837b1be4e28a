/* SPDX-License-Identifier: BSD-3-Clause */
/* Chains of wait states: on random ties, who is blamed for what at each tick is what the definition
 * gives, also with wrong clocks and circles; and chains as long as the run is wide. */
#include "check.h"

#include "analysis/causes/blame/blame_window.h"
#include "trace/tables/trace.h"

#include <string.h>

enum { TICKS = 60, LOCATIONS = 7, SUCCESSIONS = 3, KINDS = 2 };

static const struct fm_blame_kinds kinds = {
    .count = KINDS,
    .kinds = {FM_DELAY_LATESENDER, FM_DELAY_MPI_RMA_LOCK},
    .index = {[FM_DELAY_LATESENDER] = 0, [FM_DELAY_MPI_RMA_LOCK] = 1},
};

/* Blame by tick, location, kind. */
struct blame {
    int64_t at[TICKS][LOCATIONS][KINDS];
};

static void add_random_waits(struct fm_blame_window *window, uint64_t *state)
{
    for (uint32_t l = 0; l < LOCATIONS; l++) {
        for (uint64_t from = next_random(state) % 20; from < TICKS - 10;) {
            uint64_t to = (from + 5 + next_random(state) % 20) / 5 * 5;
            uint64_t until = to + (next_random(state) % 6 == 0 ? 5 : 0);
            struct fm_blame_tie tie = {.from = from,
                                       .to = to < TICKS ? to : TICKS,
                                       .until = until,
                                       .location = l,
                                       .other = (uint32_t)(next_random(state) % LOCATIONS),
                                       .type = FM_TIE_WAIT};
            if (next_random(state) % 3 == 0) {
                tie.other = FM_NONE;
                tie.succession = next_random(state) % SUCCESSIONS;
            }
            fm_vector_push(&window->ties, tie);
            uint64_t weight = next_random(state) % 4;
            uint64_t begin = from + next_random(state) % (tie.to - from);
            for (int end = 0; end < 2 && weight > 0; end++) {
                fm_vector_push(&window->changes,
                               (struct fm_blame_change){.time = end ? tie.to : begin,
                                                        .weight = end ? 0 - weight : weight,
                                                        .location = l,
                                                        .kind = FM_DELAY_LATESENDER});
            }
            from = to + next_random(state) % 3 * 5;
        }
    }
}

static void add_random_locks(struct fm_blame_window *window, uint64_t *state)
{
    for (uint64_t s = 0; s < SUCCESSIONS; s++) {
        for (uint64_t from = 0, to; from < TICKS; from = to) {
            to = (from + 5 + next_random(state) % 15) / 5 * 5;
            to = to < TICKS ? to : TICKS;
            fm_vector_push(
                &window->ties,
                (struct fm_blame_tie){.from = from,
                                      .to = to,
                                      .succession = s,
                                      .location = (uint32_t)(next_random(state) % LOCATIONS),
                                      .other = FM_NONE,
                                      .type = FM_TIE_HOLDER});
        }
        for (int i = 0; i < 4; i++) {
            uint64_t from = next_random(state) % (TICKS - 1);
            uint64_t to = from + 1 + next_random(state) % (TICKS - from);
            fm_vector_push(&window->ties,
                           (struct fm_blame_tie){.from = from,
                                                 .to = to < TICKS ? to : TICKS,
                                                 .until = to / 5 * 5 + 5,
                                                 .succession = s,
                                                 .weight = 1 + next_random(state) % 3,
                                                 .location = LOCATIONS, /* in no other chain */
                                                 .other = FM_NONE,
                                                 .type = FM_TIE_CONTENTION,
                                                 .kind = FM_DELAY_MPI_RMA_LOCK});
        }
    }
}

static uint64_t latest(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t earliest(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The waited-for locations find out which of their own wait states end later. */
static void add_detours(struct fm_blame_window *window)
{
    size_t count = window->ties.count;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < count; j++) {
            const struct fm_blame_tie wait = window->ties.items[i], own = window->ties.items[j];
            uint64_t from = latest(wait.from, own.from), to = earliest(wait.to, own.to);
            if (wait.type == FM_TIE_WAIT && own.type == FM_TIE_WAIT && wait.other == own.location &&
                own.until > wait.until && from < to) {
                fm_vector_push(&window->ties, (struct fm_blame_tie){.from = from,
                                                                    .to = to,
                                                                    .until = wait.until,
                                                                    .location = wait.location,
                                                                    .other = wait.other,
                                                                    .type = FM_TIE_DETOUR});
            }
        }
    }
}

static void add_sources(struct fm_blame_window *window)
{
    for (size_t i = 0, count = window->ties.count; i < count; i++) {
        struct fm_blame_tie source = window->ties.items[i];
        if (source.type == FM_TIE_CONTENTION) {
            source.type = FM_TIE_SOURCE;
            fm_vector_push(&window->ties, source);
        }
    }
}

static const struct fm_blame_tie *tie_at(const struct fm_blame_window *window, fm_tie_type_t type,
                                         uint64_t time, uint32_t location, uint64_t succession)
{
    for (size_t i = 0; i < window->ties.count; i++) {
        const struct fm_blame_tie *tie = &window->ties.items[i];
        if (tie->type == (uint16_t)type && tie->from <= time && time < tie->to &&
            (type == FM_TIE_WAIT ? tie->location == location : tie->succession == succession)) {
            return tie;
        }
    }
    return NULL;
}

/* @return who is blamed at a time for what depends by a tie, the first of its chain */
static uint32_t blamed_by(const struct fm_blame_window *window, const struct fm_blame_tie *tie,
                          uint64_t time)
{
    const struct fm_blame_tie *chain[LOCATIONS + 2];
    size_t length = 0;
    for (;;) {
        chain[length++] = tie;
        uint32_t next = tie->other != FM_NONE
                            ? tie->other
                            : tie_at(window, FM_TIE_HOLDER, time, 0, tie->succession)->location;
        const struct fm_blame_tie *wait = tie_at(window, FM_TIE_WAIT, time, next, 0);
        if (wait == NULL || wait->until > tie->until) {
            return next;
        }
        for (size_t i = 0; i < length; i++) {
            if (chain[i] == wait) {
                return next;
            }
        }
        tie = wait;
    }
}

static void define(const struct fm_blame_window *window, struct blame *blame)
{
    for (uint64_t time = 0; time < TICKS; time++) {
        for (size_t i = 0; i < window->ties.count; i++) {
            const struct fm_blame_tie *tie = &window->ties.items[i];
            if (tie->type == FM_TIE_CONTENTION && tie->from <= time && time < tie->to) {
                blame->at[time][blamed_by(window, tie, time)][1] += (int64_t)tie->weight;
            }
        }
        for (size_t i = 0; i < window->changes.count; i++) {
            const struct fm_blame_change *change = &window->changes.items[i];
            if (change->time <= time) {
                const struct fm_blame_tie *wait =
                    tie_at(window, FM_TIE_WAIT, time, change->location, 0);
                if (wait != NULL) {
                    blame->at[time][blamed_by(window, wait, time)][0] += (int64_t)change->weight;
                }
            }
        }
    }
}

static void take_change(void *context, const struct fm_blame_change *change)
{
    struct blame *blame = context;
    for (uint64_t time = change->time; time < TICKS; time++) {
        blame->at[time][change->location][kinds.index[change->kind]] += (int64_t)change->weight;
    }
}

static void take_end(void *context, const struct fm_chain_end *end)
{
    struct blame *blame = context;
    for (uint64_t time = end->from; time < end->to; time++) {
        blame->at[time][end->location][1] += (int64_t)end->source->weight;
    }
}

static void test_random_chains(void **state)
{
    (void)state;
    uint64_t random = 5;
    for (int i = 0; i < 3000; i++) {
        struct fm_blame_window window = {0};
        struct blame expected = {0}, found = {0}, of_each = {0};
        add_random_waits(&window, &random);
        add_random_locks(&window, &random);
        add_detours(&window);
        define(&window, &expected);
        add_sources(&window);
        fm_chains_follow(&window, &kinds, LOCATIONS, take_change, &found);
        assert_memory_equal(&found, &expected, sizeof found);
        fm_chains_follow_each(&window, take_end, &of_each);
        for (int time = 0; time < TICKS; time++) {
            for (int l = 0; l < LOCATIONS; l++) {
                assert_int_equal(of_each.at[time][l][1], expected.at[time][l][1]);
            }
        }
        fm_vector_free(&window.ties);
        fm_vector_free(&window.changes);
    }
}

/* ---- long chains ---- */

enum { WIDTH = 4096, QUEUE = 2000 };

struct integral {
    uint64_t ticks[WIDTH], values[WIDTH], since[WIDTH];
};

static void integrate(void *context, const struct fm_blame_change *change)
{
    struct integral *integral = context;
    uint32_t l = change->location;
    integral->ticks[l] += integral->values[l] * (change->time - integral->since[l]);
    integral->since[l] = change->time;
    integral->values[l] += change->weight;
}

/* Location i waits for i - 1, all at once: a pipeline that fills. The first one works, then the
 * second one, ... */
static void test_wavefront(void **state)
{
    (void)state;
    struct fm_blame_window window = {0};
    static struct integral integral;
    const uint64_t first_end = 2 * WIDTH;
    for (uint32_t i = 1; i < WIDTH; i++) {
        uint64_t to = first_end + 10 * (uint64_t)i;
        fm_vector_push(&window.ties, (struct fm_blame_tie){.from = i,
                                                           .to = to,
                                                           .until = to,
                                                           .location = i,
                                                           .other = i - 1,
                                                           .type = FM_TIE_WAIT});
        if (i + 1 < WIDTH) {
            fm_vector_push(&window.changes, (struct fm_blame_change){.time = i + 1,
                                                                     .weight = 1,
                                                                     .location = i,
                                                                     .kind = FM_DELAY_LATESENDER});
            fm_vector_push(&window.changes, (struct fm_blame_change){.time = to,
                                                                     .weight = UINT64_MAX,
                                                                     .location = i,
                                                                     .kind = FM_DELAY_LATESENDER});
        }
    }
    fm_chains_follow(&window, &kinds, WIDTH, integrate, &integral);
    uint64_t first = 0;
    for (uint64_t i = 1; i + 1 < WIDTH; i++) {
        first += first_end + 10 - (i + 1);
    }
    assert_int_equal(integral.ticks[0], first);
    for (uint32_t i = 1; i + 1 < WIDTH; i++) {
        assert_int_equal(integral.ticks[i], 10 * (uint64_t)(WIDTH - 2 - i));
    }
    fm_vector_free(&window.ties);
    fm_vector_free(&window.changes);
}

/* All wait for one lock, which each holds for 10 ticks in turn. */
static void test_queue(void **state)
{
    (void)state;
    struct fm_blame_window window = {0};
    static struct integral integral;
    for (uint32_t i = 0; i < QUEUE; i++) {
        uint64_t from = QUEUE + 10 * (uint64_t)i;
        fm_vector_push(&window.ties, (struct fm_blame_tie){.from = from,
                                                           .to = from + 10,
                                                           .location = i,
                                                           .other = FM_NONE,
                                                           .type = FM_TIE_HOLDER});
        if (i > 0) {
            fm_vector_push(&window.ties, (struct fm_blame_tie){.from = QUEUE,
                                                               .to = from,
                                                               .until = from,
                                                               .weight = 1,
                                                               .location = i,
                                                               .other = FM_NONE,
                                                               .type = FM_TIE_CONTENTION,
                                                               .kind = FM_DELAY_MPI_RMA_LOCK});
        }
    }
    fm_chains_follow(&window, &kinds, QUEUE, integrate, &integral);
    for (uint32_t i = 0; i < QUEUE; i++) {
        assert_int_equal(integral.ticks[i], 10 * (uint64_t)(QUEUE - 1 - i));
    }
    fm_vector_free(&window.ties);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_chains),
        cmocka_unit_test(test_wavefront),
        cmocka_unit_test(test_queue),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
