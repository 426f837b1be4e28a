/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/locks/lock_holders_internal.h"

#include "base/containers/sort.h"

/* A claim on its way to the owner of one of its locations. */
struct sent_claim {
    struct fm_lock_claim claim;
    uint32_t to_waiter;
    uint32_t unused;
};

/* A presence on its way to the owner of its location. */
struct sent_presence {
    struct fm_lock_presence presence;
    uint32_t location;
    uint32_t unused;
};

static void take_span(void *context, unsigned worker, uint32_t process, const void *record)
{
    (void)worker;
    (void)process;
    struct fm_lock_holders *holders = context;
    const struct fm_holder_span *span = record;
    fm_vector_push(&holders->views[span->location].spans, *span);
}

static void take_mark(void *context, unsigned worker, uint32_t process, const void *record)
{
    (void)worker;
    (void)process;
    struct fm_lock_holders *holders = context;
    const struct fm_lock_mark *mark = record;
    fm_vector_push(&holders->views[mark->waiter].marks, *mark);
}

static void take_presence(void *context, unsigned worker, uint32_t process, const void *record)
{
    (void)worker;
    (void)process;
    struct fm_lock_holders *holders = context;
    const struct sent_presence *sent = record;
    fm_vector_push(&holders->views[sent->location].presences, sent->presence);
}

/* A gap whose parts become spans. */
struct dividing {
    struct fm_lock_holders *holders;
    const struct fm_lock_gap *gap;
    unsigned worker;
};

static void send_part(void *context, uint32_t location, uint64_t from, uint64_t to)
{
    const struct dividing *dividing = context;
    const struct fm_trace *trace = dividing->holders->analysis->trace;
    const bool is_free = location == FM_NONE;
    fm_lock_send_span(
        dividing->holders, dividing->worker,
        &(struct fm_holder_span){
            .from = from,
            .to = to,
            .succession = dividing->gap->succession,
            .location = is_free ? fm_trace_first_location(trace, dividing->gap->target) : location,
            .is_free = is_free,
            .lacks_progress = !is_free,
        });
}

static void take_gap(void *context, unsigned worker, uint32_t process, const void *record)
{
    (void)process;
    struct fm_lock_holders *holders = context;
    struct dividing dividing = {holders, record, worker};
    fm_lock_gap_divide(holders->partners, holders->analysis->trace, record, send_part, &dividing);
}

static void take_claim(void *context, unsigned worker, uint32_t process, const void *record)
{
    (void)worker;
    (void)process;
    struct fm_lock_holders *holders = context;
    const struct sent_claim *sent = record;
    if (sent->to_waiter) {
        fm_vector_push(&holders->views[sent->claim.waiter].waiting, sent->claim);
    } else {
        fm_vector_push(&holders->views[sent->claim.cause].caused, sent->claim);
    }
}

struct fm_lock_holders *fm_lock_holders_create(const struct fm_analysis *analysis)
{
    struct fm_lock_holders *holders = fm_allocate(1, sizeof *holders);
    holders->analysis = analysis;
    holders->views = fm_allocate(analysis->trace->location_count, sizeof *holders->views);
    holders->turns = fm_allocate(analysis->trace->process_count, sizeof *holders->turns);
    holders->locks = fm_allocate(analysis->trace->process_count, sizeof *holders->locks);
    holders->counts = fm_allocate(analysis->trace->process_count, sizeof *holders->counts);
    holders->scratch = fm_lock_scratch_create(fm_engine_workers(analysis->engine));
    holders->partners = fm_partner_calls_create(analysis);
    holders->gaps =
        fm_dispatch_create(analysis->engine, sizeof(struct fm_lock_gap), take_gap, holders);
    holders->spans =
        fm_dispatch_create(analysis->engine, sizeof(struct fm_holder_span), take_span, holders);
    holders->claims =
        fm_dispatch_create(analysis->engine, sizeof(struct sent_claim), take_claim, holders);
    holders->marks =
        fm_dispatch_create(analysis->engine, sizeof(struct fm_lock_mark), take_mark, holders);
    holders->presences =
        fm_dispatch_create(analysis->engine, sizeof(struct sent_presence), take_presence, holders);
    return holders;
}

/* ---- what the locations get ---- */

void fm_lock_send_span(struct fm_lock_holders *holders, unsigned worker,
                       const struct fm_holder_span *span)
{
    fm_dispatch_send(holders->spans, worker,
                     fm_trace_process(holders->analysis->trace, span->location), span);
}

void fm_lock_send_mark(struct fm_lock_holders *holders, unsigned worker,
                       const struct fm_lock_mark *mark)
{
    fm_dispatch_send(holders->marks, worker,
                     fm_trace_process(holders->analysis->trace, mark->waiter), mark);
}

void fm_lock_send_presence(struct fm_lock_holders *holders, unsigned worker, uint32_t location,
                           const struct fm_lock_presence *presence)
{
    const struct sent_presence sent = {.presence = *presence, .location = location};
    fm_dispatch_send(holders->presences, worker,
                     fm_trace_process(holders->analysis->trace, location), &sent);
}

void fm_lock_send_gap(struct fm_lock_holders *holders, unsigned worker,
                      const struct fm_lock_gap *gap)
{
    fm_dispatch_send(holders->gaps, worker, gap->target, gap);
}

void fm_lock_send_claim(struct fm_lock_holders *holders, unsigned worker,
                        const struct fm_lock_claim *claim)
{
    const struct fm_trace *trace = holders->analysis->trace;
    struct sent_claim sent = {.claim = *claim, .to_waiter = true};
    fm_dispatch_send(holders->claims, worker, fm_trace_process(trace, claim->waiter), &sent);
    sent.to_waiter = false;
    fm_dispatch_send(holders->claims, worker, fm_trace_process(trace, claim->cause), &sent);
}

uint64_t fm_lock_holders_deep(const struct fm_lock_holders *holders)
{
    uint64_t deep = 0;
    for (uint32_t p = 0; p < holders->analysis->trace->process_count; p++) {
        deep += holders->counts[p].deep;
    }
    return deep;
}

void fm_lock_holders_divide(struct fm_lock_holders *holders, unsigned worker,
                            const struct fm_divided_wait *wait)
{
    const uint32_t process = fm_trace_process(holders->analysis->trace, wait->waiter);
    struct fm_lock_counts *counts = &holders->counts[process];
    const uint64_t succession = (uint64_t)process << 32 | counts->successions++;
    const struct fm_holder_span before = {
        .from = wait->enter, .to = wait->at, .succession = succession, .location = wait->first};
    const struct fm_holder_span behind = {
        .from = wait->at, .to = wait->until, .succession = succession, .location = wait->cause};
    fm_lock_send_span(holders, worker, &before);
    fm_lock_send_span(holders, worker, &behind);
    fm_lock_send_claim(holders, worker,
                       &(struct fm_lock_claim){
                           .until = wait->until,
                           .enter = wait->enter,
                           .from = wait->enter,
                           .to = wait->until,
                           .succession = succession,
                           .wait = (uint64_t)process << 32 | counts->waits++,
                           .waiter = wait->waiter,
                           .cause = wait->cause,
                           .holders = 2,
                       });
}

static int compare_claims(const void *a, const void *b)
{
    const struct fm_lock_claim *left = a, *right = b;
    int order = fm_compare_numbers(left->until, right->until);
    order = order != 0 ? order : fm_compare_numbers(left->waiter, right->waiter);
    order = order != 0 ? order : fm_compare_numbers(left->cause, right->cause);
    order = order != 0 ? order : fm_compare_numbers(left->enter, right->enter);
    order = order != 0 ? order : fm_compare_numbers(left->wait, right->wait);
    return order != 0 ? order : fm_compare_numbers(left->from, right->from);
}

static int compare_spans(const void *a, const void *b)
{
    const struct fm_holder_span *left = a, *right = b;
    int order = fm_compare_numbers(left->from, right->from);
    return order != 0 ? order : fm_compare_numbers(left->succession, right->succession);
}

size_t fm_lock_claims_find(const fm_lock_claims *claims, const struct fm_lock_claim *wanted,
                           const struct fm_lock_claim **first)
{
    size_t low = 0, high = claims->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_claims(&claims->items[middle], wanted) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *first = claims->items + low;
    size_t end = low;
    while (end < claims->count && claims->items[end].until == wanted->until &&
           claims->items[end].waiter == wanted->waiter &&
           claims->items[end].cause == wanted->cause && claims->items[end].enter == wanted->enter &&
           claims->items[end].wait == claims->items[low].wait) {
        end++;
    }
    return end - low;
}

static void sort_views(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    struct fm_lock_holders *holders = context;
    const struct fm_trace *trace = holders->analysis->trace;
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last); l++) {
        struct fm_lock_view *view = &holders->views[l];
        fm_sort(view->spans.items, view->spans.count, sizeof *view->spans.items, compare_spans);
        fm_sort(view->waiting.items, view->waiting.count, sizeof *view->waiting.items,
                compare_claims);
        fm_sort(view->caused.items, view->caused.count, sizeof *view->caused.items, compare_claims);
        fm_lock_marks_sort(&view->marks);
        fm_lock_presences_join(&view->presences);
    }
}

static void close_sending(struct fm_lock_holders *holders)
{
    if (holders->scratch == NULL) {
        return;
    }
    fm_lock_scratch_free(holders->scratch, fm_engine_workers(holders->analysis->engine));
    holders->scratch = NULL;
    fm_partner_calls_free(holders->partners);
    holders->partners = NULL;
    fm_dispatch_free(holders->gaps);
    fm_dispatch_free(holders->spans);
    fm_dispatch_free(holders->claims);
    fm_dispatch_free(holders->marks);
    fm_dispatch_free(holders->presences);
}

void fm_lock_holders_deliver(struct fm_lock_holders *holders)
{
    fm_dispatch_deliver(holders->gaps);
    fm_dispatch_deliver(holders->spans);
    fm_dispatch_deliver(holders->claims);
    fm_dispatch_deliver(holders->marks);
    fm_dispatch_deliver(holders->presences);
    close_sending(holders);
    fm_engine_run(holders->analysis->engine, sort_views, holders);
}

void fm_lock_holders_forget(struct fm_lock_holders *holders)
{
    if (holders == NULL) {
        return;
    }
    for (uint32_t l = 0; l < holders->analysis->trace->location_count; l++) {
        fm_vector_free(&holders->views[l].spans);
        fm_vector_free(&holders->views[l].waiting);
        fm_vector_free(&holders->views[l].caused);
        fm_vector_free(&holders->views[l].presences);
    }
    for (uint32_t p = 0; p < holders->analysis->trace->process_count; p++) {
        fm_vector_free(&holders->turns[p]);
    }
}

void fm_lock_holders_free(struct fm_lock_holders *holders)
{
    if (holders == NULL) {
        return;
    }
    close_sending(holders);
    fm_lock_holders_forget(holders);
    for (uint32_t l = 0; l < holders->analysis->trace->location_count; l++) {
        fm_vector_free(&holders->views[l].marks);
    }
    for (uint32_t p = 0; p < holders->analysis->trace->process_count; p++) {
        fm_vector_free(&holders->locks[p]);
    }
    fm_free(holders->counts);
    fm_free(holders->turns);
    fm_free(holders->locks);
    fm_free(holders->views);
    fm_free(holders);
}

struct fm_lock_view *fm_lock_holders_view(struct fm_lock_holders *holders, uint32_t location)
{
    return holders == NULL ? NULL : &holders->views[location];
}

const fm_lock_turns *fm_lock_holders_turns(const struct fm_lock_holders *holders, uint32_t home)
{
    return &holders->turns[home];
}

const fm_contended_locks *fm_lock_holders_locks(const struct fm_lock_holders *holders,
                                                uint32_t home)
{
    return &holders->locks[home];
}
