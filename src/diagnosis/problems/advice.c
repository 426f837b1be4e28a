/* SPDX-License-Identifier: BSD-3-Clause */
#include "diagnosis/problems/advice.h"

#include "diagnosis/location_set.h"
#include "diagnosis/problems/evidence/kernel_evidence.h"
#include "diagnosis/problems/evidence/queue_evidence.h"
#include "diagnosis/problems/gain_text.h"
#include "diagnosis/problems/idle/idle_text.h"
#include "diagnosis/problems/lock_text.h"
#include "functions/function_kind.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** What the waiting side can do, by kind of wait state. */
static const struct {
    fm_metric_t kind;
    const char *text;
} by_symptom[] = {
    {FM_METRIC_MPI_LATESENDER,
     "start the send before it, or let the receivers compute before MPI_Wait."},
    {FM_METRIC_MPI_LATERECEIVER, "post the receive before it (MPI_Irecv)."},
    {FM_METRIC_MPI_BARRIER_WAIT,
     "remove the barrier if it protects nothing: delays of different ranks can then even out."},
    {FM_METRIC_MPI_WAIT_NXN,
     "start the collective as a nonblocking one and complete it where its result is needed."},
    {FM_METRIC_MPI_LATEBROADCAST, "let the root start the operation before it."},
    {FM_METRIC_MPI_EARLYREDUCE, "use MPI_Ireduce and let the root compute before it waits."},
    {FM_METRIC_MPI_RMA_SYNC_LATE_POST,
     "call MPI_Win_post before it, or let the origins compute before MPI_Win_start."},
    {FM_METRIC_MPI_RMA_COMM_LATE_POST,
     "call MPI_Win_post before it, or let the origins compute before MPI_Win_start."},
    {FM_METRIC_MPI_RMA_EARLY_WAIT,
     "call MPI_Win_complete before it, or let the targets compute before MPI_Win_wait."},
    {FM_METRIC_MPI_RMA_WAIT_AT_FENCE,
     "synchronize only the partners (post, start, complete, wait) instead of all ranks by fences."},
    {FM_METRIC_MPI_IO_COLLECTIVE_WAIT,
     "use a nonblocking form (MPI_File_iwrite_all) and let the early ranks compute meanwhile."},
    {FM_METRIC_SHMEM_BARRIER_WAIT,
     "let PEs wait only for those whose data they need (shmem_wait_until) instead of the barrier."},
    {FM_METRIC_SHMEM_WAIT_UNTIL,
     "put the data and the flag before it, or let the waiting PEs compute."},
    {FM_METRIC_CAF_BARRIER_WAIT,
     "synchronize only the partners (sync images) instead of sync all."},
    {FM_METRIC_CAF_SYNC_IMAGES_WAIT,
     "use events: a post before it does not wait, and the images wait where they need the data."},
    {FM_METRIC_CAF_EVENT_WAIT, "post the event before it, or let the waiting images compute."},
    {FM_METRIC_CUDA_EVENT_WAIT,
     "give the waiting stream the work first that needs nothing of it (cudaStreamWaitEvent behind "
     "that)."},
};

/** How a target can serve the operations of others, by the library. */
static const char *of_progress(const char *library)
{
    return strcmp(library, "SHMEM") == 0
               ? "Call SHMEM in it now and then (shmem_fence is enough), or use a transport that "
                 "serves gets and atomics by hardware."
           : strcmp(library, "ARMCI") == 0
               ? "Call ARMCI in it now and then (ARMCI_Test is enough), or run with asynchronous "
                 "progress of the MPI library below."
           : strcmp(library, "coarray") == 0
               ? "Access coarrays in it now and then, or run with asynchronous progress of the MPI "
                 "library below."
               : "Call MPI in it now and then (MPI_Iprobe is enough), or run with a progress "
                 "thread "
                 "(MPICH: MPICH_ASYNC_PROGRESS=1).";
}

/** What predictions change: calls that wait (a barrier, a fence), or anything else, such as work.
 */
enum { OF_CALLS = 1, OF_WORK = 2, OF_ANY = OF_CALLS | OF_WORK };

/** @return whether there are predictions of such changes, and none gains enough to be advised */
static bool is_predicted_useless(const struct fm_cube *cube, const struct fm_cube_problem *cause,
                                 unsigned changes)
{
    const double run = (double)(cube->experiment.end - cube->experiment.begin);
    bool is_predicted = false;
    for (uint32_t i = 0; i < cause->prediction_count; i++) {
        const struct fm_cube_prediction *prediction = &cause->predictions[i];
        const unsigned change = fm_predicted_of_call(prediction->change) ? OF_CALLS : OF_WORK;
        if ((changes & change) != 0) {
            is_predicted = true;
            if ((double)prediction->saved >= FM_SMALLEST_ADVISED * run) {
                return false;
            }
        }
    }
    return is_predicted;
}

/** @return whether a prediction of such a change gains too little to be advised; false: it gains
 * enough, or there is none */
static bool is_useless(const struct fm_cube *cube, const struct fm_cube_problem *cause,
                       enum fm_predicted_change change)
{
    const double run = (double)(cube->experiment.end - cube->experiment.begin);
    for (uint32_t i = 0; i < cause->prediction_count; i++) {
        if (cause->predictions[i].change == (uint32_t)change) {
            return (double)cause->predictions[i].saved < FM_SMALLEST_ADVISED * run;
        }
    }
    return false;
}

/** Adds what can be done about what runs while a lock is held, or while its holder waits. */
static void add_serialization(const struct fm_diagnosis *diagnosis,
                              const struct fm_cube_problem *cause, struct fm_sentences *lines)
{
    const struct fm_cube *cube = diagnosis->cube;
    const bool divides = !is_useless(cube, cause, FM_PREDICTED_NO_LOCK);
    const bool is_of_path = divides && !fm_gain_is_small(cube, cause);
    const char *balance = is_of_path ? " Balancing the work does not help." : "";
    if (!fm_runs_under_lock(cause)) {
        fm_sentences_add(
            lines, "Try",
            "Release the lock before waiting for others, or take it only behind that.");
    } else if (is_useless(cube, cause, FM_PREDICTED_SHORTER)) {
        fm_sentences_add(lines, "Try", "Divide the data among several locks.%s", balance);
    } else {
        fm_sentences_add(lines, "Try", "Do less while the lock is held%s.%s",
                         divides ? ", or divide the data among several locks" : "", balance);
    }
}

/** What the users of a lock can do that only make library calls while they hold it. */
static const char *of_contention(const struct fm_cube *cube, const struct fm_cube_problem *cause)
{
    const bool is_of_window =
        cause->lock == FM_CUBE_NONE || cube->locks[cause->lock].window != FM_CUBE_NONE;
    return is_of_window
               ? "Use atomic operations (MPI_Fetch_and_op, MPI_Accumulate) under one "
                 "MPI_Win_lock_all with MPI_Win_flush instead of exclusive locks, divide the data "
                 "among several targets, or do more in each epoch: fewer, larger batches."
               : "Use atomic operations instead of the lock, divide the data among several locks, "
                 "or do more each time it is held: fewer, larger batches.";
}

/** What processes can do that access files while others wait. */
static const char *of_file_access(const struct fm_cube *cube, const struct fm_cube_problem *cause)
{
    const char *name = cube->regions[cube->callpaths[cause->callpath].region].name;
    const struct fm_function_kind kind = fm_function_kind(FM_PARADIGM_MPI, name);
    return !kind.reads_file && !kind.writes_file
               ? "Open files once, outside of iterations; use few, shared files."
           : kind.call == FM_CALL_FILE_ACCESS
               ? "Write and read larger, contiguous parts; compare other hints (cb_nodes, "
                 "striping_factor); use a nonblocking form (MPI_File_iwrite_all) and compute "
                 "meanwhile."
               : "Let all ranks take part in it (MPI_File_write_all), or use a nonblocking form "
                 "(MPI_File_iwrite) and complete it later.";
}

/** @return the advice for the largest symptom, or NULL */
static const char *of_symptom(const struct fm_diagnosis *diagnosis,
                              const struct fm_cube_problem *cause)
{
    const struct fm_cube *cube = diagnosis->cube;
    if (cause->symptom_count == 0) {
        return NULL;
    }
    fm_metric_t kind = fm_wait_state_kind((fm_metric_t)cause->symptoms[0].metric);
    if ((kind == FM_METRIC_MPI_BARRIER_WAIT || kind == FM_METRIC_MPI_RMA_WAIT_AT_FENCE) &&
        is_predicted_useless(cube, cause, OF_CALLS)) {
        return NULL;
    }
    if (kind == FM_METRIC_MPI_RMA_WAIT_AT_FENCE &&
        diagnosis->metrics[FM_METRIC_MPI_RMA_PAIRSYNC_UNNEEDED_COUNT] == 0) {
        return NULL; /* all processes that synchronize are partners */
    }
    for (size_t i = 0; i < sizeof by_symptom / sizeof by_symptom[0]; i++) {
        if (by_symptom[i].kind == kind) {
            return by_symptom[i].text;
        }
    }
    return NULL;
}

/* @return whether all locations of a cause are streams of accelerators */
static bool is_of_streams(const struct fm_diagnosis *diagnosis, struct fm_location_set set)
{
    for (uint32_t i = 0; i < set.count; i++) {
        if (!diagnosis->cube->locations[set.items[i]].is_stream) {
            return false;
        }
    }
    return set.count > 0;
}

/** @return the advice against what the kernel does in a computation, or NULL */
static const char *of_kernel(const struct fm_diagnosis *diagnosis,
                             const struct fm_cube_problem *cause)
{
    static const fm_metric_t metrics[] = {
        [FM_KERNEL_EXPLAINS_NOTHING] = FM_METRIC_NONE,
        [FM_KERNEL_PAGE_FAULTS] = FM_METRIC_COUNTER_USAGE_PAGE_FAULTS_MINOR,
        [FM_KERNEL_SYSTEM_CALLS] = FM_METRIC_COUNTER_USAGE_TIME_SYSTEM,
        [FM_KERNEL_WAITS] = FM_METRIC_COUNTER_USAGE_SWITCHES_VOLUNTARY,
    };
    fm_metric_t metric = metrics[fm_kernel_reason(diagnosis, cause)];
    return metric == FM_METRIC_NONE ? NULL : fm_metric_info(metric)->advice;
}

static void add_imbalance(const struct fm_diagnosis *diagnosis, const struct fm_cube_problem *cause,
                          struct fm_sentences *lines)
{
    const struct fm_location_set set = {cause->locations, cause->location_count};
    const struct fm_cube_excess *excess = &cause->excess;
    char *where = NULL;
    if (set.count == 1) {
        where = fm_location_set_text(diagnosis, set, NULL);
    } else if (asprintf(&where, "these %s", fm_location_set_many(diagnosis, set)) < 0) {
        abort(); /* Without memory for one line no error message can be printed either. */
    }
    const char *symptom = of_symptom(diagnosis, cause);
    const char *joint = symptom == NULL ? "" : " Otherwise ";
    symptom = symptom == NULL ? "" : symptom;
    const char *kernel = of_kernel(diagnosis, cause);
    const bool is_small = fm_gain_is_small(diagnosis->cube, cause) ||
                          is_predicted_useless(diagnosis->cube, cause, OF_WORK);
    if (kernel != NULL && !is_small) {
        fm_sentences_add(lines, "Try", "%s%s%s", kernel, joint, symptom);
    } else if (is_small) {
        if (symptom[0] != '\0') {
            fm_sentences_add(lines, "Try", "%c%s", toupper((unsigned char)symptom[0]), symptom + 1);
        }
    } else if (is_of_streams(diagnosis, set)) {
        fm_sentences_add(lines, "Try",
                         "Make it faster, launch it earlier, or give the host other work "
                         "meanwhile.%s%s",
                         joint, symptom);
    } else if (set.count == diagnosis->cube->location_count) {
        fm_sentences_add(lines, "Try", "Divide its work more evenly %s.%s%s",
                         diagnosis->cube->phase_count > 0 ? "in each iteration"
                                                          : "each time between calls that wait",
                         joint, symptom);
    } else if (excess->is_known && excess->elsewhere == 0) {
        fm_sentences_add(
            lines, "Try", "Share the work of %s with the %s.%s%s", where,
            fm_location_set_others(diagnosis, diagnosis->cube->location_count - set.count), joint,
            symptom);
    } else {
        fm_sentences_add(lines, "Try",
                         "Give %s less of this work, or find out why it takes longer there.%s%s",
                         where, joint, symptom);
    }
    free(where);
}

/** Adds what programs can do against long queues of their library. */
static void add_queues(const struct fm_diagnosis *diagnosis, const struct fm_cube_problem *cause,
                       struct fm_sentences *lines)
{
    switch (fm_queue_reason(diagnosis, cause)) {
    case FM_QUEUE_MATCHES:
        fm_sentences_add(
            lines, "Try",
            "Post receives in the order in which their messages come, fewer at a time, "
            "or divide the messages among several communicators.");
        break;
    case FM_QUEUE_KEEPS:
        fm_sentences_add(lines, "Try",
                         "Post receives before the messages come (MPI_Irecv), or let the receiver "
                         "get the data when it needs them (MPI_Get).");
        break;
    case FM_QUEUE_IS_LONG:
        fm_sentences_add(lines, "Try",
                         "Post receives before the messages come (MPI_Irecv), receive in the order "
                         "of sending, or divide the messages among several communicators.");
        break;
    default:
        break;
    }
}

void fm_advice_add(const struct fm_diagnosis *diagnosis, const struct fm_cube_problem *cause,
                   struct fm_sentences *lines)
{
    if (is_predicted_useless(diagnosis->cube, cause, OF_ANY)) {
        return;
    }
    switch (cause->kind) {
    case FM_CAUSE_IMBALANCE:
        add_imbalance(diagnosis, cause, lines);
        break;
    case FM_CAUSE_SERIALIZATION:
        add_serialization(diagnosis, cause, lines);
        break;
    case FM_CAUSE_CONTENTION:
        fm_sentences_add(lines, "Try", "%s", of_contention(diagnosis->cube, cause));
        break;
    case FM_CAUSE_PROGRESS:
        fm_sentences_add(lines, "Try", "%s", of_progress(fm_cause_library(diagnosis->cube, cause)));
        break;
    case FM_CAUSE_IO:
        fm_sentences_add(lines, "Try", "%s", of_file_access(diagnosis->cube, cause));
        break;
    case FM_CAUSE_IDLE:
        fm_idle_advice_add(diagnosis, cause, lines);
        break;
    case FM_CAUSE_TRANSFER:
        add_queues(diagnosis, cause, lines);
        break;
    default:
        break;
    }
}
