/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The budget of events of a kind: how much of a thread's time their recording may take, and how
 * many there may be in a second. Beyond it they are merged (merged_visits.h), until there are
 * notably fewer of them.
 *
 * A token bucket for each thread and kind: time fills it, each section of the recorder
 * (brief/meter.h) takes what the budget permits it. It is full at first, so that the first
 * FM_BUDGET_ROOM of a thread's time, or of a burst of events after a quiet time, is recorded event
 * by event. Merging begins when the bucket is empty and ends when it is half full. Meanwhile the
 * sections take what they would take if their events were not merged.
 *
 * A bucket belongs to one thread. No function takes a lock, allocates, or makes a system call.
 */
#ifndef FERMATA_RECORD_BRIEF_EVENT_BUDGET_H
#define FERMATA_RECORD_BRIEF_EVENT_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

/** Default share, events in a second and process, and how much time fits into a bucket:
 * milliseconds. */
#define FM_BUDGET_SHARE 0.05
enum { FM_BUDGET_EVENTS = 1000000, FM_BUDGET_ROOM = 400 };

/** The budget of a process. */
struct fm_event_budget {
    double share;            /**< of a thread's time; 0: there is no budget, nothing is merged */
    uint64_t event;          /**< ticks between two events of a process that exhaust the budget */
    uint64_t room;           /**< ticks that fit into a bucket */
    double bias;             /**< ticks that measuring a section takes */
    const uint32_t *threads; /**< number of threads among which the events are divided; atomic */
};

/** A bucket. Zeroed = full, unused. */
struct fm_event_bucket {
    uint64_t filled; /**< when it was filled last; 0: never */
    int64_t credit;  /**< ticks that it contains */
    double cost;     /**< ticks of a section whose event is not merged, the mean of the last ones */
};

/** Reads a value of the setting: a percentage above 0, at most 100, such as `5%`, or `off`.
 * @param share  out: 0: off
 * @return false: it is none */
bool fm_event_budget_read(const char *text, double *share);

/** The budget of this process by FERMATA_EVENT_BUDGET.
 * @param resolution  ticks per second
 * @param bias        of the meters, ticks
 * @param threads     as in struct fm_event_budget */
struct fm_event_budget fm_event_budget_get(uint64_t resolution, double bias,
                                           const uint32_t *threads);

/** Takes from a bucket what sections need.
 * @param now       ticks
 * @param sections  number of sections since the last call
 * @param ticks     that one of them has taken
 * @param merges    whether the events of the kind are merged now
 * @return whether they are to be merged from now on */
bool fm_event_budget_take(const struct fm_event_budget *budget, struct fm_event_bucket *bucket,
                          uint64_t now, uint32_t sections, uint64_t ticks, bool merges);

#endif
