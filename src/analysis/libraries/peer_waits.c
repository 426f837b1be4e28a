/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/libraries/peer_waits.h"

#include "analysis/dependencies/dependencies.h"
#include "analysis/model/group_members.h"
#include "base/containers/map.h"
#include "base/containers/sort.h"
#include "engine/dispatch/dispatch.h"

/* An operation on its way to its target. */
struct update {
    uint64_t enter;
    struct fm_call_ref call;
    uint32_t paradigm;
    uint32_t is_post; /* of an event */
};

/* A call of sync images on its way to a process that it names. */
struct arrival {
    uint64_t enter;
    struct fm_call_ref call;
    uint32_t from;  /* process */
    uint32_t order; /* at its receiver: the k-th arrival; 0 on its way */
};

/* A call of sync images. */
struct sync {
    struct fm_call_ref call;
    size_t first_peer;
    uint32_t peer_count;
};

struct participant {
    bool is_known; /* `waits` lists the calls that wait for updates */
    fm_peer_wait_vector
        waits; /* ascending by location and call; until == 0: no wait is known yet */
    FM_VECTOR(struct sync) syncs;
    FM_VECTOR(uint32_t) peers; /* of them: processes */
    FM_VECTOR(struct arrival) arrivals;
};

struct fm_peer_waits {
    struct fm_analysis *analysis;
    bool any_waits;                   /* the run may have calls that wait for updates */
    struct participant *participants; /* by process */
    struct fm_group_members *members; /* by worker */
    struct fm_dispatch *updates;
    struct fm_dispatch *arrivals;
};

static bool waits(fm_call_t call)
{
    return call == FM_CALL_WAIT_UNTIL || call == FM_CALL_EVENT_WAIT;
}

static bool tests_variable(const struct fm_region *region)
{
    return region->polling.part == FM_POLLING_TEST && region->polling.polled == FM_POLLED_VARIABLE;
}

/* A single test does not wait, a loop of tests does. */
static bool waits_for_update(const struct fm_trace *trace, const struct fm_location *location,
                             uint32_t activity)
{
    const struct fm_region *region = fm_trace_called(trace, location, activity);
    return waits(region->call) ||
           (tests_variable(region) && fm_trace_loop(location, activity) != NULL);
}

/* ---- updates ---- */

static void list_waits(const struct fm_trace *trace, uint32_t process, fm_peer_wait_vector *waits)
{
    const uint32_t end = fm_trace_first_location(trace, process + 1);
    for (uint32_t l = fm_trace_first_location(trace, process); l < end; l++) {
        const struct fm_location *location = &trace->locations[l];
        for (uint32_t a = 0; a < location->enter.count; a++) {
            if (waits_for_update(trace, location, a)) {
                fm_vector_push(waits, (struct fm_peer_wait){.call = {l, a}});
            }
        }
    }
}

/* Makes the update the one that a call waits for, if it lies in the call, comes from another
 * thread and is later: a thread cannot end its own waiting. */
static void offer(const struct fm_trace *trace, struct fm_peer_wait *wait,
                  const struct update *update)
{
    const struct fm_region *region =
        fm_trace_called(trace, &trace->locations[wait->call.location], wait->call.activity);
    if (update->call.location == wait->call.location ||
        update->enter <= fm_call_begin(trace, wait->call) ||
        update->enter > fm_call_leave(trace, wait->call) ||
        update->paradigm != (uint32_t)region->paradigm ||
        (region->call == FM_CALL_EVENT_WAIT && !update->is_post)) {
        return;
    }
    const bool is_lower = update->call.location != wait->cause.location
                              ? update->call.location < wait->cause.location
                              : update->call.activity < wait->cause.activity;
    if (update->enter > wait->until || (update->enter == wait->until && is_lower)) {
        wait->until = update->enter;
        wait->cause = update->call;
    }
}

/* Offers an update to the calls of its target; handler of `updates`. */
static void take_update(void *context, unsigned worker, uint32_t process, const void *record)
{
    (void)worker;
    struct fm_peer_waits *peers = context;
    const struct fm_trace *trace = peers->analysis->trace;
    const struct update *update = record;
    struct participant *target = &peers->participants[process];
    if (!target->is_known) {
        target->is_known = true;
        list_waits(trace, process, &target->waits);
    }
    struct fm_peer_wait *waits = target->waits.items;
    for (size_t begin = 0, end; begin < target->waits.count; begin = end) {
        /* The last call of this location that was entered before the update. */
        const uint32_t location = waits[begin].call.location;
        size_t low = begin, high = target->waits.count;
        while (low < high) {
            const size_t middle = low + (high - low) / 2;
            if (waits[middle].call.location == location &&
                fm_call_begin(trace, waits[middle].call) < update->enter) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if (low > begin) {
            offer(trace, &waits[low - 1], update);
        }
        end = low > begin ? low : begin + 1;
        while (end < target->waits.count && waits[end].call.location == location) {
            end++;
        }
    }
}

void fm_peer_waits_update(struct fm_peer_waits *peers, unsigned worker, struct fm_call_ref call,
                          uint32_t target)
{
    if (!peers->any_waits) {
        return;
    }
    const struct fm_trace *trace = peers->analysis->trace;
    const struct fm_region *region =
        fm_trace_called(trace, &trace->locations[call.location], call.activity);
    fm_dispatch_send(peers->updates, worker, target,
                     &(struct update){fm_call_enter(trace, call), call, (uint32_t)region->paradigm,
                                      region->call == FM_CALL_EVENT_POST});
}

/* ---- sync images ---- */

/* Keeps the arrival of a process at a sync images; handler of `arrivals`. */
static void take_arrival(void *context, unsigned worker, uint32_t process, const void *record)
{
    (void)worker;
    struct participant *participant = &((struct fm_peer_waits *)context)->participants[process];
    struct arrival arrival = *(const struct arrival *)record;
    arrival.order = (uint32_t)participant->arrivals.count;
    fm_vector_push(&participant->arrivals, arrival);
}

void fm_peer_waits_sync(struct fm_peer_waits *peers, unsigned worker, uint32_t process,
                        struct fm_call_ref call, uint32_t group)
{
    const struct fm_trace *trace = peers->analysis->trace;
    struct participant *participant = &peers->participants[process];
    uint32_t count;
    const uint32_t *named = fm_group_members_of(&peers->members[worker], trace, group, &count);
    struct sync sync = {call, participant->peers.count, 0};
    for (uint32_t i = 0; i < count; i++) {
        if (named[i] != process) {
            fm_vector_push(&participant->peers, named[i]);
            fm_dispatch_send(peers->arrivals, worker, named[i],
                             &(struct arrival){fm_call_enter(trace, call), call, process, 0});
            sync.peer_count++;
        }
    }
    fm_vector_push(&participant->syncs, sync);
}

static int compare_arrivals(const void *a, const void *b)
{
    const struct arrival *left = a, *right = b;
    if (left->from != right->from) {
        return left->from < right->from ? -1 : 1;
    }
    return left->order < right->order ? -1 : left->order > right->order;
}

/* The arrivals of one process that are not matched yet. */
struct stream {
    size_t next, end;
};

/* Matches the k-th call that names a process with the k-th call of this process that names ours;
 * the latest arrival ends the wait, of simultaneous ones that of the lowest location. */
static void match_syncs(const struct fm_analysis *analysis, unsigned worker,
                        struct participant *participant)
{
    fm_sort(participant->arrivals.items, participant->arrivals.count,
            sizeof *participant->arrivals.items, compare_arrivals);
    const struct arrival *arrivals = participant->arrivals.items;
    struct fm_map stream_of = {0};
    FM_VECTOR(struct stream) streams = {0};
    for (size_t i = 0; i < participant->arrivals.count; i++) {
        if (i == 0 || arrivals[i].from != arrivals[i - 1].from) {
            *fm_map_at(&stream_of, arrivals[i].from, 0) = (uint32_t)streams.count;
            fm_vector_push(&streams, (struct stream){i, i});
        }
        streams.items[streams.count - 1].end = i + 1;
    }
    for (size_t s = 0; s < participant->syncs.count; s++) {
        const struct sync *sync = &participant->syncs.items[s];
        struct fm_peer_wait wait = {0, sync->call, {FM_NONE, FM_NONE}};
        for (uint32_t i = 0; i < sync->peer_count; i++) {
            const uint32_t index =
                fm_map_get(&stream_of, participant->peers.items[sync->first_peer + i]);
            struct stream *stream = index == FM_MAP_ABSENT ? NULL : &streams.items[index];
            if (stream == NULL || stream->next == stream->end) {
                continue;
            }
            const struct arrival *arrival = &arrivals[stream->next++];
            if (analysis->dependencies != NULL) {
                fm_depend(analysis, worker, sync->call, fm_awaited_enter(arrival->call),
                          FM_DEPENDS_ON_PEER);
            }
            if (wait.cause.location == FM_NONE || arrival->enter > wait.until ||
                (arrival->enter == wait.until && arrival->call.location < wait.cause.location)) {
                wait.until = arrival->enter;
                wait.cause = arrival->call;
            }
        }
        if (wait.cause.location != FM_NONE) {
            fm_vector_push(&participant->waits, wait);
        }
    }
    fm_map_free(&stream_of);
    fm_vector_free(&streams);
    fm_vector_free(&participant->arrivals);
    fm_vector_free(&participant->syncs);
    fm_vector_free(&participant->peers);
}

/* ---- all ---- */

struct fm_peer_waits *fm_peer_waits_create(struct fm_analysis *analysis)
{
    const struct fm_trace *trace = analysis->trace;
    struct fm_peer_waits *peers = fm_allocate(1, sizeof *peers);
    *peers = (struct fm_peer_waits){
        .analysis = analysis,
        .participants = fm_allocate(trace->process_count, sizeof *peers->participants),
        .members = fm_allocate(fm_engine_workers(analysis->engine), sizeof *peers->members),
        .updates = fm_dispatch_create(analysis->engine, sizeof(struct update), take_update, peers),
        .arrivals =
            fm_dispatch_create(analysis->engine, sizeof(struct arrival), take_arrival, peers),
    };
    for (uint32_t i = 0; i < trace->region_count; i++) {
        peers->any_waits |= waits(trace->regions[i].call) || tests_variable(&trace->regions[i]);
    }
    return peers;
}

void fm_peer_waits_free(struct fm_peer_waits *peers)
{
    if (peers == NULL) {
        return;
    }
    for (uint32_t p = 0; p < peers->analysis->trace->process_count; p++) {
        fm_vector_free(&peers->participants[p].waits);
    }
    for (unsigned w = 0; w < fm_engine_workers(peers->analysis->engine); w++) {
        fm_group_members_free(&peers->members[w]);
    }
    fm_dispatch_free(peers->updates);
    fm_dispatch_free(peers->arrivals);
    fm_free(peers->members);
    fm_free(peers->participants);
    fm_free(peers);
}

static void drop_others(fm_peer_wait_vector *waits)
{
    size_t kept = 0;
    for (size_t i = 0; i < waits->count; i++) {
        if (waits->items[i].until != 0) {
            waits->items[kept++] = waits->items[i];
        }
    }
    waits->count = kept;
}

static void finish(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct fm_peer_waits *peers = context;
    for (uint32_t process = first; process < last; process++) {
        fm_peer_wait_vector *waits = &peers->participants[process].waits;
        drop_others(waits);
        for (size_t i = 0; peers->analysis->dependencies != NULL && i < waits->count; i++) {
            fm_depend(peers->analysis, worker, waits->items[i].call,
                      fm_awaited_enter(waits->items[i].cause), FM_DEPENDS_ON_PEER);
        }
        match_syncs(peers->analysis, worker, &peers->participants[process]);
    }
}

void fm_peer_waits_close(struct fm_peer_waits *peers)
{
    fm_dispatch_deliver(peers->updates);
    fm_dispatch_deliver(peers->arrivals);
    fm_engine_run(peers->analysis->engine, finish, peers);
}

const fm_peer_wait_vector *fm_peer_waits_of(const struct fm_peer_waits *peers, uint32_t process)
{
    return &peers->participants[process].waits;
}
