/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/capture/merged_calls.h"

#include "record/capture/thread.h"
#include "record/stack/stack.h"

#include <string.h>

/* Parts of a second: gaps that are always short, gaps that may be short, and a part of the longest
 * time of a group: one, and another one for each of its entries. An entry is about five events in the
 * archive, and as many as seven where its call stack is not that of the one before: a loop is less
 * than 1,000 events a second. */
enum { ALWAYS_SHORT = 500000, MAYBE_SHORT = 10000, CUTS = 125 };

static struct {
    uint64_t always, maybe, longest; /* in ticks; 0: nothing is merged */
} limits;

void fm_merged_begin(uint64_t resolution)
{
    limits.always = resolution / ALWAYS_SHORT;
    limits.maybe = resolution / MAYBE_SHORT;
    __atomic_store_n(&limits.longest, resolution / CUTS, __ATOMIC_RELEASE);
}

/* ---- the begin of a call ---- */

/* The entry whose call stack is that of the records so far. */
static struct fm_merged_entry *tail_of(struct fm_merging *group)
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
           (thread->stack == NULL ||
            (entry->state != NULL && entry->state->stamp == entry->stamp &&
             fm_stack_is_still(thread->stack, entry->state, here)));
}

/* The entry with the function and call stack of the call that begins; first the one that followed
 * the last call the last time. */
static struct fm_merged_entry *find_entry(struct fm_thread *thread, struct fm_here here)
{
    struct fm_merging *group = &thread->merging;
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
    if (thread->stack == NULL || have_same_stack(entry, tail_of(&thread->merging))) {
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
    struct fm_merging *group = &thread->merging;
    group->before = thread->left;
    group->base = thread->cursor;
    if (group->base == group->end) {
        struct fm_merged_entry *entry = find_entry(thread, here);
        if (entry != NULL && put_stack(thread, entry)) {
            group->expected = entry;
            group->attention = FM_MERGED_EXPECTED;
            group->placed = thread->cursor;
            return;
        }
    } else {
        group->end = NULL;
    }
    if (thread->stack != NULL) {
        fm_thread_note_stack(thread, here);
    }
    group->placed = thread->cursor;
}

/* ---- the end of a call ---- */

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
           thread->merging.call >= thread->current->words &&
           thread->merging.call < thread->limit &&
           thread->cursor - thread->merging.call < FM_MERGED_DETAILS;
}

static bool is_short(const struct fm_merging *group, uint64_t gap)
{
    return gap < limits.always || (gap < limits.maybe && gap <= group->test);
}

/* Whether the open call continues the loop that the group stands for. */
static bool continues(const struct fm_thread *thread)
{
    const struct fm_merging *group = &thread->merging;
    return group->end != NULL && group->end == group->base && group->call == group->placed &&
           group->saves == __atomic_load_n(&thread->saves, __ATOMIC_ACQUIRE) &&
           is_short(group, thread->enter - group->before) &&
           thread->left - group->begin < limits.longest * (group->count + 1);
}

static const uint64_t *details_of(const uint64_t *call)
{
    return call + FM_WORDS_CALL + FM_WORDS_MERGED;
}

/* Words of a detail that names what is tested: a request or an operation. */
enum { TESTED = FM_WORDS_REQUEST_TEST };
_Static_assert(FM_WORDS_OPERATION_TEST == FM_WORDS_REQUEST_TEST, "one size of both");

/* Whether an entry has a detail, searched from the one after that found last. */
static bool has_tested(struct fm_merged_entry *entry, const uint64_t *detail)
{
    const uint64_t *details = details_of(entry->call);
    uint32_t at = entry->hint;
    for (uint32_t seen = 0; seen + TESTED <= entry->words; seen += TESTED) {
        at = at + TESTED < entry->words ? at + TESTED : 0;
        if (memcmp(details + at, detail, TESTED * sizeof *detail) == 0) {
            entry->hint = at;
            return true;
        }
    }
    return false;
}

/* Whether an entry with the function and call stack of the open call has its details, too. */
static bool has_details(struct fm_merged_entry *entry, const uint64_t *details, size_t words)
{
    if (words == entry->words &&
        memcmp(details_of(entry->call), details, words * sizeof *details) == 0) {
        return true;
    }
    return words == TESTED && entry->words % TESTED == 0 && has_tested(entry, details);
}

/* Adds what the open call tests to the details of the last entry.
 * @return false: the call has other details */
static bool add_tested(struct fm_thread *thread, struct fm_merged_entry *entry)
{
    struct fm_merging *group = &thread->merging;
    const uint64_t *details = details_of(group->call);
    enum fm_record_kind kind = fm_record_kind(details[0]);
    if (thread->cursor - details != TESTED || entry->words % TESTED != 0 || entry->words == 0 ||
        entry->words >= FM_MERGED_DETAILS || group->placed != group->base ||
        (kind != FM_RECORD_REQUEST_TEST && kind != FM_RECORD_OPERATION_TEST)) {
        return false;
    }
    memmove(group->base, details, TESTED * sizeof *details);
    group->base += TESTED;
    entry->hint = entry->words;
    entry->words += TESTED;
    group->end = group->base;
    return true;
}

/* The entry that stands for the open call; NULL: none does. */
static struct fm_merged_entry *entry_of_call(struct fm_thread *thread,
                                             struct fm_merged_entry *expected)
{
    struct fm_merging *group = &thread->merging;
    struct fm_merged_entry *tail = tail_of(group), *same = expected;
    const uint64_t *details = details_of(group->call);
    const size_t words = (size_t)(thread->cursor - details);
    if (same == NULL && group->placed == group->base && tail->function == thread->function) {
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
    bool is_tail = thread->stack == NULL || have_same_stack(tail, same);
    return is_tail && tail->function == same->function && add_tested(thread, tail) ? tail : NULL;
}

/* Readers of the records see each word as a whole. */
static void add_to(uint64_t *word, uint64_t value)
{
    __atomic_store_n(word, *word + value, __ATOMIC_RELAXED);
}

/* Adds the open call to an entry, and removes its own records. */
static void merge(struct fm_thread *thread, struct fm_merged_entry *entry)
{
    enum { DURATION = 32 };
    struct fm_merging *group = &thread->merging;
    struct fm_merged_entry *before = &group->entries[group->last];
    const uint64_t gap = thread->enter - group->before, own = thread->left - thread->enter;
    if (before == entry) {
        add_to(&entry->call[0], (gap + own) << DURATION);
        add_to(&entry->call[FM_WORDS_CALL], fm_record_merge(1, gap));
    } else {
        add_to(&before->call[0], gap << DURATION);
        add_to(&before->call[FM_WORDS_CALL], fm_record_merge(0, gap));
        add_to(&entry->call[0], own << DURATION);
        add_to(&entry->call[FM_WORDS_CALL], fm_record_merge(1, 0));
    }
    group->last = before->next = (uint32_t)(entry - group->entries);
    if (FM_UNLIKELY(thread->counting != NULL)) {
        const bool has_grown = group->base > group->placed;
        fm_count_merged(thread, has_grown ? (uint64_t)(group->base - group->placed) : 0);
    }
    thread->cursor = group->base;
    fm_count_from_here(thread);
}

static void begin_group(struct fm_thread *thread)
{
    struct fm_merging *group = &thread->merging;
    group->count = 0;
    group->begin = thread->enter;
    group->test = 0;
    group->saves = __atomic_load_n(&thread->saves, __ATOMIC_ACQUIRE);
}

/* Makes the open call an entry of the group. */
static void add_entry(struct fm_thread *thread, const struct fm_merged_entry *expected)
{
    enum { DURATION = 32 };
    struct fm_merging *group = &thread->merging;
    const struct fm_stack *stack = thread->stack;
    struct fm_merged_entry *entry = &group->entries[group->count];
    *entry = (struct fm_merged_entry){
        .call = group->call,
        .function = thread->function,
        .words = (uint32_t)(thread->cursor - details_of(group->call)),
        .state = expected != NULL ? expected->state : stack != NULL ? stack->latest : NULL};
    entry->stamp = entry->state != NULL ? entry->state->stamp : 0;
    if (group->count != 0) {
        struct fm_merged_entry *before = &group->entries[group->last];
        const uint64_t gap = thread->enter - group->before;
        add_to(&before->call[0], gap << DURATION);
        add_to(&before->call[FM_WORDS_CALL], fm_record_merge(0, gap));
        before->next = group->count;
    }
    group->last = group->count++;
    group->end = thread->cursor;
}

void fm_merged_leave(struct fm_thread *thread)
{
    struct fm_merging *group = &thread->merging;
    const uint32_t attention = group->attention;
    struct fm_merged_entry *expected = group->expected, *entry = NULL;
    group->attention = 0;
    group->expected = NULL;
    const bool brief = is_brief(thread, attention), same = brief && continues(thread);
    if (same) {
        entry = entry_of_call(thread, expected);
    }
    if (entry != NULL) {
        merge(thread, entry);
    } else {
        adopt_stack(thread, expected);
    }
    if (brief && entry == NULL) {
        if (!same || group->count == FM_MERGED_ENTRIES) {
            begin_group(thread);
        }
        add_entry(thread, expected);
    }
    if (brief && (attention & FM_MERGED_TEST) != 0) {
        group->test = thread->left - thread->enter;
    }
}

void fm_merged_end(struct fm_thread *thread)
{
    struct fm_merging *group = &thread->merging;
    adopt_stack(thread, group->expected);
    group->expected = NULL;
    group->attention &= ~(uint32_t)FM_MERGED_EXPECTED;
    group->end = NULL;
}
