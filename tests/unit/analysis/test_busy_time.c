/* SPDX-License-Identifier: BSD-3-Clause */
/* What a location did in any interval is what one sees tick by tick: on random call trees with
 * nested calls, calls without duration, flushes and wait states. */
#include "check.h"

#include "analysis/model/busy_time.h"
#include "trace/builder/builder.h"

#include <string.h>

enum { MAIN, SOLVE, SEND, WAIT, REGIONS };

static struct fm_region regions[REGIONS] = {
    {.name = "main", .paradigm = FM_PARADIGM_USER, .call = FM_CALL_USER},
    {.name = "solve", .paradigm = FM_PARADIGM_USER, .call = FM_CALL_USER},
    {.name = "MPI_Send", .paradigm = FM_PARADIGM_MPI, .call = FM_CALL_OTHER},
    {.name = "MPI_Wait", .paradigm = FM_PARADIGM_MPI, .call = FM_CALL_OTHER},
};

#define LENGTH    2000
#define MOST_OPEN 6
#define NODES     4096

struct fixture {
    struct fm_process process;
    struct fm_location location;
    struct fm_trace trace;
    struct fm_trace_defects defects;
    struct fm_builder builder;
    struct fm_findings findings;
    uint32_t open[MOST_OPEN]; /* regions */
    size_t depth;
    uint64_t now;
    uint32_t node_at[LENGTH]; /* by tick: node that the tick is spent in; FM_NONE: none */
    uint64_t random;
};

static uint32_t any(struct fixture *f, uint32_t limit)
{
    f->random = f->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(f->random >> 33) % limit;
}

static void pass(struct fixture *f, uint64_t ticks)
{
    uint32_t node =
        f->depth == 0 ? FM_NONE : f->builder.frames.items[f->builder.frames.count - 1].visit;
    for (; ticks > 0 && f->now < LENGTH; --ticks) {
        f->node_at[f->now++] = node;
    }
    fm_builder_time(&f->builder, f->now);
}

static void enter(struct fixture *f, uint32_t region)
{
    fm_builder_enter(&f->builder, region);
    f->open[f->depth++] = region;
}

static void leave(struct fixture *f)
{
    fm_builder_leave(&f->builder, f->open[--f->depth]);
}

/* A call, or a function, that may contain others. */
static void one_step(struct fixture *f)
{
    uint32_t choice = any(f, 10);
    pass(f, any(f, 3) == 0 ? 0 : any(f, 5));
    if (choice < 5 && f->depth < MOST_OPEN) {
        /* Most calls contain nothing. */
        enter(f, any(f, REGIONS));
        if (f->open[f->depth - 1] >= SEND && any(f, 4) != 0) {
            pass(f, any(f, 6));
            leave(f);
        }
    } else if (choice < 9 && f->depth > 1) {
        leave(f);
    } else if (f->depth > 0) {
        uint64_t end = f->now + any(f, 4);
        uint64_t begin = f->now;
        if (end < LENGTH) {
            pass(f, end - begin);
            f->builder.now = begin;
            fm_builder_flush(&f->builder, end);
        }
    }
}

/* Calls wait for a part of their time, if no call inside them or around them waits. */
static void add_waits(struct fixture *f)
{
    uint64_t free_from = 0;
    for (uint32_t a = 0; a < f->location.enter.count; ++a) {
        uint64_t begin = f->location.enter.items[a];
        uint64_t length = f->location.leave.items[a] - begin;
        if (begin < free_from || length == 0 || any(f, 2) == 0) {
            continue;
        }
        uint64_t t = begin + 1 + any(f, (uint32_t)length);
        if (fm_findings_add(&f->findings, &f->location,
                            &(struct fm_candidate){.t = t, .activity = a})) {
            fm_vector_push(&f->findings.waits, (uint32_t)f->findings.candidates.count - 1);
            for (uint64_t tick = begin; tick < t; ++tick) {
                f->node_at[tick] = FM_NONE;
            }
            free_from = t;
        }
    }
}

static void make(struct fixture *f, uint64_t seed)
{
    *f = (struct fixture){.process = {.location_count = 1}, .random = seed};
    f->location = (struct fm_location){.begin = UINT64_MAX, .lasts_to = UINT64_MAX};
    f->trace = (struct fm_trace){.regions = regions,
                                 .region_count = REGIONS,
                                 .processes = &f->process,
                                 .process_count = 1,
                                 .locations = &f->location,
                                 .location_count = 1};
    fm_builder_open(&f->builder, &f->trace, &f->defects);
    fm_builder_begin_location(&f->builder, 0);
    for (uint32_t i = 0; i < LENGTH; ++i) {
        f->node_at[i] = FM_NONE;
    }
    fm_builder_time(&f->builder, 0);
    enter(f, MAIN);
    while (f->now < LENGTH - 20) {
        one_step(f);
    }
    while (f->depth > 0) {
        leave(f);
    }
    fm_builder_end_location(&f->builder);
    fm_builder_end_process(&f->builder);
    add_waits(f);
}

static void forget(struct fixture *f)
{
    fm_builder_close(&f->builder);
    fm_location_free(&f->location);
    fm_findings_free(&f->findings);
}

/* Ticks spent in each node in [from, to). */
static void count_ticks(const struct fixture *f, uint64_t from, uint64_t to, uint64_t *ticks)
{
    memset(ticks, 0, NODES * sizeof *ticks);
    for (uint64_t tick = from; tick < to && tick < LENGTH; ++tick) {
        if (f->node_at[tick] != FM_NONE) {
            ++ticks[f->node_at[tick]];
        }
    }
}

static void check_profile(const struct fm_busy_time *busy_time, const struct fixture *f,
                          uint64_t from, uint64_t to, struct fm_profile *profile)
{
    static uint64_t expected[NODES];
    count_ticks(f, from, to, expected);
    fm_busy_time_profile(busy_time, from, to, profile);
    uint32_t listed = 0;
    for (uint32_t v = 0; v < busy_time->nodes; ++v) {
        assert_int_equal(profile->time[v], expected[v]);
        if (expected[v] != 0) {
            assert_int_equal(profile->visits[listed++], v);
        }
    }
    assert_int_equal(profile->count, listed);
}

static void any_interval(void **state)
{
    (void)state;
    static struct fixture f;
    for (uint64_t seed = 1; seed <= 60; ++seed) {
        make(&f, seed);
        assert_in_range(f.location.profile.count, 1, NODES);
        struct fm_busy_time busy_time;
        struct fm_profile profile = {0};
        fm_busy_time_open(&busy_time, &f.location, &f.findings);
        for (unsigned walked = 0; walked < 2; ++walked) {
            for (unsigned i = 0; i < 100; ++i) {
                uint64_t from = any(&f, LENGTH + 10), to = any(&f, LENGTH + 10);
                check_profile(&busy_time, &f, from, to < from ? from : to, &profile);
            }
            check_profile(&busy_time, &f, 0, UINT64_MAX, &profile);
            fm_busy_time_walk_to(&busy_time, UINT64_MAX);
        }
        fm_profile_free(&profile);
        fm_busy_time_close(&busy_time);
        forget(&f);
    }
}

static void walk(void **state)
{
    (void)state;
    static struct fixture f;
    static uint64_t expected[NODES];
    for (uint64_t seed = 100; seed <= 160; ++seed) {
        make(&f, seed);
        struct fm_busy_time busy_time;
        fm_busy_time_open(&busy_time, &f.location, &f.findings);
        for (uint64_t time = 0; time < LENGTH; time += any(&f, 9)) {
            fm_busy_time_walk_to(&busy_time, time);
            count_ticks(&f, 0, time, expected);
            for (uint32_t v = 0; v < busy_time.nodes; ++v) {
                assert_int_equal(busy_time.busy[v], expected[v]);
            }
        }
        fm_busy_time_close(&busy_time);
        forget(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_interval),
        cmocka_unit_test(walk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
