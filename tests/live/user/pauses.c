/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks pause at different times (`finalize`, `exit`: how they end), or are switched by a signal
 * (`signal`; `handler`: which is the program's own), or do as they are told from outside, in the
 * midst of everything that is matched by order. Or they do more than a small flight recorder keeps,
 * which is asked in several ways (`flight`: not at all, `dump`, `raise`, `crash`, `abort`,
 * `abort-all`). Or they iterate longer than a small size limit permits (`long N WHAT`: N
 * iterations; `even`, `uneven`: one rank records more than the others, `plain`: without marked
 * iterations, `deep`: calls whose paths are larger than expected, `kill`: a rank is killed). Each
 * iteration tells its number by a parameter, so that check_pauses.py can bring together what
 * belongs together by that. */
#include "together.h"

#include <fermata/fermata.h>

#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ITERATIONS = 24, DELAY = 3000 /* microseconds */, FLOOD = 14000 };

static int rank, size;
static atomic_int over, iterated;
static bool pausing, signalling; /* by itself; by a signal to itself */
static const char *flight = "";  /* how the flight recorder is asked */
static const char *longer = "";  /* what else happens in long runs */
static int iterations = ITERATIONS;
static unsigned delay = DELAY;
static volatile sig_atomic_t handled;

/* First iterations of each rank's pauses, and those behind them. */
static void switch_recording(int iteration)
{
    if (signalling && (iteration == 5 + rank || iteration == 9)) {
        raise(SIGUSR2);
    }
    if (!pausing) {
        return;
    }
    if (iteration == 2 + rank || iteration == 14 || iteration == 19 + rank % 2) {
        fermata_pause();
        fermata_pause();
    }
    if (iteration == 5 + 2 * rank || iteration == 15 + rank || iteration == 22) {
        fermata_resume();
        fermata_resume();
    }
}

/* More than half a MiB of records, of the same series as what is checked. */
static void flood(MPI_Comm comm)
{
    FERMATA_SCOPE("flood");
    int next = (rank + 1) % size, previous = (rank + size - 1) % size, value = 0, got;
    for (int i = 0; i < FLOOD; i++) {
        bool others = i < 50 || i >= FLOOD - 50; /* what is lost, and what is not */
        MPI_Sendrecv(&i, 1, MPI_INT, others ? next : 0, 7, &got, 1, MPI_INT, others ? previous : 0,
                     7, others ? MPI_COMM_WORLD : MPI_COMM_SELF, MPI_STATUS_IGNORE);
        if (others && i % 8 == 0) {
            MPI_Bcast(&value, 1, MPI_INT, 0, comm);
        }
    }
}

static void ask(void)
{
    if (strcmp(flight, "dump") == 0) {
        fermata_flight_dump();
    } else if (strcmp(flight, "raise") == 0 && fermata_is_recording()) {
        raise(SIGUSR2);
    }
}

static void fly(int iteration, MPI_Comm comm)
{
    if (iteration == 8 || iteration == 15) {
        flood(comm);
    }
    if (iteration == 12 + rank || iteration == 20) {
        ask();
    }
    bool crash = strcmp(flight, "crash") == 0, abort = strcmp(flight, "abort") == 0;
    if (iteration == 22 && strcmp(flight, "abort-all") == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
        PMPI_Barrier(MPI_COMM_WORLD); /* not recorded: all ranks have left the one before */
        MPI_Abort(MPI_COMM_WORLD, 7);
    }
    if (iteration == 22 && (crash || abort)) {
        MPI_Barrier(MPI_COMM_WORLD);
        usleep(rank == 1 ? 50 * 1000 : 0); /* the others are in the next one */
        if (rank == 1 && crash) {
            static volatile int *volatile nowhere;
            *nowhere = 1;
        } else if (rank == 1) {
            MPI_Abort(MPI_COMM_WORLD, 7);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void late(int iteration)
{
    if (iteration % size == rank) {
        FERMATA_SCOPE("late");
        usleep(delay);
    }
}

static void messages(int iteration)
{
    char out[ITERATIONS + 1] = {0}, in[ITERATIONS + 1];
    int bytes = iteration % ITERATIONS + 1;
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    late(iteration);
    MPI_Send(out, bytes, MPI_CHAR, next, iteration % 2, MPI_COMM_WORLD);
    MPI_Recv(in, ITERATIONS + 1, MPI_CHAR, previous, iteration % 2, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    MPI_Request requests[2];
    late(iteration + 1);
    MPI_Irecv(in, ITERATIONS + 1, MPI_CHAR, previous, 7, MPI_COMM_WORLD, &requests[0]);
    MPI_Issend(out, bytes, MPI_CHAR, next, 7, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

/* A message that is under way when this rank pauses or resumes. */
static void message_across(int iteration, MPI_Request *requests)
{
    static char out, in;
    if (requests[0] != MPI_REQUEST_NULL) {
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    if (iteration < iterations) {
        MPI_Irecv(&in, 1, MPI_CHAR, (rank + size - 1) % size, 9, MPI_COMM_WORLD, &requests[0]);
        MPI_Issend(&out, 1, MPI_CHAR, (rank + 1) % size, 9, MPI_COMM_WORLD, &requests[1]);
    }
}

/* Communicators come and go all the time, so that ranks number them differently. */
static void collectives(int iteration, MPI_Comm *comm)
{
    int sum = 0;
    if (iteration % 4 == 0) {
        MPI_Comm made;
        MPI_Comm_split(*comm, 0, rank, &made);
        MPI_Comm_free(comm);
        *comm = made;
    }
    late(iteration + 2);
    MPI_Barrier(*comm);
    late(iteration);
    MPI_Allreduce(&iteration, &sum, 1, MPI_INT, MPI_SUM, *comm);
}

static void windows(int iteration, MPI_Win win, MPI_Group others)
{
    int value = iteration;
    late(iteration);
    MPI_Win_fence(0, win);
    MPI_Put(&value, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win);
    late(iteration + 1);
    MPI_Win_fence(0, win);
    if (rank == 0) {
        MPI_Win_start(others, 0, win);
        MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
        MPI_Win_complete(win);
    } else {
        if (iteration % 3 == 0) {
            usleep(delay);
        }
        MPI_Win_post(others, 0, win);
        MPI_Win_wait(win);
    }
}

/* Two chains of functions: each call leaves one and enters the other. */
#define CHAIN(name, inner)                                                                         \
    static __attribute__((noinline)) int name(void)                                                \
    {                                                                                              \
        return inner + 1;                                                                          \
    }

static __attribute__((noinline)) int call_library(void)
{
    MPI_Send(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD); /* local calls are merged */
    return size;
}

CHAIN(first_c, call_library())
CHAIN(first_b, first_c())
CHAIN(first_a, first_b())
CHAIN(second_c, call_library())
CHAIN(second_b, second_c())
CHAIN(second_a, second_b())

static void last_longer(int iteration)
{
    int got, messages = 0;
    iterated = iteration;
    if (longer[0] != '\0' && strcmp(longer, "deep") != 0) {
        messages = strcmp(longer, "uneven") == 0 && rank == 1 ? 220 : 150;
    }
    for (int i = 0; strcmp(longer, "deep") == 0 && i < 300; i++) {
        size = (i % 2 == 0 ? first_a() : second_a()) - 3;
    }
    for (int i = 0; i < messages; i++) {
        MPI_Sendrecv(&i, 1, MPI_INT, 0, 8, &got, 1, MPI_INT, 0, 8, MPI_COMM_SELF,
                     MPI_STATUS_IGNORE);
    }
    if (strcmp(longer, "kill") == 0 && iteration == iterations - 3 && rank == 1) {
        raise(SIGKILL);
    }
}

static void handle(int number)
{
    (void)number;
    handled++;
}

static void *other_thread(void *nothing)
{
    for (int seen = -1; !over;) {
        if (longer[0] == '\0' || seen != iterated) {
            FERMATA_SCOPE("in the other thread");
            seen = iterated;
        }
        usleep(DELAY / 4);
    }
    return nothing;
}

int main(int argc, char **argv)
{
    int provided;
    const char *how = argc > 1 ? argv[1] : "";
    pausing = strcmp(how, "finalize") == 0 || strcmp(how, "exit") == 0;
    /* Without the recorder a signal that nobody handles would end the program. */
    signalling =
        (strcmp(how, "signal") == 0 && fermata_is_recording()) || strcmp(how, "handler") == 0;
    if (strcmp(how, "handler") == 0) {
        signal(SIGUSR2, handle);
    }
    if (argc > 2 && strcmp(how, "flight") == 0) {
        flight = argv[2];
    }
    if (argc > 3 && strcmp(how, "long") == 0) {
        iterations = atoi(argv[2]);
        longer = argv[3];
        delay = 100;
    }
    together_begin();
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    int *memory;
    MPI_Win win;
    MPI_Win_allocate(64, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Group world, others;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    int zero = 0;
    if (rank == 0) {
        MPI_Group_excl(world, 1, &zero, &others);
    } else {
        MPI_Group_incl(world, 1, &zero, &others);
    }
    MPI_Request across[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    pthread_t thread;
    pthread_create(&thread, NULL, other_thread, NULL);
    FERMATA_BEGIN("iterations");
    for (int i = 0; i < iterations; i++) {
        switch_recording(i);
        if (flight[0] != '\0') {
            fly(i, comm);
        }
        if (strcmp(longer, "plain") != 0 && strcmp(longer, "deep") != 0) {
            FERMATA_ITERATION("iteration");
        }
        FERMATA_PARAMETER_INT("iteration", i);
        messages(i);
        message_across(i, across);
        collectives(i, &comm);
        windows(i, win, others);
        last_longer(i);
    }
    FERMATA_ITERATIONS_END("iteration");
    message_across(iterations, across);
    FERMATA_END("iterations");
    over = 1;
    pthread_join(thread, NULL);
    MPI_Group_free(&world);
    MPI_Group_free(&others);
    MPI_Win_free(&win);
    MPI_Comm_free(&comm);
    if (pausing) {
        fermata_pause();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(how, "exit") == 0) {
        together_exit(3);
    }
    MPI_Finalize();
    printf("%d %d\n", fermata_is_recording(), (int)handled);
    return 0;
}
