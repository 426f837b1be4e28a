/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls MPI and marks regions while samples are taken far more often than ever else, at all places
 * of the recorder: a timer of its own sends the recorder's signal. Two threads; libraries are
 * loaded and unloaded meanwhile.
 *
 *   storm PLUGIN */
#define _GNU_SOURCE
#include <fermata/fermata.h>

#include <mpi.h>

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

#define NOINLINE __attribute__((noinline))

enum { CALLS = 20000, LOADS = 200, PERIOD = 30000 /* ns */ };

/* The signal that somebody else has set a handler for; 0: none. */
static int sampling_signal(void)
{
    for (int number = SIGRTMAX; number >= SIGRTMIN; number--) {
        struct sigaction action;
        if (sigaction(number, NULL, &action) == 0 && (action.sa_flags & SA_SIGINFO) != 0) {
            return number;
        }
    }
    return 0;
}

static void start_storm(void)
{
    const struct itimerspec period = {{0, PERIOD}, {0, PERIOD}};
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = sampling_signal()};
    timer_t timer;
    event.sigev_notify_thread_id = gettid();
    if (event.sigev_signo != 0 && timer_create(CLOCK_MONOTONIC, &event, &timer) == 0) {
        timer_settime(timer, 0, &period, NULL);
    }
}

static NOINLINE int leaf(int depth)
{
    int flag = 0;
    if (depth > 0) {
        flag = leaf(depth - 1);
        __asm__ volatile("" : "+r"(flag)); /* no loop instead of the recursion */
        return flag + 1;
    }
    /* Fast machines would spend nearly all of the time in the recorder, where no sample is taken.
     */
    for (volatile int i = 0; i < 1000; i++) {
    }
    MPI_Initialized(&flag);
    return flag;
}

static NOINLINE int marked(int i)
{
    FERMATA_SCOPE("mark");
    return leaf(i % 7);
}

static NOINLINE int in_turn(int i)
{
    return i % 2 == 0 ? marked(i) + 1 : leaf(i % 5) + 1;
}

static void *work(void *nothing)
{
    int flag, sum = 0;
    MPI_Is_thread_main(&flag);
    start_storm();
    for (int i = 0; i < CALLS; i++) {
        sum += in_turn(i);
    }
    return sum > 0 ? nothing : NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided == MPI_THREAD_MULTIPLE) {
        pthread_create(&thread, NULL, work, NULL);
    }
    work(NULL);
    for (int i = 0; i < LOADS; i++) {
        void *library = dlopen(argc > 1 ? argv[1] : "", RTLD_NOW | RTLD_LOCAL);
        int (*function)(void) = NULL;
        if (library != NULL) {
            *(void **)&function = dlsym(library, "plugin_function");
            function();
            dlclose(library);
        }
    }
    if (provided == MPI_THREAD_MULTIPLE) {
        pthread_join(thread, NULL);
    }
    MPI_Finalize();
    return 0;
}
