/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/composition/nearest.h"

int fm_compare_sized(const void *a, const void *b)
{
    const struct fm_sized *left = a, *right = b;
    if (left->ticks != right->ticks) {
        return left->ticks < right->ticks ? -1 : 1;
    }
    return left->stretch < right->stretch ? -1 : left->stretch > right->stretch;
}

/* Goes on to the next shorter length. */
static void shorten(struct fm_nearest *nearest)
{
    nearest->low = nearest->first;
    while (nearest->first > nearest->begin &&
           nearest->items[nearest->first - 1].ticks == nearest->items[nearest->low - 1].ticks) {
        nearest->first--;
    }
    nearest->next = nearest->first;
}

struct fm_nearest fm_nearest_begin(const struct fm_sized *items, size_t begin, size_t end,
                                   size_t low, size_t high, uint64_t ticks)
{
    struct fm_nearest nearest = {
        .items = items, .begin = begin, .end = end, .first = low, .high = high, .ticks = ticks};
    shorten(&nearest);
    return nearest;
}

const struct fm_sized *fm_nearest_next(struct fm_nearest *nearest)
{
    if (nearest->next == nearest->low) {
        shorten(nearest);
    }
    const struct fm_sized *below =
        nearest->next < nearest->low ? &nearest->items[nearest->next] : NULL;
    const struct fm_sized *above =
        nearest->high < nearest->end ? &nearest->items[nearest->high] : NULL;
    if (below == NULL && above == NULL) {
        return NULL;
    }
    const uint64_t down = below == NULL ? UINT64_MAX : nearest->ticks - below->ticks;
    const uint64_t up = above == NULL ? UINT64_MAX : above->ticks - nearest->ticks;
    if (down < up || (down == up && below->stretch < above->stretch)) {
        nearest->next++;
        return below;
    }
    nearest->high++;
    return above;
}
