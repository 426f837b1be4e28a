#include "analysis/dependencies/message_dependencies.h"

#include "analysis/dependencies/dependencies.h"

#include <string.h>
#include <strings.h>

/* Calls without a record of their own between a probe and its receive. */
#define MOST_LOCAL_CALLS 4

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
    const uint64_t entered = trace->locations[send->complete_location].enter.items[send->complete];
    return arrival->posted <= entered &&
           (started == FM_CALL_SYNCHRONOUS_SEND ||
            fm_send_can_wait(&sends->blocking_sizes,
                             fm_sends_locality(sends, fm_trace_process(trace, arrival->location),
                                               fm_trace_process(trace, receiver->first_location)),
                             send->bytes));
}

static bool is_probe(const char *name)
{
    return strncasecmp(name, "MPI_Probe", strlen("MPI_Probe")) == 0 ||
           strncasecmp(name, "MPI_Mprobe", strlen("MPI_Mprobe")) == 0;
}

/* A probe has no record. The receive right behind it, with nothing but local calls between them, is
 * taken for that of the message that the probe has found. */
static void depend_by_probe(const struct fm_analysis *analysis, unsigned worker,
                            struct fm_call_ref receiving, struct fm_awaited sent)
{
    const struct fm_trace *trace = analysis->trace;
    const struct fm_location *location = &trace->locations[receiving.location];
    for (uint32_t i = 0; i <= MOST_LOCAL_CALLS && i <= receiving.activity; i++) {
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
    if (sender_depends(sends, receiver, arrival, send, waited,
                       analysis->dependencies->keeps_violated)) {
        const uint32_t post = fm_trace_post(trace, &record.location, record.row);
        fm_depend(analysis, worker, (struct fm_call_ref){send->complete_location, send->complete},
                  fm_awaited_enter((struct fm_call_ref){record.location, post}),
                  FM_DEPENDS_ON_RECEIVER);
    }
}
