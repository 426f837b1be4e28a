/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What a function of a programming model is: its facts in the tables of functions (*.tbl), found by
 * the function's name. Thread-safe, no allocation.
 *
 * Case does not matter in a name, nor do trailing underscores (Fortran). A name without a row is
 * classified by the rules at the end of its paradigm's table.
 */
#ifndef FERMATA_FUNCTIONS_FUNCTION_KIND_H
#define FERMATA_FUNCTIONS_FUNCTION_KIND_H

#include "functions/paradigm_names.h"

#include <stdbool.h>
#include <stdint.h>

/** Calls that some rule of the analysis treats differently from others. */
typedef enum {
    FM_CALL_USER,  /**< computation */
    FM_CALL_OTHER, /**< a call of a communication library without a rule of its own */
    FM_CALL_BUFFERED_SEND,
    FM_CALL_SYNCHRONOUS_SEND,
    FM_CALL_BUFFER_FLUSH, /**< waits until buffered messages are sent */
    FM_CALL_PROBE,
    FM_CALL_MATCHED_PROBE,
    FM_CALL_MATCHED_RECEIVE,
    FM_CALL_BARRIER,
    FM_CALL_ALL_TO_ALL,
    FM_CALL_NEIGHBORHOOD,
    FM_CALL_ONE_TO_ALL,
    FM_CALL_ALL_TO_ONE,
    FM_CALL_SCAN,
    FM_CALL_INIT,
    FM_CALL_FINALIZE,
    FM_CALL_COMMUNICATOR,          /**< collective over the communicator it starts from */
    FM_CALL_DETACHED_COMMUNICATOR, /**< collective over the communicator that results */
    FM_CALL_FILE,                  /**< collective on a file, without data */
    FM_CALL_FILE_ACCESS,           /**< collective read, write or synchronization of a file */
    FM_CALL_WINDOW_CREATE,
    FM_CALL_WINDOW_FREE,
    FM_CALL_FENCE,
    FM_CALL_START,
    FM_CALL_COMPLETE,
    FM_CALL_POST,
    FM_CALL_WAIT, /**< Win_wait and Win_test */
    FM_CALL_LOCK, /**< Win_lock and Win_lock_all */
    FM_CALL_UNLOCK,
    FM_CALL_FLUSH,             /**< of one target */
    FM_CALL_FLUSH_ALL,         /**< of all targets of a window */
    FM_CALL_FLUSH_LOCAL,       /**< of one target, at the origin only */
    FM_CALL_FLUSH_LOCAL_ALL,   /**< of all targets, at the origin only */
    FM_CALL_REQUEST_OPERATION, /**< one-sided operation that a Wait completes */
    FM_CALL_ALLOCATE,          /**< collective: symmetric or shared memory, mutexes, coarrays */
    FM_CALL_DEALLOCATE,
    FM_CALL_COMPLETION, /**< completes one-sided operations outside of MPI: shmem_quiet, ARMCI_Wait,
                           ARMCI_Fence, sync memory */
    FM_CALL_WAIT_UNTIL, /**< until another process changes a variable */
    FM_CALL_SYNC_IMAGES, /**< with the images that it names */
    FM_CALL_EVENT_POST,
    FM_CALL_EVENT_WAIT,
    FM_CALL_TEAM_BARRIER, /**< explicit or implicit, of a team of OpenMP threads */
    FM_CALL_CRITICAL,     /**< without its body */
    FM_CALL_ORDERED,      /**< without its body */
    FM_CALL_TASK_WAIT,    /**< for child tasks: taskwait, taskgroup */
    FM_CALL_SHARED_LOCK,  /**< acquires a lock that several threads may hold at once */
    FM_CALL_CONDITION_WAIT,
    FM_CALL_CONDITION_SIGNAL, /**< also broadcast */
    FM_CALL_THREAD_BARRIER,   /**< of POSIX threads */
    FM_CALL_SEMAPHORE_WAIT,
    FM_CALL_SEMAPHORE_POST,
    FM_CALL_STREAM_WAIT, /**< of the host, until streams of accelerators have done their work */
    FM_CALL_STREAM_COPY, /**< of the host: copies when earlier work is done, and waits for it */
    FM_CALL_STREAM_IDLE, /**< of a stream: it has no work */
    FM_CALL_STREAM_EVENT_RECORD, /**< of the host: puts an event behind the work of a stream */
    FM_CALL_STREAM_EVENT_WAIT,   /**< of the host: lets a stream wait for an event */
} fm_call_t;

/** The facts about one function. */
struct fm_function_kind {
    const char *own_metric; /**< id of the metric of the function's own time (metrics.def) */
    fm_call_t call;
    uint8_t role;    /**< OTF2_RegionRole */
    bool progresses; /**< it drives the progress of the library: it communicates, synchronizes,
                        tests, probes, waits, does I/O, or creates or frees communicators, windows,
                        files */
    bool completes_requests; /**< of requests that other calls have begun: MPI_Wait*, MPI_Test* */
    bool reads_file, writes_file; /**< it is an operation on a file, counted once */
};

/** @return what the function `name` is, with or without its paradigm's prefix. For paradigms
 * without a table: computation, of which a metric is not known (own_metric == NULL). O(log
 * functions + rules)
 */
struct fm_function_kind fm_function_kind(fm_paradigm_t paradigm, const char *name);

/** @return the rule class of a region.
 * @param otf2_role  OTF2_RegionRole; decides for MPI regions whose name begins neither with MPI_
 * nor with MPIX_ */
fm_call_t fm_call_classify(fm_paradigm_t paradigm, const char *name, uint8_t otf2_role);

/** @return whether the MPI function `name` completes requests that other calls have begun. */
bool fm_call_completes_requests(const char *name);

/** @return whether a one-sided operation of SHMEM or ARMCI, named with its prefix, only begins in
 * its call: shmem_get_nbi, ARMCI_NbGet. */
bool fm_function_only_begins(const char *name);

/** @return whether a function is a call of a thread that gives streams of accelerators work. */
bool fm_function_launches(fm_paradigm_t paradigm, const char *name);

/** @return whether an atomic operation of SHMEM, ARMCI or coarrays returns a value of its target.
 */
bool fm_function_fetches(const char *name);

/** @return the name without its paradigm's prefix, of those that its table has; the name itself: it
 * has none of them */
const char *fm_function_without_prefix(fm_paradigm_t paradigm, const char *name);

/** @return whether a function, named with its prefix, has a row in its paradigm's table */
bool fm_function_is_listed(fm_paradigm_t paradigm, const char *name);

/** @return whether a name has the form of a function of MPI in C, with a row or without: MPI_Send,
 * MPIX_Allreduce_init; not MPI_IN_PLACE, not MPI_T_init_thread */
bool fm_is_mpi_function(const char *name);

#endif
