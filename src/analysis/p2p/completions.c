/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/p2p/completions.h"

#include <string.h>

static uint8_t *call_of(struct fm_completions *completions, uint32_t location, uint32_t activity)
{
    return &completions->calls
                .items[completions->first.items[location - completions->first_location] + activity];
}

static void list_messages(struct fm_completions *completions, const struct fm_location *location)
{
    for (size_t s = 0; s < location->sends.count; s++) {
        const struct fm_message_end *send = &location->sends.items[s];
        if (send->communicator != FM_NONE && send->complete < FM_UNRECORDED) {
            uint8_t *call = call_of(completions, send->complete_location, send->complete);
            *call |= (*call & FM_COMPLETES_SEND) != 0 ? FM_COMPLETES_MORE : FM_COMPLETES_SEND;
        }
    }
    for (size_t r = 0; r < location->receives.count; r++) {
        const struct fm_message_end *receive = &location->receives.items[r];
        if (receive->communicator != FM_NONE && receive->complete != FM_NONE) {
            *call_of(completions, receive->complete_location, receive->complete) |=
                FM_COMPLETES_RECEIVE;
        }
    }
}

static void list_others(struct fm_completions *completions, const struct fm_location *location,
                        uint32_t l)
{
    for (size_t c = 0; c < location->collectives.count; c++) {
        const struct fm_collective *part = &location->collectives.items[c];
        if (part->non_blocking && part->complete != FM_NONE) {
            *call_of(completions, part->complete_location, part->complete) |= FM_COMPLETES_MORE;
        }
    }
    for (size_t r = 0; r < location->rma.count; r++) {
        const struct fm_rma *record = &location->rma.items[r];
        if (record->type == FM_RMA_DONE_LOCALLY || record->type == FM_RMA_DONE_REMOTELY) {
            *call_of(completions, l, record->activity) |= FM_COMPLETES_MORE;
        }
    }
}

/* What a call that was never left would complete. */
static void list_open(struct fm_completions *completions, const struct fm_trace *trace,
                      const struct fm_location *location, uint32_t l)
{
    for (size_t i = 0; i < location->open_waits.count; i++) {
        const struct fm_open_wait *wait = &location->open_waits.items[i];
        const char *name = fm_trace_called(trace, location, wait->activity)->name;
        const bool completes =
            wait->has_request ? fm_call_completes_requests(name) : strcasestr(name, "recv") != NULL;
        if (completes && (wait->stated & FM_STATES(SOURCE)) != 0) {
            *call_of(completions, l, wait->activity) |= FM_COMPLETES_RECEIVE;
        } else if (completes && (wait->stated & FM_STATES(COMMUNICATOR)) != 0) {
            *call_of(completions, l, wait->activity) |= FM_COMPLETES_MORE;
        }
    }
}

void fm_completions_list(struct fm_completions *completions, const struct fm_trace *trace,
                         uint32_t process)
{
    const struct fm_process *owner = &trace->processes[process];
    const uint32_t first = owner->first_location, end = first + owner->location_count;
    completions->first_location = first;
    completions->first.count = completions->calls.count = 0;
    for (uint32_t l = first; l < end; l++) {
        const size_t count = trace->locations[l].enter.count;
        fm_vector_push(&completions->first, completions->calls.count);
        fm_vector_reserve(&completions->calls, count);
        completions->calls.count += count;
    }
    if (completions->calls.count != 0) {
        memset(completions->calls.items, 0, completions->calls.count);
    }
    for (uint32_t l = first; l < end; l++) {
        list_messages(completions, &trace->locations[l]);
        list_others(completions, &trace->locations[l], l);
        list_open(completions, trace, &trace->locations[l], l);
    }
}

void fm_completions_free(struct fm_completions *completions)
{
    fm_vector_free(&completions->first);
    fm_vector_free(&completions->calls);
}
