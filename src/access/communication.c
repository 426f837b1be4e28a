/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls, messages, collective operations, one-sided operations, events of threads. */
#include "access/access_tables.h"

#include "analysis/collective/collective_index.h"
#include "base/memory.h"
#include "trace/tables/record_kind.h"

void fm_access_calls(struct fm_access_source *source)
{
    struct fermata_trace *tables = source->tables;
    const struct fm_trace *trace = source->trace;
    int64_t count = 0;
    for (uint32_t l = 0; l < trace->location_count; l++) {
        source->first_call[l] = count;
        count += (int64_t)trace->locations[l].enter.count;
    }
    fm_access_size(tables, FM_TABLE_OF_calls, (size_t)count);
    int32_t *locations = fm_access_int32(tables, FM_COLUMN_calls_location);
    int64_t *enter = fm_access_int64(tables, FM_COLUMN_calls_enter);
    int64_t *leave = fm_access_int64(tables, FM_COLUMN_calls_leave);
    int32_t *callpath = fm_access_int32(tables, FM_COLUMN_calls_callpath);
    int32_t *region = fm_access_int32(tables, FM_COLUMN_calls_region);
    int64_t row = 0;
    for (uint32_t l = 0; l < trace->location_count; l++) {
        const struct fm_location *location = &trace->locations[l];
        for (size_t i = 0; i < location->enter.count; i++, row++) {
            const struct fm_visit_profile *node =
                &location->profile.items[location->visit.items[i]];
            locations[row] = (int32_t)l;
            enter[row] = fm_access_ticks(source, location->enter.items[i]);
            leave[row] = fm_access_ticks(source, location->leave.items[i]);
            callpath[row] = (int32_t)node->callpath;
            region[row] = (int32_t)node->region;
        }
    }
}

/* ---- messages ---- */

static void set_first(int64_t *partners, int64_t call, int64_t partner)
{
    if (call >= 0 && partners[call] < 0) {
        partners[call] = partner;
    }
}

static void put_message(struct fm_access_source *source, size_t row,
                        const struct fm_detail_message *message)
{
    struct fermata_trace *tables = source->tables;
    int64_t *partners = fm_access_int64(tables, FM_COLUMN_calls_partner);
    uint32_t post_location = message->record_location;
    const struct fm_message_end *record =
        &source->trace->locations[post_location].receives.items[message->record_row];
    const int64_t send = fm_access_call(source, message->send_location, message->send_activity);
    const int64_t receive =
        fm_access_call(source, message->receive_location, message->receive_activity);
    const uint32_t post = fm_trace_post(source->trace, &post_location, message->record_row);
    fm_access_int64(tables, FM_COLUMN_messages_send)[row] = send;
    fm_access_int64(tables, FM_COLUMN_messages_receive)[row] = receive;
    fm_access_int64(tables, FM_COLUMN_messages_post)[row] =
        fm_access_call(source, post_location, post);
    fm_access_int64(tables, FM_COLUMN_messages_bytes)[row] = message->bytes;
    fm_access_int64(tables, FM_COLUMN_messages_tag)[row] = record->tag;
    fm_access_int32(tables, FM_COLUMN_messages_communicator)[row] = (int32_t)record->communicator;
    set_first(partners, send, receive);
    set_first(partners, receive, send);
}

static void make_messages(struct fm_access_source *source)
{
    const struct fm_detail *detail = source->detail;
    size_t count = 0, row = 0;
    for (uint32_t p = 0; p < source->trace->process_count; p++) {
        count += detail->messages[p].count;
    }
    fm_access_size(source->tables, FM_TABLE_OF_messages, count);
    for (uint32_t p = 0; p < source->trace->process_count; p++) {
        for (size_t i = 0; i < detail->messages[p].count; i++) {
            put_message(source, row++, &detail->messages[p].items[i]);
        }
    }
}

/* ---- collective operations ---- */

/* @return [instance]: row; -1: incomplete */
static int64_t *make_instances(struct fm_access_source *source,
                               const struct fm_collective_index *index)
{
    struct fermata_trace *tables = source->tables;
    int64_t *rows = fm_allocate(index->instances.count + 1, sizeof *rows);
    size_t count = 0;
    for (size_t i = 0; i < index->instances.count; i++) {
        const bool complete = fm_collective_is_complete(source->trace, &index->instances.items[i]);
        rows[i] = complete ? (int64_t)count++ : -1;
    }
    fm_access_size(tables, FM_TABLE_OF_collectives, count);
    for (size_t i = 0; i < index->instances.count; i++) {
        const struct fm_collective_instance *instance = &index->instances.items[i];
        const int64_t row = rows[i];
        if (row < 0) {
            continue;
        }
        fm_access_int32(tables, FM_COLUMN_collectives_communicator)[row] =
            (int32_t)instance->communicator;
        fm_access_int32(tables, FM_COLUMN_collectives_members)[row] = (int32_t)instance->members;
        fm_access_int64(tables, FM_COLUMN_collectives_first_enter)[row] =
            fm_access_ticks(source, instance->first_enter);
        fm_access_int64(tables, FM_COLUMN_collectives_last_enter)[row] =
            fm_access_ticks(source, instance->last_enter);
        fm_access_int64(tables, FM_COLUMN_collectives_first_leave)[row] =
            fm_access_ticks(source, instance->first_leave);
        fm_access_int64(tables, FM_COLUMN_collectives_last)[row] =
            fm_access_call(source, instance->last_location, instance->last_activity);
    }
    return rows;
}

static void make_collectives(struct fm_access_source *source)
{
    struct fermata_trace *tables = source->tables;
    struct fm_collective_index index;
    fm_collective_index_open(&index, source->trace);
    int64_t *rows = make_instances(source, &index);
    size_t most = 0, count = 0;
    for (uint32_t l = 0; l < source->trace->location_count; l++) {
        most += index.parts[l].count;
    }
    fm_access_size(tables, FM_TABLE_OF_members, most);
    for (uint32_t l = 0; l < source->trace->location_count; l++) {
        for (size_t i = 0; i < index.parts[l].count; i++) {
            const struct fm_collective_part *part = &index.parts[l].items[i];
            if (rows[part->instance] < 0) {
                continue;
            }
            const int64_t call = fm_access_call(source, l, part->activity);
            fm_access_int64(tables, FM_COLUMN_members_collective)[count] = rows[part->instance];
            fm_access_int64(tables, FM_COLUMN_members_call)[count] = call;
            set_first(fm_access_int64(tables, FM_COLUMN_calls_collective), call,
                      rows[part->instance]);
            count++;
        }
    }
    fm_access_shorten(tables, FM_TABLE_OF_members, count);
    fm_free(rows);
    fm_collective_index_close(&index, source->trace);
}

/* ---- one-sided operations, threads ---- */

static void make_operations(struct fm_access_source *source)
{
    struct fermata_trace *tables = source->tables;
    const struct fm_trace *trace = source->trace;
    size_t most = 0, row = 0;
    for (uint32_t l = 0; l < trace->location_count; l++) {
        most += trace->locations[l].rma.count;
    }
    fm_access_size(tables, FM_TABLE_OF_operations, most);
    for (uint32_t l = 0; l < trace->location_count; l++) {
        const struct fm_location *location = &trace->locations[l];
        size_t operation = 0;
        for (size_t i = 0; i < location->rma.count; i++) {
            const struct fm_rma *record = &location->rma.items[i];
            const char *kind = fm_rma_kind(record);
            if (kind == NULL) {
                continue;
            }
            const uint32_t target =
                fm_trace_member(trace, trace->windows[record->window].communicator, record->peer,
                                location->process);
            fm_access_int64(tables, FM_COLUMN_operations_call)[row] =
                fm_access_call(source, l, record->activity);
            fm_access_text(tables, FM_COLUMN_operations_kind)[row] = kind;
            fm_access_int32(tables, FM_COLUMN_operations_target)[row] = fm_access_row(target);
            fm_access_int64(tables, FM_COLUMN_operations_bytes)[row] =
                operation < location->operation_bytes.count
                    ? (int64_t)location->operation_bytes.items[operation]
                    : 0;
            operation++;
            row++;
        }
    }
    fm_access_shorten(tables, FM_TABLE_OF_operations, row);
}

static void make_threads(struct fm_access_source *source)
{
    struct fermata_trace *tables = source->tables;
    const struct fm_trace *trace = source->trace;
    size_t most = 0, row = 0;
    for (uint32_t l = 0; l < trace->location_count; l++) {
        most += trace->locations[l].threads.count;
    }
    fm_access_size(tables, FM_TABLE_OF_threads, most);
    for (uint32_t l = 0; l < trace->location_count; l++) {
        for (size_t i = 0; i < trace->locations[l].threads.count; i++) {
            const struct fm_thread_record *record = &trace->locations[l].threads.items[i];
            const char *kind = fm_thread_record_kind(record);
            if (kind == NULL) {
                continue;
            }
            fm_access_int32(tables, FM_COLUMN_threads_location)[row] = (int32_t)l;
            fm_access_int64(tables, FM_COLUMN_threads_time)[row] =
                fm_access_ticks(source, record->time);
            fm_access_text(tables, FM_COLUMN_threads_kind)[row] = kind;
            fm_access_int64(tables, FM_COLUMN_threads_id)[row] = (int64_t)record->id;
            fm_access_int64(tables, FM_COLUMN_threads_call)[row] =
                fm_access_call(source, l, record->activity);
            row++;
        }
    }
    fm_access_shorten(tables, FM_TABLE_OF_threads, row);
}

void fm_access_communication(struct fm_access_source *source)
{
    make_messages(source);
    make_collectives(source);
    make_operations(source);
    make_threads(source);
}
