/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/locks/lock_uses.h"

#include "base/containers/sort.h"

/* ---- marks ---- */

static int compare_marks(const void *a, const void *b)
{
    const struct fm_lock_mark *left = a, *right = b;
    int order = fm_compare_numbers(left->until, right->until);
    order = order != 0 ? order : fm_compare_numbers(left->cause, right->cause);
    order = order != 0 ? order : fm_compare_numbers(left->enter, right->enter);
    return order != 0 ? order : fm_compare_numbers(left->wait, right->wait);
}

void fm_lock_marks_sort(fm_lock_marks *marks)
{
    fm_sort(marks->items, marks->count, sizeof *marks->items, compare_marks);
}

const struct fm_lock_mark *fm_lock_mark_find(const fm_lock_marks *marks, uint64_t until,
                                             uint64_t enter, uint32_t cause)
{
    const struct fm_lock_mark wanted = {.until = until, .enter = enter, .cause = cause};
    size_t low = 0, high = marks->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare_marks(&marks->items[middle], &wanted) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const struct fm_lock_mark *found = &marks->items[low];
    return low < marks->count && found->until == until && found->enter == enter &&
                   found->cause == cause
               ? found
               : NULL;
}

/* ---- presences ---- */

static int compare_presences(const void *a, const void *b)
{
    const struct fm_lock_presence *left = a, *right = b;
    int order = fm_compare_numbers(left->lock, right->lock);
    order = order != 0 ? order : fm_compare_numbers(left->from, right->from);
    return order != 0 ? order : fm_compare_numbers(left->to, right->to);
}

void fm_lock_presences_join(fm_lock_presences *presences)
{
    fm_sort(presences->items, presences->count, sizeof *presences->items, compare_presences);
    size_t joined = 0;
    for (size_t i = 0; i < presences->count; i++) {
        const struct fm_lock_presence presence = presences->items[i];
        struct fm_lock_presence *last = joined > 0 ? &presences->items[joined - 1] : NULL;
        if (last != NULL && last->lock == presence.lock && presence.from <= last->to) {
            last->to = presence.to > last->to ? presence.to : last->to;
        } else {
            presences->items[joined++] = presence;
        }
    }
    presences->count = joined;
}

static bool is_present(const fm_lock_presences *presences, fm_lock_key_t lock, uint64_t from,
                       uint64_t *until)
{
    size_t low = 0, high = presences->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct fm_lock_presence *presence = &presences->items[middle];
        if (presence->lock < lock || (presence->lock == lock && presence->to <= from)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == presences->count || presences->items[low].lock != lock) {
        return false;
    }
    const struct fm_lock_presence *next = &presences->items[low];
    const bool is_inside = next->from <= from;
    const uint64_t end = is_inside ? next->to : next->from;
    *until = end < *until ? end : *until;
    return is_inside;
}

bool fm_lock_is_present(const fm_lock_presences *presences, fm_lock_key_t lock, fm_lock_key_t group,
                        uint64_t from, uint64_t *until)
{
    const size_t count = presences->count; /* those in all locks of a group come last */
    const bool has_groups = count > 0 && (presences->items[count - 1].lock & FM_ALL_LOCKS) != 0;
    return is_present(presences, lock, from, until) ||
           (has_groups && is_present(presences, group, from, until));
}
