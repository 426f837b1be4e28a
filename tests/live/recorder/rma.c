/* SPDX-License-Identifier: BSD-3-Clause */
/* One-sided calls of every kind: all operations under fence, start/complete/post/wait/test, locks.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { CELLS = 64 };

static int rank, size, next, previous;
static long values[CELLS], results[CELLS], one = 1, zero;

static void operations(MPI_Win win, int target)
{
    MPI_Put(values, 2, MPI_LONG, target, 0, 2, MPI_LONG, win);
    MPI_Get(results, 3, MPI_LONG, target, 8, 3, MPI_LONG, win);
    MPI_Accumulate(values, 2, MPI_LONG, target, 16, 2, MPI_LONG, MPI_SUM, win);
    MPI_Get_accumulate(values, 1, MPI_LONG, results + 8, 1, MPI_LONG, target, 24, 1, MPI_LONG,
                       MPI_SUM, win);
    MPI_Fetch_and_op(&one, results + 16, MPI_LONG, target, 32, MPI_SUM, win);
    MPI_Compare_and_swap(&one, &zero, results + 24, MPI_LONG, target, 40, win);
    MPI_Put(values, 1, MPI_LONG, MPI_PROC_NULL, 0, 1, MPI_LONG, win);
}

static void request_operations(MPI_Win win, int target)
{
    MPI_Request r[4];
    MPI_Rput(values, 1, MPI_LONG, target, 0, 1, MPI_LONG, win, &r[0]);
    MPI_Rget(results, 1, MPI_LONG, target, 8, 1, MPI_LONG, win, &r[1]);
    MPI_Raccumulate(values, 1, MPI_LONG, target, 16, 1, MPI_LONG, MPI_SUM, win, &r[2]);
    MPI_Rget_accumulate(values, 1, MPI_LONG, results + 8, 1, MPI_LONG, target, 24, 1, MPI_LONG,
                        MPI_SUM, win, &r[3]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    MPI_Waitall(3, r + 1, MPI_STATUSES_IGNORE);
}

static void active(MPI_Win win)
{
    MPI_Group world, to, from;
    int flag = 0;
    MPI_Win_fence(0, win);
    operations(win, next);
    MPI_Win_fence(0, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &next, &to);
    MPI_Group_incl(world, 1, &previous, &from);
    for (int i = 0; i < 2; i++) {
        MPI_Win_post(from, 0, win);
        MPI_Win_start(to, 0, win);
        operations(win, next);
        MPI_Win_complete(win);
        if (i == 0) {
            MPI_Win_wait(win);
        } else {
            while (!flag) {
                MPI_Win_test(win, &flag);
            }
        }
    }
    MPI_Group_free(&to);
    MPI_Group_free(&from);
    MPI_Group_free(&world);
}

static void passive(MPI_Win win)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, win);
    operations(win, next);
    MPI_Win_unlock(next, win);
    MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win);
    operations(win, next);
    MPI_Win_flush_local(next, win);
    MPI_Put(values, 1, MPI_LONG, next, 0, 1, MPI_LONG, win);
    MPI_Win_flush(next, win);
    request_operations(win, next);
    MPI_Win_unlock(next, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, next, MPI_MODE_NOCHECK, win);
    MPI_Put(values, 1, MPI_LONG, next, 0, 1, MPI_LONG, win);
    MPI_Win_unlock(next, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    operations(win, next);
    operations(win, previous);
    MPI_Win_flush_local_all(win);
    request_operations(win, previous);
    MPI_Win_flush_all(win);
    MPI_Get(results, 1, MPI_LONG, next, 0, 1, MPI_LONG, win);
    MPI_Win_unlock_all(win);
}

int main(int argc, char **argv)
{
    long *memory;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    next = (rank + 1) % size;
    previous = (rank + size - 1) % size;

    MPI_Win_allocate(CELLS * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                     &win);
    MPI_Win_set_name(win, "the named window");
    active(win);
    passive(win);
    MPI_Win_free(&win);

    memory = calloc(CELLS, sizeof *memory);
    MPI_Win_create(memory, CELLS * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    active(win);
    MPI_Win_free(&win);

    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_free(&win);
    free(memory);

    MPI_Win_allocate_shared(CELLS * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD,
                            &memory, &win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    printf("rank %d: done\n", rank);
    MPI_Finalize();
    return 0;
}
