/** @file
 * What a family of patterns is and what it gets. A family lives in one file and stands in the
 * registry (registry.c); its detect function runs phases on the engine and adds its findings.
 */
#ifndef FERMATA_ANALYSIS_PATTERN_H
#define FERMATA_ANALYSIS_PATTERN_H

#include "analysis/detail.h"
#include "analysis/model/findings.h"
#include "engine/engine.h"
#include "trace/tables/trace.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/** What could not be analysed; told in the report. */
struct fm_omissions {
    atomic_uint_fast64_t unmatched_sends;
    atomic_uint_fast64_t unmatched_receives;
    atomic_uint_fast64_t cut_off_messages; /**< one side happened in a pause of the recording */
    atomic_uint_fast64_t unknown_progress; /**< calls whose target was not recorded meanwhile */
    atomic_uint_fast64_t clock_violations; /**< messages received before they were sent */
    atomic_uint_fast64_t incomplete_collectives; /**< some member's record is missing */
    atomic_uint_fast64_t mixed_collectives;      /**< members called different operations */
    atomic_uint_fast64_t unknown_neighborhoods;  /**< neighbourhood collectives without topology */
    atomic_uint_fast64_t unmatched_epochs;       /**< access or exposure epochs without partner */
};

struct fm_lock_queues;

struct fm_analysis {
    const struct fm_trace *trace;
    struct fm_trace *consumed; /**< `trace`, whose one-sided records are freed once they are read;
                                  NULL: they are needed afterwards */
    const fm_metric_t *own_metrics; /**< by region: fm_own_metric() */
    struct fm_engine *engine;
    struct fm_team *team;            /**< that owns all processes together */
    struct fm_findings *findings;    /**< by location; empty for those owned elsewhere */
    bool asynchronous_progress;      /**< targets answer without being in a call */
    bool path_from_init_to_finalize; /**< the critical path leads through this part only */
    const uint32_t *partition_of;    /**< by location: partition that the user chose; NULL: none */
    uint32_t partition_count;
    struct fm_omissions omissions;
    struct fm_lock_queues *lock_queues; /**< NULL: no windows */
    fm_detail_messages *messages; /**< by receiving process: matched messages; NULL: not wanted */
};

struct fm_pattern {
    const char *name;
    void (*detect)(struct fm_analysis *analysis);
};

/** All families, ended by NULL. */
extern const struct fm_pattern *const fm_patterns[];

/** A call: activity of a location. activity == FM_NONE: the call is missing in the trace. */
struct fm_call_ref {
    uint32_t location;
    uint32_t activity;
};

static inline bool fm_same_call(struct fm_call_ref a, struct fm_call_ref b)
{
    return a.activity == b.activity && a.location == b.location;
}

/** Merges the records of a process's locations by the time of their calls, keeping each location's
 * own order; ties: the lower location. */
struct fm_record_merge {
    const struct fm_trace *trace;
    uint32_t first_location;
    uint32_t location_count;
    uint32_t only_next, only_end; /**< rows, if there is one location; else 0 */
    uint32_t *next;               /**< by location of the process: next row; NULL: only one */
    size_t (*count)(const struct fm_location *location);
    uint32_t (*activity)(const struct fm_location *location, uint32_t row);
};

/** A record: row of a table of a location. */
struct fm_record_ref {
    uint32_t location;
    uint32_t row;
};

/** Begins a merge over a table.
 * @param count     number of rows of the table
 * @param activity  call that a row belongs to */
void fm_record_merge_begin(struct fm_record_merge *merge, const struct fm_trace *trace,
                           uint32_t process, size_t (*count)(const struct fm_location *),
                           uint32_t (*activity)(const struct fm_location *, uint32_t));

/** fm_record_merge_next() for several locations. */
bool fm_record_merge_earliest(struct fm_record_merge *merge, struct fm_record_ref *record);

/** Finds the next record. @return whether there was one; after the last one the merge is over. */
static inline bool fm_record_merge_next(struct fm_record_merge *merge, struct fm_record_ref *record)
{
    if (merge->only_next < merge->only_end) {
        *record = (struct fm_record_ref){merge->first_location, merge->only_next++};
        return true;
    }
    return merge->next != NULL && fm_record_merge_earliest(merge, record);
}

#endif
