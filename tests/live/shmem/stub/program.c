/* SPDX-License-Identifier: BSD-3-Clause */
/* Uses what OpenSHMEM 1.5 has more than 1.4, with the stub library on an odd number of PEs or four.
 */
#include "shmem.h"

#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    shmem_init();
    int me = shmem_my_pe(), size = shmem_n_pes(), next = (me + 1) % size, values[2] = {7, 8}, got;
    size_t found[2];
    int *data = shmem_malloc(64);
    uint64_t *signals = shmem_malloc(64);
    shmem_int_put_signal(data, values, 2, signals, 1, SHMEM_SIGNAL_SET, next);
    shmem_signal_wait_until(signals, SHMEM_CMP_EQ, 1);
    shmem_putmem_signal_nbi(data, values, 4, signals + 1, 2, SHMEM_SIGNAL_ADD, next);
    shmem_int_atomic_fetch_add_nbi(&got, data + 4, 1, next);
    shmem_quiet();
    shmem_signal_wait_until(signals + 1, SHMEM_CMP_NE, 0);
    shmem_signal_fetch(signals);
    shmem_int_wait_until_all(values, 2, NULL, SHMEM_CMP_NE, 0);
    shmem_int_wait_until_any(values, 2, NULL, SHMEM_CMP_EQ, 8);
    shmem_int_test_any(values, 2, NULL, SHMEM_CMP_EQ, 9);
    shmem_int_test_some(values, 2, found, NULL, SHMEM_CMP_EQ, 9);

    shmem_team_t last_two, row, column;
    shmem_ctx_t context;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, size - 2, 1, 2, NULL, 0, &last_two);
    if (last_two != NULL) {
        shmem_team_create_ctx(last_two, 0, &context);
        shmem_ctx_int_put(context, data, values, 1, 1 - shmem_team_my_pe(last_two));
        shmem_ctx_quiet(context);
        shmem_ctx_destroy(context);
        shmem_team_sync(last_two);
        shmem_broadcastmem(last_two, data, values, 4, 1);
        shmem_team_destroy(last_two);
    }
    shmem_team_split_2d(SHMEM_TEAM_WORLD, 2, NULL, 0, &row, NULL, 0, &column);
    shmem_int_sum_reduce(row, data, data + 1, 1);
    shmem_int_sum_reduce(column, data, data + 1, 1);
    shmem_team_sync(SHMEM_TEAM_SHARED);
    shmem_team_sync(SHMEM_TEAM_WORLD);
    shmem_finalize();
    return 0;
}
