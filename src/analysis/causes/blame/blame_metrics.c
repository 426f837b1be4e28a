/* SPDX-License-Identifier: BSD-3-Clause */
/* The metrics of blame, and which location is blamed by which. */
#include "analysis/causes/blame/blame.h"
#include "analysis/causes/blame/instance_blame.h"
#include "analysis/causes/cost_table.h"
#include "base/containers/map.h"
#include "base/containers/sort.h"
#include "engine/dispatch/dispatch.h"

/* What a worker books: of one location after the other. */
struct account {
    struct fm_cost_table table;
    uint32_t location; /* FM_NONE: none */
    struct fm_map pair_index;
    FM_VECTOR(struct fm_blame_pair) pairs; /* that the worker has found */
    FM_VECTOR(struct fm_blame_pair) own;   /* of its waiting locations */
    unsigned char apart[FM_APART];
};

struct booking {
    struct fm_formation *formation;
    struct account *accounts; /* by worker */
    struct fm_dispatch *pairs;
    const struct fm_blame_listener *listener; /* NULL: none */
    struct fm_instance_search instances;
};

static void end_location(struct booking *booking, unsigned worker)
{
    struct account *account = &booking->accounts[worker];
    if (account->location != FM_NONE) {
        fm_cost_table_end(&account->table, booking->formation, worker, account->location);
    }
}

static void book(void *context, unsigned worker, const struct fm_blame_piece *piece)
{
    struct booking *booking = context;
    struct account *account = &booking->accounts[worker];
    if (account->location != piece->location) {
        end_location(booking, worker);
        account->location = piece->location;
        fm_cost_table_begin(&account->table, booking->formation, piece->location);
    }
    int64_t ticks = (int64_t)(piece->weight * (piece->to - piece->from));
    if (piece->visit != FM_NONE) {
        fm_cost_table_add(&account->table, piece->visit, fm_delay_metrics(piece->kind)->blame,
                          ticks);
        return;
    }
    const struct fm_trace *trace = booking->formation->analysis->trace;
    uint32_t visit = fm_blame_unattributed_visit(&trace->locations[piece->location]);
    if (visit != FM_NONE) {
        fm_cost_table_add(&account->table, visit, FM_METRIC_BLAME_UNATTRIBUTED, ticks);
    }
}

/* ---- pairs ---- */

static void add_to_pair(void *context, unsigned worker, const struct fm_blame_wait_piece *piece)
{
    struct booking *booking = context;
    struct account *account = &booking->accounts[worker];
    if (booking->listener != NULL) {
        booking->listener->take(booking->listener->context, worker, piece);
    }
    uint64_t locations = booking->formation->analysis->trace->location_count;
    uint64_t key = (piece->waiter * locations + piece->location) * FM_DELAY_NONE + piece->kind;
    uint32_t next = (uint32_t)account->pairs.count;
    uint32_t number = *fm_map_at(&account->pair_index, key, next);
    if (number == next) {
        fm_vector_push(&account->pairs, (struct fm_blame_pair){.waiter = piece->waiter,
                                                               .location = piece->location,
                                                               .kind = piece->kind});
    }
    struct fm_blame_pair *pair = &account->pairs.items[number];
    pair->ticks += piece->to - piece->from;
    pair->count += piece->to == piece->until;
    fm_instance_search_take(&booking->instances, worker, piece);
}

static void send_pairs(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)first;
    (void)last;
    struct booking *booking = context;
    struct account *account = &booking->accounts[worker];
    for (size_t i = 0; i < account->pairs.count; i++) {
        const struct fm_blame_pair *pair = &account->pairs.items[i];
        fm_dispatch_send(booking->pairs, worker,
                         fm_trace_process(booking->formation->analysis->trace, pair->waiter), pair);
    }
    fm_vector_free(&account->pairs);
    fm_map_free(&account->pair_index);
}

static void take_pair(void *context, unsigned worker, uint32_t process, const void *record)
{
    (void)process;
    struct booking *booking = context;
    const struct fm_blame_pair *pair = record;
    fm_vector_push(&booking->accounts[worker].own, *pair);
}

static int compare_pairs(const void *a, const void *b)
{
    const struct fm_blame_pair *left = a, *right = b;
    if (left->location != right->location) {
        return left->location < right->location ? -1 : 1;
    }
    if (left->waiter != right->waiter) {
        return left->waiter < right->waiter ? -1 : 1;
    }
    return left->kind < right->kind ? -1 : left->kind > right->kind;
}

/* Brings all pairs of a waiting location together, each once. */
static void join_pairs(struct booking *booking, unsigned workers)
{
    struct fm_formation *formation = booking->formation;
    FM_VECTOR(struct fm_blame_pair) all = {0};
    booking->pairs = fm_dispatch_create(formation->analysis->engine, sizeof(struct fm_blame_pair),
                                        take_pair, booking);
    fm_dispatch_run(booking->pairs, send_pairs, booking);
    fm_dispatch_free(booking->pairs);
    for (unsigned w = 0; w < workers; w++) {
        struct account *account = &booking->accounts[w];
        for (size_t i = 0; i < account->own.count; i++) {
            fm_vector_push(&all, account->own.items[i]);
        }
        fm_vector_free(&account->own);
    }
    fm_sort(all.items, all.count, sizeof *all.items, compare_pairs);
    size_t joined = 0;
    for (size_t i = 0; i < all.count; i++) {
        if (joined > 0 && compare_pairs(&all.items[joined - 1], &all.items[i]) == 0) {
            all.items[joined - 1].ticks += all.items[i].ticks;
            all.items[joined - 1].count += all.items[i].count;
        } else {
            all.items[joined++] = all.items[i];
        }
    }
    formation->blame_pairs = all.items;
    formation->blame_pair_count = joined;
}

void fm_blame_book(struct fm_formation *formation, uint64_t begin,
                   struct fm_cube_statistics *statistics, uint32_t count,
                   const struct fm_blame_listener *listener)
{
    if (formation->is_circular) {
        return;
    }
    unsigned workers = fm_engine_workers(formation->analysis->engine);
    struct booking booking = {
        .formation = formation,
        .accounts = fm_allocate_apart(workers, sizeof *booking.accounts),
        .listener = listener,
    };
    for (unsigned w = 0; w < workers; w++) {
        booking.accounts[w].location = FM_NONE;
    }
    fm_instance_search_begin(&booking.instances, formation, begin, statistics, count);
    fm_blame_find_both(
        formation, &(struct fm_blame_request){.context = &booking, .take = book},
        &(struct fm_blame_each){.context = &booking, .take = add_to_pair, .without_visits = true});
    for (unsigned w = 0; w < workers; w++) {
        end_location(&booking, w);
        fm_cost_table_free(&booking.accounts[w].table);
    }
    join_pairs(&booking, workers);
    fm_instance_search_end(&booking.instances, statistics);
    fm_free(booking.accounts);
}
