/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/archive/isolated_command.h"

#include "base/error.h"
#include "base/process/isolate.h"
#include "base/process/memory_room.h"

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

/* Whether a signal ends a process for an error in its code, which damaged input can lead to. */
static bool is_crash(int signal)
{
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++) {
        if (signal == crashes[i]) {
            return true;
        }
    }
    return false;
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

/* The system ends a process when memory runs out, by the signal that others send, too.
 * @param kills  of fm_memory_kills() before the work */
static void report_kill(const struct command_work *task, const char *archive, uint64_t kills)
{
    const uint64_t now = fm_memory_kills();
    const bool ran_out = kills != UINT64_MAX && now != UINT64_MAX && now > kills;
    const bool has_limit = strcmp(task->command, "analyze") == 0;
    fprintf(stderr, "fermata %s: %s: killed (SIGKILL)%s%s\n", task->command, archive,
            ran_out ? ": the system ran out of memory"
                    : ", by a user or a batch system, or because memory ran out",
            has_limit ? "; --memory SIZE, as in 4G, makes it need less memory" : "");
}

/* @return the exit status after a signal has ended the work
 * @param is_limited  there is a limit of its CPU time, which an intact archive does not reach */
static int status_of_signal(const struct command_work *task, const char *archive, int signal,
                            bool is_limited, bool has_objects, uint64_t kills)
{
    if (is_crash(signal) || (signal == SIGXCPU && is_limited)) {
        report_crash(task->command, archive, signal, has_objects);
        return FM_ERR_DATA;
    }
    if (signal == SIGKILL) {
        report_kill(task, archive, kills);
        return FM_ERR_SYSTEM;
    }
    /* SIGPIPE: the reader of the output has closed it. */
    raise(signal);
    fprintf(stderr, "fermata %s: %s: ended by a signal (%s)\n", task->command, archive,
            strsignal(signal));
    return FM_ERR_SYSTEM;
}

static int run_isolated(const char *command, const char *archive, unsigned cpu_seconds,
                        bool has_objects, int (*work)(void *argument), void *argument)
{
    struct command_work task = {.command = command, .work = work, .argument = argument};
    struct fm_isolated end;
    const uint64_t kills = fm_memory_kills();
    if (fm_isolate(work_and_flush, &task, cpu_seconds, false, &end) != 0) {
        fprintf(stderr, "fermata %s: cannot start a process: %s\n", command, strerror(errno));
        return FM_ERR_SYSTEM;
    }
    if (end.returned) {
        return end.result;
    }
    if (end.signal != 0) {
        return status_of_signal(&task, archive, end.signal, cpu_seconds != 0, has_objects, kills);
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
