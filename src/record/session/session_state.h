/** @file
 * What the files of the session (session*.c) share; private to them.
 */
#ifndef FERMATA_RECORD_SESSION_SESSION_STATE_H
#define FERMATA_RECORD_SESSION_SESSION_STATE_H

#include "record/archive/callsites.h"
#include "record/archive/event_regions.h"
#include "record/selection/flight_option.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/** State of the session. Flags that threads read while another one begins or ends the run are for
 * fm_session_is_set and fm_session_set. */
struct fm_session_state {
    pid_t process;                   /**< forked children do not write */
    uint64_t memory;                 /**< for records, bytes */
    uint64_t flushes;                /**< of full buffers */
    uint64_t opening;                /**< nanoseconds that the begin of recording took */
    uint64_t arrival;                /**< when this process began to end the run */
    struct fm_callsites callsites;   /**< known at the end of the run */
    struct fm_event_regions regions; /**< numbers in the events that are written then */
    uint64_t noticeable; /**< ticks; a flush that takes longer is recorded in the trace */
    bool stopped;        /**< there was no room for more records */
    bool ended;          /**< the archive was made, or what is left of the run was saved for good */
    struct fm_flight_option flight;
    bool asked;    /**< the flight recorder, for what it had */
    bool demanded; /**< ... and could not give it then: before the next call */
};
extern struct fm_session_state fm_session_state;

static inline bool fm_session_is_set(const bool *flag)
{
    return __atomic_load_n(flag, __ATOMIC_ACQUIRE);
}

static inline void fm_session_set(bool *flag)
{
    __atomic_store_n(flag, true, __ATOMIC_RELEASE);
}

#endif
