/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes in functions that call no MPI, for known shares of its CPU time, and tells for how long
 * it was in each: check_sampling.py compares that with what was sampled.
 *
 *   sampling RESULT [threads | signals | takes | faults | closes | scarce]
 *
 * RESULT: a file is written for each rank.
 *
 * The file also has the CPU time of the threads between the calls that begin and end sampling
 * (least), and that of the whole process (most).
 *
 * threads: in two threads at once. signals: with signals and children of its own. takes: it sets
 * handlers for all real-time signals after a while. faults: the longer function is nearly always in
 * the kernel, for page faults. closes: it closes the descriptors of perf events. scarce: as
 * threads, but hardly any descriptor is left when the second thread begins. */
#include "cpu_use.h"

#include <mpi.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static bool faults, touches;

static inline void calculate(void)
{
    double sum = 0;
    for (int i = 1; i < 20000; i++) {
        sum += 1.0 / i;
    }
    sink = sum;
}

/* Uses memory for the first time: the kernel maps and clears each page. */
static inline void touch_pages(void)
{
    const size_t size = 1 << 18, page = 4096;
    char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        return;
    }
    madvise(memory, size, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < size; i += page) {
        ((volatile char *)memory)[i] = 1;
    }
    munmap(memory, size);
}

/* Until the thread has used so much CPU time. Not inlined: it is called by all of the functions. */
static NOINLINE void compute(double cpu)
{
    double end = now(CLOCK_THREAD_CPUTIME_ID) + cpu;
    do {
        if (touches) {
            touch_pages();
        } else {
            calculate();
        }
    } while (now(CLOCK_THREAD_CPUTIME_ID) < end);
}

static NOINLINE double work_long(double cpu)
{
    double begin = now(CLOCK_MONOTONIC);
    touches = faults;
    compute(3 * cpu);
    touches = false;
    return now(CLOCK_MONOTONIC) - begin;
}

static NOINLINE double work_short(double cpu)
{
    double begin = now(CLOCK_MONOTONIC);
    compute(cpu);
    return now(CLOCK_MONOTONIC) - begin;
}

static NOINLINE double thread_short(double cpu)
{
    return work_short(cpu) + 0 * sink;
}

static NOINLINE double thread_long(double cpu)
{
    return work_long(cpu) + 0 * sink;
}

enum { STEPS = 10, PAIRS = 5 };
static const double PIECE = 0.01; /* seconds */

static NOINLINE void solve(double sums[2])
{
    for (int step = 0; step < STEPS; step++) {
        for (int pair = 0; pair < PAIRS; pair++) {
            sums[0] += work_long(PIECE);
            sums[1] += work_short(PIECE);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static double other_cpu; /* of the other thread, after its first call */

static void *other_thread(void *sums)
{
    int flag;
    MPI_Is_thread_main(&flag);
    double begin = now(CLOCK_THREAD_CPUTIME_ID);
    for (int step = 0; step < STEPS; step++) {
        for (int pair = 0; pair < PAIRS; pair++) {
            ((double *)sums)[0] += thread_long(PIECE);
            ((double *)sums)[1] += thread_short(PIECE);
        }
        MPI_Is_thread_main(&flag);
    }
    other_cpu = now(CLOCK_THREAD_CPUTIME_ID) - begin;
    return NULL;
}

/* ---- signals of its own ---- */

static volatile sig_atomic_t alarms, others;

static void on_alarm(int number)
{
    (void)number;
    alarms++;
}

static void on_real_time(int number)
{
    (void)number;
    others++;
}

static void fail(const char *what)
{
    fprintf(stderr, "sampling: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 3);
}

/* A child that computes for long enough to be sampled, were it so. */
static void start_child(void)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        compute(0.05);
        _exit(17);
    }
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 17) {
        fail("a child ended otherwise than it wanted");
    }
    if (system("exit 18") >> 8 != 18) {
        fail("system() was disturbed");
    }
}

static NOINLINE void with_signals(double sums[2])
{
    const struct itimerval often = {{0, 7000}, {0, 7000}};
    enum { WAITS = 20 };
    int interrupted = 0;
    signal(SIGALRM, on_alarm);
    signal(SIGRTMIN + 1, on_real_time);
    start_child();
    setitimer(ITIMER_REAL, &often, NULL);
    fesetround(FE_UPWARD);
    errno = 1234;
    for (int i = 0; i < STEPS * PAIRS; i++) {
        sums[0] += work_long(PIECE);
        sums[1] += work_short(PIECE);
        if (errno != 1234 || fegetround() != FE_UPWARD) {
            fail("errno or the rounding mode has changed");
        }
    }
    fesetround(FE_TONEAREST);
    setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
    int before = alarms;
    for (int i = 0; i < WAITS; i++) {
        raise(SIGRTMIN + 1);
        interrupted += poll(NULL, 0, 20) < 0 && errno == EINTR;
        compute(0.005);
    }
    if (before == 0 || others != WAITS) {
        fail("signals of the program's own are missing");
    }
    if (interrupted > WAITS / 4) { /* the tick of the clock may meet a call's begin */
        fail("waits are interrupted");
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static NOINLINE void take_signals(double sums[2])
{
    struct sigaction action = {.sa_handler = on_real_time};
    sums[0] += work_long(PIECE);
    for (int number = SIGRTMIN; number <= SIGRTMAX; number++) {
        if (number % 2 == 0) {
            sigaction(number, &action, NULL);
        } else {
            signal(number, on_real_time);
        }
    }
    solve(sums);
    if (others != 0) {
        fail("it gets signals that are not its own");
    }
}

/* ---- descriptors ---- */

static void close_perf_events(void)
{
    DIR *open_ones = opendir("/proc/self/fd");
    for (struct dirent *each; open_ones != NULL && (each = readdir(open_ones)) != NULL;) {
        char target[64] = "";
        if (readlinkat(dirfd(open_ones), each->d_name, target, sizeof target - 1) > 0 &&
            strstr(target, "perf_event") != NULL) {
            close(atoi(each->d_name));
        }
    }
    if (open_ones != NULL) {
        closedir(open_ones);
    }
}

/* Lowers the limit until the next descriptor is one of the last. @return the limit before */
static struct rlimit make_descriptors_scarce(void)
{
    struct rlimit before = {0}, lower;
    int next = dup(STDERR_FILENO);
    close(next);
    getrlimit(RLIMIT_NOFILE, &before);
    lower = before;
    lower.rlim_cur = (rlim_t)next + 2;
    setrlimit(RLIMIT_NOFILE, &lower);
    return before;
}

/* ---- all ---- */

static void solve_with_thread(double sums[2][2], bool is_scarce)
{
    pthread_t thread;
    struct rlimit before = {0};
    if (is_scarce) {
        before = make_descriptors_scarce();
    }
    pthread_create(&thread, NULL, other_thread, sums[1]);
    solve(sums[0]);
    pthread_join(thread, NULL);
    if (is_scarce) {
        setrlimit(RLIMIT_NOFILE, &before);
    }
}

int main(int argc, char **argv)
{
    const char *mode = argc > 2 ? argv[2] : "";
    double sums[2][2] = {{0}};
    char path[4096];
    int provided, rank;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double begin = now(CLOCK_THREAD_CPUTIME_ID);
    bool is_scarce = strcmp(mode, "scarce") == 0;
    faults = strcmp(mode, "faults") == 0;
    if (strcmp(mode, "closes") == 0) {
        close_perf_events();
    }
    if ((is_scarce || strcmp(mode, "threads") == 0) && provided == MPI_THREAD_MULTIPLE) {
        solve_with_thread(sums, is_scarce);
    } else if (strcmp(mode, "signals") == 0) {
        with_signals(sums[0]);
    } else if (strcmp(mode, "takes") == 0) {
        take_signals(sums[0]);
    } else {
        solve(sums[0]);
    }
    snprintf(path, sizeof path, "%s.%d", argv[1], rank);
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        fail("cannot write its result");
    } else {
        fprintf(file, "work_long %f\nwork_short %f\n", sums[0][0], sums[0][1]);
        fprintf(file, "thread_long %f\nthread_short %f\n", sums[1][0], sums[1][1]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        printf("the end\n");
    }
    double least = now(CLOCK_THREAD_CPUTIME_ID) - begin + other_cpu;
    MPI_Finalize();
    if (file != NULL) {
        fprintf(file, "least %f\nmost %f\n", least, now(CLOCK_PROCESS_CPUTIME_ID));
        fclose(file);
    }
    return 0;
}
