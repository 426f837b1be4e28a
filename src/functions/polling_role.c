/* SPDX-License-Identifier: BSD-3-Clause */
#include "functions/polling_role.h"

#include <string.h>
#include <strings.h>

struct named_role {
    const char *name;
    fm_polling_part_t part;
    fm_polled_t polled;
};

static const struct named_role roles[] = {
    {"MPI_Test", FM_POLLING_TEST, FM_POLLED_REQUEST},
    {"MPI_Testall", FM_POLLING_TEST, FM_POLLED_REQUEST},
    {"MPI_Testany", FM_POLLING_TEST, FM_POLLED_REQUEST},
    {"MPI_Testsome", FM_POLLING_TEST, FM_POLLED_REQUEST},
    {"MPI_Request_get_status", FM_POLLING_TEST, FM_POLLED_REQUEST},
    {"MPI_Request_get_status_all", FM_POLLING_TEST, FM_POLLED_REQUEST},
    {"MPI_Request_get_status_any", FM_POLLING_TEST, FM_POLLED_REQUEST},
    {"MPI_Request_get_status_some", FM_POLLING_TEST, FM_POLLED_REQUEST},
    {"MPI_Parrived", FM_POLLING_TEST, FM_POLLED_REQUEST},
    {"MPI_Wait", FM_POLLING_WAIT, FM_POLLED_REQUEST},
    {"MPI_Waitall", FM_POLLING_WAIT, FM_POLLED_REQUEST},
    {"MPI_Waitany", FM_POLLING_WAIT, FM_POLLED_REQUEST},
    {"MPI_Waitsome", FM_POLLING_WAIT, FM_POLLED_REQUEST},
    {"MPI_Iprobe", FM_POLLING_TEST, FM_POLLED_PROBE},
    {"MPI_Improbe", FM_POLLING_TEST, FM_POLLED_PROBE},
    {"MPI_Probe", FM_POLLING_WAIT, FM_POLLED_PROBE},
    {"MPI_Mprobe", FM_POLLING_WAIT, FM_POLLED_PROBE},
    {"MPI_Recv", FM_POLLING_WAIT, FM_POLLED_PROBE},
    {"MPI_Win_test", FM_POLLING_TEST, FM_POLLED_WINDOW},
    {"MPI_Win_wait", FM_POLLING_WAIT, FM_POLLED_WINDOW},
    {"shmem_test_lock", FM_POLLING_TEST, FM_POLLED_SHMEM_LOCK},
    {"shmem_set_lock", FM_POLLING_WAIT, FM_POLLED_SHMEM_LOCK},
    {"ARMCI_Test", FM_POLLING_TEST, FM_POLLED_OPERATION},
    {"ARMCI_Wait", FM_POLLING_WAIT, FM_POLLED_OPERATION},
    {"ARMCI_WaitAll", FM_POLLING_WAIT, FM_POLLED_OPERATION},
    {"ARMCI_WaitProc", FM_POLLING_WAIT, FM_POLLED_OPERATION},
    {"omp_test_lock", FM_POLLING_TEST, FM_POLLED_OPENMP_LOCK},
    {"omp_set_lock", FM_POLLING_WAIT, FM_POLLED_OPENMP_LOCK},
    {"omp_test_nest_lock", FM_POLLING_TEST, FM_POLLED_OPENMP_NEST_LOCK},
    {"omp_set_nest_lock", FM_POLLING_WAIT, FM_POLLED_OPENMP_NEST_LOCK},
    {"pthread_mutex_trylock", FM_POLLING_TEST, FM_POLLED_MUTEX},
    {"pthread_mutex_lock", FM_POLLING_WAIT, FM_POLLED_MUTEX},
    {"pthread_mutex_timedlock", FM_POLLING_WAIT, FM_POLLED_MUTEX},
    {"pthread_mutex_clocklock", FM_POLLING_WAIT, FM_POLLED_MUTEX},
    {"pthread_spin_trylock", FM_POLLING_TEST, FM_POLLED_SPIN_LOCK},
    {"pthread_spin_lock", FM_POLLING_WAIT, FM_POLLED_SPIN_LOCK},
    {"pthread_rwlock_tryrdlock", FM_POLLING_TEST, FM_POLLED_READ_WRITE_LOCK},
    {"pthread_rwlock_trywrlock", FM_POLLING_TEST, FM_POLLED_READ_WRITE_LOCK},
    {"pthread_rwlock_rdlock", FM_POLLING_WAIT, FM_POLLED_READ_WRITE_LOCK},
    {"pthread_rwlock_wrlock", FM_POLLING_WAIT, FM_POLLED_READ_WRITE_LOCK},
    {"pthread_rwlock_timedrdlock", FM_POLLING_WAIT, FM_POLLED_READ_WRITE_LOCK},
    {"pthread_rwlock_timedwrlock", FM_POLLING_WAIT, FM_POLLED_READ_WRITE_LOCK},
    {"pthread_rwlock_clockrdlock", FM_POLLING_WAIT, FM_POLLED_READ_WRITE_LOCK},
    {"pthread_rwlock_clockwrlock", FM_POLLING_WAIT, FM_POLLED_READ_WRITE_LOCK},
    {"mtx_trylock", FM_POLLING_TEST, FM_POLLED_C11_MUTEX},
    {"mtx_lock", FM_POLLING_WAIT, FM_POLLED_C11_MUTEX},
    {"mtx_timedlock", FM_POLLING_WAIT, FM_POLLED_C11_MUTEX},
};

static const char *const pauses[] = {"sched_yield", "sleep",           "usleep",
                                     "nanosleep",   "clock_nanosleep", "poll"};

/* @return the length of a name without the underscores that Fortran compilers append, and without
 * the suffix of MPI's functions whose counts have the type MPI_Count */
static size_t plain_length(fm_paradigm_t paradigm, const char *name)
{
    size_t length = strlen(name);
    while (length > 0 && name[length - 1] == '_') {
        length--;
    }
    const bool has_suffix =
        paradigm == FM_PARADIGM_MPI && length > 2 && strncasecmp(name + length - 2, "_c", 2) == 0;
    return has_suffix ? length - 2 : length;
}

static bool is_pause(const char *name)
{
    for (size_t i = 0; i < sizeof pauses / sizeof *pauses; i++) {
        if (strcmp(name, pauses[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_local(fm_paradigm_t paradigm, const char *name)
{
    switch (paradigm) {
    case FM_PARADIGM_MPI:
    case FM_PARADIGM_SHMEM:
    case FM_PARADIGM_ARMCI:
    case FM_PARADIGM_CAF:
        return !fm_function_kind(paradigm, name).progresses;
    case FM_PARADIGM_OPENMP:
        return strncasecmp(name, "omp_get_", 8) == 0 || strncasecmp(name, "omp_in_", 7) == 0;
    default:
        return false;
    }
}

struct fm_polling_role fm_polling_role(fm_paradigm_t paradigm, const char *name, fm_call_t call)
{
    if (call == FM_CALL_USER) {
        return (struct fm_polling_role){is_pause(name) ? FM_POLLING_PAUSE : FM_POLLING_OTHER,
                                        FM_POLLED_NOTHING};
    }
    const size_t length = plain_length(paradigm, name);
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
        if (strncasecmp(name, roles[i].name, length) == 0 && roles[i].name[length] == '\0') {
            return (struct fm_polling_role){(uint8_t)roles[i].part, (uint8_t)roles[i].polled};
        }
    }
    if (paradigm == FM_PARADIGM_SHMEM && strstr(name, "_test") != NULL) {
        return (struct fm_polling_role){FM_POLLING_TEST, FM_POLLED_VARIABLE};
    }
    if (call == FM_CALL_WAIT_UNTIL) {
        return (struct fm_polling_role){FM_POLLING_WAIT, FM_POLLED_VARIABLE};
    }
    return (struct fm_polling_role){is_local(paradigm, name) ? FM_POLLING_LOCAL : FM_POLLING_OTHER,
                                    FM_POLLED_NOTHING};
}
