/* SPDX-License-Identifier: BSD-3-Clause */
/* Partitioned messages. A message is sent when its last partition is ready: Late Sender and the
 * arrows of messages begin at the Enter of the call that made it ready. The pattern counts
 * partitions, and how long before the last one of their message they were ready. */
#include "analysis/p2p/partitioned_sends.h"

#include "analysis/pattern.h"
#include "base/containers/sort.h"
#include "base/memory.h"

static void list_sends(struct fm_partitioned_sends *sent, const struct fm_location *location)
{
    for (size_t i = 0; i < location->sends.count && location->partitioned.count != 0; i++) {
        const uint32_t row = location->sends.items[i].partitioned;
        if (row != 0) {
            const uint64_t request = location->partitioned.items[row - 1].request;
            const uint32_t next = (uint32_t)sent->sends.count;
            if (*fm_map_at(&sent->row_of, request, next) == next) {
                const struct fm_partitioned_send send = {
                    .location = FM_NONE,
                    .activity = FM_NONE,
                    .partitions = location->partitioned.items[row - 1].partitions};
                fm_vector_push(&sent->sends, send);
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
            *send = (struct fm_partitioned_send){enter, l, call->activity, call->last,
                                                 send->partitions};
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

/* ---- last partitions ---- */

struct counting {
    const struct fm_finder *finder;
    fm_last_partition_vector *last; /* by worker */
};

/* How often a partition of a location was the last one. */
struct tally {
    uint32_t location, partition, partitions;
    uint64_t messages;
};

static int compare_tallies(const void *a, const void *b)
{
    const struct tally *left = a, *right = b;
    if (left->location != right->location) {
        return left->location < right->location ? -1 : 1;
    }
    return left->partition < right->partition ? -1 : left->partition > right->partition;
}

/* Adds the locations of a process that made last partitions ready, each with the most frequent. */
static void add_last(const struct fm_partitioned_sends *sent, fm_last_partition_vector *last)
{
    FM_VECTOR(struct tally) tallies = {0};
    struct fm_map row_of = {0};
    for (size_t i = 0; i < sent->sends.count; i++) {
        const struct fm_partitioned_send *send = &sent->sends.items[i];
        if (send->location == FM_NONE || send->partition >= send->partitions) {
            continue;
        }
        const uint64_t key = (uint64_t)send->location << 32 | send->partition;
        const uint32_t next = (uint32_t)tallies.count;
        const uint32_t row = *fm_map_at(&row_of, key, next);
        if (row == next) {
            fm_vector_push(&tallies, (struct tally){send->location, send->partition, 0, 0});
        }
        tallies.items[row].partitions = send->partitions;
        tallies.items[row].messages++;
    }
    fm_sort(tallies.items, tallies.count, sizeof *tallies.items, compare_tallies);
    for (size_t i = 0; i < tallies.count; i++) {
        const struct tally *tally = &tallies.items[i];
        if (i == 0 || tally->location != tally[-1].location) {
            fm_vector_push(last, (struct fm_last_partition){.location = tally->location});
        }
        struct fm_cube_last_partition *most = &last->items[last->count - 1].last;
        most->all_messages += tally->messages;
        if (tally->messages > most->messages) {
            most->partition = tally->partition;
            most->partitions = tally->partitions;
            most->messages = tally->messages;
        }
    }
    fm_vector_free(&tallies);
    fm_map_free(&row_of);
}

static void count_processes(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    const struct counting *counting = context;
    struct fm_finder finder = *counting->finder;
    struct fm_partitioned_sends sent = {0};
    finder.worker = worker;
    for (uint32_t process = first; process < last; process++) {
        const struct fm_process *owner = &finder.analysis->trace->processes[process];
        fm_partitioned_sends_list(&sent, finder.analysis->trace, process);
        for (uint32_t t = 0; t < owner->location_count && sent.sends.count != 0; t++) {
            count_calls(&finder, &sent, owner->first_location + t);
        }
        if (sent.sends.count != 0) {
            add_last(&sent, &counting->last[worker]);
        }
    }
    fm_partitioned_sends_free(&sent);
}

static void detect(const struct fm_finder *finder)
{
    struct fm_analysis *analysis = finder->analysis;
    const unsigned workers = fm_engine_workers(analysis->engine);
    fm_last_partition_vector own = {0}, *last = fm_allocate(workers, sizeof *last);
    struct counting counting = {finder, last};
    fm_engine_run(analysis->engine, count_processes, &counting);
    for (unsigned w = 0; w < workers; w++) {
        for (size_t i = 0; i < last[w].count; i++) {
            fm_vector_push(&own, last[w].items[i]);
        }
        fm_vector_free(&last[w]);
    }
    fm_free(last);
    fm_team_collect_vector(analysis->team, &own, &analysis->last_partitions);
    fm_vector_free(&own);
}

void fm_last_partitions_fill(const struct fm_analysis *analysis, struct fm_cube *cube)
{
    for (size_t i = 0; i < analysis->last_partitions.count; i++) {
        const struct fm_last_partition *row = &analysis->last_partitions.items[i];
        cube->locations[row->location].last_partition = row->last;
    }
}

const struct fm_pattern fm_pattern_partitions = {
    .name = "Partitions",
    .reads = FM_READS(MESSAGES),
    .detect = detect,
    .of_partitions = true,
};
