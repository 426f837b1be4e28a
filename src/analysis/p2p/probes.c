/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/p2p/probes.h"

static const struct fm_message_end *receive_of(const struct fm_trace *trace,
                                               const struct fm_receiver *receiver, uint32_t number,
                                               uint32_t *location)
{
    const struct fm_record_ref record = fm_receiver_record(receiver, number);
    *location = record.location;
    return &trace->locations[record.location].receives.items[record.row];
}

static void add(struct fm_probes *probes, uint32_t location, uint32_t activity,
                const struct fm_arrival *arrival)
{
    fm_vector_push(&probes->found, ((struct fm_probed){
                                       .probe = {location, activity},
                                       .send = {arrival->location, arrival->start},
                                       .sent = arrival->sent,
                                       .stream = arrival->stream,
                                   }));
}

/* ---- probes with records ---- */

/* Sorts the receives that have a message by stream. */
static void sort_receives(struct fm_probes *probes, const struct fm_receiver *receiver)
{
    probes->first.count = probes->by_stream.count = 0;
    for (size_t i = 0; i <= receiver->streams.count; i++) {
        fm_vector_push(&probes->first, 0);
    }
    uint32_t count = 0;
    for (uint32_t r = 0; r < receiver->count; r++) {
        if (receiver->arrivals[r].location != FM_NONE) {
            probes->first.items[receiver->arrivals[r].stream]++;
            fm_vector_push(&probes->by_stream, 0);
        }
    }
    for (size_t i = 0; i <= receiver->streams.count; i++) {
        const uint32_t own = probes->first.items[i];
        probes->first.items[i] = count;
        count += own;
    }
    for (uint32_t r = 0; r < receiver->count; r++) {
        if (receiver->arrivals[r].location != FM_NONE) {
            probes->by_stream.items[probes->first.items[receiver->arrivals[r].stream]++] = r;
        }
    }
    for (size_t i = receiver->streams.count; i > 0; i--) {
        probes->first.items[i] = probes->first.items[i - 1];
    }
    probes->first.items[0] = 0;
}

/* Finds the oldest message of each stream that was never received. */
static void list_unreceived(struct fm_probes *probes, const struct fm_receiver *receiver)
{
    probes->unreceived.count = 0;
    for (size_t i = 0; i < receiver->streams.count; i++) {
        fm_vector_push(&probes->unreceived, FM_NONE);
    }
    for (size_t i = receiver->unreceived.count; i > 0; i--) {
        probes->unreceived.items[receiver->unreceived.items[i - 1].stream] = (uint32_t)(i - 1);
    }
}

/* @return whether a receive is posted behind a probe, or by it */
static bool is_behind(const struct fm_trace *trace, const struct fm_receiver *receiver,
                      uint32_t number, uint32_t location, uint32_t activity)
{
    uint32_t l;
    const struct fm_message_end *receive = receive_of(trace, receiver, number, &l);
    return l == location ? receive->start >= activity
                         : trace->locations[l].enter.items[receive->start] >=
                               trace->locations[location].leave.items[activity];
}

/* Adds the oldest message of a stream whose receive is behind a probe, else the oldest one that was
 * never received. */
static void add_oldest(struct fm_probes *probes, const struct fm_trace *trace,
                       const struct fm_receiver *receiver, uint32_t location, uint32_t activity,
                       uint32_t stream)
{
    uint32_t first = probes->first.items[stream];
    const uint32_t all = probes->first.items[stream + 1];
    for (uint32_t end = all; first < end;) {
        const uint32_t middle = first + (end - first) / 2;
        if (is_behind(trace, receiver, probes->by_stream.items[middle], location, activity)) {
            end = middle;
        } else {
            first = middle + 1;
        }
    }
    if (first < all) {
        add(probes, location, activity, &receiver->arrivals[probes->by_stream.items[first]]);
        return;
    }
    const uint32_t oldest = probes->unreceived.items[stream];
    if (oldest != FM_NONE) {
        add(probes, location, activity, &receiver->unreceived.items[oldest]);
    }
}

static void find_recorded(struct fm_probes *probes, const struct fm_trace *trace, uint32_t process,
                          const struct fm_receiver *receiver, uint32_t l)
{
    const struct fm_location *location = &trace->locations[l];
    for (size_t i = 0; i < location->probes.count; i++) {
        const struct fm_probe *probe = &location->probes.items[i];
        const uint32_t source = fm_trace_member(trace, probe->communicator, probe->peer, process);
        const uint32_t stream =
            source == FM_NONE
                ? FM_NONE
                : fm_receiver_stream(receiver, probe->communicator, source, probe->tag);
        if (stream != FM_NONE) {
            add_oldest(probes, trace, receiver, l, probe->activity, stream);
        }
    }
}

/* ---- probes without records ---- */

static bool is_probe(const struct fm_region *region)
{
    return region->call == FM_CALL_PROBE || region->call == FM_CALL_MATCHED_PROBE;
}

/* @return whether a call is a probe that waits: one that blocks, or ends a polling loop */
static bool waits(const struct fm_trace *trace, const struct fm_location *location,
                  uint32_t activity)
{
    const struct fm_region *region = fm_trace_called(trace, location, activity);
    return is_probe(region) &&
           (region->polling.part == FM_POLLING_WAIT || fm_trace_loop(location, activity) != NULL);
}

static void list_waiting(struct fm_probes *probes, const struct fm_trace *trace, uint32_t l)
{
    const struct fm_location *location = &trace->locations[l];
    const bool has_some = fm_location_calls(trace, location, FM_CALL_PROBE) ||
                          fm_location_calls(trace, location, FM_CALL_MATCHED_PROBE);
    probes->activities.count = probes->have_messages.count = 0;
    for (uint32_t a = 0; has_some && a < location->enter.count; a++) {
        if (waits(trace, location, a)) {
            fm_vector_push(&probes->activities, a);
            fm_vector_push(&probes->have_messages, 0);
        }
    }
}

/* @return the position of the probe of a location during which a message was sent; FM_NONE: none */
static uint32_t probe_during(const struct fm_probes *probes, const struct fm_location *location,
                             uint64_t sent)
{
    size_t first = 0, end = probes->activities.count; /* the last probe entered before the send */
    while (first < end) {
        const size_t middle = first + (end - first) / 2;
        if (fm_trace_begin(location, probes->activities.items[middle]) < sent) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    return first > 0 && sent <= location->leave.items[probes->activities.items[first - 1]]
               ? (uint32_t)first - 1
               : FM_NONE;
}

static void find_unrecorded(struct fm_probes *probes, const struct fm_trace *trace,
                            const struct fm_receiver *receiver, uint32_t location)
{
    list_waiting(probes, trace, location);
    for (uint32_t r = 0; probes->activities.count != 0 && r < receiver->count; r++) {
        const struct fm_arrival *arrival = &receiver->arrivals[r];
        uint32_t l;
        const struct fm_message_end *receive = receive_of(trace, receiver, r, &l);
        if (arrival->location == FM_NONE || l != location) {
            continue;
        }
        const uint32_t p = probe_during(probes, &trace->locations[location], arrival->sent);
        if (p != FM_NONE && probes->have_messages.items[p] == 0 &&
            receive->start >= probes->activities.items[p]) {
            probes->have_messages.items[p] = 1;
            add(probes, location, probes->activities.items[p], arrival);
        }
    }
}

void fm_probes_find(struct fm_probes *probes, const struct fm_trace *trace, uint32_t process,
                    const struct fm_receiver *receiver)
{
    const struct fm_process *owner = &trace->processes[process];
    bool is_sorted = false;
    probes->found.count = 0;
    for (uint32_t t = 0; t < owner->location_count; t++) {
        const uint32_t l = owner->first_location + t;
        if (trace->locations[l].probes.count == 0) {
            find_unrecorded(probes, trace, receiver, l);
            continue;
        }
        if (!is_sorted) {
            sort_receives(probes, receiver);
            list_unreceived(probes, receiver);
            is_sorted = true;
        }
        find_recorded(probes, trace, process, receiver, l);
    }
}

void fm_probes_free(struct fm_probes *probes)
{
    fm_vector_free(&probes->found);
    fm_vector_free(&probes->by_stream);
    fm_vector_free(&probes->first);
    fm_vector_free(&probes->unreceived);
    fm_vector_free(&probes->activities);
    fm_vector_free(&probes->have_messages);
}
