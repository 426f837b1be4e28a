/* SPDX-License-Identifier: BSD-3-Clause */
#include "import/kineto/kineto_import.h"

#include "base/files/file_tree.h"
#include "base/files/new_file.h"
#include "base/json/json_writer.h"
#include "import/kineto/kineto_archive.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What environment.json names as the creator of an experiment. */
#define IMPORTED "PyTorch profiler"

static char *path_in(const char *directory, const char *name)
{
    char *path = NULL;
    return asprintf(&path, "%s/%s", directory, name) < 0 ? NULL : path;
}

static bool exists_in(const char *directory, const char *name)
{
    char *path = path_in(directory, name);
    const bool exists = path != NULL && access(path, F_OK) == 0;
    free(path);
    return exists;
}

static bool has_ending(const char *name)
{
    const size_t length = strlen(name);
    return (length > 5 && strcmp(name + length - 5, ".json") == 0) ||
           (length > 8 && strcmp(name + length - 8, ".json.gz") == 0);
}

bool fm_kineto_is_one(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0) {
        return false;
    }
    if (!S_ISDIR(status.st_mode)) {
        return has_ending(path) && fm_kineto_is_trace(path);
    }
    DIR *directory = exists_in(path, "traces.otf2") ? NULL : opendir(path);
    bool found = false;
    for (const struct dirent *entry;
         directory != NULL && !found && (entry = readdir(directory)) != NULL;) {
        char *file = has_ending(entry->d_name) ? path_in(path, entry->d_name) : NULL;
        found = file != NULL && fm_kineto_is_trace(file);
        free(file);
    }
    if (directory != NULL) {
        closedir(directory);
    }
    return found;
}

/* ---- the experiment ---- */

/* @return whether a directory was written by an import */
static bool is_imported(const char *experiment)
{
    char *path = path_in(experiment, "environment.json");
    FILE *file = path != NULL ? fopen(path, "re") : NULL;
    char head[128] = "";
    if (file != NULL) {
        head[fread(head, 1, sizeof head - 1, file)] = '\0';
        fclose(file);
    }
    free(path);
    return strstr(head, "\"imported\": \"" IMPORTED "\"") != NULL;
}

static fm_status_t make_way(const char *experiment, struct fm_error *error)
{
    if (access(experiment, F_OK) != 0) {
        return FM_OK;
    }
    if (!is_imported(experiment)) {
        return fm_fail(error, FM_ERR_USAGE,
                       "%s exists: remove it, or name another directory for the experiment of the "
                       "profiler traces (-o)",
                       experiment);
    }
    return fm_remove_tree(experiment) == 0
               ? FM_OK
               : fm_fail(error, FM_ERR_SYSTEM, "cannot replace %s: %m", experiment);
}

static fm_status_t write_environment(const struct fm_kineto_job *job, const char *experiment,
                                     struct fm_error *error)
{
    struct fm_new_file file;
    char *path = path_in(experiment, "environment.json");
    if (path == NULL) {
        return fm_fail(error, FM_ERR_SYSTEM, "no memory");
    }
    fm_status_t status = fm_new_file_open(&file, path, error);
    free(path);
    if (status != FM_OK) {
        return status;
    }
    struct fm_json json = fm_json_begin(file.stream, FM_JSON_INDENTED);
    fm_json_object(&json, NULL);
    fm_json_string(&json, "imported", IMPORTED);
    fm_json_array(&json, "warnings");
    for (size_t i = 0; i < job->warnings.count; i++) {
        fm_json_string(&json, NULL, job->warnings.items[i]);
    }
    fm_json_end(&json);
    fm_json_end(&json);
    fputc('\n', file.stream);
    return fm_new_file_commit(&file, error);
}

static void warn_of_defects(struct fm_kineto_job *job)
{
    const struct fm_kineto_defects *defects = &job->defects;
    if (defects->cut != 0) {
        fm_kineto_warn(job,
                       "%" PRIu64 " events of threads end after the event that contains them: they "
                       "end with it here.",
                       defects->cut);
    }
    if (defects->shared + defects->hidden != 0) {
        fm_kineto_warn(job,
                       "%" PRIu64 " kernels and copies overlap with the one before them on their "
                       "stream: each has the time behind the end of the others; %" PRIu64
                       " without such a time are left out.",
                       defects->shared + defects->hidden, defects->hidden);
    }
    if (defects->unlaunched != 0) {
        fm_kineto_warn(job,
                       "The launches of %" PRIu64 " kernels and copies are not in the traces: Late "
                       "Launch and waiting for them are not seen.",
                       defects->unlaunched);
    }
    if (defects->unnamed_syncs != 0) {
        fm_kineto_warn(job,
                       "%" PRIu64 " synchronizations do not state which stream they wait for: they "
                       "are taken to wait for the last work that ends in them. The profiler states "
                       "it with enable_cuda_sync_events.",
                       defects->unnamed_syncs);
    }
    if (defects->without_bytes != 0) {
        fm_kineto_warn(job, "%" PRIu64 " copies do not state how many bytes they copy.",
                       defects->without_bytes);
    }
}

fm_status_t fm_kineto_import(const char *path, const char *experiment, uint32_t *ranks,
                             struct fm_error *error)
{
    struct fm_kineto_job job = {0};
    struct fm_scenario *scenario = NULL;
    fm_status_t status = make_way(experiment, error);
    if (status == FM_OK) {
        status = fm_kineto_job_read(path, &job, error);
    }
    *ranks = (uint32_t)job.traces.count;
    if (status == FM_OK) {
        status = fm_kineto_archive_make(&job, &scenario, error);
    }
    if (status == FM_OK) {
        warn_of_defects(&job);
        status = fm_scenario_write_archive(scenario, experiment, error);
    }
    if (status == FM_OK) {
        status = write_environment(&job, experiment, error);
    }
    fm_scenario_free(scenario);
    fm_kineto_job_free(&job);
    return status;
}
