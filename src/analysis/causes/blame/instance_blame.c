/* SPDX-License-Identifier: BSD-3-Clause */
/* The pieces of the worst wait states are few. Their locations divide them by call paths; then all
 * processes share them and add them up. */
#include "analysis/causes/blame/instance_blame.h"

#include "base/containers/sort.h"
#include "engine/dispatch/dispatch.h"

static int compare_waits(uint64_t until, uint32_t location, uint64_t other_until,
                         uint32_t other_location)
{
    if (until != other_until) {
        return until < other_until ? -1 : 1;
    }
    return location < other_location ? -1 : location > other_location;
}

static int compare_instances(const void *a, const void *b)
{
    const struct fm_blamed_instance *left = a, *right = b;
    return compare_waits(left->until, left->location, right->until, right->location);
}

static int compare_pieces(const void *a, const void *b)
{
    const struct fm_instance_piece *left = a, *right = b;
    int order = compare_waits(left->until, left->waiter, right->until, right->waiter);
    if (order != 0) {
        return order;
    }
    if (left->location != right->location) {
        return left->location < right->location ? -1 : 1;
    }
    return left->callpath < right->callpath ? -1 : left->callpath > right->callpath;
}

void fm_instance_search_begin(struct fm_instance_search *search,
                              const struct fm_formation *formation, uint64_t begin,
                              const struct fm_cube_statistics *statistics, uint32_t count)
{
    *search = (struct fm_instance_search){
        .formation = formation,
        .found = fm_allocate_apart(fm_engine_workers(formation->analysis->engine),
                                   sizeof *search->found),
    };
    for (uint32_t s = 0; s < count; s++) {
        for (uint32_t i = 0; i < statistics[s].worst_count; i++) {
            const struct fm_cube_instance *instance = &statistics[s].worst[i];
            uint64_t until = begin + instance->enter + instance->wait;
            search->may_be_wanted[until % FM_INSTANCE_FILTER] = true;
            fm_vector_push(
                &search->instances,
                (struct fm_blamed_instance){
                    .until = until, .location = instance->location, .statistics = s, .number = i});
        }
    }
    fm_sort(search->instances.items, search->instances.count, sizeof *search->instances.items,
            compare_instances);
}

static bool is_wanted(const struct fm_instance_search *search, uint64_t until, uint32_t waiter)
{
    size_t low = 0, high = search->instances.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct fm_blamed_instance *instance = &search->instances.items[middle];
        int order = compare_waits(instance->until, instance->location, until, waiter);
        if (order == 0) {
            return true;
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return false;
}

void fm_instance_search_look(struct fm_instance_search *search, unsigned worker,
                             const struct fm_blame_wait_piece *piece)
{
    if (is_wanted(search, piece->until, piece->waiter)) {
        fm_vector_push(&search->found[worker].pieces,
                       (struct fm_instance_piece){.from = piece->from,
                                                  .to = piece->to,
                                                  .until = piece->until,
                                                  .at = piece->at,
                                                  .is_sample = piece->is_sample,
                                                  .waiter = piece->waiter,
                                                  .location = piece->location});
    }
}

/* ---- call paths ---- */

static void send_pieces(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)first;
    (void)last;
    struct fm_instance_search *search = context;
    const struct fm_trace *trace = search->formation->analysis->trace;
    const fm_instance_pieces *pieces = &search->found[worker].pieces;
    for (size_t i = 0; i < pieces->count; i++) {
        fm_dispatch_send(search->pieces, worker, fm_trace_process(trace, pieces->items[i].location),
                         &pieces->items[i]);
    }
}

static void take_piece(void *context, unsigned worker, uint32_t process, const void *record)
{
    (void)process;
    struct fm_instance_search *search = context;
    struct fm_instance_piece piece = *(const struct fm_instance_piece *)record;
    const struct fm_busy_time *busy_time = &search->formation->busy_times[piece.location];
    struct fm_busy_time_walk walk = {0};
    const uint64_t to = piece.to;
    while (piece.from < to) {
        const struct fm_blame_wait_piece rest = {
            .from = piece.from, .to = to, .is_sample = piece.is_sample != 0, .at = piece.at};
        piece.to = fm_blame_look(busy_time, &rest, &walk);
        piece.callpath = walk.visit == busy_time->nodes
                             ? FM_NONE
                             : busy_time->location->profile.items[walk.visit].callpath;
        fm_vector_push(&search->found[worker].own, piece);
        piece.from = piece.to;
    }
}

/* ---- the result ---- */

static void share_pieces(struct fm_instance_search *search, fm_instance_pieces *all)
{
    const struct fm_analysis *analysis = search->formation->analysis;
    fm_instance_pieces own = {0};
    for (unsigned w = 0; w < fm_engine_workers(analysis->engine); w++) {
        struct fm_found_pieces *found = &search->found[w];
        for (size_t i = 0; i < found->own.count; i++) {
            fm_vector_push(&own, found->own.items[i]);
        }
        fm_vector_free(&found->pieces);
        fm_vector_free(&found->own);
    }
    fm_team_share_vector(analysis->team, &own, all);
    fm_vector_free(&own);
    fm_sort(all->items, all->count, sizeof *all->items, compare_pieces);
}

/* @return the place with the largest part of a wait state; `pieces` are sorted by place */
static struct fm_cube_blamed choose(const fm_instance_pieces *pieces, uint64_t until,
                                    uint32_t waiter)
{
    struct fm_cube_blamed best = {FM_CUBE_NONE, FM_CUBE_NONE, 0}, place = best;
    for (size_t i = 0; i < pieces->count; i++) {
        const struct fm_instance_piece *piece = &pieces->items[i];
        if (piece->until != until || piece->waiter != waiter) {
            continue;
        }
        if (piece->location != place.location || piece->callpath != place.callpath) {
            place = (struct fm_cube_blamed){piece->location, piece->callpath, 0};
        }
        place.ticks += piece->to - piece->from;
        if (place.ticks > best.ticks) {
            best = place;
        }
    }
    return best;
}

void fm_instance_search_end(struct fm_instance_search *search,
                            struct fm_cube_statistics *statistics)
{
    fm_instance_pieces all = {0};
    search->pieces = fm_dispatch_create(search->formation->analysis->engine,
                                        sizeof(struct fm_instance_piece), take_piece, search);
    fm_dispatch_run(search->pieces, send_pieces, search);
    fm_dispatch_free(search->pieces);
    share_pieces(search, &all);
    for (size_t i = 0; i < search->instances.count; i++) {
        const struct fm_blamed_instance *instance = &search->instances.items[i];
        statistics[instance->statistics].worst[instance->number].blamed =
            choose(&all, instance->until, instance->location);
    }
    fm_vector_free(&all);
    fm_vector_free(&search->instances);
    fm_free(search->found);
}
