/* SPDX-License-Identifier: BSD-3-Clause */
#include "counters/counter_job.h"

#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static fm_status_t add_file(struct fm_counter_job *job, const char *path, struct fm_error *error)
{
    char why[512];
    fermata_counters_t *file = fermata_counters_open(path, why, sizeof why);
    if (file == NULL) {
        return fm_fail(error, FM_ERR_DATA, "%s", why);
    }
    job->files = fm_resize(job->files, job->ranks * sizeof *job->files,
                           (job->ranks + 1) * sizeof *job->files);
    job->world_of = fm_resize(job->world_of, job->ranks * sizeof *job->world_of,
                              (job->ranks + 1) * sizeof *job->world_of);
    job->world_of[job->ranks] = job->world_count;
    job->files[job->ranks++] = file;
    return FM_OK;
}

static int by_rank(const void *left, const void *right)
{
    unsigned a = fermata_counters_rank(*(fermata_counters_t *const *)left);
    unsigned b = fermata_counters_rank(*(fermata_counters_t *const *)right);
    return (a > b) - (a < b);
}

static bool is_file_of_rank(const char *name)
{
    return strncmp(name, "rank.", 5) == 0 && strspn(name + 5, "0123456789") == strlen(name + 5);
}

/* The files from `first` on are those of a further world. */
static void add_world(struct fm_counter_job *job, unsigned number, const char *folder, size_t first)
{
    qsort(job->files + first, job->ranks - first, sizeof *job->files, by_rank);
    job->worlds = fm_resize(job->worlds, job->world_count * sizeof *job->worlds,
                            (job->world_count + 1) * sizeof *job->worlds);
    const struct fm_job_world *last =
        job->world_count > 0 ? &job->worlds[job->world_count - 1] : NULL;
    job->worlds[job->world_count++] =
        (struct fm_job_world){.number = number,
                              .first = last != NULL ? last->first + last->size : 0,
                              .size = fermata_counters_size(job->files[first]),
                              .folder = folder != NULL ? fm_copy_string(folder) : NULL};
}

static fm_status_t add_folder(struct fm_counter_job *job, unsigned number, const char *folder,
                              struct fm_error *error)
{
    fm_status_t status = FM_OK;
    size_t first = job->ranks;
    DIR *directory = opendir(folder);
    if (directory == NULL) {
        return fm_fail(error, FM_ERR_DATA, "%s: %m", folder);
    }
    for (struct dirent *entry; status == FM_OK && (entry = readdir(directory)) != NULL;) {
        char path[PATH_MAX];
        if (is_file_of_rank(entry->d_name)) {
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
            status = add_file(job, path, error);
        }
    }
    closedir(directory);
    if (job->ranks > first) {
        add_world(job, number, folder, first);
    } else if (status == FM_OK) {
        status = fm_fail(error, FM_ERR_DATA, "%s has no counters of processes", folder);
    }
    return status;
}

static size_t files_in(const char *folder)
{
    size_t count = 0;
    DIR *directory = opendir(folder);
    for (struct dirent *entry; directory != NULL && (entry = readdir(directory)) != NULL;) {
        count += is_file_of_rank(entry->d_name);
    }
    if (directory != NULL) {
        closedir(directory);
    }
    return count;
}

static int by_number(const void *left, const void *right)
{
    unsigned a = *(const unsigned *)left, b = *(const unsigned *)right;
    return (a > b) - (a < b);
}

/* The numbers of the spawned worlds of an experiment, ascending; to be freed. */
static unsigned *spawned_worlds(const char *path, size_t *count)
{
    char folder[PATH_MAX];
    unsigned *numbers = NULL;
    snprintf(folder, sizeof folder, "%s/worlds", path);
    DIR *directory = opendir(folder);
    *count = 0;
    for (struct dirent *entry; directory != NULL && (entry = readdir(directory)) != NULL;) {
        unsigned long number = strtoul(entry->d_name, NULL, 10);
        if (number > 0 && number < UINT_MAX &&
            strspn(entry->d_name, "0123456789") == strlen(entry->d_name)) {
            numbers = fm_resize(numbers, *count * sizeof *numbers, (*count + 1) * sizeof *numbers);
            numbers[(*count)++] = (unsigned)number;
        }
    }
    if (directory != NULL) {
        closedir(directory);
    }
    if (*count > 0) {
        qsort(numbers, *count, sizeof *numbers, by_number);
    }
    return numbers;
}

static fm_status_t add_spawned(struct fm_counter_job *job, const char *path, struct fm_error *error)
{
    size_t count;
    unsigned *numbers = spawned_worlds(path, &count);
    fm_status_t status = FM_OK;
    for (size_t i = 0; status == FM_OK && i < count; i++) {
        char folder[PATH_MAX];
        snprintf(folder, sizeof folder, "%s/worlds/%u/counters", path, numbers[i]);
        if (files_in(folder) > 0) {
            status = add_folder(job, numbers[i], folder, error);
        }
    }
    fm_free(numbers);
    return status;
}

static fm_status_t add_path(struct fm_counter_job *job, const char *path, struct fm_error *error)
{
    char folder[PATH_MAX];
    struct stat about;
    if (stat(path, &about) != 0) {
        return fm_fail(error, FM_ERR_SYSTEM, "%s: %m", path);
    }
    if (!S_ISDIR(about.st_mode)) {
        fm_status_t status = add_file(job, path, error);
        if (status == FM_OK) {
            add_world(job, 0, NULL, 0);
        }
        return status;
    }
    snprintf(folder, sizeof folder, "%s/counters", path);
    if (stat(folder, &about) == 0 && S_ISDIR(about.st_mode)) {
        fm_status_t status = add_folder(job, 0, folder, error);
        return status == FM_OK ? add_spawned(job, path, error) : status;
    }
    return files_in(path) > 0
               ? add_folder(job, 0, path, error)
               : fm_fail(error, FM_ERR_DATA,
                         "%s has no counters: record the program with --counters", path);
}

/* Position of a counter in a file: mostly that in the job. -1: the file does not have it. */
static int place_in(const fermata_counters_t *file, size_t guess, const char *name)
{
    if (guess < fermata_counters_number(file) &&
        strcmp(fermata_counters_info(file, guess)->name, name) == 0) {
        return (int)guess;
    }
    return fermata_counters_find(file, name);
}

/* Position of a counter among the first `known` of the job; `known` if it is not there. */
static size_t listed_at(const struct fm_counter_job *job, size_t known, size_t guess,
                        const char *name)
{
    if (guess < known && strcmp(job->counters[guess].name, name) == 0) {
        return guess;
    }
    for (size_t i = 0; i < known; i++) {
        if (strcmp(job->counters[i].name, name) == 0) {
            return i;
        }
    }
    return known;
}

/* Makes the list of counters that some process has. Files have thousands of counters, mostly the
 * same ones in the same order: each is looked for behind the one before it. */
static void list_counters(struct fm_counter_job *job)
{
    fm_free(job->counters);
    job->counters = NULL;
    job->count = 0;
    for (size_t rank = 0; rank < job->ranks; rank++) {
        size_t count = fermata_counters_number(job->files[rank]);
        size_t known = job->count; /* those of the file itself have different names */
        size_t guess = 0;
        for (size_t i = 0; i < count; i++) {
            const fermata_counter_info_t *info = fermata_counters_info(job->files[rank], i);
            size_t at = listed_at(job, known, guess, info->name);
            if (at < known) {
                guess = at + 1;
                continue;
            }
            job->counters = fm_resize(job->counters, job->count * sizeof *job->counters,
                                      (job->count + 1) * sizeof *job->counters);
            job->counters[job->count++] =
                (struct fm_job_counter){.name = info->name,
                                        .unit = info->unit,
                                        .kind = (enum fm_counter_kind)info->kind,
                                        .bins = info->bins,
                                        .boundary = info->boundary,
                                        .is_selected = info->selected != 0};
        }
    }
}

fm_status_t fm_counter_job_open(const char *path, struct fm_counter_job *job,
                                struct fm_error *error)
{
    *job = (struct fm_counter_job){0};
    fm_status_t status = add_path(job, path, error);
    if (status != FM_OK) {
        fm_counter_job_close(job);
        return status;
    }
    job->path = fm_copy_string(path);
    list_counters(job);
    return FM_OK;
}

bool fm_counter_job_take_others(struct fm_counter_job *job)
{
    struct fm_counter_job other;
    size_t count, files = 0;
    char folder[PATH_MAX];
    if (job->worlds[0].folder == NULL) {
        return false;
    }
    files = files_in(job->worlds[0].folder);
    unsigned *numbers = spawned_worlds(job->path, &count);
    for (size_t i = 0; i < count; i++) {
        snprintf(folder, sizeof folder, "%s/worlds/%u/counters", job->path, numbers[i]);
        files += files_in(folder);
    }
    fm_free(numbers);
    if (files <= job->ranks || fm_counter_job_open(job->path, &other, NULL) != FM_OK) {
        return false;
    }
    fm_counter_job_close(job);
    *job = other;
    return true;
}

unsigned fm_counter_job_rank(const struct fm_counter_job *job, size_t position)
{
    return job->worlds[job->world_of[position]].first + fermata_counters_rank(job->files[position]);
}

unsigned fm_counter_job_size(const struct fm_counter_job *job)
{
    const struct fm_job_world *last = &job->worlds[job->world_count - 1];
    return last->first + last->size;
}

char *fm_counter_job_file(const struct fm_counter_job *job, size_t position, const char *name,
                          char *path, size_t size)
{
    const char *folder = job->worlds[job->world_of[position]].folder;
    snprintf(path, size, "%s/%s.%u", folder != NULL ? folder : ".", name,
             fermata_counters_rank(job->files[position]));
    return path;
}

size_t fm_counter_job_read(struct fm_counter_job *job)
{
    size_t interrupted = 0;
    for (size_t rank = 0; rank < job->ranks; rank++) {
        interrupted += fermata_counters_read(job->files[rank]) == 1;
    }
    list_counters(job);
    return interrupted;
}

void fm_counter_job_close(struct fm_counter_job *job)
{
    for (size_t rank = 0; rank < job->ranks; rank++) {
        fermata_counters_close(job->files[rank]);
    }
    for (size_t world = 0; world < job->world_count; world++) {
        fm_free(job->worlds[world].folder);
    }
    fm_free(job->path);
    fm_free(job->worlds);
    fm_free(job->world_of);
    fm_free(job->files);
    fm_free(job->counters);
    *job = (struct fm_counter_job){0};
}

bool fm_counter_job_value(const struct fm_counter_job *job, size_t rank, size_t counter, int bin,
                          double *value)
{
    const fermata_counters_t *file = job->files[rank];
    int place = place_in(file, counter, job->counters[counter].name);
    if (place < 0) {
        return false;
    }
    *value = bin >= 0 ? (double)fermata_counters_bin(file, (size_t)place, (unsigned)bin)
                      : fermata_counters_real(file, (size_t)place);
    return true;
}

int fm_counter_job_place(const struct fm_counter_job *job, size_t rank, size_t counter)
{
    return place_in(job->files[rank], counter, job->counters[counter].name);
}

struct fm_counter_spread fm_counter_job_spread(const struct fm_counter_job *job, size_t counter,
                                               int bin)
{
    struct fm_counter_spread spread = {0};
    double sum = 0;
    for (size_t rank = 0; rank < job->ranks; rank++) {
        double value;
        if (!fm_counter_job_value(job, rank, counter, bin, &value)) {
            continue;
        }
        unsigned number = fm_counter_job_rank(job, rank);
        if (spread.ranks == 0 || value < spread.least) {
            spread.least = value;
            spread.least_rank = number;
        }
        if (spread.ranks == 0 || value > spread.most) {
            spread.most = value;
            spread.most_rank = number;
        }
        sum += value;
        spread.ranks++;
    }
    spread.mean = spread.ranks != 0 ? sum / (double)spread.ranks : 0;
    enum fm_counter_kind kind = job->counters[counter].kind;
    spread.total = kind == FM_COUNTER_HIGH_WATERMARK  ? spread.most
                   : kind == FM_COUNTER_LOW_WATERMARK ? spread.least
                                                      : sum;
    return spread;
}

size_t fm_counter_job_find(const struct fm_counter_job *job, const char *name)
{
    const char *source = fm_counter_source(name);
    size_t i = 0;
    source = source != NULL ? source : fm_counter_plain_name(name);
    while (i < job->count && strcmp(job->counters[i].name, source) != 0) {
        i++;
    }
    return i;
}

size_t fm_counter_job_in_state(const struct fm_counter_job *job, int state)
{
    size_t count = 0;
    for (size_t rank = 0; rank < job->ranks; rank++) {
        count += fermata_counters_state(job->files[rank]) == state;
    }
    return count;
}

uint64_t fm_counter_job_start(const struct fm_counter_job *job)
{
    uint64_t first = UINT64_MAX;
    for (size_t rank = 0; rank < job->ranks; rank++) {
        uint64_t start = fermata_counters_start(job->files[rank]);
        first = start < first ? start : first;
    }
    return first;
}
