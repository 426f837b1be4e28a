/** @file
 * What a region is to the analysis: its name, paradigm and role decide, never the recorder.
 */
#ifndef FERMATA_TRACE_TABLES_CALL_H
#define FERMATA_TRACE_TABLES_CALL_H

#include <stdbool.h>
#include <stdint.h>

/** Calls that some rule treats differently from others. */
typedef enum {
    FM_CALL_USER,  /**< computation */
    FM_CALL_OTHER, /**< a call of a communication library without a rule of its own */
    FM_CALL_BUFFERED_SEND,
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
    FM_CALL_FILE,
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
} fm_call_t;

/** Programming models, as far as the analysis tells them apart. */
typedef enum {
    FM_PARADIGM_USER,
    FM_PARADIGM_MPI,
    FM_PARADIGM_SHMEM,
    FM_PARADIGM_ARMCI,
    FM_PARADIGM_OPENMP,
    FM_PARADIGM_PTHREAD,
    FM_PARADIGM_MEASUREMENT
} fm_paradigm_t;

/** @return the programming model of a region.
 * @param otf2_paradigm  OTF2_Paradigm of its definition
 * @param name           its name; decides where the definition says nothing */
fm_paradigm_t fm_paradigm_classify(uint8_t otf2_paradigm, const char *name);

/** @return "user", "mpi", ... as Cube and OTF2 tools call it. */
const char *fm_paradigm_name(fm_paradigm_t paradigm);

/** @return the rule class of a region.
 * @param paradigm   as of fm_paradigm_classify()
 * @param name       e.g. "MPI_Recv"; case and trailing underscores (Fortran) do not matter
 * @param otf2_role  OTF2_RegionRole, for names that no standard knows */
fm_call_t fm_call_classify(fm_paradigm_t paradigm, const char *name, uint8_t otf2_role);

/** @return whether a function completes requests that other calls have begun: MPI_Wait*, MPI_Test*.
 * @param name  as of fm_call_classify() */
bool fm_call_completes_requests(const char *name);

#endif
