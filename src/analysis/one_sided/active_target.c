/* SPDX-License-Identifier: BSD-3-Clause */
/* General active target synchronization. Each access epoch is sent to its targets, where the k-th
 * one of an origin matches the k-th exposure epoch that names the origin; the target sends the time
 * of its post back. Epochs that were not recorded (pauses) count in this order, but have no
 * partner.
 */
#include "analysis/one_sided/active_target.h"

#include "analysis/dependencies/active_dependencies.h"
#include "analysis/pattern.h"

#include "engine/dispatch/dispatch.h"

/* An access epoch on its way to one of its targets. */
struct access_message {
    uint64_t completed;      /* Enter of the complete */
    uint64_t last_operation; /* Leave of the last operation on this target, if there is one */
    uint32_t has_operation;  /* on this target */
    uint32_t is_completed;   /* the complete is not missing */
    uint32_t unrecorded;     /* 0; else the message stands for this number of unrecorded epochs */
    uint32_t window;
    uint32_t origin;
    uint32_t target; /* of the origin: in its list */
    struct fm_call_ref complete;
};

/* The answer to the origin: when the target posted. */
struct post_message {
    struct fm_target_post post;
    uint32_t target; /* of the origin: in its list */
    uint32_t unused;
};

/* Summary of the access epochs of an exposure epoch that have arrived. */
struct exposure {
    uint64_t completed; /* Enter of the last complete; ties: the lowest location */
    uint64_t last_operation;
    struct fm_call_ref complete;
    uint32_t completes; /* those whose complete is not missing */
    uint32_t needed;    /* those with an operation on this target */
};

/* Position of the access epochs of one origin in its stream of exposure epochs. */
struct cursor {
    uint32_t next;    /* the first exposure epoch whose access epoch has not arrived, in the list of
                         origins; FM_NONE: none */
    uint64_t arrived; /* access epochs that have arrived */
    uint64_t passed;  /* exposure epochs before `next` */
};

/* The matching of one process. */
struct partner {
    struct exposure *exposures;
    struct fm_target_post *posts; /* by target of its access epochs */
    struct cursor *cursors;       /* by stream of exposure epochs */
};

struct active_target {
    struct fm_analysis *analysis;
    const struct fm_epochs *epochs; /* by process */
    struct partner *partners;       /* by process */
    struct fm_dispatch *accesses;
    struct fm_dispatch *posts;
};

static uint64_t enter_of(const struct active_target *active, struct fm_call_ref call)
{
    return active->analysis->trace->locations[call.location].enter.items[call.activity];
}

static void open_partners(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    struct active_target *active = context;
    for (uint32_t process = first; process < last; ++process) {
        const struct fm_epochs *epochs = &active->epochs[process];
        struct partner *own = &active->partners[process];
        *own = (struct partner){
            fm_allocate_written(epochs->exposures.count, sizeof *own->exposures),
            fm_resize(NULL, 0, epochs->targets.count * sizeof *own->posts),
            fm_allocate(epochs->first_origins.count, sizeof *own->cursors),
        };
        for (size_t t = 0; t < epochs->targets.count; ++t) {
            own->posts[t] = (struct fm_target_post){0, 0, {FM_NONE, FM_NONE}};
        }
        for (size_t i = 0; i < epochs->first_origins.count; ++i) {
            own->cursors[i].next = epochs->first_origins.items[i];
        }
    }
}

/* ---- origins send their access epochs ---- */

static void send_accesses(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct active_target *active = context;
    for (uint32_t process = first; process < last; ++process) {
        const struct fm_epochs *epochs = &active->epochs[process];
        for (uint32_t e = 0; e < epochs->accesses.count; ++e) {
            const struct fm_access_epoch *epoch = &epochs->accesses.items[e];
            bool completed = epoch->complete.activity != FM_NONE;
            struct access_message message = {
                .completed = completed ? enter_of(active, epoch->complete) : 0,
                .is_completed = completed,
                .unrecorded = epoch->unrecorded,
                .window = epoch->window,
                .origin = process,
                .complete = epoch->complete,
            };
            for (uint32_t t = 0; t < epoch->target_count; ++t) {
                message.target = epoch->first_target + t;
                const struct fm_epoch_target *target = &epochs->targets.items[message.target];
                message.last_operation = target->last_operation;
                message.has_operation = target->operations != FM_NONE;
                fm_dispatch_send(active->accesses, worker, target->process, &message);
            }
        }
    }
}

/* ---- targets match them with their exposure epochs ---- */

static void meet(struct exposure *exposure, const struct access_message *access)
{
    exposure->needed += access->has_operation;
    if (!access->is_completed) {
        return;
    }
    if (access->last_operation > exposure->last_operation) {
        exposure->last_operation = access->last_operation;
    }
    if (exposure->completes == 0 || access->completed > exposure->completed ||
        (access->completed == exposure->completed &&
         access->complete.location < exposure->complete.location)) {
        exposure->completed = access->completed;
        exposure->complete = access->complete;
    }
    ++exposure->completes;
}

/* Finds the exposure epoch of the next access epoch, and moves the cursor past it. @return position
 * in the list of origins; FM_NONE: it is missing, or was not recorded */
static uint32_t next_exposure(const struct fm_epochs *epochs, struct cursor *cursor)
{
    uint64_t ordinal = cursor->arrived++;
    while (cursor->next != FM_NONE) {
        uint32_t origin = cursor->next;
        uint32_t unrecorded =
            epochs->exposures.items[epochs->origins.items[origin].exposure].unrecorded;
        uint32_t count = unrecorded != 0 ? unrecorded : 1;
        bool is_reached = cursor->passed + count > ordinal;
        if (is_reached && unrecorded != 0) {
            return FM_NONE;
        }
        cursor->passed += count;
        cursor->next = epochs->origins.items[origin].next;
        if (is_reached) {
            return origin;
        }
    }
    return FM_NONE;
}

static void take_access(void *context, unsigned worker, uint32_t process, const void *record)
{
    struct active_target *active = context;
    const struct access_message *access = record;
    const struct fm_epochs *epochs = &active->epochs[process];
    uint32_t position =
        fm_map_get(&epochs->stream_of_origin, fm_origin_key(access->window, access->origin));
    if (position == FM_MAP_ABSENT) {
        return;
    }
    struct partner *own = &active->partners[process];
    if (access->unrecorded != 0) {
        own->cursors[position].arrived += access->unrecorded;
        return;
    }
    uint32_t found = next_exposure(epochs, &own->cursors[position]);
    if (found == FM_NONE) {
        return;
    }
    const uint32_t number = epochs->origins.items[found].exposure;
    const struct fm_exposure_epoch *epoch = &epochs->exposures.items[number];
    meet(&own->exposures[number], access);
    if (active->analysis->dependencies != NULL && access->is_completed &&
        epoch->wait.activity != FM_NONE) {
        fm_depend(active->analysis, worker, epoch->wait, fm_awaited_enter(access->complete),
                  FM_DEPENDS_ON_COMPLETE);
    }
    fm_dispatch_send(active->posts, worker, access->origin,
                     &(struct post_message){
                         .post = {enter_of(active, epoch->post),
                                  fm_call_leave(active->analysis->trace, epoch->post), epoch->post},
                         .target = access->target,
                     });
}

/* ---- origins receive the posts ---- */

static void take_post(void *context, unsigned worker, uint32_t process, const void *record)
{
    (void)worker;
    struct active_target *active = context;
    const struct post_message *message = record;
    active->partners[process].posts[message->target] = message->post;
}

/* ---- patterns ---- */

/* @return whether an exposure epoch lacks the end of an access epoch */
static bool judge_exposure(const struct active_target *active, unsigned worker,
                           const struct fm_exposure_epoch *epoch, const struct exposure *exposure)
{
    const struct fm_exposure_match match = {
        .epoch = epoch,
        .completed = exposure->completed,
        .complete = exposure->complete,
        .completes = exposure->completes,
        .last_operation = exposure->last_operation,
        .operating = exposure->needed,
    };
    for (unsigned p = 0; fm_patterns[p] != NULL; ++p) {
        if (fm_patterns[p]->exposure != NULL) {
            fm_patterns[p]->exposure(&(struct fm_finder){active->analysis, worker, (uint8_t)p},
                                     &match);
        }
    }
    return exposure->completes != epoch->origin_count;
}

/* The calls of an access epoch need their targets once these have posted. */
static void begin_needs(struct fm_progress *progress, const struct fm_access_match *match)
{
    const struct fm_epoch_operation *operations = match->epochs->operations.items;
    for (uint32_t t = 0; t < match->epoch->target_count; ++t) {
        const struct fm_target_post *post = &match->posts[t];
        const struct fm_epoch_target *target = &match->targets[t];
        if (post->call.activity == FM_NONE) {
            continue;
        }
        for (uint32_t o = target->operations; o != FM_NONE; o = operations[o].previous) {
            fm_progress_set_event(progress, operations[o].call, target->process, post->posted,
                                  post->left);
        }
        if (match->epoch->complete.activity != FM_NONE) {
            fm_progress_set_event(progress, match->epoch->complete, target->process, post->posted,
                                  post->left);
        }
    }
}

/* The same for calls that complete requests of operations of access epochs. */
static void begin_needs_of_completions(struct fm_progress *progress, const struct fm_epochs *epochs,
                                       const struct fm_target_post *posts)
{
    for (size_t i = 0; i < epochs->locks.access_completions.count; ++i) {
        const struct fm_access_completion *completion = &epochs->locks.access_completions.items[i];
        const struct fm_access_epoch *epoch = &epochs->accesses.items[completion->access];
        for (uint32_t t = epoch->first_target; t < epoch->first_target + epoch->target_count; ++t) {
            if (epochs->targets.items[t].process == completion->target &&
                posts[t].call.activity != FM_NONE) {
                fm_progress_set_event(progress, completion->call, completion->target,
                                      posts[t].posted, posts[t].left);
            }
        }
    }
}

/* @return whether an access epoch lacks an exposure epoch */
static bool judge_access(const struct active_target *active, unsigned worker,
                         const struct fm_epochs *epochs, const struct fm_access_epoch *epoch,
                         const struct fm_target_post *posts)
{
    struct fm_access_match match = {
        .epochs = epochs,
        .epoch = epoch,
        .targets = epochs->targets.items + epoch->first_target,
        .posts = posts + epoch->first_target,
    };
    for (uint32_t t = 0; t < epoch->target_count; ++t) {
        match.posted += match.posts[t].call.activity != FM_NONE;
    }
    for (unsigned p = 0; fm_patterns[p] != NULL; ++p) {
        if (fm_patterns[p]->access != NULL) {
            fm_patterns[p]->access(&(struct fm_finder){active->analysis, worker, (uint8_t)p},
                                   &match);
        }
    }
    if (active->analysis->progress != NULL) {
        begin_needs(active->analysis->progress, &match);
    }
    if (active->analysis->dependencies != NULL) {
        fm_depend_by_access(active->analysis, worker, &match);
    }
    return match.posted != epoch->target_count;
}

static void judge(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct active_target *active = context;
    uint64_t unmatched = 0;
    for (uint32_t process = first; process < last; ++process) {
        const struct fm_epochs *epochs = &active->epochs[process];
        struct partner *own = &active->partners[process];
        for (size_t e = 0; e < epochs->exposures.count; ++e) {
            const struct fm_exposure_epoch *epoch = &epochs->exposures.items[e];
            if (epoch->unrecorded == 0) {
                unmatched += judge_exposure(active, worker, epoch, &own->exposures[e]);
            }
        }
        for (size_t e = 0; e < epochs->accesses.count; ++e) {
            const struct fm_access_epoch *epoch = &epochs->accesses.items[e];
            if (epoch->unrecorded == 0) {
                unmatched += judge_access(active, worker, epochs, epoch, own->posts);
            }
        }
        if (active->analysis->progress != NULL) {
            begin_needs_of_completions(active->analysis->progress, epochs, own->posts);
        }
        fm_free(own->exposures);
        fm_free(own->posts);
        fm_free(own->cursors);
        fm_epochs_forget_active(&active->analysis->epochs[process]);
    }
    active->analysis->omissions.unmatched_epochs += unmatched;
}

void fm_active_target_match(struct fm_analysis *analysis)
{
    struct active_target active = {
        .analysis = analysis,
        .epochs = analysis->epochs,
        .partners = fm_allocate(analysis->trace->process_count, sizeof *active.partners),
    };
    active.accesses =
        fm_dispatch_create(analysis->engine, sizeof(struct access_message), take_access, &active);
    active.posts =
        fm_dispatch_create(analysis->engine, sizeof(struct post_message), take_post, &active);
    fm_engine_run(analysis->engine, open_partners, &active);
    fm_dispatch_run(active.accesses, send_accesses, &active);
    fm_dispatch_deliver(active.posts);
    fm_finders_run(analysis, judge, &active);
    fm_dispatch_free(active.accesses);
    fm_dispatch_free(active.posts);
    fm_free(active.partners);
}
