/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * State shared by the files of the session (session*.c); private to them.
 */
#ifndef FERMATA_RECORD_SESSION_SESSION_STATE_H
#define FERMATA_RECORD_SESSION_SESSION_STATE_H

#include "base/process_noun.h"
#include "record/archive/callsites.h"
#include "record/archive/event_regions.h"
#include "record/paradigm/paradigm.h"
#include "record/selection/flight_option.h"
#include "record/selection/thinning.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/** State of the session. Flags that are read while another thread begins or ends the run are
 * accessed by fm_session_is_set and fm_session_set. */
struct fm_session_state {
    pid_t process; /**< id of the process; forked children have another one and
                      do not write */
    const struct fm_paradigm *exchanging; /**< the paradigm that began the run; NULL: none */
    const struct fm_process_noun *noun;   /**< what a process is called; NULL: not known */
    uint64_t memory;                      /**< for records, bytes */
    uint64_t flushes;                     /**< of full buffers */
    uint64_t opening;                     /**< nanoseconds that the begin of recording took */
    uint64_t arrival;                     /**< time at which this process began to end the run */
    struct fm_callsites callsites;        /**< known at the end of the run */
    struct fm_event_regions regions; /**< numbers in the events, which are written at the end */
    uint64_t noticeable; /**< ticks; a flush that takes longer is recorded in the trace */
    bool stopped;        /**< recording ended early: no room for more records or definitions */
    bool ended;          /**< the end of the run has begun */
    struct fm_flight_option flight;
    uint64_t max_size;           /**< of the experiment, bytes; UINT64_MAX: no limit */
    struct fm_thinning thinning; /**< agreed at the end of the run */
    bool asked;                  /**< the records of the flight recorder were requested */
    bool demanded; /**< ... and could not be saved then: retried before the next call */
};
extern struct fm_session_state fm_session_state;

/** What a process is called by the paradigm that numbers the processes; "rank" if several do, or
 * none so far. */
static inline const struct fm_process_noun *fm_session_noun(void)
{
    const struct fm_process_noun *noun = __atomic_load_n(&fm_session_state.noun, __ATOMIC_ACQUIRE);
    return noun != NULL ? noun : fm_process_noun(FM_NOUN_RANK);
}

static inline bool fm_session_is_set(const bool *flag)
{
    return __atomic_load_n(flag, __ATOMIC_ACQUIRE);
}

static inline void fm_session_set(bool *flag)
{
    __atomic_store_n(flag, true, __ATOMIC_RELEASE);
}

#endif
