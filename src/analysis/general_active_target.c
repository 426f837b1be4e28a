/* General active target: Late Post, Early Wait, Late Complete, and the pair-wise synchronizations
 * of exposure epochs.
 *
 * Each access epoch travels to its targets, where the k-th one of an origin meets the k-th exposure
 * epoch that names it; what the target knows of its post travels back. */
#include "analysis/one_sided.h"
#include "analysis/rounds.h"

#include "base/map.h"

/* An access epoch on its way to one of its targets. */
struct access_message {
    uint64_t completed;      /* Enter of the complete */
    uint64_t last_operation; /* Leave of the last operation on this target, if there is one */
    uint32_t operations;     /* on this target */
    bool is_completed;       /* the complete is not missing */
    uint32_t window;
    uint32_t origin;
    uint32_t ordinal;
    uint32_t epoch;  /* of the origin */
    uint32_t target; /* position among the epoch's targets */
    struct fm_call_ref complete;
};

/* The answer to the origin: when the target posted. */
struct post_message {
    uint64_t posted;
    uint32_t epoch;
    uint32_t target;
    struct fm_call_ref post;
};

struct active_target {
    struct fm_analysis *analysis;
    const struct fm_epochs *epochs;
    struct fm_exchange *accesses;
    struct fm_exchange *posts;
    struct fm_rounds rounds;
};

static uint64_t enter_of(const struct active_target *active, struct fm_call_ref call)
{
    return active->analysis->trace->locations[call.location].enter.items[call.activity];
}

static void send_accesses(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct active_target *active = context;
    for (uint32_t process = first; process < last; ++process) {
        const struct fm_epochs *epochs = &active->epochs[process];
        for (uint32_t e = 0; e < epochs->accesses.count; ++e) {
            const struct fm_access_epoch *epoch = &epochs->accesses.items[e];
            bool completed = epoch->complete.activity != FM_NONE;
            for (uint32_t t = 0; t < epoch->target_count; ++t) {
                const struct fm_accessed *target = &epochs->accessed.items[epoch->first_target + t];
                if (!fm_rounds_serve(&active->rounds, target->process)) {
                    continue;
                }
                struct access_message *message =
                    fm_exchange_post(active->accesses, worker, target->process);
                *message = (struct access_message){
                    .completed = completed ? enter_of(active, epoch->complete) : 0,
                    .last_operation = target->last_operation,
                    .operations = target->operations,
                    .is_completed = completed,
                    .window = epoch->window,
                    .origin = process,
                    .ordinal = target->ordinal,
                    .epoch = e,
                    .target = t,
                    .complete = epoch->complete,
                };
            }
        }
    }
}

/* Access epochs that arrived at a target, found by window, origin and ordinal. */
struct arrivals {
    const struct access_message *messages;
    struct fm_map pairs; /* (window, origin) -> number */
    struct fm_map index; /* (number, ordinal) -> message */
};

static void index_arrivals(struct arrivals *arrivals, const struct access_message *messages,
                           size_t count)
{
    arrivals->messages = messages;
    fm_map_clear(&arrivals->pairs);
    fm_map_clear(&arrivals->index);
    for (size_t i = 0; i < count; ++i) {
        uint32_t pair =
            *fm_map_at(&arrivals->pairs, (uint64_t)messages[i].window << 32 | messages[i].origin,
                       (uint32_t)arrivals->pairs.count);
        *fm_map_at(&arrivals->index, (uint64_t)pair << 32 | messages[i].ordinal, 0) = (uint32_t)i;
    }
}

static const struct access_message *find_access(const struct arrivals *arrivals, uint32_t window,
                                                const struct fm_epoch_origin *origin)
{
    uint32_t pair = fm_map_get(&arrivals->pairs, (uint64_t)window << 32 | origin->process);
    if (pair == FM_MAP_ABSENT) {
        return NULL;
    }
    uint32_t message = fm_map_get(&arrivals->index, (uint64_t)pair << 32 | origin->ordinal);
    return message == FM_MAP_ABSENT ? NULL : &arrivals->messages[message];
}

static void add_early_wait(struct active_target *active, const struct fm_exposure_epoch *epoch,
                           const struct access_message *last, uint64_t last_operation)
{
    struct fm_findings *findings = &active->analysis->findings[epoch->wait.location];
    const struct fm_location *location = &active->analysis->trace->locations[epoch->wait.location];
    if (fm_findings_add(findings, location,
                        &(struct fm_candidate){
                            .t = last->completed,
                            .activity = epoch->wait.activity,
                            .cause_location = last->complete.location,
                            .cause_activity = last->complete.activity,
                            .rule = FM_RULE_EARLY_WAIT,
                            .metric = FM_METRIC_MPI_RMA_EARLY_WAIT,
                        }) &&
        last_operation < last->completed) {
        fm_vector_push(&findings->parts, (struct fm_part){last_operation, epoch->wait.activity,
                                                          FM_PART_LATE_COMPLETE});
    }
}

static void meet_origins(struct active_target *active, unsigned worker,
                         const struct arrivals *arrivals, const struct fm_epochs *epochs,
                         const struct fm_exposure_epoch *epoch)
{
    const struct access_message *last = NULL;
    uint64_t last_operation = 0;
    uint32_t unneeded = 0, missing = 0;
    for (uint32_t i = 0; i < epoch->origin_count; ++i) {
        const struct access_message *access =
            find_access(arrivals, epoch->window, &epochs->origins.items[epoch->first_origin + i]);
        if (access == NULL) {
            ++missing;
            ++unneeded;
            continue;
        }
        struct post_message *answer = fm_exchange_post(active->posts, worker, access->origin);
        *answer = (struct post_message){enter_of(active, epoch->post), access->epoch,
                                        access->target, epoch->post};
        unneeded += access->operations == 0;
        if (!access->is_completed) {
            ++missing;
            continue;
        }
        if (access->last_operation > last_operation) {
            last_operation = access->last_operation;
        }
        if (last == NULL || access->completed > last->completed ||
            (access->completed == last->completed &&
             access->complete.location < last->complete.location)) {
            last = access;
        }
    }
    active->analysis->omissions.unmatched_epochs += missing != 0;
    if (epoch->wait.activity == FM_NONE) {
        return;
    }
    struct fm_findings *findings = &active->analysis->findings[epoch->wait.location];
    const struct fm_location *location = &active->analysis->trace->locations[epoch->wait.location];
    fm_findings_tally(findings, location, epoch->wait.activity, FM_TALLY_PAIR_SYNCS,
                      epoch->origin_count);
    fm_findings_tally(findings, location, epoch->wait.activity, FM_TALLY_UNNEEDED_PAIR_SYNCS,
                      unneeded);
    /* An origin whose complete is missing is left out: the others bound the wait from below. */
    if (last != NULL) {
        add_early_wait(active, epoch, last, last_operation);
    }
}

static void meet_accesses(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct active_target *active = context;
    struct arrivals arrivals = {0};
    for (uint32_t process = first; process < last; ++process) {
        const struct fm_epochs *epochs = &active->epochs[process];
        if (!fm_rounds_serve(&active->rounds, process)) {
            continue;
        }
        size_t count;
        const struct access_message *messages =
            fm_exchange_inbox(active->accesses, process, &count);
        index_arrivals(&arrivals, messages, count);
        for (size_t i = 0; i < epochs->exposures.count; ++i) {
            meet_origins(active, worker, &arrivals, epochs, &epochs->exposures.items[i]);
        }
    }
    fm_map_free(&arrivals.pairs);
    fm_map_free(&arrivals.index);
}

static void add_late_post(struct active_target *active, struct fm_call_ref call,
                          const struct post_message *post, fm_metric_t metric)
{
    if (call.activity != FM_NONE) {
        fm_findings_add(&active->analysis->findings[call.location],
                        &active->analysis->trace->locations[call.location],
                        &(struct fm_candidate){
                            .t = post->posted,
                            .activity = call.activity,
                            .cause_location = post->post.location,
                            .cause_activity = post->post.activity,
                            .rule = FM_RULE_LATE_POST,
                            .metric = (uint8_t)metric,
                        });
    }
}

/* `posts`: the answers of the epoch's targets, NULL for those whose epoch is missing. */
static void judge_access(struct active_target *active, const struct fm_epochs *epochs,
                         const struct fm_access_epoch *epoch,
                         const struct post_message *const *posts)
{
    const struct post_message *last = NULL;
    bool complete = true;
    for (uint32_t t = 0; t < epoch->target_count; ++t) {
        if (posts[t] == NULL) {
            complete = false;
        } else if (last == NULL || posts[t]->posted > last->posted ||
                   (posts[t]->posted == last->posted &&
                    posts[t]->post.location < last->post.location)) {
            last = posts[t];
        }
    }
    active->analysis->omissions.unmatched_epochs += !complete;
    if (complete && last != NULL) {
        add_late_post(active, epoch->start, last, FM_METRIC_MPI_RMA_SYNC_LATE_POST);
        add_late_post(active, epoch->complete, last, FM_METRIC_MPI_RMA_SYNC_LATE_POST);
    }
    for (uint32_t o = epoch->last_operation; o != FM_NONE;
         o = epochs->operations.items[o].previous) {
        const struct fm_epoch_operation *operation = &epochs->operations.items[o];
        if (posts[operation->target] != NULL) {
            add_late_post(active, operation->call, posts[operation->target],
                          FM_METRIC_MPI_RMA_COMM_LATE_POST);
        }
    }
}

static void take_posts(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    struct active_target *active = context;
    FM_VECTOR(uint32_t) begin = {0};
    FM_VECTOR(const struct post_message *) posts = {0};
    for (uint32_t process = first; process < last; ++process) {
        const struct fm_epochs *epochs = &active->epochs[process];
        begin.count = posts.count = 0;
        for (size_t e = 0; e < epochs->accesses.count; ++e) {
            fm_vector_push(&begin, (uint32_t)posts.count);
            for (uint32_t t = 0; t < epochs->accesses.items[e].target_count; ++t) {
                fm_vector_push(&posts, NULL);
            }
        }
        size_t count;
        const struct post_message *messages = fm_exchange_inbox(active->posts, process, &count);
        for (size_t i = 0; i < count; ++i) {
            posts.items[begin.items[messages[i].epoch] + messages[i].target] = &messages[i];
        }
        for (size_t e = 0; e < epochs->accesses.count; ++e) {
            judge_access(active, epochs, &epochs->accesses.items[e], posts.items + begin.items[e]);
        }
    }
    fm_vector_free(&begin);
    fm_vector_free(&posts);
}

/* @return the number of targets of the access epochs that are here */
static size_t count_targets(const struct fm_epochs *epochs, uint32_t processes)
{
    size_t targets = 0;
    for (uint32_t p = 0; p < processes; ++p) {
        for (size_t e = 0; e < epochs[p].accesses.count; ++e) {
            targets += epochs[p].accesses.items[e].target_count;
        }
    }
    return targets;
}

void fm_detect_general_active_target(struct fm_analysis *analysis, const struct fm_epochs *epochs)
{
    struct active_target active = {
        .analysis = analysis,
        .epochs = epochs,
        .accesses = fm_exchange_create(analysis->engine, sizeof(struct access_message)),
        .posts = fm_exchange_create(analysis->engine, sizeof(struct post_message)),
        .rounds =
            fm_rounds_choose(analysis->team, count_targets(epochs, analysis->trace->process_count),
                             sizeof(struct access_message)),
    };
    for (; active.rounds.round < active.rounds.count; ++active.rounds.round) {
        fm_engine_run(analysis->engine, send_accesses, &active);
        fm_exchange_deliver(active.accesses);
        fm_engine_run(analysis->engine, meet_accesses, &active);
        fm_exchange_clear(active.accesses);
    }
    fm_exchange_deliver(active.posts);
    fm_engine_run(analysis->engine, take_posts, &active);
    fm_exchange_free(active.accesses);
    fm_exchange_free(active.posts);
}
