/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/process/isolate.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define GRACE_SECONDS 10

/* Nobody would see what a child does whose parent is gone. */
static void die_with(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(1);
    }
}

static _Noreturn void work_in_child(int pipe_end, int (*work)(void *argument), void *argument,
                                    unsigned cpu_seconds, bool quiet)
{
    const struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    if (cpu_seconds > 0) {
        const struct rlimit cpu = {cpu_seconds, cpu_seconds + GRACE_SECONDS};
        setrlimit(RLIMIT_CPU, &cpu);
    }
    if (quiet) {
        int nowhere = open("/dev/null", O_WRONLY);
        if (nowhere >= 0) {
            dup2(nowhere, STDERR_FILENO);
        }
    }
    int result = work(argument);
    fflush(stdout);
    ssize_t written = write(pipe_end, &result, sizeof result);
    _exit(written == (ssize_t)sizeof result ? 0 : 1);
}

int fm_isolate(int (*work)(void *argument), void *argument, unsigned cpu_seconds, bool quiet,
               struct fm_isolated *end)
{
    int ends[2];
    *end = (struct fm_isolated){0};
    fflush(stdout);
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return -1;
    }
    pid_t parent = getpid(), child = fork();
    if (child == 0) {
        die_with(parent);
        close(ends[0]);
        work_in_child(ends[1], work, argument, cpu_seconds, quiet);
    }
    int reason = errno;
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        errno = reason;
        return -1;
    }
    ssize_t count;
    do {
        count = read(ends[0], &end->result, sizeof end->result);
    } while (count < 0 && errno == EINTR);
    close(ends[0]);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    end->returned = count == (ssize_t)sizeof end->result;
    end->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    end->status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    return 0;
}
