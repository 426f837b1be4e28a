/* SPDX-License-Identifier: BSD-3-Clause */
/* What open calls wait for, by the records of their own process. */
#include "analysis/hang/parts.h"

#include "analysis/collective/collective_walk.h"

#include <string.h>
#include <strings.h>

/* The search for the parts of the locations of one process. */
struct search {
    const struct fm_analysis *analysis;
    const fm_location_ends *ends;
    size_t first, end; /* of the ends of the process */
    fm_open_parts *parts;
    struct fm_collective_walk walk;
};

/* @return the call of a location of the process in which it waits; FM_NONE: it waits in none */
static uint32_t waiting_call(const struct search *search, uint32_t location)
{
    for (size_t i = search->first; i < search->end; ++i) {
        if (search->ends->items[i].location == location) {
            return search->ends->items[i].how == FM_END_WAITS
                       ? fm_trace_last_call(search->analysis->trace, location)
                       : FM_NONE;
        }
    }
    return FM_NONE;
}

/* ---- messages ---- */

static uint32_t peer_of(const struct fm_trace *trace, const struct fm_location *location,
                        uint32_t communicator, uint32_t rank)
{
    return communicator == FM_NONE || rank == FM_NONE
               ? FM_NONE
               : fm_trace_member(trace, communicator, rank, location->process);
}

static void add_message(struct search *search, uint32_t l, const struct fm_open_wait *wait)
{
    const struct fm_trace *trace = search->analysis->trace;
    const struct fm_location *location = &trace->locations[l];
    const bool is_known = wait->communicator != FM_NONE;
    struct fm_open_part *part =
        fm_open_parts_add(search->parts, l, is_known ? FM_AWAITS_MESSAGE : FM_AWAITS_UNKNOWN);
    part->communicator = wait->communicator;
    part->process = peer_of(trace, location, wait->communicator, wait->source);
    part->is_any = wait->source == FM_NONE;
    part->is_probe =
        !wait->has_request &&
        strcasestr(fm_trace_called(trace, location, wait->activity)->name, "probe") != NULL;
    part->tag = wait->tag;
}

static void add_send(struct search *search, uint32_t l, const struct fm_message_end *send)
{
    const struct fm_trace *trace = search->analysis->trace;
    const struct fm_location *location = &trace->locations[l];
    const bool is_known =
        send->communicator != FM_NONE && send->partitioned == 0 &&
        fm_trace_called(trace, location, send->start)->call != FM_CALL_BUFFERED_SEND;
    struct fm_open_part *part =
        fm_open_parts_add(search->parts, l, is_known ? FM_AWAITS_RECEIVER : FM_AWAITS_UNKNOWN);
    part->communicator = send->communicator;
    part->process = peer_of(trace, location, send->communicator, send->peer);
    part->tag = send->tag;
}

/* Adds the blocking send of a call. */
static void add_own_send(struct search *search, uint32_t l, uint32_t activity)
{
    const struct fm_location *location = &search->analysis->trace->locations[l];
    for (size_t s = location->sends.count; s-- > 0 && location->sends.items[s].start >= activity;) {
        if (location->sends.items[s].complete == activity) {
            add_send(search, l, &location->sends.items[s]);
        }
    }
}

/* ---- requests ---- */

static void add_request(struct search *search, uint32_t l, const struct fm_open_wait *wait)
{
    const struct fm_location *location = &search->analysis->trace->locations[l];
    switch ((fm_open_request_t)wait->kind) {
    case FM_OPEN_SEND:
        add_send(search, l, &location->sends.items[wait->row]);
        break;
    case FM_OPEN_COLLECTIVE:
        /* The walk over collective operations adds it, if its communicator is known. */
        if (location->collectives.items[wait->row].communicator == FM_NONE) {
            fm_open_parts_add(search->parts, l, FM_AWAITS_UNKNOWN);
        }
        break;
    default:
        if ((wait->stated & FM_STATES(SOURCE)) != 0) {
            add_message(search, l, wait);
        } else {
            fm_open_parts_add(search->parts, l, FM_AWAITS_UNKNOWN);
        }
        break;
    }
}

/* ---- windows ---- */

static struct fm_open_part *add_window(struct search *search, uint32_t l, fm_awaits_t awaits,
                                       uint32_t window, uint32_t process)
{
    struct fm_open_part *part = fm_open_parts_add(search->parts, l, awaits);
    part->window = window;
    part->process = process;
    return part;
}

/* Adds a lock that the call requests, or that it needs inside of an epoch. */
static void add_lock(struct search *search, uint32_t l, uint32_t window, uint32_t rank,
                     bool is_shared, bool is_requested)
{
    const struct fm_trace *trace = search->analysis->trace;
    const uint32_t communicator = trace->windows[window].communicator;
    struct fm_open_part *part =
        add_window(search, l, FM_AWAITS_LOCK, window,
                   peer_of(trace, &trace->locations[l], communicator, rank));
    part->is_mpi = true;
    part->is_shared = is_shared || rank == FM_NONE;
    part->is_requested = is_requested;
}

/* Adds an operation on a window that its call states, unless the call has records of it. */
static void add_operation(struct search *search, uint32_t l, const struct fm_open_wait *wait)
{
    const struct fm_trace *trace = search->analysis->trace;
    const struct fm_location *location = &trace->locations[l];
    const size_t count = location->rma.count;
    if (wait->window == FM_NONE || trace->windows[wait->window].communicator == FM_NONE ||
        (count != 0 && location->rma.items[count - 1].activity >= wait->activity)) {
        return;
    }
    add_window(search, l, FM_AWAITS_PROGRESS, wait->window,
               peer_of(trace, location, trace->windows[wait->window].communicator, wait->target));
}

/* What one of the call's own records on a window states. */
static void add_record(struct search *search, uint32_t l, const struct fm_rma *record)
{
    const struct fm_trace *trace = search->analysis->trace;
    const struct fm_location *location = &trace->locations[l];
    const uint32_t communicator = trace->windows[record->window].communicator;
    switch (record->type) {
    case FM_RMA_LOCK_REQUEST:
        add_lock(search, l, record->window, record->peer, record->shared, false);
        break;
    case FM_RMA_LOCK_RELEASE: /* unlock, */
    case FM_RMA_SYNC:         /* flush: the lock that they end or use */
        add_lock(search, l, record->window, record->peer, false, true);
        break;
    case FM_RMA_PUT:
    case FM_RMA_GET:
    case FM_RMA_ATOMIC:
        add_window(search, l, FM_AWAITS_PROGRESS, record->window,
                   peer_of(trace, location, communicator, record->peer));
        break;
    default:
        break;
    }
}

/* @return the id that the record in front of a lock record of a library names; 0: there is none */
static uint64_t lock_id(const struct fm_location *location, size_t row)
{
    return row > 0 && location->rma.items[row - 1].type == FM_RMA_LOCK_NAME
               ? location->rma.items[row - 1].id
               : 0;
}

static void add_records(struct search *search, uint32_t l, uint32_t activity)
{
    const struct fm_trace *trace = search->analysis->trace;
    const struct fm_location *location = &trace->locations[l];
    const struct fm_region *called = fm_trace_called(trace, location, activity);
    for (size_t r = location->rma.count; r-- > 0 && location->rma.items[r].activity >= activity;) {
        const struct fm_rma *record = &location->rma.items[r];
        if (record->activity != activity ||
            trace->windows[record->window].communicator == FM_NONE) {
            continue;
        }
        if (called->paradigm == FM_PARADIGM_MPI) {
            add_record(search, l, record);
        } else if (record->type == FM_RMA_LOCK_REQUEST) {
            add_lock(search, l, record->window, record->peer, record->shared, false);
            struct fm_open_part *part = &search->parts->items[search->parts->count - 1];
            part->is_mpi = false;
            part->is_shared = record->shared;
            part->id = lock_id(location, r);
        }
    }
}

/* ---- walks over the process ---- */

/* Adds the collective operations in which locations of the process wait. */
static void add_collectives(struct search *search, uint32_t process)
{
    const struct fm_trace *trace = search->analysis->trace;
    struct fm_member member;
    fm_collective_walk_begin(&search->walk, trace, process);
    while (fm_collective_walk_next(&search->walk, &member)) {
        if (waiting_call(search, member.wait_location) != member.wait_activity ||
            !fm_trace_is_open(&trace->locations[member.wait_location], member.wait_activity)) {
            continue;
        }
        struct fm_open_part *part =
            fm_open_parts_add(search->parts, member.wait_location, FM_AWAITS_MEMBERS);
        part->series = member.series;
        part->call = member.call;
        part->scope = member.scope;
        part->ordinal = member.ordinal;
        part->communicator = member.communicator;
        part->rank = member.rank;
        part->root = member.root;
        part->region =
            fm_trace_region(&trace->locations[member.start_location], member.start_activity);
    }
}

/* @return the number of the group's members that are this process */
static bool names(const struct fm_trace *trace, uint32_t group, uint32_t process)
{
    for (uint32_t i = 0; group != FM_NONE && i < trace->groups[group].size; ++i) {
        if (trace->groups[group].processes[i] == process) {
            return true;
        }
    }
    return false;
}

/* @return the k-th epoch of this sort, from 0 on, of a process with a partner that a call belongs
 * to: the number of those before it. `sort`: calls that begin one; of MPI_Win_complete the starts,
 * of MPI_Win_wait the posts, of sync images themselves. */
static uint32_t ordinal_of(const struct fm_trace *trace, uint32_t process, uint32_t window,
                           uint32_t partner, fm_call_t sort)
{
    const struct fm_process *owner = &trace->processes[process];
    const fm_series_t series =
        sort == FM_CALL_START ? FM_SERIES_ACCESS_EPOCHS : FM_SERIES_EXPOSURE_EPOCHS;
    uint32_t count = 0;
    for (uint32_t t = 0; t < owner->location_count; ++t) {
        const struct fm_location *location = &trace->locations[owner->first_location + t];
        for (size_t r = 0; r < location->rma.count; ++r) {
            const struct fm_rma *record = &location->rma.items[r];
            count += record->type == FM_RMA_GROUP_SYNC && record->window == window &&
                     fm_trace_called(trace, location, record->activity)->call == sort &&
                     names(trace, record->peer, partner);
        }
        for (size_t u = 0; u < location->unrecorded.count && sort != FM_CALL_SYNC_IMAGES; ++u) {
            const struct fm_unrecorded *gap = &location->unrecorded.items[u];
            count += gap->series == series && gap->reference == window &&
                             names(trace, gap->peer, partner)
                         ? (uint32_t)gap->count
                         : 0;
        }
    }
    return count - (count != 0);
}

/* Adds the partners of an epoch, or of sync images, by the record of the open call. */
static void add_epoch(struct search *search, uint32_t l, uint32_t activity)
{
    static const struct {
        fm_call_t call, sort;
        fm_awaits_t awaits;
    } kinds[] = {
        {FM_CALL_START, FM_CALL_START, FM_AWAITS_POST},
        {FM_CALL_COMPLETE, FM_CALL_START, FM_AWAITS_POST},
        {FM_CALL_WAIT, FM_CALL_POST, FM_AWAITS_COMPLETE},
        {FM_CALL_SYNC_IMAGES, FM_CALL_SYNC_IMAGES, FM_AWAITS_IMAGES},
    };
    const struct fm_trace *trace = search->analysis->trace;
    const struct fm_location *location = &trace->locations[l];
    const fm_call_t call = fm_trace_called(trace, location, activity)->call;
    for (size_t r = location->rma.count; r-- > 0 && location->rma.items[r].activity >= activity;) {
        const struct fm_rma *record = &location->rma.items[r];
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
            if (record->type != FM_RMA_GROUP_SYNC || record->activity != activity ||
                kinds[k].call != call || record->peer == FM_NONE) {
                continue;
            }
            const struct fm_group *group = &trace->groups[record->peer];
            for (uint32_t i = 0; i < group->size; ++i) {
                if (group->processes[i] != FM_NONE) {
                    add_window(search, l, kinds[k].awaits, record->window, group->processes[i])
                        ->ordinal = ordinal_of(trace, location->process, record->window,
                                               group->processes[i], kinds[k].sort);
                }
            }
        }
    }
}

/* Adds the collective call on a window in which a location waits: all of them on the window are
 * counted together. */
static void add_window_collective(struct search *search, uint32_t l, uint32_t activity)
{
    const struct fm_trace *trace = search->analysis->trace;
    const struct fm_location *location = &trace->locations[l];
    const struct fm_process *owner = &trace->processes[location->process];
    if (location->rma.count == 0) {
        return;
    }
    const struct fm_rma *last = &location->rma.items[location->rma.count - 1];
    if (last->type != FM_RMA_COLLECTIVE || last->activity != activity ||
        trace->windows[last->window].communicator == FM_NONE) {
        return;
    }
    struct fm_open_part *part = fm_open_parts_add(search->parts, l, FM_AWAITS_MEMBERS);
    part->window = last->window;
    part->communicator = trace->windows[last->window].communicator;
    part->rank = fm_trace_rank(trace, part->communicator, location->process);
    part->region = fm_trace_region(location, activity);
    part->call = FM_CALL_BARRIER; /* all wait for all */
    part->series = UINT8_MAX;
    part->scope = last->window;
    part->ordinal = 0;
    for (uint32_t t = 0; t < owner->location_count; ++t) {
        const struct fm_location *other = &trace->locations[owner->first_location + t];
        for (size_t r = 0; r < other->rma.count; ++r) {
            part->ordinal += other->rma.items[r].type == FM_RMA_COLLECTIVE &&
                             other->rma.items[r].window == last->window;
        }
        for (size_t u = 0; u < other->unrecorded.count; ++u) {
            const struct fm_unrecorded *gap = &other->unrecorded.items[u];
            part->ordinal +=
                gap->series == FM_SERIES_WINDOW_COLLECTIVES && gap->reference == last->window
                    ? (uint32_t)gap->count
                    : 0;
        }
    }
    --part->ordinal;
}

/* ---- calls ---- */

/* @return whether a call returns when one of its requests is done */
static bool waits_for_any(const struct fm_region *called)
{
    return strncasecmp(called->name, "MPI_Waitany", 11) == 0 ||
           strncasecmp(called->name, "MPI_Waitsome", 12) == 0;
}

static void add_call(struct search *search, struct fm_location_end *end)
{
    const struct fm_trace *trace = search->analysis->trace;
    const struct fm_location *location = &trace->locations[end->location];
    const uint32_t activity = fm_trace_last_call(trace, end->location);
    const struct fm_region *called = fm_trace_called(trace, location, activity);
    const bool completes = fm_call_completes_requests(called->name);
    if (called->call == FM_CALL_WAIT_UNTIL || called->call == FM_CALL_EVENT_WAIT) {
        fm_open_parts_add(search->parts, end->location, FM_AWAITS_CHANGE)->is_any = true;
        return;
    }
    if (fm_thread_parts_find(search->analysis, end->location, activity, search->parts)) {
        return;
    }
    end->is_any = waits_for_any(called);
    for (size_t i = 0; i < location->open_waits.count; ++i) {
        const struct fm_open_wait *wait = &location->open_waits.items[i];
        if (wait->activity != activity) {
            continue;
        }
        if (wait->has_request && completes) {
            add_request(search, end->location, wait);
        } else if (wait->omitted != 0 && end->is_any) {
            fm_open_parts_add(search->parts, end->location, FM_AWAITS_UNKNOWN);
        } else if (!wait->has_request && (wait->stated & FM_STATES(SOURCE)) != 0) {
            add_message(search, end->location, wait);
        } else if (!wait->has_request && (wait->stated & FM_STATES(TARGET)) != 0) {
            add_operation(search, end->location, wait);
        }
    }
    if (!completes) {
        add_own_send(search, end->location, activity);
    }
    add_records(search, end->location, activity);
    add_epoch(search, end->location, activity);
    add_window_collective(search, end->location, activity);
}

/* A call of which nothing is known may return at any time. */
static void add_unknown(struct search *search, size_t first_part)
{
    for (size_t i = search->first; i < search->end; ++i) {
        const struct fm_location_end *end = &search->ends->items[i];
        bool has_part = end->how != FM_END_WAITS;
        for (size_t p = first_part; p < search->parts->count && !has_part; ++p) {
            has_part = search->parts->items[p].location == end->location;
        }
        if (!has_part) {
            fm_open_parts_add(search->parts, end->location, FM_AWAITS_UNKNOWN);
        }
    }
}

void fm_open_parts_find(const struct fm_analysis *analysis, fm_location_ends *ends,
                        fm_open_parts *parts)
{
    const struct fm_trace *trace = analysis->trace;
    struct search search = {.analysis = analysis, .ends = ends, .parts = parts};
    for (; search.first < ends->count; search.first = search.end) {
        const uint32_t process = fm_trace_process(trace, ends->items[search.first].location);
        const size_t first_part = parts->count;
        bool waits = false;
        search.end = search.first;
        while (search.end < ends->count &&
               fm_trace_process(trace, ends->items[search.end].location) == process) {
            waits |= ends->items[search.end++].how == FM_END_WAITS;
        }
        if (!waits) {
            continue;
        }
        for (size_t i = search.first; i < search.end; ++i) {
            if (ends->items[i].how == FM_END_WAITS) {
                add_call(&search, &ends->items[i]);
            }
        }
        add_collectives(&search, process);
        add_unknown(&search, first_part);
    }
    fm_collective_walk_free(&search.walk);
}
