/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * When a process ended that was inside of calls.
 */
#ifndef FERMATA_TRACE_CLOCK_PROCESS_END_H
#define FERMATA_TRACE_CLOCK_PROCESS_END_H

#include <stdint.h>

/** A process lives a second from heartbeat to heartbeat, and its last one may be late by as much.
 */
#define FM_SECONDS_TO_END_OF_JOB 2

/** @param heartbeat  last time at which it is known to have lived; UINT64_MAX: not known
 * @param job_end    when its job ended, in ticks of the same clock; likewise
 * @return the job's end if that is soon behind the heartbeat, else the heartbeat */
static inline uint64_t fm_process_end(uint64_t heartbeat, uint64_t job_end,
                                      uint64_t ticks_per_second)
{
    return heartbeat != UINT64_MAX && job_end != UINT64_MAX && job_end >= heartbeat &&
                   job_end - heartbeat <= FM_SECONDS_TO_END_OF_JOB * ticks_per_second
               ? job_end
               : heartbeat;
}

#endif
