/* SPDX-License-Identifier: BSD-3-Clause */
#include "whatif/decisions/decisions.h"

#include "base/containers/heap.h"
#include "base/containers/sort.h"
#include "whatif/decisions/serving_calls.h"

/* When a decision can be taken. Entries of the heaps that differ are obsolete. */
struct open_decision {
    uint64_t time; /* FM_UNKNOWN_TIME: not before more is known */
    bool is_until;
};

/* Open decisions are numbered: those of locations, for the calls that serve them, and behind them
 * those of locks. Of decisions at one time the latter are taken last: without changes, nobody
 * overtakes. */
struct fm_decisions {
    const struct fm_detail *detail;
    struct fm_lock_turns *locks;
    struct fm_serving_calls *calls;
    fm_decided_vector *decided; /* [location] */
    fm_watched_vector *watched; /* [location] */
    struct open_decision *open; /* [location count + lock count] */
    uint32_t location_count, lock_count;
    fm_location_vector parked; /* wait until another thread of their target enters a call */
    bool has_news;             /* a decision has been taken since they were tried last */
    uint32_t last; /* location whose call is decided although more might get known; FM_NONE */
    bool is_empty; /* there is nothing to be decided */
    bool is_rehearsed;
    struct fm_heap before, until; /* by time: what waits for either of `known` */
    struct fm_known_requests known;
    struct fm_decision_counts counts;
    struct fm_decider decider;
};

/* ---- open decisions ---- */

static void set_open(struct fm_decisions *decisions, uint32_t number, struct fm_turn_wait wait)
{
    struct open_decision *open = &decisions->open[number];
    if (wait.time != FM_UNKNOWN_TIME &&
        (open->time != wait.time || open->is_until != wait.is_until)) {
        fm_heap_push(wait.is_until ? &decisions->until : &decisions->before, wait.time, number);
    }
    *open = (struct open_decision){wait.time, wait.is_until};
}

static void drop_obsolete(const struct fm_decisions *decisions, struct fm_heap *heap, bool is_until)
{
    while (heap->of.count != 0) {
        const struct open_decision *open = &decisions->open[heap->of.items[0].value];
        if (open->time == heap->of.items[0].key && open->is_until == is_until) {
            break;
        }
        fm_heap_pop(heap);
    }
}

static void advance_lock(struct fm_decisions *decisions, uint32_t lock)
{
    struct fm_turn_wait wait;
    fm_lock_turns_advance(decisions->locks, lock, decisions->known, &decisions->decider.woken,
                          &wait);
    set_open(decisions, decisions->location_count + lock, wait);
}

/* ---- the decider ---- */

static void notice(void *context, const struct fm_replay *replay, uint32_t location,
                   const struct fm_watched_call *call)
{
    struct fm_decisions *decisions = context;
    if (fm_lock_turns_observe(decisions->locks, replay, location, call)) {
        advance_lock(decisions, call->subject);
    }
}

static fm_event_choice_t choose(void *context, const struct fm_replay *replay, uint32_t location,
                                const struct fm_decided_dependency *dependency,
                                struct fm_dependency *event)
{
    struct fm_decisions *decisions = context;
    if (dependency->subject < decisions->lock_count) {
        return fm_lock_turns_choose(decisions->locks, dependency->subject, dependency->number,
                                    event);
    }
    struct fm_turn_wait wait = {FM_UNKNOWN_TIME, false, FM_NONE};
    const fm_event_choice_t choice =
        fm_serving_calls_choose(decisions->calls, replay, dependency->number, decisions->known,
                                decisions->last == location, event, &wait);
    set_open(decisions, location, wait);
    if (choice == FM_EVENT_OPEN && wait.time == FM_UNKNOWN_TIME) {
        fm_vector_push(&decisions->parked, location);
    }
    return choice;
}

static bool decide_next(void *context, const struct fm_replay *replay)
{
    (void)replay;
    struct fm_decisions *decisions = context;
    struct fm_heap *before = &decisions->before, *until = &decisions->until;
    drop_obsolete(decisions, before, false);
    drop_obsolete(decisions, until, true);
    decisions->last = FM_NONE;
    if (decisions->has_news && decisions->parked.count != 0) {
        for (size_t i = 0; i < decisions->parked.count; i++) {
            fm_vector_push(&decisions->decider.woken, decisions->parked.items[i]);
        }
        decisions->parked.count = 0;
        decisions->has_news = false;
        return true;
    }
    decisions->has_news = true;
    if (before->of.count == 0 && until->of.count == 0) {
        return false;
    }
    const bool is_until =
        before->of.count == 0 ||
        (until->of.count != 0 && until->of.items[0].key < before->of.items[0].key);
    const struct fm_keyed next = fm_heap_pop(is_until ? until : before);
    struct fm_known_requests *known = &decisions->known;
    known->before = next.key > known->before ? next.key : known->before;
    known->until = is_until && next.key > known->until ? next.key : known->until;
    decisions->open[next.value].time = FM_UNKNOWN_TIME;
    if (next.value < decisions->location_count) {
        fm_vector_push(&decisions->decider.woken, next.value);
    } else {
        advance_lock(decisions, next.value - decisions->location_count);
    }
    return true;
}

static void force(void *context, const struct fm_replay *replay, uint32_t location,
                  const struct fm_decided_dependency *dependency)
{
    (void)replay;
    struct fm_decisions *decisions = context;
    if (dependency->subject < decisions->lock_count) {
        fm_lock_turns_force(decisions->locks, dependency->subject, dependency->number);
        advance_lock(decisions, dependency->subject);
    } else {
        decisions->last = location;
    }
    fm_vector_push(&decisions->decider.woken, location);
}

/* ---- what is to be decided ---- */

static int compare_positions(const void *a, const void *b)
{
    const struct fm_decided_dependency *left = a, *right = b;
    return left->position < right->position ? -1 : left->position > right->position;
}

static int compare_activities(const void *a, const void *b)
{
    const struct fm_watched_call *left = a, *right = b;
    if (left->activity != right->activity) {
        return left->activity < right->activity ? -1 : 1;
    }
    if (left->subject != right->subject) {
        return left->subject < right->subject ? -1 : 1;
    }
    return left->number < right->number ? -1 : left->number > right->number;
}

struct fm_decisions *fm_decisions_create(const struct fm_detail *detail)
{
    const uint32_t locations = detail->trace->location_count;
    struct fm_decisions *decisions = fm_allocate(1, sizeof *decisions);
    *decisions = (struct fm_decisions){
        .detail = detail,
        .location_count = locations,
        .locks = fm_lock_turns_create(detail),
        .calls = fm_serving_calls_create(detail),
        .decided = fm_allocate(locations, sizeof *decisions->decided),
        .watched = fm_allocate(locations, sizeof *decisions->watched),
        .is_empty = true,
    };
    decisions->lock_count = fm_lock_turns_count(decisions->locks);
    decisions->open = fm_allocate(decisions->lock_count + locations, sizeof *decisions->open);
    fm_lock_turns_list(decisions->locks, decisions->decided, decisions->watched);
    fm_serving_calls_list(decisions->calls, decisions->lock_count, decisions->decided);
    for (uint32_t l = 0; l < locations; l++) {
        fm_decided_vector *decided = &decisions->decided[l];
        fm_watched_vector *watched = &decisions->watched[l];
        fm_sort(decided->items, decided->count, sizeof *decided->items, compare_positions);
        fm_sort(watched->items, watched->count, sizeof *watched->items, compare_activities);
        decisions->is_empty &= decided->count == 0;
    }
    decisions->decider = (struct fm_decider){
        .context = decisions,
        .decided = decisions->decided,
        .watched = decisions->watched,
        .notice = notice,
        .choose = choose,
        .decide_next = decide_next,
        .force = force,
    };
    return decisions;
}

void fm_decisions_free(struct fm_decisions *decisions)
{
    if (decisions == NULL) {
        return;
    }
    for (uint32_t l = 0; l < decisions->location_count; l++) {
        fm_vector_free(&decisions->decided[l]);
        fm_vector_free(&decisions->watched[l]);
    }
    fm_lock_turns_free(decisions->locks);
    fm_serving_calls_free(decisions->calls);
    fm_heap_free(&decisions->before);
    fm_heap_free(&decisions->until);
    fm_vector_free(&decisions->parked);
    fm_vector_free(&decisions->decider.woken);
    fm_free(decisions->decided);
    fm_free(decisions->watched);
    fm_free(decisions->open);
    fm_free(decisions);
}

static void begin(struct fm_decisions *decisions, const struct fm_edits *edits)
{
    fm_lock_turns_begin(decisions->locks, edits);
    fm_serving_calls_begin(decisions->calls);
    decisions->counts =
        (struct fm_decision_counts){.kept = fm_lock_turns_kept(decisions->locks, edits)};
    decisions->known = (struct fm_known_requests){0, 0};
    decisions->last = FM_NONE;
    decisions->has_news = true;
    decisions->parked.count = 0;
    decisions->before.of.count = decisions->until.of.count = 0;
    for (uint32_t i = 0; i < decisions->location_count + decisions->lock_count; i++) {
        decisions->open[i].time = FM_UNKNOWN_TIME;
    }
}

/* What comes out otherwise than measured is kept as measured in all predictions: there, times of
 * the clock do not tell the order (calls of one tick, clocks that disagree). */
void fm_decisions_rehearse(struct fm_decisions *decisions)
{
    if (decisions->is_empty || decisions->is_rehearsed) {
        return;
    }
    struct fm_edits *none = fm_allocate(decisions->location_count, sizeof *none);
    uint64_t moved = 0;
    do { /* each turn keeps more */
        begin(decisions, none);
        fm_replay_free(fm_replay_run(decisions->detail, none, &decisions->decider, 1));
        moved = fm_lock_turns_keep_moved(decisions->locks) +
                fm_serving_calls_keep_moved(decisions->calls);
    } while (moved != 0);
    fm_free(none);
    decisions->is_rehearsed = true;
}

struct fm_decider *fm_decisions_begin(struct fm_decisions *decisions, const struct fm_edits *edits)
{
    fm_decisions_rehearse(decisions);
    begin(decisions, edits);
    return decisions->is_empty ? NULL : &decisions->decider;
}

uint64_t fm_decisions_steps(const struct fm_decisions *decisions)
{
    uint64_t steps = 0;
    for (uint32_t l = 0; l < decisions->location_count; l++) {
        steps += decisions->decided[l].count + decisions->watched[l].count;
    }
    return steps;
}

struct fm_decision_counts fm_decisions_count(const struct fm_decisions *decisions)
{
    struct fm_decision_counts counts = decisions->counts;
    counts.overtaking = fm_lock_turns_overtaking(decisions->locks);
    counts.served = fm_serving_calls_moved(decisions->calls);
    return counts;
}

static int compare_renumbered(const void *a, const void *b)
{
    const struct fm_renumbered *left = a, *right = b;
    if (left->process != right->process) {
        return left->process < right->process ? -1 : 1;
    }
    if (left->id != right->id) {
        return left->id < right->id ? -1 : 1;
    }
    return left->order < right->order ? -1 : left->order > right->order;
}

void fm_decisions_number(struct fm_decisions *decisions, fm_renumbered_vector *renumbered)
{
    fm_lock_turns_number(decisions->locks, renumbered);
    fm_sort(renumbered->items, renumbered->count, sizeof *renumbered->items, compare_renumbered);
}

uint32_t fm_renumbered_order(const fm_renumbered_vector *renumbered, uint32_t process, uint64_t id,
                             uint32_t order)
{
    const struct fm_renumbered wanted = {.process = process, .id = id, .order = order};
    const struct fm_renumbered *found = renumbered->count == 0
                                            ? NULL
                                            : bsearch(&wanted, renumbered->items, renumbered->count,
                                                      sizeof wanted, compare_renumbered);
    return found == NULL ? order : found->new_order;
}
