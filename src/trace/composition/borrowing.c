/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/composition/borrowing.h"

#include "base/containers/sort.h"

struct grouped {
    uint64_t group;
    struct fm_sized item;
};

static int compare_grouped(const void *a, const void *b)
{
    const struct grouped *left = a, *right = b;
    if (left->group != right->group) {
        return left->group < right->group ? -1 : 1;
    }
    return fm_compare_sized(&left->item, &right->item);
}

static uint32_t kind_of(const struct fm_lenders *lenders, uint32_t stretch)
{
    return lenders->stretches->items.items[stretch].kind;
}

static uint64_t calls_of(const struct fm_lenders *lenders, uint32_t stretch)
{
    return lenders->stretches->ends.items[kind_of(lenders, stretch)].calls;
}

static uint32_t caller_of(const struct fm_lenders *lenders, uint32_t stretch)
{
    return lenders->kinds->items[kind_of(lenders, stretch)].caller;
}

static uint64_t caller_group(const struct fm_lenders *lenders, uint32_t stretch)
{
    const uint32_t caller = caller_of(lenders, stretch);
    return caller == FM_NONE ? FM_NONE : lenders->location->profile.items[caller].region;
}

static uint64_t group_of(const struct fm_lenders *lenders, uint32_t stretch, bool by_caller)
{
    return by_caller ? caller_group(lenders, stretch) : calls_of(lenders, stretch);
}

static struct fm_lender_groups group(const struct fm_lenders *lenders, bool by_caller)
{
    const struct fm_stretches *stretches = lenders->stretches;
    FM_VECTOR(struct grouped) all = {0};
    for (uint32_t i = 0; i < stretches->items.count; i++) {
        const struct fm_stretch *stretch = &stretches->items.items[i];
        if (stretch->sample_count != 0) {
            fm_vector_push(&all, (struct grouped){group_of(lenders, i, by_caller),
                                                  {fm_stretch_ticks(stretch), i}});
        }
    }
    fm_sort(all.items, all.count, sizeof *all.items, compare_grouped);
    struct fm_lender_groups groups = {.items = fm_allocate(all.count, sizeof *groups.items)};
    for (size_t i = 0; i < all.count; i++) {
        groups.items[i] = all.items[i].item;
        fm_map_at(&groups.first, all.items[i].group, (uint32_t)i);
        ++*fm_map_at(&groups.count, all.items[i].group, 0);
    }
    fm_vector_free(&all);
    return groups;
}

/* Collects the stretches with samples of each kind: a kind may have millions without. */
static void collect_own(struct fm_lenders *lenders)
{
    const struct fm_kinds *kinds = lenders->kinds;
    lenders->first_own = fm_allocate((size_t)kinds->count + 1, sizeof *lenders->first_own);
    for (uint32_t k = 0; k < kinds->count; k++) {
        const struct fm_kind *kind = &kinds->items[k];
        for (uint32_t i = 0; i < kind->count; i++) {
            const uint32_t stretch = kinds->order[kind->first + i];
            if (lenders->stretches->items.items[stretch].sample_count != 0) {
                fm_vector_push(&lenders->own, stretch);
            }
        }
        lenders->first_own[k + 1] = (uint32_t)lenders->own.count;
    }
}

struct fm_lenders fm_lenders_of(const struct fm_location *location,
                                const struct fm_stretches *stretches, const struct fm_kinds *kinds,
                                struct fm_child_finder nodes)
{
    struct fm_lenders lenders = {
        .stretches = stretches, .kinds = kinds, .location = location, .nodes = nodes};
    collect_own(&lenders);
    lenders.by_calls = group(&lenders, false);
    lenders.by_caller = group(&lenders, true);
    return lenders;
}

static void free_groups(struct fm_lender_groups *groups)
{
    fm_free(groups->items);
    fm_map_free(&groups->first);
    fm_map_free(&groups->count);
}

void fm_lenders_free(struct fm_lenders *lenders)
{
    fm_vector_free(&lenders->own);
    fm_free(lenders->first_own);
    free_groups(&lenders->by_calls);
    free_groups(&lenders->by_caller);
    fm_vector_free(&lenders->path);
}

/* The node below the borrower's common caller that stands for one below the lender's.
 * @return whether `visit` is below the lender's */
static bool move_below(struct fm_lenders *lenders, uint32_t lender, uint32_t borrower,
                       uint32_t *visit)
{
    const struct fm_visit_profile *profile = lenders->location->profile.items;
    const uint32_t root = caller_of(lenders, lender);
    uint32_t node = *visit;
    lenders->path.count = 0;
    for (; node != root && node != FM_NONE; node = profile[node].parent) {
        fm_vector_push(&lenders->path, node);
    }
    if (node != root) {
        return false;
    }
    *visit = caller_of(lenders, borrower);
    while (lenders->path.count > 0) {
        *visit = lenders->nodes.child(lenders->nodes.context, *visit,
                                      lenders->path.items[--lenders->path.count]);
    }
    return true;
}

static void add_sample(fm_shares *shares, double weight, uint64_t position, uint32_t visit)
{
    for (size_t i = 0; i < shares->count; i++) {
        struct fm_share *share = &shares->items[i];
        if (share->visit == visit) {
            share->share += weight;
            share->position += (double)position;
            share->count++;
            return;
        }
    }
    fm_vector_push(shares, (struct fm_share){weight, (double)position, visit, 1});
}

/* @return the number of samples that were added */
static uint32_t borrow(struct fm_lenders *lenders, uint32_t lender, uint32_t borrower,
                       fm_shares *shares)
{
    const struct fm_stretch *stretch = &lenders->stretches->items.items[lender];
    const bool is_own = kind_of(lenders, lender) == kind_of(lenders, borrower);
    uint32_t count = 0;
    for (uint32_t i = 0; i < stretch->sample_count; i++) {
        const struct fm_stack_sample *sample =
            &lenders->stretches->samples.items[stretch->first_sample + i];
        uint32_t visit = sample->visit;
        if (is_own || move_below(lenders, lender, borrower, &visit)) {
            add_sample(shares, sample->weight, fm_sample_position(stretch, sample), visit);
            count++;
        }
    }
    return count;
}

/* @return the first of the items that has so many ticks or more */
static size_t search(const struct fm_sized *items, size_t first, size_t end, uint64_t ticks)
{
    while (first < end) {
        const size_t middle = first + (end - first) / 2;
        if (items[middle].ticks < ticks) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    return first;
}

/* Borrows from a stretch's group until there are enough samples. @return their number */
static uint32_t borrow_of_group(struct fm_lenders *lenders, uint32_t borrower, bool by_caller,
                                uint32_t found, fm_shares *shares)
{
    const struct fm_lender_groups *groups = by_caller ? &lenders->by_caller : &lenders->by_calls;
    const uint64_t key = group_of(lenders, borrower, by_caller);
    const uint32_t first = fm_map_get(&groups->first, key);
    if (first == FM_MAP_ABSENT) {
        return found;
    }
    const size_t end = first + fm_map_get(&groups->count, key);
    const uint64_t ticks = fm_stretch_ticks(&lenders->stretches->items.items[borrower]);
    const size_t at = search(groups->items, first, end, ticks);
    struct fm_nearest nearest = fm_nearest_begin(groups->items, first, end, at, at, ticks);
    const struct fm_sized *lender;
    while (found < FM_OWN_SAMPLES && (lender = fm_nearest_next(&nearest)) != NULL) {
        const bool is_own = kind_of(lenders, lender->stretch) == kind_of(lenders, borrower);
        const bool has_lent =
            by_caller && calls_of(lenders, lender->stretch) == calls_of(lenders, borrower);
        found += is_own || has_lent ? 0 : borrow(lenders, lender->stretch, borrower, shares);
    }
    return found;
}

void fm_borrow_shares(struct fm_lenders *lenders, uint32_t stretch, fm_shares *shares)
{
    const uint32_t kind = kind_of(lenders, stretch);
    uint32_t found = 0;
    shares->count = 0;
    for (uint32_t i = lenders->first_own[kind]; i < lenders->first_own[kind + 1]; i++) {
        found += borrow(lenders, lenders->own.items[i], stretch, shares);
    }
    found = borrow_of_group(lenders, stretch, false, found, shares);
    borrow_of_group(lenders, stretch, true, found, shares);
    double sum = 0;
    for (size_t i = 0; i < shares->count; i++) {
        sum += shares->items[i].share;
    }
    for (size_t i = 0; i < shares->count; i++) {
        struct fm_share *share = &shares->items[i];
        share->share /= sum;
        share->position /= share->count;
    }
    shares->count = sum > 0 ? shares->count : 0;
}
