/* SPDX-License-Identifier: BSD-3-Clause */
/* Rates of the kernel's counters, which stay the same between two readings of the recorder. */
#include "check.h"
#include "cli/counters/counter_kernel_rates.h"
#include "counter_files.h"

#include <stdlib.h>
#include <unistd.h>

enum { COUNTERS = 4 };

static const char *const names[COUNTERS] = {"usage.page_faults_minor", "usage.page_faults_major",
                                            "usage.preemptions", "mpi.messages_sent"};

static char folder[] = "/tmp/fermata-rates-XXXXXX";

static void set(struct fm_counter_job *job, const int64_t values[COUNTERS])
{
    struct fm_error error;
    if (job->ranks != 0) {
        fm_counter_job_close(job);
    }
    write_counters(folder, 0, 1, COUNTERS, names, values);
    assert_int_equal(fm_counter_job_open(folder, job, &error), FM_OK);
}

static void rates_are_means_between_readings(void **state)
{
    struct fm_counter_job job = {0};
    struct fm_kernel_rates rates;
    (void)state;
    set(&job, (const int64_t[]){100, 1, 50, 10});
    fm_kernel_rates_begin(&rates, &job);
    assert_true(rates.of[0].faults_per_second < 0);
    set(&job, (const int64_t[]){200, 1, 60, 20});
    fm_kernel_rates_take(&rates, &job, 11); /* since an unknown time */
    assert_true(rates.of[0].faults_per_second < 0);
    assert_true(rates.of[0].preemptions_per_second < 0);
    set(&job, (const int64_t[]){200, 1, 60, 30});
    fm_kernel_rates_take(&rates, &job, 12);
    assert_true(rates.of[0].faults_per_second < 0);
    set(&job, (const int64_t[]){229, 2, 60, 40});
    fm_kernel_rates_take(&rates, &job, 13);
    assert_true(rates.of[0].faults_per_second == 15);
    assert_true(rates.of[0].preemptions_per_second == 0);
    set(&job, (const int64_t[]){229, 2, 60, 50});
    fm_kernel_rates_take(&rates, &job, 14); /* it stays */
    assert_true(rates.of[0].faults_per_second == 15);
    fm_kernel_rates_end(&rates);
    fm_counter_job_close(&job);
    remove_counters(folder, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rates_are_means_between_readings)};
    if (mkdtemp(folder) == NULL) {
        return 1;
    }
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(folder);
    return failures;
}
