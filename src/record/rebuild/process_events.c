/* SPDX-License-Identifier: BSD-3-Clause */
/* The events of each process from the records in its journal. */
#include "record/archive/archive_space.h"
#include "record/archive/attribute.h"
#include "record/archive/marker.h"
#include "record/archive/process_teams.h"
#include "record/archive/streams.h"
#include "record/conversion/convert.h"
#include "record/rebuild/journal_load.h"
#include "record/rebuild/rebuild_run.h"
#include "record/stack/resolve.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- call sites ---- */

fm_status_t fm_rebuild_collect_sites(struct fm_rebuild_run *r, struct fm_error *error)
{
    bool good = true;
    for (uint32_t rank = 0; good && rank < r->size; rank++) {
        static struct fm_process_journal journal; /* large */
        if (fm_journal_load(r->directory, rank, &journal)) {
            good = fm_callsites_merge(&r->sites, &journal.sites, &r->processes[rank].sites);
            fm_thinning_combine(&r->thinning, &journal.thinning);
            fm_journal_unload(&journal);
        }
    }
    return good ? FM_OK : fm_fail(error, FM_ERR_SYSTEM, "no memory for the call sites");
}

/* The helper program is beside the preload library, in ../lib of this program's folder. */
static void find_helper(char *helper, size_t size)
{
    static const char *const folders[] = {"/../lib", "/../lib/fermata"};
    char self[PATH_MAX], folder[PATH_MAX + 32];
    helper[0] = '\0';
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(self, '/');
    for (size_t i = 0; slash != NULL && helper[0] == '\0' && i < 2; i++) {
        snprintf(folder, sizeof folder, "%.*s%s", (int)(slash - self), self, folders[i]);
        fm_resolve_helper(folder, helper, size);
    }
}

fm_status_t fm_rebuild_resolve_sites(struct fm_rebuild_run *r, struct fm_error *error)
{
    find_helper(r->helper, sizeof r->helper);
    return fm_resolve(&r->sites, r->helper, &r->resolved)
               ? FM_OK
               : fm_fail(error, FM_ERR_SYSTEM, "no memory for the names of functions");
}

static bool make_callsites(struct fm_rebuild_run *r, struct fm_rebuild_process *process,
                           struct fm_process_journal *journal)
{
    uint32_t count = (uint32_t)journal->sites.tables[FM_DEFINE_SITE].count;
    bool good = true;
    if (process->known && r->sites.tables[FM_DEFINE_SITE].count != 0) {
        process->callsites.deepest = journal->process.callpath_depth;
        process->callsites.whole = journal->process.callpath_whole != 0;
        good =
            count == process->sites.counts[FM_DEFINE_SITE] &&
            fm_callsites_make(&journal->definitions, &r->resolved,
                              process->sites.numbers[FM_DEFINE_SITE], count, &process->callsites);
    }
    fm_convert_begin(&journal->definitions, &process->callsites, &process->events,
                     journal->process.ticks_per_second);
    fm_convert_limit(&(struct fm_archive_limits){.thinning = &r->thinning,
                                                 .bytes = fm_max_size_share(r->max_size, 1),
                                                 .functions = journal->functions,
                                                 .function_count = journal->function_count});
    return good;
}

/* ---- events ---- */

static void convert_thread(struct fm_rebuild_run *r, struct fm_rebuild_process *process,
                           struct fm_process_journal *journal, struct fm_thread *thread)
{
    if (process->known) {
        process->whole = fm_rebuild_write_records(r, process, journal, thread) && process->whole;
    }
    const bool is_in_call =
        process->known && !thread->is_stream && fm_rebuild_write_open(r, process, journal, thread);
    if (is_in_call && !process->ended &&
        process->alive.ticks >= thread->last_time + journal->process.ticks_per_second) {
        r->result->long_calls++;
    }
    if (thread->index == 0 && process->end != 0 && !is_in_call) {
        uint64_t record[FM_WORDS_PROGRAM_END] = {fm_record_header(FM_RECORD_PROGRAM_END, 0, 0),
                                                 process->end};
        fm_archive_write(thread, record, FM_WORDS_PROGRAM_END, process->region_count);
    }
    if (is_in_call || (process->known && !process->ended)) {
        fm_archive_settle_killed(thread);
    } else {
        fm_archive_settle(thread, true);
    }
    fm_rebuild_need_room(r, fm_archive_events_bytes(thread));
    fm_archive_close_events(thread);
    if (thread->last_time > process->last_time) {
        process->last_time = thread->last_time;
    }
}

static void define_used_functions(struct fm_rebuild_process *process,
                                  struct fm_process_journal *journal, uint32_t *numbers)
{
    for (size_t i = 0; i < process->region_count; i++) {
        numbers[i] = FM_DEFINE_NONE;
        if (fm_functions_used[i]) {
            numbers[i] = fm_define_function(&journal->definitions, &journal->functions[i]);
        }
    }
}

static uint64_t marker_time(const void *process, uint64_t time)
{
    return fm_rebuild_global_time(process, time);
}

static bool merge(struct fm_rebuild_run *r, struct fm_rebuild_process *process,
                  struct fm_process_journal *journal)
{
    size_t bytes;
    process->regions = calloc(process->region_count + 1, sizeof *process->regions);
    if (process->regions == NULL) {
        return false;
    }
    define_used_functions(process, journal, process->regions);
    for (size_t i = 0; i < journal->paradigm_count; i++) {
        if (fm_define_paradigm(&journal->definitions, &journal->paradigms[i]) == FM_DEFINE_NONE) {
            return false;
        }
    }
    if (fm_attributes_used && !fm_attributes_define(&journal->definitions)) {
        return false;
    }
    if (!fm_teams_define(journal->process.rank) || !fm_rebuild_define_objects(journal, r->helper)) {
        return false;
    }
    if (!fm_streams_define(&journal->definitions, journal->process.rank)) {
        return false;
    }
    if (!fm_markers_define(&journal->definitions, journal->process.rank, marker_time, process)) {
        return false;
    }
    void *block = fm_definitions_pack(&journal->definitions, &bytes);
    bool good = block != NULL && fm_definitions_merge(&r->set, block, bytes, &process->map);
    free(block);
    for (size_t i = 0; good && i < process->region_count; i++) {
        if (process->regions[i] != FM_DEFINE_NONE) {
            process->regions[i] = process->map.numbers[FM_DEFINE_REGION][process->regions[i]];
        }
    }
    return good;
}

/* Whether the experiment is a copy of that to which the process records (look.h). */
static bool is_copy(const struct fm_rebuild_run *r, const struct fm_process_journal *journal)
{
    return journal->has_buffers &&
           !fm_rebuild_is_same_folder(journal->buffers.head.directory, r->directory);
}

/* Whether a process that ended by itself did so clearly before its job: a process alone always has.
 */
static bool ends_before_job(const struct fm_rebuild_run *r,
                            const struct fm_rebuild_process *process,
                            const struct fm_process_journal *journal)
{
    enum { CLEARLY = 2 /* seconds */ };
    const uint64_t resolution = journal->process.ticks_per_second;
    const uint64_t job_end = fm_rebuild_job_end(r, process, resolution);
    return r->size == 1 || job_end == 0 || process->end + CLEARLY * resolution < job_end;
}

fm_status_t fm_rebuild_convert_process(struct fm_rebuild_run *r, uint32_t rank,
                                       struct fm_error *error)
{
    struct fm_rebuild_process *process = &r->processes[rank];
    static struct fm_process_journal journal; /* large */
    process->known = fm_journal_load(r->directory, rank, &journal) &&
                     journal.process.rank == rank && journal.process.size == r->size;
    if (process->known) {
        process->journal = journal.process;
        process->saved = journal.saved;
        process->whole = journal.saved || (journal.has_buffers && journal.buffers.is_whole);
        process->end = journal.saved ? journal.saved_ticks : 0;
        process->region_count = journal.function_count;
        if (fm_journal_process_lives(&journal.process) && !is_copy(r, &journal)) {
            fm_journal_unload(&journal);
            return fm_fail(error, FM_ERR_USAGE, "%s: the program still runs (process %u)",
                           r->directory, process->journal.process);
        }
    }
    if (process->known && journal.has_buffers && journal.buffers.head.flight != 0) {
        process->flight_begin = fm_rebuild_flight_begin(r, process, &journal);
    }
    bool good = make_callsites(r, process, &journal);
    fm_attributes_used = false;
    for (uint32_t t = 0; good && process->known && t < process->thread_count; t++) {
        fm_rebuild_declare_if_stream(r, &journal, &process->threads[t]);
    }
    process->ended = process->saved && ends_before_job(r, process, &journal);
    for (uint32_t t = 0; process->ended && t < process->thread_count; t++) {
        process->ended = process->threads[t].is_stream ||
                         !fm_rebuild_ends_in_library(r, &journal, &process->threads[t]);
    }
    for (uint32_t t = 0; good && t < process->thread_count; t++) {
        if (!process->threads[t].is_stream) {
            convert_thread(r, process, &journal, &process->threads[t]);
        }
    }
    for (uint32_t t = 0; good && t < process->thread_count; t++) { /* behind their launches */
        if (process->threads[t].is_stream) {
            convert_thread(r, process, &journal, &process->threads[t]);
        }
    }
    r->limited +=
        process->known && (fm_convert_has_exceeded() || fm_thinning_has_ended(&journal.thinning));
    good = good && (!process->known || merge(r, process, &journal));
    fm_journal_unload(&journal);
    return good ? FM_OK
                : fm_fail(error, FM_ERR_DATA, "%s/journal/%u.def: the definitions are inconsistent",
                          r->directory, rank);
}
