/* SPDX-License-Identifier: BSD-3-Clause */
/* Stages:
 *
 *   member's owner          home of the collective              owner of the completing call
 *   --------------          ----------------------              ----------------------------
 *   add: members      ->    judge: who needs whom, since when
 *   answer_ask        <-    what do you do in this time?   ->   keep_note
 *                     ->    keep_state                          ask_homes: of all collectives of
 *                           answer_question               <-    a call, from when on
 *                                                         ->    keep_answer
 *
 * The calls of a member matter from its start on, up to its completion, as long as others wait. */
#include "analysis/collective/collective_needs.h"

#include "analysis/collective/rooted.h"
#include "analysis/progress/progress_evidence.h"
#include "base/containers/search.h"
#include "base/containers/sort.h"
#include "engine/dispatch/dispatch.h"
#include "trace/tables/nodes.h"

#include <otf2/otf2.h>
#include <string.h>
#include <strings.h>

/* ---- names ---- */

static const struct {
    const char *name, *plural;
    uint8_t operation; /* of its record */
} names[FM_COLLECTIVE_NAMES] = {
    {"Barrier", "barriers", OTF2_COLLECTIVE_OP_BARRIER},
    {"Bcast", "bcasts", OTF2_COLLECTIVE_OP_BCAST},
    {"Scatter", "scatters", OTF2_COLLECTIVE_OP_SCATTER},
    {"Scatterv", "scattervs", OTF2_COLLECTIVE_OP_SCATTERV},
    {"Reduce", "reduces", OTF2_COLLECTIVE_OP_REDUCE},
    {"Gather", "gathers", OTF2_COLLECTIVE_OP_GATHER},
    {"Gatherv", "gathervs", OTF2_COLLECTIVE_OP_GATHERV},
    {"Allreduce", "allreduces", OTF2_COLLECTIVE_OP_ALLREDUCE},
    {"Allgather", "allgathers", OTF2_COLLECTIVE_OP_ALLGATHER},
    {"Allgatherv", "allgathervs", OTF2_COLLECTIVE_OP_ALLGATHERV},
    {"Alltoall", "alltoalls", OTF2_COLLECTIVE_OP_ALLTOALL},
    {"Alltoallv", "alltoallvs", OTF2_COLLECTIVE_OP_ALLTOALLV},
    {"Alltoallw", "alltoallws", OTF2_COLLECTIVE_OP_ALLTOALLW},
    {"Reduce_scatter", "reduce_scatters", OTF2_COLLECTIVE_OP_REDUCE_SCATTER},
    {"Reduce_scatter_block", "reduce_scatter_blocks", OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK},
    {"Scan", "scans", OTF2_COLLECTIVE_OP_SCAN},
    {"Exscan", "exscans", OTF2_COLLECTIVE_OP_EXSCAN},
};

const char *fm_collective_plural(unsigned number)
{
    return names[number].plural;
}

/* What a region of MPI starts or initializes. */
struct region_name {
    uint8_t number; /* FM_COLLECTIVE_NAMES: no collective of the table */
    bool starts;    /* it is the non-blocking form */
};

static struct region_name name_region(const struct fm_region *region)
{
    const char *name = strchr(region->name, '_');
    struct region_name found = {.number = FM_COLLECTIVE_NAMES};
    if (region->paradigm != FM_PARADIGM_MPI || name == NULL) {
        return found;
    }
    ++name;
    found.starts = *name == 'I' || *name == 'i';
    name += found.starts;
    for (uint8_t n = 0; n < FM_COLLECTIVE_NAMES; ++n) {
        const size_t length = strlen(names[n].name);
        const char *rest = name + length;
        if (strncasecmp(name, names[n].name, length) == 0 &&
            (*rest == '\0' || strcasecmp(rest, "_c") == 0 || strcmp(rest, "_") == 0 ||
             strncasecmp(rest, "_init", 5) == 0)) {
            found.number = n;
        }
    }
    return found;
}

/* ---- tables ---- */

/* A member, at the home of its collective. */
struct part {
    uint64_t start_enter, start_leave, leave;
    uint64_t wait_enter;
    uint32_t process;
    bool takes_part; /* in an operation with a root */
    struct fm_call_ref start, wait;
    size_t first_state, state_count;
};

/* States of an instance in the order of a time, with the least `from` of ranges of them: a tree of
 * `leaves` leaves, a power of two, in `least`. */
struct ranking {
    size_t first, count; /* in `ranked` */
    size_t root, leaves; /* in `least` */
};

struct instance {
    uint32_t first_part, count; /* by rank */
    uint32_t root;              /* number of the part in the instance; FM_NONE: unknown, or none */
    uint8_t call;               /* fm_call_t */
    size_t first_block;         /* in `blocks`: see is_ranked() */
};

/* The states of some members. */
struct block {
    struct ranking outside; /* of calls, by the Enter that ends them */
    struct ranking inside;  /* by Leave */
};

/* What a member does from `from` until `to`: the call that it is in, or else its next one. */
struct state {
    uint64_t from, to;
    struct fm_partner_state of;
    uint32_t part;
    uint32_t unused;
};

struct ranked {
    uint64_t time;
    struct fm_call_ref call;
    size_t state;
};

struct home {
    FM_VECTOR(struct part) parts;
    FM_VECTOR(struct instance) instances;
    FM_VECTOR(struct state) states; /* by part and time, once sorted */
    FM_VECTOR(struct block) blocks;
    FM_VECTOR(struct ranked) ranked;
    FM_VECTOR(uint64_t) least;
};

/* A member needs others. */
struct note {
    struct fm_call_ref call; /* that completes its part */
    uint64_t event;          /* t_c, by the members that it needs */
    uint64_t ends;           /* of the calls of this event, the latest Leave */
    struct fm_call_ref late; /* the first one of these calls by rank */
    uint32_t home, instance, part;
    uint32_t names;
    uint8_t size_class;
    uint8_t order; /* of its rule */
    bool is_persistent;
    bool is_far;
};

struct ask {
    uint64_t from, to;
    uint32_t home;
    uint32_t part;
};

enum { FOR_CALLS, FOR_COVER, FOR_PARTNERS };

struct question {
    uint64_t begin, until; /* FOR_COVER: the time; else `begin` and Leave */
    uint64_t leave;
    uint32_t process, call; /* that asks */
    uint32_t instance, part;
    uint32_t what; /* FOR_... */
    uint32_t unused;
};

/* FOR_CALLS: what matters of the partners in one instance. FOR_COVER: [latest, farthest) is not
 * covered. FOR_PARTNERS: a call of a partner. */
struct answer {
    uint64_t latest, farthest;
    struct fm_call_ref serving;
    uint32_t call;
    uint32_t what;
};

struct of_process {
    FM_VECTOR(struct note) notes; /* by call, once sorted */
    fm_collective_calls calls;
    FM_VECTOR(struct answer) cover;
    FM_VECTOR(struct answer) partners;
    FM_VECTOR(struct fm_call_ref) partner_calls; /* of `partners` */
};

struct fm_collective_needs {
    struct fm_analysis *analysis;
    struct region_name *regions;
    uint32_t *nodes;
    struct fm_partner_calls *partner_calls;
    struct fm_join *join;
    struct home *homes;            /* by process */
    struct of_process *of_process; /* by process */
    struct fm_dispatch *asks, *states, *notes, *questions, *answers;
};

/* ---- members ---- */

/* Notes what the owner of a member alone knows: the name of its operation. */
static void name_member(const struct fm_collective_needs *needs, struct fm_member *member)
{
    const struct fm_location *location =
        &needs->analysis->trace->locations[member->start_location];
    const uint32_t started = fm_trace_region(location, member->start_activity);
    const struct region_name found =
        needs->regions[member->init != FM_NONE ? member->init : started];
    member->name = found.number;
    member->is_persistent = !found.starts;
    for (uint8_t n = 0; found.number == FM_COLLECTIVE_NAMES && n < FM_COLLECTIVE_NAMES; ++n) {
        if (names[n].operation == member->operation) {
            member->name = n;
        }
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

void fm_collective_needs_add(struct fm_collective_needs *needs, unsigned worker,
                             const struct fm_member *member)
{
    const bool is_blocking =
        !member->non_blocking || (member->start_location == member->wait_location &&
                                  member->start_activity == member->wait_activity);
    if (needs != NULL && !is_blocking && fm_member_paradigm(member) == FM_PARADIGM_MPI &&
        order_of(member->call) <= order_of(FM_CALL_SCAN)) {
        struct fm_member named = *member;
        name_member(needs, &named);
        if (named.name < FM_COLLECTIVE_NAMES) {
            fm_join_post(needs->join, worker, &named);
        }
    }
}

/* ---- who needs whom ---- */

static const struct part *part_of(const struct home *home, const struct instance *instance,
                                  uint32_t number)
{
    return &home->parts.items[instance->first_part + number];
}

/* @return whether all members need all others */
static bool is_of_all(const struct instance *instance)
{
    return instance->call == FM_CALL_BARRIER || instance->call == FM_CALL_ALL_TO_ALL;
}

/* @return whether the states of an instance are ranked: where all members need all others, in one
 * block; where they need the lower ranks, in blocks of 1, 2, 4, ... members, those of one size after
 * the other */
static bool is_ranked(const struct instance *instance)
{
    return is_of_all(instance) || instance->call == FM_CALL_SCAN;
}

/* Members [first, last) that others need, with exceptions: see needs_member(). */
struct range {
    uint32_t first, last;
};

static struct range needed_by(const struct instance *instance, uint32_t number)
{
    switch (instance->call) {
    case FM_CALL_ONE_TO_ALL:
        return instance->root == FM_NONE || instance->root == number
                   ? (struct range){0, 0}
                   : (struct range){instance->root, instance->root + 1};
    case FM_CALL_ALL_TO_ONE:
        return (struct range){0, instance->root == number ? instance->count : 0};
    case FM_CALL_SCAN:
        return (struct range){0, number};
    default:
        return (struct range){0, instance->count};
    }
}

static bool needs_member(const struct home *home, const struct instance *instance, uint32_t number,
                         uint32_t other)
{
    if (instance->call == FM_CALL_ONE_TO_ALL) {
        return part_of(home, instance, number)->takes_part;
    }
    return other != number &&
           (instance->call != FM_CALL_ALL_TO_ONE || part_of(home, instance, other)->takes_part);
}

/* The last of some members to start. */
struct last_start {
    uint64_t enter; /* 0 and FM_NONE: there is none */
    uint64_t leave; /* the latest of the calls that begin with it */
    uint32_t number;
};

static void add_start(struct last_start *last, const struct part *part, uint32_t number)
{
    if (last->number == FM_NONE || part->start_enter > last->enter) {
        *last = (struct last_start){part->start_enter, part->start_leave, number};
    } else if (part->start_enter == last->enter && part->start_leave > last->leave) {
        last->leave = part->start_leave;
    }
}

static struct last_start last_needed(const struct home *home, const struct instance *instance,
                                     uint32_t number)
{
    struct last_start last = {.number = FM_NONE};
    const struct range range = needed_by(instance, number);
    for (uint32_t i = range.first; i < range.last; ++i) {
        if (needs_member(home, instance, number, i)) {
            add_start(&last, part_of(home, instance, i), i);
        }
    }
    return last;
}

struct judging {
    struct fm_collective_needs *needs;
    const struct fm_member **members;
    struct home *home;
    const struct instance *instance;
    uint32_t home_process;
    unsigned worker;
    uint64_t from, to; /* some member needs others in this time */
};

static void send_note(struct judging *judging, uint32_t number, const struct last_start *last,
                      bool is_far)
{
    const struct fm_collective_needs *needs = judging->needs;
    const struct fm_member *member = judging->members[number];
    const struct part *part = part_of(judging->home, judging->instance, number);
    const uint64_t begin = part->wait_enter > last->enter ? part->wait_enter : last->enter;
    judging->from = begin < judging->from ? begin : judging->from;
    judging->to = part->leave > judging->to ? part->leave : judging->to;
    const bool has_size =
        needs->analysis->counts_collective_bytes && member->call != FM_CALL_BARRIER;
    const struct note note = {
        .call = part->wait,
        .event = last->enter,
        .ends = last->leave,
        .late = part_of(judging->home, judging->instance, last->number)->start,
        .home = judging->home_process,
        .instance = (uint32_t)(judging->instance - judging->home->instances.items),
        .part = number,
        .names = 1U << member->name,
        .size_class = has_size ? member->size_class : 0,
        .order = order_of(member->call),
        .is_persistent = member->is_persistent,
        .is_far = is_far,
    };
    fm_dispatch_send(needs->notes, judging->worker, part->process, &note);
}

/* @return whether a member needs one on another node */
static bool is_far(const struct judging *judging, uint32_t number, bool several_nodes)
{
    const struct home *home = judging->home;
    const struct instance *instance = judging->instance;
    const uint32_t *nodes = judging->needs->nodes;
    const uint32_t own = nodes[part_of(home, instance, number)->process];
    const struct range range = needed_by(instance, number);
    if (!several_nodes || is_of_all(instance)) {
        return several_nodes;
    }
    for (uint32_t i = range.first; i < range.last; ++i) {
        if (needs_member(home, instance, number, i) &&
            nodes[part_of(home, instance, i)->process] != own) {
            return true;
        }
    }
    return false;
}

static void send_notes(struct judging *judging)
{
    const struct home *home = judging->home;
    const struct instance *instance = judging->instance;
    const uint32_t *nodes = judging->needs->nodes;
    struct last_start all = {.number = FM_NONE}, lower = {.number = FM_NONE};
    bool several_nodes = false;
    for (uint32_t i = 0; i < instance->count; ++i) {
        add_start(&all, part_of(home, instance, i), i);
        several_nodes |=
            nodes[part_of(home, instance, i)->process] != nodes[part_of(home, instance, 0)->process];
    }
    for (uint32_t i = 0; i < instance->count; ++i) {
        struct last_start last = lower;
        if (is_of_all(instance) && i != all.number) {
            last = all;
        } else if (instance->call != FM_CALL_SCAN) {
            last = last_needed(home, instance, i);
        }
        if (last.number != FM_NONE) {
            send_note(judging, i, &last, is_far(judging, i, several_nodes));
        }
        add_start(&lower, part_of(home, instance, i), i);
    }
}

/* Asks the members that others need what they do while these wait. */
static void send_asks(const struct judging *judging)
{
    const struct instance *instance = judging->instance;
    for (uint32_t i = 0; i < instance->count; ++i) {
        const struct part *part = part_of(judging->home, instance, i);
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
            fm_dispatch_send(judging->needs->asks, judging->worker, part->process, &ask);
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
    struct fm_collective_needs *needs = context;
    const uint32_t process = fm_join_home(needs->analysis, members[0]);
    struct home *home = &needs->homes[process];
    fm_members_sort(members, count);
    const struct instance instance = {
        .first_part = (uint32_t)home->parts.count,
        .count = count,
        .root = number_of_root(needs->analysis, members, count),
        .call = members[0]->call,
    };
    for (uint32_t i = 0; i < count; ++i) {
        const struct fm_member *member = members[i];
        const struct part part = {
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
        .needs = needs,
        .members = members,
        .home = home,
        .instance = &home->instances.items[home->instances.count - 1],
        .home_process = process,
        .worker = worker,
        .from = UINT64_MAX,
    };
    send_notes(&judging);
    send_asks(&judging);
}

static void keep_note(void *context, unsigned worker, uint32_t process, const void *record)
{
    (void)worker;
    struct fm_collective_needs *needs = context;
    fm_vector_push(&needs->of_process[process].notes, *(const struct note *)record);
}

/* ---- what members do ---- */

/* Handler of `asks`. Times in which the recording paused are left out. */
static void answer_ask(void *context, unsigned worker, uint32_t process, const void *record)
{
    const struct fm_collective_needs *needs = context;
    const struct ask *ask = record;
    uint64_t time = ask->from;
    while (time < ask->to) {
        struct state state = {
            .from = time,
            .of = fm_partner_calls_find(needs->partner_calls, process, FM_PARADIGM_MPI, time,
                                        ask->to),
            .part = ask->part,
        };
        state.to = fm_partner_is_outside(&state.of, time) ? state.of.enter : state.of.leave;
        if (!state.of.is_unknown) {
            fm_dispatch_send(needs->states, worker, ask->home, &state);
        }
        time = state.to;
    }
}

static void keep_state(void *context, unsigned worker, uint32_t process, const void *record)
{
    (void)worker;
    struct fm_collective_needs *needs = context;
    fm_vector_push(&needs->homes[process].states, *(const struct state *)record);
}

static int compare_states(const void *a, const void *b)
{
    const struct state *left = a, *right = b;
    const int order = fm_compare_numbers(left->part, right->part);
    return order != 0 ? order : fm_compare_numbers(left->from, right->from);
}

/* By time, then the lower call last. */
static int compare_ranked(const void *a, const void *b)
{
    const struct ranked *left = a, *right = b;
    const int order = fm_compare_numbers(left->time, right->time);
    return order != 0 ? order : fm_compare_calls(right->call, left->call);
}

/* Ranks some states, those inside or those outside of calls. */
static struct ranking rank(struct home *home, size_t first, size_t end, bool inside)
{
    struct ranking ranking = {.first = home->ranked.count, .root = home->least.count, .leaves = 1};
    for (size_t i = first; i < end; ++i) {
        const struct state *state = &home->states.items[i];
        if (fm_partner_is_outside(&state->of, state->from) != inside) {
            const struct ranked ranked = {inside ? state->of.leave : state->of.enter,
                                          state->of.call, i};
            fm_vector_push(&home->ranked, ranked);
        }
    }
    ranking.count = home->ranked.count - ranking.first;
    fm_sort(home->ranked.items + ranking.first, ranking.count, sizeof *home->ranked.items,
            compare_ranked);
    while (ranking.leaves < ranking.count) {
        ranking.leaves *= 2;
    }
    fm_vector_reserve(&home->least, 2 * ranking.leaves);
    home->least.count += 2 * ranking.leaves;
    uint64_t *least = home->least.items + ranking.root;
    for (size_t i = 0; i < ranking.leaves; ++i) {
        least[ranking.leaves + i] =
            i < ranking.count
                ? home->states.items[home->ranked.items[ranking.first + i].state].from
                : UINT64_MAX;
    }
    for (size_t i = ranking.leaves - 1; i > 0; --i) {
        least[i] = least[2 * i] < least[2 * i + 1] ? least[2 * i] : least[2 * i + 1];
    }
    return ranking;
}

/* @return the last one before `end` of the ranked states that contains a time; NULL: none does.
 * O(log n) */
static const struct ranked *last_ranked(const struct home *home, const struct ranking *ranking,
                                        size_t end, uint64_t time)
{
    const uint64_t *least = home->least.items + ranking->root;
    const struct ranked *ranked = home->ranked.items + ranking->first;
    if (end == 0) {
        return NULL;
    }
    size_t node = ranking->leaves + end - 1;
    if (least[node] > time) {
        while (node > 1 && (node % 2 == 0 || least[node - 1] > time)) {
            node /= 2;
        }
        if (node <= 1) {
            return NULL;
        }
        for (--node; node < ranking->leaves;) {
            node = least[2 * node + 1] <= time ? 2 * node + 1 : 2 * node;
        }
    }
    ranked += node - ranking->leaves;
    return ranked->time > time ? ranked : NULL; /* the latest one that begins by then */
}

/* @return how many ranked states have a time up to `time` */
static size_t count_ranked(const struct home *home, const struct ranking *ranking, uint64_t time)
{
    const struct ranked *ranked = home->ranked.items + ranking->first;
    return time == UINT64_MAX || ranking->count == 0
               ? ranking->count
               : fm_count_below(&ranked->time, ranking->count, sizeof *ranked, time + 1);
}

/* @return the first state of a part of an instance or of one behind it */
static size_t first_state_of(const struct home *home, uint32_t part)
{
    size_t low = 0, high = home->states.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (home->states.items[middle].part < part) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static void rank_instance(struct home *home, struct instance *instance)
{
    instance->first_block = home->blocks.count;
    const uint32_t smallest = is_of_all(instance) ? instance->count : 1;
    for (uint32_t size = smallest; is_ranked(instance) && size <= instance->count; size *= 2) {
        for (uint32_t first = 0; first + size <= instance->count; first += size) {
            const size_t begin = first_state_of(home, instance->first_part + first);
            const size_t end = first_state_of(home, instance->first_part + first + size);
            struct block block;
            block.outside = rank(home, begin, end, false);
            block.inside = rank(home, begin, end, true);
            fm_vector_push(&home->blocks, block);
        }
    }
}

/* At most so many blocks have the members that one needs. */
#define MOST_BLOCKS 32

/* Finds the blocks of the members that one needs. @return their number */
static size_t find_blocks(const struct home *home, const struct instance *instance, uint32_t number,
                          const struct block *found[MOST_BLOCKS])
{
    const struct block *blocks = home->blocks.items + instance->first_block;
    if (is_of_all(instance)) {
        found[0] = blocks;
        return 1;
    }
    size_t count = 0;
    uint32_t rest = number; /* members in front of it that no smaller block has */
    for (uint32_t size = 1; rest != 0; size *= 2) {
        if ((rest & size) != 0) {
            rest -= size;
            found[count++] = blocks + rest / size;
        }
        blocks += instance->count / size;
    }
    return count;
}

static void sort_states(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    struct fm_collective_needs *needs = context;
    for (uint32_t process = first; process < last; ++process) {
        struct home *home = &needs->homes[process];
        fm_sort(home->states.items, home->states.count, sizeof *home->states.items,
                compare_states);
        for (size_t i = 0; i < home->states.count; ++i) {
            struct part *part = &home->parts.items[home->states.items[i].part];
            part->first_state = part->state_count == 0 ? i : part->first_state;
            ++part->state_count;
        }
        for (size_t i = 0; i < home->instances.count; ++i) {
            rank_instance(home, &home->instances.items[i]);
        }
    }
}

/* @return what a member does at a time at which others need it; NULL: it is not known, or its part
 * is complete */
static const struct fm_partner_state *state_at(const struct home *home, const struct part *part,
                                               uint64_t time)
{
    const struct state *states = home->states.items + part->first_state;
    if (part->leave <= time || part->state_count == 0) {
        return NULL;
    }
    const size_t behind = time == UINT64_MAX ? part->state_count
                                             : fm_count_below(&states->from, part->state_count,
                                                              sizeof *states, time + 1);
    return behind == 0 || states[behind - 1].to <= time ? NULL : &states[behind - 1].of;
}

/* ---- calls ---- */

static int compare_notes(const void *a, const void *b)
{
    const struct note *left = a, *right = b;
    int order = fm_compare_calls(left->call, right->call);
    order = order != 0 ? order : fm_compare_numbers(right->event, left->event);
    order = order != 0 ? order : fm_compare_numbers(left->order, right->order);
    order = order != 0 ? order : fm_compare_calls(left->late, right->late);
    order = order != 0 ? order : fm_compare_numbers(left->home, right->home);
    return order != 0 ? order : fm_compare_numbers(left->instance, right->instance);
}

/* Describes the call of some notes. */
static struct fm_collective_call describe(const struct fm_collective_needs *needs,
                                          const struct note *notes, uint32_t count)
{
    const struct fm_call_ref ref = notes[0].call;
    const struct fm_location *location = &needs->analysis->trace->locations[ref.location];
    const uint64_t enter = location->enter.items[ref.activity];
    struct fm_needed why = {.window = FM_NONE, .is_later = true};
    struct fm_collective_call call = {
        .call = ref,
        .enter = fm_trace_begin(location, ref.activity),
        .leave = location->leave.items[ref.activity],
        .event = notes[0].event,
        .late = notes[0].late,
        .note_count = count,
        .is_open = ref.activity >= location->truncated_at,
        .is_judged = location->nested.count == 0 ||
                     fm_location_own_time(location, ref.activity) ==
                         location->leave.items[ref.activity] - enter,
    };
    call.begin = call.event > call.enter ? call.event : call.enter;
    bool is_far = false;
    for (uint32_t i = 0; i < count; ++i) {
        if (notes[i].event == call.event && notes[i].ends > call.begin) {
            call.begin = notes[i].ends;
        }
        why.what |= notes[i].names;
        why.size_class =
            notes[i].size_class > why.size_class ? notes[i].size_class : why.size_class;
        why.epoch = notes[i].is_persistent ? FM_NEEDS_OF_PERSISTENT : why.epoch;
        is_far |= notes[i].is_far;
    }
    why.what |= FM_NEEDS_FOR_COLLECTIVES;
    call.begin = call.begin < call.leave ? call.begin : UINT64_MAX;
    call.key = fm_progress_key(&why, is_far);
    return call;
}

static void send_question(const struct fm_collective_needs *needs, unsigned worker,
                          uint32_t process, uint32_t number, uint64_t until, uint32_t what)
{
    const struct of_process *own = &needs->of_process[process];
    const struct fm_collective_call *call = &own->calls.items[number];
    for (uint32_t i = 0; i < call->note_count; ++i) {
        const struct note *note = &own->notes.items[call->first_note + i];
        const struct question question = {
            .begin = call->begin,
            .until = until,
            .leave = call->leave,
            .process = process,
            .call = number,
            .instance = note->instance,
            .part = note->part,
            .what = what,
        };
        fm_dispatch_send(needs->questions, worker, note->home, &question);
    }
}

static void list_calls(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct fm_collective_needs *needs = context;
    for (uint32_t process = first; process < last; ++process) {
        struct of_process *own = &needs->of_process[process];
        const struct note *notes = own->notes.items;
        fm_sort(own->notes.items, own->notes.count, sizeof *notes, compare_notes);
        for (size_t i = 0, end; i < own->notes.count; i = end) {
            for (end = i; end < own->notes.count && fm_same_call(notes[end].call, notes[i].call);) {
                ++end;
            }
            struct fm_collective_call call = describe(needs, notes + i, (uint32_t)(end - i));
            call.first_note = (uint32_t)i;
            fm_vector_push(&own->calls, call);
        }
        for (uint32_t i = 0; i < own->calls.count; ++i) {
            if (own->calls.items[i].is_judged && own->calls.items[i].begin != UINT64_MAX) {
                send_question(needs, worker, process, i, 0, FOR_CALLS);
            }
        }
    }
}

/* ---- questions ---- */

static bool is_better(uint64_t enter, struct fm_call_ref call, uint64_t than,
                      struct fm_call_ref other)
{
    return enter > than || (enter == than && fm_compare_calls(call, other) < 0);
}

/* Visits what the members that a call needs do when the need begins. */
#define FOR_EACH_STATE(state, home, instance, question)                                            \
    for (uint32_t other_ = needed_by(instance, (question)->part).first;                            \
         other_ < needed_by(instance, (question)->part).last; ++other_)                            \
        if (needs_member(home, instance, (question)->part, other_) &&                              \
            ((state) = state_at(home, part_of(home, instance, other_), (question)->begin)) != NULL)

/* Finds what find_calls() does among the members of a block. */
static void find_ranked_calls(const struct home *home, const struct ranking *outside,
                              const struct question *question, struct answer *answer)
{
    const size_t contained = count_ranked(home, outside, question->leave);
    const struct ranked *latest = last_ranked(home, outside, contained, question->begin);
    const struct ranked *farthest = last_ranked(home, outside, outside->count, question->begin);
    if (latest != NULL && is_better(latest->time, latest->call, answer->latest, answer->serving)) {
        answer->latest = latest->time;
        answer->serving = latest->call;
    }
    if (farthest != NULL && farthest->time > question->leave &&
        farthest->time > answer->farthest) {
        answer->farthest = farthest->time;
    }
}

static struct answer find_calls(const struct home *home, const struct instance *instance,
                                const struct question *question)
{
    struct answer answer = {.call = question->call, .what = FOR_CALLS};
    if (is_ranked(instance)) {
        const struct block *blocks[MOST_BLOCKS];
        const size_t count = find_blocks(home, instance, question->part, blocks);
        for (size_t i = 0; i < count; ++i) {
            find_ranked_calls(home, &blocks[i]->outside, question, &answer);
        }
        return answer;
    }
    const struct fm_partner_state *state;
    FOR_EACH_STATE(state, home, instance, question)
    {
        if (!fm_partner_is_outside(state, question->begin)) {
            continue;
        }
        if (state->enter > question->leave) {
            answer.farthest = state->enter > answer.farthest ? state->enter : answer.farthest;
        } else if (is_better(state->enter, state->call, answer.latest, answer.serving)) {
            answer.latest = state->enter;
            answer.serving = state->call;
        }
    }
    return answer;
}

typedef FM_VECTOR(struct fm_partner_state) state_vector;

static int compare_enters(const void *a, const void *b)
{
    const struct fm_partner_state *left = a, *right = b;
    const int order = fm_compare_numbers(left->enter, right->enter);
    return order != 0 ? order : fm_compare_calls(right->call, left->call);
}

/* @return of the states inside of calls before `end`, the last one to end that contains the begin
 * of a need, but that of the needing member; NULL: there is none */
static const struct ranked *last_running(const struct home *home, const struct ranking *inside,
                                         const struct question *question, size_t end, uint32_t own)
{
    const struct ranked *found = last_ranked(home, inside, end, question->begin);
    while (found != NULL && home->states.items[found->state].part == own) {
        end = (size_t)(found - home->ranked.items) - inside->first;
        found = last_ranked(home, inside, end, question->begin);
    }
    return found;
}

/* Lists the last calls of a block that are contained, then those that run. */
static void list_last_calls(const struct home *home, const struct block *block,
                            const struct question *question, uint32_t own, state_vector *listed)
{
    const size_t most = listed->count + FM_COLLECTIVE_PARTNERS;
    size_t end = count_ranked(home, &block->outside, question->leave);
    const struct ranked *found;
    while (listed->count < most &&
           (found = last_ranked(home, &block->outside, end, question->begin)) != NULL) {
        fm_vector_push(listed, home->states.items[found->state].of);
        end = (size_t)(found - home->ranked.items) - block->outside.first;
    }
    end = block->inside.count;
    while (listed->count < most &&
           (found = last_running(home, &block->inside, question, end, own)) != NULL) {
        fm_vector_push(listed, home->states.items[found->state].of);
        end = (size_t)(found - home->ranked.items) - block->inside.first;
    }
}

/* Lists the first calls that begin in the time. */
static void list_calls_in(const struct home *home, const struct ranking *outside,
                          const struct question *question, state_vector *listed)
{
    for (size_t i = count_ranked(home, outside, question->begin); i < outside->count; ++i) {
        const struct ranked *ranked = &home->ranked.items[outside->first + i];
        const struct state *state = &home->states.items[ranked->state];
        if (ranked->time >= question->until) {
            break;
        }
        if (state->from <= question->begin) {
            fm_vector_push(listed, state->of);
        }
    }
}

/* Lists what matters of the first calls of ranked members. For FOR_COVER: of the calls that run at
 * the begin the last one of each block to end, and unless these cover all, those that begin later. */
static void list_ranked_calls(const struct home *home, const struct instance *instance,
                              const struct question *question, state_vector *listed)
{
    const uint32_t own = instance->first_part + question->part;
    const struct block *blocks[MOST_BLOCKS];
    const size_t count = find_blocks(home, instance, question->part, blocks);
    bool is_covered = false;
    for (size_t i = 0; i < count; ++i) {
        const struct ranking *inside = &blocks[i]->inside;
        if (question->what != FOR_COVER) {
            list_last_calls(home, blocks[i], question, own, listed);
            continue;
        }
        const struct ranked *found = last_running(home, inside, question, inside->count, own);
        if (found != NULL) {
            fm_vector_push(listed, home->states.items[found->state].of);
            is_covered |= found->time >= question->until;
        }
    }
    for (size_t i = 0; i < count && question->what == FOR_COVER && !is_covered; ++i) {
        list_calls_in(home, &blocks[i]->outside, question, listed);
    }
}

/* Lists the first calls of the partners that a call contains or finds running, by Enter. */
static void list_first_calls(const struct home *home, const struct instance *instance,
                             const struct question *question, state_vector *listed)
{
    const struct fm_partner_state *state;
    if (is_ranked(instance)) {
        list_ranked_calls(home, instance, question, listed);
        fm_sort(listed->items, listed->count, sizeof *listed->items, compare_enters);
        return;
    }
    FOR_EACH_STATE(state, home, instance, question)
    {
        if (state->enter <= question->leave) {
            fm_vector_push(listed, *state);
        }
    }
    fm_sort(listed->items, listed->count, sizeof *listed->items, compare_enters);
}

static void answer_cover(const struct fm_collective_needs *needs, unsigned worker,
                         const struct question *question, const state_vector *first_calls)
{
    struct answer answer = {.call = question->call, .what = FOR_COVER};
    uint64_t covered = question->begin;
    for (size_t i = 0; i <= first_calls->count && covered < question->until; ++i) {
        const uint64_t enter =
            i < first_calls->count ? first_calls->items[i].enter : question->until;
        answer.latest = covered;
        answer.farthest = enter < question->until ? enter : question->until;
        if (answer.latest < answer.farthest) {
            fm_dispatch_send(needs->answers, worker, question->process, &answer);
        }
        if (i < first_calls->count && first_calls->items[i].leave > covered) {
            covered = first_calls->items[i].leave;
        }
    }
}

static void answer_partners(const struct fm_collective_needs *needs, unsigned worker,
                            const struct question *question, const state_vector *first_calls)
{
    const size_t count = first_calls->count;
    for (size_t i = count > FM_COLLECTIVE_PARTNERS ? count - FM_COLLECTIVE_PARTNERS : 0; i < count;
         ++i) {
        const struct answer answer = {
            .serving = first_calls->items[i].call, .call = question->call, .what = FOR_PARTNERS};
        fm_dispatch_send(needs->answers, worker, question->process, &answer);
    }
}

/* Handler of `questions`. */
static void answer_question(void *context, unsigned worker, uint32_t process, const void *record)
{
    const struct fm_collective_needs *needs = context;
    const struct question *question = record;
    const struct home *home = &needs->homes[process];
    const struct instance *instance = &home->instances.items[question->instance];
    if (question->what == FOR_CALLS) {
        const struct answer answer = find_calls(home, instance, question);
        fm_dispatch_send(needs->answers, worker, question->process, &answer);
        return;
    }
    state_vector first_calls = {0};
    list_first_calls(home, instance, question, &first_calls);
    if (question->what == FOR_COVER) {
        answer_cover(needs, worker, question, &first_calls);
    } else {
        answer_partners(needs, worker, question, &first_calls);
    }
    fm_vector_free(&first_calls);
}

/* Handler of `answers`. */
static void keep_answer(void *context, unsigned worker, uint32_t process, const void *record)
{
    (void)worker;
    struct fm_collective_needs *needs = context;
    const struct answer *answer = record;
    struct of_process *own = &needs->of_process[process];
    struct fm_collective_call *call = &own->calls.items[answer->call];
    if (answer->what == FOR_COVER) {
        fm_vector_push(&own->cover, *answer);
    } else if (answer->what == FOR_PARTNERS) {
        fm_vector_push(&own->partners, *answer);
    } else {
        call->farthest = answer->farthest > call->farthest ? answer->farthest : call->farthest;
        if (answer->latest != 0 &&
            is_better(answer->latest, answer->serving, call->latest, call->serving)) {
            call->latest = answer->latest;
            call->serving = answer->serving;
        }
    }
}

/* ---- what others ask ---- */

const fm_collective_calls *fm_collective_needs_calls(const struct fm_collective_needs *needs,
                                                     uint32_t process)
{
    return &needs->of_process[process].calls;
}

void fm_collective_needs_ask(struct fm_collective_needs *needs, unsigned worker, uint32_t process,
                             uint32_t call, uint64_t until)
{
    send_question(needs, worker, process, call, until, FOR_COVER);
}

void fm_collective_needs_ask_partners(struct fm_collective_needs *needs, unsigned worker,
                                      uint32_t process, uint32_t call)
{
    send_question(needs, worker, process, call, 0, FOR_PARTNERS);
}

static int compare_answers(const void *a, const void *b)
{
    const struct answer *left = a, *right = b;
    int order = fm_compare_numbers(left->call, right->call);
    order = order != 0 ? order : fm_compare_numbers(left->latest, right->latest);
    order = order != 0 ? order : fm_compare_numbers(left->farthest, right->farthest);
    return order != 0 ? order : fm_compare_calls(left->serving, right->serving);
}

static void sort_answers(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    struct fm_collective_needs *needs = context;
    for (uint32_t process = first; process < last; ++process) {
        struct of_process *own = &needs->of_process[process];
        fm_sort(own->cover.items, own->cover.count, sizeof *own->cover.items, compare_answers);
        fm_sort(own->partners.items, own->partners.count, sizeof *own->partners.items,
                compare_answers);
        for (size_t i = 0; i < own->partners.count; ++i) {
            fm_vector_push(&own->partner_calls, own->partners.items[i].serving);
        }
    }
}

void fm_collective_needs_run(struct fm_collective_needs *needs, fm_stage_t *stage, void *context)
{
    fm_dispatch_run(needs->questions, stage, context);
    fm_dispatch_deliver(needs->answers);
    fm_engine_run(needs->analysis->engine, sort_answers, needs);
}

/* @return the position of the first answer to a call */
static size_t first_answer(const struct answer *answers, size_t count, uint32_t call)
{
    return count == 0 ? 0 : fm_count_below_32(&answers->call, count, sizeof *answers, call);
}

static int compare_times(const void *a, const void *b)
{
    const uint64_t *left = a, *right = b;
    return fm_compare_numbers(*left, *right);
}

uint64_t fm_collective_needs_uncovered(const struct fm_collective_needs *needs, uint32_t process,
                                       uint32_t call)
{
    const struct of_process *own = &needs->of_process[process];
    const uint32_t notes = own->calls.items[call].note_count;
    FM_VECTOR(uint64_t) times = {0}; /* of begins and ends: 2 t + 1 and 2 t */
    for (size_t i = first_answer(own->cover.items, own->cover.count, call);
         i < own->cover.count && own->cover.items[i].call == call; ++i) {
        fm_vector_push(&times, 2 * own->cover.items[i].latest + 1);
        fm_vector_push(&times, 2 * own->cover.items[i].farthest);
    }
    fm_sort(times.items, times.count, sizeof *times.items, compare_times);
    uint64_t uncovered = 0, since = 0;
    uint32_t open = 0; /* collectives that do not cover the time; all: nothing covers it */
    for (size_t i = 0; i < times.count; ++i) {
        const bool begins = times.items[i] % 2 != 0;
        uncovered += open == notes ? times.items[i] / 2 - since : 0;
        open = begins ? open + 1 : open - 1;
        since = times.items[i] / 2;
    }
    fm_vector_free(&times);
    return uncovered;
}

size_t fm_collective_needs_partners(const struct fm_collective_needs *needs, uint32_t process,
                                    uint32_t call, const struct fm_call_ref **partners)
{
    const struct of_process *own = &needs->of_process[process];
    const size_t first = first_answer(own->partners.items, own->partners.count, call);
    size_t end = first;
    while (end < own->partners.count && own->partners.items[end].call == call) {
        ++end;
    }
    *partners = own->partner_calls.items + first;
    return end - first;
}

/* ---- all ---- */

void fm_collective_needs_find(struct fm_collective_needs *needs)
{
    if (needs == NULL) {
        return;
    }
    struct fm_engine *engine = needs->analysis->engine;
    fm_join_judge(needs->join, judge, needs);
    fm_dispatch_deliver(needs->notes);
    fm_dispatch_deliver(needs->asks);
    fm_dispatch_deliver(needs->states);
    fm_engine_run(engine, sort_states, needs);
    fm_dispatch_run(needs->questions, list_calls, needs);
    fm_dispatch_deliver(needs->answers);
}

struct fm_collective_needs *fm_collective_needs_create(struct fm_analysis *analysis)
{
    if (analysis->asynchronous_progress) {
        return NULL;
    }
    const struct fm_trace *trace = analysis->trace;
    struct fm_engine *engine = analysis->engine;
    struct fm_collective_needs *needs = fm_allocate(1, sizeof *needs);
    *needs = (struct fm_collective_needs){
        .analysis = analysis,
        .regions = fm_allocate(trace->region_count + (size_t)1, sizeof *needs->regions),
        .nodes = fm_number_nodes(trace),
        .partner_calls = fm_partner_calls_create(analysis),
        .join = fm_join_create(analysis),
        .homes = fm_allocate(trace->process_count, sizeof *needs->homes),
        .of_process = fm_allocate(trace->process_count, sizeof *needs->of_process),
        .asks = fm_dispatch_create(engine, sizeof(struct ask), answer_ask, needs),
        .states = fm_dispatch_create(engine, sizeof(struct state), keep_state, needs),
        .notes = fm_dispatch_create(engine, sizeof(struct note), keep_note, needs),
        .questions = fm_dispatch_create(engine, sizeof(struct question), answer_question, needs),
        .answers = fm_dispatch_create(engine, sizeof(struct answer), keep_answer, needs),
    };
    for (uint32_t r = 0; r < trace->region_count; ++r) {
        needs->regions[r] = name_region(&trace->regions[r]);
    }
    return needs;
}

void fm_collective_needs_free(struct fm_collective_needs *needs)
{
    if (needs == NULL) {
        return;
    }
    for (uint32_t p = 0; p < needs->analysis->trace->process_count; ++p) {
        fm_vector_free(&needs->homes[p].parts);
        fm_vector_free(&needs->homes[p].instances);
        fm_vector_free(&needs->homes[p].states);
        fm_vector_free(&needs->homes[p].blocks);
        fm_vector_free(&needs->homes[p].ranked);
        fm_vector_free(&needs->homes[p].least);
        fm_vector_free(&needs->of_process[p].notes);
        fm_vector_free(&needs->of_process[p].calls);
        fm_vector_free(&needs->of_process[p].cover);
        fm_vector_free(&needs->of_process[p].partners);
        fm_vector_free(&needs->of_process[p].partner_calls);
    }
    fm_dispatch_free(needs->asks);
    fm_dispatch_free(needs->states);
    fm_dispatch_free(needs->notes);
    fm_dispatch_free(needs->questions);
    fm_dispatch_free(needs->answers);
    fm_join_free(needs->join);
    fm_partner_calls_free(needs->partner_calls);
    fm_free(needs->homes);
    fm_free(needs->of_process);
    fm_free(needs->nodes);
    fm_free(needs->regions);
    fm_free(needs);
}
