/* SPDX-License-Identifier: BSD-3-Clause */
/* Paradigms and roles by name. */
#include "scenario/region_kind.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void names_decide(void **state)
{
    (void)state;
#define KIND(name, paradigm, role)                                                                 \
    {                                                                                              \
        name, OTF2_PARADIGM_##paradigm, OTF2_REGION_ROLE_##role                                    \
    }
    static const struct {
        const char *name;
        OTF2_Paradigm paradigm;
        OTF2_RegionRole role;
    } kinds[] = {
        KIND("main", USER, FUNCTION),
        KIND("mpi_barrier", USER, FUNCTION),
        KIND("MPI_Barrier", MPI, BARRIER),
        KIND("MPI_Ibarrier", MPI, BARRIER),
        KIND("MPI_Bcast", MPI, COLL_ONE2ALL),
        KIND("MPI_Iscatterv", MPI, COLL_ONE2ALL),
        KIND("MPI_Gather", MPI, COLL_ALL2ONE),
        KIND("MPI_Reduce", MPI, COLL_ALL2ONE),
        KIND("MPI_Reduce_scatter_block", MPI, COLL_ALL2ALL),
        KIND("MPI_Reduce_local", MPI, FUNCTION),
        KIND("MPI_Allreduce", MPI, COLL_ALL2ALL),
        KIND("MPI_Ialltoallw", MPI, COLL_ALL2ALL),
        KIND("MPI_Ineighbor_alltoall", MPI, COLL_ALL2ALL),
        KIND("MPI_Exscan", MPI, COLL_OTHER),
        KIND("MPI_Alloc_mem", MPI, ALLOCATE),
        KIND("MPI_Send", MPI, POINT2POINT),
        KIND("MPI_Irecv", MPI, POINT2POINT),
        KIND("MPI_Isendrecv", MPI, POINT2POINT),
        KIND("MPI_Waitall", MPI, POINT2POINT),
        KIND("MPI_Testsome", MPI, POINT2POINT),
        KIND("MPI_Start", MPI, POINT2POINT),
        KIND("MPI_Put", MPI, RMA),
        KIND("MPI_Win_lock", MPI, RMA),
        KIND("MPI_Win_fence", MPI, RMA),
        KIND("MPI_Get", MPI, RMA),
        KIND("MPI_Get_count", MPI, FUNCTION),
        KIND("MPI_File_read_all", MPI, FILE_IO),
        KIND("MPI_File_open", MPI, FILE_IO_METADATA),
        KIND("MPI_Init", MPI, FUNCTION),
        KIND("MPI_Comm_split", MPI, FUNCTION),
        KIND("MPI_", MPI, FUNCTION),
        KIND("shmem_barrier_all", SHMEM, BARRIER),
        KIND("shmem_broadcast64", SHMEM, COLL_ONE2ALL),
        KIND("shmem_int_sum_to_all", SHMEM, COLL_ALL2ALL),
        KIND("shmem_malloc", SHMEM, ALLOCATE),
        KIND("shmem_long_put", SHMEM, RMA),
        KIND("shmem_quiet", SHMEM, RMA),
        KIND("shmem_init", SHMEM, FUNCTION),
        KIND("ARMCI_Put", UNKNOWN, RMA),
        KIND("ARMCI_Barrier", UNKNOWN, BARRIER),
        KIND("!$omp parallel", OPENMP, PARALLEL),
        KIND("!$omp implicit barrier @x.c:3", OPENMP, IMPLICIT_BARRIER),
        KIND("!$omp barrier", OPENMP, BARRIER),
        KIND("!$omp critical sblock", OPENMP, CRITICAL_SBLOCK),
        KIND("!$omp taskwait", OPENMP, TASK_WAIT),
        KIND("!$omp something", OPENMP, CODE),
        KIND("omp_set_lock", OPENMP, FUNCTION),
        KIND("pthread_create", PTHREAD, THREAD_CREATE),
        KIND("pthread_mutex_lock", PTHREAD, FUNCTION),
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct fm_region_kind kind = fm_region_kind(kinds[i].name);
        if (kind.paradigm != kinds[i].paradigm || kind.role != kinds[i].role) {
            fail_msg("%s: paradigm %d, role %d", kinds[i].name, kind.paradigm, kind.role);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names_decide)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
