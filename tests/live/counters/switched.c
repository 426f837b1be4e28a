/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of one rank to itself, while counters are switched on and off by the program, and by the
 * signal SIGUSR2 that it sends to itself: 10 counted, 20 not, 30 counted, 40 not, 50 counted. Then
 * a receive that is begun in a pause and completed after it, one that is begun before a pause and
 * completed in it, and one behind the pause with whatever handle the library uses again: only the
 * last one counts.
 *
 * usage: switched         the above
 *        switched open    five receives are open at a time in a pause, one behind it */
#include <fermata/fermata.h>

#include <mpi.h>
#include <signal.h>

static void send(int count)
{
    char out = 0, in;
    for (int i = 0; i < count; i++) {
        MPI_Sendrecv(&out, 1, MPI_CHAR, 0, 0, &in, 1, MPI_CHAR, 0, 0, MPI_COMM_SELF,
                     MPI_STATUS_IGNORE);
    }
}

static void receive_across(void)
{
    char out = 0, in;
    MPI_Request request;
    fermata_pause();
    MPI_Irecv(&in, 1, MPI_CHAR, 0, 1, MPI_COMM_SELF, &request);
    MPI_Send(&out, 1, MPI_CHAR, 0, 1, MPI_COMM_SELF);
    fermata_resume();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Irecv(&in, 1, MPI_CHAR, 0, 2, MPI_COMM_SELF, &request);
    fermata_pause();
    MPI_Send(&out, 1, MPI_CHAR, 0, 2, MPI_COMM_SELF);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Isend(&out, 1, MPI_CHAR, 0, 3, MPI_COMM_SELF, &request);
    MPI_Recv(&in, 1, MPI_CHAR, 0, 3, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    fermata_resume();
    MPI_Irecv(&in, 1, MPI_CHAR, 0, 4, MPI_COMM_SELF, &request);
    MPI_Send(&out, 1, MPI_CHAR, 0, 4, MPI_COMM_SELF);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void open_in_pause(void)
{
    enum { OPEN = 5 };
    char out = 0, in[OPEN];
    MPI_Request requests[OPEN], last;
    MPI_Status statuses[OPEN];
    fermata_pause();
    for (int i = 0; i < OPEN; i++) {
        MPI_Irecv(&in[i], 1, MPI_CHAR, 0, 5 + i, MPI_COMM_SELF, &requests[i]);
    }
    for (int i = 0; i < OPEN; i++) {
        MPI_Send(&out, 1, MPI_CHAR, 0, 5 + i, MPI_COMM_SELF);
    }
    MPI_Waitall(OPEN, requests, statuses);
    fermata_resume();
    MPI_Irecv(in, 1, MPI_CHAR, 0, 4, MPI_COMM_SELF, &last);
    MPI_Send(&out, 1, MPI_CHAR, 0, 4, MPI_COMM_SELF);
    MPI_Wait(&last, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    if (argc > 1) {
        open_in_pause();
        MPI_Finalize();
        return 0;
    }
    send(10);
    fermata_pause();
    send(20);
    fermata_resume();
    send(30);
    raise(SIGUSR2);
    send(40);
    raise(SIGUSR2);
    send(50);
    receive_across();
    MPI_Finalize();
    return 0;
}
