/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What the calls of a process complete: sends, receives, other requests. */
#ifndef FERMATA_ANALYSIS_P2P_COMPLETIONS_H
#define FERMATA_ANALYSIS_P2P_COMPLETIONS_H

#include "trace/tables/trace.h"

/** A set of these for each call. */
enum {
    FM_COMPLETES_SEND = 1,
    FM_COMPLETES_MORE = 2, /**< a second send, a collective or a one-sided operation */
    FM_COMPLETES_RECEIVE = 4,
};

/** The calls of one process; {0}: none. */
struct fm_completions {
    uint32_t first_location;
    FM_VECTOR(size_t) first;  /**< by location of the process: its first call in `calls` */
    FM_VECTOR(uint8_t) calls; /**< FM_COMPLETES_... */
};

/** Lists what the calls of a process complete, in place of those listed before. */
void fm_completions_list(struct fm_completions *completions, const struct fm_trace *trace,
                         uint32_t process);

/** @return FM_COMPLETES_... of a call of the process */
static inline unsigned fm_completions_of(const struct fm_completions *completions,
                                         uint32_t location, uint32_t activity)
{
    size_t first = completions->first.items[location - completions->first_location];
    return completions->calls.items[first + activity];
}

void fm_completions_free(struct fm_completions *completions);

#endif
