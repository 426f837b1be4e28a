/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The paradigms that are active in the process (paradigm.h). Functions that add a paradigm or
 * change or count the open ones take the session's lock.
 */
#ifndef FERMATA_RECORD_SESSION_SESSION_PARADIGMS_H
#define FERMATA_RECORD_SESSION_SESSION_PARADIGMS_H

#include "record/archive/define.h"
#include "record/experiment/experiment.h"
#include "record/paradigm/paradigm.h"

/** Whether a paradigm with ranks is active: the run begins when it can exchange data. */
bool fm_session_has_ranks(void);

/** Whether a paradigm with ranks has begun and not ended. */
bool fm_session_ranks_open(void);

/** Marks the paradigm as begun.
 * @param library  version of its library, valid as long as the session; NULL: not known */
void fm_session_paradigm_begins(const struct fm_paradigm *paradigm, const char *library);

/** Marks the paradigm as ended. */
void fm_session_paradigm_ends(const struct fm_paradigm *paradigm);

/** Number of paradigms that have begun and not ended. */
uint32_t fm_session_paradigms_open(void);

/** Versions of the paradigms' libraries, as far as they are known.
 * @return their number, at most FM_PARADIGMS_MOST */
size_t fm_session_library_versions(struct fm_library_version *versions);

/** Defines all active paradigms, in the order in which they were attached. @return false without
 * memory */
bool fm_session_define_paradigms(struct fm_definitions *set);

/** Calls `report_objects` of all paradigms. */
void fm_session_report_objects(fm_object_report_t *report, void *context, bool only_new);

/** Calls `run_ends` of all paradigms. */
void fm_session_paradigms_run_ends(void);

/** Calls `finalize` of all paradigms, in reverse order, after the end of the run. */
void fm_session_finalize_paradigms(void);

#endif
