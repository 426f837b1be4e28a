/* SPDX-License-Identifier: BSD-3-Clause */
/* Sleeps and waits in functions of the C library between MPI calls, and tells for how long:
 * check_blocking.py compares that with what was recorded.
 *
 *   blocking RESULT   RESULT: a file is written for each rank */
#include "cpu_use.h"

#include <mpi.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MILLISECOND = 1000000, CHEAP = 2000 };
static const struct timespec thirty = {0, 30 * MILLISECOND};
static FILE *result;

static void fail(const char *what)
{
    fprintf(stderr, "blocking: %s: %m\n", what);
    MPI_Abort(MPI_COMM_WORLD, 3);
}

static void check(int is_right, const char *what)
{
    if (!is_right) {
        fail(what);
    }
}

/* ---- waits, each in a function of its own ---- */

static NOINLINE void in_nanosleep(void)
{
    errno = 77;
    check(nanosleep(&thirty, NULL) == 0 && errno == 77, "nanosleep");
}

static NOINLINE void in_usleep(void)
{
    check(usleep(30000) == 0, "usleep");
}

static NOINLINE void in_clock_nanosleep(void)
{
    check(clock_nanosleep(CLOCK_MONOTONIC, 0, &thirty, NULL) == 0, "clock_nanosleep");
}

static NOINLINE void in_poll(void)
{
    check(poll(NULL, 0, 30) == 0, "poll");
}

static NOINLINE void in_select(void)
{
    struct timeval time = {0, 30000};
    check(select(0, NULL, NULL, NULL, &time) == 0, "select");
}

static int ends[2];

static void *write_later(void *nothing)
{
    (void)nothing;
    nanosleep(&thirty, NULL);
    check(write(ends[1], "x", 1) == 1, "write");
    return NULL;
}

static NOINLINE void in_read(void)
{
    pthread_t thread;
    char byte = 0;
    check(pthread_create(&thread, NULL, write_later, NULL) == 0, "pthread_create");
    check(read(ends[0], &byte, 1) == 1 && byte == 'x', "read");
    check(pthread_join(thread, NULL) == 0, "pthread_join");
}

static NOINLINE void in_pthread_cond_timedwait(void)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 30 * MILLISECOND;
    if (until.tv_nsec >= 1000 * MILLISECOND) {
        until.tv_nsec -= 1000 * MILLISECOND;
        until.tv_sec++;
    }
    pthread_mutex_lock(&mutex);
    while (pthread_cond_timedwait(&condition, &mutex, &until) == 0) {
    }
    check(pthread_mutex_unlock(&mutex) == 0, "pthread_cond_timedwait");
}

/* ---- for children ---- */

static pid_t sleeping_child(void)
{
    pid_t child = fork();
    if (child == 0) {
        nanosleep(&thirty, NULL);
        _exit(7);
    }
    return child;
}

static NOINLINE void in_system(void)
{
    check(system("sleep 0.03; exit 5") == 5 << 8, "system");
}

static NOINLINE void in_pclose(void)
{
    FILE *stream = popen("sleep 0.03; exit 6", "r");
    check(stream != NULL && pclose(stream) == 6 << 8, "pclose");
}

static NOINLINE void in_wait4(void)
{
    int status = 0;
    const pid_t child = sleeping_child();
    check(wait4(child, &status, 0, NULL) == child && status == 7 << 8, "wait4");
}

static NOINLINE void in_waitid(void)
{
    siginfo_t info = {0};
    const pid_t child = sleeping_child();
    check(waitid(P_PID, (id_t)child, &info, WEXITED) == 0 && info.si_status == 7, "waitid");
}

static NOINLINE void in_accept(void)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "fermata-%d", getpid());
    const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    check(bind(listener, (struct sockaddr *)&name, sizeof name) == 0 && listen(listener, 1) == 0,
          "listen");
    const pid_t child = fork();
    if (child == 0) {
        const int end = socket(AF_UNIX, SOCK_STREAM, 0);
        nanosleep(&thirty, NULL);
        _exit(connect(end, (struct sockaddr *)&name, sizeof name) == 0 ? 0 : 1);
    }
    const int end = accept(listener, NULL, NULL);
    check(end >= 0 && waitpid(child, NULL, 0) == child, "accept");
    close(end);
    close(listener);
}

static void timed(const char *name, void (*wait)(void))
{
    const double begin = now(CLOCK_MONOTONIC);
    wait();
    fprintf(result, "%s %f\n", name, now(CLOCK_MONOTONIC) - begin);
    MPI_Barrier(MPI_COMM_SELF);
}

/* ---- calls that end in other ways ---- */

static volatile sig_atomic_t alarms;
static sigjmp_buf behind;

static void on_alarm(int number)
{
    (void)number;
    alarms++;
}

static void jump_on_alarm(int number)
{
    (void)number;
    siglongjmp(behind, 1);
}

/* 0: no more. Again and again: a thread without a processor may not wait yet at the first one. To
 * the calling thread: the system may give a process's signals to the threads of the MPI library. */
static void alarm_in(int milliseconds)
{
    const struct timespec period = {0, milliseconds * MILLISECOND};
    const struct itimerspec time = {.it_value = period, .it_interval = period};
    static timer_t timer;
    static int has_timer;
    if (!has_timer) {
        struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGALRM};
        event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
        has_timer = timer_create(CLOCK_MONOTONIC, &event, &timer) == 0;
    }
    check(timer_settime(timer, 0, &time, NULL) == 0, "timer_settime");
}

static NOINLINE void interrupted(void)
{
    struct sigaction action = {.sa_handler = on_alarm};
    char byte;
    sigaction(SIGALRM, &action, NULL);
    alarm_in(20);
    errno = 0;
    check(read(ends[0], &byte, 1) == -1 && errno == EINTR && alarms >= 1, "EINTR");
    alarm_in(0);
}

static NOINLINE void left_by_jump(void)
{
    struct sigaction action = {.sa_handler = jump_on_alarm};
    char byte;
    sigaction(SIGALRM, &action, NULL);
    if (sigsetjmp(behind, 1) == 0) {
        alarm_in(20);
        ssize_t size = read(ends[0], &byte, 1);
        check(size < 0, "siglongjmp");
        fail("siglongjmp did not leave read()");
    }
    alarm_in(0);
}

static void *wait_for_ever(void *is_waiting)
{
    int flag;
    char byte;
    MPI_Is_thread_main(&flag);
    *(volatile int *)is_waiting = 1;
    check(read(ends[0], &byte, 1) < 0, "cancellation");
    return NULL;
}

static NOINLINE void cancelled(void)
{
    pthread_t thread;
    void *value;
    volatile int is_waiting = 0;
    check(pthread_create(&thread, NULL, wait_for_ever, (void *)&is_waiting) == 0, "pthread_create");
    while (!is_waiting) {
        usleep(100);
    }
    usleep(20000);
    pthread_cancel(thread);
    check(pthread_join(thread, &value) == 0 && value == PTHREAD_CANCELED, "pthread_cancel");
}

/* Many short calls. */
static NOINLINE void cheap(void)
{
    char bytes[8];
    int file = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    for (int i = 0; i < CHEAP; i++) {
        check(read(file, bytes, sizeof bytes) == sizeof bytes, "/dev/zero");
    }
    close(file);
}

int main(int argc, char **argv)
{
    char path[4096];
    int provided, rank;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(path, sizeof path, "%s.%d", argv[1], rank);
    result = fopen(path, "w");
    check(result != NULL && pipe(ends) == 0, "cannot begin");
    timed("nanosleep", in_nanosleep);
    timed("usleep", in_usleep);
    timed("clock_nanosleep", in_clock_nanosleep);
    timed("poll", in_poll);
    timed("select", in_select);
    timed("read", in_read);
    timed("pthread_cond_timedwait", in_pthread_cond_timedwait);
    timed("system", in_system);
    timed("pclose", in_pclose);
    timed("wait4", in_wait4);
    timed("waitid", in_waitid);
    timed("accept", in_accept);
    interrupted();
    left_by_jump();
    MPI_Barrier(MPI_COMM_SELF);
    if (provided == MPI_THREAD_MULTIPLE) {
        cancelled();
    }
    cheap();
    in_nanosleep();
    fclose(result);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
