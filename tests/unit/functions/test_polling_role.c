/* SPDX-License-Identifier: BSD-3-Clause */
/* What functions are in loops that poll, by their names. */
#include "check.h"

#include "functions/polling_role.h"

#include <stddef.h>

struct expected {
    fm_paradigm_t paradigm;
    const char *name;
    fm_call_t call;
    fm_polling_part_t part;
    fm_polled_t polled;
};

static void test_roles(void **state)
{
    static const struct expected all[] = {
        {FM_PARADIGM_MPI, "MPI_Test", FM_CALL_OTHER, FM_POLLING_TEST, FM_POLLED_REQUEST},
        {FM_PARADIGM_MPI, "mpi_testall_", FM_CALL_OTHER, FM_POLLING_TEST, FM_POLLED_REQUEST},
        {FM_PARADIGM_MPI, "MPI_Test_cancelled", FM_CALL_OTHER, FM_POLLING_LOCAL, 0},
        {FM_PARADIGM_MPI, "MPI_Waitsome", FM_CALL_OTHER, FM_POLLING_WAIT, FM_POLLED_REQUEST},
        {FM_PARADIGM_MPI, "MPI_Iprobe", FM_CALL_PROBE, FM_POLLING_TEST, FM_POLLED_PROBE},
        {FM_PARADIGM_MPI, "MPI_Recv_c", FM_CALL_OTHER, FM_POLLING_WAIT, FM_POLLED_PROBE},
        {FM_PARADIGM_MPI, "MPI_Irecv", FM_CALL_OTHER, FM_POLLING_OTHER, 0},
        {FM_PARADIGM_MPI, "MPI_Wtime", FM_CALL_OTHER, FM_POLLING_LOCAL, 0},
        {FM_PARADIGM_MPI, "MPI_Barrier", FM_CALL_BARRIER, FM_POLLING_OTHER, 0},
        {FM_PARADIGM_SHMEM, "shmem_int_test", FM_CALL_OTHER, FM_POLLING_TEST, FM_POLLED_VARIABLE},
        {FM_PARADIGM_SHMEM, "shmem_long_test_any", FM_CALL_OTHER, FM_POLLING_TEST,
         FM_POLLED_VARIABLE},
        {FM_PARADIGM_SHMEM, "shmem_int_wait_until", FM_CALL_WAIT_UNTIL, FM_POLLING_WAIT,
         FM_POLLED_VARIABLE},
        {FM_PARADIGM_SHMEM, "shmem_test_lock", FM_CALL_OTHER, FM_POLLING_TEST,
         FM_POLLED_SHMEM_LOCK},
        {FM_PARADIGM_SHMEM, "shmem_my_pe", FM_CALL_OTHER, FM_POLLING_LOCAL, 0},
        {FM_PARADIGM_ARMCI, "ARMCI_Test", FM_CALL_OTHER, FM_POLLING_TEST, FM_POLLED_OPERATION},
        {FM_PARADIGM_OPENMP, "omp_test_lock", FM_CALL_OTHER, FM_POLLING_TEST,
         FM_POLLED_OPENMP_LOCK},
        {FM_PARADIGM_OPENMP, "omp_get_thread_num", FM_CALL_OTHER, FM_POLLING_LOCAL, 0},
        {FM_PARADIGM_OPENMP, "omp_unset_lock", FM_CALL_OTHER, FM_POLLING_OTHER, 0},
        {FM_PARADIGM_PTHREAD, "pthread_mutex_trylock", FM_CALL_OTHER, FM_POLLING_TEST,
         FM_POLLED_MUTEX},
        {FM_PARADIGM_PTHREAD, "pthread_rwlock_timedwrlock", FM_CALL_OTHER, FM_POLLING_WAIT,
         FM_POLLED_READ_WRITE_LOCK},
        {FM_PARADIGM_PTHREAD, "pthread_mutex_unlock", FM_CALL_OTHER, FM_POLLING_OTHER, 0},
        {FM_PARADIGM_USER, "usleep", FM_CALL_USER, FM_POLLING_PAUSE, 0},
        {FM_PARADIGM_USER, "usleep_for_me", FM_CALL_USER, FM_POLLING_OTHER, 0},
        {FM_PARADIGM_USER, "MPI_Test", FM_CALL_USER, FM_POLLING_OTHER, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const struct fm_polling_role role =
            fm_polling_role(all[i].paradigm, all[i].name, all[i].call);
        if (role.part != all[i].part || role.polled != all[i].polled) {
            fail_msg("%s: part %d, polled %d", all[i].name, role.part, role.polled);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_roles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
