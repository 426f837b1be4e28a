/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Evidence: whether calls of a kind need the software of their partners to make progress. Where the
 * hardware serves, calls end while their partners compute.
 *
 * A piece is a call and a partner that is outside of all progressing calls when the need begins. It
 * counts if the partner's next such call begins more than u later, or never: u is what calls of the
 * kind take once their partners make progress. A piece has passed if the call ended before the
 * partner's next call; it was held if the call contains that. A kind waits for progress if more
 * pieces were held than passed. docs/wait-states.md has the rules.
 */
#ifndef FERMATA_ANALYSIS_PROGRESS_PROGRESS_EVIDENCE_H
#define FERMATA_ANALYSIS_PROGRESS_PROGRESS_EVIDENCE_H

#include "analysis/progress/needs.h"

/** A kind of calls: what they do, in which epoch, on which window, how much and how far. */
struct fm_progress_kind {
    uint64_t key;          /**< fm_progress_key() */
    uint64_t usual;        /**< u: ticks that calls take once all of their partners make progress */
    uint64_t passed, held; /**< pieces */
    bool waits;
};

/** @return the key of the kind of a call. @param is_far  some partner is on another node */
uint64_t fm_progress_key(const struct fm_needed *why, bool is_far);

/** @return what calls of a kind have in common; the window FM_NONE if there is none. */
struct fm_needed fm_progress_kind_needs(const struct fm_progress_kind *kind);

/** @return whether some partner of each call of a kind is on another node. */
bool fm_progress_kind_is_far(const struct fm_progress_kind *kind);

/** The kinds of all calls that need partners. */
struct fm_evidence {
    const struct fm_progress *progress;
    FM_VECTOR(struct fm_progress_kind) kinds; /**< ascending by key */
    bool is_stated; /**< the user states that every call needs its partners: nothing is weighed */
};

/** A value of u. */
struct fm_usual_time {
    uint64_t key;
    uint64_t ticks; /**< UINT64_MAX: there is a call of the kind, but it gives no value */
};

typedef FM_VECTOR(struct fm_usual_time) fm_usual_times;

/** What a worker has found out about the calls of its processes. */
struct fm_evidence_part {
    fm_usual_times times;
    uint64_t *passed, *held; /**< [kind]: pieces */
    unsigned char apart[FM_APART];
};

/** Context of the stages of fm_evidence_weigh_calls(). */
struct fm_weighing {
    const void *calls; /**< of the caller */
    struct fm_evidence *evidence;
    struct fm_evidence_part *parts; /**< by worker */
};

/** Weighs an evidence that has no kinds yet. Runs both stages; collective.
 * @param times   adds values of u to the times of its worker: their medians are those of the kinds
 * @param pieces  adds to the pieces of its worker, once the kinds are known */
void fm_evidence_weigh_calls(struct fm_evidence *evidence, const struct fm_analysis *analysis,
                             fm_stage_t *times, fm_stage_t *pieces, const void *calls);

/** @return the kind with a key, which exists. O(log kinds). Thread-safe. */
const struct fm_progress_kind *fm_evidence_kind_of(const struct fm_evidence *evidence,
                                                   uint64_t key);

/** A wait for progress. */
struct fm_progress_wait {
    struct fm_call_ref call;
    struct fm_call_ref cause; /**< the partner's call, whose Enter ends the wait */
    uint64_t until;           /**< Enter of it */
    uint64_t begin;           /**< of the need of this partner */
    uint64_t uncovered;       /**< ticks from there in which no partner was in a progressing call */
};

/** Weighs the evidence: u, passed and held pieces of each kind, by the first trials. Runs stages;
 * collective.
 * @param progress   must outlive the use of all functions but those on kinds and windows
 * @param is_stated  all kinds wait, whatever the evidence says
 * @return to be freed with fm_evidence_free() */
struct fm_evidence *fm_evidence_weigh(const struct fm_progress *progress, bool is_stated);

/** NULL is allowed. */
void fm_evidence_free(struct fm_evidence *evidence);

/** @return the kind of a call; NULL: it needs nobody. O(log kinds). Thread-safe. */
const struct fm_progress_kind *fm_evidence_kind(const struct fm_evidence *evidence,
                                                const struct fm_needing_call *needing);

/** @return whether calls of any kind wait for progress. */
bool fm_evidence_any_waits(const struct fm_evidence *evidence);

/** @return whether some kind of call on a window waits for progress; false without evidence (NULL).
 * To be called at any time after the evidence has been weighed: `analysis->evidence` has that of
 * one-sided calls once Lock Contention has been detected. Thread-safe. */
bool fm_evidence_window_waits(const struct fm_evidence *evidence, uint32_t window);

/** Judges a call by the states of its partners in a trial. Thread-safe.
 * @param wait  out
 * @return whether it waits for progress */
bool fm_evidence_judge(const struct fm_evidence *evidence, uint32_t process,
                       const struct fm_need_trial *trial, struct fm_progress_wait *wait);

#endif
