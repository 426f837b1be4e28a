/* SPDX-License-Identifier: BSD-3-Clause */
/* Instrumented C: functions that are inlined, that call themselves, that longjmp() leaves behind,
 * that run in other threads, which may end in them, in signal handlers, and while nothing is
 * recorded. */
#include "together.h"

#include <fermata/fermata.h>
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>

#define APART __attribute__((noinline))

static volatile double sink;
static jmp_buf back;

APART static void leaf(int count)
{
    for (int i = 0; i < count; i++) {
        sink = sink + i * 0.5;
    }
}

static inline void inlined(int count)
{
    sink = sink + count;
}

APART static void exchange(int partner)
{
    int sent = partner, received = 0;
    MPI_Sendrecv(&sent, 1, MPI_INT, partner, 0, &received, 1, MPI_INT, partner, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

APART static void step(int partner)
{
    leaf(100);
    inlined(3);
    exchange(partner);
    leaf(10);
}

APART static void fail(void)
{
    longjmp(back, 1);
}

APART static void parse(int count)
{
    leaf(count);
    fail();
}

APART static int fibonacci(int n)
{
    if (n < 2) {
        return n;
    }
    return fibonacci(n - 1) + fibonacci(n - 2);
}

APART static void on_signal(int number)
{
    sink = sink + number;
}

APART static void ends_thread(void)
{
    leaf(1);
    pthread_exit(NULL);
}

static void *thread(void *unused)
{
    leaf(2);
    ends_thread();
    return unused;
}

APART static void begin_work(void)
{
    FERMATA_BEGIN("work");
}

APART static void end_work(void)
{
    FERMATA_END("work");
}

APART static void resume(void)
{
    fermata_resume();
    leaf(4);
}

APART static void paused(void)
{
    leaf(3);
    resume();
}

int main(int argc, char **argv)
{
    int rank, provided;
    pthread_t other;
    together_begin();
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 1) {
        step(rank ^ 1);
        together_exit(0);
    }
    step(rank ^ 1);
    step(rank ^ 1);
    for (int i = 0; i < 2; i++) {
        if (setjmp(back) == 0) {
            parse(10);
        }
    }
    sink = sink + fibonacci(3);
    signal(SIGUSR1, on_signal);
    raise(SIGUSR1);
    pthread_create(&other, NULL, thread, NULL);
    pthread_join(other, NULL);
    begin_work();
    exchange(rank ^ 1);
    end_work();
    fermata_pause();
    paused();
    exchange(rank ^ 1);
    MPI_Finalize();
    return 0;
}
