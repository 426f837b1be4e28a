/* SPDX-License-Identifier: BSD-3-Clause */
/* Uses signals in the ways of short programs, and prints what came of it: the output is the same
 * with and without a recorder that samples by a signal of its own.
 *
 *   signals [ROUNDS] */
#include <mpi.h>

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t alarms, profiled, timed, users;
static volatile double sink;

static void on_signal(int number)
{
    alarms += number == SIGALRM;
    profiled += number == SIGPROF;
    users += number == SIGUSR1;
}

static void on_timer(int number, siginfo_t *info, void *context)
{
    (void)number, (void)context;
    timed += info->si_code == SI_TIMER && info->si_value.sival_int == 4711;
}

static double cpu(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Long enough for samples. */
static void compute(double seconds)
{
    const double end = cpu() + seconds;
    double sum = 0;
    while (cpu() < end) {
        for (int i = 1; i < 1000; i++) {
            sum += 1.0 / i;
        }
    }
    sink = sum;
}

/* Until a timer has expired three times. How often it does in a given time depends on how many
 * processes share the processors; the limit is only reached if signals are lost. */
static int compute_until_third(const volatile sig_atomic_t *count)
{
    for (int i = 0; i < 1000 && *count < 3; i++) {
        compute(0.01);
    }
    return *count >= 3;
}

static void handle(int number, void (*handler)(int), int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    sigaction(number, &action, NULL);
}

static void tell(const char *what, int is_right)
{
    printf("%s: %s (%s)\n", what, is_right ? "right" : "WRONG", is_right ? "" : strerror(errno));
}

/* A read that an alarm interrupts, and one that goes on. */
static void alarm_in_read(void)
{
    const struct itimerval often = {{0, 10000}, {0, 10000}}, never = {{0, 0}, {0, 0}};
    int ends[2];
    char byte = 'x';
    if (pipe(ends) != 0) {
        abort();
    }
    alarms = 0;
    handle(SIGALRM, on_signal, 0);
    setitimer(ITIMER_REAL, &often, NULL);
    compute(0.002);
    errno = 0;
    tell("read ends with EINTR", read(ends[0], &byte, 1) == -1 && errno == EINTR && alarms != 0);
    setitimer(ITIMER_REAL, &never, NULL);
    handle(SIGALRM, on_signal, SA_RESTART);
    tell("write", write(ends[1], "y", 1) == 1);
    tell("read", read(ends[0], &byte, 1) == 1 && byte == 'y');
    close(ends[0]);
    close(ends[1]);
}

/* Waits that nothing may end early, each behind computation. */
static void uninterrupted(void)
{
    const struct timespec short_time = {0, 200000};
    int set = epoll_create1(0), is_right = 1;
    struct epoll_event event;
    sigset_t none;
    sigemptyset(&none);
    for (int i = 0; i < 20; i++) {
        struct timeval short_value = {0, 200};
        struct timespec left = {0, 0};
        compute(0.0005);
        is_right &= nanosleep(&short_time, &left) == 0;
        compute(0.0005);
        is_right &= usleep(200) == 0;
        is_right &= clock_nanosleep(CLOCK_MONOTONIC, 0, &short_time, NULL) == 0;
        compute(0.0005);
        is_right &= poll(NULL, 0, 1) == 0;
        is_right &= ppoll(NULL, 0, &short_time, &none) == 0;
        compute(0.0005);
        is_right &= select(0, NULL, NULL, NULL, &short_value) == 0;
        is_right &= pselect(0, NULL, NULL, NULL, &short_time, &none) == 0;
        compute(0.0005);
        is_right &= epoll_wait(set, &event, 1, 1) == 0;
        is_right &= epoll_pwait(set, &event, 1, 1, &none) == 0;
    }
    close(set);
    tell("waits last as long as they are told to", is_right);
}

/* Timers of the program's own: of the process's CPU time, and with real-time signals. */
static void own_timers(void)
{
    const struct itimerval often = {{0, 2000}, {0, 2000}}, never = {{0, 0}, {0, 0}};
    const struct itimerspec period = {{0, 2000000}, {0, 2000000}};
    struct sigaction action = {.sa_sigaction = on_timer, .sa_flags = SA_SIGINFO | SA_RESTART};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 2};
    timer_t timer;
    profiled = timed = 0;
    handle(SIGPROF, on_signal, SA_RESTART);
    setitimer(ITIMER_PROF, &often, NULL);
    tell("SIGPROF", compute_until_third(&profiled));
    setitimer(ITIMER_PROF, &never, NULL);
    event.sigev_value.sival_int = 4711;
    sigaction(SIGRTMIN + 2, &action, NULL);
    if (timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer) != 0) {
        abort();
    }
    timer_settime(timer, 0, &period, NULL);
    tell("timer_create", compute_until_third(&timed));
    timer_delete(timer);
}

/* Waits for signals: for one, for all, and until a handler has run. */
static void waits_for_signals(void)
{
    const struct timespec while_ = {0, 20000000};
    sigset_t all, one, before;
    siginfo_t info;
    int number = 0;
    sigfillset(&all);
    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    handle(SIGUSR1, on_signal, SA_RESTART);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    compute(0.02); /* a sample may be due in it */
    pthread_kill(pthread_self(), SIGUSR1);
    tell("sigwait for one", sigwait(&one, &number) == 0 && number == SIGUSR1);
    compute(0.02);
    pthread_kill(pthread_self(), SIGUSR1);
    tell("sigwait for all", sigwait(&all, &number) == 0 && number == SIGUSR1);
    compute(0.02);
    errno = 0;
    tell("sigtimedwait for all", sigtimedwait(&all, &info, &while_) == -1 && errno == EAGAIN);
    users = 0;
    pthread_kill(pthread_self(), SIGUSR1);
    sigfillset(&one);
    sigdelset(&one, SIGUSR1);
    tell("sigsuspend", sigsuspend(&one) == -1 && errno == EINTR && users == 1);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 1;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < rounds; i++) {
        alarm_in_read();
        uninterrupted();
        own_timers();
        waits_for_signals();
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
