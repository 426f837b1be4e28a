/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/collective/collective_walk.h"

#include "analysis/libraries/library_metrics.h"

#include <otf2/otf2.h>
#include <string.h>
#include <strings.h>

static uint8_t series_of(fm_paradigm_t paradigm, unsigned kind)
{
    return (uint8_t)(FM_SERIES_KINDS * (unsigned)paradigm + kind);
}

static size_t collective_count(const struct fm_location *location)
{
    return location->collectives.count;
}

static uint32_t collective_start(const struct fm_location *location, uint32_t row)
{
    return location->collectives.items[row].start;
}

/* Whether an operation is that of a call that has spawned processes, in MPI_Init of these: they
 * have no other inter-communicator then. */
static bool is_of_spawn(const struct fm_trace *trace, const struct fm_region *called,
                        uint32_t communicator)
{
    return called->call == FM_CALL_INIT && trace->communicators[communicator].first_group_size <
                                               trace->communicators[communicator].size;
}

/* @return the kind of a collective call. The kind of a call that is no collective by its name is
 * that of the recorded operation, but not for MPI_File_...: file access has no such wait states,
 * whatever operation its record names. */
static uint8_t call_of(const struct fm_trace *trace, const struct fm_location *location,
                       const struct fm_collective *part)
{
    if (part->init != FM_NONE && trace->regions[part->init].call == FM_CALL_NEIGHBORHOOD) {
        return FM_CALL_NEIGHBORHOOD;
    }
    const struct fm_region *region = fm_trace_called(trace, location, part->start);
    if (is_of_spawn(trace, region, part->communicator)) {
        return FM_CALL_DETACHED_COMMUNICATOR;
    }
    if (region->call != FM_CALL_OTHER || strncasecmp(region->name, "MPI_File_", 9) == 0) {
        return (uint8_t)region->call;
    }
    switch (part->operation) {
    case OTF2_COLLECTIVE_OP_BARRIER:
        return FM_CALL_BARRIER;
    case OTF2_COLLECTIVE_OP_BCAST:
    case OTF2_COLLECTIVE_OP_SCATTER:
    case OTF2_COLLECTIVE_OP_SCATTERV:
        return FM_CALL_ONE_TO_ALL;
    case OTF2_COLLECTIVE_OP_GATHER:
    case OTF2_COLLECTIVE_OP_GATHERV:
    case OTF2_COLLECTIVE_OP_REDUCE:
        return FM_CALL_ALL_TO_ONE;
    case OTF2_COLLECTIVE_OP_ALLGATHER:
    case OTF2_COLLECTIVE_OP_ALLGATHERV:
    case OTF2_COLLECTIVE_OP_ALLTOALL:
    case OTF2_COLLECTIVE_OP_ALLTOALLV:
    case OTF2_COLLECTIVE_OP_ALLTOALLW:
    case OTF2_COLLECTIVE_OP_ALLREDUCE:
    case OTF2_COLLECTIVE_OP_REDUCE_SCATTER:
    case OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK:
        return FM_CALL_ALL_TO_ALL;
    case OTF2_COLLECTIVE_OP_SCAN:
    case OTF2_COLLECTIVE_OP_EXSCAN:
        return FM_CALL_SCAN;
    default:
        return FM_CALL_OTHER;
    }
}

static bool is_of_run(fm_call_t call)
{
    return call == FM_CALL_INIT || call == FM_CALL_FINALIZE;
}

/* Lists the calls of Init and Finalize of a location: if there are any, the former are searched
 * from the begin on, the latter from the end on. */
static void list_calls_of(struct fm_collective_walk *walk, uint32_t l)
{
    const struct fm_location *location = &walk->trace->locations[l];
    uint64_t left[2] = {0, 0};
    for (size_t v = 0; v < location->profile.count; v++) {
        const struct fm_region *region = &walk->trace->regions[location->profile.items[v].region];
        if (is_of_run(region->call)) {
            left[region->call == FM_CALL_FINALIZE] += location->profile.items[v].visits;
        }
    }
    const uint32_t count = (uint32_t)location->enter.count;
    for (uint32_t a = 0; a < count && left[0] > 0; a++) {
        if (fm_trace_called(walk->trace, location, a)->call == FM_CALL_INIT) {
            fm_vector_push(&walk->calls, (struct fm_record_ref){l, a});
            left[0]--;
        }
    }
    for (uint32_t a = count; a > 0 && left[1] > 0; a--) {
        if (fm_trace_called(walk->trace, location, a - 1)->call == FM_CALL_FINALIZE) {
            fm_vector_push(&walk->calls, (struct fm_record_ref){l, a - 1});
            left[1]--;
        }
    }
}

/* Lists those of the process, in the order of their Enter. */
static void list_calls(struct fm_collective_walk *walk)
{
    const struct fm_trace *trace = walk->trace;
    const struct fm_process *process = &trace->processes[walk->process];
    memset(walk->next_of_kind, 0, sizeof walk->next_of_kind);
    for (uint32_t t = 0; t < process->location_count; t++) {
        list_calls_of(walk, process->first_location + t);
    }
    struct fm_record_ref *calls = walk->calls.items;
    for (size_t i = 1; i < walk->calls.count; i++) {
        const struct fm_record_ref moved = calls[i];
        const uint64_t enter = trace->locations[moved.location].enter.items[moved.row];
        size_t hole = i;
        while (hole > 0 &&
               trace->locations[calls[hole - 1].location].enter.items[calls[hole - 1].row] >
                   enter) {
            calls[hole] = calls[hole - 1];
            hole--;
        }
        calls[hole] = moved;
    }
    for (size_t i = 0; i < walk->calls.count; i++) {
        fm_vector_push(&walk->has_record, false);
        walk->without_record +=
            fm_trace_called(trace, &trace->locations[calls[i].location], calls[i].row)->paradigm ==
            FM_PARADIGM_MPI;
    }
}

/* @return whether a communicator has `size` members, all of one world */
static bool is_of_world(const struct fm_trace *trace, const struct fm_communicator *communicator,
                        uint32_t world, uint32_t size)
{
    if (communicator->is_self || communicator->size != size ||
        communicator->first_group_size != size) {
        return false;
    }
    for (uint32_t i = 0; i < size && size < trace->process_count; i++) {
        if (communicator->members[i] == FM_NONE ||
            trace->processes[communicator->members[i]].world != world) {
            return false;
        }
    }
    return true;
}

/* @return the first communicator of all processes of a world, or FM_NONE */
static uint32_t find_world(const struct fm_trace *trace, uint32_t world, uint32_t size)
{
    for (uint32_t c = 0; size > 1 && c < trace->communicator_count; c++) {
        if (is_of_world(trace, &trace->communicators[c], world, size)) {
            return c;
        }
    }
    return FM_NONE;
}

static void find_worlds(struct fm_collective_walk *walk, const struct fm_trace *trace)
{
    FM_VECTOR(uint32_t) sizes = {0};
    for (uint32_t p = 0; p < trace->process_count; p++) {
        while (sizes.count <= trace->processes[p].world) {
            fm_vector_push(&sizes, 0);
        }
        sizes.items[trace->processes[p].world]++;
    }
    walk->worlds.count = 0;
    for (uint32_t world = 0; world < sizes.count; world++) {
        fm_vector_push(&walk->worlds, find_world(trace, world, sizes.items[world]));
    }
    fm_vector_free(&sizes);
}

void fm_collective_walk_begin(struct fm_collective_walk *walk, const struct fm_trace *trace,
                              uint32_t process)
{
    if (walk->trace != trace) {
        find_worlds(walk, trace);
    }
    walk->trace = trace;
    walk->world = walk->worlds.items[trace->processes[process].world];
    walk->process = process;
    fm_map_clear(&walk->membership_of);
    walk->memberships.count = 0;
    walk->calls.count = walk->has_record.count = walk->next_call = 0;
    if (walk->world != FM_NONE && fm_trace_rank(trace, walk->world, process) != FM_NONE) {
        list_calls(walk);
    }
    fm_gaps_begin(&walk->gaps, trace, process);
    fm_record_merge_begin(&walk->merge, trace, process, collective_count, collective_start);
}

/* @return the scope of a persistent collective: its communicator and number. Numbers that differ by
 * 2^24 share a scope, in which the order of their starts matters. */
static uint64_t persistent_scope(uint32_t communicator, uint32_t persistent)
{
    return (uint64_t)(persistent & 0xffffffU) << 32 | communicator;
}

/* @return the membership for the operations of a programming model on a communicator, or (unless
 * `window` is FM_NONE) on a window with this communicator, or (unless `persistent` is FM_NONE) for
 * the starts of a persistent collective */
static struct fm_membership *find_membership(struct fm_collective_walk *walk,
                                             fm_paradigm_t paradigm, uint32_t communicator,
                                             uint32_t window, uint32_t persistent)
{
    const uint64_t key = window != FM_NONE       ? (uint64_t)FM_SERIES_LIBRARIES << 56 | window
                         : persistent != FM_NONE ? (uint64_t)(FM_SERIES_LIBRARIES + 1) << 56 |
                                                       persistent_scope(communicator, persistent)
                                                 : (uint64_t)paradigm << 56 | communicator;
    if (walk->recent < walk->memberships.count &&
        walk->memberships.items[walk->recent].key == key) {
        return &walk->memberships.items[walk->recent];
    }
    uint32_t next = (uint32_t)walk->memberships.count;
    walk->recent = *fm_map_at(&walk->membership_of, key, next);
    if (walk->recent == next) {
        uint32_t rank = fm_trace_rank(walk->trace, communicator, walk->process);
        fm_vector_push(&walk->memberships, (struct fm_membership){.key = key, .rank = rank});
    }
    return &walk->memberships.items[walk->recent];
}

static void skip_gaps(struct fm_collective_walk *walk, uint64_t time)
{
    const struct fm_unrecorded *gap;
    while ((gap = fm_gaps_before(&walk->gaps, time)) != NULL) {
        struct fm_membership *membership = NULL;
        if (gap->series == FM_SERIES_COLLECTIVES) {
            membership = find_membership(walk, FM_PARADIGM_MPI, gap->reference, FM_NONE, gap->peer);
        } else if (gap->series == FM_SERIES_WINDOW_COLLECTIVES &&
                   walk->trace->windows[gap->reference].communicator != FM_NONE) {
            membership = find_membership(walk, FM_PARADIGM_USER,
                                         walk->trace->windows[gap->reference].communicator,
                                         gap->reference, FM_NONE);
        }
        if (membership != NULL) {
            membership->next_ordinal[FM_SERIES_USE] += (uint32_t)gap->count;
        }
    }
}

/* Notes a collective record of Init or Finalize, of which a call may have several. */
static void note_record(struct fm_collective_walk *walk, uint32_t location, uint32_t activity)
{
    for (size_t i = 0; i < walk->calls.count; i++) {
        const struct fm_record_ref *call = &walk->calls.items[i];
        if (call->location == location && call->row == activity && !walk->has_record.items[i]) {
            walk->has_record.items[i] = true;
            walk->without_record--;
        }
    }
}

static void take_call(struct fm_collective_walk *walk, struct fm_member *member)
{
    const struct fm_record_ref call = walk->calls.items[walk->next_call++];
    const struct fm_location *location = &walk->trace->locations[call.location];
    const struct fm_region *called = fm_trace_called(walk->trace, location, call.row);
    const fm_call_t kind = called->call;
    const bool ends = kind == FM_CALL_FINALIZE;
    *member = (struct fm_member){
        .enter = location->enter.items[call.row],
        .start_leave = location->leave.items[call.row],
        .wait_enter = location->enter.items[call.row],
        .leave = location->leave.items[call.row],
        .scope = walk->world,
        .ordinal = walk->next_of_kind[ends][called->paradigm]++,
        .communicator = walk->world,
        .rank = fm_trace_rank(walk->trace, walk->world, walk->process),
        .process = walk->process,
        .start_location = call.location,
        .start_activity = call.row,
        .wait_location = call.location,
        .wait_activity = call.row,
        .root = OTF2_COLLECTIVE_ROOT_NONE,
        .init = FM_NONE,
        .call = (uint8_t)kind,
        .series = series_of(called->paradigm, ends ? FM_SERIES_FINALIZE : FM_SERIES_INIT),
    };
}

bool fm_collective_walk_next(struct fm_collective_walk *walk, struct fm_member *member)
{
    if (walk->next_call < walk->calls.count) {
        take_call(walk, member);
        return true;
    }
    const struct fm_trace *trace = walk->trace;
    struct fm_record_ref record;
    while (fm_record_merge_next(&walk->merge, &record)) {
        const struct fm_location *location = &trace->locations[record.location];
        const struct fm_collective *part = &location->collectives.items[record.row];
        const struct fm_region *called = fm_trace_called(trace, location, part->start);
        walk->counts_bytes |= part->moved_bytes && part->operation != FM_OPERATION_UNKNOWN;
        if (part->communicator == FM_NONE || trace->communicators[part->communicator].size < 2 ||
            !fm_is_library(called->paradigm)) {
            continue;
        }
        if (walk->world != FM_NONE && is_of_run(called->call) &&
            !is_of_spawn(trace, called, part->communicator)) {
            if (called->paradigm == FM_PARADIGM_MPI) {
                note_record(walk, record.location, part->start);
            }
            continue;
        }
        if (fm_gaps_ahead(&walk->gaps)) {
            skip_gaps(walk, location->enter.items[part->start]);
        }
        struct fm_membership *membership = find_membership(
            walk, called->paradigm, part->communicator, part->window, part->persistent);
        if (membership->rank == FM_NONE) {
            continue;
        }
        const uint8_t call = call_of(trace, location, part);
        const bool persistent = part->persistent != FM_NONE;
        const unsigned kind =
            call == FM_CALL_DETACHED_COMMUNICATOR ? FM_SERIES_CREATION : FM_SERIES_USE;
        const bool on_window = part->window != FM_NONE;
        const struct fm_location *waiting = &trace->locations[part->complete_location];
        *member = (struct fm_member){
            .enter = location->enter.items[part->start],
            .start_leave = location->leave.items[part->start],
            .wait_enter = fm_trace_begin(waiting, part->complete),
            .leave = waiting->leave.items[part->complete],
            .scope = on_window    ? part->window
                     : persistent ? persistent_scope(part->communicator, part->persistent)
                                  : part->communicator,
            .ordinal = membership->next_ordinal[kind]++,
            .communicator = part->communicator,
            .rank = membership->rank,
            .process = walk->process,
            .start_location = record.location,
            .start_activity = part->start,
            .wait_location = part->complete_location,
            .wait_activity = part->complete,
            .root = part->root,
            .call = call,
            .series = series_of(called->paradigm, on_window    ? FM_SERIES_ON_WINDOW
                                                  : persistent ? FM_SERIES_PERSISTENT
                                                               : kind),
            .non_blocking = part->non_blocking,
            .moved_bytes = part->moved_bytes,
            .init = part->init,
            .operation = part->operation,
            .size_class = part->size_class,
        };
        return true;
    }
    return false;
}

void fm_collective_walk_free(struct fm_collective_walk *walk)
{
    fm_map_free(&walk->membership_of);
    fm_vector_free(&walk->memberships);
    fm_vector_free(&walk->calls);
    fm_vector_free(&walk->has_record);
    fm_vector_free(&walk->worlds);
    fm_gaps_free(&walk->gaps);
}
