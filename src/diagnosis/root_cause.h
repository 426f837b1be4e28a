/** @file
 * Root causes of wait states: the call paths and ranks to which the delay costs of a kind of wait
 * state are attributed.
 */
#ifndef FERMATA_DIAGNOSIS_ROOT_CAUSE_H
#define FERMATA_DIAGNOSIS_ROOT_CAUSE_H

#include "diagnosis/diagnosis.h"
#include "diagnosis/sentences.h"

/** Explains a kind of wait state: the call path and ranks with most of its delay costs ("Why"), and
 * the expected gain from balancing that call path ("Gain"). If most of the waiting is indirect
 * (propagated by ranks that waited themselves), the sentence reports the call path where the
 * longest chains begin.
 * @param wait       a kind of wait state (fm_wait_state_kind())
 * @param sentences  the explanation is appended
 * @return the call path, or FM_CUBE_NONE if no call path stands out and nothing is appended */
uint32_t fm_root_cause_explain(const struct fm_diagnosis *diagnosis, fm_metric_t wait,
                               struct fm_sentences *sentences);

/** Appends advice ("Inside") on how to record details of a computing function, if the recording
 * does not contain the functions that it calls. */
void fm_root_cause_inside(const struct fm_diagnosis *diagnosis, uint32_t callpath,
                          struct fm_sentences *sentences);

#endif
