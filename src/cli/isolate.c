#include "cli/isolate.h"

#include "base/error.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Reading takes a second for some ten megabytes; a loop never ends. */
#define CPU_SECONDS 3600

static _Noreturn void work_in_child(int result_pipe, int (*work)(void *argument), void *argument)
{
    const struct rlimit no_core = {0, 0};
    const struct rlimit cpu = {CPU_SECONDS, CPU_SECONDS + 10};
    setrlimit(RLIMIT_CORE, &no_core);
    setrlimit(RLIMIT_CPU, &cpu);
    int status = work(argument);
    if (fflush(stdout) != 0) {
        fprintf(stderr, "cannot write the output: %s\n", strerror(errno));
        status = FM_ERR_SYSTEM;
    }
    unsigned char byte = (unsigned char)status;
    ssize_t written = write(result_pipe, &byte, 1);
    _exit(written == 1 ? status : FM_ERR_SYSTEM);
}

int fm_run_isolated(const char *command, const char *archive, int (*work)(void *argument),
                    void *argument)
{
    int ends[2];
    fflush(NULL);
    if (pipe(ends) != 0) {
        fprintf(stderr, "fermata %s: cannot make a pipe: %s\n", command, strerror(errno));
        return FM_ERR_SYSTEM;
    }
    pid_t child = fork();
    if (child < 0) {
        fprintf(stderr, "fermata %s: cannot start a process: %s\n", command, strerror(errno));
        close(ends[0]);
        close(ends[1]);
        return FM_ERR_SYSTEM;
    }
    if (child == 0) {
        close(ends[0]);
        work_in_child(ends[1], work, argument);
    }
    close(ends[1]);
    unsigned char result = 0;
    ssize_t count;
    do {
        count = read(ends[0], &result, 1);
    } while (count < 0 && errno == EINTR);
    close(ends[0]);
    int wait_status = 0;
    while (waitpid(child, &wait_status, 0) < 0 && errno == EINTR) {
    }
    if (count == 1) {
        return result;
    }
    if (WIFSIGNALED(wait_status)) {
        int signal_number = WTERMSIG(wait_status);
        if (signal_number == SIGINT || signal_number == SIGTERM) {
            raise(signal_number);
        }
        fprintf(stderr, "fermata %s: %s: OTF2's reader %s (%s): the archive is damaged\n", command,
                archive, signal_number == SIGXCPU ? "does not end" : "crashed",
                strsignal(signal_number));
        return FM_ERR_DATA;
    }
    /* It ended by itself, with a message: no memory, or a sanitizer's report. */
    return WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == FM_ERR_SYSTEM ? FM_ERR_SYSTEM
                                                                               : FM_ERR_DATA;
}
