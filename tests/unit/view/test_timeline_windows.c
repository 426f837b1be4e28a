/* SPDX-License-Identifier: BSD-3-Clause */
/* Excerpts of a timeline: which time windows and locations a long run's page contains. */
#include "check.h"
#include "view/timeline/timeline_windows.h"

#include <string.h>

/* Each location has a call every 10 ticks of a run of 1000. The trace's clock begins at BEGIN. */
enum { LOCATIONS = 5, CALLS = 100, BEGIN = 5000, LENGTH = 1000 };

static struct fm_location locations[LOCATIONS];
static struct fm_trace trace = {.locations = locations, .location_count = LOCATIONS};
static const struct fm_detail detail = {.trace = &trace};

static int make_trace(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < LOCATIONS; i++) {
        for (uint64_t call = 0; call < CALLS; call++) {
            fm_vector_push(&locations[i].enter, BEGIN + 10 * call);
        }
    }
    return 0;
}

static int free_trace(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < LOCATIONS; i++) {
        fm_vector_free(&locations[i].enter);
    }
    return 0;
}

static struct fm_cube_instance wait_of(uint32_t location, uint32_t cause, uint64_t enter,
                                       uint64_t wait)
{
    return (struct fm_cube_instance){.location = location,
                                     .enter = enter,
                                     .wait = wait,
                                     .cause_location = cause,
                                     .blamed = {.location = FM_CUBE_NONE}};
}

static struct fm_cube_statistics kind_of(uint32_t metric, uint64_t sum, uint32_t count,
                                         const struct fm_cube_instance worst[])
{
    struct fm_cube_statistics kind = {.metric = metric, .sum = sum, .worst_count = count};
    memcpy(kind.worst, worst, count * sizeof *worst);
    return kind;
}

static fm_timeline_windows excerpts(struct fm_cube_statistics *kinds, uint32_t count,
                                    uint64_t calls, size_t most)
{
    const struct fm_cube cube = {.experiment = {.begin = BEGIN, .end = BEGIN + LENGTH},
                                 .location_count = LOCATIONS,
                                 .statistics = kinds,
                                 .statistics_count = count};
    return fm_timeline_excerpts(&detail, &cube, calls, most);
}

/* @param members  of the window, one digit each */
static void assert_window(struct fm_timeline_window window, uint64_t from, uint64_t to,
                          const char *members)
{
    char found[LOCATIONS + 1] = "";
    assert_true(window.locations.count <= LOCATIONS);
    for (size_t i = 0; i < window.locations.count; i++) {
        found[i] = (char)('0' + window.locations.items[i]);
    }
    assert_int_equal(window.from, from);
    assert_int_equal(window.to, to);
    assert_string_equal(found, members);
}

static void calls_are_counted(void **state)
{
    (void)state;
    assert_int_equal(fm_timeline_calls(&trace), LOCATIONS * CALLS);
}

static void a_short_run_is_shown_whole(void **state)
{
    (void)state;
    const struct fm_cube cube = {.experiment = {.begin = BEGIN, .end = BEGIN + LENGTH},
                                 .location_count = LOCATIONS};
    fm_timeline_windows windows = fm_timeline_whole_run(&cube);
    assert_int_equal(windows.count, 1);
    assert_null(windows.items[0].instance);
    assert_int_equal(windows.items[0].metric, FM_CUBE_NONE);
    assert_window(windows.items[0], 0, LENGTH, "01234");
    fm_timeline_windows_free(&windows);
}

/* The only window is around the wait. */
static void assert_around(struct fm_cube_instance wait, uint64_t calls, uint64_t from, uint64_t to,
                          const char *members)
{
    struct fm_cube_statistics kind = kind_of(FM_METRIC_MPI_LATESENDER, wait.wait, 1, &wait);
    fm_timeline_windows windows = excerpts(&kind, 1, calls, 8);
    assert_int_equal(windows.count, 1);
    assert_ptr_equal(windows.items[0].instance, &kind.worst[0]);
    assert_int_equal(windows.items[0].metric, FM_METRIC_MPI_LATESENDER);
    assert_window(windows.items[0], from, to, members);
    fm_timeline_windows_free(&windows);
}

/* A wait of 40 ticks from 500 on, as long a time before it, and a quarter after it: [460, 551) with
 * 10 calls of each location. The next wider windows are [414, 597) with 18 and [322, 689) with 36.
 */
static void windows_are_as_wide_as_their_calls_allow(void **state)
{
    (void)state;
    const struct fm_cube_instance wait = wait_of(1, 0, 500, 40);
    assert_around(wait, 10 * LOCATIONS, 460, 551, "01234");
    assert_around(wait, 18 * LOCATIONS - 1, 460, 551, "01234");
    assert_around(wait, 18 * LOCATIONS, 414, 597, "01234");
    assert_around(wait, 36 * LOCATIONS - 1, 414, 597, "01234");
    assert_around(wait, 36 * LOCATIONS, 322, 689, "01234");
    assert_around(wait, CALLS * LOCATIONS, 0, LENGTH, "01234");
}

static void windows_end_with_the_run(void **state)
{
    (void)state;
    assert_around(wait_of(1, 0, 10, 40), 7 * LOCATIONS, 0, 61, "01234");
    assert_around(wait_of(1, 0, 30, 30), 7 * LOCATIONS, 0, 68, "01234");
    assert_around(wait_of(1, 0, 31, 30), 6 * LOCATIONS, 1, 69, "01234");
    assert_around(wait_of(1, 0, 31, 30), 11 * LOCATIONS, 0, 104, "01234");
    assert_around(wait_of(1, 0, 940, 50), 11 * LOCATIONS, 890, LENGTH, "01234");
    assert_around(wait_of(1, 0, 940, 50), 16 * LOCATIONS, 834, LENGTH, "01234");
}

/* If all locations together have too many calls, the window has those of the wait, and those beside
 * the waiting one. */
static void involved_locations_come_first(void **state)
{
    (void)state;
    struct fm_cube_instance wait = wait_of(1, 0, 500, 40);
    assert_around(wait, 29, 460, 551, "01");
    assert_around(wait, 30, 460, 551, "012");
    assert_around(wait, 49, 460, 551, "0123");
    assert_around(wait_of(4, 1, 500, 40), 39, 460, 551, "134");
    assert_around(wait_of(2, FM_CUBE_NONE, 500, 40), 30, 460, 551, "123");
    wait.blamed.location = 4;
    assert_around(wait, 39, 460, 551, "014");
    wait.chain_length = 1;
    wait.chain[0].location = 3;
    assert_around(wait, 49, 460, 551, "0134");
}

/* The end of the wait, at 540, is kept: [500, 545] with 5 calls of each location, then [520, 542]
 * with 3, and [530, 541] with 2. */
static void windows_are_shortened_to_their_end(void **state)
{
    (void)state;
    assert_around(wait_of(1, 0, 500, 40), 20, 460, 551, "01");
    assert_around(wait_of(1, 0, 500, 40), 19, 500, 545, "012");
    assert_around(wait_of(1, 0, 500, 40), 14, 500, 545, "01");
    assert_around(wait_of(1, 0, 500, 40), 10, 500, 545, "01");
    assert_around(wait_of(1, 0, 500, 40), 9, 520, 542, "012");
    assert_around(wait_of(1, 0, 500, 40), 5, 530, 541, "01");
}

/* The longest wait of each kind, the kinds with most waiting first; then the second longest. */
static void kinds_take_turns(void **state)
{
    const struct fm_cube_instance late[] = {wait_of(0, 1, 100, 30), wait_of(0, 1, 300, 20),
                                            wait_of(0, 1, 600, 10)};
    const struct fm_cube_instance barrier[] = {wait_of(2, 3, 700, 25), wait_of(2, 3, 702, 4)};
    const struct fm_cube_instance others[] = {wait_of(4, 3, 900, 25)};
    struct fm_cube_statistics kinds[] = {
        kind_of(FM_METRIC_MPI_LATESENDER, 60, 3, late),
        kind_of(FM_METRIC_MPI_BARRIER_WAIT, 70, 2, barrier),
        kind_of(FM_METRIC_MPI_LATERECEIVER, 60, 1, others),
    };
    static const struct {
        uint32_t kind, rank;
    } expected[] = {{1, 0}, {0, 0}, {2, 0}, {0, 1}}; /* the first window has the barrier's second */
    (void)state;
    bool is_ordered = FM_METRIC_MPI_LATESENDER < FM_METRIC_MPI_LATERECEIVER;
    for (size_t most = 0; most <= 5; most++) {
        fm_timeline_windows windows = excerpts(kinds, 3, 10 * LOCATIONS, most);
        assert_int_equal(windows.count, most < 4 ? most : 4);
        for (size_t i = 0; i < windows.count; i++) {
            /* Equal sums: in the order of their metrics. */
            size_t position = (i == 1 || i == 2) && !is_ordered ? 3 - i : i;
            assert_ptr_equal(windows.items[i].instance,
                             &kinds[expected[position].kind].worst[expected[position].rank]);
            assert_int_equal(windows.items[i].metric, kinds[expected[position].kind].metric);
        }
        fm_timeline_windows_free(&windows);
    }
}

/* A wait in the time of another window is shown only if its locations are in that window. */
static void a_window_shows_what_it_contains(void **state)
{
    const struct fm_cube_instance first[] = {wait_of(0, 1, 500, 40)};
    static const struct {
        uint32_t location, cause;
        uint64_t enter, wait;
        size_t windows;
    } cases[] = {
        {0, 1, 520, 10, 1}, {1, 0, 520, 10, 1}, {0, FM_CUBE_NONE, 520, 10, 1},
        {2, 1, 520, 10, 2}, {0, 2, 520, 10, 2}, {0, 1, 460, 10, 1},
        {0, 1, 459, 10, 2}, {0, 1, 541, 10, 1}, {0, 1, 541, 11, 2},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct fm_cube_instance second[] = {
            wait_of(cases[i].location, cases[i].cause, cases[i].enter, cases[i].wait)};
        struct fm_cube_statistics kinds[] = {kind_of(FM_METRIC_MPI_LATESENDER, 40, 1, first),
                                             kind_of(FM_METRIC_MPI_BARRIER_WAIT, 30, 1, second)};
        fm_timeline_windows windows = excerpts(kinds, 2, 20, 8);
        assert_window(windows.items[0], 460, 551, "01");
        assert_int_equal(windows.count, cases[i].windows);
        fm_timeline_windows_free(&windows);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_are_counted),
        cmocka_unit_test(a_short_run_is_shown_whole),
        cmocka_unit_test(windows_are_as_wide_as_their_calls_allow),
        cmocka_unit_test(windows_end_with_the_run),
        cmocka_unit_test(involved_locations_come_first),
        cmocka_unit_test(windows_are_shortened_to_their_end),
        cmocka_unit_test(kinds_take_turns),
        cmocka_unit_test(a_window_shows_what_it_contains),
    };
    return cmocka_run_group_tests(tests, make_trace, free_trace);
}
