/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Needs for progress: calls that cannot end before the library has made progress on other processes
 * (their partners), and what the partners do when the needs begin [H17 algorithm 1].
 *
 * A need of a partner begins at the Enter of the call, or later: when what the call depends on
 * besides has happened (a lock was passed on, a target has posted). A trial supposes such a time
 * for a call; its answers are the states of all partners then.
 */
#ifndef FERMATA_ANALYSIS_PROGRESS_NEEDS_H
#define FERMATA_ANALYSIS_PROGRESS_NEEDS_H

#include "analysis/progress/partner_calls.h"
#include "base/containers/map.h"

/** What calls of MPI do, or complete: bits. */
enum {
    FM_NEEDS_FOR_PUT = 1,
    FM_NEEDS_FOR_GET = 2,
    FM_NEEDS_FOR_ATOMIC = 4,
    FM_NEEDS_FOR_LOCK = 8,
    FM_NEEDS_FOR_UNLOCK = 16,
    FM_NEEDS_FOR_FLUSH = 32,
    FM_NEEDS_FOR_SEND = 64,
    FM_NEEDS_FOR_RECEIVE = 128, /**< both: an exchange */
    FM_NEEDS_FOR_COMPLETE = 256,
    FM_NEEDS_FOR_COLLECTIVES = 1 << 22, /**< with the set of their names: bits 0 to 21 */
};

/** What calls of other libraries do: what their function is for. */
static inline uint32_t fm_needs_for_function(uint32_t region)
{
    return (uint32_t)1 << 23 | region;
}

/** @return whether it is the function that says what calls do. */
static inline bool fm_needs_is_function(uint32_t what)
{
    return what >> 23 != 0;
}

/** @return the region of fm_needs_for_function(). */
static inline uint32_t fm_needs_region(uint32_t what)
{
    return what & (((uint32_t)1 << 23) - 1);
}

/** Epochs that calls belong to. */
enum {
    FM_NEEDS_IN_NO_EPOCH,
    FM_NEEDS_IN_LOCK_EPOCH,
    FM_NEEDS_IN_ACCESS_EPOCH,
    FM_NEEDS_OF_PERSISTENT, /**< none: some of the collectives are persistent */
};

/** Why a call needs a partner. */
struct fm_needed {
    uint32_t what;      /**< FM_NEEDS_FOR_... or fm_needs_for_function() */
    uint32_t window;    /**< FM_NONE: none */
    uint8_t size_class; /**< of the message: fm_trace_size_class(); 0: there is none */
    uint8_t epoch;      /**< FM_NEEDS_IN_... */
    bool is_later;      /**< an earlier call has begun what this one completes */
};

/** A process that a call needs, and from when on. */
struct fm_partner {
    uint64_t event; /**< when what the call depends on besides happens on the partner; 0: nothing */
    uint64_t begin; /**< the need begins no earlier: at the event, or where its call ends */
    uint64_t until; /**< the partner has served then what it has to serve; UINT64_MAX: never */
    uint32_t process;
    uint32_t unused;
};

/** A call that needs partners. */
struct fm_needing_call {
    struct fm_call_ref call;
    struct fm_needed why;   /**< of all partners together */
    uint32_t first_partner; /**< in `partners` */
    uint32_t partner_count; /**< 0: it needs nobody */
};

/** A supposed begin of the needs of a call. */
struct fm_need_trial {
    uint64_t since; /**< the needs begin no earlier; 0: at the Enter of the call, or with the events
                         of the partners */
    uint32_t call;  /**< in `calls` */
    uint32_t first_state; /**< in `states`: as many as the call has partners */
};

/** The needs of one process. */
struct fm_process_needs {
    FM_VECTOR(struct fm_needing_call) calls; /**< each once */
    FM_VECTOR(struct fm_partner) partners;
    FM_VECTOR(struct fm_need_trial) trials; /**< the first ones: one of each call, in its place */
    FM_VECTOR(struct fm_partner_state) states;
    struct fm_map number_of_call; /**< for fm_progress_set_event() */
};

struct fm_progress {
    struct fm_analysis *analysis;
    struct fm_process_needs *of_process; /**< by process; empty for those owned by others */
    struct fm_partner_calls *partner_calls;
    uint32_t *nodes; /**< by process: number of its node */
    struct fm_dispatch *questions;
    struct fm_dispatch *answers;
};

/** @return no needs, to be freed with fm_progress_free() */
struct fm_progress *fm_progress_create(struct fm_analysis *analysis);

/** NULL is allowed. */
void fm_progress_free(struct fm_progress *progress);

/** Adds a need: `call` of `process` cannot end before the library that it belongs to has made
 * progress on `partner`. To be called by the worker that owns the process, for one of its calls
 * after the other, once for each partner.
 * @param partner  FM_NONE: only the reason is added, to a need that the call has already */
void fm_progress_need(struct fm_progress *progress, uint32_t process, struct fm_call_ref call,
                      uint32_t partner, const struct fm_needed *why);

/** The same for a need that is known to begin and end with events of the partner. */
void fm_progress_need_of(struct fm_progress *progress, uint32_t process, struct fm_call_ref call,
                         const struct fm_partner *partner, const struct fm_needed *why);

/** Notes that what a call depends on besides happens on a partner: at the Enter of a call that only
 * starts something. Of several events the latest counts. Ignored if the call does not need the
 * partner. To be called by the owner of the call's process, after all of its needs.
 * @param ends  Leave of the partner's call */
void fm_progress_set_event(struct fm_progress *progress, struct fm_call_ref call, uint32_t partner,
                           uint64_t event, uint64_t ends);

/** Adds a trial to a process. To be called by its owner.
 * @return its number in `trials` */
uint32_t fm_progress_try(struct fm_process_needs *needs, uint32_t call, uint64_t since);

/** Asks the partners of all trials of which `first_state` is FM_NONE. Runs stages; collective. */
void fm_progress_ask(struct fm_progress *progress);

/** @return when the need of a call for a partner begins in a trial; UINT64_MAX: the partner has
 * nothing to serve then. @param enter  of the call */
static inline uint64_t fm_need_begin(const struct fm_partner *partner,
                                     const struct fm_need_trial *trial, uint64_t enter)
{
    uint64_t begin = trial->since > enter ? trial->since : enter;
    begin = partner->begin > begin ? partner->begin : begin;
    return partner->until <= begin ? UINT64_MAX : begin;
}

#endif
