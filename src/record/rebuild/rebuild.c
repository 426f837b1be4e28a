/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/rebuild/rebuild.h"

#include "base/files/file_tree.h"
#include "record/experiment/experiment.h"
#include "record/rebuild/journal_load.h"
#include "record/rebuild/rebuild_run.h"
#include "record/worlds/join.h"
#include "record/worlds/world_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static bool exists(const char *directory, const char *name)
{
    char path[PATH_MAX];
    struct stat status;
    return snprintf(path, sizeof path, "%s/%s", directory, name) < (int)sizeof path &&
           lstat(path, &status) == 0;
}

bool fm_rebuild_archive_is_due(const char *directory)
{
    return exists(directory, "journal") && !exists(directory, "traces.otf2");
}

bool fm_rebuild_is_due(const char *directory)
{
    return fm_rebuild_archive_is_due(directory) || fm_join_is_due(directory);
}

static fm_status_t move(const struct fm_rebuild_run *r, const char *name, struct fm_error *error)
{
    char from[PATH_MAX + 64], to[PATH_MAX + 64];
    snprintf(from, sizeof from, "%s/%s", r->folder, name);
    snprintf(to, sizeof to, "%s/%s", r->directory, name);
    fm_remove_tree(to); /* of an archive that was not completed */
    return rename(from, to) == 0 ? FM_OK
                                 : fm_fail(error, FM_ERR_SYSTEM, "cannot rename %s: %m", from);
}

/* Without these entries readers would take the archive for a complete one. */
static fm_status_t note_in_environment(const struct fm_rebuild_run *r, json_t *environment,
                                       struct fm_error *error)
{
    fm_status_t status = FM_OK;
    char path[PATH_MAX + 64], final[PATH_MAX + 64];
    if (environment == NULL) {
        environment = json_object();
        json_object_set_new(environment, "ranks", json_integer(r->size));
    } else {
        json_incref(environment);
    }
    json_object_set_new(environment, "locations", json_integer((json_int_t)r->result->locations));
    json_object_set_new(environment, "events", json_integer((json_int_t)r->result->events));
    json_object_set_new(environment, "complete", json_false());
    json_object_set_new(environment, "incomplete", json_string(r->result->missing));
    snprintf(final, sizeof final, "%s/environment.json", r->directory);
    snprintf(path, sizeof path, "%s/environment.json", r->folder);
    if (json_dump_file(environment, path, JSON_INDENT(2)) != 0 || chmod(path, 0600) != 0 ||
        rename(path, final) != 0) {
        status = fm_fail(error, FM_ERR_SYSTEM, "cannot write %s: %m", final);
    }
    json_decref(environment);
    return status;
}

void fm_rebuild_free(struct fm_rebuild_run *r)
{
    for (uint32_t rank = 0; r->processes != NULL && rank < r->size; rank++) {
        fm_define_map_free(&r->processes[rank].map);
        fm_define_map_free(&r->processes[rank].sites);
        fm_callsites_free(&r->processes[rank].callsites);
        fm_event_regions_free(&r->processes[rank].events);
        free(r->processes[rank].regions);
        free(r->processes[rank].threads);
    }
    free(r->processes);
    fm_definitions_free(&r->set);
    fm_definitions_free(&r->sites);
    fm_definitions_free(&r->resolved);
}

bool fm_rebuild_is_same_folder(const char *one, const char *other)
{
    struct stat first, second;
    return stat(one, &first) == 0 && stat(other, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

/* Removes the buffer files, which are in the archive now; those of an experiment that this one is a
 * copy of stay. */
static void remove_buffers(const struct fm_rebuild_run *r)
{
    char path[PATH_MAX + 64];
    for (uint32_t rank = 0; rank < r->size; rank++) {
        struct fm_buffer_reader buffers;
        if (r->processes[rank].known &&
            fm_journal_open_buffers(r->directory, &r->processes[rank].journal, &buffers, path,
                                    sizeof path)) {
            bool is_own = fm_rebuild_is_same_folder(buffers.head.directory, r->directory);
            fm_buffer_close(&buffers);
            if (is_own) {
                unlink(path);
            }
        }
    }
}

static fm_status_t put_in_place(struct fm_rebuild_run *r, json_t *environment,
                                struct fm_error *error)
{
    char path[PATH_MAX + 64];
    for (uint32_t rank = 0; rank < r->size; rank++) {
        for (uint32_t t = 0; t < r->processes[rank].thread_count; t++) {
            r->result->bytes += fm_experiment_protect(r->folder, fm_archive_location(rank, t));
        }
    }
    r->result->bytes += fm_experiment_protect_global(r->folder);
    fm_status_t status = note_in_environment(r, environment, error);
    status = status == FM_OK ? move(r, "traces", error) : status;
    status = status == FM_OK ? move(r, "traces.def", error) : status;
    if (exists(r->folder, "traces.marker")) {
        status = status == FM_OK ? move(r, "traces.marker", error) : status;
    }
    if (exists(r->folder, FM_WORLD_FILE)) {
        status = status == FM_OK ? move(r, FM_WORLD_FILE, error) : status;
    }
    status = status == FM_OK ? move(r, "traces.otf2", error) : status;
    if (status == FM_OK) {
        remove_buffers(r);
        snprintf(path, sizeof path, "%s/journal", r->directory);
        fm_remove_tree(path);
        fm_experiment_log(r->directory, "rebuilt from the journals: %s", r->result->missing);
    }
    return status;
}

int fm_rebuild_lock(const char *directory)
{
    int file = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    while (file >= 0 && flock(file, LOCK_EX) != 0) {
        if (errno != EINTR) {
            close(file);
            file = -1;
        }
    }
    return file;
}

/* Removes the files of killed rebuilds, which take up space. */
static void remove_remains(const char *directory)
{
    char path[PATH_MAX + 300];
    DIR *folder = opendir(directory);
    struct dirent *entry;
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        if (strncmp(entry->d_name, "rebuild-", strlen("rebuild-")) == 0) {
            snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
            fm_remove_tree(path);
        }
    }
    if (folder != NULL) {
        closedir(folder);
    }
}

static fm_status_t rebuild(const char *directory, bool is_world, uint64_t job_end,
                           struct fm_rebuilt *result, struct fm_error *error)
{
    struct fm_rebuild_run r = {.directory = directory,
                               .job_end = job_end,
                               .is_of_worlds = is_world || exists(directory, "worlds"),
                               .result = result};
    char path[PATH_MAX + 64];
    json_error_t reason;
    if (snprintf(r.folder, sizeof r.folder, "%s/rebuild-XXXXXX", directory) >=
        (int)sizeof r.folder - 64) {
        return fm_fail(error, FM_ERR_USAGE, "the path of the experiment is too long");
    }
    fm_status_t status = fm_rebuild_find_size(&r, error);
    if (status == FM_OK) {
        result->processes = r.size;
        r.processes = calloc(r.size, sizeof *r.processes);
        status = r.processes == NULL
                     ? fm_fail(error, FM_ERR_SYSTEM, "no memory for %u processes", r.size)
                     : fm_rebuild_count_threads(&r, error);
    }
    if (status == FM_OK && mkdtemp(r.folder) == NULL) {
        status = fm_fail(error, FM_ERR_SYSTEM, "cannot complete the trace in %s: %m", directory);
    } else if (status == FM_OK) {
        snprintf(path, sizeof path, "%s/environment.json", directory);
        json_t *environment = json_load_file(path, 0, &reason);
        json_int_t most = json_integer_value(json_object_get(environment, "max_size_bytes"));
        r.max_size = most > 0 ? (uint64_t)most : UINT64_MAX;
        fm_thinning_begin(&r.thinning);
        status = fm_rebuild_write_archive(&r, environment, error);
        if (status == FM_OK) {
            status = put_in_place(&r, environment, error);
        } else {
            fm_archive_abandon();
        }
        json_decref(environment);
        fm_remove_tree(r.folder);
    }
    fm_rebuild_free(&r);
    return status;
}

fm_status_t fm_rebuild_archive(const char *directory, bool is_world, uint64_t job_end,
                               struct fm_rebuilt *result, struct fm_error *error)
{
    memset(result, 0, sizeof *result);
    return rebuild(directory, is_world, job_end, result, error);
}

fm_status_t fm_rebuild(const char *directory, uint64_t job_end, struct fm_rebuilt *result,
                       struct fm_error *error)
{
    fm_status_t status = FM_OK;
    memset(result, 0, sizeof *result);
    int file = fm_rebuild_lock(directory);
    if (!fm_rebuild_is_due(directory)) {
        result->by_other = true;
    } else {
        remove_remains(directory);
        if (fm_rebuild_archive_is_due(directory)) {
            status = fm_rebuild_archive(directory, false, job_end, result, error);
        }
        if (status == FM_OK && fm_join_is_due(directory)) {
            memset(result, 0, sizeof *result);
            status = fm_join(directory, job_end, result, error);
        }
    }
    if (file >= 0) {
        close(file);
    }
    return status;
}
