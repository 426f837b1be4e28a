/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Checks the consistency of an archive in one pass over its definitions and all its events.
 */
#ifndef FERMATA_TRACE_VALIDATE_VALIDATE_H
#define FERMATA_TRACE_VALIDATE_VALIDATE_H

#include "functions/silent_calls.h"
#include "trace/survey/survey.h"

/** An inconsistency of an archive. */
struct fm_finding {
    uint32_t location; /**< index in the survey; FM_SURVEY_NONE: not of one location */
    bool has_time;
    uint64_t time; /**< ticks of the trace clock */
    char reason[256];
};

/** Receives the findings: those of the definitions first, then location by location, then those
 * between locations. */
typedef void (*fm_finding_handler_t)(void *context, const struct fm_survey *survey,
                                     const struct fm_finding *finding);

struct fm_validation {
    uint64_t locations, events, findings;
    uint64_t open_requests; /**< started and never completed, which MPI permits */
    uint64_t paused;        /**< processes of which a part was not recorded */
    uint64_t open_ends;     /**< locations that end inside of regions, as their processes state */
};

/** Checks that all references between definitions exist, and for each location:
 *  - times ascend and lie within the clock properties;
 *  - Enter and Leave nest; a location whose process states how it ended (base/awaited_names.h) may
 *    end inside of regions, and what was under way there need not be complete;
 *  - the begin and end records of collective operations alternate;
 *  - communicators, windows, groups, ranks and parameters exist, and parameters get values of their
 *    types;
 *  - requests are completed once, one-sided operations complete, locks are released;
 *  - the number of events is that of the location's definition.
 * Between processes:
 *  - no message is received before its send begins: one finding for each pair of processes states
 *    how the clocks would have to differ, or why the match must be wrong;
 *  - the members of each collective operation call the same function, with the same root and with
 *    sizes that fit together: one finding for each communicator or window.
 * A process of which records are missing (recording was off, its file is damaged) is not compared,
 * nor are messages whose order is not known: those that several threads send or receive, or that
 * matched probes take.
 * The records of several threads of a process interleave in an unknown order; for such a process
 * the order of the records of a request, operation or lock is not checked.
 * @param silence  receives a sentence for each kind of calls whose waiting cannot be analysed,
 * which is no finding; NULL: not wanted
 * @return FM_OK: nothing found; FM_ERR_FAILED: findings; FM_ERR_DATA: unreadable */
fm_status_t fm_validate(const char *archive, fm_finding_handler_t handler,
                        fm_silence_handler_t *silence, void *context, struct fm_validation *result,
                        struct fm_error *error);

#endif
