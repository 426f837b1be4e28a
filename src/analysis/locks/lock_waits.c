/* SPDX-License-Identifier: BSD-3-Clause */
/* The waits for the locks of a window, and which succession of holders each of them sees. */
#include "analysis/locks/lock_holders_internal.h"
#include "analysis/locks/lock_segments.h"
#include "analysis/locks/lock_spans.h"

#include "base/containers/map.h"
#include "base/containers/sort.h"

/* A wait and what of it sees the common succession: up to `shared_until`. */
struct lock_wait {
    uint32_t tenure;
    uint32_t hold; /* position of the predecessor */
    bool is_plain; /* it depends on its cause all the time */
    uint64_t shared_until;
    uint32_t shared; /* segments of it that the wait sees */
};

/* An epoch among those of its window, sorted by lock. */
struct tenant {
    uint32_t lock;
    uint32_t tenure;
};

struct fm_lock_scratch {
    FM_VECTOR(struct tenant) tenants;
    FM_VECTOR(uint32_t) of_all, exclusive; /* tenures: of all targets; exclusive ones */
    FM_VECTOR(struct fm_segment_hold) holds;
    FM_VECTOR(struct fm_segment_hold) own_holds; /* those that a single wait sees */
    FM_VECTOR(struct lock_wait) lock_waits;
    struct fm_lock_sweep sweep;
    fm_lock_segments segments, own_segments;
    struct fm_map latest_of_owner;
    struct fm_lock_spans spans;
    FM_VECTOR(struct fm_keyed) durations, begins;
    unsigned char apart[FM_APART];
};

/* A window that is added. */
struct adding {
    struct fm_lock_holders *holders;
    struct fm_lock_scratch *scratch;
    unsigned worker;
    uint32_t home;
    const struct fm_lock_group *group;
    const struct fm_lock_tenure *tenures;
    uint32_t first_lock; /* number of the first lock among those of the home */
};

struct fm_lock_scratch *fm_lock_scratch_create(unsigned workers)
{
    return fm_allocate_apart(workers, sizeof(struct fm_lock_scratch));
}

void fm_lock_scratch_free(struct fm_lock_scratch *all, unsigned workers)
{
    for (unsigned w = 0; all != NULL && w < workers; w++) {
        struct fm_lock_scratch *scratch = &all[w];
        fm_vector_free(&scratch->tenants);
        fm_vector_free(&scratch->of_all);
        fm_vector_free(&scratch->exclusive);
        fm_vector_free(&scratch->holds);
        fm_vector_free(&scratch->own_holds);
        fm_vector_free(&scratch->lock_waits);
        fm_lock_sweep_free(&scratch->sweep);
        fm_vector_free(&scratch->segments);
        fm_vector_free(&scratch->own_segments);
        fm_map_free(&scratch->latest_of_owner);
        fm_lock_spans_free(&scratch->spans);
        fm_vector_free(&scratch->durations);
        fm_vector_free(&scratch->begins);
    }
    fm_free(all);
}

/* ---- sending ---- */

static uint64_t new_succession(const struct adding *adding)
{
    return (uint64_t)adding->home << 32 | adding->holders->counts[adding->home].successions++;
}

static void send_span(const struct adding *adding, uint64_t succession, uint32_t location,
                      uint64_t from, uint64_t to)
{
    if (from < to) {
        fm_lock_send_span(
            adding->holders, adding->worker,
            &(struct fm_holder_span){
                .from = from, .to = to, .succession = succession, .location = location});
    }
}

/* Sends a time in which nobody holds the lock and nobody who has requested it is next.
 * @param target  that the lock lies on; FM_NONE: none */
static void send_free(const struct adding *adding, uint64_t succession, uint32_t target,
                      uint64_t from, uint64_t to)
{
    if (from >= to) {
        return;
    }
    if (adding->group->needs_progress && target != FM_NONE) {
        fm_lock_send_gap(
            adding->holders, adding->worker,
            &(struct fm_lock_gap){from, to, succession, target, adding->group->paradigm});
        return;
    }
    const struct fm_trace *trace = adding->holders->analysis->trace;
    fm_lock_send_span(adding->holders, adding->worker,
                      &(struct fm_holder_span){
                          .from = from,
                          .to = to,
                          .succession = succession,
                          .location = fm_trace_first_location(trace, adding->home),
                          .is_free = true,
                      });
}

static void send_claim(const struct adding *adding, const struct lock_wait *wait, uint64_t number,
                       uint64_t succession, uint64_t from, uint64_t to, size_t holders)
{
    const struct fm_lock_tenure *tenure = &adding->tenures[wait->tenure];
    const bool is_served = tenure->served_until != 0;
    const struct fm_lock_claim claim = {
        .until = is_served ? tenure->served_until : tenure->waited_until,
        .enter = tenure->waited_from,
        .from = from,
        .to = to,
        .succession = succession,
        .wait = number,
        .waiter = tenure->waiter,
        .cause = is_served ? tenure->served_by : adding->tenures[tenure->blocked_by].location,
        .holders = (uint32_t)holders,
    };
    adding->holders->counts[adding->home].deep += holders > FM_HOLDERS_EXAMINED;
    fm_lock_send_claim(adding->holders, adding->worker, &claim);
}

static fm_lock_key_t key_of(const struct adding *adding, uint32_t lock)
{
    return (uint64_t)adding->home << 32 | (adding->first_lock + lock);
}

static fm_lock_key_t group_of(const struct adding *adding)
{
    return FM_ALL_LOCKS | key_of(adding, 0);
}

/* @return the number of the lock for which an epoch waits: one of all targets for that of the epoch
 * before */
static uint32_t contended_by(const struct adding *adding, const struct fm_lock_tenure *tenure)
{
    return tenure->lock != FM_NONE ? tenure->lock : adding->tenures[tenure->blocked_by].lock;
}

static void send_mark(const struct adding *adding, const struct fm_lock_tenure *tenure,
                      uint64_t number)
{
    const bool is_served = tenure->served_until != 0;
    fm_lock_send_mark(
        adding->holders, adding->worker,
        &(struct fm_lock_mark){
            .until = is_served ? tenure->served_until : tenure->waited_until,
            .enter = tenure->waited_from,
            .passed = tenure->waited_until,
            .wait = number,
            .lock = key_of(adding, contended_by(adding, tenure)),
            .group = group_of(adding),
            .waiter = tenure->waiter,
            .cause = is_served ? tenure->served_by : adding->tenures[tenure->blocked_by].location,
            .is_of_threads = adding->group->window == FM_NONE,
        });
}

static void add_turn(const struct adding *adding, const struct fm_lock_tenure *tenure)
{
    const struct fm_lock_tenure *cause = &adding->tenures[tenure->blocked_by];
    fm_vector_push(&adding->holders->turns[adding->home], (struct fm_lock_turn){
                                                              .until = tenure->waited_until,
                                                              .acquired = tenure->acquired,
                                                              .released = tenure->released,
                                                              .cause_acquired = cause->acquired,
                                                              .cause_released = cause->released,
                                                              .waiter = tenure->waiter,
                                                              .cause = cause->location,
                                                          });
}

/* Who is waited for in a part of a succession. */
struct waited_for {
    uint32_t location; /* FM_NONE: nobody sees this part, or it is free */
    bool is_free;
};

static struct waited_for waited_for_in(const struct fm_lock_segment *segment,
                                       const struct fm_segment_hold *holds, uint32_t otherwise)
{
    const bool is_known = segment->hold != FM_NONE && !segment->is_free;
    return (struct waited_for){
        .location =
            is_known ? holds[segment->hold].location : (segment->is_free ? FM_NONE : otherwise),
        .is_free = segment->is_free,
    };
}

static void send_waited_for(const struct adding *adding, uint64_t succession, struct waited_for who,
                            uint32_t target, uint64_t from, uint64_t to)
{
    if (who.is_free) {
        send_free(adding, succession, target, from, to);
    } else if (who.location != FM_NONE) {
        send_span(adding, succession, who.location, from, to);
    }
}

/* @return the process that the lock lies on for which a wait is; of several, for which its
 * predecessor was; FM_NONE: none */
static uint32_t target_of(const struct adding *adding, const struct lock_wait *wait)
{
    const struct fm_lock_tenure *tenure = &adding->tenures[wait->tenure];
    tenure = tenure->lock == FM_NONE ? &adding->tenures[tenure->blocked_by] : tenure;
    return tenure->lies_nowhere ? FM_NONE : tenure->target;
}

/* Sends the segments that waits see, adjacent ones of one location as one span. */
static void send_shared_spans(const struct adding *adding, uint64_t succession, uint64_t end)
{
    const fm_lock_segments *segments = &adding->scratch->segments;
    const struct fm_segment_hold *holds = adding->scratch->holds.items;
    const uint32_t target = target_of(adding, &adding->scratch->lock_waits.items[0]);
    int32_t waits = 0;
    struct waited_for who = {FM_NONE, false};
    uint64_t from = 0;
    for (size_t s = 0; s <= segments->count; s++) {
        uint64_t time = end;
        struct waited_for next = {FM_NONE, false};
        if (s < segments->count) {
            const struct fm_lock_segment *segment = &segments->items[s];
            waits += segment->more_waits;
            time = segment->from;
            next = waits > 0 ? waited_for_in(segment, holds, FM_NONE) : next;
        }
        if (next.location != who.location || next.is_free != who.is_free) {
            send_waited_for(adding, succession, who, target, from, time);
            who = next;
            from = time;
        }
    }
}

/* @return whether a location is the holder in all segments */
static bool are_of(const fm_lock_segments *segments, const struct fm_segment_hold *holds,
                   uint32_t location)
{
    for (size_t s = 0; s < segments->count; s++) {
        const uint32_t hold = segments->items[s].hold;
        if (segments->items[s].is_free || (hold != FM_NONE && holds[hold].location != location)) {
            return false;
        }
    }
    return true;
}

/* Sends what a wait alone sees from `from` to its end: holds up to its predecessor, without those
 * of its own process. */
static void send_own(const struct adding *adding, const struct lock_wait *wait, uint64_t number,
                     uint64_t from)
{
    struct fm_lock_scratch *scratch = adding->scratch;
    const struct fm_lock_tenure *tenure = &adding->tenures[wait->tenure];
    const struct fm_segment_hold *holds = scratch->holds.items;
    const uint64_t to = tenure->waited_until;
    const uint64_t begin = from;
    from = tenure->awakened_at > from ? tenure->awakened_at : from;
    scratch->own_holds.count = 0;
    uint32_t first = wait->hold + 1;
    while (first > 0 && holds[first - 1].latest_release > from) {
        first--;
    }
    for (uint32_t h = first; h <= wait->hold; h++) {
        if (holds[h].released > from && holds[h].owner != tenure->owner) {
            fm_vector_push(&scratch->own_holds, holds[h]);
        }
    }
    const struct fm_segment_hold *own = scratch->own_holds.items;
    fm_lock_segments_find(&scratch->sweep, own, scratch->own_holds.count, from, to,
                          &scratch->own_segments);
    const uint32_t cause = holds[wait->hold].location;
    if (from == tenure->waited_from && tenure->served_until == 0 &&
        are_of(&scratch->own_segments, own, cause)) {
        return;
    }
    uint64_t succession = new_succession(adding);
    send_span(adding, succession, tenure->awakened_by, begin, from);
    for (size_t s = 0; s < scratch->own_segments.count; s++) {
        const struct fm_lock_segment *segment = &scratch->own_segments.items[s];
        uint64_t end =
            s + 1 < scratch->own_segments.count ? scratch->own_segments.items[s + 1].from : to;
        send_waited_for(adding, succession, waited_for_in(segment, own, cause),
                        target_of(adding, wait), segment->from, end);
    }
    send_claim(adding, wait, number, succession, begin, to, scratch->own_segments.count + 1);
}

/* Sends that a wait depends on the partner that makes no progress, once the lock is passed on. */
static void send_served(const struct adding *adding, const struct lock_wait *wait, uint64_t number)
{
    const struct fm_lock_tenure *tenure = &adding->tenures[wait->tenure];
    const uint64_t succession = new_succession(adding);
    send_span(adding, succession, tenure->served_by, tenure->waited_until, tenure->served_until);
    send_claim(adding, wait, number, succession, tenure->waited_until, tenure->served_until, 1);
}

/* ---- one lock, one kind of waits ---- */

static uint32_t hold_of(const struct fm_lock_scratch *scratch, uint32_t tenure)
{
    size_t low = 0, high = scratch->holds.count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (scratch->holds.items[middle].tenure <= tenure) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return (uint32_t)low;
}

/* Keeps the holds that a wait may see, and what is needed to know which wait sees which.
 * @param last  the latest predecessor of a wait */
static void prepare_holds(const struct adding *adding, uint64_t from, uint64_t to, uint32_t last)
{
    struct fm_lock_scratch *scratch = adding->scratch;
    size_t kept = 0;
    uint64_t latest = 0;
    for (size_t i = 0; i < scratch->holds.count; i++) {
        struct fm_segment_hold *hold = &scratch->holds.items[kept];
        const uint32_t number = scratch->holds.items[i].tenure;
        const struct fm_lock_tenure *tenure = &adding->tenures[number];
        if (tenure->released <= from || (tenure->acquired >= to && number > last)) {
            continue;
        }
        latest = tenure->released > latest ? tenure->released : latest;
        *hold = (struct fm_segment_hold){
            .acquired = tenure->acquired,
            .released = tenure->released,
            .requested = tenure->requested,
            .latest_release = latest,
            .tenure = number,
            .location = tenure->location,
            .owner = tenure->owner,
        };
        kept++;
    }
    scratch->holds.count = kept;
    uint64_t next = UINT64_MAX;
    for (size_t i = kept; i-- > 0;) {
        struct fm_segment_hold *hold = &scratch->holds.items[i];
        hold->next_acquisition = next;
        next = hold->acquired < next ? hold->acquired : next;
    }
}

/* @return whether an epoch of the waiting process itself, before the waiting one, holds the lock in
 * the wait. `*noted` counts the holds that are noted already. */
static bool holds_itself(const struct adding *adding, uint32_t tenure, size_t *noted)
{
    struct fm_lock_scratch *scratch = adding->scratch;
    const struct fm_segment_hold *holds = scratch->holds.items;
    for (; *noted < scratch->holds.count && holds[*noted].tenure < tenure; ++*noted) {
        uint32_t *latest =
            fm_map_at(&scratch->latest_of_owner, holds[*noted].owner, (uint32_t)*noted);
        if (holds[*noted].released > holds[*latest].released) {
            *latest = (uint32_t)*noted;
        }
    }
    const struct fm_lock_tenure *waiting = &adding->tenures[tenure];
    uint32_t latest = fm_map_get(&scratch->latest_of_owner, waiting->owner);
    return latest != FM_MAP_ABSENT && holds[latest].released > waiting->waited_from;
}

/* @return whether a wait may share the segments first .. last: while nobody has the lock, epochs of
 * all targets depend on different ones */
static bool can_share(const struct adding *adding, const struct fm_lock_tenure *tenure,
                      size_t first, size_t last)
{
    const struct fm_lock_segment *segments = adding->scratch->segments.items;
    if (tenure->lock != FM_NONE || !adding->group->needs_progress) {
        return true;
    }
    while (first <= last && !segments[first].is_free) {
        first++;
    }
    return first > last;
}

/* Decides up to when each wait sees the common succession. */
static void share(const struct adding *adding)
{
    struct fm_lock_scratch *scratch = adding->scratch;
    size_t noted = 0;
    fm_map_clear(&scratch->latest_of_owner);
    for (size_t i = 0; i < scratch->lock_waits.count; i++) {
        struct lock_wait *wait = &scratch->lock_waits.items[i];
        const struct fm_lock_tenure *tenure = &adding->tenures[wait->tenure];
        wait->hold = hold_of(scratch, tenure->blocked_by);
        wait->shared_until = tenure->waited_from;
        if (tenure->awakened_at > tenure->waited_from ||
            holds_itself(adding, wait->tenure, &noted)) {
            continue;
        }
        uint64_t until = scratch->holds.items[wait->hold].next_acquisition;
        until = until < tenure->waited_until ? until : tenure->waited_until;
        if (until <= tenure->waited_from) {
            continue;
        }
        const struct fm_lock_segment *segments = scratch->segments.items;
        const size_t first = fm_lock_segment_at(&scratch->segments, tenure->waited_from);
        size_t last = fm_lock_segment_at(&scratch->segments, until - 1);
        while (segments[last].hold == FM_NONE || segments[last].hold > wait->hold) {
            until = segments[last].from;
            if (last == first) {
                until = tenure->waited_from;
                break;
            }
            last--;
        }
        if (until <= tenure->waited_from || !can_share(adding, tenure, first, last)) {
            continue;
        }
        wait->shared_until = until;
        wait->shared = (uint32_t)(last - first + 1);
        if (until == tenure->waited_until && last == first && tenure->served_until == 0 &&
            !segments[first].is_free &&
            scratch->holds.items[segments[first].hold].location ==
                adding->tenures[tenure->blocked_by].location) {
            wait->is_plain = true;
            continue;
        }
        scratch->segments.items[first].more_waits++;
        if (last + 1 < scratch->segments.count) {
            scratch->segments.items[last + 1].more_waits--;
        }
    }
}

/* `holds` has the tenures that conflict with `lock_waits`, both ascending. */
static void add_waits(const struct adding *adding)
{
    struct fm_lock_scratch *scratch = adding->scratch;
    const struct fm_lock_tenure *tenures = adding->tenures;
    uint64_t from = UINT64_MAX, to = 0;
    uint32_t last = 0;
    for (size_t i = 0; i < scratch->lock_waits.count; i++) {
        const struct fm_lock_tenure *tenure = &tenures[scratch->lock_waits.items[i].tenure];
        last = tenure->blocked_by > last ? tenure->blocked_by : last;
        from = tenure->waited_from < from ? tenure->waited_from : from;
        to = tenure->waited_until > to ? tenure->waited_until : to;
    }
    prepare_holds(adding, from, to, last);
    fm_lock_segments_find(&scratch->sweep, scratch->holds.items, scratch->holds.count, from, to,
                          &scratch->segments);
    share(adding);
    uint64_t succession = new_succession(adding);
    send_shared_spans(adding, succession, to);
    for (size_t i = 0; i < scratch->lock_waits.count; i++) {
        const struct lock_wait *wait = &scratch->lock_waits.items[i];
        const struct fm_lock_tenure *tenure = &tenures[wait->tenure];
        uint64_t number =
            (uint64_t)adding->home << 32 | adding->holders->counts[adding->home].waits++;
        add_turn(adding, tenure);
        send_mark(adding, tenure, number);
        if (wait->is_plain) {
            continue;
        }
        if (wait->shared_until > tenure->waited_from) {
            send_claim(adding, wait, number, succession, tenure->waited_from, wait->shared_until,
                       wait->shared);
        }
        if (wait->shared_until < tenure->waited_until) {
            send_own(adding, wait, number, wait->shared_until);
        }
        if (tenure->served_until != 0) {
            send_served(adding, wait, number);
        }
    }
}

/* Adds the waits among some tenures that `are_exclusive`, or are not. @return whether there are any
 */
static bool list_waits(const struct adding *adding, const struct tenant *tenants, size_t count,
                       bool are_exclusive)
{
    struct fm_lock_scratch *scratch = adding->scratch;
    scratch->lock_waits.count = 0;
    for (size_t i = 0; i < count; i++) {
        const struct fm_lock_tenure *tenure = &adding->tenures[tenants[i].tenure];
        if (tenure->waiter != FM_NONE && tenure->exclusive == are_exclusive) {
            fm_vector_push(&scratch->lock_waits, (struct lock_wait){.tenure = tenants[i].tenure});
        }
    }
    return scratch->lock_waits.count != 0;
}

/* Exclusive epochs of a target conflict with all of the target and with those of all targets. */
static void add_exclusive_waits(const struct adding *adding, const struct tenant *tenants,
                                size_t count)
{
    struct fm_lock_scratch *scratch = adding->scratch;
    if (!list_waits(adding, tenants, count, true)) {
        return;
    }
    scratch->holds.count = 0;
    fm_vector_reserve(&scratch->holds, count + scratch->of_all.count);
    size_t all = 0;
    for (size_t i = 0; i <= count; i++) {
        uint32_t next = i < count ? tenants[i].tenure : FM_NONE;
        for (; all < scratch->of_all.count && scratch->of_all.items[all] < next; all++) {
            scratch->holds.items[scratch->holds.count++].tenure = scratch->of_all.items[all];
        }
        if (i < count) {
            scratch->holds.items[scratch->holds.count++].tenure = next;
        }
    }
    add_waits(adding);
}

/* Shared epochs conflict with exclusive ones: of the target, or of any. */
static void add_shared_waits(const struct adding *adding, const struct tenant *tenants,
                             size_t count)
{
    struct fm_lock_scratch *scratch = adding->scratch;
    if (!list_waits(adding, tenants, count, false)) {
        return;
    }
    scratch->holds.count = 0;
    if (tenants[0].lock == FM_NONE) {
        for (size_t i = 0; i < scratch->exclusive.count; i++) {
            fm_vector_push(&scratch->holds,
                           (struct fm_segment_hold){.tenure = scratch->exclusive.items[i]});
        }
    } else {
        for (size_t i = 0; i < count; i++) {
            if (adding->tenures[tenants[i].tenure].exclusive) {
                fm_vector_push(&scratch->holds,
                               (struct fm_segment_hold){.tenure = tenants[i].tenure});
            }
        }
    }
    add_waits(adding);
}

/* ---- the locks that are waited for ---- */

/* Finds when each lock is waited for. @return their number */
static uint32_t find_waits_of(const struct adding *adding, uint32_t count)
{
    struct fm_lock_spans *spans = &adding->scratch->spans;
    uint32_t locks = 0;
    spans->waits.count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct fm_lock_tenure *tenure = &adding->tenures[i];
        locks = tenure->lock != FM_NONE && tenure->lock >= locks ? tenure->lock + 1 : locks;
        if (tenure->waiter != FM_NONE) {
            const struct fm_lock_span wait = {tenure->waited_from, tenure->waited_until,
                                              contended_by(adding, tenure)};
            fm_vector_push(&spans->waits, wait);
        }
    }
    fm_lock_spans_find(spans, locks);
    return locks;
}

/* Sends when the owners of epochs are in them, if others wait for the lock meanwhile. */
static void send_presences(const struct adding *adding, uint32_t count, uint32_t locks)
{
    const struct fm_trace *trace = adding->holders->analysis->trace;
    const bool are_of_threads = adding->group->window == FM_NONE;
    for (uint32_t i = 0; i < count; i++) {
        const struct fm_lock_tenure *tenure = &adding->tenures[i];
        const bool is_of_all = tenure->lock == FM_NONE;
        if (fm_lock_spans_meet(&adding->scratch->spans, is_of_all ? locks : tenure->lock,
                               tenure->requested, tenure->released)) {
            fm_lock_send_presence(
                adding->holders, adding->worker,
                are_of_threads ? tenure->location : fm_trace_first_location(trace, tenure->owner),
                &(struct fm_lock_presence){
                    .lock = is_of_all ? group_of(adding) : key_of(adding, tenure->lock),
                    .from = tenure->requested,
                    .to = tenure->released,
                });
        }
    }
}

/* Notes how long an epoch holds its lock. */
static void note_hold(struct fm_lock_scratch *scratch, const struct fm_lock_tenure *tenure,
                      uint32_t number)
{
    const bool is_held = tenure->released > tenure->acquired;
    const uint64_t duration = is_held ? tenure->released - tenure->acquired : 0;
    fm_vector_push(&scratch->durations, ((struct fm_keyed){duration, number}));
    fm_vector_push(&scratch->begins, ((struct fm_keyed){tenure->acquired, number}));
}

/* @return the ticks in which some of the noted epochs hold their lock */
static uint64_t time_held(const struct adding *adding)
{
    const struct fm_lock_scratch *scratch = adding->scratch;
    uint64_t held = 0, until = 0;
    for (size_t i = 0; i < scratch->begins.count; i++) {
        const struct fm_lock_tenure *tenure = &adding->tenures[scratch->begins.items[i].value];
        const uint64_t from = tenure->acquired > until ? tenure->acquired : until;
        if (tenure->released > from) {
            held += tenure->released - from;
            until = tenure->released;
        }
    }
    return held;
}

/* Describes the lock of some tenants, if it is waited for. */
static void add_lock(const struct adding *adding, const struct tenant *tenants, size_t count)
{
    struct fm_lock_scratch *scratch = adding->scratch;
    const uint32_t lock = tenants[0].lock;
    if (lock == FM_NONE || !fm_lock_spans_any(&scratch->spans, lock)) {
        return;
    }
    scratch->durations.count = scratch->begins.count = 0;
    for (size_t i = 0; i < count; i++) {
        note_hold(scratch, &adding->tenures[tenants[i].tenure], tenants[i].tenure);
    }
    for (size_t i = 0; i < scratch->of_all.count; i++) {
        note_hold(scratch, &adding->tenures[scratch->of_all.items[i]], scratch->of_all.items[i]);
    }
    const size_t epochs = scratch->durations.count;
    fm_keyed_sort(scratch->durations.items, epochs, NULL);
    fm_keyed_sort(scratch->begins.items, epochs, NULL);
    const struct fm_lock_tenure *tenure = &adding->tenures[tenants[0].tenure];
    fm_vector_push(&adding->holders->locks[adding->home],
                   ((struct fm_contended_lock){
                       .key = key_of(adding, lock),
                       .group = group_of(adding),
                       .id = tenure->id,
                       .hold = scratch->durations.items[(epochs - 1) / 2].key,
                       .held = time_held(adding),
                       .epochs = (uint32_t)epochs,
                       .window = adding->group->window,
                       .target = tenure->target,
                       .paradigm = adding->group->paradigm,
                   }));
}

/* ---- all epochs of a window ---- */

static int compare_tenants(const void *a, const void *b)
{
    const struct tenant *left = a, *right = b;
    if (left->lock != right->lock) {
        return left->lock < right->lock ? -1 : 1;
    }
    return left->tenure < right->tenure ? -1 : left->tenure > right->tenure;
}

/* @return whether any of the epochs waited */
static bool sort_tenants(const struct adding *adding, uint32_t count)
{
    struct fm_lock_scratch *scratch = adding->scratch;
    scratch->tenants.count = scratch->of_all.count = scratch->exclusive.count = 0;
    fm_vector_reserve(&scratch->tenants, count);
    bool waited = false;
    for (uint32_t i = 0; i < count; i++) {
        const struct fm_lock_tenure *tenure = &adding->tenures[i];
        scratch->tenants.items[scratch->tenants.count++] = (struct tenant){tenure->lock, i};
        waited |= tenure->waiter != FM_NONE;
        if (tenure->lock == FM_NONE) {
            fm_vector_push(&scratch->of_all, i);
        } else if (tenure->exclusive) {
            fm_vector_push(&scratch->exclusive, i);
        }
    }
    if (waited) {
        fm_sort(scratch->tenants.items, count, sizeof *scratch->tenants.items, compare_tenants);
    }
    return waited;
}

void fm_lock_holders_add(struct fm_lock_holders *holders, unsigned worker,
                         const struct fm_lock_group *group, const struct fm_lock_tenure *tenures,
                         uint32_t count)
{
    struct adding adding = {
        .holders = holders,
        .scratch = &holders->scratch[worker],
        .worker = worker,
        .home = group->home,
        .group = group,
        .tenures = tenures,
        .first_lock = holders->counts[group->home].locks,
    };
    struct fm_lock_scratch *scratch = adding.scratch;
    if (!sort_tenants(&adding, count)) {
        return;
    }
    const uint32_t locks = find_waits_of(&adding, count);
    holders->counts[group->home].locks += locks;
    send_presences(&adding, count, locks);
    const struct tenant *tenants = scratch->tenants.items;
    for (uint32_t begin = 0, end; begin < count; begin = end) {
        end = begin + 1;
        while (end < count && tenants[end].lock == tenants[begin].lock) {
            end++;
        }
        add_exclusive_waits(&adding, tenants + begin, end - begin);
        add_shared_waits(&adding, tenants + begin, end - begin);
        add_lock(&adding, tenants + begin, end - begin);
    }
}
