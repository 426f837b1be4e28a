/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What a thread did between two events without a sample: most likely what it did between the same
 * two events when a sample was taken. Private to src/record/conversion.
 *
 * Samples are taken less often than a program may call its libraries. Between two events, a sample
 * tells the functions of the whole stretch; without one, only those that enclose both events are
 * known, and the time would be theirs, whatever they call. Therefore a stretch without a sample
 * counts as if the last sample of a like stretch had been taken in it. Like are stretches of one
 * thread between the same two events on the same call stacks whose lengths are in the same power of
 * two. So functions have time in proportion to their samples, and those that only some, longer
 * stretches call are not taken to be in the others.
 *
 * That holds for stretches from a twentieth to all of what a sample reaches (two periods): shorter
 * ones would add more events than they are worth, and in longer ones without a sample the thread
 * had no processor.
 */
#ifndef FERMATA_RECORD_CONVERSION_LIKE_STRETCHES_H
#define FERMATA_RECORD_CONVERSION_LIKE_STRETCHES_H

#include "record/conversion/convert_state.h"

struct fm_like_stretches;

/** To be called before a record is converted: a stretch that it ends is noted if it has a sample;
 * otherwise a sample is imitated if a like one had one. */
void fm_like_stretches_before(struct fm_thread *thread, const uint64_t *record);

/** To be called when a record was converted: begins a stretch behind it, or adds the sample that it
 * is to the present one.
 * @param is_of_call  the record is an operation of a call */
void fm_like_stretches_after(struct fm_thread *thread, const uint64_t *record, bool is_of_call);

/** To be called when a record was left out: what the thread does up to the next event is not known.
 */
static inline void fm_like_stretches_interrupt(struct fm_thread *thread)
{
    thread->stretch_begin = 0;
}

void fm_like_stretches_free(struct fm_thread *thread);

#endif
