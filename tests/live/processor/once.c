/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank 0 waits once in the operating system, mostly in a call that the recorder does not know; the
 * other ranks wait for it in a barrier.
 *
 *   once KIND   KIND: a key of the table below
 *
 * Rank 0 prints for how long the ranks were ready to run without a processor. */
#include <mpi.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

enum { MILLISECONDS = 400 };

static const struct timespec pause_time = {0, MILLISECONDS * 1000000L};

static void check(int is_right, const char *what)
{
    if (!is_right) {
        fprintf(stderr, "once: %s: %m\n", what);
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
}

static void sleep_unseen(void)
{
    syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &pause_time, NULL);
}

/* Starts a process that ends the wait later. @return 0 in that process, after the time */
static pid_t helper(void)
{
    pid_t child = fork();
    check(child >= 0, "fork");
    if (child == 0) {
        sleep_unseen();
    }
    return child;
}

static void reap(pid_t child)
{
    siginfo_t info;
    while (syscall(SYS_waitid, P_PID, child, &info, WEXITED, NULL) != 0 && errno == EINTR) {
    }
}

/* ---- waits, each in a function of its own ---- */

static NOINLINE void in_system(void)
{
    check(system("sleep 0.4") == 0, "system");
}

static NOINLINE void in_sleep(void)
{
    sleep_unseen();
}

static NOINLINE void in_child(void)
{
    pid_t child = helper();
    if (child == 0) {
        _exit(0);
    }
    reap(child);
}

static NOINLINE void in_pipe(void)
{
    int ends[2];
    char byte = 0;
    check(pipe(ends) == 0, "pipe");
    pid_t child = helper();
    if (child == 0) {
        _exit(syscall(SYS_write, ends[1], "x", 1) != 1);
    }
    check(syscall(SYS_read, ends[0], &byte, 1) == 1, "read");
    reap(child);
}

static NOINLINE void in_poll(void)
{
    int ends[2];
    check(pipe(ends) == 0, "pipe");
    struct pollfd file = {.fd = ends[0], .events = POLLIN};
    check(syscall(SYS_ppoll, &file, 1, &pause_time, NULL, 8) == 0, "poll");
}

/* syscall() is known to the recorder for this number: libraries wait by it. */
static long wait_for_futex(unsigned *word, unsigned value, const struct timespec *time)
{
    long result = SYS_futex;
#if defined(__x86_64__)
    register const struct timespec *fourth __asm__("r10") = time;
    __asm__ volatile("syscall"
                     : "+a"(result)
                     : "D"(word), "S"((long)FUTEX_WAIT), "d"((long)value), "r"(fourth)
                     : "rcx", "r11", "memory");
#else
    result = syscall(SYS_futex, word, FUTEX_WAIT, value, time, NULL, 0);
#endif
    return result;
}

static NOINLINE void in_futex(void)
{
    unsigned word = 1;
    check(wait_for_futex(&word, 1, &pause_time) < 0, "futex");
}

static NOINLINE void in_epoll(void)
{
    struct epoll_event event;
    int set = epoll_create1(0);
    check(syscall(SYS_epoll_pwait, set, &event, 1, (int)MILLISECONDS, NULL, 8) == 0, "epoll");
}

static NOINLINE void in_sigtimedwait(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    check(syscall(SYS_rt_sigtimedwait, &set, NULL, &pause_time, 8) == -1, "sigtimedwait");
}

static void ignore(int number)
{
    (void)number;
}

static NOINLINE void in_sigsuspend(void)
{
    sigset_t none;
    sigemptyset(&none);
    signal(SIGUSR2, ignore);
    const pid_t parent = getpid();
    pid_t child = helper();
    if (child == 0) {
        kill(parent, SIGUSR2);
        _exit(0);
    }
    syscall(SYS_rt_sigsuspend, &none, 8);
    reap(child);
}

static NOINLINE void in_msgrcv(void)
{
    struct {
        long type;
        char text[8];
    } message = {1, "x"};
    int queue = msgget(IPC_PRIVATE, 0600);
    check(queue >= 0, "msgget");
    pid_t child = helper();
    if (child == 0) {
        _exit(msgsnd(queue, &message, sizeof message.text, 0) != 0);
    }
    check(msgrcv(queue, &message, sizeof message.text, 1, 0) >= 0, "msgrcv");
    msgctl(queue, IPC_RMID, NULL);
    reap(child);
}

static NOINLINE void in_semop(void)
{
    struct sembuf take = {0, -1, 0}, give = {0, 1, 0};
    int set = semget(IPC_PRIVATE, 1, 0600);
    check(set >= 0, "semget");
    pid_t child = helper();
    if (child == 0) {
        _exit(semop(set, &give, 1) != 0);
    }
    check(semop(set, &take, 1) == 0, "semop");
    semctl(set, 0, IPC_RMID);
    reap(child);
}

/* Makes a file in the working folder, whose name the caller removes. */
static int scratch_file(char name[])
{
    int file = mkstemp(name);
    check(file >= 0, "mkstemp");
    return file;
}

static NOINLINE void in_flock(void)
{
    char name[] = "once-XXXXXX";
    int held = scratch_file(name), wanted = open(name, O_RDWR);
    check(flock(held, LOCK_EX) == 0, "flock");
    pid_t child = helper();
    if (child == 0) {
        _exit(flock(held, LOCK_UN) != 0);
    }
    check(flock(wanted, LOCK_EX) == 0, "flock");
    unlink(name);
    reap(child);
}

static NOINLINE void in_fifo(void)
{
    char name[] = "once-XXXXXX";
    close(scratch_file(name));
    unlink(name);
    check(mkfifo(name, 0600) == 0, "mkfifo");
    pid_t child = helper();
    if (child == 0) {
        _exit(open(name, O_WRONLY) < 0);
    }
    check(open(name, O_RDONLY) >= 0, "open"); /* until somebody opens it for writing */
    unlink(name);
    reap(child);
}

static NOINLINE void in_accept(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int server = socket(AF_UNIX, SOCK_STREAM, 0);
    snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "once-%d", (int)getpid());
    check(bind(server, (struct sockaddr *)&address, sizeof address) == 0, "bind");
    check(listen(server, 1) == 0, "listen");
    pid_t child = helper();
    if (child == 0) {
        int client = socket(AF_UNIX, SOCK_STREAM, 0);
        _exit(connect(client, (struct sockaddr *)&address, sizeof address) != 0);
    }
    check(accept(server, NULL, NULL) >= 0, "accept");
    reap(child);
}

static const struct {
    const char *name;
    void (*wait)(void);
} kinds[] = {
    {"system", in_system},
    {"sleep", in_sleep},
    {"child", in_child},
    {"pipe", in_pipe},
    {"poll", in_poll},
    {"futex", in_futex},
    {"epoll", in_epoll},
    {"sigtimedwait", in_sigtimedwait},
    {"sigsuspend", in_sigsuspend},
    {"msgrcv", in_msgrcv},
    {"semop", in_semop},
    {"flock", in_flock},
    {"fifo", in_fifo},
    {"accept", in_accept},
};

/* @return seconds for which the thread was ready to run without a processor */
static double run_delay(void)
{
    unsigned long long ran = 0, delayed = 0;
    FILE *file = fopen("/proc/thread-self/schedstat", "r");
    if (file != NULL) {
        check(fscanf(file, "%llu %llu", &ran, &delayed) == 2, "schedstat");
        fclose(file);
    }
    return (double)delayed / 1e9;
}

int main(int count, char **words)
{
    int rank, known = 0;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (count > 1 && strcmp(words[1], kinds[i].name) == 0) {
            known = 1;
            if (rank == 0) {
                kinds[i].wait();
            }
        }
    }
    check(known, "unknown kind");
    MPI_Barrier(MPI_COMM_WORLD);
    double delay = run_delay(), delays = 0;
    MPI_Reduce(&delay, &delays, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("delayed %.6f\n", delays);
    }
    MPI_Finalize();
    return 0;
}
