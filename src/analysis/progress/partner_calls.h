/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What a process does when another one needs its progress: whether it is inside a call in which
 * the library makes progress, and which such call is its next one.
 */
#ifndef FERMATA_ANALYSIS_PROGRESS_PARTNER_CALLS_H
#define FERMATA_ANALYSIS_PROGRESS_PARTNER_CALLS_H

#include "analysis/model/run.h"

/** What a partner does at a time `begin`: the call that it is in, or else its next one. */
struct fm_partner_state {
    uint64_t enter; /**< of the call; UINT64_MAX: there is none */
    uint64_t leave;
    struct fm_call_ref call;
    bool is_unknown; /**< the partner was not recorded then, or before its next call; or the call
                          does not need it any more */
};

struct fm_partner_calls;

/** @return the progressing calls of all processes, none listed yet; to be freed with
 * fm_partner_calls_free() */
struct fm_partner_calls *fm_partner_calls_create(const struct fm_analysis *analysis);

/** NULL is allowed. */
void fm_partner_calls_free(struct fm_partner_calls *calls);

/** Finds the progressing call in which a process is at `begin`: a call occupies [Enter, Leave), and
 * a process is inside if any of its threads is. Else finds its first call with a later Enter. Of
 * several threads the earliest Enter counts, then the lowest location. Amortized O(1) for ascending
 * `begin`, else O(log calls). To be called by the worker that owns the process.
 * @param paradigm  of the needing call: only calls of the same library make progress for it
 * @param until     Leave of the needing call */
struct fm_partner_state fm_partner_calls_find(struct fm_partner_calls *calls, uint32_t process,
                                              uint8_t paradigm, uint64_t begin, uint64_t until);

/** @return whether a state is that of a partner which is outside of all progressing calls. */
static inline bool fm_partner_is_outside(const struct fm_partner_state *state, uint64_t begin)
{
    return state->enter > begin;
}

#endif
