/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/progress/need_key.h"

#include "trace/tables/trace.h"

/* Bits of a key: what (24), later (1), epoch (2), other node (1), size class (7), window (28). */
#define WINDOW_BITS 28
#define NO_WINDOW   ((1U << WINDOW_BITS) - 1)

uint64_t fm_need_key(const struct fm_needed *why, bool is_far)
{
    uint64_t key = why->what;
    key = key << 1 | why->is_later;
    key = key << 2 | why->epoch;
    key = key << 1 | is_far;
    key = key << 7 | why->size_class;
    return key << WINDOW_BITS | (why->window & NO_WINDOW);
}

uint32_t fm_need_key_window(uint64_t key)
{
    const uint32_t window = (uint32_t)(key & NO_WINDOW);
    return window == NO_WINDOW ? FM_NONE : window;
}

bool fm_need_key_is_far(uint64_t key)
{
    return (key >> (WINDOW_BITS + 7) & 1) != 0;
}

struct fm_needed fm_need_of_key(uint64_t key)
{
    const uint64_t bits = key >> WINDOW_BITS;
    return (struct fm_needed){
        .what = (uint32_t)(bits >> 11),
        .window = fm_need_key_window(key),
        .size_class = (uint8_t)(bits & 0x7f),
        .epoch = (uint8_t)(bits >> 8 & 3),
        .is_later = (bits >> 10 & 1) != 0,
    };
}

uint64_t fm_need_key_merge(uint64_t a, uint64_t b)
{
    if (a == b) {
        return a;
    }
    struct fm_needed all = fm_need_of_key(a);
    const struct fm_needed other = fm_need_of_key(b);
    all.what |= other.what;
    all.window = other.window < all.window ? other.window : all.window;
    all.size_class = other.size_class > all.size_class ? other.size_class : all.size_class;
    all.epoch = other.epoch > all.epoch ? other.epoch : all.epoch;
    all.is_later |= other.is_later;
    return fm_need_key(&all, fm_need_key_is_far(a) || fm_need_key_is_far(b));
}
