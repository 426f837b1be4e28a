/** @file
 * What all parts of the analysis of one run share.
 */
#ifndef FERMATA_ANALYSIS_MODEL_RUN_H
#define FERMATA_ANALYSIS_MODEL_RUN_H

#include "analysis/detail.h"
#include "analysis/model/findings.h"
#include "engine/engine.h"
#include "trace/tables/trace.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/** What could not be analysed; the report states it. */
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

/** Tables that only the search for wait states reads. */
typedef enum {
    FM_TABLE_MESSAGES,    /**< records of sends and receives */
    FM_TABLE_COLLECTIVES, /**< records of collective operations */
    FM_TABLE_ONE_SIDED,   /**< records of one-sided communication */
    FM_TABLE_EPOCHS,      /**< made of these: epochs of one-sided communication */
    FM_TABLES
} fm_table_t;

struct fm_dispatch;
struct fm_epochs;
struct fm_lock_queues;

struct fm_analysis {
    const struct fm_trace *trace;
    const fm_metric_t *own_metrics; /**< by region: fm_own_metric() */
    struct fm_engine *engine;
    struct fm_team *team;            /**< that owns all processes together */
    struct fm_stage_times *times;    /**< of the stages; NULL: not wanted */
    struct fm_findings *findings;    /**< by location; empty for those owned elsewhere */
    bool asynchronous_progress;      /**< targets answer without being in a call */
    bool path_from_init_to_finalize; /**< the critical path leads through this part only */
    const uint32_t *partition_of;    /**< by location: partition that the user chose; NULL: none */
    uint32_t partition_count;
    struct fm_omissions omissions;
    struct fm_epochs *epochs;           /**< by process; NULL: none */
    struct fm_lock_queues *lock_queues; /**< NULL: no windows */
    fm_detail_messages *messages; /**< by receiving process: matched messages; NULL: not wanted */

    /* For readers.h and finder.h only. */
    struct fm_trace *records;          /**< `trace`, to free records of */
    unsigned readers[FM_TABLES];       /**< that have not finished yet */
    struct fm_dispatch *sent_findings; /**< to the owners of the waiting calls */
};

/** A call: activity of a location. activity == FM_NONE: the call is missing in the trace. */
struct fm_call_ref {
    uint32_t location;
    uint32_t activity;
};

static inline bool fm_same_call(struct fm_call_ref a, struct fm_call_ref b)
{
    return a.activity == b.activity && a.location == b.location;
}

/** @return when a call was entered, which must not be missing. */
static inline uint64_t fm_call_enter(const struct fm_trace *trace, struct fm_call_ref call)
{
    return trace->locations[call.location].enter.items[call.activity];
}

/** @return when a call was left, which must not be missing. */
static inline uint64_t fm_call_leave(const struct fm_trace *trace, struct fm_call_ref call)
{
    return trace->locations[call.location].leave.items[call.activity];
}

#endif
