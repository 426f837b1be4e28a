/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/dependencies/message_dependencies.h"

#include "analysis/dependencies/dependencies.h"
#include "analysis/model/call_ref.h"

#include <string.h>
#include <strings.h>

/* Calls without a record of their own between a probe and its receive. */
#define MOST_LOCAL_CALLS 4

/* A send that ends within this part of what it has stood still was released by the receiver. */
#define MOST_OF_A_STANDSTILL 4

static bool is_mpi(const struct fm_trace *trace, const struct fm_location *location,
                   uint32_t activity)
{
    return fm_trace_called(trace, location, activity)->paradigm == FM_PARADIGM_MPI;
}

/* Whether the sender depends on the receiver: it waited, or it would have waited if the receive had
 * been posted later. */
static bool sender_depends(const struct fm_matched_sends *sends, const struct fm_receiver *receiver,
                           const struct fm_arrival *arrival, const struct fm_message_end *send,
                           bool waited, bool keeps_violated)
{
    const struct fm_trace *trace = sends->trace;
    const struct fm_location *sending = &trace->locations[arrival->location];
    const fm_call_t started = fm_trace_called(trace, sending, arrival->start)->call;
    if (waited && !keeps_violated) {
        return true;
    }
    if (send->complete == FM_UNRECORDED || send->complete == FM_NONE ||
        started == FM_CALL_BUFFERED_SEND || arrival->posted == UINT64_MAX) {
        return false;
    }
    if (keeps_violated) { /* whether another one waited follows from times, which may be wrong */
        return started == FM_CALL_SYNCHRONOUS_SEND;
    }
    const uint64_t entered =
        fm_trace_begin(&trace->locations[send->complete_location], send->complete);
    return arrival->posted <= entered &&
           (started == FM_CALL_SYNCHRONOUS_SEND ||
            fm_send_can_wait(&sends->blocking_sizes,
                             fm_sends_locality(sends, fm_trace_process(trace, arrival->location),
                                               fm_trace_process(trace, receiver->first_location)),
                             send->bytes));
}

/* @return when a process enters an MPI call after `time`, at which no thread of it is in one, by
 * `end`; activity FM_NONE: it is in one, or enters none */
static struct fm_call_ref next_mpi_call(const struct fm_trace *trace, uint32_t process,
                                        uint64_t time, uint64_t end)
{
    const struct fm_process *receiver = &trace->processes[process];
    struct fm_call_ref next = {0, FM_NONE};
    for (uint32_t k = 0; k < receiver->location_count; k++) {
        const uint32_t l = receiver->first_location + k;
        const struct fm_location *location = &trace->locations[l];
        uint32_t before = fm_trace_entered(location, time), behind = before;
        while (before > 0 && !is_mpi(trace, location, before - 1)) {
            before--;
        }
        if (before > 0 && location->leave.items[before - 1] > time) {
            return (struct fm_call_ref){l, FM_NONE};
        }
        while (behind < location->enter.count && location->enter.items[behind] <= end &&
               !is_mpi(trace, location, behind)) {
            behind++;
        }
        const struct fm_call_ref found = {l, behind};
        if (behind < location->enter.count && location->enter.items[behind] <= end &&
            (next.activity == FM_NONE ||
             fm_call_enter(trace, found) < fm_call_enter(trace, next))) {
            next = found;
        }
    }
    return next;
}

/* A library that has no room for more short messages lets the sender wait until the receiver takes
 * some of them, in whatever call. No record tells; but such a send takes by far longer than others
 * of its size, begins while the receiver is outside of MPI, and ends soon after it enters MPI. */
static void depend_by_buffers(const struct fm_analysis *analysis, unsigned worker,
                              const struct fm_matched_sends *sends, uint32_t receiver,
                              const struct fm_arrival *arrival, const struct fm_message_end *send)
{
    const struct fm_trace *trace = analysis->trace;
    const struct fm_call_ref call = {send->complete_location, send->complete};
    if (send->complete == FM_UNRECORDED || send->complete == FM_NONE ||
        send->complete != arrival->start || send->complete_location != arrival->location) {
        return;
    }
    const uint64_t enter = fm_call_enter(trace, call), leave = fm_call_leave(trace, call);
    const fm_locality_t locality =
        fm_sends_locality(sends, fm_trace_process(trace, arrival->location), receiver);
    if (leave >= arrival->posted ||
        !fm_send_stood_still(&sends->passed, locality, send->bytes, leave - enter)) {
        return;
    }
    const struct fm_call_ref next = next_mpi_call(trace, receiver, enter, leave);
    if (next.activity != FM_NONE) {
        const uint64_t t = fm_call_enter(trace, next);
        if (leave - t <= (t - enter) / MOST_OF_A_STANDSTILL) {
            fm_depend(analysis, worker, call, fm_awaited_enter(next), FM_DEPENDS_ON_BUFFERS);
        }
    }
}

static bool is_probe(const char *name)
{
    return strncasecmp(name, "MPI_Probe", strlen("MPI_Probe")) == 0 ||
           strncasecmp(name, "MPI_Mprobe", strlen("MPI_Mprobe")) == 0;
}

/* Where probes have no records, the receive right behind one, with nothing but local calls between
 * them, is taken for that of the message that the probe has found. */
static void depend_by_probe(const struct fm_analysis *analysis, unsigned worker,
                            struct fm_call_ref receiving, struct fm_awaited sent)
{
    const struct fm_trace *trace = analysis->trace;
    const struct fm_location *location = &trace->locations[receiving.location];
    for (uint32_t i = 0;
         location->probes.count == 0 && i <= MOST_LOCAL_CALLS && i <= receiving.activity; i++) {
        const uint32_t a = receiving.activity - i;
        const struct fm_region *called = fm_trace_called(trace, location, a);
        if (called->paradigm != FM_PARADIGM_MPI) {
            return;
        }
        if (is_probe(called->name)) {
            fm_depend(analysis, worker, (struct fm_call_ref){receiving.location, a}, sent,
                      FM_DEPENDS_ON_PROBED_SENDER);
            return;
        }
        if (i > 0 && fm_function_kind(FM_PARADIGM_MPI, called->name).progresses) {
            return;
        }
    }
}

void fm_depend_by_message(const struct fm_analysis *analysis, unsigned worker,
                          const struct fm_matched_sends *sends, const struct fm_receiver *receiver,
                          uint32_t receive, bool waited)
{
    const struct fm_trace *trace = analysis->trace;
    const struct fm_arrival *arrival = &receiver->arrivals[receive];
    struct fm_record_ref record = fm_receiver_record(receiver, receive);
    const struct fm_message_end *received =
        &trace->locations[record.location].receives.items[record.row];
    const struct fm_message_end *send =
        &trace->locations[arrival->row_location].sends.items[arrival->row];
    const struct fm_awaited sent =
        fm_awaited_enter((struct fm_call_ref){arrival->location, arrival->start});
    fm_depend(analysis, worker,
              (struct fm_call_ref){received->complete_location, received->complete}, sent,
              FM_DEPENDS_ON_SENDER);
    depend_by_probe(analysis, worker, (struct fm_call_ref){record.location, received->start}, sent);
    const uint32_t receiver_process = fm_trace_process(trace, receiver->first_location);
    if (sender_depends(sends, receiver, arrival, send, waited,
                       analysis->dependencies->keeps_violated)) {
        const uint32_t post = fm_trace_post(trace, &record.location, record.row);
        struct fm_call_ref waiting = {send->complete_location, send->complete};
        if (waited) { /* not always the call that completes the send: a flush of its buffer */
            const struct fm_late_receiver *late = &receiver->late_receivers.items[arrival->late];
            waiting = (struct fm_call_ref){late->location, late->complete};
        }
        fm_depend(analysis, worker, waiting,
                  fm_awaited_enter((struct fm_call_ref){record.location, post}),
                  FM_DEPENDS_ON_RECEIVER);
    } else {
        depend_by_buffers(analysis, worker, sends, receiver_process, arrival, send);
    }
}
