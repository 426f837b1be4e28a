/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/worlds/join.h"

#include "base/files/file_tree.h"
#include "record/experiment/experiment.h"
#include "record/paradigm/alone.h"
#include "record/worlds/join_environment.h"
#include "record/worlds/join_run.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The files of an archive. The first one makes it complete. */
static const char *const archive_files[] = {"traces.otf2", FM_WORLD_FILE, "traces.def",
                                            "traces.marker", "traces"};
enum { ARCHIVE_FILES = sizeof archive_files / sizeof archive_files[0] };

static bool exists(const char *directory, const char *name)
{
    char path[PATH_MAX + 64];
    struct stat status;
    return snprintf(path, sizeof path, "%s/%s", directory, name) < (int)sizeof path &&
           lstat(path, &status) == 0;
}

bool fm_join_is_due(const char *directory)
{
    return exists(directory, FM_WORLD_FILE) || exists(directory, "worlds/0");
}

static fm_status_t move(const char *from, const char *to, const char *name, struct fm_error *error)
{
    char source[PATH_MAX + 64], target[PATH_MAX + 64];
    snprintf(source, sizeof source, "%s/%s", from, name);
    snprintf(target, sizeof target, "%s/%s", to, name);
    return rename(source, target) == 0 || errno == ENOENT
               ? FM_OK
               : fm_fail(error, FM_ERR_SYSTEM, "cannot rename %s: %m", source);
}

/* ---- the worlds ---- */

static int compare_numbers(const void *a, const void *b)
{
    const uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return left < right ? -1 : left > right;
}

/* The numbers of the folders of worlds but 0, in ascending order, to be freed. */
static uint32_t *list_worlds(const char *directory, uint32_t *count)
{
    char path[PATH_MAX + 64];
    uint32_t *numbers = NULL;
    struct dirent *entry;
    snprintf(path, sizeof path, "%s/worlds", directory);
    DIR *folder = opendir(path);
    *count = 0;
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        char *end;
        unsigned long number = strtoul(entry->d_name, &end, 10);
        uint32_t *more = number > 0 && number < UINT32_MAX && *end == '\0'
                             ? realloc(numbers, (*count + 1) * sizeof *numbers)
                             : NULL;
        if (more != NULL) {
            numbers = more;
            numbers[(*count)++] = (uint32_t)number;
        }
    }
    if (folder != NULL) {
        closedir(folder);
    }
    if (*count != 0) {
        qsort(numbers, *count, sizeof *numbers, compare_numbers);
    }
    return numbers;
}

/* Completes the archive of a world that did not reach its end, and reads its definitions.
 * @return FM_ERR_DATA: it left nothing that could be used */
static fm_status_t take_world(struct fm_join_run *run, const char *folder, struct fm_error *error)
{
    struct fm_joined_world *world = &run->worlds[run->count];
    struct fm_rebuilt rebuilt;
    snprintf(world->folder, sizeof world->folder, "%s", folder);
    if (fm_rebuild_archive_is_due(folder)) {
        fm_status_t status = fm_rebuild_archive(folder, true, run->job_end, &rebuilt, error);
        if (status != FM_OK) {
            return status;
        }
    }
    fm_status_t status = fm_join_read(world, error);
    if (status != FM_OK) {
        fm_definitions_free(&world->set);
        free(world->content.block);
        memset(world, 0, sizeof *world);
        return status;
    }
    for (uint32_t w = 0; w < run->count; w++) {
        world->first += run->worlds[w].size;
    }
    world->environment = fm_join_environment_load(folder);
    run->count++;
    return FM_OK;
}

/* A world that left nothing to read is left out: environment.json states it. */
static fm_status_t take_worlds(struct fm_join_run *run, const char *first, uint32_t *lost,
                               struct fm_error *error)
{
    char folder[PATH_MAX];
    uint32_t count;
    uint32_t *numbers = list_worlds(run->directory, &count);
    run->worlds = calloc((size_t)count + 1, sizeof *run->worlds);
    fm_status_t status = run->worlds == NULL
                             ? fm_fail(error, FM_ERR_SYSTEM, "no memory for %u worlds", count)
                             : take_world(run, first, error);
    for (uint32_t i = 0; i < count && status == FM_OK; i++) {
        snprintf(folder, sizeof folder, "%.*s/worlds/%u", PATH_MAX - 64, run->directory,
                 numbers[i]);
        status = take_world(run, folder, error);
        if (status == FM_ERR_DATA) {
            (*lost)++;
            status = FM_OK;
        }
    }
    free(numbers);
    return status;
}

/* ---- the archive ---- */

static uint64_t longest_mapping(const struct fm_join_run *run)
{
    uint64_t most = 0;
    for (int kind = 0; kind < FM_DEFINE_KIND_COUNT; kind++) {
        most = run->set.tables[kind].count > most ? run->set.tables[kind].count : most;
    }
    for (uint32_t i = 0; i < run->set.tables[FM_DEFINE_GROUP].count; i++) {
        uint32_t members = fm_defined(&run->set, FM_DEFINE_GROUP, i, NULL)[FM_GROUP_MEMBERS];
        most = members > most ? members : most;
    }
    return most + FM_FUNCTIONS_MOST;
}

static struct fm_archive_summary summarize(const struct fm_join_run *run)
{
    struct fm_archive_summary all = run->worlds[0].content.summary;
    for (uint32_t w = 1; w < run->count; w++) {
        const struct fm_joined_world *world = &run->worlds[w];
        uint64_t begin = fm_join_time(world, world->content.summary.begin);
        uint64_t end = fm_join_time(world, world->content.summary.end);
        if (begin < all.begin) {
            all.begin = begin;
            all.realtime = world->content.summary.realtime;
        }
        all.end = end > all.end ? end : all.end;
    }
    return all;
}

static bool reuses_locations(const struct fm_join_run *run)
{
    bool reused = false;
    for (uint32_t w = 0; w < run->count; w++) {
        reused = reused || run->worlds[w].content.locations_reused;
    }
    return reused;
}

static fm_status_t write_archive(struct fm_join_run *run, struct fm_error *error)
{
    const struct fm_archive_summary summary = summarize(run);
    if (!fm_archive_open(run->folder, &fm_exchange_alone, longest_mapping(run))) {
        return fm_fail(error, FM_ERR_SYSTEM, "cannot write %s: %s", run->folder,
                       fm_archive_failure());
    }
    fm_archive_end_events();
    fm_archive_begin_definitions();
    fm_status_t status = fm_join_write_locations(run, error);
    if (status != FM_OK) {
        return status;
    }
    fm_archive_end_definitions();
    if (fm_archive_failure() == NULL) {
        fm_archive_write_global(&run->set, &summary);
    }
    if (fm_archive_failure() == NULL) {
        fm_archive_close(reuses_locations(run));
    }
    return fm_archive_failure() == NULL ? FM_OK
                                        : fm_fail(error, FM_ERR_SYSTEM, "cannot write %s: %s",
                                                  run->folder, fm_archive_failure());
}

static uint64_t protect(const struct fm_join_run *run)
{
    uint64_t bytes = fm_experiment_protect_global(run->folder);
    for (uint32_t i = 0; i < run->set.tables[FM_DEFINE_PROCESS].count; i++) {
        const uint32_t *process = fm_defined(&run->set, FM_DEFINE_PROCESS, i, NULL);
        for (uint32_t t = 0; t < process[3]; t++) {
            bytes += fm_experiment_protect(run->folder, fm_archive_location(process[0], t));
        }
    }
    return bytes;
}

/* Moves the archive of world 0 away from the place of the joined one. */
static fm_status_t move_first(const char *directory, const char *first, struct fm_error *error)
{
    fm_status_t status = FM_OK;
    for (int i = 0; i < ARCHIVE_FILES && status == FM_OK; i++) {
        status = move(directory, first, archive_files[i], error);
    }
    return status;
}

/* The joined archive replaces that of world 0, which is kept until this is done. */
static fm_status_t put_in_place(const struct fm_join_run *run, const char *first,
                                struct fm_error *error)
{
    char path[PATH_MAX + 64];
    fm_status_t status = FM_OK;
    snprintf(path, sizeof path, "%.*s/worlds", PATH_MAX, run->directory);
    mkdir(path, 0700);
    if (mkdir(first, 0700) != 0 && errno != EEXIST) {
        return fm_fail(error, FM_ERR_SYSTEM, "cannot create %s: %m", first);
    }
    if (!exists(first, "traces")) {
        status = move_first(run->directory, first, error);
    }
    for (int i = ARCHIVE_FILES - 1; i >= 0 && status == FM_OK; i--) {
        snprintf(path, sizeof path, "%s/%s", run->directory, archive_files[i]);
        fm_remove_tree(path); /* of an interrupted join */
        status = move(run->folder, run->directory, archive_files[i], error);
    }
    return status;
}

/* Removes what the joined archive contains. What else the worlds have left stays: their logs, and
 * files of their counters. */
static void remove_worlds(const struct fm_join_run *run)
{
    char path[PATH_MAX + 64], removed[PATH_MAX + 64];
    for (uint32_t w = 1; w < run->count; w++) {
        for (int i = 0; i < ARCHIVE_FILES; i++) {
            snprintf(path, sizeof path, "%s/%s", run->worlds[w].folder, archive_files[i]);
            fm_remove_tree(path);
        }
    }
    snprintf(path, sizeof path, "%s/worlds/0", run->directory);
    snprintf(removed, sizeof removed, "%s/rebuild-worlds", run->directory);
    fm_remove_tree(removed);
    if (rename(path, removed) == 0) { /* no join is due any more */
        fm_remove_tree(removed);
    }
    snprintf(path, sizeof path, "%s/worlds", run->directory);
    rmdir(path); /* if nothing is left */
}

static void free_run(struct fm_join_run *run)
{
    for (uint32_t w = 0; run->worlds != NULL && w < run->count; w++) {
        fm_definitions_free(&run->worlds[w].set);
        fm_define_map_free(&run->worlds[w].map);
        free(run->worlds[w].content.block);
        json_decref(run->worlds[w].environment);
    }
    free(run->worlds);
    free(run->sides);
    fm_definitions_free(&run->set);
}

/* @param source  where the archive of world 0 lies
 * @param first   where it lies in the end */
static fm_status_t join(struct fm_join_run *run, const char *source, const char *first,
                        struct fm_rebuilt *result, struct fm_error *error)
{
    uint32_t lost = 0;
    fm_status_t status;
    if ((status = take_worlds(run, source, &lost, error)) != FM_OK ||
        (status = fm_join_clocks(run, error)) != FM_OK ||
        (status = fm_join_connect(run, error)) != FM_OK ||
        (status = fm_join_define(run, error)) != FM_OK) {
        return status;
    }
    snprintf(run->folder, sizeof run->folder, "%.*s/rebuild-XXXXXX", PATH_MAX - 64, run->directory);
    if (mkdtemp(run->folder) == NULL) {
        return fm_fail(error, FM_ERR_SYSTEM, "cannot join the worlds in %s: %m", run->directory);
    }
    status = write_archive(run, error);
    if (status != FM_OK) {
        fm_archive_abandon();
    } else {
        result->bytes = protect(run);
        status = fm_join_environment_write(run, lost, result, error);
    }
    status = status == FM_OK ? put_in_place(run, first, error) : status;
    fm_remove_tree(run->folder);
    return status;
}

static bool is_joined(const char *directory)
{
    return exists(directory, "traces.otf2") && exists(directory, "worlds/0/traces.otf2");
}

fm_status_t fm_join(const char *directory, uint64_t job_end, struct fm_rebuilt *result,
                    struct fm_error *error)
{
    struct fm_join_run run = {.directory = directory, .job_end = job_end};
    char first[PATH_MAX];
    fm_status_t status = FM_OK;
    snprintf(first, sizeof first, "%.*s/worlds/0", PATH_MAX - 64, directory);
    if (is_joined(directory)) {
        result->by_other = true;
    } else {
        if (exists(first, "traces.otf2") && !exists(first, "traces")) {
            status = move_first(directory, first, error); /* an interrupted join has begun to */
        }
        status = status == FM_OK ? join(&run, exists(first, "traces.otf2") ? first : directory,
                                        first, result, error)
                                 : status;
    }
    if (status == FM_OK) {
        remove_worlds(&run);
    }
    free_run(&run);
    return status;
}
