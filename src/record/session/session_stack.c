/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/session/session_stack.h"

#include "record/capture/thread.h"
#include "record/closing/unify.h"
#include "record/experiment/kept_variables.h"
#include "record/journal/journal.h"
#include "record/session/session.h"
#include "record/stack/resolve.h"
#include "record/stack/site_set.h"
#include "record/stack/stack.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
    bool recorded; /* whether call sites are recorded */
    bool main_known;
    uint32_t depth;              /* functions shown at most; 0: call stacks are not recorded */
    struct fm_definitions sites; /* guarded by the session's lock */
} stacks;

bool fm_session_callpath_whole(void)
{
    const char *text = fm_variable("FERMATA_CALLPATH");
    return text != NULL && strcmp(text, "all") == 0;
}

static uint32_t depth_wanted(void)
{
    const char *text = fm_variable("FERMATA_CALLPATH");
    if (text != NULL && strcmp(text, "flat") == 0) {
        return 0;
    }
    if (text != NULL && strncmp(text, "depth=", 6) == 0) {
        long depth = strtol(text + 6, NULL, 10);
        return depth <= 0 ? 0 : depth < FM_STACK_DEEPEST ? (uint32_t)depth : FM_STACK_DEEPEST;
    }
    return FM_STACK_DEEPEST;
}

/* No call site is added before the program's main function is known (fm_session_stack_main). */
void fm_session_note_sites(void)
{
    fm_lock(&fm_session.lock);
    if (stacks.main_known && fm_sites_count() > FM_SITE_UNKNOWN + 1) {
        fm_site_set_update(&stacks.sites);
        fm_journal_note_sites(&stacks.sites);
    }
    fm_unlock(&fm_session.lock);
}

/* Ends recording in a forked child: it must not write, and may have inherited locks whose holders
 * do not exist in it. */
static void end_in_child(void)
{
    if (fm_thread_self != NULL) {
        fm_thread_self->over = 1;
    }
    stacks.recorded = false;
    fm_threads_without_stacks();
}

void fm_session_stack_begin(void)
{
    stacks.depth = depth_wanted();
    stacks.recorded = fm_places_begin() && pthread_atfork(NULL, NULL, end_in_child) == 0;
    fm_threads_with_stacks(stacks.recorded ? stacks.depth : 0, fm_session_note_sites);
}

uint32_t fm_session_callpath_depth(void)
{
    return stacks.depth;
}

void fm_session_unloaded(void)
{
    struct fm_thread *thread = fm_thread_self;
    uint32_t before = thread != NULL ? thread->is_marking : 0;
    if (stacks.recorded) {
        if (thread != NULL) { /* stops instrumented signal handlers from taking the same lock */
            thread->is_marking = 1;
            fm_signal_fence();
        }
        fm_places_forget_unloaded();
        if (thread != NULL) {
            fm_signal_fence();
            thread->is_marking = before;
        }
    }
}

void fm_session_stack_begins_at(struct fm_thread *thread, uint64_t address)
{
    /* Sites are return addresses: one behind the first instruction is in the function. */
    fm_sites_set_main(fm_thread_site_of(thread, address + 1));
}

void fm_session_stack_main(void)
{
    const struct fm_thread *thread = fm_thread_self;
    if (thread != NULL && thread->stack != NULL && gettid() == getpid()) {
        fm_sites_set_main(fm_stack_outermost(thread->stack));
    }
    stacks.main_known = stacks.recorded;
    fm_session_note_sites();
}

const struct fm_definitions *fm_session_sites(void)
{
    return &stacks.sites;
}

/* Broadcasts rank 0's set.
 * @param set  on rank 0 the set; elsewhere empty, out: the set
 * @return false: no memory here or on rank 0 */
static bool distribute(const struct fm_exchange *exchange, struct fm_definitions *set, bool good)
{
    enum { PIECE = 1 << 20 };
    static char spare[PIECE];
    size_t bytes = 0;
    char *block = exchange->rank == 0 && good ? fm_definitions_pack(set, &bytes) : NULL;
    uint64_t size = block != NULL ? bytes : 0;
    exchange->broadcast(&size, sizeof size, 0);
    if (exchange->rank != 0) {
        block = malloc(size + 1);
    }
    for (uint64_t done = 0; done < size;) { /* processes without memory take part, too */
        uint64_t piece = size - done < PIECE ? size - done : PIECE;
        exchange->broadcast(block != NULL ? block + done : spare, piece, 0);
        done += piece;
    }
    good = block != NULL && size != 0;
    if (good && exchange->rank != 0) {
        struct fm_define_map map;
        good = fm_definitions_merge(set, block, size, &map);
        fm_define_map_free(&map);
    }
    free(block);
    return good;
}

/* Resolves the call sites of all processes, which are in rank 0's set `all`. */
static bool resolve(const struct fm_exchange *exchange, const struct fm_definitions *all,
                    struct fm_definitions *resolved, bool good)
{
    char helper[PATH_MAX];
    if (exchange->rank == 0) {
        fm_resolve_own_helper(helper, sizeof helper);
        good = fm_resolve(all, helper, resolved) && good;
    }
    return distribute(exchange, resolved, good);
}

bool fm_session_resolve(const struct fm_exchange *exchange, struct fm_definitions *definitions,
                        struct fm_callsites *sites)
{
    struct fm_definitions all = {0}, resolved = {0};
    struct fm_define_map own = {0}, global = {0};
    uint64_t wanted = stacks.recorded && fm_sites_count() > FM_SITE_UNKNOWN + 1;
    *sites = (struct fm_callsites){.deepest = stacks.depth, .whole = fm_session_callpath_whole()};
    exchange->reduce(&wanted, 1, FM_REDUCE_MAX);
    if (wanted == 0) {
        return true;
    }
    fm_session_note_sites();
    bool good = fm_callsites_merge(&all, &stacks.sites, &own);
    good = fm_unify(exchange, &all, &global) && good;
    good = resolve(exchange, &all, &resolved, good) && good;
    uint32_t count = (uint32_t)own.counts[FM_DEFINE_SITE];
    uint32_t *numbers = malloc((count + 1) * sizeof *numbers);
    for (uint32_t i = 0; good && numbers != NULL && i < count; i++) {
        numbers[i] = global.numbers[FM_DEFINE_SITE][own.numbers[FM_DEFINE_SITE][i]];
    }
    good =
        good && numbers != NULL && fm_callsites_make(definitions, &resolved, numbers, count, sites);
    free(numbers);
    fm_define_map_free(&own);
    fm_define_map_free(&global);
    fm_definitions_free(&all);
    fm_definitions_free(&resolved);
    return good;
}
