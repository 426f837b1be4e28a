/* SPDX-License-Identifier: BSD-3-Clause */
#include "import/kineto/kineto_job.h"

#include "base/containers/sort.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void fm_kineto_warn(struct fm_kineto_job *job, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) >= 0) {
        fm_vector_push(&job->warnings, text);
    }
    va_end(arguments);
}

const char *fm_kineto_name(const struct fm_kineto_job *job, uint32_t name)
{
    return name == FM_KINETO_NONE ? "" : job->names.keys[name].bytes;
}

uint64_t fm_kineto_time(const struct fm_kineto_job *job, const struct fm_kineto_trace *trace,
                        int64_t time)
{
    return (uint64_t)(time + trace->base - job->origin);
}

/* ---- files ---- */

static bool has_suffix(const char *name, const char *suffix)
{
    const size_t length = strlen(name), of = strlen(suffix);
    return length > of && strcmp(name + length - of, suffix) == 0;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static fm_status_t list_files(const char *path, struct fm_kineto_job *job, struct fm_error *error)
{
    struct stat status;
    if (stat(path, &status) == 0 && !S_ISDIR(status.st_mode)) {
        fm_vector_push(&job->paths, strdup(path));
        return FM_OK;
    }
    DIR *directory = opendir(path);
    if (directory == NULL) {
        return fm_fail(error, FM_ERR_SYSTEM, "cannot open %s: %m", path);
    }
    for (const struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        char *file = NULL;
        if ((has_suffix(entry->d_name, ".json") || has_suffix(entry->d_name, ".json.gz")) &&
            asprintf(&file, "%s/%s", path, entry->d_name) >= 0) {
            if (fm_kineto_is_trace(file)) {
                fm_vector_push(&job->paths, file);
            } else {
                free(file);
            }
        }
    }
    closedir(directory);
    if (job->paths.count == 0) {
        return fm_fail(error, FM_ERR_DATA,
                       "%s: no traces of PyTorch's profiler (*.json, *.json.gz)", path);
    }
    qsort(job->paths.items, job->paths.count, sizeof *job->paths.items, compare_paths);
    return FM_OK;
}

/* ---- ranks ---- */

/* @return the number behind "rank" in the name of a file; -1: none */
static int64_t rank_of_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    for (const char *at = name; (at = strcasestr(at, "rank")) != NULL;) {
        at += strlen("rank");
        const char *digits = at + strspn(at, "-_.=");
        if (isdigit((unsigned char)*digits)) {
            return strtoll(digits, NULL, 10);
        }
    }
    return -1;
}

static int compare_ranks(const void *a, const void *b)
{
    const struct fm_kineto_trace *left = a, *right = b;
    return left->rank < right->rank ? -1 : left->rank > right->rank;
}

static fm_status_t set_ranks(struct fm_kineto_job *job, struct fm_error *error)
{
    uint64_t by_name = 0, by_order = 0;
    for (size_t i = 0; i < job->traces.count; i++) {
        struct fm_kineto_trace *trace = &job->traces.items[i];
        if (trace->rank < 0) {
            trace->rank = rank_of_name(trace->path);
            by_name += trace->rank >= 0;
        }
    }
    for (size_t i = 0; i < job->traces.count; i++) {
        struct fm_kineto_trace *trace = &job->traces.items[i];
        if (trace->rank < 0) {
            trace->rank = (int64_t)i;
            by_order += job->traces.count > 1;
        }
    }
    if (by_name != 0) {
        fm_kineto_warn(job,
                       "%" PRIu64 " of %zu profiler traces do not state their rank "
                       "(distributedInfo): it is taken from the names of the files.",
                       by_name, job->traces.count);
    }
    if (by_order != 0) {
        fm_kineto_warn(job,
                       "%" PRIu64 " of %zu profiler traces state no rank, and neither do the names "
                       "of the files: ranks are numbered in the order of the names.",
                       by_order, job->traces.count);
    }
    fm_sort(job->traces.items, job->traces.count, sizeof *job->traces.items, compare_ranks);
    for (size_t i = 1; i < job->traces.count; i++) {
        const struct fm_kineto_trace *trace = &job->traces.items[i];
        if (trace->rank == trace[-1].rank) {
            return fm_fail(error, FM_ERR_DATA, "%s and %s: both are traces of rank %" PRId64,
                           trace[-1].path, trace->path, trace->rank);
        }
    }
    return FM_OK;
}

/* States which ranks there are, if they are not all. */
static void check_ranks(struct fm_kineto_job *job)
{
    const size_t count = job->traces.count;
    int64_t size = -1;
    bool are_numbered = true;
    char list[200] = "";
    for (size_t i = 0; i < count; i++) {
        const struct fm_kineto_trace *trace = &job->traces.items[i];
        const size_t length = strlen(list);
        size = trace->world_size > size ? trace->world_size : size;
        are_numbered = are_numbered && trace->rank == (int64_t)i;
        if (length + 24 < sizeof list) {
            snprintf(list + length, sizeof list - length, "%s%" PRId64, i > 0 ? ", " : "",
                     trace->rank);
        } else if (length + 6 < sizeof list && list[length - 1] != '.') {
            snprintf(list + length, sizeof list - length, ", ...");
        }
    }
    if (size > (int64_t)count) {
        fm_kineto_warn(job,
                       "There are traces of %zu of the %" PRId64
                       " ranks of the job: waiting for the others is not seen.",
                       count, size);
    }
    if (!are_numbered) {
        fm_kineto_warn(job, "Rank%s 0%s of this report %s rank%s %s of the job.",
                       count > 1 ? "s" : "", count > 1 ? " and up" : "", count > 1 ? "are" : "is",
                       count > 1 ? "s" : "", list);
    }
}

/* ---- times ---- */

/* Times of traces without a base are times of day. */
static void set_bases(struct fm_kineto_job *job)
{
    bool have_base = true;
    for (size_t i = 0; i < job->traces.count; i++) {
        have_base = have_base && job->traces.items[i].base != 0;
    }
    for (size_t i = 0; i < job->traces.count && !have_base; i++) {
        job->traces.items[i].base = 0;
    }
}

void fm_kineto_set_origin(struct fm_kineto_job *job)
{
    job->origin = INT64_MAX;
    for (size_t i = 0; i < job->traces.count; i++) {
        const struct fm_kineto_trace *trace = &job->traces.items[i];
        for (size_t l = 0; l < trace->lanes.count; l++) {
            const struct fm_kineto_lane *lane = &trace->lanes.items[l];
            for (size_t e = 0; e < lane->events.count; e++) {
                const int64_t begin = lane->events.items[e].begin + trace->base;
                job->origin = begin < job->origin ? begin : job->origin;
            }
        }
    }
}

static void warn_of_events(struct fm_kineto_job *job)
{
    uint64_t without_times = 0, others = 0;
    const char *kind = "";
    for (size_t i = 0; i < job->traces.count; i++) {
        const struct fm_kineto_trace *trace = &job->traces.items[i];
        without_times += trace->without_times;
        kind = others == 0 ? trace->other_kind : kind;
        others += trace->of_other_kinds;
    }
    if (without_times != 0) {
        fm_kineto_warn(job, "%" PRIu64 " events without usable times are left out.", without_times);
    }
    if (others != 0) {
        fm_kineto_warn(job,
                       "%" PRIu64 " events of categories that are not known are left out (%s%s).",
                       others, kind, others > 1 ? ", ..." : "");
    }
}

fm_status_t fm_kineto_job_read(const char *path, struct fm_kineto_job *job, struct fm_error *error)
{
    fm_status_t status = list_files(path, job, error);
    for (size_t i = 0; i < job->paths.count && status == FM_OK; i++) {
        struct fm_kineto_trace trace;
        status = fm_kineto_trace_read(job->paths.items[i], &job->names, &trace, error);
        if (status == FM_OK && trace.lanes.count == 0) {
            fm_kineto_warn(job, "%s has no events: it is left out.", job->paths.items[i]);
        }
        if (status != FM_OK || trace.lanes.count == 0) {
            fm_kineto_trace_free(&trace);
            continue;
        }
        fm_vector_push(&job->traces, trace);
    }
    if (status == FM_OK && job->traces.count == 0) {
        status = fm_fail(error, FM_ERR_DATA, "%s: the profiler traces have no events", path);
    }
    if (status == FM_OK) {
        status = set_ranks(job, error);
    }
    if (status == FM_OK) {
        check_ranks(job);
        set_bases(job);
        fm_kineto_set_origin(job);
        warn_of_events(job);
    }
    return status;
}

void fm_kineto_job_free(struct fm_kineto_job *job)
{
    for (size_t i = 0; i < job->traces.count; i++) {
        fm_kineto_trace_free(&job->traces.items[i]);
    }
    for (size_t i = 0; i < job->paths.count; i++) {
        free(job->paths.items[i]);
    }
    for (size_t i = 0; i < job->warnings.count; i++) {
        free(job->warnings.items[i]);
    }
    fm_vector_free(&job->traces);
    fm_vector_free(&job->paths);
    fm_vector_free(&job->warnings);
    fm_key_table_clear(&job->names);
}
