/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of traffic: what they contain, and that damage is refused. */
#include "check.h"
#include "counters/traffic/job_traffic_rows.h"
#include "temporary.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 16 };

/* The rows that were read, as text. */
struct rows {
    size_t count;
    char text[MOST][256];
};

static fm_status_t take(void *context, const struct fm_job_traffic_row *row, struct fm_error *error)
{
    struct rows *rows = context;
    char *text = rows->text[rows->count % MOST];
    (void)error;
    rows->count++;
    if (row->kind == FM_JOB_TRAFFIC_ROW_COMMUNICATOR) {
        snprintf(text, sizeof rows->text[0], "%d: %u %u %u %u %d %d '%s' '%s'", (int)row->kind,
                 row->communicator, row->size, row->remote_size, row->place, (int)row->first,
                 (int)row->parent, row->maker, row->name);
    } else {
        snprintf(text, sizeof rows->text[0], "%d: %d %d %llu %llu %llu %llu %llu", (int)row->kind,
                 (int)row->communicator, (int)row->peer, (unsigned long long)row->numbers[0],
                 (unsigned long long)row->numbers[1], (unsigned long long)row->numbers[2],
                 (unsigned long long)row->numbers[3], (unsigned long long)row->numbers[4]);
    }
    return FM_OK;
}

static fm_status_t read_bytes(const char *text, size_t length, struct rows *rows,
                              struct fm_error *error)
{
    char path[] = "/tmp/fermata-links-XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, text, length), length);
    close(descriptor);
    *rows = (struct rows){0};
    fm_status_t status = fm_job_traffic_rows_read(path, take, rows, error);
    unlink(path);
    return status;
}

static const char good[] =
    FM_JOB_TRAFFIC_HEAD "\n"
                        "communicator\t0\t4\t0\t1\t0\t-\t\tMPI_COMM_WORLD\n"
                        "communicator\t7\t2\t3\t1\t-\t0\tMPI_Intercomm_create\t\n"
                        "messages\t0\t3\t5\t500\t0\t18446744073709551615\n"
                        "messages\t7\t-\t1\t10\t2\t20\n"
                        "one-sided\t0\t0\t1\t2\t3\t4\t5\t6\n"
                        "collectives\t0\t9\t80\t160\n"
                        "collectives\t-\t1\t0\t0\n"
                        "messages\t-\t-\t1\t1\t0\t0\n"
                        "end\n";

static void test_rows(void **state)
{
    static const char *const expected[] = {"0: 0 4 0 1 0 -1 '' 'MPI_COMM_WORLD'",
                                           "0: 7 2 3 1 -1 0 'MPI_Intercomm_create' ''",
                                           "1: 0 3 5 500 0 18446744073709551615 0",
                                           "1: 7 -1 1 10 2 20 0",
                                           "2: 0 0 1 2 3 4 5",
                                           "3: 0 -1 9 80 160 0 0",
                                           "3: -1 -1 1 0 0 0 0",
                                           "1: -1 -1 1 1 0 0 0"};
    struct rows rows;
    struct fm_error error;
    (void)state;
    assert_int_equal(read_bytes(good, sizeof good - 1, &rows, &error), FM_OK);
    assert_int_equal(rows.count, sizeof expected / sizeof expected[0]);
    for (size_t i = 0; i < rows.count; i++) {
        assert_string_equal(rows.text[i], expected[i]);
    }
}

static void test_damage(void **state)
{
    static const char *const damaged[] = {
        "",
        "fermata-links 0\n",
        FM_JOB_TRAFFIC_HEAD, /* without its end */
        FM_JOB_TRAFFIC_HEAD "\n\n",
        FM_JOB_TRAFFIC_HEAD "\nmessage\t0\t3\t5\t500\t0\t0\n",
        FM_JOB_TRAFFIC_HEAD "\nmessages\t0\t3\t5\t500\t0\n",
        FM_JOB_TRAFFIC_HEAD "\nmessages\t0\t3\t5\t500\t0\t0\t0\n",
        FM_JOB_TRAFFIC_HEAD "\nmessages\t0\t3\t5\t500\t0\t0",
        FM_JOB_TRAFFIC_HEAD "\nmessages\t0\t3\t-5\t500\t0\t0\n",
        FM_JOB_TRAFFIC_HEAD "\nmessages\t0\t3\t\t500\t0\t0\n",
        FM_JOB_TRAFFIC_HEAD "\nmessages\t0\t3\t1.5\t500\t0\t0\n",
        FM_JOB_TRAFFIC_HEAD "\nmessages\t0\t3\t18446744073709551616\t500\t0\t0\n",
        FM_JOB_TRAFFIC_HEAD "\nmessages\t4294967296\t3\t5\t500\t0\t0\n",
        FM_JOB_TRAFFIC_HEAD "\nmessages\t0\t2147483648\t5\t500\t0\t0\n",
        FM_JOB_TRAFFIC_HEAD "\nmessages\t0\t--\t5\t500\t0\t0\n",
        FM_JOB_TRAFFIC_HEAD "\ncommunicator\t-\t4\t0\t1\t0\t-\t\tname\n",
        FM_JOB_TRAFFIC_HEAD "\ncommunicator\t0\t-\t0\t1\t0\t-\t\tname\n",
        FM_JOB_TRAFFIC_HEAD "\ncommunicator\t0\t4\t0\t1\t0\t-\tname\n",
        FM_JOB_TRAFFIC_HEAD "\ncollectives\t0\t-\t9\t80\t160\n"};
    struct rows rows;
    struct fm_error error;
    (void)state;
    for (size_t i = 0; i < sizeof damaged / sizeof damaged[0]; i++) {
        char text[128];
        int length = snprintf(text, sizeof text, "%send\n", damaged[i]);
        assert_int_equal(read_bytes(text, (size_t)length, &rows, &error), FM_ERR_DATA);
        assert_int_equal(rows.count, 0);
    }
    static const char zero[] = FM_JOB_TRAFFIC_HEAD "\ncollectives\t0\t9\t80\t160\0\nend\n";
    assert_int_equal(read_bytes(zero, sizeof zero - 1, &rows, &error), FM_ERR_DATA);
    static const char behind[] = FM_JOB_TRAFFIC_HEAD "\nend\ncollectives\t0\t9\t80\t160\n";
    assert_int_equal(read_bytes(behind, sizeof behind - 1, &rows, &error), FM_ERR_DATA);
    assert_int_equal(rows.count, 0);
    char missing[300];
    missing_path(missing, sizeof missing);
    assert_int_equal(fm_job_traffic_rows_read(missing, take, &rows, &error), FM_ERR_SYSTEM);
    assert_int_equal(errno, ENOENT);
    remove_missing(missing);
}

/* Files cut anywhere are refused; with any byte replaced they are read or refused. */
static void test_any_damage(void **state)
{
    static const char bytes[] = {'\0', '\t', '\n', '-', '0', '9', 'm', '\xff'};
    struct rows rows;
    struct fm_error error;
    char text[sizeof good];
    (void)state;
    for (size_t length = 0; length < sizeof good - 1; length++) {
        fm_status_t status = read_bytes(good, length, &rows, &error);
        assert_int_equal(status, FM_ERR_DATA);
        for (size_t i = 0; i < sizeof bytes; i++) {
            memcpy(text, good, sizeof good);
            text[length] = bytes[i];
            status = read_bytes(text, sizeof good - 1, &rows, &error);
            assert_true(status == FM_OK || status == FM_ERR_DATA);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_any_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
