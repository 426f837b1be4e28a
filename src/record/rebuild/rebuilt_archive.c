/* SPDX-License-Identifier: BSD-3-Clause */
/* The archive that is rebuilt: events, definitions, and what is missing from it. */
#include "record/archive/archive_space.h"
#include "record/paradigm/alone.h"
#include "record/rebuild/missing.h"
#include "record/rebuild/rebuild_run.h"
#include "record/worlds/world_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void fm_rebuild_need_room(const struct fm_rebuild_run *r, uint64_t bytes)
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

/* ---- definitions ---- */

static bool define_process(struct fm_rebuild_run *r, uint32_t rank)
{
    struct fm_rebuild_process *process = &r->processes[rank];
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
static uint64_t resolution(const struct fm_rebuild_run *r, const json_t *environment)
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

static void summarize(const struct fm_rebuild_run *r, const json_t *environment,
                      struct fm_archive_summary *summary)
{
    *summary =
        (struct fm_archive_summary){.resolution = resolution(r, environment), .begin = UINT64_MAX};
    for (uint32_t rank = 0; rank < r->size; rank++) {
        const struct fm_rebuild_process *process = &r->processes[rank];
        if (!process->known) {
            continue;
        }
        uint64_t begin = fm_rebuild_global_time(process, process->journal.start_ticks);
        uint64_t end = fm_rebuild_global_time(process, process->last_time);
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
static bool has_threads(const struct fm_rebuild_run *r)
{
    bool found = false;
    for (uint32_t rank = 0; rank < r->size; rank++) {
        found = found || r->processes[rank].thread_count > 1;
    }
    return found;
}

/* ---- how processes lived ---- */

uint64_t fm_rebuild_job_end(const struct fm_rebuild_run *r,
                            const struct fm_rebuild_process *process, uint64_t resolution)
{
    char host[sizeof process->journal.host] = "";
    gethostname(host, sizeof host - 1);
    if (r->job_end == 0 || r->job_end < process->journal.start_nanoseconds ||
        strcmp(host, process->journal.host) != 0) {
        return 0;
    }
    if (process->journal.ticks_used == 0) {
        return r->job_end;
    }
    struct fm_journal_moment from = process->alive;
    if (from.nanoseconds == 0 || from.nanoseconds > r->job_end) {
        from = (struct fm_journal_moment){process->journal.start_ticks,
                                          process->journal.start_nanoseconds};
    }
    return from.ticks + (uint64_t)((long double)(r->job_end - from.nanoseconds) *
                                   (long double)resolution / 1e9L);
}

static bool define_life(struct fm_rebuild_run *r, uint32_t rank, uint64_t resolution)
{
    const struct fm_rebuild_process *process = &r->processes[rank];
    if (!process->known) {
        return true;
    }
    const uint64_t latest = process->alive.ticks > process->last_time || process->alive.ticks == 0
                                ? process->alive.ticks
                                : process->last_time;
    const uint64_t end = fm_rebuild_job_end(r, process, resolution);
    const uint32_t words[FM_LIFE_WORDS] = {[FM_LIFE_RANK] = rank,
                                           [FM_LIFE_HEARTBEAT] = (uint32_t)latest,
                                           [FM_LIFE_HEARTBEAT + 1] = (uint32_t)(latest >> 32),
                                           [FM_LIFE_JOB_END] = (uint32_t)end,
                                           [FM_LIFE_JOB_END + 1] = (uint32_t)(end >> 32),
                                           [FM_LIFE_ENDED] = process->ended,
                                           [FM_LIFE_THREAD_LEVEL] = process->journal.thread_level,
                                           [FM_LIFE_THREADS] = process->thread_count};
    return fm_define(&r->set, FM_DEFINE_LIFE, words, FM_LIFE_WORDS) != FM_DEFINE_NONE;
}

/* ---- what is missing ---- */

static void describe_missing(struct fm_rebuild_run *r, const struct fm_archive_summary *summary,
                             const json_t *environment)
{
    const json_t *limits = json_object_get(environment, "limits_hit");
    const char *failure = json_string_value(json_object_get(limits, "failure"));
    struct fm_process_end *ends = calloc(r->size, sizeof *ends);
    for (uint32_t rank = 0; ends != NULL && rank < r->size; rank++) {
        const struct fm_rebuild_process *process = &r->processes[rank];
        uint64_t last = fm_rebuild_global_time(process, process->last_time);
        ends[rank] = (struct fm_process_end){.rank = rank,
                                             .known = process->known,
                                             .saved = process->whole,
                                             .seconds = last > summary->begin
                                                            ? (double)(last - summary->begin) /
                                                                  (double)summary->resolution
                                                            : 0};
    }
    if (ends != NULL) {
        bool partly = json_object_get(environment, "recorded") != NULL;
        fm_missing_describe(ends, r->size, fm_archive_process_noun(&r->set), partly,
                            fm_archive_last_call(&r->set), failure, r->result->missing,
                            sizeof r->result->missing);
    }
    free(ends);
    if (r->limited != 0) {
        size_t length = strlen(r->result->missing);
        snprintf(r->result->missing + length, sizeof r->result->missing - length,
                 "; recording paused at the size limit in %u of %u processes", r->limited, r->size);
    }
}

/* Adds to environment.json what the size limit has left of the phases. */
static void describe_thinning(struct fm_rebuild_run *r, json_t *environment)
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

/* ---- the archive ---- */

/* Writes the events of all processes and makes the merged set of definitions. */
static fm_status_t write_events(struct fm_rebuild_run *r, struct fm_error *error)
{
    fm_status_t status = fm_rebuild_collect_sites(r, error);
    if (status == FM_OK) {
        status = fm_rebuild_resolve_sites(r, error);
    }
    for (uint32_t rank = 0; rank < r->size && status == FM_OK; rank++) {
        status = fm_rebuild_convert_process(r, rank, error);
    }
    for (uint32_t rank = 0; rank < r->size && status == FM_OK; rank++) {
        if (!define_process(r, rank)) {
            status = fm_fail(error, FM_ERR_SYSTEM, "no memory for the definitions");
        }
    }
    return status;
}

/* Writes the definitions of each process and those of the run, and closes the archive. */
static void write_definitions(struct fm_rebuild_run *r, const struct fm_archive_summary *summary)
{
    if (fm_archive_failure() == NULL) {
        fm_archive_end_events();
        fm_archive_begin_definitions();
    }
    for (uint32_t rank = 0; rank < r->size && fm_archive_failure() == NULL; rank++) {
        struct fm_rebuild_process *process = &r->processes[rank];
        struct fm_clock_offset offsets[2] = {process->journal.offset, process->journal.offset};
        offsets[1].time =
            process->last_time > offsets[0].time ? process->last_time : offsets[0].time + 1;
        fm_rebuild_need_room(r, fm_archive_local_bytes(&process->map, process->region_count,
                                                       &process->events, fm_archive_chunk()) *
                                    process->thread_count);
        fm_archive_write_local(process->threads, &process->map, fm_archive_first_group(&r->set),
                               process->regions, process->region_count, &process->events, offsets);
    }
    if (fm_archive_failure() == NULL) {
        fm_archive_end_definitions();
        fm_rebuild_need_room(r, fm_archive_global_bytes(&r->set, fm_archive_chunk()));
    }
    if (fm_archive_failure() == NULL) {
        fm_archive_write_global(&r->set, summary);
        if ((r->is_of_worlds || fm_world_is_connected(&r->set)) &&
            !fm_world_write(r->folder, &r->set, summary, has_threads(r))) {
            fm_archive_fail("%s", strerror(errno));
        }
    }
    if (fm_archive_failure() == NULL) {
        fm_archive_close(has_threads(r));
    }
}

fm_status_t fm_rebuild_write_archive(struct fm_rebuild_run *r, json_t *environment,
                                     struct fm_error *error)
{
    struct fm_archive_summary summary;
    if (!fm_archive_open(r->folder, &fm_exchange_alone, fm_rebuild_longest_mapping(r))) {
        return fm_fail(error, FM_ERR_SYSTEM, "cannot write %s: %s", r->folder,
                       fm_archive_failure());
    }
    fm_status_t status = write_events(r, error);
    if (status != FM_OK) {
        return status;
    }
    summarize(r, environment, &summary);
    if (summary.resolution == 0) {
        return fm_fail(error, FM_ERR_DATA, "%s/journal: the clock is not known", r->directory);
    }
    for (uint32_t rank = 0; rank < r->size; rank++) {
        if (!define_life(r, rank, summary.resolution)) {
            return fm_fail(error, FM_ERR_SYSTEM, "no memory for the definitions");
        }
    }
    write_definitions(r, &summary);
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
