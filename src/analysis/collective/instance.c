/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/collective/instance.h"

#include "base/containers/map.h"
#include "base/containers/sort.h"
#include "engine/dispatch/inboxes.h"

struct fm_join {
    struct fm_analysis *analysis;
    struct fm_inboxes *members;
    fm_judge_t *judge;
    void *context; /* of the judge */
};

struct fm_join *fm_join_create(struct fm_analysis *analysis)
{
    struct fm_join *join = fm_allocate(1, sizeof *join);
    join->analysis = analysis;
    join->members = fm_inboxes_create(analysis->engine, sizeof(struct fm_member));
    return join;
}

void fm_join_free(struct fm_join *join)
{
    fm_inboxes_free(join->members);
    fm_free(join);
}

uint32_t fm_join_home(const struct fm_analysis *analysis, const struct fm_member *member)
{
    const struct fm_communicator *communicator =
        &analysis->trace->communicators[member->communicator];
    if (communicator->size == 1) {
        return member->process;
    }
    /* Any member may judge, but all must choose the same one; instances are spread over them. */
    uint32_t start = (uint32_t)((member->ordinal + member->scope) % communicator->size);
    for (uint32_t i = 0; i < communicator->size; ++i) {
        uint32_t home = communicator->members[(start + i) % communicator->size];
        if (home != FM_NONE) {
            return home;
        }
    }
    return FM_NONE;
}

void fm_join_post(struct fm_join *join, unsigned worker, const struct fm_member *member)
{
    const uint32_t home = fm_join_home(join->analysis, member);
    if (home != FM_NONE) {
        fm_inboxes_send(join->members, worker, home, member);
    }
}

/* Instances of a process: members sorted into groups of equal (scope, series, ordinal). */
struct grouping {
    struct fm_map scopes; /* (scope, series) -> number */
    struct fm_map instances;
    FM_VECTOR(uint32_t) instance_of;
    FM_VECTOR(uint32_t) begin;
    FM_VECTOR(const struct fm_member *) members;
};

static void group(struct grouping *grouping, const struct fm_member *members, size_t count)
{
    fm_map_clear(&grouping->scopes);
    fm_map_clear(&grouping->instances);
    grouping->instance_of.count = 0;
    grouping->begin.count = 0;
    fm_vector_push(&grouping->begin, 0);
    for (size_t i = 0; i < count; ++i) {
        uint32_t scope = *fm_map_at(&grouping->scopes, members[i].scope << 8 | members[i].series,
                                    (uint32_t)grouping->scopes.count);
        uint32_t next = (uint32_t)grouping->instances.count;
        uint32_t instance =
            *fm_map_at(&grouping->instances, (uint64_t)scope << 32 | members[i].ordinal, next);
        if (instance == next) {
            fm_vector_push(&grouping->begin, 0);
        }
        fm_vector_push(&grouping->instance_of, instance);
        ++grouping->begin.items[instance + 1];
    }
    for (size_t i = 1; i < grouping->begin.count; ++i) {
        grouping->begin.items[i] += grouping->begin.items[i - 1];
    }
    grouping->members.count = 0;
    fm_vector_reserve(&grouping->members, count);
    grouping->members.count = count;
    for (size_t i = 0; i < count; ++i) {
        grouping->members.items[grouping->begin.items[grouping->instance_of.items[i]]++] =
            &members[i];
    }
    /* The loop above has moved each begin to that of the next group. */
    for (size_t i = grouping->begin.count - 1; i > 0; --i) {
        grouping->begin.items[i] = grouping->begin.items[i - 1];
    }
    grouping->begin.items[0] = 0;
}

static bool is_of_one_kind(const struct fm_member *const *members, uint32_t count)
{
    for (uint32_t i = 1; i < count; ++i) {
        if (members[i]->call != members[0]->call ||
            members[i]->communicator != members[0]->communicator) {
            return false;
        }
    }
    return true;
}

static void judge_processes(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct fm_join *join = context;
    struct fm_analysis *analysis = join->analysis;
    struct grouping grouping = {0};
    for (uint32_t process = first; process < last; ++process) {
        size_t count;
        const struct fm_member *inbox = fm_inbox(join->members, process, &count);
        if (count == 0) {
            continue;
        }
        group(&grouping, inbox, count);
        for (size_t i = 0; i + 1 < grouping.begin.count; ++i) {
            const struct fm_member **members = &grouping.members.items[grouping.begin.items[i]];
            uint32_t size = grouping.begin.items[i + 1] - grouping.begin.items[i];
            if (size == analysis->trace->communicators[members[0]->communicator].size &&
                is_of_one_kind(members, size)) {
                join->judge(join->context, worker, members, size);
            }
        }
    }
    fm_map_free(&grouping.scopes);
    fm_map_free(&grouping.instances);
    fm_vector_free(&grouping.instance_of);
    fm_vector_free(&grouping.begin);
    fm_vector_free(&grouping.members);
}

void fm_join_judge(struct fm_join *join, fm_judge_t *judge, void *context)
{
    join->judge = judge;
    join->context = context;
    fm_inboxes_deliver(join->members);
    fm_finders_run(join->analysis, judge_processes, join);
    fm_inboxes_clear(join->members);
}

void fm_member_wait(const struct fm_finder *finder, const struct fm_member *member,
                    const struct fm_member *cause, fm_metric_t metric)
{
    if (member->wait_enter < cause->enter && cause->enter <= member->leave) {
        fm_found_remote_wait(
            finder, (struct fm_call_ref){member->wait_location, member->wait_activity},
            cause->enter, (struct fm_call_ref){cause->start_location, cause->start_activity},
            metric, metric);
    }
}

static int compare_ranks(const void *a, const void *b)
{
    const struct fm_member *left = *(const struct fm_member *const *)a;
    const struct fm_member *right = *(const struct fm_member *const *)b;
    return left->rank < right->rank ? -1 : left->rank > right->rank;
}

void fm_members_sort(const struct fm_member **members, uint32_t count)
{
    fm_sort(members, count, sizeof *members, compare_ranks);
}

const struct fm_member *fm_members_last(const struct fm_member *const *members, uint32_t count)
{
    const struct fm_member *last = members[0];
    for (uint32_t i = 1; i < count; ++i) {
        if (members[i]->enter > last->enter ||
            (members[i]->enter == last->enter && members[i]->rank < last->rank)) {
            last = members[i];
        }
    }
    return last;
}

uint64_t fm_members_first_leave(const struct fm_member *const *members, uint32_t count)
{
    uint64_t first = members[0]->leave;
    for (uint32_t i = 1; i < count; ++i) {
        first = members[i]->leave < first ? members[i]->leave : first;
    }
    return first;
}
