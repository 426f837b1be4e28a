#include "analysis/collective/collective_walk.h"

#include <otf2/otf2.h>
#include <strings.h>

/* Collectives that create a communicator are counted on that communicator, separately from those
 * that use it. */
enum { SERIES_USE, SERIES_CREATION };

static size_t collective_count(const struct fm_location *location)
{
    return location->collectives.count;
}

static uint32_t collective_start(const struct fm_location *location, uint32_t row)
{
    return location->collectives.items[row].start;
}

/* @return the kind of a collective call. The kind of a call that is no collective by its name is
 * that of the recorded operation, but not for MPI_File_...: file access has no such wait states,
 * whatever operation its record names. */
static uint8_t call_of(const struct fm_trace *trace, const struct fm_location *location,
                       const struct fm_collective *part)
{
    const struct fm_region *region = fm_trace_called(trace, location, part->start);
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

void fm_collective_walk_begin(struct fm_collective_walk *walk, const struct fm_trace *trace,
                              uint32_t process)
{
    walk->trace = trace;
    walk->process = process;
    fm_map_clear(&walk->membership_of);
    walk->memberships.count = 0;
    fm_gaps_begin(&walk->gaps, trace, process);
    fm_record_merge_begin(&walk->merge, trace, process, collective_count, collective_start);
}

static struct fm_membership *find_membership(struct fm_collective_walk *walk, uint32_t communicator)
{
    if (walk->recent < walk->memberships.count &&
        walk->memberships.items[walk->recent].communicator == communicator) {
        return &walk->memberships.items[walk->recent];
    }
    uint32_t next = (uint32_t)walk->memberships.count;
    walk->recent = *fm_map_at(&walk->membership_of, communicator, next);
    if (walk->recent == next) {
        uint32_t rank = fm_trace_rank(walk->trace, communicator, walk->process);
        fm_vector_push(&walk->memberships,
                       (struct fm_membership){.communicator = communicator, .rank = rank});
    }
    return &walk->memberships.items[walk->recent];
}

static void skip_gaps(struct fm_collective_walk *walk, uint64_t time)
{
    const struct fm_unrecorded *gap;
    while ((gap = fm_gaps_before(&walk->gaps, time)) != NULL) {
        if (gap->series == FM_SERIES_COLLECTIVES) {
            find_membership(walk, gap->reference)->next_ordinal[SERIES_USE] += (uint32_t)gap->count;
        }
    }
}

bool fm_collective_walk_next(struct fm_collective_walk *walk, struct fm_member *member)
{
    const struct fm_trace *trace = walk->trace;
    struct fm_record_ref record;
    while (fm_record_merge_next(&walk->merge, &record)) {
        const struct fm_location *location = &trace->locations[record.location];
        const struct fm_collective *part = &location->collectives.items[record.row];
        if (part->communicator == FM_NONE || trace->communicators[part->communicator].size < 2 ||
            fm_trace_called(trace, location, part->start)->paradigm != FM_PARADIGM_MPI) {
            continue;
        }
        if (fm_gaps_ahead(&walk->gaps)) {
            skip_gaps(walk, location->enter.items[part->start]);
        }
        struct fm_membership *membership = find_membership(walk, part->communicator);
        if (membership->rank == FM_NONE) {
            continue;
        }
        uint8_t call = call_of(trace, location, part);
        uint8_t series = call == FM_CALL_DETACHED_COMMUNICATOR ? SERIES_CREATION : SERIES_USE;
        const struct fm_location *waiting = &trace->locations[part->complete_location];
        *member = (struct fm_member){
            .enter = location->enter.items[part->start],
            .wait_enter = waiting->enter.items[part->complete],
            .leave = waiting->leave.items[part->complete],
            .scope = part->communicator,
            .ordinal = membership->next_ordinal[series]++,
            .communicator = part->communicator,
            .rank = membership->rank,
            .process = walk->process,
            .start_location = record.location,
            .start_activity = part->start,
            .wait_location = part->complete_location,
            .wait_activity = part->complete,
            .root = part->root,
            .call = call,
            .series = series,
            .non_blocking = part->non_blocking,
            .moved_bytes = part->moved_bytes,
        };
        return true;
    }
    return false;
}

void fm_collective_walk_free(struct fm_collective_walk *walk)
{
    fm_map_free(&walk->membership_of);
    fm_vector_free(&walk->memberships);
    fm_gaps_free(&walk->gaps);
}
