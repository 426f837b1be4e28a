/* SPDX-License-Identifier: BSD-3-Clause */
/* The archive with the transfers of one-sided communication where MPI's rules place them: the
 * extended event model of [H05] section 3.2. All tools draw messages. A transfer is therefore
 * written as a message on the communicator of its window, with its own tag:
 *
 *   put, atomic  sent at the origin after the Enter of the operation (PUT_1TS), received at the
 *                target before the Leave of the call that completes it there (PUT_1TE)
 *                (SHMEM, ARMCI, coarrays: when the call with the remote completion returns)
 *   get          sent at the target when the operation begins (GET_1TS), received at the origin
 *                before the Leave of its synchronization (GET_1TE); the operation's own record
 *                stays the origin (GET_1TO)
 *
 * The recorded events are unchanged. */
#include "base/containers/sort.h"
#include "base/memory.h"
#include "export/event_source.h"
#include "export/otf2/operation_sizes.h"
#include "export/otf2/otf2_copy.h"
#include "timeline/transfers.h"

/* Tags that MPI programs rarely use; the standard guarantees only tags up to 32767. */
enum { TAG_OF_PUTS = 0x10000001, TAG_OF_GETS, TAG_OF_ATOMICS };

/* One end of a transfer, which is written at a location. */
struct transfer_end {
    uint32_t location;
    uint32_t activity; /* FM_NONE: placed by time */
    uint64_t time;     /* if placed by time */
    uint32_t transfer; /* also the sort key of ties */
    bool is_send;
};

struct additions {
    const struct fm_trace *trace;
    fm_transfers transfers;
    fm_operation_sizes *sizes;
    FM_VECTOR(struct transfer_end) in_calls; /* by location, activity, transfer */
    FM_VECTOR(struct transfer_end) by_time;  /* by location, time, transfer */
    const OTF2_CommRef *communicators;
    uint32_t location;
    size_t next; /* next item of `by_time` */
};

static int compare_ends(const void *left, const void *right)
{
    const struct transfer_end *a = left, *b = right;
    int order = fm_compare_numbers(a->location, b->location);
    order = order != 0 ? order : fm_compare_numbers(a->activity, b->activity);
    order = order != 0 ? order : fm_compare_numbers(a->time, b->time);
    return order != 0 ? order : fm_compare_numbers(a->transfer, b->transfer);
}

static void add_end(struct additions *additions, struct transfer_end end)
{
    if (end.activity == FM_NONE) {
        fm_vector_push(&additions->by_time, end);
    } else {
        fm_vector_push(&additions->in_calls, end);
    }
}

static void list_ends(struct additions *additions)
{
    for (uint32_t i = 0; i < additions->transfers.count; i++) {
        const struct fm_transfer *transfer = &additions->transfers.items[i];
        const struct fm_location *origin = &additions->trace->locations[transfer->origin];
        if (transfer->origin_end == FM_NONE) {
            continue; /* never completed: its end is unknown */
        }
        if (transfer->type == FM_RMA_GET) {
            add_end(additions,
                    (struct transfer_end){transfer->target, FM_NONE,
                                          origin->enter.items[transfer->start], i, true});
            add_end(additions,
                    (struct transfer_end){transfer->origin, transfer->origin_end, 0, i, false});
        } else {
            add_end(additions,
                    (struct transfer_end){transfer->origin, transfer->start, 0, i, true});
            add_end(additions,
                    (struct transfer_end){transfer->target, transfer->target_end,
                                          transfer->target_end != FM_NONE
                                              ? 0
                                              : origin->leave.items[transfer->origin_end],
                                          i, false});
        }
    }
    fm_sort(additions->in_calls.items, additions->in_calls.count, sizeof *additions->in_calls.items,
            compare_ends);
    fm_sort(additions->by_time.items, additions->by_time.count, sizeof *additions->by_time.items,
            compare_ends);
}

static OTF2_ErrorCode put_end(const struct additions *additions, OTF2_EvtWriter *writer,
                              const struct transfer_end *end, uint64_t time)
{
    static const uint32_t tags[] = {
        [FM_RMA_PUT] = TAG_OF_PUTS, [FM_RMA_GET] = TAG_OF_GETS, [FM_RMA_ATOMIC] = TAG_OF_ATOMICS};
    const struct fm_transfer *transfer = &additions->transfers.items[end->transfer];
    const fm_operation_sizes *sizes = &additions->sizes[transfer->origin];
    uint64_t bytes = transfer->number < sizes->count ? sizes->items[transfer->number] : 0;
    OTF2_CommRef communicator = additions->communicators[transfer->window];
    bool at_origin = end->location == transfer->origin;
    uint32_t peer = at_origin ? transfer->target_rank : transfer->origin_rank;
    return end->is_send ? OTF2_EvtWriter_MpiSend(writer, NULL, time, peer, communicator,
                                                 tags[transfer->type], bytes)
                        : OTF2_EvtWriter_MpiRecv(writer, NULL, time, peer, communicator,
                                                 tags[transfer->type], bytes);
}

/* @return the first end that is not before the given location and activity, or time */
static size_t lower_bound(const struct transfer_end *ends, size_t count,
                          const struct transfer_end *wanted)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_ends(&ends[middle], wanted) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static OTF2_ErrorCode put_ends_of_call(const struct additions *additions, OTF2_EvtWriter *writer,
                                       uint32_t activity, uint64_t time, bool is_send)
{
    const struct transfer_end wanted = {.location = additions->location, .activity = activity};
    size_t i = lower_bound(additions->in_calls.items, additions->in_calls.count, &wanted);
    OTF2_ErrorCode code = OTF2_SUCCESS;
    for (; code == OTF2_SUCCESS && i < additions->in_calls.count; i++) {
        const struct transfer_end *end = &additions->in_calls.items[i];
        if (end->location != additions->location || end->activity != activity) {
            break;
        }
        if (end->is_send == is_send) {
            code = put_end(additions, writer, end, time);
        }
    }
    return code;
}

static OTF2_ErrorCode begin(void *context, OTF2_EvtWriter *writer, uint32_t location,
                            const struct fm_otf2_references *references)
{
    (void)writer;
    struct additions *additions = context;
    const struct transfer_end wanted = {.location = location, .activity = FM_NONE};
    additions->communicators = references->window_communicators;
    additions->location = location;
    additions->next = lower_bound(additions->by_time.items, additions->by_time.count, &wanted);
    return OTF2_SUCCESS;
}

static OTF2_ErrorCode advance(void *context, OTF2_EvtWriter *writer, uint64_t time)
{
    struct additions *additions = context;
    OTF2_ErrorCode code = OTF2_SUCCESS;
    while (code == OTF2_SUCCESS && additions->next < additions->by_time.count) {
        const struct transfer_end *end = &additions->by_time.items[additions->next];
        if (end->location != additions->location || end->time >= time) {
            break;
        }
        code = put_end(additions, writer, end, end->time);
        additions->next++;
    }
    return code;
}

static OTF2_ErrorCode entered(void *context, OTF2_EvtWriter *writer, uint32_t activity,
                              uint64_t time)
{
    return put_ends_of_call(context, writer, activity, time, true);
}

static OTF2_ErrorCode leaving(void *context, OTF2_EvtWriter *writer, uint32_t activity,
                              uint64_t time)
{
    return put_ends_of_call(context, writer, activity, time, false);
}

static fm_status_t write_archive(const struct fm_export_request *request, const char *directory,
                                 struct fm_error *error)
{
    struct fm_event_source events;
    fm_status_t status = fm_event_source_open(&events, request, error);
    if (status != FM_OK) {
        return status;
    }
    struct additions additions = {.trace = events.detail->trace};
    status = fm_operation_sizes_read(additions.trace, &additions.sizes, error);
    if (status == FM_OK) {
        additions.transfers = fm_transfers_find(additions.trace);
        list_ends(&additions);
        const struct fm_otf2_additions functions = {
            .context = &additions,
            .begin = begin,
            .advance = advance,
            .entered = entered,
            .leaving = leaving,
        };
        status = fm_otf2_copy(additions.trace, directory, &functions, error);
        fm_operation_sizes_free(additions.trace, additions.sizes);
        fm_vector_free(&additions.transfers);
        fm_vector_free(&additions.in_calls);
        fm_vector_free(&additions.by_time);
    }
    fm_event_source_close(&events);
    return status;
}

const struct fm_export_format fm_export_otf2_extended = {
    .name = "otf2-extended",
    .file = "otf2-extended",
    .summary = "the trace with one-sided transfers as messages that end where they are complete",
    .of_events = true,
    .write_directory = write_archive,
};
