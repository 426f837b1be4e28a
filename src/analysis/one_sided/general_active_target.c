/* General active target: Late Post, Early Wait, Late Complete, and the pair-wise synchronizations
 * of exposure epochs.
 *
 * Each access epoch goes to its targets, where the k-th one of an origin meets the k-th exposure
 * epoch that names it; what the target knows of its post goes back. Epochs that happened while
 * recording was paused count, but meet nobody. */
#include "analysis/one_sided/one_sided.h"
#include "engine/dispatch/dispatch.h"

/* An access epoch on its way to one of its targets. */
struct access_message {
    uint64_t completed;      /* Enter of the complete */
    uint64_t last_operation; /* Leave of the last operation on this target, if there is one */
    uint32_t has_operation;  /* on this target */
    uint32_t is_completed;   /* the complete is not missing */
    uint32_t unrecorded;     /* 0; or so many epochs of which nothing is known */
    uint32_t window;
    uint32_t origin;
    uint32_t epoch;  /* of the origin */
    uint32_t target; /* of the origin: in its list */
    struct fm_call_ref complete;
};

/* The answer to the origin: when the target posted. */
struct post_message {
    uint64_t posted;
    uint32_t epoch;
    uint32_t target;
    struct fm_call_ref post;
};

/* What an exposure epoch knows of its origins, and all that they ask for. */
struct exposure {
    uint64_t posted;         /* Enter of the post */
    struct fm_call_ref post; /* as in the epoch */
    uint32_t unrecorded;     /* as in the epoch */
    uint64_t completed;      /* Enter of the last complete; of several, of the lowest location */
    uint64_t last_operation;
    struct fm_call_ref complete;
    uint32_t met;       /* origins whose access epoch has come */
    uint32_t completes; /* those of them whose complete is not missing */
    uint32_t needed;    /* those of them that operate on this target */
};

/* What an access epoch knows of its targets. */
struct access {
    uint64_t posted; /* Enter of the last post; of several, of the lowest location */
    struct fm_call_ref post;
    uint32_t met; /* targets whose exposure epoch was found */
};

/* Where the access epochs of one origin have got to in a stream of exposure epochs. */
struct cursor {
    uint32_t next; /* the first one that has not met its access epoch yet, in the list of origins;
                      FM_NONE: all have */
    uint64_t arrived; /* access epochs that have come */
    uint64_t passed;  /* exposure epochs before `next` */
};

/* Of one process. */
struct participant {
    struct exposure *exposures;
    struct access *accesses;
    struct cursor *cursors; /* by stream of exposure epochs */
};

struct active_target {
    struct fm_analysis *analysis;
    const struct fm_epochs *epochs;   /* by process */
    struct participant *participants; /* by process */
    struct fm_dispatch *accesses;
    struct fm_dispatch *posts;
};

static uint64_t enter_of(const struct active_target *active, struct fm_call_ref call)
{
    return active->analysis->trace->locations[call.location].enter.items[call.activity];
}

static void open_participants(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    struct active_target *active = context;
    for (uint32_t process = first; process < last; ++process) {
        const struct fm_epochs *epochs = &active->epochs[process];
        struct participant *own = &active->participants[process];
        *own = (struct participant){
            fm_allocate_written(epochs->exposures.count, sizeof *own->exposures),
            fm_allocate_written(epochs->accesses.count, sizeof *own->accesses),
            fm_allocate(epochs->first_origins.count, sizeof *own->cursors),
        };
        for (size_t e = 0; e < epochs->exposures.count; ++e) {
            const struct fm_exposure_epoch *epoch = &epochs->exposures.items[e];
            bool is_known = epoch->unrecorded == 0;
            own->exposures[e].unrecorded = epoch->unrecorded;
            own->exposures[e].posted = is_known ? enter_of(active, epoch->post) : 0;
            own->exposures[e].post = epoch->post;
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
                .epoch = e,
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

/* ---- targets meet them with their exposure epochs ---- */

static void meet(struct exposure *exposure, const struct access_message *access)
{
    ++exposure->met;
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

/* Finds the exposure epoch of the next access epoch, and passes it. @return in the list of origins;
 * FM_NONE: it is not there, or nothing is known of it */
static uint32_t next_exposure(const struct fm_epochs *epochs, const struct participant *own,
                              struct cursor *cursor)
{
    uint64_t ordinal = cursor->arrived++;
    while (cursor->next != FM_NONE) {
        uint32_t origin = cursor->next;
        uint32_t unrecorded = own->exposures[epochs->origins.items[origin].exposure].unrecorded;
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
    struct participant *own = &active->participants[process];
    if (access->unrecorded != 0) {
        own->cursors[position].arrived += access->unrecorded;
        return;
    }
    uint32_t found = next_exposure(epochs, own, &own->cursors[position]);
    if (found == FM_NONE) {
        return;
    }
    struct exposure *exposure = &own->exposures[epochs->origins.items[found].exposure];
    meet(exposure, access);
    fm_dispatch_send(
        active->posts, worker, access->origin,
        &(struct post_message){exposure->posted, access->epoch, access->target, exposure->post});
}

static void add_early_wait(const struct active_target *active,
                           const struct fm_exposure_epoch *epoch, const struct exposure *exposure)
{
    struct fm_findings *findings = &active->analysis->findings[epoch->wait.location];
    const struct fm_location *location = &active->analysis->trace->locations[epoch->wait.location];
    if (fm_findings_add(findings, location,
                        &(struct fm_candidate){
                            .t = exposure->completed,
                            .activity = epoch->wait.activity,
                            .cause_location = exposure->complete.location,
                            .cause_activity = exposure->complete.activity,
                            .rule = FM_RULE_EARLY_WAIT,
                            .metric = FM_METRIC_MPI_RMA_EARLY_WAIT,
                        }) &&
        exposure->last_operation < exposure->completed) {
        fm_vector_push(&findings->parts,
                       (struct fm_part){exposure->last_operation, epoch->wait.activity,
                                        FM_PART_LATE_COMPLETE});
    }
}

static void judge_exposure(const struct active_target *active,
                           const struct fm_exposure_epoch *epoch, const struct exposure *exposure)
{
    struct fm_call_ref wait = epoch->wait;
    if (wait.activity == FM_NONE) {
        return;
    }
    struct fm_findings *findings = &active->analysis->findings[wait.location];
    const struct fm_location *location = &active->analysis->trace->locations[wait.location];
    fm_findings_tally(findings, location, wait.activity, FM_TALLY_PAIR_SYNCS, epoch->origin_count);
    fm_findings_tally(findings, location, wait.activity, FM_TALLY_UNNEEDED_PAIR_SYNCS,
                      epoch->origin_count - exposure->needed);
    /* An origin whose complete is missing is left out: the others bound the wait from below. */
    if (exposure->completes != 0) {
        add_early_wait(active, epoch, exposure);
    }
}

/* ---- origins learn of the posts ---- */

static void add_late_post(const struct active_target *active, struct fm_call_ref call,
                          uint64_t posted, struct fm_call_ref post, fm_metric_t metric)
{
    if (call.activity != FM_NONE) {
        fm_findings_add(&active->analysis->findings[call.location],
                        &active->analysis->trace->locations[call.location],
                        &(struct fm_candidate){
                            .t = posted,
                            .activity = call.activity,
                            .cause_location = post.location,
                            .cause_activity = post.activity,
                            .rule = FM_RULE_LATE_POST,
                            .metric = (uint8_t)metric,
                        });
    }
}

static void take_post(void *context, unsigned worker, uint32_t process, const void *record)
{
    (void)worker;
    struct active_target *active = context;
    const struct post_message *message = record;
    const struct fm_epochs *epochs = &active->epochs[process];
    struct access *access = &active->participants[process].accesses[message->epoch];
    if (access->met == 0 || message->posted > access->posted ||
        (message->posted == access->posted && message->post.location < access->post.location)) {
        access->posted = message->posted;
        access->post = message->post;
    }
    ++access->met;
    for (uint32_t o = epochs->targets.items[message->target].operations; o != FM_NONE;
         o = epochs->operations.items[o].previous) {
        add_late_post(active, epochs->operations.items[o].call, message->posted, message->post,
                      FM_METRIC_MPI_RMA_COMM_LATE_POST);
    }
}

/* Start and complete depend on all targets. */
static void judge_access(const struct active_target *active, const struct fm_access_epoch *epoch,
                         const struct access *access)
{
    if (access->met != 0 && access->met == epoch->target_count) {
        add_late_post(active, epoch->start, access->posted, access->post,
                      FM_METRIC_MPI_RMA_SYNC_LATE_POST);
        add_late_post(active, epoch->complete, access->posted, access->post,
                      FM_METRIC_MPI_RMA_SYNC_LATE_POST);
    }
}

static void judge(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    struct active_target *active = context;
    uint64_t unmatched = 0;
    for (uint32_t process = first; process < last; ++process) {
        const struct fm_epochs *epochs = &active->epochs[process];
        struct participant *own = &active->participants[process];
        for (size_t e = 0; e < epochs->exposures.count; ++e) {
            const struct fm_exposure_epoch *epoch = &epochs->exposures.items[e];
            if (epoch->unrecorded != 0) {
                continue;
            }
            unmatched += own->exposures[e].completes != epoch->origin_count;
            judge_exposure(active, epoch, &own->exposures[e]);
        }
        for (size_t e = 0; e < epochs->accesses.count; ++e) {
            const struct fm_access_epoch *epoch = &epochs->accesses.items[e];
            if (epoch->unrecorded != 0) {
                continue;
            }
            unmatched += own->accesses[e].met != epoch->target_count;
            judge_access(active, epoch, &own->accesses[e]);
        }
        fm_free(own->exposures);
        fm_free(own->accesses);
        fm_free(own->cursors);
    }
    active->analysis->omissions.unmatched_epochs += unmatched;
}

void fm_detect_general_active_target(struct fm_analysis *analysis, const struct fm_epochs *epochs)
{
    struct active_target active = {
        .analysis = analysis,
        .epochs = epochs,
        .participants = fm_allocate(analysis->trace->process_count, sizeof *active.participants),
    };
    active.accesses =
        fm_dispatch_create(analysis->engine, sizeof(struct access_message), take_access, &active);
    active.posts =
        fm_dispatch_create(analysis->engine, sizeof(struct post_message), take_post, &active);
    fm_engine_run(analysis->engine, open_participants, &active);
    fm_dispatch_run(active.accesses, send_accesses, &active);
    fm_dispatch_deliver(active.posts);
    fm_engine_run(analysis->engine, judge, &active);
    fm_dispatch_free(active.accesses);
    fm_dispatch_free(active.posts);
    fm_free(active.participants);
}
