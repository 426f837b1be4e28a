/* SPDX-License-Identifier: BSD-3-Clause */
/* Clocks that are played: what is found out about their rates, offsets and order. */
#include "record/capture/clock.h"
#include "record/closing/closing.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { NANOSECONDS = 1000000000, RATE = 2000000000, WIDTH = 100 /* ticks */ };

/* ---- readings that are interrupted ---- */

static atomic_int
    interruptions; /* of the next readings by the system's clocks, after each of them */

/* Instead of the C library's function: the thread may lose its processor after it has read a clock.
 */
int clock_gettime(clockid_t clock, struct timespec *time)
{
    long status = syscall(SYS_clock_gettime, clock, time);
    if (atomic_load(&interruptions) > 0) {
        atomic_fetch_sub(&interruptions, 1);
        syscall(SYS_nanosleep, &(struct timespec){.tv_nsec = 50000000}, NULL);
    }
    return (int)status;
}

static int64_t difference(clockid_t first, clockid_t second)
{
    struct timespec a, b;
    clock_gettime(first, &a);
    clock_gettime(second, &b);
    return ((int64_t)a.tv_sec - b.tv_sec) * 1000000000 + a.tv_nsec - b.tv_nsec;
}

/* 50 ms would be an error of the time of day, by which clocks of several machines are compared. */
static void an_interrupted_start_is_read_again(void **state)
{
    (void)state;
    for (int count = 0; count <= 3; count++) {
        atomic_store(&interruptions, count);
        fm_clock_start(0, 0);
        atomic_store(&interruptions, 0);
        int64_t read = (int64_t)(fm_clock.start_realtime - fm_clock.start_nanoseconds);
        int64_t error = read - difference(CLOCK_REALTIME, CLOCK_MONOTONIC_RAW);
        assert_true(error > -20000000 && error < 20000000);
        if (fm_clock.counter) {
            struct fm_clock_moment moment = fm_clock_moment();
            double rate = (double)fm_clock_resolution() / NANOSECONDS;
            double ticks = (double)(moment.ticks - fm_clock.start_ticks);
            double expected = rate * (double)(moment.nanoseconds - fm_clock.start_nanoseconds);
            assert_true(ticks - expected < 20000000 * rate && expected - ticks < 20000000 * rate);
        }
    }
}

/* ---- the order of readings ---- */

enum { TURNS = 500000 };

static struct {
    pthread_mutex_t mutex;
    uint64_t released; /* when, by its last holder */
    int early;         /* acquisitions before that */
} lock = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* Takes the lock with an atomic operation, on whose cache line the other thread writes. */
static void *take_and_release(void *nothing)
{
    for (int i = 0; i < TURNS; i++) {
        pthread_mutex_lock(&lock.mutex);
        uint64_t acquired = fm_clock_now_ordered();
        lock.early += acquired < lock.released;
        lock.released = fm_clock_now();
        pthread_mutex_unlock(&lock.mutex);
        for (volatile int j = 0; j < (int)((unsigned)i * 7919u % 200); j++) {
        }
    }
    return nothing;
}

static void a_lock_is_taken_after_its_release(void **state)
{
    (void)state;
    pthread_t other;
#if defined(__x86_64__)
    fm_clock.counter = true; /* also where the kernel does not trust it */
#endif
    assert_int_equal(pthread_create(&other, NULL, take_and_release, NULL), 0);
    take_and_release(NULL);
    pthread_join(other, NULL);
    fm_clock.counter = false;
    assert_int_equal(lock.early, 0);
}

/* ---- one clock ---- */

/* A moment so many seconds after the begin, of a clock that counted that many ticks. */
static struct fm_clock_moment moment(double seconds, double ticks)
{
    return (struct fm_clock_moment){(uint64_t)(1e6 + ticks), (uint64_t)(5e9 + seconds * 1e9),
                                    WIDTH};
}

static void a_steady_clock_has_a_rate_and_no_change(void **state)
{
    (void)state;
    struct fm_clock_track track = {0};
    for (int i = 0; i < 1000; i++) {
        fm_clock_track_note(&track, moment(i, (double)i * RATE));
    }
    fm_clock_track_end(&track, moment(1000, 1000.0 * RATE));
    assert_in_range(track.count, FM_CLOCK_MOMENTS / 2, FM_CLOCK_MOMENTS);
    assert_int_equal(track.moments[0].ticks, 1000000);
    assert_int_equal(track.moments[track.count - 1].nanoseconds, 1005000000000u);
    struct fm_clock_rate rate = fm_clock_track_rate(&track);
    assert_true(rate.rate > RATE - 1 && rate.rate < RATE + 1);
    assert_true(rate.error < 1e-9);
    assert_true(fm_clock_track_change(&track) < 1e-3);
}

static void moments_are_spread_over_the_run(void **state)
{
    (void)state;
    struct fm_clock_track track = {0};
    for (int i = 0; i < 100000; i++) {
        fm_clock_track_note(&track, moment(i, (double)i * RATE));
    }
    for (uint32_t i = 1; i < track.count; i++) {
        uint64_t gap = track.moments[i].nanoseconds - track.moments[i - 1].nanoseconds;
        assert_true(gap < 30000000000000u); /* 30 % of the run */
    }
    assert_true(track.moments[track.count - 1].nanoseconds > 80000000000000u);
}

static void a_change_of_the_rate_is_found(void **state)
{
    (void)state;
    struct fm_clock_track track = {0};
    fm_clock_track_note(&track, moment(0, 0));
    fm_clock_track_note(&track, moment(10, 10.0 * RATE));
    fm_clock_track_end(&track, moment(20, 20.0 * RATE * (1 + 200e-6)));
    /* 400 millionths in the second half are 200 from the mean */
    double change = fm_clock_track_change(&track);
    assert_true(change > 199 && change < 201);
}

/* A reading that another program interrupted may be wrong by as long as it took. */
static void what_readings_may_be_wrong_by_is_no_change(void **state)
{
    (void)state;
    struct fm_clock_track track = {0};
    struct fm_clock_moment disturbed = moment(0.01, 0.01 * RATE + 8000);
    disturbed.width = 16000;
    fm_clock_track_note(&track, moment(0, 0));
    fm_clock_track_note(&track, disturbed);
    fm_clock_track_end(&track, moment(10, 10.0 * RATE));
    assert_true(fm_clock_track_change(&track) == 0);
    track.moments[1].width = WIDTH;
    assert_true(fm_clock_track_change(&track) > 300);
}

static void without_two_moments_nothing_is_known(void **state)
{
    (void)state;
    struct fm_clock_track track = {0};
    assert_true(fm_clock_track_rate(&track).rate == 0);
    fm_clock_track_note(&track, moment(1, RATE));
    assert_true(fm_clock_track_rate(&track).rate == 0);
    assert_true(fm_clock_track_change(&track) == 0);
    fm_clock_track_end(&track, moment(1, RATE)); /* the same moment again */
    assert_true(fm_clock_track_rate(&track).rate == 0);
}

/* ---- two clocks ---- */

static void rates_differ_beyond_their_errors(void **state)
{
    (void)state;
    struct fm_clock_rate a = {RATE, 10e-6}, b = {RATE * (1 + 100e-6), 20e-6}, unknown = {0};
    double difference = fm_clock_rates_differ(b, a);
    assert_true(difference > 69 && difference < 71);
    assert_true(fm_clock_rates_differ(a, (struct fm_clock_rate){RATE * (1 + 29e-6), 20e-6}) == 0);
    assert_true(fm_clock_rates_differ(a, unknown) == 0);
    assert_true(fm_clock_rates_differ(unknown, a) == 0);
}

/* Machines whose counters have different frequencies: the offset grows as the rates say. */
static void offsets_are_compared_with_the_rates(void **state)
{
    (void)state;
    struct fm_clock_rate own = {RATE, 0}, top = {1.5 * RATE, 0};
    struct fm_clock_offset offsets[2] = {{1000, 77, 5},
                                         {1000 + 10 * (uint64_t)RATE, 77 + 5 * (int64_t)RATE, 5}};
    assert_true(fm_clock_offsets_differ(offsets, own, top) < 1e-3);
    offsets[1].offset += 15 * (int64_t)RATE / 1000; /* 1000 millionths of rank 0's ticks */
    double drift = fm_clock_offsets_differ(offsets, own, top);
    assert_true(drift > 999 && drift < 1001);
    offsets[1].deviation = 0.02 * RATE; /* of messages that took as long */
    assert_true(fm_clock_offsets_differ(offsets, own, top) == 0);
    offsets[1].time = offsets[0].time;
    assert_true(fm_clock_offsets_differ(offsets, own, top) == 0);
}

/* A clock that is a millisecond and 50 millionths off is brought right to less than a microsecond,
 * between the measurements and beyond. */
static void offset_and_drift_are_taken_out(void **state)
{
    (void)state;
    const double off = RATE / 1000, drift = 50e-6;
    struct fm_clock_offset offsets[2];
    for (int i = 0; i < 2; i++) { /* measured at 0 s and 100 s of the right time */
        double right = i * 100.0 * RATE;
        double time = 1e9 + off + right * (1 + drift);
        offsets[i] = (struct fm_clock_offset){(uint64_t)time, (int64_t)(right + 1e9 - time), 0};
    }
    for (double second = -10; second <= 110; second += 0.5) {
        double right = 1e9 + second * RATE;
        uint64_t time = (uint64_t)(int64_t)(1e9 + off + second * RATE * (1 + drift));
        int64_t wrong = (int64_t)(fm_clock_offsets_apply(offsets, time) - (uint64_t)(int64_t)right);
        assert_in_range(wrong + RATE / 1000000, 0, 2 * (RATE / 1000000));
    }
    offsets[1] = offsets[0];
    assert_int_equal(fm_clock_offsets_apply(offsets, 5000), (uint64_t)(5000 + offsets[0].offset));
}

static void errors_of_offsets_grow_behind_the_last(void **state)
{
    (void)state;
    const struct fm_clock_offset offsets[2] = {{1000, 0, 10}, {2000, 0, 20}};
    assert_true(fm_clock_offsets_error(offsets, 1500) == 30);
    assert_true(fm_clock_offsets_error(offsets, 2000) == 30);
    assert_true(fm_clock_offsets_error(offsets, 4000) == 90);
}

/* ---- all clocks ---- */

enum { PROCESSES = 4, COLLECTIVES = 3 };

/* A reduction by threads: it takes a tick of the true time for all of them. */
static struct {
    pthread_barrier_t barrier;
    pthread_mutex_t lock;
    uint64_t result[32];
    _Atomic uint64_t time;
} run;

static __thread uint32_t own_rank;
static int64_t ahead[PROCESSES]; /* by how much each clock is */
static uint64_t known_error;

static struct fm_closing_moment played_moment(void)
{
    uint64_t now = 1000000 + run.time + (uint64_t)ahead[own_rank];
    return (struct fm_closing_moment){now - known_error, now + known_error};
}

static void played_reduce(uint64_t *values, size_t count, enum fm_reduction reduction)
{
    if (pthread_barrier_wait(&run.barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {
        memset(run.result, 0, sizeof run.result);
    }
    pthread_barrier_wait(&run.barrier);
    pthread_mutex_lock(&run.lock);
    for (size_t i = 0; i < count; i++) {
        uint64_t *to = &run.result[i];
        *to = reduction == FM_REDUCE_SUM ? *to + values[i] : *to > values[i] ? *to : values[i];
    }
    pthread_mutex_unlock(&run.lock);
    if (pthread_barrier_wait(&run.barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {
        run.time++;
    }
    pthread_barrier_wait(&run.barrier);
    memcpy(values, run.result, count * sizeof *values);
}

static void *close_process(void *closing)
{
    const struct fm_exchange exchange = {.size = PROCESSES, .reduce = played_reduce};
    struct fm_closing *own = closing;
    own_rank = (uint32_t)own->sums.events; /* 0, 1, 2, 3 */
    fm_closing_combine(own, &exchange, played_moment);
    return NULL;
}

static struct fm_closing close_all(void)
{
    struct fm_closing closings[PROCESSES] = {0};
    pthread_t threads[PROCESSES];
    for (uint32_t i = 0; i < PROCESSES; i++) {
        closings[i].sums.events = i;
        closings[i].least.begin = 500 - i;
        closings[i].least.opening = 10 + i;
        closings[i].most.end = 700 + i;
        closings[i].clock.change = 3 * (uint64_t)i;
        pthread_create(&threads[i], NULL, close_process, &closings[i]);
    }
    for (uint32_t i = 0; i < PROCESSES; i++) {
        pthread_join(threads[i], NULL);
    }
    for (uint32_t i = 1; i < PROCESSES; i++) {
        assert_memory_equal(&closings[0], &closings[i], sizeof closings[0]);
    }
    return closings[0];
}

static void processes_are_combined(void **state)
{
    (void)state;
    memset(ahead, 0, sizeof ahead);
    struct fm_closing all = close_all();
    assert_int_equal(all.sums.events, 0 + 1 + 2 + 3);
    assert_int_equal(all.least.begin, 497);
    assert_int_equal(all.least.opening, 10);
    assert_int_equal(all.most.end, 703);
    assert_int_equal(all.clock.change, 9);
    assert_int_equal(all.clock.disorder, 0);
}

static void clocks_that_disagree_are_found(void **state)
{
    (void)state;
    static const int64_t cases[][PROCESSES] = {{0, 0, 41, 0}, {0, -41, 0, 0}, {-20, 0, 0, 21}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        memcpy(ahead, cases[i], sizeof ahead);
        known_error = 0;
        assert_int_equal(close_all().clock.disorder, 40);
        known_error = 15; /* of both clocks */
        assert_int_equal(close_all().clock.disorder, 10);
        known_error = 21;
        assert_int_equal(close_all().clock.disorder, 0);
    }
    known_error = 0;
}

static void doubts_have_reasons(void **state)
{
    (void)state;
    char text[256];
    struct fm_clock_quality quality = {.change = 50000, .difference = 50000, .drift = 500000};
    assert_null(fm_clock_doubt(&quality, RATE, text, sizeof text));
    quality.change = 60000;
    assert_string_equal(fm_clock_doubt(&quality, RATE, text, sizeof text),
                        "the rate of a clock changed by 60 millionths during the run");
    quality.drift = 700000;
    assert_string_equal(
        fm_clock_doubt(&quality, RATE, text, sizeof text),
        "a clock drifted from that of rank 0 by 700 millionths more than their rates say");
    quality.difference = 60000;
    assert_string_equal(
        fm_clock_doubt(&quality, RATE, text, sizeof text),
        "clocks of processes on one node run at rates that differ by 60 millionths");
    quality.disorder = RATE / 1000;
    assert_string_equal(fm_clock_doubt(&quality, RATE, text, sizeof text),
                        "by their clocks one process left a collective operation 1000.0 us before "
                        "another one entered it");
}

static void the_kernel_is_believed(void **state)
{
    (void)state;
    assert_true(fm_clock_is_trusted("tsc kvm-clock acpi_pm \n"));
    assert_true(fm_clock_is_trusted("hyperv_clocksource_tsc_page acpi_pm \n"));
    assert_false(fm_clock_is_trusted("hpet acpi_pm \n"));
}

/* ---- what recording cost ---- */

static void the_overhead_is_what_the_parts_of_the_work_take(void **state)
{
    (void)state;
    struct fm_thread thread = {.flushing = RATE / 1000};
    thread.samples.handling = 5000;
    struct fm_overhead_costs costs =
        fm_overhead_of_thread(&thread, (struct fm_meter_bias){0}, RATE);
    assert_int_equal(fm_overhead_sum(&costs), 1000000 + 5000);
    assert_int_equal(costs.of[FM_COST_BUFFERS], 1000000);
    assert_int_equal(costs.of[FM_COST_SAMPLES], 5000);
    costs.of[FM_COST_LOCKS] = 10;
    costs.of[FM_COST_TASKS] = 20;
    assert_int_equal(fm_overhead_delaying(&costs), 30);

    /* 10 s, of which 1 s is the recorder's: a ninth of what the run would have taken */
    struct fm_closing closing = {.sums = {.events = 7, .bytes = 5000000, .work = 2500000000},
                                 .least = {.begin = 1000, .opening = 250000000},
                                 .most = {.arrival = 1000 + 95 * (uint64_t)RATE / 10,
                                          .recording = 200000000,
                                          .writing = 50000000,
                                          .memory = 3000000}};
    struct fm_environment facts = {.resolution = RATE};
    char text[512];
    fm_closing_describe(&closing, 1000 + 10 * (uint64_t)RATE, &facts, text, sizeof text);
    assert_true(facts.complete);
    assert_null(facts.incomplete);
    assert_null(facts.clock_doubt);
    assert_true(facts.overhead > 0.1111 && facts.overhead < 0.1112);
    const struct fm_experiment_totals totals = fm_experiment_totals(&facts);
    assert_string_equal(fm_experiment_totals_text(&totals, text, sizeof text),
                        "7 events, 5.0 MB; recorder: 3.0 MB of memory a process, 2.50 s of CPU "
                        "time, makes the run about 11.1% longer");
    /* a rank that lacks a processor half of the time records half as fast, too; the time of writing
     * contains its waiting */
    closing.sums.run = 1000000;
    closing.sums.run_delay = 500000;
    fm_closing_describe(&closing, 1000 + 10 * (uint64_t)RATE, &facts, text, sizeof text);
    assert_true(facts.overhead > 0.1363 && facts.overhead < 0.1364);
    const struct fm_experiment_totals single = {.events = 1, .samples = 1, .samples_lost = 1};
    assert_string_equal(fm_experiment_totals_text(&single, text, sizeof text),
                        "1 event, 0.0 MB, 1 sample (1 lost)");
    const struct fm_experiment_totals several = {.events = 2, .samples = 2};
    assert_string_equal(fm_experiment_totals_text(&several, text, sizeof text),
                        "2 events, 0.0 MB, 2 samples (0 lost)");
}

/* A run of 10 s with short events. @return what is stated of it */
static struct fm_environment overhead_of(double recording, double unmeasured)
{
    const struct fm_closing closing = {.least = {.begin = 1},
                                       .most = {.arrival = 1 + 10 * (uint64_t)RATE,
                                                .recording = (uint64_t)(1e9 * recording),
                                                .unmeasured = (uint64_t)(1e9 * unmeasured),
                                                .memory = 1}};
    struct fm_environment facts = {.resolution = RATE};
    fm_closing_describe_overhead(&closing, 1 + 10 * (uint64_t)RATE, &facts);
    return facts;
}

static void an_overhead_that_is_not_known_well_is_the_least(void **state)
{
    (void)state;
    struct fm_environment facts = overhead_of(4, 1);
    assert_false(facts.overhead_is_least);
    assert_true(facts.overhead > 0.666 && facts.overhead < 0.667);
    facts = overhead_of(4, 2); /* the program may have taken 4 s of the 6 s that remain */
    assert_true(facts.overhead_is_least);
    assert_true(facts.overhead > 0.428 && facts.overhead < 0.429);
    facts = overhead_of(9, 0); /* an error of a twentieth is half of what remains */
    assert_true(facts.overhead_is_least);
    assert_true(facts.overhead > 2.076 && facts.overhead < 2.078);
    facts = overhead_of(11, 0); /* more than there was */
    assert_true(facts.overhead_is_least);
    assert_true(facts.overhead > 4.71 && facts.overhead < 4.72);
    char text[256];
    const struct fm_experiment_totals totals = fm_experiment_totals(&facts);
    assert_non_null(strstr(fm_experiment_totals_text(&totals, text, sizeof text),
                           "makes the run at least 5.7 times as long"));
}

static void a_call_costs_something(void **state)
{
    (void)state;
    fm_clock_start(0, 0);
    assert_true(fm_overhead_per_call(NULL) > 0);
    assert_null(fm_thread_self);
    assert_true(fm_overhead_page_fault() > 0);
}

static void totals_are_read_as_they_were_written(void **state)
{
    (void)state;
    const struct fm_experiment_totals totals = {1, 2, 3, 4, 5, 6, 7, true};
    struct fm_experiment_totals read = {0};
    char text[256], again[256];
    fm_experiment_totals_write(&totals, text, sizeof text);
    assert_string_equal(text, "1 2 3 4 5 6 7 1");
    strcat(text, " /a folder");
    assert_string_equal(fm_experiment_totals_read(&read, text), " /a folder");
    fm_experiment_totals_write(&read, again, sizeof again);
    assert_string_equal(again, "1 2 3 4 5 6 7 1");
    assert_null(fm_experiment_totals_read(&read, "1 2 3 4 5 6 7 /a folder"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lock_is_taken_after_its_release),
        cmocka_unit_test(a_steady_clock_has_a_rate_and_no_change),
        cmocka_unit_test(moments_are_spread_over_the_run),
        cmocka_unit_test(a_change_of_the_rate_is_found),
        cmocka_unit_test(what_readings_may_be_wrong_by_is_no_change),
        cmocka_unit_test(without_two_moments_nothing_is_known),
        cmocka_unit_test(rates_differ_beyond_their_errors),
        cmocka_unit_test(offsets_are_compared_with_the_rates),
        cmocka_unit_test(offset_and_drift_are_taken_out),
        cmocka_unit_test(errors_of_offsets_grow_behind_the_last),
        cmocka_unit_test(processes_are_combined),
        cmocka_unit_test(clocks_that_disagree_are_found),
        cmocka_unit_test(doubts_have_reasons),
        cmocka_unit_test(an_interrupted_start_is_read_again),
        cmocka_unit_test(the_kernel_is_believed),
        cmocka_unit_test(the_overhead_is_what_the_parts_of_the_work_take),
        cmocka_unit_test(an_overhead_that_is_not_known_well_is_the_least),
        cmocka_unit_test(a_call_costs_something),
        cmocka_unit_test(totals_are_read_as_they_were_written),
    };
    pthread_barrier_init(&run.barrier, NULL, PROCESSES);
    pthread_mutex_init(&run.lock, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
