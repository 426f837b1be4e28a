/* SPDX-License-Identifier: BSD-3-Clause */
#include "counters/traffic/rank_link.h"

#include <stdlib.h>

static int by_ends(const void *left, const void *right)
{
    const struct fm_rank_link *a = left, *b = right;
    return a->kind != b->kind   ? (a->kind < b->kind ? -1 : 1)
           : a->from != b->from ? (a->from < b->from ? -1 : 1)
                                : (a->to > b->to) - (a->to < b->to);
}

size_t fm_rank_links_merge(struct fm_rank_link *links, size_t count)
{
    size_t kept = 0;
    if (count == 0) {
        return 0;
    }
    qsort(links, count, sizeof *links, by_ends);
    for (size_t i = 1; i < count; i++) {
        if (by_ends(&links[kept], &links[i]) != 0) {
            links[++kept] = links[i];
        } else {
            links[kept].bytes += links[i].bytes;
            links[kept].messages += links[i].messages;
        }
    }
    return kept + 1;
}
