/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Measures, in each thread, the time that the recorder's own code takes.
 *
 * The recorder's code at an event is a section: from its begin in the wrapper to the end of its
 * records. A section is mostly shorter than twice the clock reading that would measure it; so one
 * section of several is measured, where it is executed: with the caches, call stacks and page
 * faults of this run. It stands for the sections since the last measured one (a Horvitz-Thompson
 * estimate: unbiased whatever the sections are, because their numbers are drawn at random). The
 * first sections of a thread are all measured.
 *
 * Measuring takes time itself: readings of the clock, and branches that the processor predicts
 * wrongly because they are rare. What that is, sections without content show (fm_meter_bias).
 *
 * Not measured are the jumps into the wrappers, what the wrappers do outside of sections (mostly
 * look-ups of a handle), work of the recorder that is measured as a whole (fm_meter_exclude), and
 * what the program loses in its caches: FM_METER_UNMEASURED for each section.
 *
 * All functions are called by the thread that the meters belong to, fm_meter_read() also after it
 * has ended. None takes a lock, allocates, or makes a system call.
 */
#ifndef FERMATA_RECORD_BRIEF_METER_H
#define FERMATA_RECORD_BRIEF_METER_H

#include "base/recorder_costs.h"
#include "record/brief/event_budget.h"
#include "record/capture/hot.h"

#include <stdint.h>

/** Kinds of events whose sections are measured apart. Task waits are tasks. Locks are OpenMP's
 * critical, ordered and atomic constructs, too. Of the locks of POSIX threads, those are mutexes
 * that were free and have no record; the others are calls. */
enum fm_meter_kind {
#define FM_METER_ROW(symbol, name, noun, advice) FM_METER_##symbol,
    FM_RECORDED_EVENTS(FM_METER_ROW)
#undef FM_METER_ROW
        FM_METER_KINDS
};

/** Nanoseconds of a section that are not measured: 4 to 13 with the programs of
 * bench/short_events.c, by their processor time with and without the recorder. */
enum { FM_METER_UNMEASURED = 10 };

/** The kinds whose events are merged where they exceed their budget: bits. */
enum {
    FM_METERS_MERGED =
        1 << FM_METER_TASKS | 1 << FM_METER_LOCKS | 1 << FM_METER_FUNCTIONS | 1 << FM_METER_MARKS
};

/** A meter. */
struct fm_meter {
    uint32_t interval; /**< sections that the next measured one stands for; 0: the first ones */
    uint32_t random;   /**< state of the generator of intervals */
    uint64_t measured;
    uint64_t sections; /**< up to the last measured one */
    uint64_t noted;    /**< those of them that fm_meter_note() has measured */
    uint64_t ticks;    /**< of `sections`, estimated, with what measuring takes */
    struct fm_event_bucket bucket;
};

/** The meters of a thread. Zeroed = nothing was measured. */
struct fm_meters {
    int32_t left[FM_METER_KINDS]; /**< sections before the next measured one */
    uint32_t open;                /**< kind of the section that is being measured, + 1; 0: none */
    uint32_t over;                /**< kinds that exceed their budget: bits */
    uint64_t begin;               /**< of that section, in ticks */
    uint64_t excluded;            /**< ticks of that section that are measured otherwise */
    struct fm_meter of[FM_METER_KINDS];
};

/** What the meters of a kind have measured, in ticks. */
struct fm_meter_reading {
    uint64_t sections;
    uint64_t spent;
};

/** Sets the budget of the events of the process; before, there is none. Called once. */
void fm_meters_begin(const struct fm_event_budget *budget);

/** fm_meter_begin() of a section that is measured. */
FM_API FM_COLD void fm_meter_open(struct fm_meters *meters, enum fm_meter_kind kind);

/** fm_meter_end() of a section that is measured. */
FM_API FM_COLD void fm_meter_close(struct fm_meters *meters);

/** fm_meter_count() of a section that is measured. */
FM_API FM_COLD void fm_meter_note(struct fm_meters *meters, enum fm_meter_kind kind,
                                  uint64_t begin);

/** Begins a section. Without effect inside a section that is being measured. */
FM_INLINE void fm_meter_begin(struct fm_meters *meters, enum fm_meter_kind kind)
{
    if (FM_UNLIKELY(--meters->left[kind] < 0)) {
        fm_meter_open(meters, kind);
    }
}

/** Ends the section. Without effect outside of one that is being measured. */
FM_INLINE void fm_meter_end(struct fm_meters *meters)
{
    if (FM_UNLIKELY(meters->open != 0)) {
        fm_meter_close(meters);
    }
}

/** Counts a section that ends now and began with a reading of the clock, which belongs to it.
 * @param begin  that reading, in ticks */
FM_INLINE void fm_meter_count(struct fm_meters *meters, enum fm_meter_kind kind, uint64_t begin)
{
    if (FM_UNLIKELY(--meters->left[kind] < 0)) {
        fm_meter_note(meters, kind, begin);
    }
}

/** Excludes work of the recorder, which is measured otherwise, from the section.
 * @param ticks  that it has taken */
static inline void fm_meter_exclude(struct fm_meters *meters, uint64_t ticks)
{
    meters->excluded += ticks;
}

/** What measuring a section takes, in ticks: a section between two readings of its own, and one
 * that begins with a reading of the recorder (fm_meter_count). */
struct fm_meter_bias {
    double own, noted;
};

/** Measures it, in some 0.1 ms. */
struct fm_meter_bias fm_meter_bias(void);

/** What the meter of a kind has measured so far.
 * @param bias  to be subtracted */
struct fm_meter_reading fm_meter_read(const struct fm_meters *meters, enum fm_meter_kind kind,
                                      struct fm_meter_bias bias);

#endif
