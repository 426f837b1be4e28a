/** @file
 * The paradigms that are active in the process (paradigm.h). Adding one, and noting that one began
 * or ended, takes the session's lock.
 */
#ifndef FERMATA_RECORD_SESSION_SESSION_PARADIGMS_H
#define FERMATA_RECORD_SESSION_SESSION_PARADIGMS_H

#include "record/archive/define.h"
#include "record/experiment/experiment.h"
#include "record/paradigm/paradigm.h"

/** Whether one of them has ranks: the run begins when it can exchange data. */
bool fm_session_has_ranks(void);

/** Whether one of them that has ranks has begun and not ended. */
bool fm_session_ranks_open(void);

/** Notes that the paradigm began.
 * @param library  version of its library, valid as long as the session; NULL: not known */
void fm_session_paradigm_begins(const struct fm_paradigm *paradigm, const char *library);

/** Notes that it has ended. */
void fm_session_paradigm_ends(const struct fm_paradigm *paradigm);

/** Number of those that have begun and not ended. */
uint32_t fm_session_paradigms_open(void);

/** Versions of their libraries, as far as they are known.
 * @return their number, at most FM_PARADIGMS_MOST */
size_t fm_session_library_versions(struct fm_library_version *versions);

/** Defines all of them, in the order in which they were attached. @return false without memory */
bool fm_session_define_paradigms(struct fm_definitions *set);

/** The run is over: calls their `finalize`. */
void fm_session_finalize_paradigms(void);

#endif
