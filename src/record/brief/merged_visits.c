/* SPDX-License-Identifier: BSD-3-Clause */
/* A group's nodes are found by a hash table with open addressing, by parent and key; roots of the
 * same key are told apart by their call stacks. Cost of a visit: O(1), and O(open visits) for the
 * first one of a group. */
#include "record/brief/merged_visits.h"

#include "record/capture/memory_use.h"
#include "record/capture/thread.h"
#include "record/stack/stack.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

/* Parts of a second: how long a group lasts for each of its records, and at most. A record is about
 * six events in the archive: a thread has some 800 of them in a second. */
enum { CUTS = 125, CUTS_LEAST = 10 };

enum { SLOTS = 2 * FM_VISIT_NODES, FIRST_ROOM = 64 };

struct fm_visit_memory {
    uint64_t *end;  /* of the group's records; NULL: there is no group */
    uint32_t count; /* nodes */
    uint32_t last_root;
    uint32_t saves; /* fm_thread.saves at its begin */
    uint64_t begin; /* first Enter */
    struct fm_visit_node nodes[FM_VISIT_NODES];
    uint16_t slots[SLOTS]; /* node + 1; 0: free */
};

static uint64_t longest, longest_of_all; /* in ticks; 0: nothing is merged */

/* What fm_merging.group.end is while visits are open: the next call is not recorded before
 * fm_merged_enter() has told them. */
static uint64_t visits_are_open;

void fm_merged_visits_begin(uint64_t resolution)
{
    longest_of_all = resolution / CUTS_LEAST;
    __atomic_store_n(&longest, resolution / CUTS, __ATOMIC_RELEASE);
}

/* ---- memory ---- */

/* errno is preserved. */
static void *map(size_t bytes)
{
    int saved = errno;
    void *pages = fm_memory_use_map(bytes, 0);
    errno = saved;
    return pages;
}

static bool has_memory(struct fm_merged_visits *visits)
{
    if (visits->memory == NULL) {
        visits->memory = map(sizeof *visits->memory);
    }
    return visits->memory != NULL;
}

static FM_COLD bool grow(struct fm_merged_visits *visits)
{
    const uint32_t room = visits->room != 0 ? 2 * visits->room : FIRST_ROOM;
    struct fm_visit *open = map(room * sizeof *open);
    if (open == NULL) {
        return false;
    }
    if (visits->room != 0) {
        memcpy(open, visits->open, visits->count * sizeof *open);
        munmap(visits->open, visits->room * sizeof *open);
        fm_memory_use_remove(visits->room * sizeof *open);
    }
    visits->open = open;
    visits->room = room;
    return true;
}

/* ---- groups ---- */

static bool is_group_good(const struct fm_thread *thread, uint64_t time)
{
    const struct fm_visit_memory *group = thread->visits.memory;
    const uint64_t most = longest * (group->count + 1);
    return group->end == thread->cursor &&
           group->saves == __atomic_load_n(&thread->saves, __ATOMIC_ACQUIRE) &&
           time - group->begin < (most < longest_of_all ? most : longest_of_all);
}

/* The first visit that no record has. */
static uint32_t first_unbooked(const struct fm_merged_visits *visits)
{
    uint32_t first = visits->count;
    while (first > 0 && !visits->open[first - 1].is_booked) {
        first--;
    }
    return first;
}

/* When the booked visits end in the records: the time behind it is not in them. */
static uint64_t booked_until(const struct fm_merged_visits *visits, uint32_t unbooked)
{
    return unbooked < visits->count ? visits->open[unbooked].began : visits->since;
}

/* Ends the group. Open visits go on, in the next one. */
static void end_group(struct fm_merged_visits *visits)
{
    struct fm_visit_memory *group = visits->memory;
    const uint32_t unbooked = first_unbooked(visits);
    const uint64_t until = booked_until(visits, unbooked);
    for (uint32_t i = 0; i < unbooked; i++) {
        visits->open[i].is_booked = false;
        visits->open[i].pending = 0;
        visits->open[i].began = until;
    }
    visits->root = FM_VISIT_NODES;
    group->end = NULL;
    if (group->count != 0) {
        group->count = 0;
        memset(group->slots, 0, sizeof group->slots);
    }
}

void fm_merged_visits_end_group(struct fm_thread *thread)
{
    if (thread->visits.memory != NULL) {
        end_group(&thread->visits);
    }
    if (thread->visits.count != 0) {
        thread->merging.group.end = &visits_are_open;
    }
}

/* ---- nodes ---- */

static size_t slot_of(uint32_t parent, uint64_t key)
{
    return (size_t)(((key << 10 ^ parent) * 0x9e3779b97f4a7c15u) >> 40) % SLOTS;
}

/* The node below another one (`parent`: it + 1), or inside itself: regions that recur count as the
 * outermost of them. @return FM_VISIT_NODES: there is none */
static uint32_t find(const struct fm_visit_memory *group, uint32_t parent, uint64_t key)
{
    for (size_t i = slot_of(parent, key); group->slots[i] != 0; i = (i + 1) % SLOTS) {
        const uint32_t node = group->slots[i] - 1u;
        if (group->nodes[node].key == key && group->nodes[node].parent == parent) {
            return node;
        }
    }
    for (; parent != 0; parent = group->nodes[parent - 1].parent) {
        if (group->nodes[parent - 1].key == key) {
            return parent - 1;
        }
    }
    return FM_VISIT_NODES;
}

/* The root with a key and the call stack at a call. The state of the stack is not changed. */
static uint32_t find_root(const struct fm_thread *thread, uint64_t key, struct fm_here here)
{
    const struct fm_visit_memory *group = thread->visits.memory;
    for (size_t i = slot_of(0, key); group->slots[i] != 0; i = (i + 1) % SLOTS) {
        const uint32_t node = group->slots[i] - 1u;
        const struct fm_visit_node *root = &group->nodes[node];
        if (root->key == key && root->parent == 0 &&
            (thread->stack == NULL || (root->state != NULL && root->state->stamp == root->stamp &&
                                       fm_stack_is_still(thread->stack, root->state, here)))) {
            return node;
        }
    }
    return FM_VISIT_NODES;
}

static void add_to(uint64_t *word, uint64_t more)
{
    __atomic_store_n(word, *word + more, __ATOMIC_RELAXED); /* readers see it as a whole */
}

/* Appends a record to the group. @return its node */
static uint32_t append(struct fm_thread *thread, uint32_t parent, const struct fm_visit *visit)
{
    struct fm_merged_visits *visits = &thread->visits;
    struct fm_visit_memory *group = visits->memory;
    const uint32_t number = group->count++;
    uint64_t *r = thread->cursor;
    r[0] = fm_record_visits((uint32_t)(visit->key >> 32), parent != 0 ? number + 1 - parent : 0,
                            (uint32_t)visit->key);
    r[1] = visit->began;
    r[2] = r[3] = 0;
    r[4] = UINT32_MAX;
    struct fm_visit_node *node = &group->nodes[number];
    *node = (struct fm_visit_node){.record = r, .key = visit->key, .parent = parent};
    node->root = parent != 0 ? group->nodes[parent - 1].root : number;
    if (parent == 0) {
        node->state = visits->state;
        node->stamp = visits->stamp;
        node->shown = visits->shown;
        group->last_root = visits->root = number;
    }
    size_t slot = slot_of(parent, visit->key);
    while (group->slots[slot] != 0) {
        slot = (slot + 1) % SLOTS;
    }
    group->slots[slot] = (uint16_t)(number + 1);
    thread->cursor = group->end = r + FM_WORDS_VISITS;
    fm_thread_publish(thread);
    return number;
}

/* ---- call stacks ---- */

/* Records a change of the call stack. There is room. */
static void put_change(struct fm_thread *thread, const struct fm_stack_change *change)
{
    thread->cursor = fm_thread_put_stack(thread->cursor, change);
}

/* Records the change of the call stack to that around the outermost open visit, if that is not the
 * one of the last record: since then a visit has begun elsewhere. There is room. */
static void restore_stack(struct fm_thread *thread)
{
    const struct fm_merged_visits *visits = &thread->visits;
    struct fm_stack *stack = thread->stack;
    struct fm_stack_change change;
    if (stack == NULL) {
        return;
    }
    if (visits->state != NULL && visits->state->stamp == visits->stamp &&
        fm_stack_differs(stack, visits->state, &change) && change.kept < visits->shown) {
        put_change(thread, &change);
        fm_stack_adopt(stack, visits->state);
    }
    if (fm_stack_cut_back(stack, visits->shown, &change)) {
        put_change(thread, &change);
    }
}

/* Records the call stack around the visit of a root that is new. */
static void note_stack(struct fm_thread *thread, struct fm_here here)
{
    struct fm_merged_visits *visits = &thread->visits;
    fm_thread_note_stack(thread, here);
    visits->state = thread->stack->latest;
    visits->stamp = visits->state != NULL ? visits->state->stamp : 0;
    visits->shown = thread->stack->shown_count;
}

/* ---- time ---- */

/* Adds the time since the last Enter or Leave to the innermost open visit. */
static void pass_time(struct fm_thread *thread, uint64_t time)
{
    struct fm_merged_visits *visits = &thread->visits;
    if (FM_UNLIKELY(visits->memory->end != NULL && !is_group_good(thread, time))) {
        end_group(visits);
    }
    if (visits->count != 0 && time > visits->since) {
        struct fm_visit *visit = fm_visit_innermost(visits);
        const uint64_t ticks = time - visits->since;
        visit->own += ticks;
        if (visit->is_booked) {
            add_to(&visits->memory->nodes[visit->node].record[3], ticks);
        } else {
            visit->pending += ticks;
        }
    }
    visits->since = time;
}

/* Makes room for a record and a change of the stack. If there is none, another chunk begins, and so
 * does another group. @return whether the group goes on */
static bool make_room(struct fm_thread *thread)
{
    const size_t words = (size_t)FM_WORDS_VISITS + FM_STACK_DEEPEST;
    if (FM_LIKELY(fm_thread_has_room(thread, words))) {
        return true;
    }
    fm_thread_grow(thread, words);
    fm_merged_visits_end_group(thread);
    return false;
}

/* Appends the record of an open visit to the group.
 * @param parent  node around it + 1; 0: none
 * @param is_new  the group contains nothing but the open visits
 * @return its node; FM_VISIT_NODES: the group has ended meanwhile */
static uint32_t add_node(struct fm_thread *thread, uint32_t parent, const struct fm_visit *visit,
                         bool is_new)
{
    struct fm_visit_memory *group = thread->visits.memory;
    if (!make_room(thread)) {
        return FM_VISIT_NODES;
    }
    if (group->count == FM_VISIT_NODES && is_new) { /* more open regions than fit into a group */
        return parent - 1;
    }
    if (group->count == FM_VISIT_NODES ||
        (parent != 0 && group->nodes[parent - 1].root != group->last_root)) {
        end_group(&thread->visits);
        return FM_VISIT_NODES;
    }
    if (parent == 0) {
        restore_stack(thread);
    }
    if (group->end == NULL) {
        group->begin = thread->visits.since;
        group->saves = __atomic_load_n(&thread->saves, __ATOMIC_ACQUIRE);
    }
    return append(thread, parent, visit);
}

/* The node of an open visit, the visits around which are booked. @return FM_VISIT_NODES: the group
 * has ended meanwhile */
static uint32_t node_of(struct fm_thread *thread, uint32_t number, bool is_new)
{
    struct fm_merged_visits *visits = &thread->visits;
    const struct fm_visit *visit = &visits->open[number];
    const uint32_t parent = number != 0 ? visit[-1].node + 1 : 0;
    const uint32_t node = number != 0 ? find(visits->memory, parent, visit->key) : visits->root;
    return node != FM_VISIT_NODES ? node : add_node(thread, parent, visit, is_new);
}

/* Puts the time of the open visits so far into records. If the group ends meanwhile, the visits
 * around are booked once more, in the next one. */
static void book(struct fm_thread *thread)
{
    struct fm_merged_visits *visits = &thread->visits;
    bool is_new = false;
    for (uint32_t i = first_unbooked(visits); i < visits->count;) {
        struct fm_visit *visit = &visits->open[i];
        visit->node = node_of(thread, i, is_new);
        if (FM_UNLIKELY(visit->node == FM_VISIT_NODES)) {
            is_new = true;
            i = 0;
            continue;
        }
        visit->is_booked = true;
        add_to(&visits->memory->nodes[visit->node].record[3], visit->pending);
        visit->pending = 0;
        i++;
    }
}

/* ---- visits ---- */

/* Prepares the visit of a region that is entered where none is open. */
static bool begin_outermost(struct fm_thread *thread, uint64_t key, uint64_t time,
                            struct fm_here here)
{
    struct fm_merged_visits *visits = &thread->visits;
    if (__atomic_load_n(&longest, __ATOMIC_ACQUIRE) == 0 || thread->pause.paused ||
        !has_memory(visits)) {
        return false;
    }
    if (visits->memory->end != NULL && !is_group_good(thread, time)) {
        end_group(visits);
    }
    visits->root = find_root(thread, key, here);
    if (visits->root != FM_VISIT_NODES) {
        const struct fm_visit_node *root = &visits->memory->nodes[visits->root];
        visits->state = root->state;
        visits->stamp = root->stamp;
        visits->shown = root->shown;
    } else if (thread->stack != NULL) {
        note_stack(thread, here);
        if (visits->memory->end != NULL) { /* it goes on, unless another chunk has begun */
            visits->memory->end = thread->cursor;
        }
    }
    if (thread->functions.due && key >> 32 == FM_VISITED_FUNCTION) {
        fm_functions_tell_around(thread, time);
    } else if (thread->functions.due) {
        fm_functions_tell(thread, time);
    }
    thread->merging.group.end = &visits_are_open;
    return true;
}

bool fm_visit_enter(struct fm_thread *thread, uint64_t key, uint64_t time, struct fm_here here)
{
    struct fm_merged_visits *visits = &thread->visits;
    if (visits->count == 0) {
        if (!begin_outermost(thread, key, time, here)) {
            return false;
        }
        visits->since = time;
    } else {
        pass_time(thread, time);
    }
    if (FM_UNLIKELY(visits->count == visits->room) && !grow(visits)) {
        fm_merged_visits_tell(thread, NULL);
        return false;
    }
    visits->open[visits->count++] = (struct fm_visit){.key = key,
                                                      .began = time,
                                                      .sp = fm_here_caller(here).sp,
                                                      .taken = visits->taken,
                                                      .order = visits->order};
    visits->regions += key >> 32 == FM_VISITED_REGION;
    visits->taken = 0;
    return true;
}

/* Removes the innermost open visit. */
static void pop(struct fm_thread *thread)
{
    struct fm_merged_visits *visits = &thread->visits;
    visits->count--;
    visits->regions -= visits->open[visits->count].key >> 32 == FM_VISITED_REGION;
    if (visits->count == 0) {
        thread->merging.group.end = NULL;
    }
}

void fm_visit_leave(struct fm_thread *thread, uint64_t time)
{
    struct fm_merged_visits *visits = &thread->visits;
    pass_time(thread, time);
    book(thread);
    const struct fm_visit *visit = fm_visit_innermost(visits);
    uint64_t *r = visits->memory->nodes[visit->node].record;
    const uint32_t own = visit->own < UINT32_MAX ? (uint32_t)visit->own : UINT32_MAX;
    add_to(&r[2], 1);
    __atomic_store_n(&r[4], fm_record_visit_extremes(r[4], own), __ATOMIC_RELAXED);
    pop(thread);
}

bool fm_visit_drop(struct fm_thread *thread, uint64_t time)
{
    struct fm_merged_visits *visits = &thread->visits;
    pass_time(thread, time);
    const struct fm_visit dropped = *fm_visit_innermost(visits);
    if (dropped.is_booked) {
        return false;
    }
    pop(thread);
    if (visits->count != 0) {
        struct fm_visit *around = fm_visit_innermost(visits);
        around->own += dropped.own;
        if (around->is_booked) {
            add_to(&visits->memory->nodes[around->node].record[3], dropped.pending);
        } else {
            around->pending += dropped.pending;
        }
    }
    return true;
}

/* Whether the visits in an open one are regions, and their number. */
static bool are_regions(const struct fm_merged_visits *visits, size_t count)
{
    bool are = true;
    for (size_t i = 0; i < count && are; i++) {
        are = visits->open[visits->count - 1 - i].key >> 32 == FM_VISITED_REGION;
    }
    return are;
}

bool fm_visit_leave_open(struct fm_thread *thread, size_t item, uint64_t time)
{
    struct fm_merged_visits *visits = &thread->visits;
    const size_t count = thread->open.count - item;
    if (item >= thread->open.count || count > visits->regions || !are_regions(visits, count)) {
        fm_merged_visits_tell(thread, NULL);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        fm_visit_leave(thread, time);
    }
    thread->open.count = item;
    return true;
}

/* ---- visits that are told ---- */

/* Records the Enter of a visit.
 * @param apart  the function of the visit, if it is one, is not in the recorded call stack */
static void put_enter(struct fm_thread *thread, const struct fm_visit *visit, uint64_t time,
                      bool apart)
{
    if (visit->key >> 32 == FM_VISITED_FUNCTION) {
        fm_functions_tell_next(thread, time, apart);
        return;
    }
    if (visit->taken != 0) {
        uint64_t *r = fm_thread_reserve(thread, FM_WORDS_LOCK_TAKEN);
        r[0] = visit->taken;
        r[1] = time;
        r[2] = visit->order;
    }
    uint64_t *r = fm_thread_reserve(thread, FM_WORDS_REGION_ENTER);
    r[0] = fm_record_header(FM_RECORD_REGION_ENTER, 0, (uint32_t)visit->key);
    r[1] = time;
}

/* Records that the call stack consists of its outer `count` functions, of which `kept` are in the
 * same calls as before. */
static void show_outer(struct fm_thread *thread, uint32_t kept, uint32_t count)
{
    const struct fm_stack *stack = thread->stack;
    const struct fm_stack_change part = {.cut = stack->cut && count == stack->shown_count,
                                         .kept = kept,
                                         .added = count - kept,
                                         .sites = stack->shown + kept};
    fm_thread_put_stack(fm_thread_reserve(thread, part.added > 1 ? part.added : 1), &part);
}

/* Tells the visits with the functions between them.
 * @param until  of the outer `booked` ones */
static void tell_in_stack(struct fm_thread *thread, uint32_t booked, uint64_t until,
                          const struct fm_stack_change *change)
{
    const struct fm_merged_visits *visits = &thread->visits;
    const struct fm_stack *stack = thread->stack;
    uint32_t shown = change != NULL ? change->kept : stack->shown_count;
    if (change != NULL && change->newest >= thread->told_sites) {
        thread->told_sites = fm_thread_tell_sites();
    }
    if (change != NULL && change->dropped != 0) {
        show_outer(thread, shown, shown);
    }
    for (uint32_t i = 0; i < visits->count; i++) {
        const struct fm_visit *visit = &visits->open[i];
        const uint32_t around = fm_stack_shown_around(stack, visit->sp);
        if (around != shown) {
            show_outer(thread, around < shown ? around : shown, around);
            shown = around;
        }
        put_enter(thread, visit, i < booked ? until : visit->began, false);
    }
    if (shown != stack->shown_count) {
        show_outer(thread, shown, stack->shown_count);
    }
}

/* Tells the visits in the call stack around the outermost one. */
static void tell_apart(struct fm_thread *thread, uint32_t booked, uint64_t until)
{
    const struct fm_merged_visits *visits = &thread->visits;
    if (!fm_thread_has_room(thread, FM_STACK_DEEPEST)) {
        fm_thread_grow(thread, FM_STACK_DEEPEST);
    }
    restore_stack(thread);
    for (uint32_t i = 0; i < visits->count; i++) {
        put_enter(thread, &visits->open[i], i < booked ? until : visits->open[i].began, true);
    }
}

void fm_merged_visits_tell(struct fm_thread *thread, const struct fm_here *here)
{
    struct fm_merged_visits *visits = &thread->visits;
    if (visits->count == 0) {
        return;
    }
    const uint32_t booked = first_unbooked(visits);
    const uint64_t until = booked_until(visits, booked);
    const struct fm_stack_change *change =
        here != NULL && thread->stack != NULL ? fm_stack_unwind(thread->stack, *here) : NULL;
    if (here != NULL && thread->stack != NULL && fm_stack_has_frames(thread->stack)) {
        tell_in_stack(thread, booked, until, change);
    } else {
        tell_apart(thread, booked, until);
    }
    end_group(visits);
    visits->count = visits->regions = 0;
    thread->merging.group.end = NULL;
    fm_thread_publish(thread);
}
