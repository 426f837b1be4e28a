/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Observations: notable facts about a run other than wait states.
 */
#ifndef FERMATA_DIAGNOSIS_OBSERVATIONS_H
#define FERMATA_DIAGNOSIS_OBSERVATIONS_H

#include "base/text.h"
#include "diagnosis/diagnosis.h"
#include "diagnosis/sentences.h"

#include <stdbool.h>
#include <stddef.h>

/** Appends a sentence without label for each observation: the findings of counters, expensive
 * calls, idle threads, missing tasks, missing progress of one-sided communication, unneeded
 * synchronization, measurement overhead. */
void fm_observations_find(const struct fm_diagnosis *diagnosis, struct fm_sentences *sentences);

/** Writes by how much recording has made the run longer: "about 3.2% longer".
 * @return false: it is not known */
bool fm_overhead_text(const struct fm_cube *cube, char text[FM_TEXT_NUMBER]);

/** Appends, if recording has made the run notably longer, sentences whose subject is their label:
 * that the times of the run are therefore not those of the program, and what makes recording
 * cheaper. @return whether it has */
bool fm_overhead_warn(const struct fm_cube *cube, struct fm_sentences *sentences);

/** @return the time in which threads have no task while others execute theirs, ticks; 0: too small
 * a part of all time to be told. It is no wait state: nobody is late, tasks are missing. */
int64_t fm_starved_time(const struct fm_diagnosis *diagnosis);

#endif
