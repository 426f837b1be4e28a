/* SPDX-License-Identifier: BSD-3-Clause */
/* Two ranks that meet in 20 barriers, and change their process after ten of them.
 * usage: changes environment | variables | finalizers | user | memory | stack | blocked | deleted
 * | stacks | nothing */
#define _GNU_SOURCE
#include <limits.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { BARRIERS = 10, COMPUTED_MS = 400, NOBODY = 65534, THREADS = 30 };

/* MPICH itself needs 130 KiB for a reduction. */
#ifdef OPEN_MPI
enum { STACK_BYTES = 64 << 10 };
#else
enum { STACK_BYTES = 192 << 10 };
#endif

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void *finalize(void *unused)
{
    (void)unused;
    MPI_Finalize();
    return NULL;
}

static void *pass_time(void *unused)
{
    usleep(100);
    return unused;
}

/* Computes with all signals blocked. @return NULL if the mask reads as it was set */
static void *compute_blocked(void *unused)
{
    sigset_t all, now;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    while (cpu_seconds() < COMPUTED_MS / 1e3) {
    }
    pthread_sigmask(SIG_BLOCK, NULL, &now);
    for (int number = SIGRTMIN; number <= SIGRTMAX; number++) {
        if (!sigismember(&now, number)) {
            puts("a signal is not blocked");
        }
    }
    return unused;
}

/* Threads with the smallest stacks that there are. */
static void run_small_threads(void)
{
    pthread_t threads[THREADS];
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN);
    for (int i = 0; i < THREADS; i++) {
        if (pthread_create(&threads[i], &attributes, pass_time, NULL) != 0) {
            exit(1);
        }
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
}

/* Removes the file of the program. */
static void remove_program(void)
{
    char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length > 0) {
        path[length] = '\0';
        unlink(path); /* the other rank may have done it */
    }
}

static void run_thread(void *(*function)(void *), bool finalizes)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, function, NULL) != 0) {
        exit(1);
    }
    if (finalizes) {
        MPI_Finalize();
    }
    pthread_join(thread, NULL);
}

static void change(const char *what)
{
    if (strcmp(what, "environment") == 0) {
        clearenv();
    } else if (strcmp(what, "variables") == 0) {
        environ = NULL;
    } else if (strcmp(what, "user") == 0 && (setegid(NOBODY) != 0 || seteuid(NOBODY) != 0)) {
        perror("seteuid");
    } else if (strcmp(what, "memory") == 0) {
        const struct rlimit limit = {1 << 20, 1 << 20};
        setrlimit(RLIMIT_AS, &limit);
    } else if (strcmp(what, "stack") == 0) {
        const struct rlimit limit = {STACK_BYTES, STACK_BYTES};
        setrlimit(RLIMIT_STACK, &limit);
    } else if (strcmp(what, "blocked") == 0) {
        run_thread(compute_blocked, false);
    } else if (strcmp(what, "deleted") == 0) {
        remove_program();
    } else if (strcmp(what, "stacks") == 0) {
        run_small_threads();
    }
}

int main(int argc, char **argv)
{
    int provided, rank;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < BARRIERS; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
    }
    change(argv[1]);
    for (int i = 0; i < BARRIERS; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
    }
    printf("rank %d\n", rank);
    fflush(stdout);
    if (strcmp(argv[1], "finalizers") == 0) {
        run_thread(finalize, true);
    } else {
        MPI_Finalize();
    }
    return 0;
}
