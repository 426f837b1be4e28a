/* SPDX-License-Identifier: BSD-3-Clause */
#include "timeline/transfers.h"

#include "analysis/model/call_ref.h"
#include "base/containers/map.h"
#include "base/memory.h"

#define END_OF_LIST (UINT32_MAX - 1)

/* Calls that end exposure epochs: a list for each (process, window, partner), where the partner is
 * an origin or, for fences, all processes. */
struct exposures {
    FM_VECTOR(struct fm_call_ref) calls;
    FM_VECTOR(uint32_t) next;  /* position of the next epoch in the same list, or END_OF_LIST */
    struct fm_map number;      /* (process, window) -> number */
    struct fm_map first, last; /* (number, partner) -> position */
};

#define EVERYBODY UINT32_C(0xfffffff0)

static uint64_t list_key(struct exposures *exposures, uint32_t process, uint32_t window,
                         uint32_t partner)
{
    uint32_t number = *fm_map_at(&exposures->number, (uint64_t)window << 32 | process,
                                 (uint32_t)exposures->number.count);
    return (uint64_t)number << 32 | partner;
}

static void add_exposure(struct exposures *exposures, uint32_t process, uint32_t window,
                         uint32_t partner, struct fm_call_ref call)
{
    uint64_t key = list_key(exposures, process, window, partner);
    uint32_t position = (uint32_t)exposures->calls.count;
    fm_vector_push(&exposures->calls, call);
    fm_vector_push(&exposures->next, END_OF_LIST);
    if (fm_map_get(&exposures->first, key) == FM_MAP_ABSENT) {
        fm_map_insert(&exposures->first, key, position);
    }
    uint32_t *last = fm_map_at(&exposures->last, key, position);
    if (*last != position) {
        exposures->next.items[*last] = position;
        *last = position;
    }
}

static fm_call_t call_of(const struct fm_trace *trace, const struct fm_location *location,
                         const struct fm_rma *rma)
{
    return fm_trace_called(trace, location, rma->activity)->call;
}

static const struct fm_group *group_of(const struct fm_trace *trace, const struct fm_rma *rma)
{
    return rma->type == FM_RMA_GROUP_SYNC && rma->peer < trace->group_count
               ? &trace->groups[rma->peer]
               : NULL;
}

static void collect_exposures(struct exposures *exposures, const struct fm_trace *trace,
                              uint32_t index)
{
    const struct fm_location *location = &trace->locations[index];
    for (size_t i = 0; i < location->rma.count; i++) {
        const struct fm_rma *rma = &location->rma.items[i];
        const struct fm_group *group = group_of(trace, rma);
        const struct fm_call_ref ended_by = {index, rma->activity};
        if (rma->type == FM_RMA_COLLECTIVE) {
            add_exposure(exposures, location->process, rma->window, EVERYBODY, ended_by);
        }
        for (uint32_t g = 0; group != NULL && g < group->size; g++) {
            if (call_of(trace, location, rma) == FM_CALL_WAIT) {
                add_exposure(exposures, location->process, rma->window, group->processes[g],
                             ended_by);
            }
        }
    }
}

/* ---- origins ---- */

/* Position of a target in its sequence of fences; it advances only when there are transfers to the
 * target. */
struct cursor {
    uint32_t position; /* position of the next fence, or END_OF_LIST */
    uint32_t passed;   /* number of passed fences */
};

/* State of a walk through the calls of an origin. */
struct walk {
    const struct fm_trace *trace;
    struct exposures *exposures;
    fm_transfers *transfers;
    const struct fm_location *location;
    struct fm_map accesses; /* (window, target) -> position of the next exposure epoch */
    struct fm_map passed;   /* window -> number of collectives that this origin has passed */
    struct fm_map cursors;  /* (window, target) -> position in `fences` */
    FM_VECTOR(struct cursor) fences;
    FM_VECTOR(uint32_t) open; /* incomplete transfers of MPI */
    struct fm_map last; /* outside of MPI: id -> the last operation with it that is not complete */
};

static const struct fm_call_ref no_call = {FM_NONE, FM_NONE};

/* Removes the exposure epoch of `target` that matches the next access epoch. @return the call that
 * ends it, or no_call */
static struct fm_call_ref take_exposure(struct walk *walk, uint32_t target, uint32_t window)
{
    struct exposures *exposures = walk->exposures;
    uint32_t first =
        fm_map_get(&exposures->first, list_key(exposures, target, window, walk->location->process));
    uint32_t *next = fm_map_at(&walk->accesses, (uint64_t)window << 32 | target,
                               first == FM_MAP_ABSENT ? END_OF_LIST : first);
    if (*next == END_OF_LIST) {
        return no_call;
    }
    uint32_t position = *next;
    *next = exposures->next.items[position];
    return exposures->calls.items[position];
}

/* @return the fence of `target` with this number, or no_call */
static struct fm_call_ref find_fence(struct walk *walk, uint32_t target, uint32_t window,
                                     uint32_t number)
{
    struct exposures *exposures = walk->exposures;
    uint32_t next = (uint32_t)walk->fences.count;
    uint32_t index = *fm_map_at(&walk->cursors, (uint64_t)window << 32 | target, next);
    if (index == next) {
        uint32_t first =
            fm_map_get(&exposures->first, list_key(exposures, target, window, EVERYBODY));
        fm_vector_push(&walk->fences,
                       (struct cursor){first == FM_MAP_ABSENT ? END_OF_LIST : first, 0});
    }
    struct cursor *cursor = &walk->fences.items[index];
    for (; cursor->position != END_OF_LIST && cursor->passed < number; cursor->passed++) {
        cursor->position = exposures->next.items[cursor->position];
    }
    return cursor->position == END_OF_LIST ? no_call : exposures->calls.items[cursor->position];
}

/* @param target_end  call at the target, or no_call */
static void end_transfer(struct fm_transfer *transfer, uint32_t origin_end,
                         struct fm_call_ref target_end)
{
    transfer->origin_end = origin_end;
    transfer->target_end = target_end.activity;
    if (target_end.location != FM_NONE) {
        transfer->target = target_end.location;
    }
}

/* Ends the open transfers to `target` (FM_NONE: to all targets) of a window.
 * @param target_end  call at the target; no_call: passive target */
static void end_transfers(struct walk *walk, const struct fm_rma *rma, uint32_t target,
                          struct fm_call_ref target_end)
{
    size_t kept = 0;
    for (size_t i = 0; i < walk->open.count; i++) {
        struct fm_transfer *transfer = &walk->transfers->items[walk->open.items[i]];
        uint32_t process = walk->trace->locations[transfer->target].process;
        if (transfer->window == rma->window && (target == FM_NONE || target == process)) {
            end_transfer(transfer, rma->activity, target_end);
        } else {
            walk->open.items[kept++] = walk->open.items[i];
        }
    }
    walk->open.count = kept;
}

static void pass_fence(struct walk *walk, const struct fm_rma *rma)
{
    uint32_t *passed = fm_map_at(&walk->passed, rma->window, 0);
    uint32_t number = (*passed)++;
    size_t kept = 0;
    for (size_t i = 0; i < walk->open.count; i++) {
        struct fm_transfer *transfer = &walk->transfers->items[walk->open.items[i]];
        if (transfer->window == rma->window) {
            uint32_t target = walk->trace->locations[transfer->target].process;
            end_transfer(transfer, rma->activity, find_fence(walk, target, rma->window, number));
        } else {
            walk->open.items[kept++] = walk->open.items[i];
        }
    }
    walk->open.count = kept;
}

static void pass_complete(struct walk *walk, const struct fm_rma *rma, const struct fm_group *group)
{
    for (uint32_t g = 0; g < group->size; g++) {
        uint32_t target = group->processes[g];
        end_transfers(walk, rma, target, take_exposure(walk, target, rma->window));
    }
}

/* Ends the transfers that an unlock or a flush of all targets completes without a call of the
 * target. */
static void pass_passive(struct walk *walk, const struct fm_rma *rma, fm_call_t call)
{
    if (rma->type == FM_RMA_LOCK_RELEASE) {
        uint32_t target =
            rma->peer == FM_NONE
                ? FM_NONE
                : fm_trace_member(walk->trace, walk->trace->windows[rma->window].communicator,
                                  rma->peer, walk->location->process);
        end_transfers(walk, rma, target, no_call);
    } else if (rma->type == FM_RMA_DONE_REMOTELY && call == FM_CALL_FLUSH_ALL) {
        end_transfers(walk, rma, FM_NONE, no_call);
    }
}

static bool is_of_mpi(const struct walk *walk, const struct fm_rma *rma)
{
    return fm_trace_called(walk->trace, walk->location, rma->activity)->paradigm == FM_PARADIGM_MPI;
}

static void begin_transfer(struct walk *walk, const struct fm_rma *rma, uint32_t index,
                           uint32_t number)
{
    const struct fm_trace *trace = walk->trace;
    uint32_t communicator = trace->windows[rma->window].communicator;
    uint32_t target = fm_trace_member(trace, communicator, rma->peer, walk->location->process);
    uint32_t rank = fm_trace_rank(trace, communicator, walk->location->process);
    if (target == FM_NONE || target == walk->location->process || rank == FM_NONE) {
        return;
    }
    uint32_t previous = FM_NONE;
    if (is_of_mpi(walk, rma)) {
        fm_vector_push(&walk->open, (uint32_t)walk->transfers->count);
    } else {
        uint32_t *last = fm_map_at(&walk->last, rma->id, FM_NONE);
        previous = *last;
        *last = (uint32_t)walk->transfers->count;
    }
    fm_vector_push(walk->transfers, (struct fm_transfer){
                                        .origin = index,
                                        .number = number,
                                        .start = rma->activity,
                                        .origin_end = FM_NONE,
                                        .target = trace->processes[target].first_location,
                                        .target_end = FM_NONE,
                                        .window = rma->window,
                                        .origin_rank = rank,
                                        .target_rank = rma->peer,
                                        .id = rma->id,
                                        .previous = previous,
                                        .type = rma->type,
                                    });
}

/* Ends the open gets of MPI that a record names: their data are at the origin. */
static void complete_gets(struct walk *walk, const struct fm_rma *rma)
{
    size_t kept = 0;
    for (size_t i = 0; i < walk->open.count; i++) {
        struct fm_transfer *transfer = &walk->transfers->items[walk->open.items[i]];
        if (transfer->type == FM_RMA_GET && transfer->window == rma->window &&
            transfer->id == rma->id) {
            transfer->origin_end = rma->activity;
        } else {
            walk->open.items[kept++] = walk->open.items[i];
        }
    }
    walk->open.count = kept;
}

/* A completion outside of MPI. Operations of one kind share an id, so those that wait for another
 * completion are not looked at: each is looked at once or twice. */
static void complete_by_record(struct walk *walk, const struct fm_rma *rma)
{
    bool is_remote = rma->type == FM_RMA_DONE_REMOTELY;
    uint32_t *last = fm_map_at(&walk->last, rma->id, FM_NONE);
    if (*last == FM_NONE || (!is_remote && walk->transfers->items[*last].type != FM_RMA_GET)) {
        return;
    }
    for (uint32_t next = *last; next != FM_NONE; next = walk->transfers->items[next].previous) {
        struct fm_transfer *transfer = &walk->transfers->items[next];
        if (transfer->origin_end == FM_NONE && (is_remote || transfer->type == FM_RMA_GET)) {
            transfer->origin_end = rma->activity;
        }
    }
    *last = is_remote ? FM_NONE : *last;
}

/* The record of a flush of one target contains no target. Its completion records identify its
 * operations; all of them have the same target, so the last one is used. */
static void pass_flush(struct walk *walk, const struct fm_rma *rma, const struct fm_map *target_of)
{
    uint32_t target = fm_map_get(target_of, rma->id);
    if (target != FM_MAP_ABSENT) {
        end_transfers(walk, rma, target, no_call);
    }
}

static void follow(struct walk *walk, uint32_t index)
{
    struct fm_map target_of = {0}; /* id of an operation -> target process */
    uint32_t number = 0;
    for (size_t i = 0; i < walk->location->rma.count; i++) {
        const struct fm_rma *rma = &walk->location->rma.items[i];
        if (rma->window >= walk->trace->window_count) {
            number += rma->type <= FM_RMA_ATOMIC;
            continue;
        }
        fm_call_t call = call_of(walk->trace, walk->location, rma);
        const struct fm_group *group = group_of(walk->trace, rma);
        if (rma->type <= FM_RMA_ATOMIC) {
            begin_transfer(walk, rma, index, number++);
            uint32_t target =
                fm_trace_member(walk->trace, walk->trace->windows[rma->window].communicator,
                                rma->peer, walk->location->process);
            *fm_map_at(&target_of, rma->id, 0) = target == FM_NONE ? 0 : target;
        } else if (!is_of_mpi(walk, rma)) {
            if (rma->type == FM_RMA_DONE_LOCALLY || rma->type == FM_RMA_DONE_REMOTELY) {
                complete_by_record(walk, rma);
            }
        } else if (rma->type == FM_RMA_DONE_LOCALLY) {
            complete_gets(walk, rma);
        } else if (rma->type == FM_RMA_COLLECTIVE) {
            pass_fence(walk, rma);
        } else if (group != NULL && call == FM_CALL_COMPLETE) {
            pass_complete(walk, rma, group);
        } else if (rma->type == FM_RMA_DONE_REMOTELY && call == FM_CALL_FLUSH) {
            pass_flush(walk, rma, &target_of);
        } else {
            pass_passive(walk, rma, call);
        }
    }
    fm_map_free(&target_of);
}

fm_transfers fm_transfers_find(const struct fm_trace *trace)
{
    fm_transfers transfers = {0};
    struct exposures exposures = {0};
    for (uint32_t l = 0; l < trace->location_count; l++) {
        collect_exposures(&exposures, trace, l);
    }
    for (uint32_t l = 0; l < trace->location_count; l++) {
        struct walk walk = {.trace = trace,
                            .exposures = &exposures,
                            .transfers = &transfers,
                            .location = &trace->locations[l]};
        follow(&walk, l);
        fm_map_free(&walk.accesses);
        fm_map_free(&walk.passed);
        fm_map_free(&walk.cursors);
        fm_vector_free(&walk.fences);
        fm_vector_free(&walk.open);
        fm_map_free(&walk.last);
    }
    fm_vector_free(&exposures.calls);
    fm_vector_free(&exposures.next);
    fm_map_free(&exposures.number);
    fm_map_free(&exposures.first);
    fm_map_free(&exposures.last);
    return transfers;
}
