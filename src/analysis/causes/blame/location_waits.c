/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/causes/blame/location_waits.h"

#include "analysis/causes/charge.h"

/* ---- windows ---- */

/* @return the window of a time: window w begins where w - 1 ends */
static uint32_t window_at(const struct fm_time_windows *windows, uint64_t time)
{
    uint32_t low = 0, high = windows->count - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (windows->ends[middle] <= time) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

void fm_blame_send_tie(const struct fm_blamed_location *examined, struct fm_blame_tie tie)
{
    struct fm_blame_run *run = examined->run;
    const uint64_t to = tie.to;
    for (tie.window = window_at(&run->windows, tie.from); tie.from < to; tie.window++) {
        uint64_t end = run->windows.ends[tie.window];
        tie.to = end < to ? end : to;
        fm_dispatch_send(run->ties, examined->worker, run->homes[tie.window], &tie);
        tie.from = tie.to;
    }
}

void fm_blame_send_source(const struct fm_blamed_location *examined,
                          const struct fm_blame_tie *source, uint64_t holders)
{
    struct fm_blame_tie tie = *source;
    if (holders <= FM_HOLDERS_EXAMINED) {
        tie.type = FM_TIE_SOURCE;
        fm_blame_send_tie(examined, tie);
        return;
    }
    struct fm_blame_run *run = examined->run;
    const uint64_t length = (source->to - source->from) / run->samples;
    tie.type = FM_TIE_SAMPLE;
    for (unsigned s = 0; s < run->samples; s++) {
        tie.from = source->from + s * length;
        tie.to = s + 1 < run->samples ? tie.from + length : source->to;
        if (tie.from < tie.to) {
            tie.window = window_at(&run->windows, fm_blame_instant(&tie));
            fm_dispatch_send(run->ties, examined->worker, run->homes[tie.window], &tie);
        }
    }
}

/* ---- the location's own waiting parts ---- */

static void add_part(struct fm_blamed_location *examined, uint64_t from, uint64_t to, uint32_t wait)
{
    const struct fm_time_windows *windows = &examined->run->windows;
    struct fm_blame_scratch *scratch = examined->scratch;
    uint64_t until = examined->busy_time->waits.items[wait].until;
    for (uint32_t window = window_at(windows, from); from < to; window++) {
        uint64_t end = windows->ends[window] < to ? windows->ends[window] : to;
        size_t count = scratch->parts.count;
        uint64_t latest = count > 0 ? scratch->parts.items[count - 1].latest_until : 0;
        fm_vector_push(&scratch->parts, (struct fm_waiting_part){
                                            .from = from,
                                            .to = end,
                                            .until = until,
                                            .latest_until = latest > until ? latest : until,
                                            .wait = wait,
                                            .window = window,
                                        });
        from = end;
    }
}

/* @return the innermost one of the active wait states: the latest to begin, then the first to end
 */
static uint32_t innermost(const struct fm_blame_scratch *scratch, const struct fm_wait *waits)
{
    uint32_t best = FM_NONE;
    for (size_t i = 0; i < scratch->active.count; i++) {
        uint32_t wait = scratch->active.items[i];
        if (best == FM_NONE || waits[wait].enter > waits[best].enter ||
            (waits[wait].enter == waits[best].enter && wait < best)) {
            best = wait;
        }
    }
    return best;
}

static void toggle(struct fm_blame_scratch *scratch, uint32_t wait)
{
    size_t i = 0;
    while (i < scratch->active.count && scratch->active.items[i] != wait) {
        i++;
    }
    if (i == scratch->active.count) {
        fm_vector_push(&scratch->active, wait);
    } else {
        scratch->active.items[i] = scratch->active.items[--scratch->active.count];
    }
}

/* Calls that contain calls may wait at once. */
static void list_nested_parts(struct fm_blamed_location *examined)
{
    struct fm_blame_scratch *scratch = examined->scratch;
    const struct fm_wait_list *waits = &examined->busy_time->waits;
    scratch->boundaries.count = scratch->active.count = 0;
    for (uint32_t w = 0; w < waits->count; w++) {
        fm_vector_push(&scratch->boundaries, (struct fm_keyed){waits->items[w].enter, w});
        fm_vector_push(&scratch->boundaries, (struct fm_keyed){waits->items[w].until, w});
    }
    fm_keyed_sort(scratch->boundaries.items, scratch->boundaries.count, NULL);
    for (size_t i = 0; i < scratch->boundaries.count; i++) {
        const struct fm_keyed *boundary = &scratch->boundaries.items[i];
        toggle(scratch, boundary->value);
        uint32_t wait = innermost(scratch, waits->items);
        if (wait != FM_NONE && boundary[1].key > boundary->key) {
            add_part(examined, boundary->key, boundary[1].key, wait);
        }
    }
}

static void list_parts(struct fm_blamed_location *examined)
{
    const struct fm_wait_list *waits = &examined->busy_time->waits;
    examined->scratch->parts.count = 0;
    for (uint32_t w = 1; w < waits->count; w++) {
        if (waits->items[w].enter < waits->items[w - 1].until) {
            list_nested_parts(examined);
            return;
        }
    }
    for (uint32_t w = 0; w < waits->count; w++) {
        add_part(examined, waits->items[w].enter, waits->items[w].until, w);
    }
}

/* ---- locks ---- */

void fm_blame_send_spans(const struct fm_blamed_location *examined)
{
    for (size_t i = 0; i < examined->view->spans.count; i++) {
        const struct fm_holder_span *span = &examined->view->spans.items[i];
        fm_blame_send_tie(
            examined, (struct fm_blame_tie){.from = span->from,
                                            .to = span->to,
                                            .succession = span->succession,
                                            .weight = span->lacks_progress,
                                            .location = span->is_free ? FM_NONE : examined->number,
                                            .other = FM_NONE,
                                            .type = FM_TIE_HOLDER});
    }
}

/* ---- what the location has caused ---- */

/* Sends a contention, or a wait for progress that begins with one, to the successions of the
 * holders of its lock. @return whether they are known
 */
static bool send_contention(const struct fm_blamed_location *examined,
                            const struct fm_caused_wait *wait, uint64_t weight)
{
    if (examined->view == NULL) {
        return false;
    }
    const struct fm_lock_claim wanted = {.until = wait->t,
                                         .enter = wait->t - wait->wait,
                                         .waiter = wait->waiter,
                                         .cause = examined->number};
    const struct fm_lock_claim *claims;
    size_t count = fm_lock_claims_find(&examined->view->caused, &wanted, &claims);
    bool wanted_itself = count > 0 && fm_blame_is_wanted(examined, wait);
    for (size_t i = 0; i < count; i++) {
        struct fm_blame_tie tie = {.from = claims[i].from,
                                   .to = claims[i].to,
                                   .until = wait->t,
                                   .succession = claims[i].succession,
                                   .weight = weight,
                                   .location = wait->waiter,
                                   .other = FM_NONE,
                                   .type = FM_TIE_CONTENTION,
                                   .kind = wait->delay_kind};
        if (weight != 0) {
            fm_blame_send_tie(examined, tie);
        }
        if (wanted_itself) {
            tie.weight = wait->number;
            fm_blame_send_source(examined, &tie, claims[i].holders);
        }
    }
    return count > 0;
}

/* Lists the wait states for which the location itself is waited for. */
static void list_arrivals(struct fm_blamed_location *examined)
{
    const struct fm_blame_request *request = examined->run->request;
    const struct fm_caused_waits *caused = examined->caused;
    struct fm_blame_scratch *scratch = examined->scratch;
    scratch->begins.count = scratch->arrivals.count = scratch->weights.count = 0;
    fm_vector_reserve(&scratch->begins, caused->waits.count);
    fm_vector_reserve(&scratch->arrivals, caused->waits.count);
    fm_vector_reserve(&scratch->weights, caused->waits.count);
    for (uint32_t i = 0; i < caused->waits.count; i++) {
        const struct fm_caused_wait *wait = &caused->waits.items[i];
        uint64_t weight = request != NULL && request->weight == NULL ? 1 : 0;
        if (request != NULL && request->weight != NULL) {
            weight = request->weight(request->context, examined->number, wait);
        }
        scratch->weights.items[i] = weight;
        if (fm_charge_of((fm_delay_kind_t)wait->delay_kind) != FM_CHARGE_DELAY &&
            send_contention(examined, wait, weight)) {
            continue;
        }
        scratch->begins.items[scratch->begins.count++] = (struct fm_keyed){wait->t - wait->wait, i};
        scratch->arrivals.items[scratch->arrivals.count++] = i;
    }
    scratch->spare.count = 0;
    fm_vector_reserve(&scratch->spare, scratch->begins.count);
    fm_keyed_sort(scratch->begins.items, scratch->begins.count, scratch->spare.items);
}

/* Finds out in which of its waiting parts others depend on the location. */
static void mark_entered(struct fm_blamed_location *examined)
{
    const struct fm_blame_scratch *scratch = examined->scratch;
    const struct fm_caused_wait *waits = examined->caused->waits.items;
    uint64_t latest_end = 0, latest_span_end = 0;
    size_t arrival = 0, span = 0;
    for (size_t p = 0; p < scratch->parts.count; p++) {
        struct fm_waiting_part *part = &scratch->parts.items[p];
        for (; arrival < scratch->begins.count && scratch->begins.items[arrival].key < part->to;
             arrival++) {
            uint64_t end = waits[scratch->begins.items[arrival].value].t;
            latest_end = end > latest_end ? end : latest_end;
        }
        part->is_entered = latest_end >= part->until;
        if (examined->view != NULL) {
            const fm_holder_spans *spans = &examined->view->spans;
            for (; span < spans->count && spans->items[span].from < part->to; span++) {
                uint64_t end = spans->items[span].is_free ? 0 : spans->items[span].to;
                latest_span_end = end > latest_span_end ? end : latest_span_end;
            }
            part->is_entered |= latest_span_end > part->from;
        }
    }
}

/* A wait state of another location ends in a waiting part that ends later: this is not followed. */
static void add_dead_end(struct fm_blamed_location *examined, uint32_t arrival,
                         const struct fm_waiting_part *part)
{
    struct fm_blame_scratch *scratch = examined->scratch;
    const struct fm_caused_wait *wait = &examined->caused->waits.items[arrival];
    uint64_t enter = wait->t - wait->wait;
    struct fm_dead_end dead_end = {
        .from = enter > part->from ? enter : part->from,
        .to = wait->t < part->to ? wait->t : part->to,
        .weight = scratch->weights.items[arrival],
        .kind = wait->delay_kind,
    };
    uint32_t number = (uint32_t)scratch->dead_ends.count;
    fm_vector_push(&scratch->dead_ends, dead_end);
    fm_vector_push(&scratch->dead_end_times, (struct fm_keyed){dead_end.from, 2 * number});
    fm_vector_push(&scratch->dead_end_times, (struct fm_keyed){dead_end.to, 2 * number + 1});
    fm_blame_send_tie(examined, (struct fm_blame_tie){.from = dead_end.from,
                                                      .to = dead_end.to,
                                                      .until = wait->t,
                                                      .location = wait->waiter,
                                                      .other = examined->number,
                                                      .type = FM_TIE_DETOUR});
}

static void find_dead_ends(struct fm_blamed_location *examined)
{
    struct fm_blame_scratch *scratch = examined->scratch;
    const struct fm_waiting_part *parts = scratch->parts.items;
    scratch->dead_ends.count = scratch->dead_end_times.count = 0;
    size_t behind = 0; /* parts that begin before the end of the arrival */
    for (size_t i = 0; i < scratch->arrivals.count; i++) {
        uint32_t arrival = scratch->arrivals.items[i];
        const struct fm_caused_wait *wait = &examined->caused->waits.items[arrival];
        while (behind < scratch->parts.count && parts[behind].from < wait->t) {
            behind++;
        }
        for (size_t p = behind;
             p > 0 && parts[p - 1].to > wait->t - wait->wait && parts[p - 1].latest_until > wait->t;
             p--) {
            if (parts[p - 1].until > wait->t) {
                add_dead_end(examined, arrival, &parts[p - 1]);
            }
        }
    }
    fm_keyed_sort(scratch->dead_end_times.items, scratch->dead_end_times.count, NULL);
}

/* @return the holders of locks that a wait state of the location sees */
static uint64_t holders_of(const struct fm_blamed_location *examined, const struct fm_wait *wait)
{
    const struct fm_lock_claim wanted = {.until = wait->until,
                                         .enter = wait->enter,
                                         .waiter = examined->number,
                                         .cause = wait->cause_location};
    const struct fm_lock_claim *claims;
    const size_t count = fm_lock_claims_find(&examined->view->waiting, &wanted, &claims);
    uint64_t holders = 0;
    for (size_t i = 0; i < count; i++) {
        holders += claims[i].holders;
    }
    return holders;
}

static void count_holders(struct fm_blamed_location *examined)
{
    struct fm_blame_scratch *scratch = examined->scratch;
    const struct fm_wait_list *waits = &examined->busy_time->waits;
    scratch->holders.count = 0;
    if (examined->run->each == NULL || examined->view == NULL ||
        examined->view->waiting.count == 0) {
        return;
    }
    uint64_t before = 0;
    for (uint32_t w = 0; w < waits->count; w++) {
        fm_vector_push(&scratch->holders, before);
        before += holders_of(examined, &waits->items[w]);
    }
    fm_vector_push(&scratch->holders, before);
}

uint64_t fm_blame_holders_between(const struct fm_blamed_location *examined, uint64_t from,
                                  uint64_t to)
{
    const struct fm_blame_scratch *scratch = examined->scratch;
    const struct fm_wait_list *waits = &examined->busy_time->waits;
    if (scratch->holders.count == 0) {
        return 0;
    }
    const uint32_t first = fm_wait_list_behind(waits, from);
    const uint32_t last = fm_wait_list_behind(waits, to - 1);
    const uint32_t end = last < waits->count ? last + 1 : last;
    return scratch->holders.items[end] - scratch->holders.items[first];
}

void fm_blame_list_waits(struct fm_blamed_location *examined)
{
    list_parts(examined);
    count_holders(examined);
    list_arrivals(examined);
    mark_entered(examined);
    find_dead_ends(examined);
}
