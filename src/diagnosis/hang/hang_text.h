/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * How a run ended that ended inside of calls, in sentences: who waits for whom.
 */
#ifndef FERMATA_DIAGNOSIS_HANG_HANG_TEXT_H
#define FERMATA_DIAGNOSIS_HANG_HANG_TEXT_H

#include "diagnosis/diagnosis.h"
#include "diagnosis/sentences.h"

/** Tells what the calls wait for that were never left: locations that wait for the same in the same
 * call together, those that can never go on first, then where all others are. The first sentence is
 * a headline; nothing is added if the run did not end inside of calls.
 * @param now        [location]: what it does at the moment, behind the word "now"; NULL: not known.
 * May be NULL: the run has ended
 * @param sentences  to be freed with fm_sentences_free() */
void fm_hang_text(const struct fm_diagnosis *diagnosis, const char *const *now,
                  struct fm_sentences *sentences);

#endif
