/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the wait states of a run: matches messages, collective operations and epochs once for all
 * patterns, and calls the patterns for each match. */
#include "analysis/pattern.h"

#include "analysis/collective/collective_matching.h"
#include "analysis/libraries/peer_waits.h"
#include "analysis/locks/lock_holders.h"
#include "analysis/locks/lock_queue.h"
#include "analysis/one_sided/active_target.h"
#include "analysis/p2p/message.h"
#include "analysis/progress/needs.h"

/* The matching stages, each run once for all patterns, and the tables that each reads. */
static const struct {
    const char *name; /* as `fermata analyze --verbose` prints it */
    unsigned reads;
    bool of_windows; /* skipped in runs without windows */
    void (*run)(struct fm_analysis *analysis);
} stages[] = {
    {"match collective operations", FM_READS(COLLECTIVES), false, fm_collectives_match},
    {"match messages", FM_READS(MESSAGES), false,
     fm_messages_match}, /* needs waits of the former */
    {"build epochs", FM_READS(ONE_SIDED), true, fm_epochs_build},
    {"match active target", FM_READS(EPOCHS), true, fm_active_target_match},
};

static const size_t stage_count = sizeof stages / sizeof *stages;

static void release(struct fm_analysis *analysis, unsigned tables)
{
    fm_readers_remove(analysis, tables);
    if (analysis->readers[FM_TABLE_EPOCHS] == 0) {
        fm_epochs_free(analysis->epochs, analysis->trace->process_count);
        analysis->epochs = NULL;
        fm_peer_waits_free(analysis->peer_waits);
        analysis->peer_waits = NULL;
        fm_progress_free(analysis->progress);
        analysis->progress = NULL;
    }
}

/* @return whether OpenMP or POSIX threads may have been used */
static bool has_models_of_threads(const struct fm_trace *trace)
{
    for (uint32_t r = 0; r < trace->region_count; ++r) {
        if (trace->regions[r].paradigm == FM_PARADIGM_OPENMP ||
            trace->regions[r].paradigm == FM_PARADIGM_PTHREAD) {
            return true;
        }
    }
    return false;
}

static bool has_partitions(const struct fm_trace *trace)
{
    for (uint32_t r = 0; r < trace->region_count; ++r) {
        if (trace->regions[r].parameter == FM_PARAMETER_PARTITIONED_OPERATION) {
            return true;
        }
    }
    return false;
}

/* @return [pattern]: whether its `detect` is called, to be freed with fm_free(). The patterns that
 * are called are readers of their tables. */
static bool *choose_detectors(struct fm_analysis *analysis, bool has_windows, bool has_threads)
{
    size_t count = 0;
    while (fm_patterns[count] != NULL) {
        ++count;
    }
    const bool partitions = has_partitions(analysis->trace);
    bool *chosen = fm_allocate(count, sizeof *chosen);
    for (size_t p = 0; p < count; ++p) {
        const struct fm_pattern *pattern = fm_patterns[p];
        chosen[p] = pattern->detect != NULL && (has_threads || !pattern->of_threads) &&
                    (partitions || !pattern->of_partitions) &&
                    (has_windows || (pattern->reads & FM_READS(EPOCHS)) == 0);
        fm_readers_add(analysis, chosen[p] ? pattern->reads : 0);
    }
    return chosen;
}

void fm_patterns_run(struct fm_analysis *analysis)
{
    for (size_t s = 0; s < stage_count; ++s) {
        fm_readers_add(analysis, stages[s].reads);
    }
    const bool has_windows = analysis->trace->window_count != 0;
    const bool has_threads = has_models_of_threads(analysis->trace);
    bool *has_detector = choose_detectors(analysis, has_windows, has_threads);
    if (has_windows || has_threads) {
        analysis->lock_holders = fm_lock_holders_create(analysis);
        analysis->lock_queues =
            fm_lock_queues_create(fm_engine_workers(analysis->engine), analysis->messages != NULL);
    }
    fm_finders_open(analysis);
    for (size_t s = 0; s < stage_count; ++s) {
        if (has_windows || !stages[s].of_windows) {
            fm_stage_begin(analysis->times, stages[s].name);
            stages[s].run(analysis);
        }
        release(analysis, stages[s].reads);
    }
    for (unsigned p = 0; fm_patterns[p] != NULL; ++p) {
        const struct fm_pattern *pattern = fm_patterns[p];
        if (has_detector[p]) {
            fm_stage_begin(analysis->times, pattern->name);
            pattern->detect(&(struct fm_finder){.analysis = analysis, .precedence = (uint8_t)p});
            release(analysis, pattern->reads);
        }
    }
    fm_free(has_detector);
    fm_finders_close(analysis);
    if (analysis->lock_holders != NULL) {
        fm_lock_holders_deliver(analysis->lock_holders);
        analysis->omissions.sampled_waits += fm_lock_holders_deep(analysis->lock_holders);
    }
}
