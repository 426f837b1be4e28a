/* SPDX-License-Identifier: BSD-3-Clause */
/* Stretches of OpenSHMEM calls that are recorded in turn (in_turn.h), from shmem_init to
 * shmem_finalize: those of workloads/shmem-sor. */
#include "in_turn.h"

#include <shmem.h>

#define SHMEM_IN_TURN(type, name, parameters, arguments)                                           \
    IN_TURN(type, shmem_##name, pshmem_##name, parameters, arguments)

SHMEM_IN_TURN(void, double_put, (double *dest, const double *source, size_t count, int pe),
              (dest, source, count, pe))
SHMEM_IN_TURN(void, long_p, (long *dest, long value, int pe), (dest, value, pe))
SHMEM_IN_TURN(void, fence, (void), ())
SHMEM_IN_TURN(void, long_wait_until, (volatile long *place, int compare, long value),
              (place, compare, value))

static void separate(void)
{
    static void (*recorded)(int *, int *);
    if (recorded == NULL) {
        recorded = (void (*)(int *, int *))(uintptr_t)dlsym(RTLD_NEXT, "shmem_info_get_version");
    }
    int version, part;
    recorded(&version, &part);
}

void shmem_init(void)
{
    WAYS_OF(void, shmem_init, pshmem_init, (void))
    ways[RECORDED]();
    begin();
}

void shmem_finalize(void)
{
    WAYS_OF(void, shmem_finalize, pshmem_finalize, (void))
    end();
    ways[RECORDED]();
}
