/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/launch.h"

#include "base/process/installed.h"
#include "filter/filter.h"
#include "record/capture/clock.h"
#include "record/experiment/experiment_note.h"
#include "record/experiment/job.h"
#include "record/experiment/obstacle.h"
#include "record/gpu_option.h"
#include "record/launch_heartbeats.h"
#include "record/launch_snapshots.h"
#include "record/marks/mark_kinds.h"
#include "record/rebuild/rebuild.h"

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

/* A directory that the command line or a file names is one of the working directory here, wherever
 * the program runs. */
static fm_status_t export_directory(const struct fm_setting_value *directory,
                                    struct fm_error *error)
{
    char path[PATH_MAX + 2], folder[PATH_MAX];
    struct stat status;
    if (directory->text == NULL || directory->source == FM_SET_BY_ENVIRONMENT) {
        return FM_OK;
    }
    if (getcwd(folder, sizeof folder) == NULL) {
        return fm_fail(error, FM_ERR_SYSTEM, "cannot read the working directory: %m");
    }
    bool absolute = directory->text[0] == '/';
    if (snprintf(path, sizeof path, "%s%s%s", absolute ? "" : folder, absolute ? "" : "/",
                 directory->text) >= PATH_MAX) {
        return fm_fail(error, FM_ERR_USAGE, "the path of the experiment directory is too long");
    }
    /* A name for all recordings gets a number where it is taken: fm_experiment_create. */
    if (directory->source == FM_SET_BY_COMMAND_LINE && !fm_job_is_rank() &&
        lstat(path, &status) == 0) {
        return fm_fail(error, FM_ERR_USAGE, "%s exists; an experiment is never overwritten",
                       directory->text);
    }
    setenv(fm_settings_known[FM_SETTING_OUTPUT].variable, path, 1);
    return FM_OK;
}

/* A filter is read by every process, wherever it runs; an error in it is reported here. */
static fm_status_t export_filter(const struct fm_setting_value *value, struct fm_error *error)
{
    struct fm_filter *filter = NULL;
    fm_status_t status = value->text != NULL ? fm_filter_read(value->text, &filter, error) : FM_OK;
    char *path = status == FM_OK && value->text != NULL ? realpath(value->text, NULL) : NULL;
    if (path != NULL) {
        setenv(fm_settings_known[FM_SETTING_FILTER].variable, path, 1);
    }
    free(path);
    fm_filter_free(filter);
    return status == FM_ERR_DATA ? FM_ERR_USAGE : status;
}

/* Other preloaded libraries stay in front: a tool of the program's own that wraps MPI keeps
 * working. */
static fm_status_t export_preload(const char *library, struct fm_error *error)
{
    char preload[PATH_MAX];
    fm_status_t status = fm_find_library(library, preload, sizeof preload, error);
    const char *others = getenv("LD_PRELOAD");
    if (status != FM_OK || (others != NULL && strstr(others, preload) != NULL)) {
        return status;
    }
    if (others == NULL || others[0] == '\0') {
        setenv("LD_PRELOAD", preload, 1);
        return FM_OK;
    }
    char *both;
    if (asprintf(&both, "%s:%s", others, preload) < 0) {
        return fm_fail(error, FM_ERR_SYSTEM, "out of memory");
    }
    setenv("LD_PRELOAD", both, 1);
    free(both);
    return FM_OK;
}

/* CUDA's driver loads the library when it begins; a tool of the user's that is there already stays,
 * and recording begins with the first call of a recorded library then. */
static void export_injection(void)
{
    char preload[PATH_MAX];
    if (fm_gpu_is_selected(getenv(fm_settings_known[FM_SETTING_GPU].variable)) &&
        fm_find_library("libfermata-preload.so", preload, sizeof preload, NULL) == FM_OK) {
        setenv("CUDA_INJECTION64_PATH", preload, 0);
    }
}

/* A library that another tool has named stays: the marks are not recorded then. */
static void export_mark_kind(const struct fm_mark_kind_facts *kind, const char *library)
{
    const char *named = getenv(kind->variable);
    if (named == NULL || named[0] == '\0') {
        setenv(kind->variable, library, 1);
    } else if (strstr(named, FM_MARKS_LIBRARY) == NULL && !fm_job_is_rank()) {
        fprintf(stderr, "fermata: marks of %s are not recorded: %s names %s\n", kind->title,
                kind->variable, named);
    }
}

/* Names the library of marks to the programs that ask for one. */
static void export_marks(void)
{
    char library[PATH_MAX];
    uint32_t kinds;
    if (!fm_mark_kinds_read(getenv(FM_MARKS_VARIABLE), &kinds) ||
        fm_find_library(FM_MARKS_LIBRARY, library, sizeof library, NULL) != FM_OK) {
        return;
    }
    for (uint32_t i = 0; i < FM_MARK_KINDS; i++) {
        if ((kinds >> i & 1) != 0 && fm_mark_kinds[i].variable != NULL) {
            export_mark_kind(&fm_mark_kinds[i], library);
        }
    }
}

fm_status_t fm_record_prepare(const struct fm_settings *settings, struct fm_error *error)
{
    fm_settings_export(settings);
    fm_status_t status = export_directory(&settings->values[FM_SETTING_OUTPUT], error);
    if (status == FM_OK) {
        status = export_filter(&settings->values[FM_SETTING_FILTER], error);
    }
    const char *hooks = settings->values[FM_SETTING_HOOKS].text;
    if (status == FM_OK && hooks != NULL && strcmp(hooks, "1") == 0) {
        status = export_preload("libfermata-hooks.so", error);
    }
    if (status == FM_OK) {
        export_injection();
        export_marks();
    }
    return status == FM_OK ? export_preload("libfermata-preload.so", error) : status;
}

static fm_status_t cannot_start(const char *command, struct fm_error *error)
{
    return fm_fail(error, FM_ERR_SYSTEM, "cannot start %s: %s", command, strerror(errno));
}

fm_status_t fm_record_exec(const struct fm_settings *settings, char *const command[],
                           struct fm_error *error)
{
    fm_status_t status = fm_record_prepare(settings, error);
    if (status != FM_OK) {
        return status;
    }
    char process[32];
    snprintf(process, sizeof process, "%ld", (long)getpid());
    setenv("FERMATA_PROCESS", process, 1); /* preload/start.h */
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

/* Starts the command; a pipe that closes on exec shows whether that worked. */
static fm_status_t start(const struct fm_settings *settings, char *const command[],
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
        setenv(FM_RESULT_FILE_VARIABLE, result_file, 1);
        fm_record_exec(settings, command, &failure);
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
    char text[sizeof result->directory + 256] = "";
    FILE *file = fopen(path, "r");
    const char *rest = NULL;
    if (file != NULL && fgets(text, sizeof text, file) != NULL) {
        text[strcspn(text, "\n")] = '\0';
        rest = fm_experiment_totals_read(&result->totals, text);
    }
    const char *note = file != NULL ? fm_experiment_note_read(text) : NULL;
    if (note != NULL) {
        snprintf(result->reason, sizeof result->reason, "%s", note);
    }
    if (rest != NULL && rest[0] == ' ') {
        snprintf(result->directory, sizeof result->directory, "%s", rest + 1);
    }
    if (file != NULL) {
        fclose(file);
    }
}

/* States why the program of the command itself has no recorder, if nothing was recorded. */
static void look_for_obstacle(const char *command, struct fm_record_result *result)
{
    char path[PATH_MAX];
    if (result->directory[0] != '\0' || result->reason[0] != '\0') {
        return;
    }
    fm_program_find(command, true, getenv("PATH"), path);
    const char *obstacle = fm_program_obstacle(path);
    if (obstacle != NULL) {
        snprintf(result->reason, sizeof result->reason, FM_NOTE_STARTED_WITHOUT, path, obstacle);
    }
}

/* The directory is gone if there was nothing to keep. */
static void note_discarded(struct fm_record_result *result)
{
    struct stat status;
    if (result->directory[0] != '\0' && lstat(result->directory, &status) != 0 && errno == ENOENT) {
        result->discarded = true;
        result->directory[0] = '\0';
    }
}

/* The processes are gone when their launcher is, or soon after: a rebuild that finds one alive
 * waits for it a little.
 * @param job_end  when the launcher ended: CLOCK_MONOTONIC_RAW */
static void complete(struct fm_record_result *result, uint64_t job_end)
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
        status = fm_rebuild(result->directory, job_end, &rebuilt, &error);
    }
    if (status == FM_OK && rebuilt.by_other) {
        snprintf(result->missing, sizeof result->missing, "completed by another fermata meanwhile");
    } else if (status == FM_OK) {
        result->totals =
            (struct fm_experiment_totals){.events = rebuilt.events, .bytes = rebuilt.bytes};
        snprintf(result->missing, sizeof result->missing, "%s", rebuilt.missing);
        snprintf(result->unknown, sizeof result->unknown, "%s", rebuilt.unknown);
        result->long_calls = rebuilt.long_calls;
    } else {
        result->totals.events = 0;
        snprintf(result->missing, sizeof result->missing, "%s", error.message);
    }
}

/* The directory that the processes have reported. */
static void directory_so_far(void *result_file, char *path, size_t size)
{
    struct fm_record_result result;
    memset(&result, 0, sizeof result);
    read_result(result_file, &result);
    snprintf(path, size, "%s", result.directory);
}

/* @return the process that takes snapshots; -1: the processes of the program take them themselves,
 * none are asked for, or it cannot be started */
static pid_t start_snapshots(const struct fm_settings *settings, char *result_file)
{
    double period = fm_snapshot_period(settings->values[FM_SETTING_SNAPSHOT].text);
    return period > 0 ? fm_launch_snapshots(period, directory_so_far, result_file) : -1;
}

fm_status_t fm_record_run(const struct fm_settings *settings, char *const command[],
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
    fm_status_t status = start(settings, command, path, &child, error);
    if (status == FM_OK) {
        pid_t snapshots = start_snapshots(settings, path);
        pid_t heartbeats = fm_launch_heartbeats(directory_so_far, path);
        result->exit_status = wait_for(child);
        const uint64_t job_end = fm_clock_nanoseconds();
        fm_launch_heartbeats_end(heartbeats);
        fm_launch_snapshots_end(snapshots);
        read_result(path, result);
        look_for_obstacle(command[0], result);
        note_discarded(result);
        complete(result, job_end);
    }
    unlink(path);
    return status;
}
