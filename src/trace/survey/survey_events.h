/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Callbacks of OTF2's event reader that pass every event to one handler. Private to src/trace.
 */
#ifndef FERMATA_TRACE_SURVEY_SURVEY_EVENTS_H
#define FERMATA_TRACE_SURVEY_SURVEY_EVENTS_H

#include "trace/survey/survey.h"

#include <otf2/otf2.h>

/** The user data of the callbacks: the handler of the events. */
struct fm_survey_pass {
    fm_survey_handler_t handler;
    void *context;
};

/** @return callbacks for all events, to be deleted by the caller; NULL without memory. */
OTF2_EvtReaderCallbacks *fm_survey_event_callbacks(void);

/** Reads the global definitions of an open reader into the survey.
 * @param read  out: number of definitions read */
OTF2_ErrorCode fm_survey_read_definitions(struct fm_survey *survey, OTF2_Reader *reader,
                                          uint64_t *read);

#endif
