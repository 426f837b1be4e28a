/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/stack/helper.h"

#include "record/experiment/kept_variables.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { STACK_BYTES = 64 * 1024, PAUSE = 2000000 /* nanoseconds */ };

struct start {
    const char *path;
    int input, output;
    char **environment;
};

/* Runs in the child, which shares the parent's memory until exec: only calls that do not change
 * that memory. It never returns, so AddressSanitizer would leave its stack marked as poisoned. */
__attribute__((no_sanitize_address)) static int become(void *data)
{
    const struct start *start = data;
    char *const arguments[] = {(char *)(uintptr_t)start->path, NULL};
    int nowhere = open("/dev/null", O_WRONLY);
    if (dup2(start->input, STDIN_FILENO) >= 0 && dup2(start->output, STDOUT_FILENO) >= 0 &&
        (nowhere < 0 || dup2(nowhere, STDERR_FILENO) >= 0)) {
        execve(start->path, arguments, start->environment);
    }
    _exit(127);
}

/* clone() as the system call: runtimes of sanitizers replace the function of the C library, and
 * take a child that shares the parent's memory for one that has a copy of it.
 * @param stack  the end of the child's stack
 * @return the child, or -error */
static long start_child(unsigned long flags, char *stack, int (*function)(void *), void *argument)
{
    void **top = (void **)stack - 2;
    top[0] = (void *)(uintptr_t)function;
    top[1] = argument;
#if defined(__x86_64__)
    long result = SYS_clone;
    register long child_tid __asm__("r10") = 0;
    register long tls __asm__("r8") = 0;
    __asm__ volatile("syscall\n\t"
                     "testq %%rax, %%rax\n\t"
                     "jnz 1f\n\t"
                     "xorl %%ebp, %%ebp\n\t"
                     "popq %%rax\n\t"
                     "popq %%rdi\n\t"
                     "call *%%rax\n\t"
                     "1:"
                     : "+a"(result)
                     : "D"(flags), "S"(top), "d"(0L), "r"(child_tid), "r"(tls)
                     : "rcx", "r11", "memory");
    return result;
#elif defined(__aarch64__)
    register long number __asm__("x8") = SYS_clone;
    register unsigned long first __asm__("x0") = flags;
    register void **second __asm__("x1") = top;
    register long third __asm__("x2") = 0, fourth __asm__("x3") = 0, fifth __asm__("x4") = 0;
    __asm__ volatile("svc 0\n\t"
                     "cbnz x0, 1f\n\t"
                     "mov x29, xzr\n\t"
                     "ldp x9, x0, [sp], #16\n\t"
                     "blr x9\n\t"
                     "1:"
                     : "+r"(first)
                     : "r"(number), "r"(second), "r"(third), "r"(fourth), "r"(fifth)
                     : "x9", "memory");
    return (long)first;
#endif
}

/* The environment without LD_PRELOAD, which is for the recorded program only. */
static char **environment_without_us(void)
{
    char *const *kept_items = fm_variables_of_process.items; /* NULL: the archive is rebuilt */
    char *const *items = kept_items != NULL ? kept_items : environ;
    size_t count = 0, kept = 0;
    while (items != NULL && items[count] != NULL) {
        count++;
    }
    char **copy = calloc(count + 1, sizeof *copy);
    for (size_t i = 0; copy != NULL && i < count; i++) {
        if (strncmp(items[i], "LD_PRELOAD=", 11) != 0) {
            copy[kept++] = items[i];
        }
    }
    return copy;
}

static bool wait_for(pid_t child, unsigned seconds, struct rusage *usage)
{
    const struct timespec pause = {0, PAUSE};
    struct timespec begin, now;
    int status = 0;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (;;) {
        pid_t ended = wait4(child, &status, WNOHANG | __WALL, usage);
        if (ended != 0) {
            return ended == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
        }
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (now.tv_sec - begin.tv_sec > (time_t)seconds) {
            kill(child, SIGKILL);
            wait4(child, &status, __WALL, usage);
            return false;
        }
        nanosleep(&pause, NULL);
    }
}

static uint64_t spent;

uint64_t fm_helper_time(void)
{
    return spent;
}

static uint64_t nanoseconds_of(struct timeval time)
{
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_usec * 1000u;
}

FILE *fm_helper_file(const char *name)
{
    int file = memfd_create(name, MFD_CLOEXEC);
    FILE *stream = file >= 0 ? fdopen(file, "w+") : NULL;
    if (stream == NULL && file >= 0) {
        close(file);
    }
    return stream;
}

bool fm_helper_run(const char *path, int input, int output, unsigned seconds)
{
    struct rusage usage = {0};
    sigset_t all, before;
    struct start start = {path, input, output, environment_without_us()};
    char *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    pid_t child = -1;
    if (start.environment != NULL && stack != MAP_FAILED) {
        /* All signals are blocked, because the program's handlers must not run in the child. The
         * flags contain no signal: the child's end sends no SIGCHLD, and wait calls for any child
         * ignore it (without __WCLONE or __WALL). */
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        child = (pid_t)start_child(CLONE_VM | CLONE_VFORK, stack + STACK_BYTES, become, &start);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    bool good = child > 0 && wait_for(child, seconds, &usage);
    spent += nanoseconds_of(usage.ru_utime) + nanoseconds_of(usage.ru_stime);
    if (stack != MAP_FAILED) {
        munmap(stack, STACK_BYTES);
    }
    free(start.environment);
    return good;
}
