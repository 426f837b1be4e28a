/** @file
 * From which message size on do standard sends wait for their receive? MPI libraries buffer short
 * messages (eager protocol) and make the sender of a long one wait (rendezvous). Where the limit
 * lies, the run itself shows: by the calls that complete one send and nothing else.
 *
 * Such a call passed if it was left before t, the Enter of the call that posted the receive; it
 * contained t if it was not. The limit is the smallest size at which at least half of the calls
 * contained their t. A call that contained it no later after its Enter than the longest call of at
 * least this size that passed does not count: a send that does not wait would contain it, too.
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

/** The calls of one size. */
struct fm_sends_of_size {
    uint64_t passed;
    uint64_t longest_passed; /**< ticks from Enter to Leave */
    uint32_t bytes;
    uint32_t locality; /**< fm_locality_t */
};

/** A call that contained its t. */
struct fm_contained_post {
    uint64_t lateness; /**< t - Enter */
    uint32_t of_size;  /**< position in `sizes` */
};

/** Calls whose receive was posted behind their Enter. {0}: none. */
struct fm_late_sends {
    struct fm_map of_size; /**< (locality, bytes) -> position in `sizes` */
    FM_VECTOR(struct fm_sends_of_size) sizes;
    FM_VECTOR(struct fm_contained_post) contained;
};

/** By locality: the size from which on sends wait; UINT64_MAX: none waits. */
struct fm_blocking_sizes {
    uint64_t from[FM_LOCALITIES];
};

/** Adds a call that completes one standard send and nothing else.
 * @param lateness  t - Enter, greater than 0, in ticks
 * @param duration  Leave - Enter, in ticks */
void fm_late_sends_add(struct fm_late_sends *sends, fm_locality_t locality, uint32_t bytes,
                       uint64_t lateness, uint64_t duration);

void fm_late_sends_free(struct fm_late_sends *sends);

/** Determines the limits from the calls of the whole run. Collective. O(n log n) of the distinct
 * sizes, O(n) of the calls.
 * @param parts  the calls that this process has found, in `count` parts */
void fm_blocking_sizes_find(struct fm_blocking_sizes *sizes, const struct fm_late_sends *parts,
                            size_t count, struct fm_team *team);

/** @return whether a send of this size can have waited for its receive. */
static inline bool fm_send_can_wait(const struct fm_blocking_sizes *sizes, fm_locality_t locality,
                                    uint32_t bytes)
{
    return bytes >= sizes->from[locality];
}

#endif
