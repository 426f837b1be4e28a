/* SPDX-License-Identifier: BSD-3-Clause */
/* The size limit in a process: stages begin where the share is used up by halves, skipped visits
 * are pauses, and at the end recording pauses. */
#include "record/capture/thread.h"
#include "record/selection/pause.h"
#include "record/selection/size_limit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum {
    SHARE = 64 * 1024,
    RECORD_BYTES = 25, /* of a metric in the archive, with its time */
    WORDS = 360        /* of an iteration: 3,000 bytes in the archive */
};

static struct fm_phase_visits step = {.name = "step"}, inner = {.name = "inner"};

static const char *name_of(uint32_t function)
{
    (void)function;
    return "MPI_Barrier";
}

static bool keep(struct fm_thread *thread, bool full)
{
    (void)thread;
    return !full;
}

/* Records if recording is on. */
static void record(uint32_t words)
{
    struct fm_thread *thread = fm_thread_self;
    fm_thread_flush(thread); /* as before a call */
    for (uint32_t i = 0; i < words / FM_WORDS_METRIC; i++) {
        uint64_t *place = fm_thread_reserve(thread, FM_WORDS_METRIC);
        place[0] = fm_record_header(FM_RECORD_METRIC, 0, 0);
        place[1] = place[2] = 1;
        fm_thread_publish(thread);
    }
}

static uint64_t begin_visit(struct fm_phase_visits *phase, uint64_t expected)
{
    uint64_t number, flags = fm_size_limit_visit_begins(phase, fm_thread_self, &number);
    assert_int_equal(number, expected);
    fm_thread_self->iterations += (flags & FM_OPEN_ITERATION) != 0;
    return flags;
}

static void end_visit(struct fm_phase_visits *phase, uint64_t flags)
{
    fm_size_limit_visit_ends(phase, fm_thread_self, flags);
}

static unsigned switches(void)
{
    return fm_thread_self->pause.seen;
}

static void iterations_become_rare_until_recording_pauses(void **state)
{
    struct fm_thinning table;
    uint64_t last_kept = 0, divisor = 1;
    uint64_t i = 0;
    (void)state;
    for (; !fm_size_limit_is_reached() && i < 100000; i++) {
        uint64_t flags = begin_visit(&step, i);
        assert_int_equal((flags & FM_OPEN_ITERATION) != 0, i != 0);
        fm_size_limit_table(&table);
        bool kept = fm_thinning_keeps(&table, step.bucket, i);
        assert_int_equal((flags & FM_OPEN_SKIPPED) == 0, kept);
        record(WORDS);
        assert_int_equal(fm_is_recording(), kept && !fm_size_limit_is_reached());
        if (kept) {
            divisor = i > last_kept + 1 ? i - last_kept : divisor;
            last_kept = i;
        }
        end_visit(&step, flags);
        if (i ==
            30) { /* an inner phase is part of its iteration; the first visit is no iteration */
            flags = begin_visit(&step, ++i);
            if ((flags & FM_OPEN_ITERATION) != 0) {
                assert_int_equal(begin_visit(&inner, 0), 0);
                assert_int_equal(begin_visit(&inner, 1), 0);
            }
            end_visit(&step, flags);
        }
    }
    /* The first half of the share takes about 10 iterations; the other stages last longer. */
    fm_size_limit_table(&table);
    uint64_t first = table.first[step.bucket][0], second = table.first[step.bucket][1];
    assert_in_range(first, 8, 14);
    assert_in_range(second, first + 8, first + 40);
    assert_in_range(i, 60, 99999);
    assert_true(divisor >= 16);
    assert_true(fm_thinning_has_ended(&table));
    assert_false(fm_is_recording());
    assert_true(fm_size_limit_changed(&table));
    assert_false(fm_size_limit_changed(&table));
    assert_true(fm_size_limit_thins(&table));
    char text[512];
    assert_true(fm_size_limit_describe(&table, text, sizeof text));
    assert_non_null(strstr(text, "of the phase step, visits from number "));
    assert_non_null(strstr(text, "none from "));
    fm_thread_flush(fm_thread_self); /* discards what was recorded in the pause */
    const uint64_t words = fm_thread_self->filled +
                           (uint64_t)(fm_thread_self->cursor - fm_thread_self->current->words);
    assert_true((words - WORDS - 64) / FM_WORDS_METRIC * RECORD_BYTES < SHARE);
    assert_int_equal(fm_size_limit_bytes(), SHARE);
}

/* A process that needs less than its share leaves the rest to the others of its node. */
static void what_others_do_not_need_is_used(void **state)
{
    uint64_t records = 0;
    (void)state;
    for (; !fm_size_limit_is_reached() && records < 100000; records++) {
        record(FM_WORDS_METRIC);
        if (records % 100 == 0) {
            fm_size_limit_check(fm_thread_self);
        }
    }
    assert_in_range(records * RECORD_BYTES, 3 * SHARE - 5000, 3 * SHARE + 5000);
    assert_in_range(fm_size_limit_bytes(), 3 * SHARE - 5000, 3 * SHARE);
}

static int begin(void **state);

/* Two other processes begin, and record nothing. */
static int begin_in_pool(void **state)
{
    static char path[] = "/tmp/fermata-pool-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    for (int i = 0; i < 2; i++) {
        const pid_t other = fork();
        if (other == 0) {
            fm_size_limit_begin(SHARE, path);
            _exit(0);
        }
        assert_int_equal(waitpid(other, NULL, 0), other);
    }
    fm_size_limit_begin(SHARE, path);
    fm_size_limit_remove_pool();
    assert_int_not_equal(access(path, F_OK), 0);
    return begin(state);
}

static void successive_skipped_visits_are_one_pause(void **state)
{
    (void)state;
    struct fm_phase_visits *phase = &step;
    uint64_t number = 0;
    uint64_t flags = 0;
    while ((flags & FM_OPEN_SKIPPED) == 0) { /* thinning begins */
        flags = begin_visit(phase, number++);
        record(WORDS);
        end_visit(phase, flags);
    }
    unsigned before = switches();
    while (number % 4 != 0) {
        flags = begin_visit(phase, number++);
        assert_true((flags & FM_OPEN_SKIPPED) != 0);
        fm_thread_flush(fm_thread_self);
        end_visit(phase, flags);
    }
    assert_int_equal(switches(), before);
    assert_false(fm_is_recording());
    record(3); /* between visits recording goes on */
    assert_int_equal(switches(), before + 1);
    assert_true(fm_is_recording());
}

static int begin(void **state)
{
    static bool begun;
    (void)state;
    if (!begun) {
        begun = true;
        step.bucket = fm_thinning_bucket("step", 4);
        inner.bucket = fm_thinning_bucket("inner", 5);
        fm_clock_start(0, 0);
        fm_threads_begin((size_t)8 << 20, keep);
        fm_pause_begin(name_of);
        fm_pause_run_begins();
        assert_non_null(fm_thread_attach());
    }
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest whole[] = {
        cmocka_unit_test_setup(iterations_become_rare_until_recording_pauses, begin)};
    const struct CMUnitTest pauses[] = {
        cmocka_unit_test_setup(successive_skipped_visits_are_one_pause, begin)};
    const struct CMUnitTest shared[] = {
        cmocka_unit_test_setup(what_others_do_not_need_is_used, begin_in_pool)};
    if (argc > 1 && strcmp(argv[1], "shared") == 0) {
        return cmocka_run_group_tests(shared, NULL, NULL);
    }
    fm_size_limit_add_phase(&step);
    fm_size_limit_add_phase(&step);
    fm_size_limit_add_phase(&inner);
    fm_size_limit_begin(SHARE, NULL);
    /* The limit is that of a process: each test has its own. */
    return argc > 1 ? cmocka_run_group_tests(pauses, NULL, NULL)
                    : cmocka_run_group_tests(whole, NULL, NULL);
}
