/** @file
 * Is an archive consistent? One pass over its definitions and all its events.
 */
#ifndef FERMATA_TRACE_VALIDATE_VALIDATE_H
#define FERMATA_TRACE_VALIDATE_VALIDATE_H

#include "trace/survey/survey.h"

/** Something that is wrong in an archive. */
struct fm_finding {
    uint32_t location; /**< index in the survey; FM_SURVEY_NONE: not of one location */
    bool has_time;
    uint64_t time; /**< ticks of the trace clock */
    char reason[256];
};

/** Receives the findings: those of the definitions first, then location by location. */
typedef void (*fm_finding_handler_t)(void *context, const struct fm_survey *survey,
                                     const struct fm_finding *finding);

struct fm_validation {
    uint64_t locations, events, findings;
    uint64_t open_requests; /**< started and never completed, which is legal */
    uint64_t paused;        /**< processes of which a part was not recorded */
};

/** Checks definitions (all references exist), and for each location: times in order and inside of
 * the clock properties, Enter and Leave nest, requests are completed once, begin and end of
 * collectives, ranks and windows exist, one-sided operations complete, locks are released, number
 * of events. Where a process has several threads, whose records interleave in an unknown order, the
 * order of a request's, operation's or lock's records is not checked.
 * @return FM_OK: nothing found; FM_ERR_FAILED: findings; FM_ERR_DATA: unreadable */
fm_status_t fm_validate(const char *archive, fm_finding_handler_t handler, void *context,
                        struct fm_validation *result, struct fm_error *error);

#endif
