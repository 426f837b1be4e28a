/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/results/detail_blame.h"

#include "analysis/causes/blame/blame.h"
#include "base/containers/sort.h"

/* What a worker has found. */
struct found_blames {
    fm_detail_blames blames;
    unsigned char apart[FM_APART];
};

struct blame_search {
    const struct fm_formation *formation;
    struct found_blames *found; /* by worker */
};

static void take_piece(void *context, unsigned worker, const struct fm_blame_wait_piece *piece)
{
    const struct blame_search *search = context;
    const struct fm_busy_time *waiter = &search->formation->busy_times[piece->waiter];
    const struct fm_location *blamed =
        &search->formation->analysis->trace->locations[piece->location];
    fm_vector_push(&search->found[worker].blames,
                   (struct fm_detail_blame){
                       .from = piece->from,
                       .to = piece->to,
                       .waiter = piece->waiter,
                       .activity = waiter->waits.items[piece->number].activity,
                       .location = piece->location,
                       .callpath = piece->visit == FM_NONE
                                       ? FM_NONE
                                       : blamed->profile.items[piece->visit].callpath,
                   });
}

static int compare_blames(const void *a, const void *b)
{
    const struct fm_detail_blame *left = a, *right = b;
    if (left->waiter != right->waiter) {
        return left->waiter < right->waiter ? -1 : 1;
    }
    if (left->activity != right->activity) {
        return left->activity < right->activity ? -1 : 1;
    }
    return left->from < right->from ? -1 : left->from > right->from;
}

/* Pieces come divided at places that depend on the number of workers. */
static void join(fm_detail_blames *blames)
{
    size_t kept = 0;
    for (size_t i = 0; i < blames->count; ++i) {
        const struct fm_detail_blame *next = &blames->items[i];
        struct fm_detail_blame *last = kept == 0 ? NULL : &blames->items[kept - 1];
        if (last != NULL && last->waiter == next->waiter && last->activity == next->activity &&
            last->to == next->from && last->location == next->location &&
            last->callpath == next->callpath) {
            last->to = next->to;
        } else {
            blames->items[kept++] = *next;
        }
    }
    blames->count = kept;
}

void fm_detail_blames_find(const struct fm_formation *formation, fm_detail_blames *blames)
{
    if (formation->is_circular) {
        return;
    }
    const unsigned workers = fm_engine_workers(formation->analysis->engine);
    struct blame_search search = {formation, fm_allocate_apart(workers, sizeof *search.found)};
    fm_blame_waits(formation, &(struct fm_blame_each){.context = &search, .take = take_piece});
    for (unsigned w = 0; w < workers; ++w) {
        fm_detail_blames *found = &search.found[w].blames;
        for (size_t i = 0; i < found->count; ++i) {
            fm_vector_push(blames, found->items[i]);
        }
        fm_vector_free(found);
    }
    fm_free(search.found);
    fm_sort(blames->items, blames->count, sizeof *blames->items, compare_blames);
    join(blames);
}
