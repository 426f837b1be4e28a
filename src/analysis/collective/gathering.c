/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/collective/gathering.h"

#include "base/containers/map.h"
#include "engine/dispatch/inboxes.h"

/* Instances of one scope and series: first, by ordinal, those before the first missing one (which
 * was not recorded); then the remaining ones in the order of their arrival. */
struct series {
    uint64_t scope;
    uint8_t series;
    FM_VECTOR(struct fm_gathered) instances;
    uint32_t dense;               /* number of instances whose position is their ordinal */
    struct fm_map position_of;    /* ordinal of a remaining instance -> position */
    FM_VECTOR(uint32_t) ordinals; /* of the remaining instances */
};

/* The members of one worker. */
struct partial {
    struct fm_map series_of; /* (scope, series) -> position */
    FM_VECTOR(struct series) series;
    uint32_t recent; /* position in `series` */
    unsigned char apart[FM_APART];
};

/* A worker's summary of an instance; in the answer, the summary over all workers. */
struct gathered_message {
    struct fm_gathered all;
    uint64_t scope;
    uint32_t ordinal;
    uint32_t process; /* first one of the worker: the answer is sent there */
    uint32_t series;
};

struct fm_gathering {
    struct fm_analysis *analysis;
    struct partial *partials; /* by worker */
    struct fm_inboxes *parts;
    struct fm_inboxes *answers;
};

struct fm_gathering *fm_gathering_create(struct fm_analysis *analysis)
{
    struct fm_gathering *gathering = fm_allocate(1, sizeof *gathering);
    gathering->analysis = analysis;
    gathering->partials =
        fm_allocate(fm_engine_workers(analysis->engine), sizeof *gathering->partials);
    gathering->parts = fm_inboxes_create(analysis->engine, sizeof(struct gathered_message));
    gathering->answers = fm_inboxes_create(analysis->engine, sizeof(struct gathered_message));
    return gathering;
}

void fm_gathering_free(struct fm_gathering *gathering)
{
    for (unsigned w = 0; w < fm_engine_workers(gathering->analysis->engine); ++w) {
        struct partial *partial = &gathering->partials[w];
        for (size_t i = 0; i < partial->series.count; ++i) {
            fm_vector_free(&partial->series.items[i].instances);
            fm_vector_free(&partial->series.items[i].ordinals);
            fm_map_free(&partial->series.items[i].position_of);
        }
        fm_vector_free(&partial->series);
        fm_map_free(&partial->series_of);
    }
    fm_inboxes_free(gathering->parts);
    fm_inboxes_free(gathering->answers);
    fm_free(gathering->partials);
    fm_free(gathering);
}

/* ---- adding ---- */

static struct series *find_series(struct partial *partial, uint64_t scope, uint8_t series)
{
    if (partial->recent < partial->series.count) {
        struct series *recent = &partial->series.items[partial->recent];
        if (recent->scope == scope && recent->series == series) {
            return recent;
        }
    }
    uint32_t next = (uint32_t)partial->series.count;
    partial->recent = *fm_map_at(&partial->series_of, scope << 8 | series, next);
    if (partial->recent == next) {
        fm_vector_push(&partial->series, (struct series){.scope = scope, .series = series});
    }
    return &partial->series.items[partial->recent];
}

/* @return the instance with an ordinal; a new one is created */
static struct fm_gathered *find_instance(struct series *series, uint32_t ordinal)
{
    uint32_t next = (uint32_t)series->instances.count;
    uint32_t position = ordinal;
    if (ordinal >= series->dense) {
        if (ordinal == next && next == series->dense) {
            ++series->dense;
        } else {
            position = *fm_map_at(&series->position_of, ordinal, next);
            if (position == next) {
                fm_vector_push(&series->ordinals, ordinal);
            }
        }
    }
    if (position == next) {
        fm_vector_push(&series->instances, (struct fm_gathered){0});
    }
    return &series->instances.items[position];
}

static uint32_t ordinal_of(const struct series *series, uint32_t position)
{
    return position < series->dense ? position : series->ordinals.items[position - series->dense];
}

static struct fm_gathered sum_of_one(const struct fm_member *member)
{
    return (struct fm_gathered){
        .enter = member->enter,
        .first_leave = member->leave,
        .first_start_leave = member->start_leave,
        .location = member->start_location,
        .activity = member->start_activity,
        .rank = member->rank,
        .communicator = member->communicator,
        .members = 1,
        .call = member->call,
    };
}

static void add(struct fm_gathered *all, const struct fm_gathered *other)
{
    if (all->members == 0) {
        *all = *other;
        return;
    }
    if (other->enter > all->enter || (other->enter == all->enter && other->rank < all->rank)) {
        all->enter = other->enter;
        all->location = other->location;
        all->activity = other->activity;
        all->rank = other->rank;
    }
    all->first_leave =
        other->first_leave < all->first_leave ? other->first_leave : all->first_leave;
    all->first_start_leave = other->first_start_leave < all->first_start_leave
                                 ? other->first_start_leave
                                 : all->first_start_leave;
    all->members += other->members;
    all->is_mixed |=
        other->is_mixed || other->call != all->call || other->communicator != all->communicator;
}

/* @return whether the communicator has one member. Its instances are not gathered, since several
 * processes may use one such communicator (MPI_COMM_SELF). */
static bool is_alone(const struct fm_gathering *gathering, const struct fm_member *member)
{
    return gathering->analysis->trace->communicators[member->communicator].size == 1;
}

void fm_gathering_add(struct fm_gathering *gathering, unsigned worker,
                      const struct fm_member *member)
{
    if (!is_alone(gathering, member)) {
        struct series *series =
            find_series(&gathering->partials[worker], member->scope, member->series);
        struct fm_gathered one = sum_of_one(member);
        add(find_instance(series, member->ordinal), &one);
    }
}

/* ---- exchange ---- */

static uint32_t size_of(const struct fm_gathering *gathering, const struct fm_gathered *all)
{
    return gathering->analysis->trace->communicators[all->communicator].size;
}

/* @return the process at which the summaries of an instance are combined: one member, the same for
 * all workers. Instances are spread over the members. */
static uint32_t home_of(const struct fm_communicator *communicator, uint64_t scope,
                        uint32_t ordinal)
{
    uint32_t start = (uint32_t)((ordinal + scope) % communicator->size);
    for (uint32_t i = 0; i < communicator->size; ++i) {
        uint32_t home = communicator->members[(start + i) % communicator->size];
        if (home != FM_NONE) {
            return home;
        }
    }
    return FM_NONE;
}

static void send_part(struct fm_gathering *gathering, unsigned worker, uint32_t process,
                      const struct series *series, uint32_t position)
{
    const struct fm_gathered *all = &series->instances.items[position];
    uint32_t ordinal = ordinal_of(series, position);
    uint32_t home = home_of(&gathering->analysis->trace->communicators[all->communicator],
                            series->scope, ordinal);
    if (home != FM_NONE) {
        const struct gathered_message message = {*all, series->scope, ordinal, process,
                                                 series->series};
        fm_inboxes_send(gathering->parts, worker, home, &message);
    }
}

static void send_parts(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)last;
    struct fm_gathering *gathering = context;
    struct partial *partial = &gathering->partials[worker];
    uint64_t mixed = 0;
    for (size_t s = 0; s < partial->series.count; ++s) {
        struct series *series = &partial->series.items[s];
        for (uint32_t i = 0; i < series->instances.count; ++i) {
            struct fm_gathered *all = &series->instances.items[i];
            if (all->members != size_of(gathering, all)) {
                send_part(gathering, worker, first, series, i);
            } else {
                mixed += all->is_mixed;
                all->is_whole = !all->is_mixed;
            }
        }
    }
    gathering->analysis->omissions.mixed_collectives += mixed;
}

/* Adds up the parts of each instance. @return for each part, the number of its instance in `sums`
 */
static uint32_t *add_up(const struct gathered_message *parts, size_t count,
                        struct fm_gathered *sums, uint32_t *sum_count)
{
    uint32_t *number = fm_allocate(count, sizeof *number);
    struct fm_map scopes = {0}, instances = {0};
    for (size_t i = 0; i < count; ++i) {
        uint32_t scope =
            *fm_map_at(&scopes, parts[i].scope << 8 | parts[i].series, (uint32_t)scopes.count);
        number[i] = *fm_map_at(&instances, (uint64_t)scope << 32 | parts[i].ordinal,
                               (uint32_t)instances.count);
        add(&sums[number[i]], &parts[i].all);
    }
    *sum_count = (uint32_t)instances.count;
    fm_map_free(&scopes);
    fm_map_free(&instances);
    return number;
}

static void answer_parts(struct fm_gathering *gathering, unsigned worker,
                         const struct gathered_message *parts, size_t count)
{
    struct fm_omissions *omissions = &gathering->analysis->omissions;
    struct fm_gathered *sums = fm_allocate(count, sizeof *sums);
    uint32_t sum_count;
    uint32_t *number = add_up(parts, count, sums, &sum_count);
    for (uint32_t i = 0; i < sum_count; ++i) {
        bool complete = sums[i].members == size_of(gathering, &sums[i]);
        omissions->incomplete_collectives += !complete;
        omissions->mixed_collectives += complete && sums[i].is_mixed;
        sums[i].is_whole = complete && !sums[i].is_mixed;
    }
    for (size_t i = 0; i < count; ++i) {
        if (sums[number[i]].is_whole) {
            struct gathered_message answer = parts[i];
            answer.all = sums[number[i]];
            fm_inboxes_send(gathering->answers, worker, answer.process, &answer);
        }
    }
    fm_free(number);
    fm_free(sums);
}

static void judge_parts(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct fm_gathering *gathering = context;
    for (uint32_t process = first; process < last; ++process) {
        size_t count;
        const struct gathered_message *parts = fm_inbox(gathering->parts, process, &count);
        if (count != 0) {
            answer_parts(gathering, worker, parts, count);
        }
    }
}

static void take_answers(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct fm_gathering *gathering = context;
    if (first == last) {
        return;
    }
    size_t count;
    const struct gathered_message *answers = fm_inbox(gathering->answers, first, &count);
    for (size_t i = 0; i < count; ++i) {
        struct series *series =
            find_series(&gathering->partials[worker], answers[i].scope, (uint8_t)answers[i].series);
        *find_instance(series, answers[i].ordinal) = answers[i].all;
    }
}

void fm_gathering_close(struct fm_gathering *gathering)
{
    struct fm_engine *engine = gathering->analysis->engine;
    fm_engine_run(engine, send_parts, gathering);
    fm_inboxes_deliver(gathering->parts);
    fm_engine_run(engine, judge_parts, gathering);
    fm_inboxes_deliver(gathering->answers);
    fm_engine_run(engine, take_answers, gathering);
    fm_inboxes_clear(gathering->parts);
    fm_inboxes_clear(gathering->answers);
}

/* ---- results for a member ---- */

bool fm_gathering_find(struct fm_gathering *gathering, unsigned worker,
                       const struct fm_member *member, struct fm_gathered *found)
{
    if (is_alone(gathering, member)) {
        *found = sum_of_one(member);
        return true;
    }
    *found = *find_instance(
        find_series(&gathering->partials[worker], member->scope, member->series), member->ordinal);
    return found->is_whole;
}

void fm_gathered_wait(const struct fm_finder *finder, const struct fm_member *member,
                      const struct fm_gathered *all, fm_metric_t metric)
{
    if (member->wait_enter < all->enter && all->enter <= member->leave) {
        fm_found_wait(finder, (struct fm_call_ref){member->wait_location, member->wait_activity},
                      all->enter, (struct fm_call_ref){all->location, all->activity}, metric);
    }
}

/* @return the time at which all members have entered and one has left */
static uint64_t all_could_go(const struct fm_gathered *all)
{
    return all->enter > all->first_leave ? all->enter : all->first_leave;
}

bool fm_member_completes_late(const struct fm_member *member, const struct fm_gathered *all)
{
    return !member->non_blocking && member->leave > all_could_go(all);
}

struct fm_part fm_member_late_completion(const struct fm_member *member,
                                         const struct fm_gathered *all, fm_metric_t metric)
{
    return (struct fm_part){
        .since = all_could_go(all),
        .activity = member->wait_activity,
        .kind = FM_PART_COMPLETION,
        .metric = (uint8_t)metric,
    };
}
