#include "record/launch.h"

#include "base/installed.h"
#include "record/rebuild.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

bool fm_record_is_rank(void)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        if (getenv(variables[i]) != NULL) {
            return true;
        }
    }
    return false;
}

static fm_status_t set_directory(const char *directory, struct fm_error *error)
{
    char path[PATH_MAX + 2], folder[PATH_MAX];
    struct stat status;
    if (directory == NULL) {
        return FM_OK;
    }
    if (getcwd(folder, sizeof folder) == NULL) {
        return fm_fail(error, FM_ERR_SYSTEM, "cannot read the working directory: %m");
    }
    bool absolute = directory[0] == '/';
    if (snprintf(path, sizeof path, "%s%s%s", absolute ? "" : folder, absolute ? "" : "/",
                 directory) >= PATH_MAX) {
        return fm_fail(error, FM_ERR_USAGE, "the path of the experiment directory is too long");
    }
    if (!fm_record_is_rank() && lstat(path, &status) == 0) {
        return fm_fail(error, FM_ERR_USAGE, "%s exists; an experiment is never overwritten",
                       directory);
    }
    setenv("FERMATA_EXPERIMENT_DIRECTORY", path, 1);
    return FM_OK;
}

/* The environment of a recorded program. Other preloaded libraries stay in front: a tool of the
 * program's own that wraps MPI keeps working. */
fm_status_t fm_record_prepare(const struct fm_record_options *options, struct fm_error *error)
{
    char preload[PATH_MAX];
    fm_status_t status = fm_find_library("libfermata-preload.so", preload, sizeof preload, error);
    if (status == FM_OK) {
        status = set_directory(options->directory, error);
    }
    if (status != FM_OK) {
        return status;
    }
    if (options->memory != NULL) {
        setenv("FERMATA_TOTAL_MEMORY", options->memory, 1);
    }
    if (options->progress != NULL) {
        setenv("FERMATA_PROGRESS", options->progress, 1);
    }
    if (options->callpath != NULL) {
        setenv("FERMATA_CALLPATH", options->callpath, 1);
    }
    if (options->sample != NULL) {
        setenv("FERMATA_SAMPLE", options->sample, 1);
    }
    if (options->verbose) {
        setenv("FERMATA_VERBOSE", "1", 1);
    }
    const char *others = getenv("LD_PRELOAD");
    if (others != NULL && strstr(others, preload) != NULL) {
        return FM_OK;
    }
    if (others != NULL && others[0] != '\0') {
        size_t size = strlen(others) + sizeof preload + 2;
        char *both = malloc(size);
        if (both == NULL) {
            return fm_fail(error, FM_ERR_SYSTEM, "out of memory");
        }
        snprintf(both, size, "%s:%s", others, preload);
        setenv("LD_PRELOAD", both, 1);
        free(both);
    } else {
        setenv("LD_PRELOAD", preload, 1);
    }
    return FM_OK;
}

static fm_status_t cannot_start(const char *command, struct fm_error *error)
{
    return fm_fail(error, FM_ERR_SYSTEM, "cannot start %s: %s", command, strerror(errno));
}

fm_status_t fm_record_exec(const struct fm_record_options *options, char *const command[],
                           struct fm_error *error)
{
    fm_status_t status = fm_record_prepare(options, error);
    if (status != FM_OK) {
        return status;
    }
    execvp(command[0], command);
    return cannot_start(command[0], error);
}

static volatile sig_atomic_t child_process;

static void pass_on(int number)
{
    if (child_process > 0) {
        kill((pid_t)child_process, number);
    }
}

/* Starts the command; a pipe that closes on exec tells whether that worked. */
static fm_status_t start(const struct fm_record_options *options, char *const command[],
                         const char *result_file, pid_t *child, struct fm_error *error)
{
    int report[2];
    struct fm_error failure = {""};
    if (pipe2(report, O_CLOEXEC) != 0) {
        return fm_fail(error, FM_ERR_SYSTEM, "cannot start %s: %m", command[0]);
    }
    fflush(NULL);
    *child = fork();
    if (*child == 0) {
        setenv("FERMATA_RESULT_FILE", result_file, 1);
        fm_record_exec(options, command, &failure);
        ssize_t written = write(report[1], &failure, sizeof failure);
        _exit(written > 0 ? 127 : 126);
    }
    close(report[1]);
    ssize_t length = *child > 0 ? read(report[0], &failure, sizeof failure) : 0;
    close(report[0]);
    if (*child < 0) {
        return fm_fail(error, FM_ERR_SYSTEM, "cannot start %s: %m", command[0]);
    }
    if (length > 0) {
        waitpid(*child, NULL, 0);
        return fm_fail(error, FM_ERR_USAGE, "%s", failure.message);
    }
    return FM_OK;
}

static int wait_for(pid_t child)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
    enum { SIGNALS = sizeof signals / sizeof signals[0] };
    struct sigaction action = {.sa_handler = pass_on}, before[SIGNALS];
    int status = 0;
    child_process = (sig_atomic_t)child;
    for (int i = 0; i < SIGNALS; i++) {
        sigaction(signals[i], &action, &before[i]);
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    child_process = 0;
    for (int i = 0; i < SIGNALS; i++) {
        sigaction(signals[i], &before[i], NULL);
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void read_result(const char *path, struct fm_record_result *result)
{
    FILE *file = fopen(path, "r");
    unsigned long long numbers[4];
    if (file != NULL) {
        if (fscanf(file, "%llu %llu %llu %llu %4095[^\n]", &numbers[0], &numbers[1], &numbers[2],
                   &numbers[3], result->directory) == 5) {
            result->totals = (struct fm_experiment_totals){.events = numbers[0],
                                                           .bytes = numbers[1],
                                                           .samples = numbers[2],
                                                           .samples_lost = numbers[3]};
        }
        fclose(file);
    }
}

/* The processes are gone when their launcher is, or soon after: a rebuild that finds one alive
 * waits for it a little. */
static void complete(struct fm_record_result *result)
{
    enum { ATTEMPTS = 50, PAUSE = 100000 /* microseconds */ };
    struct fm_rebuilt rebuilt;
    struct fm_error error;
    fm_status_t status = FM_ERR_USAGE;
    if (result->directory[0] == '\0' || !fm_rebuild_is_due(result->directory)) {
        return;
    }
    for (int i = 0; i < ATTEMPTS && status == FM_ERR_USAGE; i++) {
        if (i > 0) {
            usleep(PAUSE);
        }
        status = fm_rebuild(result->directory, &rebuilt, &error);
    }
    if (status == FM_OK && rebuilt.by_other) {
        snprintf(result->missing, sizeof result->missing, "completed by another fermata meanwhile");
    } else if (status == FM_OK) {
        result->totals.events = rebuilt.events;
        result->totals.bytes = rebuilt.bytes;
        snprintf(result->missing, sizeof result->missing, "%s", rebuilt.missing);
    } else {
        result->totals.events = 0;
        snprintf(result->missing, sizeof result->missing, "%s", error.message);
    }
}

fm_status_t fm_record_run(const struct fm_record_options *options, char *const command[],
                          struct fm_record_result *result, struct fm_error *error)
{
    const char *folder = getenv("TMPDIR");
    char path[PATH_MAX];
    pid_t child = -1;
    memset(result, 0, sizeof *result);
    snprintf(path, sizeof path, "%s/fermata-result-XXXXXX", folder != NULL ? folder : "/tmp");
    int file = mkstemp(path);
    if (file < 0) {
        return fm_fail(error, FM_ERR_SYSTEM, "cannot create %s: %m", path);
    }
    close(file);
    fm_status_t status = start(options, command, path, &child, error);
    if (status == FM_OK) {
        result->exit_status = wait_for(child);
        read_result(path, result);
        complete(result);
    }
    unlink(path);
    return status;
}
