/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/brief/merged_calls.h"

#include "record/capture/thread.h"
#include "record/stack/stack.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>

/* Parts of a second: gaps that are always short, gaps that may be short, a part of the longest time
 * of a group, and gaps between groups that may be joined. A group lasts one part, and another one
 * for each of its entries. An entry is about five events in the archive, and as many as seven where
 * its call stack is not that of the one before: a loop is less than 1,000 events a second. */
enum { ALWAYS_SHORT = 500000, MAYBE_SHORT = 10000, CUTS = 125, JOINED = 1000 };

/* Short gaps before and behind a gap that is not short, so that groups are joined. */
enum { SHORT_GAPS = 100 };

static struct {
    uint64_t always, maybe, longest, joined; /* in ticks; `longest` 0: nothing is merged */
} limits;

void fm_merged_begin(uint64_t resolution)
{
    limits.always = resolution / ALWAYS_SHORT;
    limits.maybe = resolution / MAYBE_SHORT;
    limits.joined = resolution / JOINED;
    __atomic_store_n(&limits.longest, resolution / CUTS, __ATOMIC_RELEASE);
}

/* ---- the begin of a call ---- */

/* The entry whose call stack is that of the records so far. */
static struct fm_merged_entry *tail_of(struct fm_merged_group *group)
{
    return &group->entries[group->count - 1];
}

static bool have_same_stack(const struct fm_merged_entry *a, const struct fm_merged_entry *b)
{
    return a->state == b->state && a->stamp == b->stamp;
}

static bool may_stand_for(const struct fm_thread *thread, const struct fm_merged_entry *entry,
                          struct fm_here here)
{
    return entry->function == thread->function &&
           (thread->stack == NULL || (entry->state != NULL && entry->state->stamp == entry->stamp &&
                                      fm_stack_is_still(thread->stack, entry->state, here)));
}

/* The entry with the function and call stack of the call that begins; first the one that followed
 * the last call the last time. */
static struct fm_merged_entry *find_entry(struct fm_thread *thread, struct fm_here here)
{
    struct fm_merged_group *group = &thread->merging.group;
    struct fm_merged_entry *next = &group->entries[group->entries[group->last].next];
    if (FM_LIKELY(may_stand_for(thread, next, here))) {
        return next;
    }
    for (uint32_t i = 0; i < group->count; i++) {
        if (&group->entries[i] != next && may_stand_for(thread, &group->entries[i], here)) {
            return &group->entries[i];
        }
    }
    return NULL;
}

/* Writes the change from the stack of the last entry, without noting it in the state of the stack.
 * @return false: there is no room in the chunk */
static bool put_stack(struct fm_thread *thread, const struct fm_merged_entry *entry)
{
    enum { WORDS_OF_CALL = 64 };
    struct fm_stack_change change;
    if (thread->stack == NULL || have_same_stack(entry, tail_of(&thread->merging.group))) {
        return true;
    }
    if (!fm_stack_differs(thread->stack, entry->state, &change)) {
        return true;
    }
    if (!fm_thread_has_room(thread, (size_t)change.added + 1 + WORDS_OF_CALL)) {
        return false;
    }
    thread->cursor = fm_thread_put_stack(thread->cursor, &change);
    return true;
}

void fm_merged_enter(struct fm_thread *thread, struct fm_here here)
{
    struct fm_merging *merging = &thread->merging;
    fm_merged_visits_tell(thread, &here);
    merging->before = thread->left;
    merging->base = thread->cursor;
    if (merging->base == merging->group.end) {
        struct fm_merged_entry *entry = find_entry(thread, here);
        if (entry != NULL && put_stack(thread, entry)) {
            merging->expected = entry;
            merging->attention = FM_MERGED_EXPECTED;
            merging->placed = thread->cursor;
            return;
        }
    } else {
        merging->group.end = NULL;
    }
    if (thread->stack != NULL) {
        fm_thread_note_stack(thread, here);
    }
    merging->placed = thread->cursor;
}

/* The call is not added to the entry that was expected: the STACK record in front of it stays. */
static void adopt_stack(struct fm_thread *thread, const struct fm_merged_entry *expected)
{
    if (expected != NULL && thread->stack != NULL) {
        fm_stack_adopt(thread->stack, expected->state);
    }
}

/* Whether the call may be merged with others at all. */
static bool is_brief(const struct fm_thread *thread, uint32_t attention)
{
    return (attention & (FM_MERGED_LOCAL | FM_MERGED_TEST)) != 0 &&
           __atomic_load_n(&limits.longest, __ATOMIC_ACQUIRE) != 0 && !thread->pause.paused &&
           (thread->counting == NULL || !thread->counting->discards) &&
           (thread->left - thread->enter) >> FM_CALL_DURATION_BITS == 0 &&
           thread->merging.call >= thread->current->words && thread->merging.call < thread->limit &&
           thread->cursor - thread->merging.call < FM_MERGED_DETAILS;
}

static bool is_short(const struct fm_merged_group *group, uint64_t gap)
{
    return gap < limits.always || (gap < limits.maybe && gap <= group->test);
}

/* Whether nothing was recorded between the group and the open call. */
static bool follows_group(const struct fm_thread *thread)
{
    const struct fm_merging *merging = &thread->merging;
    const struct fm_merged_group *group = &merging->group;
    return group->end != NULL && group->end == merging->base && merging->call == merging->placed &&
           group->saves == __atomic_load_n(&thread->saves, __ATOMIC_ACQUIRE);
}

/* Whether a group may last until now. */
static bool has_time(const struct fm_thread *thread, const struct fm_merged_group *group)
{
    return thread->left - group->begin < limits.longest * (group->count + 1);
}

static const uint64_t *details_of(const uint64_t *call)
{
    return call + FM_WORDS_CALL + FM_WORDS_MERGED;
}

/* Words of a detail that names what is tested: a request or an operation. */
enum { TESTED = FM_WORDS_REQUEST_TEST };
_Static_assert(FM_WORDS_OPERATION_TEST == FM_WORDS_REQUEST_TEST, "one size of both");

/* Whether two places have the same words: mostly two, for which memcmp() would take longer. */
static inline bool are_equal(const uint64_t *a, const uint64_t *b, size_t words)
{
    for (size_t i = 0; i < words; i++) {
        if (a[i] != b[i]) {
            return false;
        }
    }
    return true;
}

/* Whether an entry has a detail, searched from the one after that found last. */
static bool has_tested(struct fm_merged_entry *entry, const uint64_t *detail)
{
    const uint64_t *details = details_of(entry->call);
    uint32_t at = entry->hint;
    for (uint32_t seen = 0; seen + TESTED <= entry->words; seen += TESTED) {
        at = at + TESTED < entry->words ? at + TESTED : 0;
        if (are_equal(details + at, detail, TESTED)) {
            entry->hint = at;
            return true;
        }
    }
    return false;
}

/* Whether an entry with the function and call stack of the open call has its details, too. */
static inline bool has_details(struct fm_merged_entry *entry, const uint64_t *details, size_t words)
{
    if (words == entry->words && are_equal(details_of(entry->call), details, words)) {
        return true;
    }
    return words == TESTED && entry->words % TESTED == 0 && has_tested(entry, details);
}

/* Keeps others from reading the thread's records. Signals are blocked meanwhile, because a handler
 * that saves the records could not claim them.
 * @return false: they are being read, or have been since the group began */
static bool hold(struct fm_thread *thread, uint32_t saves, sigset_t *before)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, before);
    if (fm_thread_claim(thread)) {
        if (saves == __atomic_load_n(&thread->saves, __ATOMIC_ACQUIRE)) {
            return true;
        }
        fm_thread_unclaim(thread);
    }
    pthread_sigmask(SIG_SETMASK, before, NULL);
    return false;
}

static void release(struct fm_thread *thread, const sigset_t *before)
{
    fm_thread_unclaim(thread);
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* Records behind a place are about to change: if the process is killed meanwhile, they are none. */
static void hide_behind(struct fm_thread *thread, uint64_t *place)
{
    fm_thread_show_closed(thread); /* it refers to them */
    __atomic_store_n(thread->ends, place, __ATOMIC_RELEASE);
    fm_signal_fence();
}

/* Moves the records behind an entry, to make room for a detail. */
static void move_behind(struct fm_thread *thread, const struct fm_merged_entry *entry)
{
    struct fm_merged_group *group = &thread->merging.group;
    uint64_t *place = entry->call + FM_WORDS_CALL + FM_WORDS_MERGED + entry->words;
    memmove(place + TESTED, place, (size_t)(group->end - place) * sizeof *place);
    for (struct fm_merged_entry *each = group->entries; each <= tail_of(group); each++) {
        each->call += each->call >= place ? TESTED : 0;
    }
}

/* Adds what the open call tests to the details of an entry, and counts the call, whose records are
 * overwritten.
 * @return false: the call has other details */
static bool add_tested(struct fm_thread *thread, struct fm_merged_entry *entry)
{
    struct fm_merging *merging = &thread->merging;
    const uint64_t *details = details_of(merging->call);
    const uint64_t detail[TESTED] = {details[0], details[1]};
    enum fm_record_kind kind = fm_record_kind(detail[0]);
    sigset_t before;
    if (thread->cursor - details != TESTED || entry->words % TESTED != 0 || entry->words == 0 ||
        entry->words >= FM_MERGED_DETAILS ||
        (kind != FM_RECORD_REQUEST_TEST && kind != FM_RECORD_OPERATION_TEST) ||
        !hold(thread, merging->group.saves, &before)) {
        return false;
    }
    if (thread->counting != NULL) {
        fm_count_merged(thread, TESTED);
    }
    hide_behind(thread, entry->call);
    move_behind(thread, entry);
    memcpy(entry->call + FM_WORDS_CALL + FM_WORDS_MERGED + entry->words, detail, sizeof detail);
    entry->hint = entry->words;
    entry->words += TESTED;
    merging->group.end += TESTED;
    thread->cursor = merging->base = merging->group.end;
    fm_thread_publish(thread);
    release(thread, &before);
    return true;
}

/* The entry that stands for the open call; NULL: none does. */
static struct fm_merged_entry *entry_of_call(struct fm_thread *thread,
                                             struct fm_merged_entry *expected)
{
    struct fm_merging *merging = &thread->merging;
    struct fm_merged_group *group = &merging->group;
    struct fm_merged_entry *tail = tail_of(group), *same = expected;
    const uint64_t *details = details_of(merging->call);
    const size_t words = (size_t)(thread->cursor - details);
    if (same == NULL && merging->placed == merging->base && tail->function == thread->function) {
        same = tail; /* a stack that is not in the cache, and has not changed */
    }
    if (same == NULL || has_details(same, details, words)) {
        return same;
    }
    for (struct fm_merged_entry *each = group->entries; each <= tail; each++) {
        bool is_same = each != same && each->function == same->function &&
                       (thread->stack == NULL || have_same_stack(each, same));
        if (is_same && has_details(each, details, words)) {
            return each;
        }
    }
    return add_tested(thread, same) ? same : NULL;
}

/* Adds to the calls of an entry. Readers of the records see each word as a whole. */
static void add_to(const struct fm_merged_entry *entry, uint32_t calls, uint64_t own, uint64_t gaps)
{
    uint64_t *call = entry->call, *merged = entry->call + FM_WORDS_CALL;
    __atomic_store_n(call, *call + fm_record_more_duration(own + gaps), __ATOMIC_RELAXED);
    __atomic_store_n(merged, *merged + fm_record_merge(calls, gaps), __ATOMIC_RELAXED);
}

/* Adds a call to an entry, and the gap in front of it to that of the call before. */
static inline void count_call(struct fm_merged_group *group, struct fm_merged_entry *entry,
                              uint64_t own, uint64_t gap)
{
    struct fm_merged_entry *before = &group->entries[group->last];
    if (before == entry) {
        add_to(entry, 1, own, gap);
    } else {
        add_to(before, 0, 0, gap);
        add_to(entry, 1, own, 0);
    }
    group->last = before->next = (uint32_t)(entry - group->entries);
}

/* Adds the open call to an entry, and removes its own records. */
static void merge(struct fm_thread *thread, struct fm_merged_entry *entry)
{
    struct fm_merging *merging = &thread->merging;
    count_call(&merging->group, entry, thread->left - thread->enter,
               thread->enter - merging->before);
    if (FM_UNLIKELY(thread->counting != NULL)) {
        fm_count_merged(thread, 0);
        thread->cursor = merging->base;
        fm_count_from_here(thread);
    } else {
        thread->cursor = merging->base;
    }
}

/* Makes the open call an entry of the group. */
static void add_entry(struct fm_thread *thread, const struct fm_merged_entry *expected)
{
    struct fm_merging *merging = &thread->merging;
    struct fm_merged_group *group = &merging->group;
    const struct fm_stack *stack = thread->stack;
    struct fm_merged_entry *entry = &group->entries[group->count];
    *entry =
        (struct fm_merged_entry){.call = merging->call,
                                 .function = thread->function,
                                 .words = (uint32_t)(thread->cursor - details_of(merging->call)),
                                 .state = expected != NULL ? expected->state
                                          : stack != NULL  ? stack->latest
                                                           : NULL};
    entry->stamp = entry->state != NULL ? entry->state->stamp : 0;
    if (group->count != 0) {
        struct fm_merged_entry *before = &group->entries[group->last];
        add_to(before, 0, 0, thread->enter - merging->before);
        before->next = group->count;
    }
    group->last = group->count++;
    group->end = thread->cursor;
}

/* Begins a group with the open call.
 * @param short_run  0: the call continues no loop */
static void begin_group(struct fm_thread *thread, const struct fm_merged_entry *expected,
                        uint32_t short_run)
{
    struct fm_merged_group *group = &thread->merging.group;
    group->count = 0;
    group->begin = thread->enter;
    group->test = short_run != 0 ? group->test : 0;
    group->saves = __atomic_load_n(&thread->saves, __ATOMIC_ACQUIRE);
    group->short_run = short_run;
    add_entry(thread, expected);
}

/* ---- a gap that is not short ---- */

/* Copies a group without the entries that it does not have. */
static void copy_group(struct fm_merged_group *to, const struct fm_merged_group *from)
{
    memcpy(to, from, offsetof(struct fm_merged_group, entries));
    memcpy(to->entries, from->entries, from->count * sizeof *from->entries);
}

/* Keeps the group, if it may be joined with the one that the open call begins. */
static void keep_prior(struct fm_thread *thread)
{
    struct fm_merging *merging = &thread->merging;
    const struct fm_merged_group *group = &merging->group;
    merging->between = thread->enter - merging->before;
    merging->has_prior = group->short_run >= SHORT_GAPS && merging->between < limits.joined &&
                         has_time(thread, group);
    if (merging->has_prior) {
        copy_group(&merging->prior, group);
    }
}

/* Whether an entry of the prior group has all details of an entry of the group. */
static bool includes(struct fm_merged_entry *prior, const struct fm_merged_entry *entry)
{
    const uint64_t *details = details_of(entry->call);
    if (entry->words == prior->words && are_equal(details_of(prior->call), details, entry->words)) {
        return true;
    }
    bool good = entry->words % TESTED == 0 && prior->words % TESTED == 0;
    for (uint32_t i = 0; good && i < entry->words; i += TESTED) {
        good = has_tested(prior, details + i);
    }
    return good;
}

/* The entry of the prior group for the calls of an entry; NULL: none. Two stacks that are not in
 * the cache are the same if no change of the stack was recorded between them. */
static struct fm_merged_entry *prior_of(struct fm_thread *thread,
                                        const struct fm_merged_entry *entry)
{
    struct fm_merged_group *prior = &thread->merging.prior;
    for (struct fm_merged_entry *each = prior->entries; each <= tail_of(prior); each++) {
        const bool has_stack = entry->state != NULL || thread->stack == NULL
                                   ? have_same_stack(each, entry)
                                   : each == tail_of(prior) && entry->call == prior->end;
        if (each->function == entry->function && has_stack && includes(each, entry)) {
            return each;
        }
    }
    return NULL;
}

/* Adds the entries of the group to those of the prior one, which becomes the group, and removes
 * their records. */
static void join_held(struct fm_thread *thread, struct fm_merged_entry *const *priors)
{
    struct fm_merging *merging = &thread->merging;
    struct fm_merged_group *group = &merging->group, *prior = &merging->prior;
    hide_behind(thread, prior->end);
    add_to(&prior->entries[prior->last], 0, 0, merging->between);
    for (uint32_t i = 0; i < group->count; i++) {
        const uint64_t *call = group->entries[i].call, merged = call[FM_WORDS_CALL];
        const uint64_t gaps = fm_record_merged_gaps(merged);
        add_to(priors[i], fm_record_merged_calls(merged), fm_record_duration(call[0]) - gaps, gaps);
    }
    if (thread->stack != NULL && !have_same_stack(tail_of(prior), tail_of(group))) {
        fm_stack_adopt(thread->stack, tail_of(prior)->state);
    }
    prior->last = (uint32_t)(priors[group->last] - prior->entries);
    prior->short_run = group->short_run;
    prior->test = group->test != 0 ? group->test : prior->test;
    fm_count_removed(thread, (uint64_t)(thread->cursor - prior->end));
    thread->cursor = prior->end;
    copy_group(group, prior);
    fm_thread_publish(thread);
}

/* Joins the group with the prior one, if each of its calls is one of that, too. */
static void join_prior(struct fm_thread *thread)
{
    struct fm_merging *merging = &thread->merging;
    struct fm_merged_entry *priors[FM_MERGED_ENTRIES];
    const struct fm_merged_entry *tail = tail_of(&merging->prior);
    sigset_t before;
    bool good = has_time(thread, &merging->prior) &&
                (tail->state == NULL || tail->state->stamp == tail->stamp ||
                 have_same_stack(tail, tail_of(&merging->group)));
    merging->has_prior = false;
    for (uint32_t i = 0; good && i < merging->group.count; i++) {
        priors[i] = prior_of(thread, &merging->group.entries[i]);
        good = priors[i] != NULL;
    }
    if (good && hold(thread, merging->prior.saves, &before)) {
        join_held(thread, priors);
        release(thread, &before);
    }
}

/* ---- the end of a call ---- */

/* Ends a brief call behind the records of the group. */
static void continue_group(struct fm_thread *thread, struct fm_merged_entry *expected)
{
    struct fm_merging *merging = &thread->merging;
    struct fm_merged_group *group = &merging->group;
    const bool is_near = is_short(group, thread->enter - merging->before);
    const bool has_room = is_near && has_time(thread, group);
    struct fm_merged_entry *entry = has_room ? entry_of_call(thread, expected) : NULL;
    group->short_run += is_near;
    if (entry != NULL) {
        merge(thread, entry);
    } else {
        adopt_stack(thread, expected);
        if (has_room && group->count < FM_MERGED_ENTRIES) {
            add_entry(thread, expected);
        } else if (is_near) {
            merging->has_prior = false;
            begin_group(thread, expected, group->short_run);
        } else {
            keep_prior(thread);
            begin_group(thread, expected, 0);
        }
    }
    if (merging->has_prior && group->short_run >= SHORT_GAPS) {
        join_prior(thread);
        fm_count_from_here(thread);
    }
}

/* Whether an entry has the details of a call that tests one thing, or nothing. */
static bool has_detail(struct fm_merged_entry *entry, const uint64_t *detail)
{
    if (detail == NULL) {
        return entry->words == 0;
    }
    return has_details(entry, detail, TESTED);
}

bool fm_merged_add(struct fm_thread *thread, uint64_t time, const uint64_t *detail, bool is_test)
{
    struct fm_merging *merging = &thread->merging;
    struct fm_merged_group *group = &merging->group;
    struct fm_merged_entry *entry = merging->expected;
    if (entry == NULL || merging->has_prior || thread->counting != NULL ||
        thread->cursor != merging->placed || group->end != merging->base ||
        group->saves != __atomic_load_n(&thread->saves, __ATOMIC_ACQUIRE) ||
        !is_short(group, thread->enter - merging->before) ||
        time - group->begin >= limits.longest * (group->count + 1) || !has_detail(entry, detail) ||
        time >= __atomic_load_n(&thread->reading_due, __ATOMIC_RELAXED) ||
        (thread->long_after >> thread->function % 64 & 1) != 0) {
        return false;
    }
    const uint64_t own = time - thread->enter;
    count_call(group, entry, own, thread->enter - merging->before);
    group->short_run++;
    group->test = is_test ? own : group->test;
    merging->attention = 0;
    merging->expected = NULL;
    thread->left = time;
    thread->cursor = merging->base;
    fm_signal_fence();
    thread->depth--;
    fm_signal_fence();
    fm_thread_show_closed(thread);
    fm_meter_count(&thread->meters, FM_METER_CALLS, time);
    return true;
}

void fm_merged_leave(struct fm_thread *thread)
{
    struct fm_merging *merging = &thread->merging;
    const uint32_t attention = merging->attention;
    struct fm_merged_entry *expected = merging->expected;
    merging->attention = 0;
    merging->expected = NULL;
    if (!is_brief(thread, attention)) {
        adopt_stack(thread, expected);
        return;
    }
    if (follows_group(thread)) {
        continue_group(thread, expected);
    } else {
        adopt_stack(thread, expected);
        merging->has_prior = false;
        begin_group(thread, expected, 0);
    }
    if ((attention & FM_MERGED_TEST) != 0) {
        merging->group.test = thread->left - thread->enter;
    }
}

void fm_merged_end(struct fm_thread *thread)
{
    struct fm_merging *merging = &thread->merging;
    adopt_stack(thread, merging->expected);
    merging->expected = NULL;
    merging->attention &= ~(uint32_t)FM_MERGED_EXPECTED;
    merging->group.end = NULL;
}
