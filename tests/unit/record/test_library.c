/* SPDX-License-Identifier: BSD-3-Clause */
/* What the recorder reads from statuses and types, and what MPI's functions report of the same. */
#include "record/mpi/library.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static uint64_t other_bytes(const MPI_Status *status)
{
    return fm_status_read_bytes(status) & 0xffffffff; /* as if the upper half were elsewhere */
}

static int never_cancelled(const MPI_Status *status)
{
    (void)status;
    return 0;
}

static uint64_t other_size(MPI_Datatype type)
{
    return type == MPI_DOUBLE ? 4 : fm_type_read_size(type);
}

static uint64_t no_size(MPI_Datatype type)
{
    (void)type;
    return 0;
}

static void a_wrong_reading_is_found(void **state)
{
    (void)state;
    assert_true(fm_library_reads_statuses(fm_status_read_bytes, fm_status_read_cancelled));
    assert_false(fm_library_reads_statuses(other_bytes, fm_status_read_cancelled));
    assert_false(fm_library_reads_statuses(fm_status_read_bytes, never_cancelled));
    assert_true(fm_library_reads_types(fm_type_read_size));
    assert_false(fm_library_reads_types(other_size));
    assert_false(fm_library_reads_types(no_size));
}

/* Both ways, whatever the library does. */
static void expect_status(const MPI_Status *status, uint64_t bytes, bool cancelled)
{
    for (int read = 0; read < 2; read++) {
        fm_library_readings.statuses = read != 0;
        assert_int_equal(fm_status_cancelled(status) != 0, cancelled);
        if (!cancelled) {
            assert_int_equal(fm_status_bytes(status), bytes);
        }
    }
}

static void expect_message(MPI_Datatype type, int count, uint64_t bytes)
{
    static char sent[1024], received[1024];
    MPI_Status status;
    MPI_Sendrecv(sent, count, type, 0, 1, received, 1024, MPI_BYTE, 0, 1, MPI_COMM_SELF, &status);
    expect_status(&status, bytes, false);
    for (int read = 0; read < 2; read++) {
        fm_library_readings.types = read != 0;
        assert_int_equal(fm_type_bytes(count, type), bytes);
    }
}

static void messages_have_the_same_bytes_both_ways(void **state)
{
    MPI_Datatype derived;
    (void)state;
    MPI_Type_vector(3, 1, 2, MPI_INT, &derived);
    MPI_Type_commit(&derived);
    expect_message(MPI_BYTE, 0, 0);
    expect_message(MPI_CHAR, 1, 1);
    expect_message(MPI_DOUBLE, 100, 800);
    expect_message(MPI_DOUBLE_INT, 3, 36);
    expect_message(derived, 5, 60);
    MPI_Type_free(&derived);
}

static void cancelled_requests_are_so_both_ways(void **state)
{
    int value;
    MPI_Request request;
    MPI_Status status;
    (void)state;
    MPI_Irecv(&value, 1, MPI_INT, 0, 2, MPI_COMM_SELF, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    expect_status(&status, 0, true);
    MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, 2, MPI_COMM_SELF, &status);
    expect_status(&status, 0, false);
}

static void the_readings_hold_for_this_library(void **state)
{
    (void)state;
    fm_types_begin(MPI_COMM_SELF, 0, 0);
    assert_true(fm_library_readings.statuses);
    assert_true(fm_library_readings.types);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_readings_hold_for_this_library),
        cmocka_unit_test(a_wrong_reading_is_found),
        cmocka_unit_test(messages_have_the_same_bytes_both_ways),
        cmocka_unit_test(cancelled_requests_are_so_both_ways),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
