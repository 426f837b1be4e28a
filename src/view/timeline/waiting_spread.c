/* SPDX-License-Identifier: BSD-3-Clause */
#include "view/timeline/waiting_spread.h"

#include <string.h>

/** Percent: 0 to 100. */
#define PERCENTS 101U

/** Bins whose shares are counted together: their counts fit into the first-level cache. */
#define BLOCK 16U

static unsigned percent(uint16_t share)
{
    const unsigned one = FM_SHARE_ONE / 100;
    return (share + one / 2) / one;
}

/** @return the percentage of the member with `below` members before it in ascending order. */
static unsigned at_rank(const uint32_t *counts, uint32_t below)
{
    unsigned value = 0;
    for (uint32_t seen = counts[0]; seen <= below; seen += counts[value])
        value++;
    return value;
}

void fm_waiting_spread_find(const uint16_t *shares, uint32_t members, uint32_t bins,
                            const struct fm_waiting_spread *spread)
{
    uint32_t counts[BLOCK][PERCENTS];
    for (uint32_t first = 0; first < bins; first += BLOCK) {
        uint32_t count = bins - first < BLOCK ? bins - first : BLOCK;
        memset(counts, 0, sizeof counts);
        for (uint32_t i = 0; i < members; i++) {
            const uint16_t *own = shares + (size_t)i * bins + first;
            for (uint32_t bin = 0; bin < count; bin++)
                counts[bin][percent(own[bin])]++;
        }
        for (uint32_t bin = 0; bin < count; bin++) {
            spread->least[first + bin] = at_rank(counts[bin], 0);
            spread->middle[first + bin] = at_rank(counts[bin], members / 2);
            spread->most[first + bin] = at_rank(counts[bin], members - 1);
        }
    }
}
