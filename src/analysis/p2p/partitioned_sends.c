/* Partitioned messages. A message is sent when its last partition is ready: Late Sender and the
 * arrows of messages begin at the Enter of the call that made it ready. The pattern counts
 * partitions, and how long before the last one of their message they were ready. */
#include "analysis/p2p/partitioned_sends.h"

#include "analysis/pattern.h"

static void list_sends(struct fm_partitioned_sends *sent, const struct fm_location *location)
{
    for (size_t i = 0; i < location->sends.count && location->partitioned.count != 0; i++) {
        const uint32_t row = location->sends.items[i].partitioned;
        if (row != 0) {
            const uint64_t request = location->partitioned.items[row - 1].request;
            const uint32_t next = (uint32_t)sent->sends.count;
            if (*fm_map_at(&sent->row_of, request, next) == next) {
                fm_vector_push(&sent->sends, (struct fm_partitioned_send){0, FM_NONE, FM_NONE});
            }
        }
    }
}

static void note_ready(struct fm_partitioned_sends *sent, const struct fm_trace *trace, uint32_t l)
{
    const struct fm_location *location = &trace->locations[l];
    for (size_t i = 0; i < location->partitions.count; i++) {
        const struct fm_partition_call *call = &location->partitions.items[i];
        const uint32_t row = fm_map_get(&sent->row_of, call->request);
        if (row == FM_MAP_ABSENT) {
            continue; /* MPI_Parrived */
        }
        struct fm_partitioned_send *send = &sent->sends.items[row];
        const uint64_t enter = location->enter.items[call->activity];
        if (send->location == FM_NONE || enter > send->enter) {
            *send = (struct fm_partitioned_send){enter, l, call->activity};
        }
    }
}

void fm_partitioned_sends_list(struct fm_partitioned_sends *sent, const struct fm_trace *trace,
                               uint32_t process)
{
    const struct fm_process *owner = &trace->processes[process];
    fm_map_clear(&sent->row_of);
    sent->sends.count = 0;
    for (uint32_t t = 0; t < owner->location_count; t++) {
        list_sends(sent, &trace->locations[owner->first_location + t]);
    }
    for (uint32_t t = 0; t < owner->location_count && sent->sends.count != 0; t++) {
        note_ready(sent, trace, owner->first_location + t);
    }
}

const struct fm_partitioned_send *fm_partitioned_sends_find(const struct fm_partitioned_sends *sent,
                                                            uint64_t request)
{
    const uint32_t row =
        sent->sends.count == 0 ? FM_MAP_ABSENT : fm_map_get(&sent->row_of, request);
    return row == FM_MAP_ABSENT || sent->sends.items[row].location == FM_NONE
               ? NULL
               : &sent->sends.items[row];
}

void fm_partitioned_sends_free(struct fm_partitioned_sends *sent)
{
    fm_map_free(&sent->row_of);
    fm_vector_free(&sent->sends);
}

/* ---- counts ---- */

static void count_calls(const struct fm_finder *finder, const struct fm_partitioned_sends *sent,
                        uint32_t l)
{
    const struct fm_location *location = &finder->analysis->trace->locations[l];
    for (size_t i = 0; i < location->partitions.count; i++) {
        const struct fm_partition_call *call = &location->partitions.items[i];
        const struct fm_partitioned_send *send = fm_partitioned_sends_find(sent, call->request);
        if (send == NULL) {
            continue;
        }
        const struct fm_call_ref ref = {l, call->activity};
        const uint64_t count = (uint64_t)call->last - call->first + 1;
        const uint64_t lead = send->enter - location->enter.items[call->activity];
        if (lead == 0) { /* the metric of all contains that of early ones */
            fm_found_count(finder, ref, FM_METRIC_MPI_PARTITIONS, count);
        } else {
            fm_found_count(finder, ref, FM_METRIC_MPI_PARTITIONS_EARLY, count);
            fm_found_count(finder, ref, FM_METRIC_MPI_PARTITION_LEAD, count * lead);
        }
    }
}

static void count_processes(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct fm_finder finder = *(const struct fm_finder *)context;
    struct fm_partitioned_sends sent = {0};
    finder.worker = worker;
    for (uint32_t process = first; process < last; process++) {
        const struct fm_process *owner = &finder.analysis->trace->processes[process];
        fm_partitioned_sends_list(&sent, finder.analysis->trace, process);
        for (uint32_t t = 0; t < owner->location_count && sent.sends.count != 0; t++) {
            count_calls(&finder, &sent, owner->first_location + t);
        }
    }
    fm_partitioned_sends_free(&sent);
}

static void detect(const struct fm_finder *finder)
{
    fm_engine_run(finder->analysis->engine, count_processes, (void *)finder);
}

const struct fm_pattern fm_pattern_partitions = {
    .name = "Partitions",
    .reads = FM_READS(MESSAGES),
    .detect = detect,
};
