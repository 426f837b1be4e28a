/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/recording/child_output.h"

#include "base/process/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A signal may arrive just before a call that it would interrupt. */
enum { LOOK_MS = 200 };

/* An interrupted child has so long to end: launchers clean up, and some do not end at all. */
enum { GRACE_MS = 5000, STEP_MS = 10 };

static void read_output(int output, char *text, size_t size)
{
    struct pollfd poll_output = {.fd = output, .events = POLLIN};
    size_t length = 0;
    while (length + 1 < size && !fm_interrupt_is_noted()) {
        ssize_t count = -1;
        int ready = poll(&poll_output, 1, LOOK_MS);
        if (ready > 0) {
            count = read(output, text + length, size - 1 - length);
        }
        if (count == 0 || (ready != 0 && count < 0 && errno != EINTR)) {
            break;
        }
        length += count > 0 ? (size_t)count : 0;
    }
    text[length] = '\0';
}

/* @return the status of a child that has ended */
static int wait_for(pid_t child)
{
    int status = -1;
    for (int waited = 0;;) {
        pid_t ended = waitpid(child, &status, fm_interrupt_is_noted() ? WNOHANG : 0);
        if (ended > 0 || (ended < 0 && errno != EINTR)) {
            return status;
        }
        if (ended == 0) {
            nanosleep(&(struct timespec){.tv_nsec = STEP_MS * 1000000}, NULL);
            waited += STEP_MS;
        }
        if (waited >= GRACE_MS) {
            kill(child, SIGKILL);
        }
    }
}

bool fm_child_output(void (*become)(const char *program), const char *program, char *text,
                     size_t size)
{
    int ends[2];
    text[0] = '\0';
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return false;
    }
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        become(program);
        _exit(127);
    }
    close(ends[1]);
    if (child > 0) {
        read_output(ends[0], text, size);
    }
    close(ends[0]);
    return child > 0 && wait_for(child) == 0;
}
