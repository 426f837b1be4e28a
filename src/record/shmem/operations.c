/* SPDX-License-Identifier: BSD-3-Clause */
/* Contexts, and the one-sided operations in them.
 *
 * Operations on a PE between two completions share a matching id: one for blocking puts, which only
 * their remote completion is missing of, and one for non-blocking operations. Gets and atomic
 * operations that return a result or not are complete when they return; each has its own id. */
#include "record/capture/handles.h"
#include "record/shmem/shmem.h"

#include <stdlib.h>

struct fm_shmem_context fm_shmem_default;

static struct fm_handle_map contexts = FM_HANDLE_MAP(FM_SHMEM_CONTEXTS_CACHE);

static bool begin_context(struct fm_shmem_context *context, const struct fm_shmem_group *group)
{
    size_t size = (size_t)fm_shmem_world.size;
    context->group = group;
    context->targets = calloc(size + 1, sizeof *context->targets);
    context->open = calloc(size + 1, sizeof *context->open);
    if (context->targets == NULL || context->open == NULL) {
        free(context->targets);
        free(context->open);
        context->targets = NULL;
        return false;
    }
    return true;
}

void fm_shmem_contexts_begin(void)
{
    if (fm_shmem_world.size != 0) {
        begin_context(&fm_shmem_default, &fm_shmem_world);
    }
}

struct fm_shmem_context *fm_shmem_context(struct fm_thread *thread, shmem_ctx_t ctx)
{
    uint64_t handle = (uint64_t)(uintptr_t)ctx;
    struct fm_shmem_context *context =
        fm_handles_find_in(&contexts, FM_SHMEM_CONTEXTS_CACHE, thread, handle);
    if (FM_UNLIKELY(context == NULL)) {
        context = &fm_shmem_default;
        fm_handles_insert(&contexts, handle, context);
    }
    return context;
}

/* ---- what is open ---- */

/* PE of a member of the context's group; -1: nothing is recorded. */
static inline int pe_of(const struct fm_shmem_context *context, int pe)
{
    if (context->targets == NULL || pe < 0 || pe >= context->group->size) {
        return -1;
    }
    return context->group->members != NULL ? context->group->members[pe] : pe;
}

/* The matching id for an operation; `begun`: another call completes it. */
static inline uint64_t open_operation(struct fm_thread *thread, struct fm_shmem_context *context,
                                      int pe, bool begun)
{
    fm_spin_lock_if(fm_shmem_threaded, &context->lock);
    struct fm_shmem_target *target = &context->targets[pe];
    uint64_t *id = begun ? &target->begun : &target->puts;
    if (*id == 0) {
        *id = fm_thread_new_id(thread);
        if (target->place == 0) {
            context->open[context->open_count++] = (uint32_t)pe;
            target->place = context->open_count;
        }
    }
    uint64_t used = *id;
    fm_spin_unlock_if(fm_shmem_threaded, &context->lock);
    return used;
}

static void put_completion(struct fm_thread *thread, enum fm_record_kind kind, uint64_t id)
{
    fm_put_id(fm_thread_reserve(thread, FM_WORDS_COMPLETE_REMOTE), kind, fm_shmem_world.window, id);
}

void fm_shmem_complete(struct fm_thread *thread, struct fm_shmem_context *context)
{
    fm_spin_lock_if(fm_shmem_threaded, &context->lock);
    for (uint32_t i = 0; i < context->open_count; i++) {
        struct fm_shmem_target *target = &context->targets[context->open[i]];
        if (target->puts != 0) {
            put_completion(thread, FM_RECORD_COMPLETE_REMOTE, target->puts);
        }
        if (target->begun != 0) {
            put_completion(thread, FM_RECORD_COMPLETE_FULLY, target->begun);
        }
        *target = (struct fm_shmem_target){0};
    }
    context->open_count = 0;
    fm_spin_unlock_if(fm_shmem_threaded, &context->lock);
}

uint64_t fm_shmem_completions(const struct fm_shmem_context *context)
{
    enum { REMOTE = 1, FULLY = 2 };
    uint64_t events = 0;
    for (uint32_t i = 0; i < context->open_count; i++) {
        const struct fm_shmem_target *target = &context->targets[context->open[i]];
        events += (target->puts != 0 ? REMOTE : 0) + (target->begun != 0 ? FULLY : 0);
    }
    return events;
}

/* ---- operations ---- */

void fm_pe_put(struct fm_thread *thread, struct fm_shmem_context *context, uint64_t bytes, int pe)
{
    int target = pe_of(context, pe);
    if (FM_LIKELY(target >= 0)) {
        uint64_t *r = fm_thread_leave(thread, FM_WORDS_PUT + fm_words_above(bytes) +
                                                  FM_WORDS_COMPLETE_BLOCKING);
        uint64_t id = open_operation(thread, context, target, false);
        r = fm_put_transfer(r, FM_RECORD_PUT, fm_shmem_world.window, target, bytes, id);
        fm_put_id(r, FM_RECORD_COMPLETE_BLOCKING, fm_shmem_world.window, id);
    } else {
        fm_thread_leave(thread, 0);
    }
    fm_thread_done(thread);
}

void fm_pe_get(struct fm_thread *thread, struct fm_shmem_context *context, uint64_t bytes, int pe)
{
    int target = pe_of(context, pe);
    if (FM_LIKELY(target >= 0)) {
        uint64_t *r = fm_thread_leave(thread, FM_WORDS_GET + fm_words_above(bytes) +
                                                  FM_WORDS_COMPLETE_BLOCKING);
        uint64_t id = fm_thread_new_id(thread);
        r = fm_put_transfer(r, FM_RECORD_GET, fm_shmem_world.window, target, bytes, id);
        fm_put_id(r, FM_RECORD_COMPLETE_BLOCKING, fm_shmem_world.window, id);
    } else {
        fm_thread_leave(thread, 0);
    }
    fm_thread_done(thread);
}

static void begin_transfer(struct fm_thread *thread, struct fm_shmem_context *context,
                           enum fm_record_kind kind, uint64_t bytes, int pe)
{
    int target = pe_of(context, pe);
    if (FM_LIKELY(target >= 0)) {
        uint64_t *r = fm_thread_leave(thread, FM_WORDS_PUT + fm_words_above(bytes));
        fm_put_transfer(r, kind, fm_shmem_world.window, target, bytes,
                        open_operation(thread, context, target, true));
    } else {
        fm_thread_leave(thread, 0);
    }
    fm_thread_done(thread);
}

void fm_pe_begin_put(struct fm_thread *thread, struct fm_shmem_context *context, uint64_t bytes,
                     int pe)
{
    begin_transfer(thread, context, FM_RECORD_PUT, bytes, pe);
}

void fm_pe_begin_get(struct fm_thread *thread, struct fm_shmem_context *context, uint64_t bytes,
                     int pe)
{
    begin_transfer(thread, context, FM_RECORD_GET, bytes, pe);
}

void fm_pe_atomic(struct fm_thread *thread, struct fm_shmem_context *context,
                  OTF2_RmaAtomicType type, uint64_t sent, uint64_t received, int pe)
{
    int target = pe_of(context, pe);
    if (FM_LIKELY(target >= 0)) {
        uint64_t *r = fm_thread_leave(thread, FM_WORDS_ATOMIC + FM_WORDS_COMPLETE_BLOCKING +
                                                  FM_WORDS_COMPLETE_REMOTE);
        uint64_t id = fm_thread_new_id(thread);
        r = fm_put_atomic(r, type, fm_shmem_world.window, target, sent, received, id);
        r = fm_put_id(r, FM_RECORD_COMPLETE_BLOCKING, fm_shmem_world.window, id);
        fm_put_id(r, FM_RECORD_COMPLETE_REMOTE, fm_shmem_world.window, id);
    } else {
        fm_thread_leave(thread, 0);
    }
    fm_thread_done(thread);
}

void fm_pe_begin_atomic(struct fm_thread *thread, struct fm_shmem_context *context,
                        OTF2_RmaAtomicType type, uint64_t sent, uint64_t received, int pe)
{
    int target = pe_of(context, pe);
    if (FM_LIKELY(target >= 0)) {
        uint64_t *r = fm_thread_leave(thread, FM_WORDS_ATOMIC);
        fm_put_atomic(r, type, fm_shmem_world.window, target, sent, received,
                      open_operation(thread, context, target, true));
    } else {
        fm_thread_leave(thread, 0);
    }
    fm_thread_done(thread);
}

void fm_pe_quiet(struct fm_thread *thread, struct fm_shmem_context *context)
{
    fm_thread_leave(thread, 0);
    fm_shmem_complete(thread, context);
    fm_thread_done(thread);
}

void fm_pe_changed(struct fm_thread *thread, bool changed)
{
    if (changed && fm_shmem_world.size != 0) {
        uint64_t *r = fm_thread_leave(thread, FM_WORDS_WAIT_CHANGE);
        fm_put_mark(r, FM_RECORD_WAIT_CHANGE, fm_shmem_world.window);
    } else {
        fm_thread_leave(thread, 0);
    }
    fm_thread_done(thread);
}

void fm_pe_tested(struct fm_thread *thread, bool changed)
{
    if (changed) {
        fm_pe_changed(thread, true);
    } else {
        fm_call_leave_test(thread, true);
    }
}

/* ---- contexts ---- */

/* A new context of the program. Without memory its operations count as those of the default one. */
static void add_context(shmem_ctx_t ctx, const struct fm_shmem_group *group)
{
    struct fm_shmem_context *context = group != NULL ? calloc(1, sizeof *context) : NULL;
    if (context != NULL && begin_context(context, group)) {
        fm_handles_insert(&contexts, (uint64_t)(uintptr_t)ctx, context);
    } else {
        free(context);
    }
}

int fm_shmem_ctx_create(long options, shmem_ctx_t *ctx)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_shmem_ctx_create);
    int outcome = FM_SHMEM(shmem_ctx_create)(options, ctx);
    if (thread != NULL && outcome == 0 && fm_shmem_world.size != 0) {
        add_context(*ctx, &fm_shmem_world);
    }
    fm_call_leave(thread);
    return outcome;
}

int fm_shmem_team_create_ctx(shmem_team_t team, long options, shmem_ctx_t *ctx)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_shmem_team_create_ctx);
    int outcome = FM_SHMEM(shmem_team_create_ctx)(team, options, ctx);
    if (thread != NULL && outcome == 0) {
        add_context(*ctx, fm_shmem_team(thread, team));
    }
    fm_call_leave(thread);
    return outcome;
}

/* Completes the operations of the context. */
void fm_shmem_ctx_destroy(shmem_ctx_t ctx)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_shmem_ctx_destroy);
    struct fm_shmem_context *context =
        thread != NULL ? fm_handles_remove(&contexts, (uint64_t)(uintptr_t)ctx) : NULL;
    FM_SHMEM(shmem_ctx_destroy)(ctx);
    if (thread != NULL) {
        fm_thread_leave(thread, 0);
        if (context != NULL) {
            fm_shmem_complete(thread, context);
            if (context != &fm_shmem_default) {
                free(context->targets);
                free(context->open);
                free(context);
            }
        }
        fm_thread_done(thread);
    }
}
