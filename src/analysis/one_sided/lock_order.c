/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/one_sided/lock_order.h"

static bool acquisitions_known(const struct fm_released_epochs *list, const struct fm_keyed *epochs,
                               size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        if (!list->epochs.items[epochs[i].value].candidates_known) {
            return false;
        }
    }
    return true;
}

static void sort_simultaneous(const struct fm_released_epochs *list, struct fm_keyed *epochs,
                              size_t count, struct fm_keyed *spare)
{
    const uint64_t time = epochs[0].key;
    for (size_t i = 0; i < count; ++i) {
        const struct fm_released_epoch *epoch = &list->epochs.items[epochs[i].value];
        epochs[i].key = (uint64_t)epoch->location << 32 | epoch->activity;
    }
    fm_keyed_sort(epochs, count, spare);
    for (size_t i = 0; i < count; ++i) {
        epochs[i].key = time;
    }
}

static void sort_window(const struct fm_released_epochs *list, struct fm_keyed *epochs,
                        size_t count, struct fm_keyed *spare)
{
    const bool by_acquisition = acquisitions_known(list, epochs, count);
    for (size_t i = 0; i < count; ++i) {
        const struct fm_released_epoch *epoch = &list->epochs.items[epochs[i].value];
        epochs[i].key = by_acquisition ? epoch->acquired : epoch->leave;
    }
    fm_keyed_sort(epochs, count, spare);
    for (size_t begin = 0, end; begin < count; begin = end) {
        end = begin + 1;
        while (end < count && epochs[end].key == epochs[begin].key) {
            ++end;
        }
        if (end - begin > 1) {
            sort_simultaneous(list, epochs + begin, end - begin, spare);
        }
    }
}

void fm_lock_order_find(struct fm_lock_order *order, const struct fm_released_epochs *list)
{
    const size_t count = list->epochs.count;
    order->epochs.count = order->spare.count = 0;
    fm_vector_reserve(&order->epochs, count);
    fm_vector_reserve(&order->spare, count);
    struct fm_keyed *epochs = order->epochs.items;
    for (size_t i = 0; i < count; ++i) {
        epochs[i] = (struct fm_keyed){list->epochs.items[i].window, (uint32_t)i};
    }
    order->epochs.count = count;
    fm_keyed_sort(epochs, count, order->spare.items);
    for (size_t begin = 0, end; begin < count; begin = end) {
        const uint64_t window = epochs[begin].key;
        end = begin + 1;
        while (end < count && epochs[end].key == window) {
            ++end;
        }
        sort_window(list, epochs + begin, end - begin, order->spare.items);
    }
}

void fm_lock_order_free(struct fm_lock_order *order)
{
    fm_vector_free(&order->epochs);
    fm_vector_free(&order->spare);
}
