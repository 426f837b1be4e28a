/* SPDX-License-Identifier: BSD-3-Clause */
/* Which node the own time of each MPI function belongs to, against a written list; and some names
 * that no list has. Arguments: the recorder's table of functions, the list. */
#include "check.h"

#include "analysis/model/own_metric.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *functions_path, *expected_path;

static const char *node_of(fm_paradigm_t paradigm, const char *name)
{
    char copy[128];
    snprintf(copy, sizeof copy, "%s", name);
    struct fm_region region = {.name = copy, .paradigm = paradigm};
    return fm_metric_info(fm_own_metric(&region))->id;
}

/* Whether the function stands in the list, and that it stands below its node. */
static bool is_listed(const char *function)
{
    FILE *list = fopen(expected_path, "r");
    assert_non_null(list);
    char line[256], node[64] = "";
    bool found = false;
    while (fgets(line, sizeof line, list) != NULL) {
        if (line[0] != ' ') {
            sscanf(line, "%63[a-z0-9_]", node);
            continue;
        }
        for (char *word = strtok(line, " \n"); word != NULL; word = strtok(NULL, " \n")) {
            char name[128];
            snprintf(name, sizeof name, "MPI_%s", word);
            if (strcmp(name, function) == 0) {
                if (strcmp(node, node_of(FM_PARADIGM_MPI, name)) != 0) {
                    fail_msg("%s: %s instead of %s", name, node_of(FM_PARADIGM_MPI, name), node);
                }
                found = true;
            }
        }
    }
    fclose(list);
    return found;
}

static void test_all_mpi_functions(void **state)
{
    (void)state;
    FILE *table = fopen(functions_path, "r");
    assert_non_null(table);
    char *line = NULL;
    size_t size = 0, functions = 0;
    while (getline(&line, &size, table) > 0) {
        char *bracket = strchr(line, '(');
        if (line[0] == '#' || bracket == NULL) {
            continue;
        }
        *bracket = '\0';
        char *name = strrchr(line, ' ');
        assert_non_null(name);
        name += strspn(name, " *");
        if (!is_listed(name)) {
            fail_msg("%s is not in the list", name);
        }
        ++functions;
    }
    free(line);
    fclose(table);
    assert_true(functions > 380);
}

static void test_spelling(void **state)
{
    (void)state;
    assert_string_equal(node_of(FM_PARADIGM_MPI, "mpi_recv_"), "mpi_point2point");
    assert_string_equal(node_of(FM_PARADIGM_MPI, "MPI_WIN_FENCE"), "mpi_rma_sync_active");
    assert_string_equal(node_of(FM_PARADIGM_MPI, "MPI_Bcast_c"), "mpi_collective");
    assert_string_equal(node_of(FM_PARADIGM_MPI, "MPI_Something_new"), "mpi");
    assert_string_equal(node_of(FM_PARADIGM_USER, "MPI_Recv"), "comp");
    assert_string_equal(node_of(FM_PARADIGM_USER, "main"), "comp");
    assert_string_equal(node_of(FM_PARADIGM_MEASUREMENT, "flush"), "overhead");
}

static void test_other_paradigms(void **state)
{
    (void)state;
    assert_string_equal(node_of(FM_PARADIGM_SHMEM, "shmem_barrier_all"), "shmem_synchronization");
    assert_string_equal(node_of(FM_PARADIGM_SHMEM, "shmem_set_lock"), "shmem_synchronization");
    assert_string_equal(node_of(FM_PARADIGM_SHMEM, "shmem_malloc"), "shmem_management");
    assert_string_equal(node_of(FM_PARADIGM_SHMEM, "shmem_putmem"), "shmem_rma_communication");
    assert_string_equal(node_of(FM_PARADIGM_ARMCI, "ARMCI_Init"), "armci_management");
    assert_string_equal(node_of(FM_PARADIGM_ARMCI, "ARMCI_AllFence"), "armci_synchronization");
    assert_string_equal(node_of(FM_PARADIGM_ARMCI, "ARMCI_NbPutS"), "armci_communication");
    assert_string_equal(node_of(FM_PARADIGM_OPENMP, "!$omp barrier @a.c:3"), "omp_ebarrier");
    assert_string_equal(node_of(FM_PARADIGM_OPENMP, "!$omp implicit barrier @a.c:3"),
                        "omp_ibarrier");
    assert_string_equal(node_of(FM_PARADIGM_OPENMP, "!$omp for @a.c:3"), "comp");
    assert_string_equal(node_of(FM_PARADIGM_OPENMP, "omp_set_lock"), "omp_lock_api");
    assert_string_equal(node_of(FM_PARADIGM_OPENMP, "omp_get_wtime"), "omp_management");
    assert_string_equal(node_of(FM_PARADIGM_PTHREAD, "pthread_mutex_lock"), "pthread_lock_api");
    assert_string_equal(node_of(FM_PARADIGM_PTHREAD, "pthread_cond_wait"), "pthread_conditional");
    assert_string_equal(node_of(FM_PARADIGM_PTHREAD, "pthread_create"), "pthread_management");
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: test_own_metric FUNCTIONS.tbl EXPECTED\n");
        return 2;
    }
    functions_path = argv[1];
    expected_path = argv[2];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_mpi_functions),
        cmocka_unit_test(test_spelling),
        cmocka_unit_test(test_other_paradigms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
