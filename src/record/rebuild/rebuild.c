#include "record/rebuild/rebuild.h"

#include "base/files/file_tree.h"
#include "record/archive/archive_space.h"
#include "record/archive/attribute.h"
#include "record/archive/marker.h"
#include "record/experiment/experiment.h"
#include "record/journal/journal_read.h"
#include "record/paradigm/alone.h"
#include "record/rebuild/journal_load.h"
#include "record/rebuild/missing.h"
#include "record/stack/resolve.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the journals ---- */

/* A process of the run. */
struct process {
    bool known;                        /* the process has a usable journal */
    struct fm_journal_process journal; /* of a known process */
    struct fm_define_map map;          /* from its numbers to those of the merged set */
    uint32_t *regions;                 /* global number of each function */
    struct fm_define_map sites;        /* from its call sites to those of all processes */
    struct fm_callsites callsites;
    struct fm_event_regions events;
    size_t region_count;
    struct fm_thread *threads; /* by index; at least one */
    uint32_t thread_count;
    uint64_t last_time;
    bool saved;
    uint64_t end; /* time at which it ended regularly; 0: unknown */
};

struct rebuild {
    const char *directory;
    char folder[PATH_MAX]; /* where the archive is written */
    struct process *processes;
    uint32_t size;
    struct fm_definitions set;
    struct fm_definitions sites,
        resolved;                         /* call sites of all processes, unresolved and resolved */
    struct fm_journal_moment last_moment; /* the reading farthest from the start of its process */
    struct fm_journal_process clock;      /* that process */
    uint64_t max_size;                    /* of the experiment; UINT64_MAX: no limit */
    struct fm_thinning thinning;          /* the iterations that all processes have kept */
    uint32_t limited;                     /* processes that reached the limit */
    struct fm_rebuilt *result;
};

static bool exists(const char *directory, const char *name)
{
    char path[PATH_MAX];
    struct stat status;
    return snprintf(path, sizeof path, "%s/%s", directory, name) < (int)sizeof path &&
           lstat(path, &status) == 0;
}

bool fm_rebuild_is_due(const char *directory)
{
    return exists(directory, "journal") && !exists(directory, "traces.otf2");
}

static bool is_journal(const char *name, unsigned *rank)
{
    int end = 0;
    return sscanf(name, "%u.def%n", rank, &end) == 1 && end > 0 && name[end] == '\0';
}

/* The number of processes, as stated by any of them. */
static fm_status_t find_size(struct rebuild *r, struct fm_error *error)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/journal", r->directory);
    DIR *folder = opendir(path);
    if (folder == NULL) {
        return fm_fail(error, FM_ERR_SYSTEM, "cannot read %s: %m", path);
    }
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        struct fm_process_journal journal;
        unsigned rank;
        if (!is_journal(entry->d_name, &rank)) {
            continue;
        }
        fm_journal_path(path, sizeof path, r->directory, rank, -1);
        if (fm_journal_load(path, &journal)) {
            r->size = journal.process.size;
            fm_journal_unload(&journal);
            break;
        }
    }
    closedir(folder);
    return r->size != 0 ? FM_OK
                        : fm_fail(error, FM_ERR_DATA,
                                  "%s/journal: no process left a usable journal", r->directory);
}

/* Upper bound for the entries of a mapping table: a definition takes at least two words in the
 * journal. */
static uint64_t longest_mapping(const struct rebuild *r)
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
    return most / (2 * sizeof(uint32_t));
}

/* Determines the number of threads from the largest index of an event file, because a thread that
 * has never flushed has no file. Thread indices are dense. */
static fm_status_t count_threads(struct rebuild *r, struct fm_error *error)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/journal", r->directory);
    DIR *folder = opendir(path);
    if (folder == NULL) {
        return fm_fail(error, FM_ERR_SYSTEM, "cannot read %s: %m", path);
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
        struct process *process = &r->processes[rank];
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

/* Checks that the file system has space for `bytes`, so that closing a file does not fail. */
static void need_room(const struct rebuild *r, uint64_t bytes)
{
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/room", r->folder);
    if (fm_archive_failure() != NULL) {
        return;
    }
    if (fm_archive_reserve(path, bytes)) {
        unlink(path);
    } else {
        fm_archive_fail("%s", strerror(errno));
    }
}

/* ---- call sites ---- */

static fm_status_t collect_sites(struct rebuild *r, struct fm_error *error)
{
    char path[PATH_MAX];
    bool good = true;
    for (uint32_t rank = 0; good && rank < r->size; rank++) {
        struct fm_process_journal journal;
        fm_journal_path(path, sizeof path, r->directory, rank, -1);
        if (fm_journal_load(path, &journal)) {
            good = fm_callsites_merge(&r->sites, &journal.sites, &r->processes[rank].sites);
            fm_thinning_combine(&r->thinning, &journal.thinning);
            fm_journal_unload(&journal);
        }
    }
    return good ? FM_OK : fm_fail(error, FM_ERR_SYSTEM, "no memory for the call sites");
}

/* The helper program is beside the preload library, in ../lib of this program's folder. */
static fm_status_t resolve_sites(struct rebuild *r, struct fm_error *error)
{
    static const char *const folders[] = {"/../lib", "/../lib/fermata"};
    char self[PATH_MAX], folder[PATH_MAX + 32], helper[PATH_MAX + 64] = "";
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(self, '/');
    for (size_t i = 0; slash != NULL && helper[0] == '\0' && i < 2; i++) {
        snprintf(folder, sizeof folder, "%.*s%s", (int)(slash - self), self, folders[i]);
        fm_resolve_helper(folder, helper, sizeof helper);
    }
    return fm_resolve(&r->sites, helper, &r->resolved)
               ? FM_OK
               : fm_fail(error, FM_ERR_SYSTEM, "no memory for the names of functions");
}

static bool make_callsites(struct rebuild *r, struct process *process,
                           struct fm_process_journal *journal)
{
    uint32_t count = (uint32_t)journal->sites.tables[FM_DEFINE_SITE].count;
    bool good = true;
    if (process->known && r->sites.tables[FM_DEFINE_SITE].count != 0) {
        uint64_t depth = journal->process.callpath_depth;
        process->callsites.deepest = depth < UINT32_MAX ? (uint32_t)depth : UINT32_MAX;
        good =
            count == process->sites.counts[FM_DEFINE_SITE] &&
            fm_callsites_make(&journal->definitions, &r->resolved,
                              process->sites.numbers[FM_DEFINE_SITE], count, &process->callsites);
    }
    fm_convert_begin(&journal->definitions, &process->callsites, &process->events,
                     journal->process.ticks_per_second);
    fm_convert_limit(&(struct fm_archive_limits){.thinning = &r->thinning,
                                                 .bytes = fm_max_size_share(r->max_size, r->size),
                                                 .functions = journal->functions,
                                                 .function_count = journal->function_count});
    return good;
}

/* ---- events ---- */

static void note_moment(struct rebuild *r, const struct process *process,
                        const struct fm_journal_moment *moment)
{
    uint64_t before = r->last_moment.nanoseconds - r->clock.start_nanoseconds;
    uint64_t now = moment->nanoseconds - process->journal.start_nanoseconds;
    if (r->last_moment.nanoseconds == 0 || now > before) {
        r->last_moment = *moment;
        r->clock = process->journal;
    }
}

static void convert_thread(struct rebuild *r, struct process *process, struct fm_thread *thread,
                           size_t functions)
{
    struct fm_journal_reader reader;
    struct fm_journal_moment moment;
    char path[PATH_MAX];
    size_t words;
    fm_journal_path(path, sizeof path, r->directory, thread->rank, thread->index);
    if (process->known && fm_journal_open(&reader, path)) {
        bool good = true;
        while (good && fm_journal_next(&reader)) {
            const uint64_t *records = fm_journal_block_records(&reader, &words, &moment);
            good = records != NULL && fm_archive_write(thread, records, words, functions);
            if (records != NULL) {
                note_moment(r, process, &moment);
            }
        }
        fm_journal_close(&reader);
    }
    if (thread->index == 0 && process->end != 0) {
        uint64_t record[FM_WORDS_PROGRAM_END] = {fm_record_header(FM_RECORD_PROGRAM_END, 0, 0),
                                                 process->end};
        fm_archive_write(thread, record, FM_WORDS_PROGRAM_END, functions);
    }
    fm_archive_settle(thread, true);
    need_room(r, fm_archive_events_bytes(thread));
    fm_archive_close_events(thread);
    if (thread->last_time > process->last_time) {
        process->last_time = thread->last_time;
    }
}

static void define_used_functions(struct process *process, struct fm_process_journal *journal,
                                  uint32_t *numbers)
{
    for (size_t i = 0; i < process->region_count; i++) {
        numbers[i] = FM_DEFINE_NONE;
        if (fm_functions_used[i]) {
            numbers[i] = fm_define_function(&journal->definitions, &journal->functions[i]);
        }
    }
}

static uint64_t global_time(const struct process *process, uint64_t time)
{
    return time + (uint64_t)process->journal.offset.offset;
}

static uint64_t marker_time(const void *process, uint64_t time)
{
    return global_time(process, time);
}

static bool merge(struct rebuild *r, struct process *process, struct fm_process_journal *journal)
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

static fm_status_t convert_process(struct rebuild *r, uint32_t rank, struct fm_error *error)
{
    struct process *process = &r->processes[rank];
    struct fm_process_journal journal;
    char path[PATH_MAX];
    fm_journal_path(path, sizeof path, r->directory, rank, -1);
    process->known = fm_journal_load(path, &journal) && journal.process.rank == rank &&
                     journal.process.size == r->size;
    if (process->known) {
        process->journal = journal.process;
        process->saved = journal.saved;
        process->end = journal.saved ? journal.saved_ticks : 0;
        process->region_count = journal.function_count;
        if (fm_journal_process_lives(&journal.process)) {
            fm_journal_unload(&journal);
            return fm_fail(error, FM_ERR_USAGE, "%s: the program still runs (process %u)",
                           r->directory, process->journal.process);
        }
    }
    bool good = make_callsites(r, process, &journal);
    fm_attributes_used = false;
    for (uint32_t t = 0; good && t < process->thread_count; t++) {
        convert_thread(r, process, &process->threads[t], process->region_count);
    }
    r->limited +=
        process->known && (fm_convert_has_exceeded() || fm_thinning_has_ended(&journal.thinning));
    good = good && (!process->known || merge(r, process, &journal));
    fm_journal_unload(&journal);
    return good ? FM_OK : fm_fail(error, FM_ERR_DATA, "%s: the definitions are inconsistent", path);
}

/* ---- definitions ---- */

static bool define_process(struct rebuild *r, uint32_t rank)
{
    struct process *process = &r->processes[rank];
    uint32_t *words = calloc(4 + 2 * (size_t)process->thread_count, sizeof *words);
    if (words == NULL) {
        return false;
    }
    uint32_t node =
        fm_define_string(&r->set, process->known ? process->journal.host : "unknown host");
    words[0] = rank;
    words[1] = fm_define(&r->set, FM_DEFINE_NODE, &node, 1);
    words[2] = process->journal.process;
    words[3] = process->thread_count;
    for (uint32_t t = 0; t < process->thread_count; t++) {
        words[4 + 2 * t] = (uint32_t)process->threads[t].events;
        words[5 + 2 * t] = (uint32_t)(process->threads[t].events >> 32);
        r->result->events += process->threads[t].events;
    }
    r->result->locations += process->thread_count;
    uint32_t number =
        fm_define(&r->set, FM_DEFINE_PROCESS, words, 4 + 2 * (size_t)process->thread_count);
    free(words);
    return number == rank;
}

/* Ticks per second, from the longest span between two readings of both clocks. */
static uint64_t resolution(const struct rebuild *r, const json_t *environment)
{
    enum { SHORTEST = 10000000 /* nanoseconds */ };
    static const long double FASTEST = 1e12L; /* largest accepted number of ticks per second */
    uint64_t ticks = r->last_moment.ticks - r->clock.start_ticks;
    uint64_t nanoseconds = r->last_moment.nanoseconds - r->clock.start_nanoseconds;
    json_int_t told = json_integer_value(
        json_object_get(json_object_get(environment, "clock"), "ticks_per_second"));
    long double measured = (long double)ticks * 1e9L / (long double)(nanoseconds + 1) + 0.5L;
    bool usable = r->last_moment.nanoseconds != 0 && (int64_t)nanoseconds >= SHORTEST &&
                  measured >= 1 && measured < FASTEST;
    return usable ? (uint64_t)measured : told > 0 ? (uint64_t)told : 1000000000u;
}

static void summarize(const struct rebuild *r, const json_t *environment,
                      struct fm_archive_summary *summary)
{
    *summary =
        (struct fm_archive_summary){.resolution = resolution(r, environment), .begin = UINT64_MAX};
    for (uint32_t rank = 0; rank < r->size; rank++) {
        const struct process *process = &r->processes[rank];
        if (!process->known) {
            continue;
        }
        uint64_t begin = global_time(process, process->journal.start_ticks);
        uint64_t end = global_time(process, process->last_time);
        if (begin < summary->begin) {
            summary->begin = begin;
            summary->realtime = process->journal.start_realtime;
        }
        summary->end = end > summary->end ? end : summary->end;
    }
    summary->end = summary->end < summary->begin ? summary->begin : summary->end;
    summary->end += 1;
}

/* Whether locations may have been reused: the journals do not state it. */
static bool has_threads(const struct rebuild *r)
{
    bool found = false;
    for (uint32_t rank = 0; rank < r->size; rank++) {
        found = found || r->processes[rank].thread_count > 1;
    }
    return found;
}

static void describe_missing(struct rebuild *r, const struct fm_archive_summary *summary,
                             const json_t *environment)
{
    const json_t *limits = json_object_get(environment, "limits_hit");
    const char *failure = json_string_value(json_object_get(limits, "failure"));
    struct fm_process_end *ends = calloc(r->size, sizeof *ends);
    for (uint32_t rank = 0; ends != NULL && rank < r->size; rank++) {
        const struct process *process = &r->processes[rank];
        uint64_t last = global_time(process, process->last_time);
        ends[rank] = (struct fm_process_end){.rank = rank,
                                             .known = process->known,
                                             .saved = process->saved,
                                             .seconds = last > summary->begin
                                                            ? (double)(last - summary->begin) /
                                                                  (double)summary->resolution
                                                            : 0};
    }
    if (ends != NULL) {
        bool partly = json_object_get(environment, "recorded") != NULL;
        fm_missing_describe(ends, r->size, partly, fm_archive_last_call(&r->set), failure,
                            r->result->missing, sizeof r->result->missing);
    }
    free(ends);
    if (r->limited != 0) {
        size_t length = strlen(r->result->missing);
        snprintf(r->result->missing + length, sizeof r->result->missing - length,
                 "; recording paused at the size limit in %u of %u processes", r->limited, r->size);
    }
}

/* Adds to environment.json what the size limit has left of the phases. */
static void describe_thinning(struct rebuild *r, json_t *environment)
{
    const char *before = json_string_value(json_object_get(environment, "recorded"));
    char text[4096], limit[32];
    snprintf(text, sizeof text, "%.1000s", before != NULL ? before : "");
    bool any = false;
    for (uint32_t i = 0; i < r->set.tables[FM_DEFINE_REGION].count; i++) {
        const uint32_t *words = fm_defined(&r->set, FM_DEFINE_REGION, i, NULL);
        if ((words[3] & OTF2_REGION_FLAG_PHASE) != 0) {
            any = fm_thinning_describe(&r->thinning, fm_defined_string(&r->set, words[0]),
                                       UINT64_MAX, text, sizeof text) ||
                  any;
        }
    }
    if (any && environment != NULL) {
        size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, " (max-size %s)",
                 fm_max_size_text(r->max_size, limit, sizeof limit));
        json_object_set_new(environment, "recorded", json_string(text));
    }
}

static fm_status_t write_archive(struct rebuild *r, json_t *environment, struct fm_error *error)
{
    struct fm_archive_summary summary;
    fm_status_t status = FM_OK;
    if (!fm_archive_open(r->folder, &fm_exchange_alone, longest_mapping(r))) {
        return fm_fail(error, FM_ERR_SYSTEM, "cannot write %s: %s", r->folder,
                       fm_archive_failure());
    }
    status = collect_sites(r, error);
    if (status == FM_OK) {
        status = resolve_sites(r, error);
    }
    for (uint32_t rank = 0; rank < r->size && status == FM_OK; rank++) {
        status = convert_process(r, rank, error);
    }
    for (uint32_t rank = 0; rank < r->size && status == FM_OK; rank++) {
        if (!define_process(r, rank)) {
            status = fm_fail(error, FM_ERR_SYSTEM, "no memory for the definitions");
        }
    }
    if (status != FM_OK) {
        return status;
    }
    summarize(r, environment, &summary);
    if (summary.resolution == 0) {
        return fm_fail(error, FM_ERR_DATA, "%s/journal: the clock is not known", r->directory);
    }
    if (fm_archive_failure() == NULL) {
        fm_archive_end_events();
        fm_archive_begin_definitions();
    }
    for (uint32_t rank = 0; rank < r->size && fm_archive_failure() == NULL; rank++) {
        struct process *process = &r->processes[rank];
        struct fm_clock_offset offsets[2] = {process->journal.offset, process->journal.offset};
        offsets[1].time =
            process->last_time > offsets[0].time ? process->last_time : offsets[0].time + 1;
        need_room(r, fm_archive_local_bytes(&process->map, process->region_count, &process->events,
                                            fm_archive_chunk()) *
                         process->thread_count);
        fm_archive_write_local(process->threads, &process->map, fm_archive_first_group(&r->set),
                               process->regions, process->region_count, &process->events, offsets);
    }
    if (fm_archive_failure() == NULL) {
        fm_archive_end_definitions();
        need_room(r, fm_archive_global_bytes(&r->set, fm_archive_chunk()));
    }
    if (fm_archive_failure() == NULL) {
        fm_archive_write_global(&r->set, &summary);
    }
    if (fm_archive_failure() == NULL) {
        fm_archive_close(has_threads(r));
    }
    if (fm_archive_failure() != NULL) {
        return fm_fail(error, FM_ERR_SYSTEM,
                       "cannot complete the trace in %s: %s; make room or copy the folder, then "
                       "`fermata analyze` completes it from the journals",
                       r->directory, fm_archive_failure());
    }
    describe_missing(r, &summary, environment);
    describe_thinning(r, environment);
    if (environment != NULL) {
        json_object_set_new(json_object_get(environment, "clock"), "ticks_per_second",
                            json_integer((json_int_t)summary.resolution));
    }
    return FM_OK;
}

/* ---- the experiment ---- */

static fm_status_t move(const struct rebuild *r, const char *name, struct fm_error *error)
{
    char from[PATH_MAX + 64], to[PATH_MAX + 64];
    snprintf(from, sizeof from, "%s/%s", r->folder, name);
    snprintf(to, sizeof to, "%s/%s", r->directory, name);
    fm_remove_tree(to); /* of an archive that was not completed */
    return rename(from, to) == 0 ? FM_OK
                                 : fm_fail(error, FM_ERR_SYSTEM, "cannot rename %s: %m", from);
}

/* Without these entries readers would take the archive for a complete one. */
static fm_status_t note_in_environment(const struct rebuild *r, json_t *environment,
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

static void free_rebuild(struct rebuild *r)
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

static fm_status_t put_in_place(struct rebuild *r, json_t *environment, struct fm_error *error)
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
    status = status == FM_OK ? move(r, "traces.otf2", error) : status;
    if (status == FM_OK) {
        snprintf(path, sizeof path, "%s/journal", r->directory);
        fm_remove_tree(path);
        fm_experiment_log(r->directory, "rebuilt from the journals: %s", r->result->missing);
    }
    return status;
}

/* Waits until no other process rebuilds the same experiment. @return a descriptor that holds the
 * lock until it is closed; -1: this file system has no locks */
static int lock(const char *directory)
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

static fm_status_t rebuild(const char *directory, struct fm_rebuilt *result, struct fm_error *error)
{
    struct rebuild r = {.directory = directory, .result = result};
    char path[PATH_MAX + 64];
    json_error_t reason;
    if (snprintf(r.folder, sizeof r.folder, "%s/rebuild-XXXXXX", directory) >=
        (int)sizeof r.folder - 64) {
        return fm_fail(error, FM_ERR_USAGE, "the path of the experiment is too long");
    }
    fm_status_t status = find_size(&r, error);
    if (status == FM_OK) {
        result->processes = r.size;
        r.processes = calloc(r.size, sizeof *r.processes);
        status = r.processes == NULL
                     ? fm_fail(error, FM_ERR_SYSTEM, "no memory for %u processes", r.size)
                     : count_threads(&r, error);
    }
    if (status == FM_OK && mkdtemp(r.folder) == NULL) {
        status = fm_fail(error, FM_ERR_SYSTEM, "cannot complete the trace in %s: %m", directory);
    } else if (status == FM_OK) {
        snprintf(path, sizeof path, "%s/environment.json", directory);
        json_t *environment = json_load_file(path, 0, &reason);
        json_int_t most = json_integer_value(json_object_get(environment, "max_size_bytes"));
        r.max_size = most > 0 ? (uint64_t)most : UINT64_MAX;
        fm_thinning_begin(&r.thinning);
        status = write_archive(&r, environment, error);
        if (status == FM_OK) {
            status = put_in_place(&r, environment, error);
        } else {
            fm_archive_abandon();
        }
        json_decref(environment);
        fm_remove_tree(r.folder);
    }
    free_rebuild(&r);
    return status;
}

fm_status_t fm_rebuild(const char *directory, struct fm_rebuilt *result, struct fm_error *error)
{
    fm_status_t status = FM_OK;
    memset(result, 0, sizeof *result);
    int file = lock(directory);
    if (exists(directory, "traces.otf2")) {
        result->by_other = true;
    } else {
        remove_remains(directory);
        status = rebuild(directory, result, error);
    }
    if (file >= 0) {
        close(file);
    }
    return status;
}
