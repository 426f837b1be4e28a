#include "analysis/causes/blame/serialization.h"

#include "analysis/one_sided/holders/lock_holders.h"
#include "base/containers/sort.h"
#include "cube/model/delay_kind.h"

void fm_path_holds_note(fm_path_holds *holds, const struct fm_formation *formation,
                        uint32_t location, const struct fm_wait *wait)
{
    const struct fm_lock_view *view =
        fm_lock_holders_view(formation->analysis->lock_holders, location);
    if (view == NULL ||
        !fm_delay_metrics(fm_delay_kind((fm_metric_t)wait->metric))->is_contention) {
        return;
    }
    const struct fm_lock_claim wanted = {.until = wait->until,
                                         .enter = wait->enter,
                                         .waiter = location,
                                         .cause = wait->cause_location};
    const struct fm_lock_claim *claim;
    if (fm_lock_claims_find(&view->waiting, &wanted, &claim) > 0) {
        fm_vector_push(holds, (struct fm_path_hold){.from = claim->acquired,
                                                    .to = claim->released,
                                                    .location = location});
        fm_vector_push(holds, (struct fm_path_hold){.from = claim->cause_acquired,
                                                    .to = claim->cause_released,
                                                    .location = claim->cause});
    }
}

static int compare_holds(const void *a, const void *b)
{
    const struct fm_path_hold *left = a, *right = b;
    if (left->location != right->location) {
        return left->location < right->location ? -1 : 1;
    }
    return left->from < right->from ? -1 : left->from > right->from;
}

void fm_path_holds_join(fm_path_holds *holds, struct fm_team *team)
{
    fm_path_holds all = {0};
    fm_team_share_vector(team, holds, &all);
    fm_sort(all.items, all.count, sizeof *all.items, compare_holds);
    size_t joined = 0;
    for (size_t i = 0; i < all.count; i++) {
        struct fm_path_hold *last = joined > 0 ? &all.items[joined - 1] : NULL;
        const struct fm_path_hold hold = all.items[i];
        if (last != NULL && last->location == hold.location && hold.from <= last->to) {
            last->to = hold.to > last->to ? hold.to : last->to;
        } else {
            all.items[joined++] = hold;
        }
    }
    all.count = joined;
    fm_vector_free(holds);
    *holds = all;
}

size_t fm_path_holds_behind(const fm_path_holds *holds, uint32_t location, uint64_t time)
{
    size_t low = 0, high = holds->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct fm_path_hold *hold = &holds->items[middle];
        if (hold->location < location || (hold->location == location && hold->to <= time)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}
