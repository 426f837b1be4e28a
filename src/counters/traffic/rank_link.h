/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What ranks exchange with each other, summed up.
 */
#ifndef FERMATA_COUNTERS_TRAFFIC_RANK_LINK_H
#define FERMATA_COUNTERS_TRAFFIC_RANK_LINK_H

#include <stddef.h>
#include <stdint.h>

/** Traffic of one kind from a rank to another one. */
struct fm_rank_link {
    uint32_t kind; /**< enum fm_monitored or enum fm_traffic_flow */
    uint32_t from, to;
    uint64_t bytes, messages; /**< messages or operations */
};

/** Sorts links by kind, from and to, and adds up those with the same ones. O(n log n)
 * @return the number of links that are left */
size_t fm_rank_links_merge(struct fm_rank_link *links, size_t count);

#endif
