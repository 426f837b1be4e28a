/* SPDX-License-Identifier: BSD-3-Clause */
/* What the journals of a run state about it: its processes and their threads. */
#include "record/rebuild/journal_load.h"
#include "record/rebuild/rebuild_run.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* @return the folder of the run's journals, to be closed; NULL: `error` tells why not */
static DIR *open_journals(const char *directory, struct fm_error *error)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/journal", directory);
    DIR *folder = opendir(path);
    if (folder == NULL) {
        fm_fail(error, FM_ERR_SYSTEM, "cannot read %s: %m", path);
    }
    return folder;
}

static bool is_journal(const char *name, unsigned *rank)
{
    int end = 0;
    return sscanf(name, "%u.def%n", rank, &end) == 1 && end > 0 && name[end] == '\0';
}

/* @return the number of processes, as stated by the first usable journal; 0: there is none */
static uint32_t read_size(DIR *folder, const char *directory)
{
    static struct fm_journal_process process; /* large */
    unsigned rank;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (is_journal(entry->d_name, &rank) &&
            fm_journal_load_process(directory, rank, &process)) {
            return process.size;
        }
    }
    return 0;
}

uint32_t fm_rebuild_process_count(const char *directory)
{
    DIR *folder = open_journals(directory, NULL);
    if (folder == NULL) {
        return 0;
    }
    const uint32_t size = read_size(folder, directory);
    closedir(folder);
    return size;
}

fm_status_t fm_rebuild_find_size(struct fm_rebuild_run *r, struct fm_error *error)
{
    DIR *folder = open_journals(r->directory, error);
    if (folder == NULL) {
        return FM_ERR_SYSTEM;
    }
    r->size = read_size(folder, r->directory);
    closedir(folder);
    return r->size != 0 ? FM_OK
                        : fm_fail(error, FM_ERR_DATA,
                                  "%s/journal: no process left a usable journal", r->directory);
}

uint64_t fm_rebuild_longest_mapping(const struct fm_rebuild_run *r)
{
    char path[PATH_MAX];
    struct stat status;
    uint64_t most = 0;
    for (uint32_t rank = 0; rank < r->size; rank++) {
        fm_journal_path(path, sizeof path, r->directory, rank, -1);
        if (lstat(path, &status) == 0 && (uint64_t)status.st_size > most) {
            most = (uint64_t)status.st_size;
        }
    }
    return (most + FM_BUFFER_DEFINITIONS) / (2 * sizeof(uint32_t));
}

/* Threads that have records in the buffer file only. */
static void count_in_buffers(struct fm_rebuild_run *r, uint32_t rank)
{
    static struct fm_journal_process process; /* large */
    struct fm_buffer_reader buffers;
    if (fm_journal_load_process(r->directory, rank, &process) &&
        fm_journal_open_buffers(r->directory, &process, &buffers, NULL, 0)) {
        if (buffers.thread_count > r->processes[rank].thread_count) {
            r->processes[rank].thread_count = buffers.thread_count;
        }
        fm_buffer_close(&buffers);
    }
}

/* Determines the number of threads from the largest index of an event file, because a thread that
 * has never flushed has no file. Thread indices are dense. */
fm_status_t fm_rebuild_count_threads(struct fm_rebuild_run *r, struct fm_error *error)
{
    DIR *folder = open_journals(r->directory, error);
    if (folder == NULL) {
        return FM_ERR_SYSTEM;
    }
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        unsigned rank, thread;
        int end = 0;
        if (sscanf(entry->d_name, "%u.%u.evt%n", &rank, &thread, &end) == 2 && end > 0 &&
            rank < r->size && thread < (1u << 20) && thread >= r->processes[rank].thread_count) {
            r->processes[rank].thread_count = thread + 1;
        }
    }
    closedir(folder);
    for (uint32_t rank = 0; rank < r->size; rank++) {
        struct fm_rebuild_process *process = &r->processes[rank];
        count_in_buffers(r, rank);
        process->thread_count += process->thread_count == 0;
        process->threads = calloc(process->thread_count, sizeof *process->threads);
        if (process->threads == NULL) {
            return fm_fail(error, FM_ERR_SYSTEM, "no memory for %u threads", process->thread_count);
        }
        for (uint32_t t = 0; t < process->thread_count; t++) {
            process->threads[t].rank = rank;
            process->threads[t].index = t;
            process->threads[t].next =
                t + 1 < process->thread_count ? &process->threads[t + 1] : NULL;
        }
    }
    return FM_OK;
}
