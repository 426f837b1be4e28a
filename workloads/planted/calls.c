/* SPDX-License-Identifier: BSD-3-Clause */
/* Problems in the order and the kind of MPI calls: a critical section, small messages, and sends
 * and receives that wait for each other in turn. */
#include "plant.h"

#include <fermata/fermata.h>

#include <mpi.h>
#include <stdlib.h>

__attribute__((noinline)) static void time_step(double seconds)
{
    burn(seconds);
}

__attribute__((noinline)) static void update_table(double seconds)
{
    burn(seconds);
}

void critical_section(const struct run *run)
{
    double *slots;
    MPI_Win window;
    const int target = run->fix == FIX_BALANCED ? run->rank : 0;
    MPI_Win_allocate(64 * (MPI_Aint)sizeof *slots, sizeof *slots, MPI_INFO_NULL, MPI_COMM_WORLD,
                     &slots, &window);
    MPI_Win_set_name(window, "table");
    for (int i = 0; i < run->iterations; i++) {
        FERMATA_PHASE_SCOPE("iteration");
        const double value = i;
        time_step(run->base);
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, window);
        MPI_Put(&value, 1, MPI_DOUBLE, target, run->rank, 1, MPI_DOUBLE, window);
        MPI_Win_flush(target, window);
        update_table(run->fix == FIX_REMOVED ? 0 : run->excess);
        MPI_Win_unlock(target, window);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&window);
}

__attribute__((noinline)) static void pack(double seconds)
{
    burn(seconds);
}

/* Pairs exchange messages; the odd rank of each computes between its requests and the Waitall, and
 * before it posts its receive. */
void small_messages(const struct run *run)
{
    const int partner = run->rank ^ 1;
    char *sent = calloc(1, (size_t)run->message_bytes);
    char *received = calloc(1, (size_t)run->message_bytes);
    for (int i = 0; i < run->iterations && partner < run->size; i++) {
        FERMATA_PHASE_SCOPE("iteration");
        MPI_Request requests[2];
        MPI_Request *receive = &requests[run->receive_first ? 0 : 1];
        MPI_Request *send = &requests[run->receive_first ? 1 : 0];
        if (run->rank % 2 == 1) {
            pack(computation(run, 1, run->size / 2));
        }
        MPI_Irecv(received, run->message_bytes, MPI_CHAR, partner, 0, MPI_COMM_WORLD, receive);
        MPI_Isend(sent, run->message_bytes, MPI_CHAR, partner, 0, MPI_COMM_WORLD, send);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    free(sent);
    free(received);
}

__attribute__((noinline)) static void prepare(double seconds)
{
    burn(seconds);
}

/* Rank 2 is late. Rank 1 receives from it before it receives from rank 0, whose synchronous send
 * rank 1 makes wait in turn, as it then does rank 3, which waits for rank 0. */
void circular_calls(const struct run *run)
{
    double value = 0;
    for (int i = 0; i < run->iterations; i++) {
        FERMATA_PHASE_SCOPE("iteration");
        switch (run->rank) {
        case 0:
            MPI_Ssend(&value, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
            MPI_Ssend(&value, 1, MPI_DOUBLE, 3, 0, MPI_COMM_WORLD);
            break;
        case 1:
            MPI_Recv(&value, 1, MPI_DOUBLE, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Recv(&value, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            break;
        case 2:
            prepare(computation(run, 1, 1));
            MPI_Send(&value, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
            break;
        case 3:
            MPI_Recv(&value, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            break;
        default:
            break;
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
}
