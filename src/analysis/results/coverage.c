/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/results/coverage.h"

#include "functions/silent_calls.h"

/* Kinds of records, and values of a region that are added up: its calls, those that were merged,
 * and for each kind by how many it was seen. */
enum { KINDS = 9, CALLS = 0, MERGED = 1, SEEN = 2, VALUES = KINDS + SEEN };

/* What one worker has found. */
struct found {
    uint64_t *calls;       /* by region */
    uint64_t *merged;      /* likewise */
    uint64_t since;        /* first merged one; UINT64_MAX: there is none */
    uint16_t *records;     /* by region: FM_RECORDED_... */
    uint16_t *awaited;     /* by region: those that the current location may show */
    uint64_t teams, tasks; /* number of beginnings of teams of threads, of tasks that ended */
    unsigned char apart[FM_APART];
};

struct coverage {
    const struct fm_trace *trace;
    const uint16_t *needed; /* by region: FM_RECORDED_... */
    struct found *found;    /* by worker */
};

static unsigned kind_of(const struct fm_rma *record)
{
    switch (record->type) {
    case FM_RMA_PUT:
    case FM_RMA_GET:
    case FM_RMA_ATOMIC:
        return FM_RECORDED_OPERATION;
    case FM_RMA_COLLECTIVE:
        return FM_RECORDED_WINDOW_COLLECTIVE;
    case FM_RMA_GROUP_SYNC:
        return FM_RECORDED_GROUP_SYNC;
    case FM_RMA_LOCK_REQUEST:
    case FM_RMA_LOCK_ACQUIRE:
        return FM_RECORDED_LOCK;
    case FM_RMA_LOCK_RELEASE:
        return FM_RECORDED_RELEASE;
    case FM_RMA_LOCK_NAME:
        return 0;
    default:
        return FM_RECORDED_COMPLETION;
    }
}

static unsigned kind_of_thread_record(const struct fm_thread_record *record)
{
    switch (record->type) {
    case FM_THREAD_LOCK_ACQUIRE:
        return FM_RECORDED_LOCK;
    case FM_THREAD_OBJECT:
    case FM_THREAD_CORRELATION:
    case FM_THREAD_EVENT:
        return FM_RECORDED_GROUP_SYNC;
    case FM_THREAD_WAIT:
        return FM_RECORDED_COLLECTIVE;
    default:
        return 0;
    }
}

/* Notes a record in a call, of a kind that is awaited. @return whether it was the first of its kind
 * in the region */
static bool note_in(struct found *found, uint32_t region, unsigned kind)
{
    if ((found->awaited[region] & kind) == 0) {
        return false;
    }
    found->records[region] |= (uint16_t)kind;
    found->awaited[region] = (uint16_t)(found->awaited[region] & ~kind);
    return true;
}

static bool note(struct found *found, const struct fm_location *location, uint32_t activity,
                 unsigned kind)
{
    return note_in(found, fm_trace_region(location, activity), kind);
}

/* Lists what the calls of a location may show that is not known yet. @return the number of kinds
 * and regions */
static uint32_t await(const struct coverage *coverage, struct found *found,
                      const struct fm_location *location)
{
    uint32_t awaited = 0;
    for (size_t v = 0; v < location->profile.count; v++) {
        const struct fm_visit_profile *visit = &location->profile.items[v];
        found->calls[visit->region] += visit->visits - visit->merged;
        found->merged[visit->region] += visit->merged;
        if (visit->merged != 0 && visit->merged_since < found->since) {
            found->since = visit->merged_since;
        }
        const uint16_t missing =
            (uint16_t)(coverage->needed[visit->region] & ~found->records[visit->region]);
        if (missing != 0 && found->awaited[visit->region] == 0) {
            found->awaited[visit->region] = missing;
            awaited += (uint32_t)__builtin_popcount(missing);
        }
    }
    /* A call that was never left lacks the records that are written at its end. */
    if (location->open.count != 0) {
        const uint32_t innermost = location->open.items[location->open.count - 1].visit;
        found->calls[location->profile.items[innermost].region]--;
    }
    return awaited;
}

static void visit_location(const struct coverage *coverage, struct found *found,
                           const struct fm_location *location)
{
    /* Most functions show their records in the first calls: then nothing is left to look for. */
    uint32_t awaited = await(coverage, found, location);
    for (size_t i = 0; awaited > 0 && i < location->sends.count; i++) {
        awaited -= note(found, location, location->sends.items[i].start, FM_RECORDED_MESSAGE);
    }
    for (size_t i = 0; awaited > 0 && i < location->receives.count; i++) {
        awaited -= note(found, location, location->receives.items[i].start, FM_RECORDED_MESSAGE);
    }
    for (size_t i = 0; awaited > 0 && i < location->collectives.count; i++) {
        awaited -=
            note(found, location, location->collectives.items[i].start, FM_RECORDED_COLLECTIVE);
    }
    for (size_t i = 0; awaited > 0 && i < location->rma.count; i++) {
        const struct fm_rma *record = &location->rma.items[i];
        awaited -= note(found, location, record->activity, kind_of(record));
    }
    for (size_t v = 0; awaited > 0 && v < location->profile.count; v++) {
        const struct fm_visit_profile *visit = &location->profile.items[v];
        awaited -= visit->counts != FM_NONE &&
                   location->counts.items[visit->counts].values[FM_COUNT_FILE_OPERATIONS] != 0 &&
                   note_in(found, visit->region, FM_RECORDED_ACCESS);
    }
    for (size_t i = 0; i < location->threads.count; i++) {
        const struct fm_thread_record *record = &location->threads.items[i];
        found->teams += record->type == FM_THREAD_TEAM_BEGIN;
        found->tasks += record->type == FM_THREAD_TASK_COMPLETE;
        if (record->activity != FM_NONE) {
            note(found, location, record->activity, kind_of_thread_record(record));
        }
    }
    for (size_t v = 0; v < location->profile.count; v++) {
        found->awaited[location->profile.items[v].region] = 0;
    }
}

static void visit_processes(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    const struct coverage *coverage = context;
    const struct fm_trace *trace = coverage->trace;
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last); l++) {
        visit_location(coverage, &coverage->found[worker], &trace->locations[l]);
    }
}

struct fm_called_function *fm_coverage_find(struct fm_analysis *analysis)
{
    const struct fm_trace *trace = analysis->trace;
    const uint32_t count = trace->region_count;
    const unsigned workers = fm_engine_workers(analysis->engine);
    uint16_t *needed = fm_allocate(count, sizeof *needed);
    for (uint32_t r = 0; r < count; r++) {
        const struct fm_region *region = &trace->regions[r];
        needed[r] = (uint16_t)fm_records_needed(region->paradigm, region->name, region->call);
    }
    struct coverage coverage = {trace, needed, fm_allocate_apart(workers, sizeof *coverage.found)};
    for (unsigned w = 0; w < workers; w++) {
        coverage.found[w].calls = fm_allocate(count, sizeof *coverage.found[w].calls);
        coverage.found[w].merged = fm_allocate(count, sizeof *coverage.found[w].merged);
        coverage.found[w].since = UINT64_MAX;
        coverage.found[w].records = fm_allocate(count, sizeof *coverage.found[w].records);
        coverage.found[w].awaited = fm_allocate(count, sizeof *coverage.found[w].awaited);
    }
    fm_engine_run(analysis->engine, visit_processes, &coverage);
    uint64_t threads[2] = {0}, since = UINT64_MAX; /* teams, tasks */
    uint64_t *sums = fm_allocate(VALUES * (size_t)count, sizeof *sums);
    for (unsigned w = 0; w < workers; w++) {
        struct found *found = &coverage.found[w];
        threads[0] += found->teams;
        threads[1] += found->tasks;
        since = found->since < since ? found->since : since;
        for (uint32_t r = 0; r < count; r++) {
            uint64_t *of_region = sums + VALUES * (size_t)r;
            of_region[CALLS] += found->calls[r];
            of_region[MERGED] += found->merged[r];
            for (unsigned kind = 0; kind < KINDS; kind++) {
                of_region[SEEN + kind] += found->records[r] >> kind & 1;
            }
        }
        fm_free(found->calls);
        fm_free(found->merged);
        fm_free(found->records);
        fm_free(found->awaited);
    }
    fm_team_sum(analysis->team, sums, VALUES * (size_t)count);
    fm_team_sum(analysis->team, threads, 2);
    analysis->merged_since = ~fm_team_largest(analysis->team, ~since);
    struct fm_called_function *functions = fm_allocate(count, sizeof *functions);
    for (uint32_t r = 0; r < count; r++) {
        const struct fm_region *region = &trace->regions[r];
        const uint64_t *of_region = sums + VALUES * (size_t)r;
        functions[r] = (struct fm_called_function){
            region->name, region->paradigm, region->call, of_region[CALLS], 0, of_region[MERGED]};
        for (unsigned kind = 0; kind < KINDS; kind++) {
            functions[r].records |= of_region[SEEN + kind] != 0 ? 1U << kind : 0;
        }
    }
    fm_silent_calls_note_threads(functions, count, threads[0] != 0, threads[1] != 0);
    fm_free(sums);
    fm_free(needed);
    fm_free(coverage.found);
    return functions;
}
