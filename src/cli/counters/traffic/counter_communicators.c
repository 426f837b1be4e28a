/* SPDX-License-Identifier: BSD-3-Clause */
/* fermata counters communicators: which communicators carry the traffic, of recordings with
 * counters only. */
#include "base/memory.h"
#include "cli/counters/counter_output.h"
#include "cli/counters/traffic/traffic_gaps.h"
#include "cli/text/safe_text.h"
#include "counters/traffic/job_traffic_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { NAME_BYTES = 512 };

static int by_bytes(const void *left, const void *right)
{
    const struct fm_traffic_communicator *a = *(const struct fm_traffic_communicator *const *)left;
    const struct fm_traffic_communicator *b = *(const struct fm_traffic_communicator *const *)right;
    uint64_t of_a = fm_traffic_communicator_bytes(a), of_b = fm_traffic_communicator_bytes(b);
    return of_a != of_b ? (of_a < of_b ? 1 : -1) : (a > b) - (a < b);
}

static struct fm_traffic_sum one_sided(const struct fm_traffic_communicator *communicator)
{
    struct fm_traffic_sum sum = {0};
    for (int flow = FM_FLOW_PUT; flow <= FM_FLOW_ATOMIC; flow++) {
        sum.count += communicator->flows[flow].count;
        sum.bytes += communicator->flows[flow].bytes;
    }
    return sum;
}

/* Writes the name of a communicator, or how it was made. */
static void describe(char text[NAME_BYTES], const struct fm_job_traffic *traffic,
                     const struct fm_traffic_communicator *communicator)
{
    char of[NAME_BYTES / 2] = "", first[64] = "";
    bool is_alone = communicator->size + communicator->remote_size == 1;
    if (communicator->name[0] != '\0') {
        snprintf(text, NAME_BYTES, "%s", communicator->name);
        return;
    }
    if (communicator->parent != FM_JOB_TRAFFIC_NONE) {
        const struct fm_traffic_communicator *parent =
            &traffic->communicators.items[communicator->parent];
        if (parent->name[0] != '\0') {
            snprintf(of, sizeof of, " of %.200s", parent->name);
        } else {
            snprintf(of, sizeof of, " of communicator %" PRIu32, parent->number);
        }
    }
    if (!is_alone && communicator->first != FM_JOB_TRAFFIC_NONE) {
        snprintf(first, sizeof first, ", rank %" PRIu32 " first", communicator->first);
    }
    const char *unknown = communicator->parent != FM_JOB_TRAFFIC_NONE ? "made" : "group";
    snprintf(text, NAME_BYTES, "%s%s%s",
             communicator->maker[0] != '\0' ? communicator->maker : unknown, of, first);
}

static void print_text(const struct fm_job_traffic *traffic,
                       const struct fm_traffic_communicator *const *order, size_t count)
{
    printf("%6s %9s %11s %15s %11s %15s %11s %15s %12s  %s\n", "number", "processes", "messages",
           "bytes", "collectives", "bytes", "one-sided", "bytes", "most in rank", "communicator");
    for (size_t i = 0; i < count; i++) {
        const struct fm_traffic_communicator *each = order[i];
        const struct fm_traffic_sum operations = one_sided(each);
        const uint64_t numbers[] = {each->flows[FM_FLOW_SENT].count,
                                    each->flows[FM_FLOW_SENT].bytes,
                                    each->collectives,
                                    each->collective_sent + each->collective_received,
                                    operations.count,
                                    operations.bytes};
        char number[32], size[32], most[32], name[NAME_BYTES], safe[NAME_BYTES];
        char digits[FM_COUNTER_TEXT];
        if (each->world != 0) {
            snprintf(number, sizeof number, "%" PRIu32 "/%" PRIu32, each->world, each->number);
        } else {
            snprintf(number, sizeof number, "%" PRIu32, each->number);
        }
        if (each->remote_size != 0) {
            snprintf(size, sizeof size, "%" PRIu32 "+%" PRIu32, each->size, each->remote_size);
        } else {
            snprintf(size, sizeof size, "%" PRIu32, each->size);
        }
        printf("%6s %9s", number, size);
        for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
            printf(" %*s", k % 2 == 0 ? 11 : 15,
                   fm_counter_text(digits, FM_COUNTER_COUNT, (double)numbers[k]));
        }
        snprintf(most, sizeof most, "%" PRIu32, each->most_rank);
        describe(name, traffic, each);
        printf(" %12s  %s\n", each->most_bytes > 0 ? most : "-",
               fm_safe_copy(safe, sizeof safe, name));
    }
}

static void print_csv(const struct fm_job_traffic *traffic,
                      const struct fm_traffic_communicator *const *order, size_t count)
{
    puts("world,number,size,remote_size,ranks,messages_sent,bytes_sent,messages_received,"
         "bytes_received,collectives,collective_bytes_sent,collective_bytes_received,one_sided,"
         "one_sided_bytes,bytes,most_rank,most_bytes,communicator");
    for (size_t i = 0; i < count; i++) {
        const struct fm_traffic_communicator *each = order[i];
        const struct fm_traffic_sum operations = one_sided(each);
        char name[NAME_BYTES], safe[NAME_BYTES];
        describe(name, traffic, each);
        printf("%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32, each->world,
               each->number, each->size, each->remote_size, each->ranks);
        printf(",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, each->flows[FM_FLOW_SENT].count,
               each->flows[FM_FLOW_SENT].bytes, each->flows[FM_FLOW_RECEIVED].count,
               each->flows[FM_FLOW_RECEIVED].bytes);
        printf(",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64,
               each->collectives, each->collective_sent, each->collective_received,
               operations.count, operations.bytes, fm_traffic_communicator_bytes(each));
        printf(",%" PRIu32 ",%" PRIu64 ",\"", each->most_rank, each->most_bytes);
        fm_safe_copy(safe, sizeof safe, name);
        for (const char *c = safe; *c != '\0'; c++) {
            printf("%s%c", *c == '"' ? "\"" : "", *c);
        }
        puts("\"");
    }
}

static void write_communicator(struct fm_json *json, const struct fm_job_traffic *traffic,
                               const struct fm_traffic_communicator *communicator)
{
    char name[NAME_BYTES];
    describe(name, traffic, communicator);
    fm_json_object(json, NULL);
    fm_json_unsigned(json, "world", communicator->world);
    fm_json_unsigned(json, "number", communicator->number);
    fm_json_string(json, "communicator", name);
    fm_json_string(json, "name", communicator->name);
    fm_json_string(json, "made_by", communicator->maker);
    if (communicator->parent != FM_JOB_TRAFFIC_NONE) {
        fm_json_unsigned(json, "made_of",
                         traffic->communicators.items[communicator->parent].number);
    }
    fm_json_unsigned(json, "size", communicator->size);
    fm_json_unsigned(json, "remote_size", communicator->remote_size);
    fm_json_unsigned(json, "ranks", communicator->ranks);
    for (int flow = 0; flow < FM_FLOWS; flow++) {
        fm_json_object(json, fm_traffic_flow_name((enum fm_traffic_flow)flow));
        fm_json_unsigned(json, "count", communicator->flows[flow].count);
        fm_json_unsigned(json, "bytes", communicator->flows[flow].bytes);
        fm_json_end(json);
    }
    fm_json_unsigned(json, "collectives", communicator->collectives);
    fm_json_unsigned(json, "collective_bytes_sent", communicator->collective_sent);
    fm_json_unsigned(json, "collective_bytes_received", communicator->collective_received);
    fm_json_unsigned(json, "bytes", fm_traffic_communicator_bytes(communicator));
    fm_json_unsigned(json, "most_rank", communicator->most_rank);
    fm_json_unsigned(json, "most_bytes", communicator->most_bytes);
    fm_json_end(json);
}

static void print_json(const struct fm_job_traffic *traffic,
                       const struct fm_traffic_communicator *const *order, size_t count)
{
    struct fm_json json = fm_json_begin(stdout, FM_JSON_INDENTED);
    fm_json_object(&json, NULL);
    fm_json_unsigned(&json, "ranks", traffic->ranks);
    fm_json_unsigned(&json, "ranks_counted", traffic->files);
    fm_json_unsigned(&json, "lost_operations", fm_traffic_lost(traffic));
    fm_json_array(&json, "communicators");
    for (size_t i = 0; i < count; i++) {
        write_communicator(&json, traffic, order[i]);
    }
    fm_json_end(&json);
    fm_json_end(&json);
    putchar('\n');
}

fm_status_t fm_counters_communicators(const struct fm_counter_request *request,
                                      const struct fm_counter_job *job, const char *directory,
                                      struct fm_error *error)
{
    struct fm_job_traffic traffic;
    fm_status_t status = fm_job_traffic_read(job, &traffic, error);
    if (status == FM_OK) {
        size_t count = 0;
        const struct fm_traffic_communicator **order =
            fm_allocate(traffic.communicators.count, sizeof *order);
        for (size_t i = 0; i < traffic.communicators.count; i++) {
            if (traffic.communicators.items[i].ranks > 0) {
                order[count++] = &traffic.communicators.items[i];
            }
        }
        if (count > 1) {
            qsort(order, count, sizeof *order, by_bytes);
        }
        fm_counters_note_cut(job, directory, traffic.files);
        fm_traffic_print_gaps(&traffic, directory);
        if (request->format == FM_COUNTERS_CSV) {
            print_csv(&traffic, order, count);
        } else if (request->format == FM_COUNTERS_JSON) {
            print_json(&traffic, order, count);
        } else {
            print_text(&traffic, order, count);
        }
        fm_free(order);
    }
    fm_job_traffic_free(&traffic);
    return status;
}
