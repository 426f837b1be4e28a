/* SPDX-License-Identifier: BSD-3-Clause */
/* Stages:
 *
 *   member's owner          home of the collective              owner of the completing call
 *   --------------          ----------------------              ----------------------------
 *   add: members      ->    judge: who needs whom, since when
 *   answer_ask        <-    what do you do in this time?   ->   keep_need
 *                     ->    keep_state
 *
 * The calls of a member matter from its start on, up to its completion, as long as others wait. */
#include "analysis/collective/progress/needed_members.h"

#include "analysis/collective/progress/collective_names.h"
#include "analysis/collective/rooted.h"
#include "engine/dispatch/dispatch.h"
#include "trace/tables/nodes.h"

/* What does a member do in this time? */
struct ask {
    uint64_t from, to;
    uint32_t home;
    uint32_t part;
};

struct fm_needed_members {
    struct fm_analysis *analysis;
    struct fm_collective_name *regions;
    uint32_t *nodes;
    struct fm_partner_calls *partner_calls;
    struct fm_join *join;
    struct fm_collective_home *homes; /* by process */
    fm_member_needs *of_process;      /* by process */
    struct fm_dispatch *asks, *states, *needs;
};

/* ---- members ---- */

/* Notes what the owner of a member alone knows: the name of its operation. */
static void name_member(const struct fm_needed_members *needed, struct fm_member *member)
{
    const struct fm_location *location =
        &needed->analysis->trace->locations[member->start_location];
    const uint32_t started = fm_trace_region(location, member->start_activity);
    const struct fm_collective_name found =
        needed->regions[member->init != FM_NONE ? member->init : started];
    member->name = found.number;
    member->is_persistent = !found.starts;
    if (found.number == FM_COLLECTIVE_NAMES) {
        member->name = fm_collective_name_of_operation(member->operation);
    }
}

static uint8_t order_of(uint8_t call)
{
    static const uint8_t calls[] = {FM_CALL_BARRIER, FM_CALL_ALL_TO_ALL, FM_CALL_ONE_TO_ALL,
                                    FM_CALL_ALL_TO_ONE, FM_CALL_SCAN};
    uint8_t order = 0;
    while (order < sizeof calls && calls[order] != call) {
        ++order;
    }
    return order;
}

void fm_needed_members_add(struct fm_needed_members *needed, unsigned worker,
                           const struct fm_member *member)
{
    const bool is_blocking =
        !member->non_blocking || (member->start_location == member->wait_location &&
                                  member->start_activity == member->wait_activity);
    if (!is_blocking && fm_member_paradigm(member) == FM_PARADIGM_MPI &&
        order_of(member->call) <= order_of(FM_CALL_SCAN)) {
        struct fm_member named = *member;
        name_member(needed, &named);
        if (named.name < FM_COLLECTIVE_NAMES) {
            fm_join_post(needed->join, worker, &named);
        }
    }
}

/* ---- who needs whom ---- */

/* The last of some members to start. */
struct last_start {
    uint64_t enter; /* 0 and FM_NONE: there is none */
    uint64_t leave; /* the latest of the calls that begin with it */
    uint32_t number;
};

static void add_start(struct last_start *last, const struct fm_home_part *part, uint32_t number)
{
    if (last->number == FM_NONE || part->start_enter > last->enter) {
        *last = (struct last_start){part->start_enter, part->start_leave, number};
    } else if (part->start_enter == last->enter && part->start_leave > last->leave) {
        last->leave = part->start_leave;
    }
}

static struct last_start last_needed(const struct fm_collective_home *home,
                                     const struct fm_home_instance *instance, uint32_t number)
{
    struct last_start last = {.number = FM_NONE};
    const struct fm_needed_parts range = fm_home_needed(instance, number);
    for (uint32_t i = range.first; i < range.last; ++i) {
        if (fm_home_needs(home, instance, number, i)) {
            add_start(&last, fm_home_part(home, instance, i), i);
        }
    }
    return last;
}

struct judging {
    struct fm_needed_members *needed;
    const struct fm_member **members;
    struct fm_collective_home *home;
    const struct fm_home_instance *instance;
    uint32_t home_process;
    unsigned worker;
    uint64_t from, to; /* some member needs others in this time */
};

static void send_need(struct judging *judging, uint32_t number, const struct last_start *last,
                      bool is_far)
{
    const struct fm_needed_members *needed = judging->needed;
    const struct fm_member *member = judging->members[number];
    const struct fm_home_part *part = fm_home_part(judging->home, judging->instance, number);
    const uint64_t begin = part->wait_enter > last->enter ? part->wait_enter : last->enter;
    judging->from = begin < judging->from ? begin : judging->from;
    judging->to = part->leave > judging->to ? part->leave : judging->to;
    const bool has_size =
        needed->analysis->counts_collective_bytes && member->call != FM_CALL_BARRIER;
    const struct fm_member_need need = {
        .call = part->wait,
        .event = last->enter,
        .ends = last->leave,
        .late = fm_home_part(judging->home, judging->instance, last->number)->start,
        .home = judging->home_process,
        .instance = (uint32_t)(judging->instance - judging->home->instances.items),
        .part = number,
        .names = 1U << member->name,
        .size_class = has_size ? member->size_class : 0,
        .order = order_of(member->call),
        .is_persistent = member->is_persistent,
        .is_far = is_far,
    };
    fm_dispatch_send(needed->needs, judging->worker, part->process, &need);
}

/* @return whether a member needs one on another node */
static bool is_far(const struct judging *judging, uint32_t number, bool several_nodes)
{
    const struct fm_collective_home *home = judging->home;
    const struct fm_home_instance *instance = judging->instance;
    const uint32_t *nodes = judging->needed->nodes;
    const uint32_t own = nodes[fm_home_part(home, instance, number)->process];
    const struct fm_needed_parts range = fm_home_needed(instance, number);
    if (!several_nodes || fm_home_needs_all(instance)) {
        return several_nodes;
    }
    for (uint32_t i = range.first; i < range.last; ++i) {
        if (fm_home_needs(home, instance, number, i) &&
            nodes[fm_home_part(home, instance, i)->process] != own) {
            return true;
        }
    }
    return false;
}

static void send_needs(struct judging *judging)
{
    const struct fm_collective_home *home = judging->home;
    const struct fm_home_instance *instance = judging->instance;
    const uint32_t *nodes = judging->needed->nodes;
    struct last_start all = {.number = FM_NONE}, lower = {.number = FM_NONE};
    bool several_nodes = false;
    for (uint32_t i = 0; i < instance->count; ++i) {
        add_start(&all, fm_home_part(home, instance, i), i);
        several_nodes |= nodes[fm_home_part(home, instance, i)->process] !=
                         nodes[fm_home_part(home, instance, 0)->process];
    }
    for (uint32_t i = 0; i < instance->count; ++i) {
        struct last_start last = lower;
        if (fm_home_needs_all(instance) && i != all.number) {
            last = all;
        } else if (instance->call != FM_CALL_SCAN) {
            last = last_needed(home, instance, i);
        }
        if (last.number != FM_NONE) {
            send_need(judging, i, &last, is_far(judging, i, several_nodes));
        }
        add_start(&lower, fm_home_part(home, instance, i), i);
    }
}

/* Asks the members that others need what they do while these wait. */
static void send_asks(const struct judging *judging)
{
    const struct fm_home_instance *instance = judging->instance;
    for (uint32_t i = 0; i < instance->count; ++i) {
        const struct fm_home_part *part = fm_home_part(judging->home, instance, i);
        const bool is_needed = instance->call == FM_CALL_ONE_TO_ALL   ? i == instance->root
                               : instance->call == FM_CALL_ALL_TO_ONE ? i != instance->root
                                                                      : true;
        const struct ask ask = {
            .from = judging->from > part->start_enter ? judging->from : part->start_enter,
            .to = judging->to < part->leave ? judging->to : part->leave,
            .home = judging->home_process,
            .part = instance->first_part + i,
        };
        if (is_needed && ask.from < ask.to) {
            fm_dispatch_send(judging->needed->asks, judging->worker, part->process, &ask);
        }
    }
}

static uint32_t number_of_root(const struct fm_analysis *analysis,
                               const struct fm_member *const *members, uint32_t count)
{
    if (members[0]->call != FM_CALL_ONE_TO_ALL && members[0]->call != FM_CALL_ALL_TO_ONE) {
        return FM_NONE;
    }
    const struct fm_member *root =
        fm_rooted_root(analysis, members, count,
                       members[0]->call == FM_CALL_ONE_TO_ALL ? FM_RULE_BROADCAST : FM_RULE_REDUCE);
    uint32_t number = 0;
    while (number < count && members[number] != root) {
        ++number;
    }
    return number < count ? number : FM_NONE;
}

static void judge(void *context, unsigned worker, const struct fm_member **members, uint32_t count)
{
    struct fm_needed_members *needed = context;
    const uint32_t process = fm_join_home(needed->analysis, members[0]);
    struct fm_collective_home *home = &needed->homes[process];
    fm_members_sort(members, count);
    const struct fm_home_instance instance = {
        .first_part = (uint32_t)home->parts.count,
        .count = count,
        .root = number_of_root(needed->analysis, members, count),
        .call = members[0]->call,
    };
    for (uint32_t i = 0; i < count; ++i) {
        const struct fm_member *member = members[i];
        const struct fm_home_part part = {
            .start_enter = member->enter,
            .start_leave = member->start_leave,
            .wait_enter = member->wait_enter,
            .leave = member->leave,
            .process = member->process,
            .takes_part =
                instance.root != FM_NONE && fm_rooted_takes_part(member, members[instance.root]),
            .start = {member->start_location, member->start_activity},
            .wait = {member->wait_location, member->wait_activity},
        };
        fm_vector_push(&home->parts, part);
    }
    fm_vector_push(&home->instances, instance);
    struct judging judging = {
        .needed = needed,
        .members = members,
        .home = home,
        .instance = &home->instances.items[home->instances.count - 1],
        .home_process = process,
        .worker = worker,
        .from = UINT64_MAX,
    };
    send_needs(&judging);
    send_asks(&judging);
}

static void keep_need(void *context, unsigned worker, uint32_t process, const void *record)
{
    (void)worker;
    struct fm_needed_members *needed = context;
    fm_vector_push(&needed->of_process[process], *(const struct fm_member_need *)record);
}

/* ---- what members do ---- */

/* Handler of `asks`. Times in which the recording paused are left out. */
static void answer_ask(void *context, unsigned worker, uint32_t process, const void *record)
{
    const struct fm_needed_members *needed = context;
    const struct ask *ask = record;
    uint64_t time = ask->from;
    while (time < ask->to) {
        struct fm_home_state state = {
            .from = time,
            .of = fm_partner_calls_find(needed->partner_calls, process, FM_PARADIGM_MPI, time,
                                        ask->to),
            .part = ask->part,
        };
        state.to = fm_partner_is_outside(&state.of, time) ? state.of.enter : state.of.leave;
        if (!state.of.is_unknown) {
            fm_dispatch_send(needed->states, worker, ask->home, &state);
        }
        time = state.to;
    }
}

static void keep_state(void *context, unsigned worker, uint32_t process, const void *record)
{
    (void)worker;
    struct fm_needed_members *needed = context;
    fm_vector_push(&needed->homes[process].states, *(const struct fm_home_state *)record);
}

static void sort_homes(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    struct fm_needed_members *needed = context;
    for (uint32_t process = first; process < last; ++process) {
        fm_home_sort(&needed->homes[process]);
    }
}

/* ---- all ---- */

void fm_needed_members_find(struct fm_needed_members *needed)
{
    fm_join_judge(needed->join, judge, needed);
    fm_dispatch_deliver(needed->needs);
    fm_dispatch_deliver(needed->asks);
    fm_dispatch_deliver(needed->states);
    fm_engine_run(needed->analysis->engine, sort_homes, needed);
}

fm_member_needs *fm_needed_members_of(struct fm_needed_members *needed, uint32_t process)
{
    return &needed->of_process[process];
}

const struct fm_collective_home *fm_needed_members_home(const struct fm_needed_members *needed,
                                                        uint32_t process)
{
    return &needed->homes[process];
}

struct fm_needed_members *fm_needed_members_create(struct fm_analysis *analysis)
{
    const struct fm_trace *trace = analysis->trace;
    struct fm_engine *engine = analysis->engine;
    struct fm_needed_members *needed = fm_allocate(1, sizeof *needed);
    *needed = (struct fm_needed_members){
        .analysis = analysis,
        .regions = fm_allocate(trace->region_count + (size_t)1, sizeof *needed->regions),
        .nodes = fm_number_nodes(trace),
        .partner_calls = fm_partner_calls_create(analysis),
        .join = fm_join_create(analysis),
        .homes = fm_allocate(trace->process_count, sizeof *needed->homes),
        .of_process = fm_allocate(trace->process_count, sizeof *needed->of_process),
        .asks = fm_dispatch_create(engine, sizeof(struct ask), answer_ask, needed),
        .states = fm_dispatch_create(engine, sizeof(struct fm_home_state), keep_state, needed),
        .needs = fm_dispatch_create(engine, sizeof(struct fm_member_need), keep_need, needed),
    };
    for (uint32_t r = 0; r < trace->region_count; ++r) {
        needed->regions[r] = fm_collective_name(&trace->regions[r]);
    }
    return needed;
}

void fm_needed_members_free(struct fm_needed_members *needed)
{
    for (uint32_t p = 0; p < needed->analysis->trace->process_count; ++p) {
        fm_home_free(&needed->homes[p]);
        fm_vector_free(&needed->of_process[p]);
    }
    fm_dispatch_free(needed->asks);
    fm_dispatch_free(needed->states);
    fm_dispatch_free(needed->needs);
    fm_join_free(needed->join);
    fm_partner_calls_free(needed->partner_calls);
    fm_free(needed->homes);
    fm_free(needed->of_process);
    fm_free(needed->nodes);
    fm_free(needed->regions);
    fm_free(needed);
}
