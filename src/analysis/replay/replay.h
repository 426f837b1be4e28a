/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The replay: the times of all calls in a changed run, from their dependencies.
 *
 * Each location is a sequence of computation and calls. A call's remaining time is what it takes
 * after the latest event that it depends on: r = Leave - max(Enter, t). In the replay a call is
 * entered when what stands before it ends, and is left r after the later of its Enter and the new
 * times of the events. All times are integers; without changes all of them are the measured ones.
 *
 * A location advances until it needs an event whose new time is not known yet, and goes on when the
 * event's location has got there. The result does not depend on the order, nor on the number of
 * workers. Cost: O(calls + dependencies).
 *
 * Dependencies in a circle exist only at one time, where the ends of calls coincide with the begins
 * of others: in each circle the dependency of the rule listed last is not followed, of several that
 * of the highest location. Where edits or decisions redirect dependencies, circles may have other
 * times, too: of these the redirected dependency is dropped, and its call takes its remaining time.
 */
#ifndef FERMATA_ANALYSIS_REPLAY_REPLAY_H
#define FERMATA_ANALYSIS_REPLAY_REPLAY_H

#include "analysis/detail.h"
#include "analysis/replay/edits.h"

#include <stdatomic.h>

struct fm_decider;
struct fm_engine;

/** The new times of one location. */
struct fm_new_times {
    _Atomic(uint64_t) *enter; /**< [activity] */
    _Atomic(uint64_t) *leave; /**< [activity] */
    _Atomic(uint64_t) *marks; /**< [mark] */
    uint64_t
        *waiting;   /**< [node of the call tree]: how long its calls wait for what they depend on */
    uint64_t begin; /**< of the location's first event: as measured, unless it depends on
                         another thread */
    uint64_t end;   /**< of its last event */
    uint32_t blocked_call;  /**< with a decider: the last call that had to wait at its end for an
                                 event or a decision; FM_NONE: none */
    uint64_t blocked_until; /**< it is left at this time at the earliest: the lookahead of
                                 conservative simulation */
    uint64_t locked_until; /**< with a decider: until when the call whose dependencies are collected
                                waits for locks, as far as known; 0: it does not */
};

struct fm_replay {
    uint32_t location_count;
    struct fm_new_times *locations;
    uint64_t begin, end; /**< first and last event of the run; both 0: no events */
    uint64_t circles;    /**< dependencies that were not followed because they closed a circle */
};

/** Replays a run.
 * @param detail   with dependencies; their fields `dropped` and `other_dropped` are used, and state
 *                 afterwards which were dropped
 * @param edits    [location]; NULL: no changes
 * @param decider  NULL: nothing is decided; else the replay is sequential
 * @param workers  threads; 0: one for each processor
 * @return to be freed with fm_replay_free() */
struct fm_replay *fm_replay_run(const struct fm_detail *detail, const struct fm_edits *edits,
                                struct fm_decider *decider, unsigned workers);

/** Times that the repair has moved return to the measured ones by 1 / 2^FM_RETURN_SHIFT of the time
 * that passes. */
#define FM_RETURN_SHIFT 7

/** The forward pass of the controlled logical clock: no call ends before what it must wait for. A
 * step of a location has the latest of three times: its measured one, the time of the step before
 * it plus nearly what lay between them, and the repaired times of all that it depends on by
 * obligatory rules. Polls are not joined. Source: Rabenseifner 1997; Becker, Rabenseifner, Wolf
 * 2008.
 * @param detail  with dependencies, violated ones included
 * Otherwise as fm_replay_run(). */
struct fm_replay *fm_replay_repair(const struct fm_detail *detail, unsigned workers);

/** @return an engine whose workers share the processes by their numbers of calls.
 * @param workers  threads; 0: one for each processor */
struct fm_engine *fm_replay_engine(const struct fm_trace *trace, unsigned workers);

/** NULL is allowed. */
void fm_replay_free(struct fm_replay *replay);

#endif
