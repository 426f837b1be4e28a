/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * From which message size on do standard sends wait for their receive? MPI libraries buffer short
 * messages (eager protocol) and make the sender of a long one wait (rendezvous). Where the limit
 * lies, the run itself shows: by the calls that complete one send and nothing else.
 *
 * Such a call is a sample if it was entered before t, the Enter of the call that posted the
 * receive: it passed if it was left before t, and waited if it contains t. A send that does not
 * wait may contain a nearby t by chance. Therefore a call that contains its t is no sample if it
 * was entered before t by no more than the longest duration of the calls that passed with as many
 * bytes or more. The limit is the smallest size of which at least half of the samples waited.
 */
#ifndef FERMATA_ANALYSIS_P2P_BLOCKING_SIZE_H
#define FERMATA_ANALYSIS_P2P_BLOCKING_SIZE_H

#include "base/containers/map.h"
#include "base/containers/vector.h"
#include "engine/team/team.h"

#include <stdbool.h>
#include <stdint.h>

/** Where sender and receiver are: the protocols of a library differ. */
typedef enum { FM_SAME_NODE, FM_OTHER_NODE, FM_LOCALITIES } fm_locality_t;

/** The samples of one size. */
struct fm_size_samples {
    uint32_t locality;
    uint32_t bytes;
    uint64_t passed, waited;
    uint64_t longest; /**< ticks: of those that passed */
    uint64_t total;   /**< likewise: the sum */
};

/** Samples by locality and size. {0}: none. */
struct fm_send_samples {
    struct fm_map position_of; /**< (locality, bytes) -> position; unused once they are shared */
    FM_VECTOR(struct fm_size_samples) sizes;
};

/** By locality: the smallest size that waits; UINT64_MAX: none. */
struct fm_blocking_sizes {
    uint64_t from[FM_LOCALITIES];
};

/** Adds a call that passed. */
void fm_send_samples_pass(struct fm_send_samples *samples, fm_locality_t locality, uint32_t bytes,
                          uint64_t duration);

/** Adds a call that contains its t, unless it may do so by chance.
 * @param passed    shared samples: all calls of the run that passed
 * @param lateness  ticks from its Enter to t */
void fm_send_samples_wait(struct fm_send_samples *samples, const struct fm_send_samples *passed,
                          fm_locality_t locality, uint32_t bytes, uint64_t lateness);

/** Moves the samples of several workers to `all`, which is empty, joined with those of all
 * processes of the team, each size once, ascending. `longest` becomes that of the size and all
 * larger ones. Collective.
 * @param of_workers  emptied */
void fm_send_samples_share(struct fm_send_samples *all, struct fm_send_samples *const *of_workers,
                           unsigned workers, struct fm_team *team);

/** Determines the limits from the shared samples of a run. */
struct fm_blocking_sizes fm_blocking_sizes_find(const struct fm_send_samples *passed,
                                                const struct fm_send_samples *waited);

/** @return whether a call that passed took by far longer than such calls of this size do on
 * average: at least FM_STANDSTILL times as long.
 * @param passed  shared samples */
bool fm_send_stood_still(const struct fm_send_samples *passed, fm_locality_t locality,
                         uint32_t bytes, uint64_t duration);

/** A call that takes so many times the mean is one of more calls than that. */
#define FM_STANDSTILL 16U

/** @return whether a send of this size can wait for its receive. */
static inline bool fm_send_can_wait(const struct fm_blocking_sizes *sizes, fm_locality_t locality,
                                    uint32_t bytes)
{
    return bytes >= sizes->from[locality];
}

void fm_send_samples_free(struct fm_send_samples *samples);

#endif
