/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/hang/resolution.h"

#include "analysis/collective/instance.h"
#include "analysis/progress/progress_evidence.h"

#include <otf2/otf2.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A part that is being resolved. */
struct part {
    struct fm_resolution *resolution;
    const struct fm_open_part *open;
    uint32_t process; /* of the waiting location */
    uint32_t node;
    struct fm_cube_hang_part found;
};

static struct part begin(struct fm_resolution *resolution, const struct fm_open_part *open,
                         bool is_any)
{
    return (struct part){
        .resolution = resolution,
        .open = open,
        .process = fm_trace_process(resolution->analysis->trace, open->location),
        .node = fm_wait_graph_add(resolution->graph, is_any),
        .found = {.awaits = open->awaits,
                  .is_any = is_any,
                  .first_target = (uint32_t)resolution->targets.count,
                  .tag = open->tag == FM_NONE ? FM_CUBE_NONE : open->tag,
                  .place = open->place == FM_NONE ? FM_CUBE_NONE : open->place},
    };
}

static void name_target(struct part *part, uint32_t location)
{
    fm_vector_push(&part->resolution->targets, location);
    part->found.target_count++;
}

static void push_process(struct fm_resolution *resolution, uint32_t process)
{
    fm_vector_push(&resolution->targets,
                   resolution->analysis->trace->processes[process].first_location);
}

static void name_process(struct part *part, uint32_t process)
{
    push_process(part->resolution, process);
    part->found.target_count++;
}

/* Names targets that are listed already. */
static void share_targets(struct part *part, uint32_t first, uint32_t count)
{
    part->found.first_target = first;
    part->found.target_count = count;
}

static void add_process(struct part *part, uint32_t process)
{
    fm_wait_graph_link(part->resolution->graph, part->node,
                       fm_process_node(part->resolution, process));
    name_process(part, process);
}

static void add_location(struct part *part, uint32_t location)
{
    fm_wait_graph_link(part->resolution->graph, part->node, location);
    name_target(part, location);
}

/* Nothing is missing, or what is missing is not known: the call may return. */
static void let_return(struct part *part, bool is_there)
{
    fm_wait_graph_release(part->resolution->graph, part->node);
    part->found.is_there = is_there;
    part->found.awaits = is_there ? part->found.awaits : FM_AWAITS_UNKNOWN;
}

/* ---- any of the others ---- */

/* @return the chains of a list of processes */
static struct fm_other_chains add_chains(struct fm_resolution *resolution,
                                         const uint32_t *processes, uint32_t count)
{
    struct fm_wait_graph *graph = resolution->graph;
    struct fm_other_chains chains = {.first = (uint32_t)resolution->targets.count};
    for (uint32_t i = 0; i < count; ++i) {
        if (processes[i] != FM_NONE) {
            push_process(resolution, processes[i]);
        }
    }
    chains.count = (uint32_t)resolution->targets.count - chains.first;
    for (uint32_t i = 0; i <= count; ++i) {
        const uint32_t node = fm_wait_graph_add(graph, true);
        chains.first_before = i == 0 ? node : chains.first_before;
        if (i > 0) {
            fm_wait_graph_link(graph, node, node - 1);
            if (processes[i - 1] != FM_NONE) {
                fm_wait_graph_link(graph, node, fm_process_node(resolution, processes[i - 1]));
            }
        }
    }
    for (uint32_t i = 0; i <= count; ++i) {
        const uint32_t node = fm_wait_graph_add(graph, true);
        chains.first_behind = i == 0 ? node : chains.first_behind;
    }
    for (uint32_t i = 0; i < count; ++i) {
        fm_wait_graph_link(graph, chains.first_behind + i, chains.first_behind + i + 1);
        if (processes[i] != FM_NONE) {
            fm_wait_graph_link(graph, chains.first_behind + i,
                               fm_process_node(resolution, processes[i]));
        }
    }
    return chains;
}

/* Adds all processes of a list but that of the part, and the other threads of that one. */
static void add_others(struct part *part, uint64_t key, const uint32_t *processes, uint32_t count)
{
    struct fm_resolution *resolution = part->resolution;
    const uint32_t next = (uint32_t)resolution->chains.count;
    const uint32_t position = *fm_map_at(&resolution->chains_of, key, next);
    if (position == next) {
        const struct fm_other_chains chains = add_chains(resolution, processes, count);
        fm_vector_push(&resolution->chains, chains);
    }
    const struct fm_other_chains chains = resolution->chains.items[position];
    uint32_t own = 0;
    while (own < count && processes[own] != part->process) {
        ++own;
    }
    fm_wait_graph_link(resolution->graph, part->node, chains.first_before + own);
    if (own < count) {
        fm_wait_graph_link(resolution->graph, part->node, chains.first_behind + own + 1);
    }
    share_targets(part, chains.first, chains.count);
    part->found.is_others = true;
}

/* Adds the other threads of the process, and names them unless all others are meant.
 * @param library  only those that may call the library */
static void add_other_threads(struct part *part, bool library)
{
    const struct fm_trace *trace = part->resolution->analysis->trace;
    const struct fm_process *process = &trace->processes[part->process];
    const struct fm_location_end *ends = part->resolution->ends->items;
    if (library && ends[process->first_location].is_main) {
        return;
    }
    for (uint32_t t = 0; t < process->location_count; ++t) {
        const uint32_t l = process->first_location + t;
        if (l == part->open->location || ends[l].how == FM_END_NOTHING) {
            continue;
        }
        fm_wait_graph_link(part->resolution->graph, part->node, l);
        if (!part->found.is_others) {
            name_target(part, l);
        }
    }
}

/* ---- messages ---- */

/* @return the position of the first channel to a process */
static size_t first_channel(const struct fm_hang_facts *facts, uint32_t destination)
{
    size_t low = 0, high = facts->channels.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (facts->channels.items[middle].destination < destination) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static uint64_t unreceived(const struct fm_channel *channel)
{
    return channel->sent > channel->received ? channel->sent - channel->received : 0;
}

/* @return the number of messages that a receive may take and that nobody has received */
static uint64_t messages_for(const struct part *part)
{
    const struct fm_hang_facts *facts = part->resolution->facts;
    const struct fm_open_part *open = part->open;
    uint64_t count = 0;
    for (size_t i = first_channel(facts, part->process);
         i < facts->channels.count && facts->channels.items[i].destination == part->process; ++i) {
        const struct fm_channel *channel = &facts->channels.items[i];
        if (channel->communicator == open->communicator &&
            (open->is_any || channel->source == open->process) &&
            (open->tag == FM_NONE || channel->tag == open->tag)) {
            count += unreceived(channel);
        }
    }
    return count;
}

/* @return the number of receives of the same messages that were posted before in this process */
static uint64_t receives_before(const struct part *part)
{
    const struct fm_open_part *open = part->open;
    uint64_t count = 0;
    for (const struct fm_open_part *other = open; other-- > part->resolution->parts->items;) {
        if (fm_trace_process(part->resolution->analysis->trace, other->location) != part->process) {
            break;
        }
        count += other->awaits == FM_AWAITS_MESSAGE && !other->is_probe && !other->is_any &&
                 other->communicator == open->communicator && other->process == open->process &&
                 other->tag == open->tag && other->tag != FM_NONE;
    }
    return count;
}

static void resolve_message(struct part *part)
{
    const struct fm_open_part *open = part->open;
    const struct fm_trace *trace = part->resolution->analysis->trace;
    const struct fm_communicator *communicator = &trace->communicators[open->communicator];
    if (messages_for(part) > (open->is_any || open->tag == FM_NONE ? 0 : receives_before(part))) {
        let_return(part, true);
        if (!open->is_any && open->process != FM_NONE) {
            name_process(part, open->process);
        }
    } else if (!open->is_any && open->process == FM_NONE) {
        let_return(part, false);
    } else if (!open->is_any) {
        add_process(part, open->process);
    } else if (communicator->is_self) {
        add_other_threads(part, true);
    } else if (communicator->first_group_size == communicator->size) {
        add_others(part, open->communicator, communicator->members, communicator->size);
        add_other_threads(part, true);
    } else {
        const uint32_t own = fm_trace_rank(trace, open->communicator, part->process);
        const bool is_first = own < communicator->first_group_size;
        const uint32_t first = is_first ? communicator->first_group_size : 0;
        const uint32_t end = is_first ? communicator->size : communicator->first_group_size;
        add_others(part, (uint64_t)(1 + is_first) << 32 | open->communicator,
                   communicator->members + first, end - first);
    }
}

static void resolve_receiver(struct part *part)
{
    const struct fm_open_part *open = part->open;
    const struct fm_hang_facts *facts = part->resolution->facts;
    if (open->process == FM_NONE) {
        let_return(part, false);
        return;
    }
    uint64_t left = 0;
    for (size_t i = first_channel(facts, open->process);
         i < facts->channels.count && facts->channels.items[i].destination == open->process; ++i) {
        const struct fm_channel *channel = &facts->channels.items[i];
        if (channel->communicator == open->communicator && channel->source == part->process &&
            channel->tag == open->tag) {
            left += unreceived(channel);
        }
    }
    bool is_posted = left == 0;
    for (size_t i = 0; i < facts->posted.count && !is_posted; ++i) {
        const struct fm_posted *posted = &facts->posted.items[i];
        is_posted = posted->process == open->process &&
                    (posted->communicator == FM_NONE ||
                     (posted->communicator == open->communicator &&
                      (posted->source == FM_NONE || posted->source == part->process) &&
                      (posted->tag == FM_NONE || posted->tag == open->tag)));
    }
    if (is_posted) {
        let_return(part, true);
        name_process(part, open->process);
    } else {
        add_process(part, open->process);
    }
}

/* ---- collective operations ---- */

/* @return the length of a function's name without what its bindings append */
static size_t plain_length(const char *name)
{
    size_t length = strlen(name);
    while (length > 0 && name[length - 1] == '_') {
        length--;
    }
    return length > 2 && strncasecmp(name + length - 2, "_c", 2) == 0 ? length - 2 : length;
}

static bool is_same_function(const struct fm_trace *trace, uint32_t one, uint32_t other)
{
    const char *left = trace->regions[one].name, *right = trace->regions[other].name;
    const size_t length = plain_length(left);
    return plain_length(right) == length && strncasecmp(left, right, length) == 0;
}

static bool is_rooted(uint8_t call)
{
    return call == FM_CALL_ONE_TO_ALL || call == FM_CALL_ALL_TO_ONE;
}

typedef enum { THERE, MISSING, ELSEWHERE } arrival_t;

/* @return whether a process takes part in the operation of a part */
static arrival_t arrival_of(const struct fm_resolution *resolution, const struct fm_open_part *open,
                            uint32_t process)
{
    const struct fm_trace *trace = resolution->analysis->trace;
    const struct fm_hang_facts *facts = resolution->facts;
    size_t low = 0, high = facts->reached.count;
    while (low < high) { /* the first fact about the process and this ordinal, or a later one */
        const size_t middle = low + (high - low) / 2;
        const struct fm_reached *reached = &facts->reached.items[middle];
        const bool is_before = reached->series != open->series ? reached->series < open->series
                               : reached->scope != open->scope ? reached->scope < open->scope
                               : reached->process != process   ? reached->process < process
                                                               : reached->ordinal < open->ordinal;
        low = is_before ? middle + 1 : low;
        high = is_before ? high : middle;
    }
    const struct fm_reached *reached =
        low < facts->reached.count ? &facts->reached.items[low] : NULL;
    if (reached == NULL || reached->series != open->series || reached->scope != open->scope ||
        reached->process != process) {
        for (size_t i = 0; i < facts->uncertain.count; ++i) {
            if (facts->uncertain.items[i] == process) {
                return THERE; /* maybe: by an operation whose communicator is not known */
            }
        }
        return MISSING;
    }
    if (reached->ordinal != open->ordinal || open->call == FM_CALL_INIT ||
        open->call == FM_CALL_FINALIZE) {
        return THERE;
    }
    return is_same_function(trace, reached->region, open->region) &&
                   (!is_rooted(open->call) || reached->root == open->root)
               ? THERE
               : ELSEWHERE;
}

/* Adds a member of the communicator that an operation needs, and lists it, unless it is there.
 * @return whether it is elsewhere for ever */
static bool add_member(struct fm_resolution *resolution, const struct fm_open_part *open,
                       uint32_t node, uint32_t process)
{
    const arrival_t arrival = process == FM_NONE ? THERE : arrival_of(resolution, open, process);
    if (arrival == THERE) {
        return false;
    }
    const uint32_t input = arrival == MISSING ? fm_process_node(resolution, process)
                                              : fm_wait_graph_add(resolution->graph, true);
    fm_wait_graph_link(resolution->graph, node, input);
    push_process(resolution, process);
    return arrival == ELSEWHERE;
}

/* The members that are missing in an operation in which all wait for all are those for everybody.
 */
static const struct fm_target_set *set_of(struct part *part, uint32_t first, uint32_t end)
{
    struct fm_resolution *resolution = part->resolution;
    const struct fm_open_part *open = part->open;
    const struct fm_communicator *communicator =
        &resolution->analysis->trace->communicators[open->communicator];
    uint64_t key = fm_hash(open->scope * 251 + open->series);
    key = fm_hash(key + open->ordinal);
    key = fm_hash(key + open->region);
    key = fm_hash(key + first);
    const uint32_t next = (uint32_t)resolution->sets.count;
    const uint32_t position = *fm_map_at(&resolution->set_of, key, next);
    if (position == next) {
        struct fm_target_set set = {
            .node = fm_wait_graph_add(resolution->graph, false),
            .first = (uint32_t)resolution->targets.count,
        };
        for (uint32_t rank = first; rank < end; ++rank) {
            if (communicator->members[rank] != part->process) {
                set.is_never |= add_member(resolution, open, set.node, communicator->members[rank]);
            }
        }
        set.count = (uint32_t)resolution->targets.count - set.first;
        fm_vector_push(&resolution->sets, set);
    }
    return &resolution->sets.items[position];
}

static void await_all(struct part *part, uint32_t first, uint32_t end)
{
    const struct fm_target_set *set = set_of(part, first, end);
    fm_wait_graph_link(part->resolution->graph, part->node, set->node);
    part->found.is_never = set->is_never;
    part->found.is_there = set->count == 0;
    share_targets(part, set->first, set->count);
}

/* Awaits some ranks of the communicator. */
static void await_ranks(struct part *part, uint32_t first, uint32_t end, uint32_t but)
{
    struct fm_resolution *resolution = part->resolution;
    const struct fm_communicator *communicator =
        &resolution->analysis->trace->communicators[part->open->communicator];
    const uint32_t before = (uint32_t)resolution->targets.count;
    for (uint32_t rank = first; rank < end; ++rank) {
        if (rank != but) {
            part->found.is_never |=
                add_member(resolution, part->open, part->node, communicator->members[rank]);
        }
    }
    share_targets(part, before, (uint32_t)resolution->targets.count - before);
    part->found.is_there = part->found.target_count == 0;
}

static void resolve_members(struct part *part)
{
    const struct fm_open_part *open = part->open;
    const struct fm_communicator *communicator =
        &part->resolution->analysis->trace->communicators[open->communicator];
    const uint32_t groups = communicator->first_group_size;
    const bool is_first = open->rank < groups;
    /* Of an inter-communicator, the other group is needed: its ranks, and a root in it. */
    const bool is_inter = groups != communicator->size;
    const uint32_t begin = is_inter && is_first ? groups : 0;
    const uint32_t end = is_inter && !is_first ? groups : communicator->size;
    const uint32_t own = is_inter ? FM_NONE : open->rank;
    const uint32_t root = open->root < end - begin ? begin + open->root : FM_NONE;
    switch ((fm_call_t)open->call) {
    case FM_CALL_ONE_TO_ALL:
        if (root == FM_NONE) {
            let_return(part, false);
        } else if (root == own) {
            let_return(part, true);
        } else {
            await_ranks(part, root, root + 1, FM_NONE);
        }
        break;
    case FM_CALL_ALL_TO_ONE:
        if (root == FM_NONE) {
            let_return(part, false);
        } else if (root != own) {
            let_return(part, true);
        } else {
            await_ranks(part, begin, end, own);
        }
        break;
    case FM_CALL_SCAN:
        await_ranks(part, begin, is_inter ? begin : own, FM_NONE);
        break;
    case FM_CALL_NEIGHBORHOOD:
    case FM_CALL_DETACHED_COMMUNICATOR:
    case FM_CALL_OTHER:
        let_return(part, false);
        break;
    default:
        await_all(part, begin, end);
        break;
    }
}

/* ---- windows and locks ---- */

static void resolve_epoch(struct part *part)
{
    const struct fm_hang_facts *facts = part->resolution->facts;
    const struct fm_open_part *open = part->open;
    for (size_t i = 0; i < facts->epochs.count; ++i) {
        const struct fm_epoch_count *epoch = &facts->epochs.items[i];
        if (epoch->awaits == open->awaits && epoch->window == open->window &&
            epoch->process == open->process && epoch->partner == part->process &&
            epoch->count > open->ordinal) {
            let_return(part, true);
            return;
        }
    }
    add_process(part, open->process);
}

static void resolve_progress(struct part *part)
{
    const struct fm_trace *trace = part->resolution->analysis->trace;
    const struct fm_open_part *open = part->open;
    if (open->process == FM_NONE || open->process == part->process ||
        !fm_evidence_window_waits(part->resolution->analysis->evidence, open->window)) {
        let_return(part, false);
        return;
    }
    const struct fm_process *target = &trace->processes[open->process];
    for (uint32_t t = 0; t < target->location_count; ++t) {
        const struct fm_location_end *end =
            &part->resolution->ends->items[target->first_location + t];
        if (end->is_open && end->is_inside) {
            let_return(part, true); /* it makes progress in its call */
            return;
        }
    }
    part->found.awaits = FM_AWAITS_PROGRESS;
    add_process(part, open->process);
}

/* @return whether the target is inside of a call that serves others, or is the own process */
static bool makes_progress(const struct part *part)
{
    const struct fm_resolution *resolution = part->resolution;
    const uint32_t process = part->open->process;
    const struct fm_process *target = &resolution->analysis->trace->processes[process];
    for (uint32_t t = 0; t < target->location_count; ++t) {
        const struct fm_location_end *end = &resolution->ends->items[target->first_location + t];
        if (end->is_open && end->is_inside) {
            return true;
        }
    }
    return process == part->process;
}

static bool is_same_lock(const struct fm_locked *lock, const struct fm_open_part *open)
{
    if (lock->window != open->window || lock->is_mpi != open->is_mpi) {
        return false;
    }
    const bool is_one = lock->target == open->process;
    return open->is_mpi ? is_one || lock->target == FM_NONE || open->process == FM_NONE
                        : is_one && lock->id == open->id;
}

/* Who has the lock of a window: an epoch that nobody can have at the same time as this one. MPI
 * does not state when a lock is acquired, and libraries may do that later than MPI_Win_lock
 * returns. */
static void resolve_window_lock(struct part *part)
{
    const struct fm_resolution *resolution = part->resolution;
    const struct fm_open_part *open = part->open;
    const struct fm_locked *locks = resolution->facts->locks.items;
    bool is_shared = open->is_shared, has_it = false;
    uint32_t known = 0, exclusive = 0, others = 0;
    for (size_t i = 0; i < resolution->facts->locks.count; ++i) {
        if (locks[i].process == part->process && is_same_lock(&locks[i], open)) {
            is_shared = locks[i].is_shared;
            has_it |= locks[i].is_acquired;
        }
    }
    for (int pass = 0; pass < 2 && !has_it; ++pass) {
        for (size_t i = 0; i < resolution->facts->locks.count; ++i) {
            const struct fm_locked *lock = &locks[i];
            if (lock->process == part->process || !is_same_lock(lock, open) ||
                !lock->is_requested || (is_shared && lock->is_shared)) {
                continue;
            }
            if (pass == 0) {
                others++;
                exclusive += !lock->is_shared;
                known += lock->is_acquired;
            } else if (known == 0 || lock->is_acquired) {
                add_process(part, lock->process);
                part->found.place = lock->place;
            }
        }
    }
    if (others == 0) {
        resolve_progress(part);
        return;
    }
    /* Of several that are not known to have it, one has; this one may have it, too, if it has
     * requested it before, and then waits for the target's progress. */
    if (known == 0 && (exclusive > 1 || open->is_requested)) {
        resolution->graph->nodes.items[part->node].is_any = part->found.is_any = true;
        if (open->is_requested && (open->process == FM_NONE || makes_progress(part))) {
            let_return(part, false);
        } else if (open->is_requested) {
            add_process(part, open->process);
        }
    }
}

/* Libraries other than MPI state who has acquired a lock, and so do threads. */
static void resolve_lock(struct part *part)
{
    const struct fm_resolution *resolution = part->resolution;
    const struct fm_open_part *open = part->open;
    if (open->target != FM_NONE) {
        add_location(part, open->target);
        return;
    }
    if (open->is_mpi) {
        resolve_window_lock(part);
        return;
    }
    for (size_t i = 0; i < resolution->facts->locks.count; ++i) {
        const struct fm_locked *lock = &resolution->facts->locks.items[i];
        if (lock->location != open->location && is_same_lock(lock, open) && lock->is_acquired) {
            add_process(part, lock->process);
            part->found.place = lock->place;
        }
    }
    if (part->found.target_count == 0) {
        let_return(part, false);
    }
}

/* ---- all parts ---- */

static void resolve_change(struct part *part)
{
    const uint32_t count = part->resolution->analysis->trace->process_count;
    uint32_t *all = fm_allocate(count, sizeof *all);
    for (uint32_t p = 0; p < count; ++p) {
        all[p] = p;
    }
    add_others(part, UINT64_MAX - 1, all, count);
    add_other_threads(part, false);
    fm_free(all);
}

static void resolve(struct part *part)
{
    switch ((fm_awaits_t)part->open->awaits) {
    case FM_AWAITS_MESSAGE:
        resolve_message(part);
        break;
    case FM_AWAITS_RECEIVER:
        resolve_receiver(part);
        break;
    case FM_AWAITS_MEMBERS:
        resolve_members(part);
        break;
    case FM_AWAITS_POST:
    case FM_AWAITS_COMPLETE:
    case FM_AWAITS_IMAGES:
        resolve_epoch(part);
        break;
    case FM_AWAITS_LOCK:
        resolve_lock(part);
        break;
    case FM_AWAITS_PROGRESS:
        resolve_progress(part);
        break;
    case FM_AWAITS_CHANGE:
        resolve_change(part);
        break;
    case FM_AWAITS_SIGNAL:
    case FM_AWAITS_TASKS:
        add_other_threads(part, false);
        break;
    case FM_AWAITS_TEAM:
    case FM_AWAITS_END:
        if (part->open->target == FM_NONE) {
            let_return(part, true);
        } else {
            add_location(part, part->open->target);
        }
        break;
    default:
        let_return(part, false);
        break;
    }
}

static char *text_of(const struct fm_resolution *resolution, const struct fm_open_part *open,
                     void (*describe)(const struct fm_resolution *, const struct fm_open_part *,
                                      char *, size_t))
{
    char text[512] = "";
    describe(resolution, open, text, sizeof text);
    return fm_copy_string(text);
}

uint32_t fm_resolve_part(struct fm_resolution *resolution, const struct fm_open_part *open)
{
    struct part part = begin(resolution, open, open->is_any);
    resolve(&part);
    part.found.object = text_of(resolution, open, fm_describe_object);
    part.found.note = text_of(resolution, open, fm_describe_near);
    part.found.taken_in = fm_copy_string(
        open->taken_in == FM_NONE ? ""
                                  : fm_trace_text(resolution->analysis->trace, open->taken_in));
    fm_vector_push(&resolution->found, part.found);
    return part.node;
}
