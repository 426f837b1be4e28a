/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The data of one run that all parts of the analysis share.
 */
#ifndef FERMATA_ANALYSIS_MODEL_RUN_H
#define FERMATA_ANALYSIS_MODEL_RUN_H

#include "analysis/detail.h"
#include "analysis/model/call_ref.h"
#include "analysis/model/findings.h"
#include "base/containers/vector.h"
#include "cube/model/cube.h"
#include "engine/engine.h"
#include "trace/tables/trace.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/** Numbers of operations that could not be analysed; the report states them. */
struct fm_omissions {
    atomic_uint_fast64_t unmatched_sends;
    atomic_uint_fast64_t unmatched_receives;
    atomic_uint_fast64_t cut_off_messages; /**< one side is in a pause of the recording */
    atomic_uint_fast64_t unknown_progress; /**< calls during a pause of the target's recording */
    atomic_uint_fast64_t clock_violations; /**< messages received before they were sent */
    atomic_uint_fast64_t
        clock_violating_members; /**< of collectives, which left before they could have */
    atomic_uint_fast64_t incomplete_collectives; /**< some member's record is missing */
    atomic_uint_fast64_t mixed_collectives;      /**< members called different operations */
    atomic_uint_fast64_t unknown_neighborhoods;  /**< neighbourhood collectives without topology */
    atomic_uint_fast64_t unrecorded_inits;  /**< Init and Finalize without collective records */
    atomic_uint_fast64_t unrequested_locks; /**< acquired without the record of their request */
    atomic_uint_fast64_t unreleased_locks;
    atomic_uint_fast64_t unreleased_thread_locks;
    atomic_uint_fast64_t unmatched_epochs;    /**< access or exposure epochs without partner */
    atomic_uint_fast64_t incomplete_barriers; /**< of teams: some thread's call is missing */
    atomic_uint_fast64_t sampled_waits; /**< for locks with so many holders that only some of them
                                             are told apart (blame.h) */
};

/** Tables that are used only by the search for wait states. */
typedef enum {
    FM_TABLE_MESSAGES,    /**< records of sends and receives */
    FM_TABLE_COLLECTIVES, /**< records of collective operations */
    FM_TABLE_ONE_SIDED,   /**< records of one-sided communication */
    FM_TABLE_EPOCHS,      /**< epochs, built from FM_TABLE_ONE_SIDED */
    FM_TABLES
} fm_table_t;

struct fm_called_function;
struct fm_cube_hang;
struct fm_collective_needs;
struct fm_dependencies;
struct fm_dispatch;
struct fm_epochs;
struct fm_evidence;
struct fm_lock_holders;
struct fm_lock_queues;
struct fm_message_needs;
struct fm_peer_waits;
struct fm_progress;
struct fm_thread_starts;
struct fm_wait_errors;

/** A location that made the last partition of messages ready. */
struct fm_last_partition {
    uint32_t location;
    struct fm_cube_last_partition last;
};

/** Those of all locations, ascending; only process 0 has them. */
typedef FM_VECTOR(struct fm_last_partition) fm_last_partition_vector;

/** Bounds of the unexpected messages of a process. */
struct fm_process_unexpected {
    uint32_t process;
    struct fm_cube_unexpected bounds;
};

/** Those of all processes with messages, in no particular order; only process 0 has them. */
typedef FM_VECTOR(struct fm_process_unexpected) fm_process_unexpected_vector;

struct fm_analysis {
    const struct fm_trace *trace;
    const fm_metric_t *own_metrics; /**< by region: fm_own_metric() */
    struct fm_engine *engine;
    struct fm_team *team;            /**< the processes of the analysis */
    struct fm_stage_times *times;    /**< duration of each stage; NULL: not measured */
    struct fm_findings *findings;    /**< by location; empty for those owned by other processes */
    uint32_t open_ends;              /**< locations that ended inside of calls (hang/ends.h): the
                                        critical path of such a run is not stated */
    struct fm_cube_hang *hang;       /**< what these wait for; process 0 only, else NULL */
    bool asynchronous_progress;      /**< targets make progress outside of MPI calls */
    bool progress_by_targets;        /**< the user states that all calls need their targets */
    bool path_from_init_to_finalize; /**< the critical path covers only MPI_Init to MPI_Finalize */
    const uint32_t *partition_of;    /**< by location: partition that the user chose; NULL: none */
    uint32_t partition_count;
    struct fm_called_function *coverage; /**< by region: results/coverage.h; then freed */
    uint64_t merged_since;        /**< first Enter of a merged visit; UINT64_MAX: there is none */
    bool counts_collective_bytes; /**< the records of collectives count bytes */
    struct fm_omissions omissions;
    struct fm_epochs *epochs;     /**< by process; NULL: none */
    struct fm_progress *progress; /**< needs of one-sided calls; NULL: none */
    struct fm_evidence *evidence; /**< which of these wait; NULL: it has not been weighed */
    struct fm_message_needs *message_needs;       /**< likewise of messages; NULL: none */
    struct fm_evidence *message_evidence;         /**< likewise */
    struct fm_collective_needs *collective_needs; /**< likewise of collectives; NULL: none */
    struct fm_evidence *collective_evidence;      /**< likewise */
    struct fm_peer_waits *peer_waits;             /**< with the epochs; NULL: none */
    struct fm_lock_queues *lock_queues;           /**< NULL: no locks */
    struct fm_lock_holders *lock_holders;         /**< NULL: no locks */
    struct fm_thread_starts *thread_starts;
    fm_last_partition_vector last_partitions;
    fm_process_unexpected_vector unexpected;
    struct fm_dependencies *dependencies; /**< NULL: not wanted */
    struct fm_cube_errors errors;         /**< of measured times */
    struct fm_wait_errors *wait_errors;   /**< set when the events were read; NULL: not known */
    bool has_single_clocks;               /**< `errors.clock` concerns processes of one node, too */
    uint64_t blocking_size;       /**< bytes from which on sends wait; 0: as the run shows */
    fm_detail_messages *messages; /**< by receiving process: matched messages; NULL: not kept */
    fm_detail_blames *blames;     /**< out: who is blamed for each wait state; NULL: not wanted */

    /* Only for readers.h and finder.h. */
    struct fm_trace *records;          /**< `trace`, writable to free its records */
    unsigned readers[FM_TABLES];       /**< by table: number of readers that have not finished */
    struct fm_dispatch *sent_findings; /**< to the owners of the waiting calls */
    struct fm_dispatch *sent_dependencies; /**< likewise; NULL: none are wanted */
};

#endif
