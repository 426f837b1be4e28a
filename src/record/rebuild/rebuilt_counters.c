/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/rebuild/rebuilt_counters.h"

#include "base/files/file_tree.h"
#include "record/counting/closing/kept_tables.h"
#include "record/counting/profile/profile_file.h"
#include "record/counting/traffic/peer_traffic_file.h"
#include "record/experiment/experiment.h"
#include "record/rebuild/journal_load.h"
#include "record/rebuild/rebuild_run.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

bool fm_rebuild_counters_is_due(const char *directory)
{
    char path[PATH_MAX];
    struct stat status;
    return snprintf(path, sizeof path, "%s/counters/journal", directory) < (int)sizeof path &&
           lstat(path, &status) == 0;
}

/* ---- the tables of a thread ---- */

/* The process was ended while it changed them: what is not whole is left out. */
static void mend_profile(struct fm_call_profile *profile, uint32_t sites)
{
    if (profile->node_count > FM_PROFILE_NODES) {
        profile->node_count = FM_PROFILE_NODES;
    }
    if (profile->entry_count > FM_PROFILE_ENTRIES) {
        profile->entry_count = FM_PROFILE_ENTRIES;
    }
    if (profile->stretch_count > FM_PROFILE_STRETCHES) {
        profile->stretch_count = FM_PROFILE_STRETCHES;
    }
    if (profile->visits.count > FM_VISITS_FUNCTIONS) {
        profile->visits.count = FM_VISITS_FUNCTIONS;
    }
    for (uint32_t i = 1; i < profile->node_count; i++) {
        if (profile->nodes[i].parent >= i || profile->nodes[i].site > sites) {
            profile->node_count = i;
        }
    }
    for (uint32_t i = 0; i < profile->entry_count; i++) {
        if (profile->entries[i].node >= profile->node_count) {
            profile->entries[i].node = 0;
        }
    }
    for (uint32_t i = 0; i < profile->stretch_count; i++) {
        if (profile->stretches[i].node >= profile->node_count) {
            profile->stretches[i].node = 0;
        }
    }
    for (uint32_t i = 0; i < profile->visits.count; i++) {
        if (profile->visits.functions[i].site > sites) {
            profile->visits.functions[i].visits = 0;
        }
    }
    /* The visits that are open end where the last call does. */
    profile->visits.depth =
        profile->visits.depth < FM_VISITS_DEEPEST ? profile->visits.depth : FM_VISITS_DEEPEST;
    for (uint32_t i = 0; i < profile->visits.depth; i++) {
        if (profile->visits.open[i].function >= profile->visits.count) {
            profile->visits.depth = i;
        }
    }
    profile->end = profile->end < profile->begin ? profile->begin : profile->end;
}

static void mend_traffic(struct fm_peer_traffic *traffic)
{
    if (traffic->count > FM_PEER_ENTRIES) {
        traffic->count = FM_PEER_ENTRIES;
    }
}

/* Maps the tables of a thread, to be changed here only. @return NULL: it has none */
static struct fm_kept_tables *open_tables(const char *experiment, uint32_t rank, uint32_t thread,
                                          uint32_t sites)
{
    char path[PATH_MAX + 64];
    struct stat status;
    struct fm_kept_tables *tables = MAP_FAILED;
    fm_kept_tables_path(path, sizeof path, experiment, rank, thread);
    int file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0) {
        return NULL;
    }
    if (fstat(file, &status) == 0 && status.st_size == (off_t)sizeof *tables) {
        tables = mmap(NULL, sizeof *tables, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    }
    close(file);
    if (tables == MAP_FAILED) {
        return NULL;
    }
    if (tables->magic != FM_KEPT_TABLES_MAGIC || tables->bytes != sizeof *tables ||
        tables->rank != rank || tables->thread != thread) {
        munmap(tables, sizeof *tables);
        return NULL;
    }
    mend_profile(&tables->profile, sites);
    mend_traffic(&tables->traffic);
    return tables;
}

/* The tables of a process. */
struct tables {
    struct fm_kept_tables *of[FM_KEPT_THREADS];
    struct fm_thread_calls calls[FM_KEPT_THREADS];
    const struct fm_peer_traffic *traffic[FM_KEPT_THREADS];
    size_t count;
};

static void open_all(struct tables *tables, const char *experiment, uint32_t rank, uint32_t sites)
{
    tables->count = 0;
    for (uint32_t thread = 0; thread < FM_KEPT_THREADS; thread++) {
        struct fm_kept_tables *own = open_tables(experiment, rank, thread, sites);
        if (own != NULL) {
            tables->of[tables->count] = own;
            tables->calls[tables->count] = (struct fm_thread_calls){thread, &own->profile};
            tables->traffic[tables->count++] = &own->traffic;
        }
    }
}

static void close_all(struct tables *tables)
{
    for (size_t i = 0; i < tables->count; i++) {
        munmap(tables->of[i], sizeof *tables->of[i]);
    }
}

/* ---- a process ---- */

/* Adds the communicators of a process to those of all. @return false without memory */
static bool merge_communicators(struct fm_rebuild_run *r, const struct fm_definitions *own,
                                struct fm_define_map *map)
{
    struct fm_definitions part = {0};
    size_t bytes;
    for (int i = 0; i < FM_TRAFFIC_KINDS; i++) {
        part.tables[fm_traffic_kinds[i]] = own->tables[fm_traffic_kinds[i]];
    }
    void *block = fm_definitions_pack(&part, &bytes);
    const bool good = block != NULL && fm_definitions_merge(&r->set, block, bytes, map);
    free(block);
    return good;
}

static bool write_files(struct fm_rebuild_run *r, const char *experiment,
                        struct fm_rebuild_process *process, struct fm_process_journal *journal)
{
    static struct tables tables; /* large */
    const uint32_t rank = journal->process.rank;
    const uint32_t sites = (uint32_t)journal->sites.tables[FM_DEFINE_SITE].count;
    process->callsites.deepest = journal->process.callpath_depth;
    process->callsites.whole = journal->process.callpath_whole != 0;
    if (!merge_communicators(r, &journal->definitions, &process->map) ||
        !fm_callsites_make(&journal->definitions, &r->resolved,
                           process->sites.numbers[FM_DEFINE_SITE], sites, &process->callsites)) {
        return false;
    }
    const struct fm_profile_names names = {.set = &journal->definitions,
                                           .callsites = &process->callsites,
                                           .functions = journal->functions,
                                           .function_count = journal->function_count,
                                           .ticks_per_second =
                                               (double)journal->process.ticks_per_second};
    const struct fm_traffic_names traffic = {.set = &journal->definitions,
                                             .map = &process->map,
                                             .functions = journal->functions,
                                             .function_count = journal->function_count};
    open_all(&tables, experiment, rank, sites);
    const bool good =
        tables.count == 0 ||
        (fm_profile_write(experiment, rank, &names, tables.calls, tables.count) &&
         fm_peer_traffic_write(experiment, rank, &traffic, tables.traffic, tables.count));
    close_all(&tables);
    return good;
}

static bool has_calls(const char *experiment, uint32_t rank)
{
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/counters/calls.%u", experiment, rank);
    return access(path, F_OK) == 0;
}

static fm_status_t complete_process(struct fm_rebuild_run *r, const char *experiment, uint32_t rank,
                                    struct fm_error *error)
{
    static struct fm_process_journal journal; /* large */
    if (!fm_journal_load(r->directory, rank, &journal)) {
        return FM_OK;
    }
    fm_status_t status = FM_OK;
    const bool is_its = journal.process.rank == rank && journal.process.size == r->size;
    if (is_its && fm_journal_process_lives(&journal.process)) {
        status = fm_fail(error, FM_ERR_USAGE, "%s: the program still runs (process %u)", experiment,
                         journal.process.process);
    } else if (is_its && !has_calls(experiment, rank) &&
               !write_files(r, experiment, &r->processes[rank], &journal)) {
        status = fm_fail(error, FM_ERR_SYSTEM, "cannot write the calls of rank %u in %s: %m", rank,
                         experiment);
    }
    fm_journal_unload(&journal);
    return status;
}

/* ---- the experiment ---- */

static fm_status_t complete(struct fm_rebuild_run *r, const char *experiment,
                            struct fm_error *error)
{
    fm_status_t status = fm_rebuild_find_size(r, error);
    if (status == FM_OK) {
        r->processes = calloc(r->size, sizeof *r->processes);
        status = r->processes == NULL
                     ? fm_fail(error, FM_ERR_SYSTEM, "no memory for %u processes", r->size)
                     : fm_rebuild_collect_sites(r, error);
    }
    status = status == FM_OK ? fm_rebuild_resolve_sites(r, error) : status;
    for (uint32_t rank = 0; rank < r->size && status == FM_OK; rank++) {
        status = complete_process(r, experiment, rank, error);
    }
    return status;
}

static void remove_kept(const struct fm_rebuild_run *r, const char *experiment)
{
    char path[PATH_MAX + 64];
    for (uint32_t rank = 0; rank < r->size; rank++) {
        fm_kept_tables_remove(experiment, rank);
    }
    snprintf(path, sizeof path, "%s/journal", r->directory);
    fm_remove_tree(path);
}

fm_status_t fm_rebuild_counters(const char *directory, struct fm_error *error)
{
    char folder[PATH_MAX + 16];
    struct fm_rebuild_run r = {.directory = folder};
    snprintf(folder, sizeof folder, "%s/counters", directory);
    fm_thinning_begin(&r.thinning);
    int file = fm_rebuild_lock(directory);
    fm_status_t status = FM_OK;
    if (fm_rebuild_counters_is_due(directory)) {
        status = complete(&r, directory, error);
        if (status == FM_OK) {
            remove_kept(&r, directory);
            fm_experiment_log(directory, "calls and traffic completed from the journals");
        }
    }
    fm_rebuild_free(&r);
    if (file >= 0) {
        close(file);
    }
    return status;
}
