/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/archive/isolated_command.h"

#include "base/error.h"
#include "base/process/isolate.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct command_work {
    const char *command;
    int (*work)(void *argument);
    void *argument;
};

static int work_and_flush(void *context)
{
    const struct command_work *task = context;
    int status = task->work(task->argument);
    if (fflush(stdout) != 0) {
        fprintf(stderr, "fermata %s: cannot write the output: %s\n", task->command,
                strerror(errno));
        return FM_ERR_SYSTEM;
    }
    return status;
}

static void report_crash(const char *command, const char *archive, int signal, bool has_objects)
{
    const char *what = signal == SIGXCPU ? "does not end" : "crashed";
    if (has_objects) {
        fprintf(stderr,
                "fermata %s: %s: a pattern in a shared object, or OTF2's reader, %s (%s); without "
                "--pattern it is clear which of them\n",
                command, archive, what, strsignal(signal));
    } else {
        fprintf(stderr, "fermata %s: %s: OTF2's reader %s (%s): the archive is damaged\n", command,
                archive, what, strsignal(signal));
    }
}

static int run_isolated(const char *command, const char *archive, unsigned cpu_seconds,
                        bool has_objects, int (*work)(void *argument), void *argument)
{
    struct command_work task = {.command = command, .work = work, .argument = argument};
    struct fm_isolated end;
    if (fm_isolate(work_and_flush, &task, cpu_seconds, false, &end) != 0) {
        fprintf(stderr, "fermata %s: cannot start a process: %s\n", command, strerror(errno));
        return FM_ERR_SYSTEM;
    }
    if (end.returned) {
        return end.result;
    }
    /* SIGPIPE: the reader of the output has closed it. */
    if (end.signal == SIGINT || end.signal == SIGTERM || end.signal == SIGPIPE) {
        raise(end.signal);
    }
    if (end.signal != 0) {
        report_crash(command, archive, end.signal, has_objects);
        return FM_ERR_DATA;
    }
    /* The child exited with a message of its own: no memory, or a sanitizer's report. */
    return end.status == FM_ERR_SYSTEM ? FM_ERR_SYSTEM : FM_ERR_DATA;
}

int fm_run_isolated(const char *command, const char *archive, unsigned cpu_seconds,
                    int (*work)(void *argument), void *argument)
{
    return run_isolated(command, archive, cpu_seconds, false, work, argument);
}

int fm_run_isolated_with_objects(const char *command, const char *archive,
                                 int (*work)(void *argument), void *argument)
{
    return run_isolated(command, archive, 0, true, work, argument);
}
