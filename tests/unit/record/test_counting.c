/* SPDX-License-Identifier: BSD-3-Clause */
/* Counting: what threads record is counted once, whatever chunks and pauses do, from the first call
 * on, and is in the file. */
#include "check.h"
#include "counters/catalogue.h"
#include "counters/counter_layout.h"
#include "fermata/counters.h"
#include "record/capture/thread.h"
#include "record/counting/counter_file.h"
#include "record/counting/counter_values.h"
#include "record/selection/pause.h"

#include <errno.h>
#include <otf2/otf2.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SEND, RECV, WAIT, BARRIER, PUT, FUNCTIONS, CALLS = 100000, BYTES = 1 << 25 };

static const struct fm_paradigm_description mpi = {.name = "MPI"}, other = {.name = "other"};

static const struct fm_recorded_region regions[FUNCTIONS + 1] = {
    {"MPI_Send", 0, &mpi},    {"MPI_Recv", 0, &mpi}, {"MPI_Wait", 0, &mpi},
    {"MPI_Barrier", 0, &mpi}, {"MPI_Put", 0, &mpi},  {"later", 0, &other}};

static char folder[] = "/tmp/fermata-counting-XXXXXX";
static char path[256];

static const char *name_of(uint32_t function)
{
    return regions[function].name;
}

/* The journal takes everything. */
static bool flush(struct fm_thread *thread, bool full)
{
    (void)full;
    fm_thread_reuse(thread);
    return true;
}

/* A call with one operation record, whose second and further words are `words`. */
static void call(uint32_t function, uint64_t header, size_t above, const uint64_t *words)
{
    struct fm_thread *thread = fm_thread_enter(function);
    assert_non_null(thread);
    size_t count = fm_record_words[fm_record_kind(header)];
    uint64_t *record = fm_thread_leave(thread, count + (above != 0));
    if (above != 0) {
        *record++ = fm_record_above(above);
    }
    record[0] = header;
    memcpy(record + 1, words, (count - 1) * sizeof *record);
    fm_thread_done(thread);
}

static void send(uint64_t bytes)
{
    call(SEND, fm_record_sized(FM_RECORD_SEND, bytes, 0), fm_words_above(bytes) != 0 ? bytes : 0,
         (uint64_t[]){1});
}

static void plain(uint32_t function)
{
    struct fm_thread *thread = fm_thread_enter(function);
    fm_thread_leave(thread, 0);
    fm_thread_done(thread);
}

static int64_t value(const char *name)
{
    char why[256];
    fermata_counters_t *counters = fermata_counters_open(path, why, sizeof why);
    assert_non_null(counters);
    int number = fermata_counters_find(counters, name);
    assert_true(number >= 0);
    int64_t result = fermata_counters_value(counters, (size_t)number);
    fermata_counters_close(counters);
    return result;
}

static int setup(void **state)
{
    (void)state;
    fm_clock_start(0, 0);
    fm_threads_begin(2 * FM_CHUNK_BYTES, flush);
    fm_pause_begin(name_of);
    setenv(FM_COUNTERS_VARIABLE, "all", 1);
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/counters/rank.5", folder);
    return 0;
}

/* Calls before the file exists are counted, too. */
static void counts_from_the_first_call_on(void **state)
{
    (void)state;
    for (int i = 0; i < 10; i++) {
        send(100);
    }
    assert_true(fm_counter_file_open(folder, 5, 8, regions, FUNCTIONS));
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0600);
    assert_int_equal(value("mpi.messages_sent"), 0); /* counted with the next call */
    plain(WAIT);
    assert_int_equal(value("mpi.messages_sent"), 10);
    assert_int_equal(value("mpi.bytes_sent"), 1000);
    assert_int_equal(value("OMPI_SPC_SEND"), 10);
    assert_int_equal(value("OMPI_SPC_WAIT"), 1);
}

static void counts_across_chunks(void **state)
{
    (void)state;
    for (int i = 0; i < CALLS; i++) {
        send(12288 + (uint64_t)(i & 1));
    }
    assert_int_equal(value("mpi.messages_sent"), 10 + CALLS);
    assert_int_equal(value("mpi.bytes_sent"), 1000 + 12288LL * CALLS + CALLS / 2);
    char why[256];
    fermata_counters_t *counters = fermata_counters_open(path, why, sizeof why);
    int bins = fermata_counters_find(counters, "OMPI_SPC_P2P_MESSAGE_SIZE");
    assert_int_equal(fermata_counters_bin(counters, (size_t)bins, 0), 10 + CALLS / 2);
    assert_int_equal(fermata_counters_bin(counters, (size_t)bins, 1), CALLS / 2);
    fermata_counters_close(counters);
}

static void counts_large_numbers_and_operations(void **state)
{
    (void)state;
    int64_t before = value("mpi.bytes_sent");
    send(BYTES);
    assert_int_equal(value("mpi.bytes_sent"), before + BYTES);
    call(BARRIER, fm_record_header(FM_RECORD_COLLECTIVE_END, OTF2_COLLECTIVE_OP_BARRIER, 0), 0,
         (uint64_t[]){0, 7, 8});
    assert_int_equal(value("mpi.collectives"), 1);
    assert_int_equal(value("mpi.collective_bytes_sent"), 7);
    assert_int_equal(value("mpi.collective_bytes_received"), 8);
    call(PUT, fm_record_sized(FM_RECORD_PUT, 40, 0), 0, (uint64_t[]){1, 2});
    assert_int_equal(value("OMPI_SPC_BYTES_PUT"), 40);
    assert_int_equal(value("shmem.bytes_put"), 0);
}

static void counts_requests_as_levels(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        call(SEND, fm_record_sized(FM_RECORD_ISEND, 1, 0), 0, (uint64_t[]){1, 1});
    }
    assert_int_equal(value("mpi.requests_open"), 3);
    for (int i = 0; i < 3; i++) {
        call(WAIT, fm_record_header(FM_RECORD_ISEND_COMPLETE, 0, 0), 0, (uint64_t[]){1});
    }
    assert_int_equal(value("mpi.requests_open"), 0);
    assert_int_equal(value("mpi.requests_open_most"), 3);
}

static void change_requests(int begun, int completed)
{
    for (int i = 0; i < begun; i++) {
        call(SEND, fm_record_sized(FM_RECORD_ISEND, 1, 0), 0, (uint64_t[]){1, 1});
    }
    for (int i = 0; i < completed; i++) {
        call(WAIT, fm_record_header(FM_RECORD_ISEND_COMPLETE, 0, 0), 0, (uint64_t[]){1});
    }
}

static void reset_watermarks(void)
{
    char why[256];
    fermata_counters_t *counters = fermata_counters_open(path, why, sizeof why);
    assert_non_null(counters);
    assert_int_equal(fermata_counters_reset_watermarks(counters), 0);
    fermata_counters_close(counters);
}

static int64_t most_in_process(void)
{
    return (int64_t)fm_counter_total(FM_SLOT_REQUESTS_OPEN_MOST, FM_COUNTER_HIGH_WATERMARK);
}

/* Levels 5, 1, reset: 1 at once, also if the thread records nothing more; then the maximum since
 * the reset, whichever calls follow. */
static void watermarks_are_reset_to_the_present_level(void **state)
{
    (void)state;
    change_requests(5, 4);
    assert_int_equal(value("mpi.requests_open"), 1);
    assert_int_equal(value("mpi.requests_open_most"), 5);
    reset_watermarks();
    assert_int_equal(value("mpi.requests_open_most"), 1);
    assert_int_equal(most_in_process(), 1);
    assert_int_equal(value("mpi.requests_open"), 1);
    plain(BARRIER); /* the thread resets its own */
    assert_int_equal(value("mpi.requests_open_most"), 1);
    change_requests(2, 3);
    assert_int_equal(value("mpi.requests_open"), 0);
    assert_int_equal(value("mpi.requests_open_most"), 3);
    assert_int_equal(most_in_process(), 3);
    change_requests(2, 0);
    reset_watermarks();
    reset_watermarks();
    change_requests(0, 2); /* the level of the reset counts, not that of the next call */
    assert_int_equal(value("mpi.requests_open_most"), 2);
    reset_watermarks();
    change_requests(1, 1);
    assert_int_equal(value("mpi.requests_open_most"), 1);
}

static void *send_some(void *nothing)
{
    for (int i = 0; i < CALLS; i++) {
        send(1);
    }
    return nothing;
}

static void counts_in_all_threads(void **state)
{
    (void)state;
    enum { THREADS = 3 };
    pthread_t threads[THREADS];
    int64_t before = value("mpi.messages_sent");
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, send_some, NULL), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    assert_int_equal(value("mpi.messages_sent"), before + (int64_t)THREADS * CALLS);
}

static void counts_functions_that_come_later(void **state)
{
    (void)state;
    fm_counter_file_functions(regions, FUNCTIONS, 1);
    plain(FUNCTIONS);
    assert_int_equal(value("calls:later"), 1);
    assert_int_equal(value("recorder.calls_elsewhere"), 0);
    plain(4000);
    assert_int_equal(value("recorder.calls_elsewhere"), 1);
}

static void pauses_are_not_counted(void **state)
{
    (void)state;
    int64_t before = value("mpi.messages_sent");
    fm_pause_run_begins();
    fm_pause();
    for (int i = 0; i < CALLS; i++) {
        send(1);
    }
    assert_int_equal(value("mpi.messages_sent"), before);
    fm_resume();
    send(1);
    assert_int_equal(value("mpi.messages_sent"), before + 1);
}

/* What the size limit leaves out of the trace is counted. */
static void thinning_is_counted(void **state)
{
    (void)state;
    int64_t before = value("mpi.messages_sent");
    fm_pause_for(FM_PAUSE_SIZE, true);
    for (int i = 0; i < CALLS; i++) {
        send(1);
    }
    fm_pause_for(FM_PAUSE_SIZE, false);
    send(1);
    assert_int_equal(value("mpi.messages_sent"), before + CALLS + 1);
}

static void states_that_it_is_complete(void **state)
{
    (void)state;
    char why[256];
    fermata_counters_t *counters = fermata_counters_open(path, why, sizeof why);
    assert_int_equal(fermata_counters_state(counters), FERMATA_PROCESS_RUNNING);
    fm_counter_file_close();
    assert_int_equal(fermata_counters_read(counters), 0);
    assert_int_equal(fermata_counters_state(counters), FERMATA_PROCESS_ENDED);
    assert_int_equal(fermata_counters_reset_watermarks(counters), -1);
    assert_int_equal(errno, ESRCH);
    /* What the kernel counts from here on is not the run's. */
    int64_t faults = value("usage.page_faults_minor"), elapsed = value("usage.time_user");
    enum { PAGES = 64, PAGE = 4096 };
    volatile char *pages = malloc((size_t)PAGES * PAGE);
    for (size_t i = 0; i < (size_t)PAGES * PAGE; i += PAGE) {
        pages[i] = 1;
    }
    free((void *)pages);
    fm_counter_file_tick();
    fm_counter_file_close();
    assert_int_equal(value("usage.page_faults_minor"), faults);
    assert_int_equal(value("usage.time_user"), elapsed);
    double error = fermata_counters_tick_rate(counters) / (double)fm_clock_resolution() - 1;
    assert_true(error < 1e-3 && error > -1e-3);
    fermata_counters_close(counters);
}

static int teardown(void **state)
{
    (void)state;
    unlink(path);
    *strrchr(path, '/') = '\0';
    rmdir(path);
    rmdir(folder);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_from_the_first_call_on),
        cmocka_unit_test(counts_across_chunks),
        cmocka_unit_test(counts_large_numbers_and_operations),
        cmocka_unit_test(counts_requests_as_levels),
        cmocka_unit_test(watermarks_are_reset_to_the_present_level),
        cmocka_unit_test(counts_in_all_threads),
        cmocka_unit_test(counts_functions_that_come_later),
        cmocka_unit_test(pauses_are_not_counted),
        cmocka_unit_test(thinning_is_counted),
        cmocka_unit_test(states_that_it_is_complete),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
