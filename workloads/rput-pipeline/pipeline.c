/* SPDX-License-Identifier: BSD-3-Clause */
#include "pipeline.h"

#include "duration.h"

#include <stddef.h>
#include <string.h>

/* Maximum number of blocks in transit to a rank. */
enum { SLOTS = 4 };

static const double POLL_INTERVAL = 50e-6;

/* The begin of each rank's part of the window, 64 bytes, followed by the slots. Both numbers are
 * counters that a neighbour increments. */
typedef struct notes {
    int64_t arrived; /* blocks that the left neighbour has put here */
    int64_t taken;   /* blocks of this rank that the right neighbour has taken */
    int64_t unused[6];
} notes;

static MPI_Aint slot_of(const stage *s, int64_t number)
{
    return (MPI_Aint)sizeof(notes) +
           (MPI_Aint)(number % SLOTS) * s->block_length * (MPI_Aint)sizeof(double);
}

void stage_begin(stage *s)
{
    const MPI_Aint bytes = slot_of(s, SLOTS - 1) + s->block_length * (MPI_Aint)sizeof(double);
    MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &s->memory, &s->window);
    MPI_Win_set_name(s->window, "pipeline");
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, s->rank, 0, s->window);
    memset(s->memory, 0, (size_t)bytes);
    MPI_Win_unlock(s->rank, s->window);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, s->window);
}

void stage_end(stage *s)
{
    MPI_Win_unlock_all(s->window);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&s->window);
}

/* Adds one to a counter of another rank; the addition is complete on return. */
static void notify(stage *s, int rank, size_t counter)
{
    const int64_t one = 1;
    MPI_Accumulate(&one, 1, MPI_INT64_T, rank, (MPI_Aint)counter, 1, MPI_INT64_T, MPI_SUM,
                   s->window);
    MPI_Win_flush(rank, s->window);
}

/* Waits until one of the own counters has reached a number. */
static void wait_for(stage *s, size_t counter, int64_t number)
{
    for (;;) {
        int64_t value, nothing = 0;
        MPI_Fetch_and_op(&nothing, &value, MPI_INT64_T, s->rank, (MPI_Aint)counter, MPI_NO_OP,
                         s->window);
        MPI_Win_flush(s->rank, s->window);
        if (value >= number)
            break;
        sleep_for(POLL_INTERVAL);
    }
}

void stage_receive(stage *s, int64_t number, double *block)
{
    wait_for(s, offsetof(notes, arrived), number + 1);
    MPI_Win_sync(s->window);
    memcpy(block, (char *)s->memory + slot_of(s, number), (size_t)s->block_length * sizeof *block);
    notify(s, s->rank - 1, offsetof(notes, taken));
}

void stage_send(stage *s, int64_t number, const double *block)
{
    const int right = s->rank + 1, n = s->block_length;
    const MPI_Aint slot = slot_of(s, number);
    const transfer kind =
        s->transfer == TRANSFER_MIXED ? (transfer)(number % TRANSFER_MIXED) : s->transfer;
    wait_for(s, offsetof(notes, taken), number - SLOTS + 1);
    if (kind == TRANSFER_RPUT) {
        MPI_Request request;
        MPI_Rput(block, n, MPI_DOUBLE, right, slot, n, MPI_DOUBLE, s->window, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Put(block, n, MPI_DOUBLE, right, slot, n, MPI_DOUBLE, s->window);
        if (kind == TRANSFER_LOCAL)
            MPI_Win_flush_local(right, s->window);
    }
    MPI_Win_flush(right, s->window);
    notify(s, right, offsetof(notes, arrived));
}
