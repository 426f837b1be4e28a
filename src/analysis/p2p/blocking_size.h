/** @file
 * From which message size do standard sends wait for their receive? MPI libraries buffer short
 * messages (eager protocol) and make the sender of a long one wait (rendezvous). Where the limit
 * lies, the run itself shows: by the calls that complete one send and nothing else.
 *
 * Such a call was late by `t - Enter`, where t is the Enter of the call that posted the receive. It
 * waited if it contains t, and passed if it was left before. A short call contains a nearby t by
 * chance. Therefore a wait is compared only with calls that were at least about
 * 2^-FM_LATENESS_RANGE as late. Sizes and latenesses are counted by their number of binary
 * digits. The limit is the size that contradicts the fewest calls: those that waited although they
 * are smaller, and those that passed although they are not.
 */
#ifndef FERMATA_ANALYSIS_P2P_BLOCKING_SIZE_H
#define FERMATA_ANALYSIS_P2P_BLOCKING_SIZE_H

#include <stdbool.h>
#include <stdint.h>

enum {
    FM_SIZE_CLASSES = 33,     /**< binary digits of a uint32_t */
    FM_LATENESS_CLASSES = 65, /**< binary digits of a uint64_t */
    FM_LATENESS_RANGE = 8,    /**< digits */
};

/** Where sender and receiver are: the protocols of a library differ. */
typedef enum { FM_SAME_NODE, FM_OTHER_NODE, FM_LOCALITIES } fm_locality_t;

/** Calls that were late, by locality, lateness and size. Zeroed: none. Sums of several counts are
 * the counts of all: a plain array of uint64_t. */
struct fm_late_sends {
    uint64_t waited[FM_LOCALITIES][FM_LATENESS_CLASSES][FM_SIZE_CLASSES];
    uint64_t passed[FM_LOCALITIES][FM_LATENESS_CLASSES][FM_SIZE_CLASSES];
};

/** By locality and lateness of the wait in question: the smallest class of sizes whose sends wait;
 * FM_SIZE_CLASSES: none. */
struct fm_blocking_sizes {
    uint8_t from[FM_LOCALITIES][FM_LATENESS_CLASSES];
};

/** Counts a call that completes one standard send and nothing else.
 * @param lateness  t - Enter, greater than 0
 * @param waited    t <= Leave */
void fm_late_sends_count(struct fm_late_sends *sends, fm_locality_t locality, uint32_t bytes,
                         uint64_t lateness, bool waited);

/** Adds other counts. */
void fm_late_sends_add(struct fm_late_sends *sends, const struct fm_late_sends *other);

/** Determines the limits from the calls of the whole run. */
void fm_blocking_sizes_find(struct fm_blocking_sizes *sizes, const struct fm_late_sends *sends);

/** @return whether a send of this size can have waited for so long. */
bool fm_send_can_wait(const struct fm_blocking_sizes *sizes, fm_locality_t locality, uint32_t bytes,
                      uint64_t lateness);

#endif
