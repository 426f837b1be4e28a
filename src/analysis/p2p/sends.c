/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/p2p/sends.h"

#include "analysis/model/gaps.h"
#include "analysis/p2p/completions.h"
#include "analysis/p2p/message_needs.h"
#include "analysis/p2p/partitioned_sends.h"
#include "trace/tables/nodes.h"

#include "base/containers/search.h"
#include "base/containers/sort.h"
#include "engine/dispatch/dispatch.h"

/* A call that waits until the buffered messages are sent. */
struct flush {
    uint64_t enter;
    struct fm_call_ref call;
};

/* One worker's tables, used for one process after the other. */
struct scratch {
    struct fm_gaps gaps;
    FM_VECTOR(struct flush) flushes; /* by their Enter */
    struct fm_completions completions;
    struct fm_partitioned_sends partitioned;
    struct fm_send_samples samples; /* that the worker's processes received */
    unsigned char apart[FM_APART];
};

struct matching {
    struct fm_analysis *analysis;
    struct fm_matched_sends *found;
    struct fm_dispatch *dispatch;
    struct scratch *scratch; /* by worker */
    bool has_gaps;
};

static size_t send_count(const struct fm_location *location)
{
    return location->sends.count;
}

static uint32_t send_start(const struct fm_location *location, uint32_t row)
{
    return location->sends.items[row].start;
}

/* ---- flushes of buffers ---- */

static int compare_flushes(const void *a, const void *b)
{
    const struct flush *left = a, *right = b;
    return left->enter < right->enter ? -1 : left->enter > right->enter;
}

/* Lists the calls of a process that wait until all buffered messages are sent. */
static void list_flushes(struct scratch *scratch, const struct fm_trace *trace, uint32_t process)
{
    const struct fm_process *owner = &trace->processes[process];
    scratch->flushes.count = 0;
    for (uint32_t t = 0; t < owner->location_count; t++) {
        const uint32_t l = owner->first_location + t;
        const struct fm_location *location = &trace->locations[l];
        const uint32_t calls = fm_location_calls(trace, location, FM_CALL_BUFFER_FLUSH)
                                   ? (uint32_t)location->enter.count
                                   : 0;
        for (uint32_t a = 0; a < calls; a++) {
            if (fm_trace_called(trace, location, a)->call == FM_CALL_BUFFER_FLUSH) {
                fm_vector_push(&scratch->flushes,
                               ((struct flush){location->enter.items[a], {l, a}}));
            }
        }
    }
    fm_sort(scratch->flushes.items, scratch->flushes.count, sizeof *scratch->flushes.items,
            compare_flushes);
}

/* @return the first flush that a process entered after a time; activity FM_NONE: there is none */
static struct fm_call_ref flush_behind(const struct scratch *scratch, uint64_t time)
{
    const size_t count = scratch->flushes.count;
    const size_t first = count == 0 || time == UINT64_MAX
                             ? count
                             : fm_count_below(&scratch->flushes.items->enter, count,
                                              sizeof *scratch->flushes.items, time + 1);
    return first < count ? scratch->flushes.items[first].call : (struct fm_call_ref){0, FM_NONE};
}

/* A buffered send never waits; the call that flushes the buffer does. */
static void complete_by_flush(const struct matching *matching, unsigned worker,
                              struct fm_sent *sent)
{
    const struct fm_trace *trace = matching->analysis->trace;
    const struct fm_call_ref flush = flush_behind(&matching->scratch[worker], sent->enter);
    sent->never_waits = flush.activity == FM_NONE;
    if (flush.activity != FM_NONE) {
        sent->is_buffered = true;
        sent->complete_location = flush.location;
        sent->complete = flush.activity;
        sent->complete_enter = fm_call_enter(trace, flush);
        sent->complete_leave = fm_call_leave(trace, flush);
        sent->completed = FM_SEND_AMONG_OTHERS;
    }
}

/* ---- sends go to their destinations ---- */

static void open_receivers(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct matching *matching = context;
    struct fm_gaps *gaps = matching->has_gaps ? &matching->scratch[worker].gaps : NULL;
    for (uint32_t process = first; process < last; process++) {
        fm_receiver_open(&matching->found->receivers[process], matching->analysis->trace, process,
                         gaps, !matching->analysis->asynchronous_progress);
    }
}

static fm_send_completion_t completion_of(const struct matching *matching, unsigned worker,
                                          fm_call_t started, const struct fm_message_end *send)
{
    if (started == FM_CALL_SYNCHRONOUS_SEND || send->complete == FM_UNRECORDED) {
        return FM_SEND_AMONG_OTHERS;
    }
    unsigned completes = fm_completions_of(&matching->scratch[worker].completions,
                                           send->complete_location, send->complete);
    return (completes & FM_COMPLETES_RECEIVE) != 0 ? FM_SEND_AMONG_RECEIVES
           : (completes & FM_COMPLETES_MORE) != 0  ? FM_SEND_AMONG_OTHERS
                                                   : FM_SEND_ALONE;
}

/* @return whether the send has a destination */
static bool send_message(struct matching *matching, unsigned worker, uint32_t process, uint32_t l,
                         const struct fm_message_end *send)
{
    const struct fm_trace *trace = matching->analysis->trace;
    const struct fm_location *location = &trace->locations[l];
    uint32_t destination = fm_trace_member(trace, send->communicator, send->peer, process);
    if (destination == FM_NONE) {
        return false;
    }
    bool recorded = send->complete != FM_UNRECORDED;
    uint32_t complete = recorded ? send->complete : send->start;
    const struct fm_location *completing = &trace->locations[send->complete_location];
    const fm_call_t started = fm_trace_called(trace, location, send->start)->call;
    const struct fm_partitioned_message *partitioned =
        send->partitioned == 0 ? NULL : &location->partitioned.items[send->partitioned - 1];
    const struct fm_partitioned_send *ready =
        partitioned == NULL ? NULL
                            : fm_partitioned_sends_find(&matching->scratch[worker].partitioned,
                                                        partitioned->request);
    struct fm_sent sent = {
        .enter = ready != NULL ? ready->enter : location->enter.items[send->start],
        .complete_enter = fm_trace_begin(completing, complete),
        .complete_leave = completing->leave.items[complete],
        .source = process,
        .communicator = send->communicator,
        .tag = send->tag,
        .location = ready != NULL ? ready->location : l,
        .start = ready != NULL ? ready->activity : send->start,
        .partitioned = partitioned != NULL ? partitioned->operation : 0,
        .row_location = l,
        .row = (uint32_t)(send - location->sends.items),
        .complete_location = send->complete_location,
        .complete = complete,
        .bytes = send->bytes,
        .never_waits = !recorded,
        .is_buffered_send = started == FM_CALL_BUFFERED_SEND,
        .start_leave = ready != NULL
                           ? trace->locations[ready->location].leave.items[ready->activity]
                           : location->leave.items[send->start],
        .completed = (uint8_t)completion_of(matching, worker, started, send),
    };
    const uint8_t traits =
        matching->found->traits[fm_trace_region(&trace->locations[sent.location], sent.start)];
    sent.only_starts = (traits & FM_MESSAGE_CALL_STARTS) != 0;
    sent.is_polled = sent.complete_enter != completing->enter.items[complete];
    sent.is_alone = recorded && traits == 0 && sent.complete == sent.start &&
                    sent.complete_location == sent.location;
    if (started == FM_CALL_BUFFERED_SEND) {
        complete_by_flush(matching, worker, &sent);
    }
    fm_dispatch_send(matching->dispatch, worker, destination, &sent);
    return true;
}

static void send_gap(struct matching *matching, unsigned worker, uint32_t process,
                     const struct fm_unrecorded *gap)
{
    if (gap->series != FM_SERIES_SENDS) {
        return;
    }
    uint32_t destination =
        fm_trace_member(matching->analysis->trace, gap->reference, gap->peer, process);
    if (destination != FM_NONE) {
        fm_dispatch_send(matching->dispatch, worker, destination,
                         &(struct fm_sent){.enter = gap->count,
                                           .source = process,
                                           .communicator = gap->reference,
                                           .tag = gap->tag,
                                           .start = FM_NONE});
    }
}

static void send_messages(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct matching *matching = context;
    const struct fm_trace *trace = matching->analysis->trace;
    struct fm_gaps *gaps = &matching->scratch[worker].gaps;
    uint64_t lost = 0;
    for (uint32_t process = first; process < last; process++) {
        struct fm_record_merge merge;
        struct fm_record_ref record;
        const struct fm_unrecorded *gap;
        fm_completions_list(&matching->scratch[worker].completions, trace, process);
        list_flushes(&matching->scratch[worker], trace, process);
        fm_partitioned_sends_list(&matching->scratch[worker].partitioned, trace, process);
        fm_gaps_begin(gaps, trace, process);
        fm_record_merge_begin(&merge, trace, process, send_count, send_start);
        while (fm_record_merge_next(&merge, &record)) {
            const struct fm_location *location = &trace->locations[record.location];
            const struct fm_message_end *send = &location->sends.items[record.row];
            while (fm_gaps_ahead(gaps) &&
                   (gap = fm_gaps_before(gaps, location->enter.items[send->start])) != NULL) {
                send_gap(matching, worker, process, gap);
            }
            if (send->communicator != FM_NONE && send->complete != FM_NONE) {
                lost += !send_message(matching, worker, process, record.location, send);
            }
        }
        while (fm_gaps_ahead(gaps)) {
            send_gap(matching, worker, process, fm_gaps_before(gaps, UINT64_MAX));
        }
    }
    matching->analysis->omissions.unmatched_sends += lost;
}

fm_locality_t fm_sends_locality(const struct fm_matched_sends *sends, uint32_t sender,
                                uint32_t receiver)
{
    return sends->nodes[sender] == sends->nodes[receiver] ? FM_SAME_NODE : FM_OTHER_NODE;
}

static void take_message(void *context, unsigned worker, uint32_t process, const void *record)
{
    struct matching *matching = context;
    const struct fm_sent *sent = record;
    const struct fm_arrival *arrival = fm_receiver_take(&matching->found->receivers[process], sent);
    if (arrival != NULL && sent->completed == FM_SEND_ALONE && !sent->never_waits &&
        arrival->posted != UINT64_MAX && sent->complete_leave < arrival->posted) {
        fm_send_samples_pass(&matching->scratch[worker].samples,
                             fm_sends_locality(matching->found, sent->source, process), sent->bytes,
                             sent->complete_leave - sent->complete_enter);
    }
}

/* ---- from which size on sends wait ---- */

static fm_locality_t locality_of_late(const struct fm_matched_sends *sends,
                                      const struct fm_receiver *receiver,
                                      const struct fm_late_receiver *late)
{
    return fm_sends_locality(sends, fm_trace_process(sends->trace, late->location),
                             fm_trace_process(sends->trace, receiver->first_location));
}

/* Adds the calls that contain their t. */
static void sample_waits(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct matching *matching = context;
    for (uint32_t process = first; process < last; process++) {
        const struct fm_receiver *receiver = &matching->found->receivers[process];
        for (size_t i = 0; i < receiver->late_receivers.count; i++) {
            const struct fm_late_receiver *late = &receiver->late_receivers.items[i];
            if (late->completed == FM_SEND_ALONE) {
                fm_send_samples_wait(&matching->scratch[worker].samples, &matching->found->passed,
                                     locality_of_late(matching->found, receiver, late), late->bytes,
                                     late->lateness);
            }
        }
    }
}

static void share_samples(struct matching *matching, struct fm_send_samples *all)
{
    const unsigned workers = fm_engine_workers(matching->analysis->engine);
    struct fm_send_samples **samples = fm_allocate(workers, sizeof *samples);
    for (unsigned w = 0; w < workers; w++) {
        samples[w] = &matching->scratch[w].samples;
    }
    fm_send_samples_share(all, samples, workers, matching->analysis->team);
    fm_free(samples);
}

static void find_blocking_sizes(struct matching *matching)
{
    struct fm_send_samples waited = {0};
    share_samples(matching, &matching->found->passed);
    fm_engine_run(matching->analysis->engine, sample_waits, matching);
    share_samples(matching, &waited);
    matching->found->blocking_sizes = fm_blocking_sizes_find(&matching->found->passed, &waited);
    fm_send_samples_free(&waited);
    if (matching->analysis->blocking_size != 0) {
        for (unsigned l = 0; l < FM_LOCALITIES; l++) {
            matching->found->blocking_sizes.from[l] = matching->analysis->blocking_size;
        }
    }
}

bool fm_sender_waited(const struct fm_matched_sends *sends, const struct fm_receiver *receiver,
                      const struct fm_arrival *arrival)
{
    if (arrival->late == FM_NONE) {
        return false;
    }
    const struct fm_late_receiver *late = &receiver->late_receivers.items[arrival->late];
    if (late->completed != FM_SEND_AMONG_RECEIVES) {
        return true;
    }
    return fm_send_can_wait(&sends->blocking_sizes, locality_of_late(sends, receiver, late),
                            late->bytes);
}

void fm_sends_match(struct fm_matched_sends *sends, struct fm_analysis *analysis)
{
    struct fm_engine *engine = analysis->engine;
    const unsigned workers = fm_engine_workers(engine);
    *sends = (struct fm_matched_sends){
        .trace = analysis->trace,
        .receivers = fm_allocate(analysis->trace->process_count, sizeof *sends->receivers),
        .nodes = fm_number_nodes(analysis->trace),
        .traits = fm_message_traits(analysis->trace),
    };
    struct matching matching = {
        .analysis = analysis,
        .found = sends,
        .scratch = fm_allocate_apart(workers, sizeof *matching.scratch),
        .has_gaps = fm_gaps_exist(analysis->team, analysis->trace),
    };
    matching.dispatch = fm_dispatch_create(engine, sizeof(struct fm_sent), take_message, &matching);
    fm_engine_run(engine, open_receivers, &matching);
    fm_dispatch_run(matching.dispatch, send_messages, &matching);
    find_blocking_sizes(&matching);
    for (unsigned w = 0; w < workers; w++) {
        fm_gaps_free(&matching.scratch[w].gaps);
        fm_vector_free(&matching.scratch[w].flushes);
        fm_completions_free(&matching.scratch[w].completions);
        fm_partitioned_sends_free(&matching.scratch[w].partitioned);
    }
    fm_free(matching.scratch);
    fm_dispatch_free(matching.dispatch);
}

void fm_matched_sends_free(struct fm_matched_sends *sends)
{
    fm_send_samples_free(&sends->passed);
    fm_free(sends->receivers);
    fm_free(sends->nodes);
    fm_free(sends->traits);
}
