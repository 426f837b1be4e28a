/* SPDX-License-Identifier: BSD-3-Clause */
/* Gathers what bounds the unexpected messages of each process. */
#include "analysis/p2p/unexpected.h"

#include "analysis/clocks/wait_errors.h"
#include "analysis/model/own_metric.h"

#include <string.h>

/* The last call of a location that may take in messages, among its first calls. */
struct walk {
    uint32_t calls;
    uint64_t leave; /* 0: there is none */
};

struct scratch {
    FM_VECTOR(struct fm_taken_message) messages;
    FM_VECTOR(struct fm_taking_call) calls;
    FM_VECTOR(struct walk) walks; /* by thread of the process */
    fm_process_unexpected_vector found;
    unsigned char apart[FM_APART];
};

struct fm_unexpected_search {
    struct fm_analysis *analysis;
    const struct fm_matched_sends *sends;
    bool *takes_in;           /* by region: its calls may take in messages */
    bool *is_probe;           /* by region */
    bool has_calls_that_take; /* messages are taken in by calls only, all of which are recorded */
    struct scratch *scratch;  /* by worker */
};

struct fm_unexpected_search *fm_unexpected_create(struct fm_analysis *analysis,
                                                  const struct fm_matched_sends *sends)
{
    const struct fm_trace *trace = analysis->trace;
    struct fm_unexpected_search *search = fm_allocate(1, sizeof *search);
    *search = (struct fm_unexpected_search){
        .analysis = analysis,
        .sends = sends,
        .takes_in = fm_allocate(trace->region_count, sizeof(bool)),
        .is_probe = fm_allocate(trace->region_count, sizeof(bool)),
        .has_calls_that_take = !analysis->asynchronous_progress && fm_trace_is_own(trace),
        .scratch = fm_allocate_apart(fm_engine_workers(analysis->engine), sizeof *search->scratch),
    };
    for (uint32_t r = 0; r < trace->region_count; r++) {
        const struct fm_region *region = &trace->regions[r];
        search->takes_in[r] = fm_makes_progress(region);
        search->is_probe[r] =
            region->paradigm == FM_PARADIGM_MPI && strcmp(region->name, "MPI_Probe") == 0;
    }
    return search;
}

/* ---- calls ---- */

/* @return by how much times of two locations may differ; UINT64_MAX: it is not known */
static uint64_t clock_error(const struct fm_unexpected_search *search, uint32_t location,
                            uint32_t other)
{
    const struct fm_trace *trace = search->analysis->trace;
    const fm_locality_t locality = fm_sends_locality(
        search->sends, fm_trace_process(trace, location), fm_trace_process(trace, other));
    return search->analysis->wait_errors == NULL && locality == FM_OTHER_NODE
               ? UINT64_MAX
               : fm_turn_error(search->analysis->wait_errors, location, other);
}

/* Senders that wait for receivers are told when this stage ends: others' waits are not used. */
static bool shows_taking(const struct fm_candidate *candidate)
{
    return candidate->cause_location != FM_NONE &&
           candidate->metric != FM_METRIC_MPI_LATERECEIVER &&
           candidate->metric != FM_METRIC_MPI_LATERECEIVER_WO;
}

static void list_calls(const struct fm_unexpected_search *search, struct scratch *scratch,
                       uint32_t process)
{
    const struct fm_analysis *analysis = search->analysis;
    const struct fm_process *owner = &analysis->trace->processes[process];
    scratch->calls.count = 0;
    for (uint32_t t = 0; t < owner->location_count; t++) {
        const uint32_t number = owner->first_location + t;
        const struct fm_location *location = &analysis->trace->locations[number];
        const struct fm_findings *findings = &analysis->findings[number];
        for (size_t i = 0; i < findings->candidates.count; i++) {
            const struct fm_candidate *candidate = &findings->candidates.items[i];
            if (!shows_taking(candidate)) {
                continue;
            }
            const uint64_t error = clock_error(search, number, candidate->cause_location);
            if (error < candidate->t) {
                fm_vector_push(&scratch->calls,
                               (struct fm_taking_call){candidate->t - error,
                                                       location->leave.items[candidate->activity]});
            }
        }
    }
}

/* @return Leave of the last of a location's first `calls` calls that may take in messages */
static uint64_t last_taking(const struct fm_unexpected_search *search,
                            const struct fm_location *location, struct walk *walk, uint32_t calls)
{
    if (calls < walk->calls) {
        *walk = (struct walk){0, 0};
    }
    for (uint32_t i = calls; i > walk->calls; i--) {
        if (search->takes_in[fm_trace_region(location, i - 1)]) {
            walk->leave = location->leave.items[i - 1];
            break;
        }
    }
    walk->calls = calls;
    return walk->leave;
}

/* @return until when messages may have been taken in before a receive was posted */
static uint64_t progressed_before(const struct fm_unexpected_search *search,
                                  struct scratch *scratch, uint32_t process,
                                  struct fm_call_ref post)
{
    const struct fm_trace *trace = search->analysis->trace;
    const struct fm_process *owner = &trace->processes[process];
    const uint64_t posted = fm_call_enter(trace, post);
    uint64_t last = 0;
    for (uint32_t t = 0; t < owner->location_count; t++) {
        const uint32_t number = owner->first_location + t;
        const struct fm_location *location = &trace->locations[number];
        if (!search->has_calls_that_take || location->pauses.count != 0) {
            return posted;
        }
        const uint32_t calls =
            number == post.location ? post.activity : fm_trace_entered(location, posted);
        const uint64_t leave = last_taking(search, location, &scratch->walks.items[t], calls);
        last = leave > last ? leave : last;
    }
    return last < posted ? last : posted;
}

/* @return when a call that looked for the message had found it; UINT64_MAX: there is no such call
 */
static uint64_t probed(const struct fm_unexpected_search *search, struct fm_record_ref record,
                       const struct fm_message_end *receive, struct fm_call_ref post,
                       uint64_t earliest)
{
    const struct fm_trace *trace = search->analysis->trace;
    const struct fm_location *location = &trace->locations[record.location];
    const fm_call_t posting =
        fm_trace_called(trace, &trace->locations[post.location], post.activity)->call;
    if (posting == FM_CALL_MATCHED_RECEIVE || post.location != record.location ||
        post.activity != receive->start) {
        return fm_call_enter(trace, post); /* of a message that a matched probe has found */
    }
    if (post.activity == 0 || !search->is_probe[fm_trace_region(location, post.activity - 1)]) {
        return UINT64_MAX;
    }
    const uint64_t leave = location->leave.items[post.activity - 1];
    return earliest < leave ? leave : UINT64_MAX;
}

/* ---- messages ---- */

static uint64_t at_most(uint64_t time, uint64_t error)
{
    return time < UINT64_MAX - error ? time + error : UINT64_MAX;
}

static struct fm_taken_message describe(const struct fm_unexpected_search *search,
                                        struct scratch *scratch, uint32_t process,
                                        const struct fm_receiver *receiver, uint32_t number)
{
    const struct fm_trace *trace = search->analysis->trace;
    const struct fm_arrival *arrival = &receiver->arrivals[number];
    const struct fm_record_ref record = fm_receiver_record(receiver, number);
    const struct fm_message_end *receive =
        &trace->locations[record.location].receives.items[record.row];
    const struct fm_stream *stream = &receiver->streams.items[arrival->stream];
    struct fm_call_ref post = {.location = record.location};
    post.activity = fm_trace_post(trace, &post.location, record.row);
    const bool is_of_itself = stream->source == process;
    const uint64_t error =
        is_of_itself ? 0 : clock_error(search, record.location, arrival->location);
    struct fm_taken_message message = {
        .earliest = arrival->sent > error ? arrival->sent - error : 0,
        .delivered = UINT64_MAX,
        .known = UINT64_MAX,
        .posted = arrival->posted,
        .progressed = arrival->posted,
        .received = trace->locations[receive->complete_location].leave.items[receive->complete],
        .channel = (uint64_t)stream->communicator << 32 | arrival->row_location,
        .row = arrival->row,
        .bytes = receive->bytes,
        .data_came_late = fm_sender_waited(search->sends, receiver, arrival),
    };
    if (is_of_itself) {
        message.known = trace->locations[arrival->location].leave.items[arrival->start];
    } else if (message.earliest < message.posted) {
        message.known = probed(search, record, receive, post, message.earliest);
        message.progressed = progressed_before(search, scratch, process, post);
    }
    if (fm_sends_locality(search->sends, stream->source, process) == FM_SAME_NODE) {
        message.delivered = at_most(arrival->delivered, error);
    }
    return message;
}

static bool is_looked_at(const struct fm_receiver *receiver, uint32_t number)
{
    const struct fm_arrival *arrival = &receiver->arrivals[number];
    return arrival->location != FM_NONE && arrival->posted != UINT64_MAX &&
           receiver->streams.items[arrival->stream].partitioned == 0;
}

static void begin_walks(const struct fm_unexpected_search *search, struct scratch *scratch,
                        uint32_t process)
{
    scratch->walks.count = 0;
    for (uint32_t t = 0; t < search->analysis->trace->processes[process].location_count; t++) {
        fm_vector_push(&scratch->walks, (struct walk){0, 0});
    }
}

/* Whether any message of a process may be unexpected: if not, nothing is kept of them.
 * @param looked_at  out: number of messages */
static bool has_unexpected(const struct fm_unexpected_search *search, struct scratch *scratch,
                           uint32_t process, const struct fm_receiver *receiver,
                           uint64_t *looked_at)
{
    bool found = false;
    *looked_at = 0;
    begin_walks(search, scratch, process);
    for (uint32_t r = 0; r < receiver->count; r++) {
        if (is_looked_at(receiver, r)) {
            ++*looked_at;
            if (!found) {
                const struct fm_taken_message message =
                    describe(search, scratch, process, receiver, r);
                found = message.known <= message.posted || message.earliest < message.progressed;
            }
        }
    }
    return found;
}

static struct fm_cube_unexpected bounds_of(const struct fm_unexpected_search *search,
                                           struct scratch *scratch, uint32_t process,
                                           const struct fm_receiver *receiver)
{
    scratch->messages.count = 0;
    begin_walks(search, scratch, process);
    for (uint32_t r = 0; r < receiver->count; r++) {
        if (is_looked_at(receiver, r)) {
            fm_vector_push(&scratch->messages, describe(search, scratch, process, receiver, r));
        }
    }
    list_calls(search, scratch, process);
    return fm_unexpected_bounds(scratch->messages.items, scratch->messages.count,
                                scratch->calls.items, scratch->calls.count);
}

void fm_unexpected_find(struct fm_unexpected_search *search, unsigned worker, uint32_t process)
{
    struct scratch *scratch = &search->scratch[worker];
    const struct fm_receiver *receiver = &search->sends->receivers[process];
    struct fm_process_unexpected row = {.process = process};
    if (has_unexpected(search, scratch, process, receiver, &row.bounds.messages)) {
        row.bounds = bounds_of(search, scratch, process, receiver);
    }
    if (row.bounds.messages > 0) {
        fm_vector_push(&scratch->found, row);
    }
}

void fm_unexpected_close(struct fm_unexpected_search *search)
{
    struct fm_analysis *analysis = search->analysis;
    fm_process_unexpected_vector own = {0};
    for (unsigned w = 0; w < fm_engine_workers(analysis->engine); w++) {
        struct scratch *scratch = &search->scratch[w];
        for (size_t i = 0; i < scratch->found.count; i++) {
            fm_vector_push(&own, scratch->found.items[i]);
        }
        fm_vector_free(&scratch->found);
        fm_vector_free(&scratch->messages);
        fm_vector_free(&scratch->calls);
        fm_vector_free(&scratch->walks);
    }
    fm_team_collect_vector(analysis->team, &own, &analysis->unexpected);
    fm_vector_free(&own);
    fm_free(search->scratch);
    fm_free(search->takes_in);
    fm_free(search->is_probe);
    fm_free(search);
}

void fm_unexpected_fill(const struct fm_analysis *analysis, struct fm_cube *cube)
{
    for (size_t i = 0; i < analysis->unexpected.count; i++) {
        const struct fm_process_unexpected *row = &analysis->unexpected.items[i];
        const uint32_t first = analysis->trace->processes[row->process].first_location;
        cube->locations[first].unexpected = row->bounds;
    }
}
