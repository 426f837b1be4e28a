/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls each function that Open MPI's software performance counters count
 * (counters/definitions/spc.def), in one process: the function at position i of this file i times,
 * modulo 5, and 1. Prints "NAME TIMES" for each. Functions that the library lacks are left out.
 *
 * usage: every            in one process
 *        every transfers  in two: rank 0 puts, gets and accumulates in the window of rank 1 */
#include <mpi.h>
#if defined(OPEN_MPI)
#include <mpi-ext.h>
#endif
#include <stdio.h>
#include <string.h>

enum { BUFFER = 1 << 16 };

static int in[8], out[8], ones[] = {1, 1}, zeros[] = {0, 0}, position;
static MPI_Aint offsets[] = {0, 0};
static MPI_Datatype types[] = {MPI_INT, MPI_INT};
static MPI_Comm self = MPI_COMM_SELF, ring; /* a ring of one process: it is its own neighbours */
static MPI_Request request, requests[1];
static MPI_Message message;
static MPI_Win window;
static int flag, index_of, count_of;
static char buffer[BUFFER];

/* Executes a call of a function as often as its position says; what belongs to it, before and
 * behind. */
#define EVERY(function, before, call, behind)                                                      \
    do {                                                                                           \
        int times = position++ % 5 + 1;                                                            \
        for (int i = 0; i < times; i++) {                                                          \
            before;                                                                                \
            call;                                                                                  \
            behind;                                                                                \
        }                                                                                          \
        printf("%s %d\n", function, times);                                                        \
    } while (0)

#define NOTHING (void)0
#define RECEIVE PMPI_Recv(in, 1, MPI_INT, 0, 0, self, MPI_STATUS_IGNORE)
#define SEND    PMPI_Isend(out, 1, MPI_INT, 0, 0, self, &requests[0])
#define SENT    PMPI_Wait(&requests[0], MPI_STATUS_IGNORE)
#define WAIT    PMPI_Wait(&request, MPI_STATUS_IGNORE)
#define BEGUN   PMPI_Irecv(in, 1, MPI_INT, 0, 0, self, &request), SEND, SENT
#define FREE    PMPI_Request_free(&request)

static void messages(void)
{
    MPI_Status status;
    EVERY("MPI_Send", PMPI_Irecv(in, 1, MPI_INT, 0, 0, self, &request),
          MPI_Send(out, 1, MPI_INT, 0, 0, self), WAIT);
    EVERY("MPI_Bsend", NOTHING, MPI_Bsend(out, 1, MPI_INT, 0, 0, self), RECEIVE);
    EVERY("MPI_Rsend", PMPI_Irecv(in, 1, MPI_INT, 0, 0, self, &request),
          MPI_Rsend(out, 1, MPI_INT, 0, 0, self), WAIT);
    EVERY("MPI_Ssend", PMPI_Irecv(in, 1, MPI_INT, 0, 0, self, &request),
          MPI_Ssend(out, 1, MPI_INT, 0, 0, self), WAIT);
    EVERY("MPI_Recv", SEND, MPI_Recv(in, 1, MPI_INT, 0, 0, self, MPI_STATUS_IGNORE), SENT);
    EVERY("MPI_Mrecv", (SEND, PMPI_Mprobe(0, 0, self, &message, &status)),
          MPI_Mrecv(in, 1, MPI_INT, &message, &status), SENT);
    EVERY("MPI_Isend", NOTHING, MPI_Isend(out, 1, MPI_INT, 0, 0, self, &request), (RECEIVE, WAIT));
    EVERY("MPI_Ibsend", NOTHING, MPI_Ibsend(out, 1, MPI_INT, 0, 0, self, &request),
          (RECEIVE, WAIT));
    EVERY("MPI_Irsend", PMPI_Irecv(in, 1, MPI_INT, 0, 0, self, &requests[0]),
          MPI_Irsend(out, 1, MPI_INT, 0, 0, self, &request), (SENT, WAIT));
    EVERY("MPI_Issend", NOTHING, MPI_Issend(out, 1, MPI_INT, 0, 0, self, &request),
          (RECEIVE, WAIT));
    EVERY("MPI_Irecv", NOTHING, MPI_Irecv(in, 1, MPI_INT, 0, 0, self, &request),
          (SEND, SENT, WAIT));
    EVERY("MPI_Sendrecv", NOTHING,
          MPI_Sendrecv(out, 1, MPI_INT, 0, 0, in, 1, MPI_INT, 0, 0, self, &status), NOTHING);
    EVERY("MPI_Sendrecv_replace", NOTHING,
          MPI_Sendrecv_replace(in, 1, MPI_INT, 0, 0, 0, 0, self, &status), NOTHING);
    EVERY("MPI_Probe", SEND, MPI_Probe(0, 0, self, &status), (RECEIVE, SENT));
    EVERY("MPI_Iprobe", SEND, MPI_Iprobe(0, 0, self, &flag, &status), (RECEIVE, SENT));
    EVERY("MPI_Test", BEGUN, MPI_Test(&request, &flag, &status), WAIT);
    EVERY("MPI_Testall", BEGUN, MPI_Testall(1, &request, &flag, &status), WAIT);
    EVERY("MPI_Testany", BEGUN, MPI_Testany(1, &request, &index_of, &flag, &status), WAIT);
    EVERY("MPI_Testsome", BEGUN, MPI_Testsome(1, &request, &count_of, &index_of, &status), WAIT);
    EVERY("MPI_Wait", BEGUN, MPI_Wait(&request, &status), NOTHING);
    EVERY("MPI_Waitall", BEGUN, MPI_Waitall(1, &request, &status), NOTHING);
    EVERY("MPI_Waitany", BEGUN, MPI_Waitany(1, &request, &index_of, &status), NOTHING);
    EVERY("MPI_Waitsome", BEGUN, MPI_Waitsome(1, &request, &count_of, &index_of, &status), NOTHING);
    EVERY("MPI_Cancel", PMPI_Irecv(in, 1, MPI_INT, 0, 9, self, &request), MPI_Cancel(&request),
          WAIT);
    EVERY("MPI_Wtime", NOTHING, MPI_Wtime(), NOTHING);
}

static void one_sided(void)
{
    PMPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    EVERY("MPI_Put", NOTHING, MPI_Put(out, 1, MPI_INT, 0, 0, 1, MPI_INT, window), NOTHING);
    EVERY("MPI_Rput", NOTHING, MPI_Rput(out, 1, MPI_INT, 0, 0, 1, MPI_INT, window, &request), WAIT);
    EVERY("MPI_Get", NOTHING, MPI_Get(in, 1, MPI_INT, 0, 0, 1, MPI_INT, window), NOTHING);
    EVERY("MPI_Rget", NOTHING, MPI_Rget(in, 1, MPI_INT, 0, 0, 1, MPI_INT, window, &request), WAIT);
    PMPI_Win_unlock(0, window);
}

/* The initialization of a persistent collective, where the library has it, under whatever name. */
#if MPI_VERSION >= 4
#define EVERY_INIT(name, ...)                                                                      \
    EVERY("MPI_" #name "_init", NOTHING, MPI_##name##_init(__VA_ARGS__, MPI_INFO_NULL, &request),  \
          FREE)
#elif defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
#define EVERY_INIT(name, ...)                                                                      \
    EVERY("MPIX_" #name "_init", NOTHING,                                                          \
          MPIX_##name##_init(__VA_ARGS__, MPI_INFO_NULL, &request), FREE)
#else
#define EVERY_INIT(name, ...) position++
#endif

/* A collective operation: the blocking call, the nonblocking one, and the persistent one. */
#define COLLECTIVE(name, iname, on, ...)                                                           \
    EVERY("MPI_" #name, NOTHING, MPI_##name(__VA_ARGS__, on), NOTHING);                            \
    EVERY("MPI_" #iname, NOTHING, MPI_##iname(__VA_ARGS__, on, &request), WAIT);                   \
    EVERY_INIT(name, __VA_ARGS__, on)

#define FIXED  in, 1, MPI_INT, out, 1, MPI_INT
#define SUMMED in, out, 1, MPI_INT, MPI_SUM

static void collectives(void)
{
    COLLECTIVE(Bcast, Ibcast, self, in, 1, MPI_INT, 0);
    COLLECTIVE(Reduce, Ireduce, self, SUMMED, 0);
    COLLECTIVE(Reduce_scatter, Ireduce_scatter, self, in, out, ones, MPI_INT, MPI_SUM);
    COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block, self, SUMMED);
    COLLECTIVE(Allreduce, Iallreduce, self, SUMMED);
    COLLECTIVE(Scan, Iscan, self, SUMMED);
    COLLECTIVE(Exscan, Iexscan, self, SUMMED);
    COLLECTIVE(Scatter, Iscatter, self, FIXED, 0);
    COLLECTIVE(Scatterv, Iscatterv, self, in, ones, zeros, MPI_INT, out, 1, MPI_INT, 0);
    COLLECTIVE(Gather, Igather, self, FIXED, 0);
    COLLECTIVE(Gatherv, Igatherv, self, in, 1, MPI_INT, out, ones, zeros, MPI_INT, 0);
    COLLECTIVE(Alltoall, Ialltoall, self, FIXED);
    COLLECTIVE(Alltoallv, Ialltoallv, self, in, ones, zeros, MPI_INT, out, ones, zeros, MPI_INT);
    COLLECTIVE(Alltoallw, Ialltoallw, self, in, ones, zeros, types, out, ones, zeros, types);
    COLLECTIVE(Allgather, Iallgather, self, FIXED);
    COLLECTIVE(Allgatherv, Iallgatherv, self, in, 1, MPI_INT, out, ones, zeros, MPI_INT);
    COLLECTIVE(Neighbor_alltoall, Ineighbor_alltoall, ring, FIXED);
    COLLECTIVE(Neighbor_alltoallv, Ineighbor_alltoallv, ring, in, ones, zeros, MPI_INT, out, ones,
               zeros, MPI_INT);
    COLLECTIVE(Neighbor_alltoallw, Ineighbor_alltoallw, ring, in, ones, offsets, types, out, ones,
               offsets, types);
    COLLECTIVE(Neighbor_allgather, Ineighbor_allgather, ring, FIXED);
    COLLECTIVE(Neighbor_allgatherv, Ineighbor_allgatherv, ring, in, 1, MPI_INT, out, ones, zeros,
               MPI_INT);
    EVERY("MPI_Barrier", NOTHING, MPI_Barrier(self), NOTHING);
    EVERY("MPI_Ibarrier", NOTHING, MPI_Ibarrier(self, &request), WAIT);
    EVERY_INIT(Barrier, self);
}

/* 3 x 1000 bytes put, 500 got, 2 x 100 integers accumulated, in memory of the library: each
 * component for one-sided operations has such windows. @return 0: what arrived is right */
static int transfers(void)
{
    enum { PUTS = 3, PUT_BYTES = 1000, GOT_BYTES = 500, SUMS = 2, SUMMANDS = 100 };
    static int summands[SUMMANDS];
    int rank, *memory, wrong = 0;
    MPI_Win_allocate(BUFFER, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    memset(memory, 0, BUFFER);
    memset(buffer, 1, PUT_BYTES);
    for (int i = 0; i < SUMMANDS; i++) {
        summands[i] = i;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
        for (int i = 0; i < PUTS; i++) {
            MPI_Put(buffer, PUT_BYTES, MPI_CHAR, 1, i * PUT_BYTES, PUT_BYTES, MPI_CHAR, window);
        }
        MPI_Win_flush(1, window);
        MPI_Get(buffer + PUT_BYTES, GOT_BYTES, MPI_CHAR, 1, 0, GOT_BYTES, MPI_CHAR, window);
        for (int i = 0; i < SUMS; i++) {
            MPI_Accumulate(summands, SUMMANDS, MPI_INT, 1, BUFFER / 2, SUMMANDS, MPI_INT, MPI_SUM,
                           window);
        }
        MPI_Win_unlock(1, window);
        wrong = memcmp(buffer, buffer + PUT_BYTES, GOT_BYTES) != 0;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
        const char *bytes = (const char *)memory;
        wrong = bytes[0] != 1 || bytes[PUTS * PUT_BYTES - 1] != 1 || bytes[PUTS * PUT_BYTES] != 0 ||
                memory[BUFFER / 2 / sizeof *memory + SUMMANDS - 1] != SUMS * (SUMMANDS - 1);
        MPI_Win_unlock(1, window);
    }
    MPI_Win_free(&window);
    MPI_Finalize();
    return wrong;
}

int main(int argc, char **argv)
{
    int periodic = 1, size = 1, bytes;
    void *attached;
    MPI_Init(&argc, &argv);
    if (argc > 1 && strcmp(argv[1], "transfers") == 0) {
        return transfers();
    }
    MPI_Cart_create(self, 1, &size, &periodic, 0, &ring);
    MPI_Win_create(buffer, sizeof buffer, sizeof(int), MPI_INFO_NULL, self, &window);
    static char for_bsend[BUFFER];
    MPI_Buffer_attach(for_bsend, sizeof for_bsend);
    messages();
    one_sided();
    collectives();
    MPI_Buffer_detach(&attached, &bytes);
    MPI_Win_free(&window);
    MPI_Comm_free(&ring);
    MPI_Finalize();
    return 0;
}
