/* SPDX-License-Identifier: BSD-3-Clause */
#include "sor_archive.h"

#include "sor_definitions.h"

#include <stdlib.h>

#define EVENT_CHUNK       ((uint64_t)1 << 20)
#define DEFINITION_CHUNK  ((uint64_t)256 << 10)
#define TAG               1
#define COLLECTIVE_EVENTS 4
#define BORDER_BYTES      8192
#define SKEW_STEP                                                                                  \
    1000 /* nanoseconds that the clock of a node is ahead of that of the one before                \
          */
#define SKEWED_NODES 8

/* One location that is being written. Records are written at `now`; `code` is the first failure,
 * after which nothing more is written. */
struct location {
    const struct sor_simulation *simulation;
    OTF2_EvtWriter *writer;
    uint32_t rank;
    uint32_t neighbors[SOR_MAX_NEIGHBORS];
    uint32_t neighbor_count;
    uint32_t local_regions[SOR_REGION_COUNT];
    uint64_t skew; /* difference of the node's clock to the reference clock */
    uint64_t now;
    uint64_t next_request;
    uint64_t next_operation;
    uint64_t events;
    OTF2_ErrorCode code;
};

/* Writes a record of `location` at its current time. */
#define RECORD(location, kind, ...)                                                                \
    do {                                                                                           \
        if ((location)->code == OTF2_SUCCESS) {                                                    \
            (location)->code = OTF2_EvtWriter_##kind(                                              \
                (location)->writer, NULL,                                                          \
                (location)->now + (location)->skew __VA_OPT__(, ) __VA_ARGS__);                    \
            ++(location)->events;                                                                  \
        }                                                                                          \
    } while (0)

static void enter(struct location *location, enum sor_region region)
{
    RECORD(location, Enter, location->local_regions[region]);
}

static void leave(struct location *location, enum sor_region region)
{
    RECORD(location, Leave, location->local_regions[region]);
}

/* Ends a call that waited until `end` or did not wait. */
static void leave_at(struct location *location, enum sor_region region, uint64_t end)
{
    location->now = end;
    leave(location, region);
}

static void leave_at_once(struct location *location, enum sor_region region)
{
    leave_at(location, region, location->now + SOR_CALL);
}

static void write_collective(struct location *location, enum sor_region region, uint64_t end,
                             OTF2_CollectiveOp operation, uint64_t bytes)
{
    enter(location, region);
    RECORD(location, MpiCollectiveBegin);
    location->now = end;
    RECORD(location, MpiCollectiveEnd, operation, SOR_WORLD_COMM, OTF2_COLLECTIVE_ROOT_NONE, bytes,
           bytes);
    leave(location, region);
}

/* ---- exchanges; each ends at step->done ---- */

static void write_messages(struct location *location, const struct sor_step *step)
{
    uint64_t first = location->next_request;
    for (uint32_t i = 0; i < location->neighbor_count; ++i) {
        enter(location, SOR_REGION_IRECV);
        RECORD(location, MpiIrecvRequest, location->next_request++);
        leave_at_once(location, SOR_REGION_IRECV);
    }
    for (uint32_t i = 0; i < location->neighbor_count; ++i) {
        enter(location, SOR_REGION_ISEND);
        RECORD(location, MpiIsend, location->neighbors[i], SOR_WORLD_COMM, TAG, BORDER_BYTES,
               location->next_request++);
        leave_at_once(location, SOR_REGION_ISEND);
    }
    enter(location, SOR_REGION_WAITALL);
    location->now = step->done;
    for (uint32_t i = 0; i < location->neighbor_count; ++i) {
        RECORD(location, MpiIrecv, location->neighbors[i], SOR_WORLD_COMM, TAG, BORDER_BYTES,
               first + i);
    }
    for (uint32_t i = 0; i < location->neighbor_count; ++i) {
        RECORD(location, MpiIsendComplete, first + location->neighbor_count + i);
    }
    leave(location, SOR_REGION_WAITALL);
}

static void write_put(struct location *location, uint32_t target)
{
    enter(location, SOR_REGION_PUT);
    RECORD(location, RmaPut, SOR_WINDOW, target, BORDER_BYTES, location->next_operation++);
    leave_at_once(location, SOR_REGION_PUT);
}

/* Completion records of the last `count` operations. */
static void write_completions(struct location *location, uint32_t count)
{
    for (uint32_t i = count; i > 0; --i) {
        RECORD(location, RmaOpCompleteRemote, SOR_WINDOW, location->next_operation - i);
    }
}

static void write_puts(struct location *location)
{
    for (uint32_t i = 0; i < location->neighbor_count; ++i) {
        write_put(location, location->neighbors[i]);
    }
}

static void write_fence(struct location *location, uint32_t operations, uint64_t end)
{
    enter(location, SOR_REGION_FENCE);
    RECORD(location, RmaCollectiveBegin);
    location->now = end;
    write_completions(location, operations);
    RECORD(location, RmaCollectiveEnd, OTF2_COLLECTIVE_OP_BARRIER,
           OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY, SOR_WINDOW,
           OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
    leave(location, SOR_REGION_FENCE);
}

/* Opens epochs (Win_post, Win_start). */
static void write_opening(struct location *location, enum sor_region region, uint64_t end)
{
    enter(location, region);
    location->now = end;
    RECORD(location, RmaGroupSync, OTF2_RMA_SYNC_LEVEL_PROCESS, SOR_WINDOW,
           sor_neighbor_group(location->rank));
    leave(location, region);
}

/* Closes epochs (Win_complete, Win_wait). */
static void write_closing(struct location *location, enum sor_region region, uint32_t operations,
                          uint64_t end)
{
    enter(location, region);
    location->now = end;
    write_completions(location, operations);
    RECORD(location, RmaGroupSync, OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY,
           SOR_WINDOW, sor_neighbor_group(location->rank));
    leave(location, region);
}

static void write_epochs(struct location *location, const struct sor_step *step)
{
    write_opening(location, SOR_REGION_POST, location->now + SOR_CALL);
    write_opening(location, SOR_REGION_START, step->opened);
    write_puts(location);
    write_closing(location, SOR_REGION_COMPLETE, location->neighbor_count,
                  location->now + SOR_CALL);
    write_closing(location, SOR_REGION_WAIT, 0, step->done);
}

static void write_locks(struct location *location, const struct sor_step *step,
                        const uint64_t granted[SOR_MAX_NEIGHBORS])
{
    for (uint32_t i = 0; i < location->neighbor_count; ++i) {
        uint32_t target = location->neighbors[i];
        enter(location, SOR_REGION_LOCK);
        RECORD(location, RmaRequestLock, SOR_WINDOW, target, target, OTF2_LOCK_EXCLUSIVE);
        leave_at(location, SOR_REGION_LOCK, granted[i]);
        write_put(location, target);
        enter(location, SOR_REGION_UNLOCK);
        location->now += SOR_CALL;
        write_completions(location, 1);
        RECORD(location, RmaReleaseLock, SOR_WINDOW, target, target);
        leave(location, SOR_REGION_UNLOCK);
    }
    write_collective(location, SOR_REGION_BARRIER, step->done, OTF2_COLLECTIVE_OP_BARRIER, 0);
}

/* ---- the whole run ---- */

static void write_begin(struct location *location)
{
    const struct sor_problem *problem = &location->simulation->problem;
    location->now = 1000 + location->rank % 1000;
    enter(location, SOR_REGION_MAIN);
    enter(location, SOR_REGION_INIT);
    leave_at(location, SOR_REGION_INIT, SOR_INIT_END);
    if (!sor_sends_messages(problem)) {
        location->now += location->rank % 1000;
        enter(location, SOR_REGION_WIN_CREATE);
        RECORD(location, RmaCollectiveBegin);
        location->now = SOR_CREATE_END;
        RECORD(location, RmaWinCreate, SOR_WINDOW);
        RECORD(location, RmaCollectiveEnd, OTF2_COLLECTIVE_OP_CREATE_HANDLE,
               OTF2_RMA_SYNC_LEVEL_PROCESS, SOR_WINDOW, OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
        leave(location, SOR_REGION_WIN_CREATE);
    }
    location->now += location->rank % 1000;
    if (problem->variant == SOR_FENCE) {
        write_fence(location, 0, SOR_SOLVE_BEGIN);
    }
    location->now = SOR_SOLVE_BEGIN;
    enter(location, SOR_REGION_SOLVE);
}

static void write_iteration(struct location *location, uint32_t iteration)
{
    const struct sor_simulation *simulation = location->simulation;
    size_t index = (size_t)iteration * simulation->problem.ranks + location->rank;
    const struct sor_step *step = &simulation->steps[index];
    location->now = step->sweep;
    location->neighbor_count =
        sor_neighbors(&simulation->problem, location->rank, iteration, location->neighbors);
    enter(location, SOR_REGION_SWEEP);
    leave_at(location, SOR_REGION_SWEEP, step->exchange);
    switch (simulation->problem.variant) {
    case SOR_P2P:
    case SOR_RARE:
    case SOR_ROTATE:
        write_messages(location, step);
        break;
    case SOR_FENCE:
        write_puts(location);
        write_fence(location, location->neighbor_count, step->done);
        break;
    case SOR_GATS:
        write_epochs(location, step);
        break;
    case SOR_LOCKS:
        write_locks(location, step, simulation->granted[index]);
        break;
    }
    if (sor_reduces(&simulation->problem, iteration)) {
        write_collective(location, SOR_REGION_ALLREDUCE, simulation->reduced[iteration],
                         OTF2_COLLECTIVE_OP_ALLREDUCE, sizeof(double));
    }
}

static void write_end(struct location *location)
{
    const struct sor_simulation *simulation = location->simulation;
    location->now = simulation->solved[location->rank];
    leave(location, SOR_REGION_SOLVE);
    if (!sor_sends_messages(&simulation->problem)) {
        enter(location, SOR_REGION_WIN_FREE);
        RECORD(location, RmaCollectiveBegin);
        location->now = simulation->end + SOR_LATENCY;
        RECORD(location, RmaWinDestroy, SOR_WINDOW);
        RECORD(location, RmaCollectiveEnd, OTF2_COLLECTIVE_OP_DESTROY_HANDLE,
               OTF2_RMA_SYNC_LEVEL_PROCESS, SOR_WINDOW, OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
        leave(location, SOR_REGION_WIN_FREE);
    }
    enter(location, SOR_REGION_FINALIZE);
    leave_at(location, SOR_REGION_FINALIZE, simulation->finalized);
    leave(location, SOR_REGION_MAIN);
}

/* ---- files ---- */

/* The numbers of local regions are permuted differently on every rank. */
static void number_regions(struct location *location)
{
    for (uint32_t i = 0; i < SOR_REGION_COUNT; ++i) {
        location->local_regions[i] = (i + location->rank) % SOR_REGION_COUNT;
    }
}

static OTF2_ErrorCode write_local_definitions(const struct location *location,
                                              OTF2_DefWriter *writer)
{
    uint32_t global[SOR_REGION_COUNT];
    for (uint32_t i = 0; i < SOR_REGION_COUNT; ++i) {
        global[location->local_regions[i]] = i;
    }
    OTF2_IdMap *map = OTF2_IdMap_CreateFromUint32Array(SOR_REGION_COUNT, global, false);
    if (map == NULL) {
        return OTF2_ERROR_MEM_ALLOC_FAILED;
    }
    OTF2_ErrorCode code = OTF2_DefWriter_WriteMappingTable(writer, OTF2_MAPPING_REGION, map);
    OTF2_IdMap_Free(map);
    uint64_t times[] = {location->skew, location->now + location->skew};
    for (size_t i = 0; i < sizeof times / sizeof *times && code == OTF2_SUCCESS; ++i) {
        code = OTF2_DefWriter_WriteClockOffset(writer, times[i], -(int64_t)location->skew, 0);
    }
    return code;
}

static OTF2_ErrorCode write_location(const struct sor_simulation *simulation, uint32_t rank,
                                     OTF2_Archive *archive, uint64_t *events)
{
    struct location location = {
        .simulation = simulation,
        .writer = OTF2_Archive_GetEvtWriter(archive, rank),
        .rank = rank,
        .skew = (uint64_t)(rank / 16 % SKEWED_NODES) * SKEW_STEP,
    };
    OTF2_DefWriter *definitions = OTF2_Archive_GetDefWriter(archive, rank);
    if (location.writer == NULL || definitions == NULL) {
        return OTF2_ERROR_FILE_CAN_NOT_OPEN;
    }
    number_regions(&location);
    write_begin(&location);
    for (uint32_t i = 0; i < simulation->problem.iterations && location.code == OTF2_SUCCESS; ++i) {
        write_iteration(&location, i);
    }
    write_end(&location);
    *events = location.events;
    OTF2_ErrorCode code = location.code;
    if (code == OTF2_SUCCESS) {
        code = write_local_definitions(&location, definitions);
    }
    OTF2_ErrorCode events_closed = OTF2_Archive_CloseEvtWriter(archive, location.writer);
    OTF2_ErrorCode definitions_closed = OTF2_Archive_CloseDefWriter(archive, definitions);
    if (code == OTF2_SUCCESS) {
        code = events_closed != OTF2_SUCCESS ? events_closed : definitions_closed;
    }
    return code;
}

static OTF2_FlushType always_flush(void *data, OTF2_FileType type, OTF2_LocationRef location,
                                   void *caller, bool final)
{
    (void)data, (void)type, (void)location, (void)caller, (void) final;
    return OTF2_FLUSH;
}

static OTF2_ErrorCode write_content(const struct sor_simulation *simulation, OTF2_Archive *archive,
                                    uint64_t *event_counts)
{
    static const OTF2_FlushCallbacks flush_callbacks = {.otf2_pre_flush = always_flush};
    OTF2_ErrorCode code = OTF2_Archive_SetFlushCallbacks(archive, &flush_callbacks, NULL);
    if (code == OTF2_SUCCESS) {
        code = OTF2_Archive_SetSerialCollectiveCallbacks(archive);
    }
    if (code == OTF2_SUCCESS) {
        code = OTF2_Archive_OpenEvtFiles(archive);
    }
    if (code == OTF2_SUCCESS) {
        code = OTF2_Archive_OpenDefFiles(archive);
    }
    for (uint32_t rank = 0; code == OTF2_SUCCESS && rank < simulation->problem.ranks; ++rank) {
        code = write_location(simulation, rank, archive, &event_counts[rank]);
    }
    if (code == OTF2_SUCCESS) {
        code = OTF2_Archive_CloseDefFiles(archive);
    }
    if (code == OTF2_SUCCESS) {
        code = OTF2_Archive_CloseEvtFiles(archive);
    }
    if (code == OTF2_SUCCESS) {
        OTF2_GlobalDefWriter *writer = OTF2_Archive_GetGlobalDefWriter(archive);
        code = writer == NULL ? OTF2_ERROR_FILE_CAN_NOT_OPEN
                              : sor_definitions_write(simulation, event_counts, writer);
    }
    return code;
}

double sor_events_per_iteration(const struct sor_problem *problem)
{
    static const unsigned for_each_neighbor[] = {
        [SOR_P2P] = 3 + 3 + 2,   [SOR_FENCE] = 3 + 1,    [SOR_GATS] = 3 + 1,
        [SOR_LOCKS] = 3 + 3 + 4, [SOR_RARE] = 3 + 3 + 2, [SOR_ROTATE] = 3 + 3 + 2};
    static const unsigned for_each_rank[] = {
        [SOR_P2P] = 2 + 2,   [SOR_FENCE] = 2 + 4, [SOR_GATS] = 2 + 4 * 3,
        [SOR_LOCKS] = 2 + 4, [SOR_RARE] = 2 + 2,  [SOR_ROTATE] = 2 + 2};
    /* SOR_RARE alternates between two near neighbours. */
    uint32_t cycle = problem->variant == SOR_RARE     ? 2 * problem->period
                     : problem->variant == SOR_ROTATE ? problem->period * problem->dwell
                                                      : 1;
    uint64_t neighbors = 0;
    for (uint32_t iteration = 0; iteration < cycle; ++iteration) {
        for (uint32_t rank = 0; rank < problem->ranks; ++rank) {
            uint32_t ignored[SOR_MAX_NEIGHBORS];
            neighbors += sor_neighbors(problem, rank, iteration, ignored);
        }
    }
    double ranks = problem->ranks;
    return (double)neighbors / cycle * for_each_neighbor[problem->variant] +
           ranks * for_each_rank[problem->variant] +
           ranks * COLLECTIVE_EVENTS / problem->reduce_every;
}

OTF2_ErrorCode sor_archive_write(const struct sor_simulation *simulation, const char *directory,
                                 uint64_t *events)
{
    uint64_t *event_counts = calloc(simulation->problem.ranks, sizeof *event_counts);
    OTF2_Archive *archive =
        OTF2_Archive_Open(directory, "traces", OTF2_FILEMODE_WRITE, EVENT_CHUNK, DEFINITION_CHUNK,
                          OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    OTF2_ErrorCode code = OTF2_ERROR_FILE_CAN_NOT_OPEN;
    if (archive != NULL && event_counts != NULL) {
        code = write_content(simulation, archive, event_counts);
    }
    if (archive != NULL) {
        OTF2_ErrorCode closed = OTF2_Archive_Close(archive);
        code = code != OTF2_SUCCESS ? code : closed;
    }
    *events = 0;
    for (uint32_t rank = 0; event_counts != NULL && rank < simulation->problem.ranks; ++rank) {
        *events += event_counts[rank];
    }
    free(event_counts);
    return code;
}
