/* SPDX-License-Identifier: BSD-3-Clause */
/* What launchers tell by the environment. */
#include "check.h"

#include "base/process/launcher.h"

#include <stdlib.h>

/* Only these variables are set: name and value in turn. */
static struct fm_launch read_launch(const char *const variables[], size_t count)
{
    clearenv();
    for (size_t i = 0; i < count; i += 2) {
        setenv(variables[i], variables[i + 1], 1);
    }
    return fm_launch_read();
}

#define READ(...)                                                                                  \
    read_launch((const char *const[]){__VA_ARGS__},                                                \
                sizeof(const char *const[]){__VA_ARGS__} / sizeof(char *))

static void expect(struct fm_launch launch, const char *library, unsigned rank, unsigned size,
                   unsigned local_rank)
{
    if (library == NULL) {
        assert_null(launch.library);
    } else {
        assert_non_null(launch.library);
        assert_string_equal(launch.library, library);
    }
    assert_int_equal(launch.rank, rank);
    assert_int_equal(launch.size, size);
    assert_int_equal(launch.local_rank, local_rank);
}

static void test_launchers(void **state)
{
    (void)state;
    expect(READ("HOME", "/"), NULL, 0, 1, 0);
    expect(READ("OMPI_COMM_WORLD_RANK", "5", "OMPI_COMM_WORLD_SIZE", "8",
                "OMPI_COMM_WORLD_LOCAL_RANK", "1", "PMIX_RANK", "5"),
           "openmpi", 5, 8, 1);
    expect(READ("PMI_RANK", "3", "PMI_SIZE", "4", "MPI_LOCALRANKID", "2"), "mpich", 3, 4, 2);
    expect(READ("PMI_RANK", "3", "PMI_SIZE", "4", "SLURM_LOCALID", "1"), "mpich", 3, 4, 1);
    expect(READ("PMI_RANK", "3", "PMI_SIZE", "4"), "mpich", 3, 4, 3);
    expect(READ("OMPI_COMM_WORLD_RANK", "0", "OMPI_COMM_WORLD_SIZE", "1"), "openmpi", 0, 1, 0);
}

/* A shell that was started as one process starts several. */
static void test_several_win_over_one(void **state)
{
    (void)state;
    expect(READ("OMPI_COMM_WORLD_RANK", "0", "OMPI_COMM_WORLD_SIZE", "1", "PMI_RANK", "1",
                "PMI_SIZE", "2"),
           "mpich", 1, 2, 1);
}

static void test_who_is_on_this_machine(void **state)
{
    (void)state;
    /* Those that a launcher of another kind has started may be anywhere. */
    assert_false(READ("HOME", "/").all_are_here);
    assert_true(READ("OMPI_COMM_WORLD_RANK", "0", "OMPI_COMM_WORLD_SIZE", "1").all_are_here);
    assert_true(READ("OMPI_COMM_WORLD_RANK", "1", "OMPI_COMM_WORLD_SIZE", "2",
                     "OMPI_COMM_WORLD_LOCAL_SIZE", "2")
                    .all_are_here);
    assert_false(READ("OMPI_COMM_WORLD_RANK", "1", "OMPI_COMM_WORLD_SIZE", "4",
                      "OMPI_COMM_WORLD_LOCAL_SIZE", "2")
                     .all_are_here);
    assert_true(READ("PMI_RANK", "1", "PMI_SIZE", "2", "MPI_LOCALNRANKS", "2").all_are_here);
    assert_false(READ("PMI_RANK", "1", "PMI_SIZE", "4", "MPI_LOCALNRANKS", "2").all_are_here);
    assert_false(READ("PMI_RANK", "1", "PMI_SIZE", "2").all_are_here);
    assert_false(READ("PMI_RANK", "1", "PMI_SIZE", "2", "MPI_LOCALNRANKS", "two").all_are_here);
}

static void test_own_launcher(void **state)
{
    (void)state;
    assert_true(READ("PMI_RANK", "1", "PMI_SIZE", "2", "HYDI_CONTROL_FD", "7").is_own);
    assert_false(READ("PMI_RANK", "1", "PMI_SIZE", "2", "SLURM_LOCALID", "1").is_own);
    /* A shell under MPICH's launcher runs Open MPI's one. */
    assert_false(READ("OMPI_COMM_WORLD_RANK", "0", "OMPI_COMM_WORLD_SIZE", "2", "PMI_RANK", "0",
                      "PMI_SIZE", "1", "HYDI_CONTROL_FD", "7")
                     .is_own);
}

static void test_nonsense_is_ignored(void **state)
{
    (void)state;
    expect(READ("PMI_RANK", "4", "PMI_SIZE", "4"), NULL, 0, 1, 0);
    expect(READ("PMI_RANK", "-1", "PMI_SIZE", "4"), NULL, 0, 1, 0);
    expect(READ("PMI_RANK", "1x", "PMI_SIZE", "4"), NULL, 0, 1, 0);
    expect(READ("PMI_RANK", "", "PMI_SIZE", "4"), NULL, 0, 1, 0);
    expect(READ("PMI_RANK", "1", "PMI_SIZE", "99999999999999999999"), NULL, 0, 1, 0);
    expect(READ("PMI_RANK", "1"), NULL, 0, 1, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_launchers),
        cmocka_unit_test(test_several_win_over_one),
        cmocka_unit_test(test_who_is_on_this_machine),
        cmocka_unit_test(test_own_launcher),
        cmocka_unit_test(test_nonsense_is_ignored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
