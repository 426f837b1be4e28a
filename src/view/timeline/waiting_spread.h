/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * How the waiting of the locations of a row differs: in each bin of the time the share of the
 * location that waits least, of the middle one, and of the one that waits most. The average of many
 * locations alone hides the few that do not wait, for which all others wait.
 */
#ifndef FERMATA_VIEW_TIMELINE_WAITING_SPREAD_H
#define FERMATA_VIEW_TIMELINE_WAITING_SPREAD_H

#include <stddef.h>
#include <stdint.h>

/** A share of 1, as stored for each location and bin. */
#define FM_SHARE_ONE 50000U

/** @return the share of `part` in `whole` (0: no share), rounded down, at most FM_SHARE_ONE. */
static inline uint16_t fm_share_of(uint64_t part, uint64_t whole)
{
    if (part >= whole)
        return whole == 0 ? 0 : FM_SHARE_ONE;
    return (uint16_t)((unsigned __int128)part * FM_SHARE_ONE / whole);
}

/** Shares in percent, one for each bin. */
struct fm_waiting_spread {
    uint64_t *least, *middle, *most;
};

/** Computes the spread of a row. Of an even number of locations, the middle one is that which waits
 * more.
 * @param shares   of `members` locations (at least one), each `bins` shares
 * @param spread   out: `bins` values each
 * Time: members x bins. */
void fm_waiting_spread_find(const uint16_t *shares, uint32_t members, uint32_t bins,
                            const struct fm_waiting_spread *spread);

#endif
