/* SPDX-License-Identifier: BSD-3-Clause */
#include "counters/traffic/job_traffic.h"

#include "base/containers/map.h"
#include "base/memory.h"
#include "counters/traffic/job_traffic_rows.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* What is read so far. */
struct reading {
    struct fm_job_traffic *traffic;
    const struct fm_job_world *world;
    uint32_t rank;              /* whose file is read */
    struct fm_map numbers;      /* world << 32 | number -> place among all communicators */
    FM_VECTOR(uint32_t) parent; /* [place]: number in its world, or FM_JOB_TRAFFIC_NONE */
    struct fm_map rows;         /* place -> bytes of this rank, as position in `bytes` */
    FM_VECTOR(uint32_t) used;   /* places of communicators with rows of this rank */
    FM_VECTOR(uint64_t) bytes;  /* [position in used] */
};

static const char *const names[FM_FLOWS] = {[FM_FLOW_SENT] = "sent",
                                            [FM_FLOW_RECEIVED] = "received",
                                            [FM_FLOW_PUT] = "put",
                                            [FM_FLOW_GET] = "get",
                                            [FM_FLOW_ATOMIC] = "atomic"};

const char *fm_traffic_flow_name(enum fm_traffic_flow flow)
{
    return names[flow];
}

uint64_t fm_traffic_communicator_bytes(const struct fm_traffic_communicator *communicator)
{
    const struct fm_traffic_sum *flows = communicator->flows;
    return flows[FM_FLOW_SENT].bytes + flows[FM_FLOW_PUT].bytes + flows[FM_FLOW_GET].bytes +
           flows[FM_FLOW_ATOMIC].bytes + communicator->collective_sent +
           communicator->collective_received;
}

/* ---- communicators ---- */

static uint64_t key_of(const struct reading *reading, uint32_t number)
{
    return (uint64_t)reading->world->number << 32 | number;
}

static uint32_t rank_in_run(const struct reading *reading, uint32_t rank)
{
    return rank != FM_JOB_TRAFFIC_NONE ? reading->world->first + rank : FM_JOB_TRAFFIC_NONE;
}

/* Replaces a text that is not known. */
static void learn(char **text, const char *other)
{
    if ((*text)[0] == '\0' && other[0] != '\0') {
        fm_free(*text);
        *text = fm_copy_string(other);
    }
}

static fm_status_t add_communicator(struct reading *reading, const struct fm_job_traffic_row *row,
                                    struct fm_error *error)
{
    struct fm_job_traffic *traffic = reading->traffic;
    uint32_t next = (uint32_t)traffic->communicators.count;
    uint32_t place = *fm_map_at(&reading->numbers, key_of(reading, row->communicator), next);
    uint32_t first = rank_in_run(reading, row->first);
    if (place == next) {
        fm_vector_push(&reading->parent, row->parent);
        fm_vector_push(&traffic->communicators,
                       (struct fm_traffic_communicator){.world = reading->world->number,
                                                        .number = row->communicator,
                                                        .size = row->size,
                                                        .remote_size = row->remote_size,
                                                        .first = first,
                                                        .parent = FM_JOB_TRAFFIC_NONE,
                                                        .maker = fm_copy_string(row->maker),
                                                        .name = fm_copy_string(row->name),
                                                        .most_rank = FM_JOB_TRAFFIC_NONE});
        return FM_OK;
    }
    struct fm_traffic_communicator *known = &traffic->communicators.items[place];
    if (known->size + known->remote_size != row->size + row->remote_size) {
        return fm_fail(error, FM_ERR_DATA,
                       "rank %u: communicator %u has %u processes, and %u in other files",
                       reading->rank, row->communicator, row->size + row->remote_size,
                       known->size + known->remote_size);
    }
    if (first < known->first) { /* the other side of an inter-communicator */
        known->first = first;
        known->size = row->size;
        known->remote_size = row->remote_size;
    }
    learn(&known->maker, row->maker);
    learn(&known->name, row->name);
    return FM_OK;
}

/* @return the bytes of this rank on a communicator; its sum of ranks grows with the first */
static uint64_t *own_bytes(struct reading *reading, uint32_t place)
{
    uint32_t next = (uint32_t)reading->used.count;
    uint32_t position = *fm_map_at(&reading->rows, place, next);
    if (position == next) {
        fm_vector_push(&reading->used, place);
        fm_vector_push(&reading->bytes, 0);
    }
    return &reading->bytes.items[position];
}

/* ---- rows of traffic ---- */

static void add_flow(struct reading *reading, const struct fm_job_traffic_row *row,
                     struct fm_traffic_communicator *communicator, enum fm_traffic_flow flow,
                     unsigned number)
{
    struct fm_job_traffic *traffic = reading->traffic;
    const struct fm_traffic_sum sum = {row->numbers[number], row->numbers[number + 1]};
    uint32_t peer = rank_in_run(reading, row->peer);
    if (sum.count == 0) {
        return;
    }
    if (communicator == NULL) {
        traffic->lost[flow].count += sum.count;
        traffic->lost[flow].bytes += sum.bytes;
        return;
    }
    communicator->flows[flow].count += sum.count;
    communicator->flows[flow].bytes += sum.bytes;
    if (peer == FM_JOB_TRAFFIC_NONE) {
        traffic->elsewhere[flow].count += sum.count;
        traffic->elsewhere[flow].bytes += sum.bytes;
        return;
    }
    bool is_receipt = flow == FM_FLOW_RECEIVED;
    fm_vector_push(&traffic->links, (struct fm_rank_link){.kind = flow,
                                                          .from = is_receipt ? peer : reading->rank,
                                                          .to = is_receipt ? reading->rank : peer,
                                                          .bytes = sum.bytes,
                                                          .messages = sum.count});
}

/* Adds a row to a communicator, or to what is lost (NULL). @return bytes that count for its rank */
static uint64_t add_traffic(struct reading *reading, const struct fm_job_traffic_row *row,
                            struct fm_traffic_communicator *communicator)
{
    const uint64_t *numbers = row->numbers;
    if (row->kind == FM_JOB_TRAFFIC_ROW_MESSAGES) {
        add_flow(reading, row, communicator, FM_FLOW_SENT, 0);
        add_flow(reading, row, communicator, FM_FLOW_RECEIVED, 2);
        return numbers[1];
    }
    if (row->kind == FM_JOB_TRAFFIC_ROW_ONE_SIDED) {
        add_flow(reading, row, communicator, FM_FLOW_PUT, 0);
        add_flow(reading, row, communicator, FM_FLOW_GET, 2);
        add_flow(reading, row, communicator, FM_FLOW_ATOMIC, 4);
        return numbers[1] + numbers[3] + numbers[5];
    }
    if (communicator == NULL) {
        reading->traffic->lost_collectives += numbers[0];
        return 0;
    }
    communicator->collectives += numbers[0];
    communicator->collective_sent += numbers[1];
    communicator->collective_received += numbers[2];
    return numbers[1] + numbers[2];
}

static fm_status_t take_row(void *context, const struct fm_job_traffic_row *row,
                            struct fm_error *error)
{
    struct reading *reading = context;
    struct fm_traffic_communicator *communicator = NULL;
    if (row->kind == FM_JOB_TRAFFIC_ROW_COMMUNICATOR) {
        return add_communicator(reading, row, error);
    }
    if (row->peer != FM_JOB_TRAFFIC_NONE && row->peer >= reading->world->size) {
        return fm_fail(error, FM_ERR_DATA, "rank %u: traffic with rank %u of %u", reading->rank,
                       row->peer, reading->world->size);
    }
    uint32_t place = FM_MAP_ABSENT;
    if (row->communicator != FM_JOB_TRAFFIC_NONE) {
        place = fm_map_get(&reading->numbers, key_of(reading, row->communicator));
        if (place == FM_MAP_ABSENT) {
            return fm_fail(error, FM_ERR_DATA, "rank %u: traffic of the unknown communicator %u",
                           reading->rank, row->communicator);
        }
        communicator = &reading->traffic->communicators.items[place];
    }
    uint64_t bytes = add_traffic(reading, row, communicator);
    if (communicator != NULL) {
        *own_bytes(reading, place) += bytes;
    }
    return FM_OK;
}

/* ---- processes ---- */

/* Compares a rank whose file was read with those read before. */
static void end_rank(struct reading *reading)
{
    for (size_t i = 0; i < reading->used.count; i++) {
        struct fm_traffic_communicator *communicator =
            &reading->traffic->communicators.items[reading->used.items[i]];
        communicator->ranks++;
        if (communicator->most_rank == FM_JOB_TRAFFIC_NONE ||
            reading->bytes.items[i] > communicator->most_bytes) {
            communicator->most_rank = reading->rank;
            communicator->most_bytes = reading->bytes.items[i];
        }
    }
    fm_map_clear(&reading->rows);
    reading->used.count = reading->bytes.count = 0;
}

static fm_status_t read_rank(struct reading *reading, const struct fm_counter_job *job,
                             size_t position, struct fm_error *error)
{
    char path[PATH_MAX + 64];
    reading->rank = fm_counter_job_rank(job, position);
    reading->world = &job->worlds[job->world_of[position]];
    fm_counter_job_file(job, position, "links", path, sizeof path);
    fm_status_t status = fm_job_traffic_rows_read(path, take_row, reading, error);
    if (status == FM_ERR_SYSTEM && errno == ENOENT) {
        return FM_OK;
    }
    reading->traffic->files++;
    end_rank(reading);
    return status;
}

/* ---- the whole ---- */

static int by_number(const void *left, const void *right)
{
    const struct fm_traffic_communicator *a = left, *b = right;
    return a->world != b->world ? (a->world < b->world ? -1 : 1)
                                : (a->number > b->number) - (a->number < b->number);
}

/* Parents are numbers so far; places are known when all files are read. */
static void settle(struct reading *reading)
{
    struct fm_job_traffic *traffic = reading->traffic;
    struct fm_map places = {0};
    for (size_t i = 0; i < traffic->communicators.count; i++) {
        traffic->communicators.items[i].parent = reading->parent.items[i];
    }
    if (traffic->communicators.count > 1) {
        qsort(traffic->communicators.items, traffic->communicators.count,
              sizeof *traffic->communicators.items, by_number);
    }
    for (size_t i = 0; i < traffic->communicators.count; i++) {
        const struct fm_traffic_communicator *each = &traffic->communicators.items[i];
        fm_map_at(&places, (uint64_t)each->world << 32 | each->number, (uint32_t)i);
    }
    for (size_t i = 0; i < traffic->communicators.count; i++) {
        struct fm_traffic_communicator *each = &traffic->communicators.items[i];
        uint32_t parent = fm_map_get(&places, (uint64_t)each->world << 32 | each->parent);
        each->parent = each->parent == FM_JOB_TRAFFIC_NONE || parent == FM_MAP_ABSENT || parent == i
                           ? FM_JOB_TRAFFIC_NONE
                           : parent;
    }
    fm_map_free(&places);
    traffic->links.count = fm_rank_links_merge(traffic->links.items, traffic->links.count);
}

fm_status_t fm_job_traffic_read(const struct fm_counter_job *job, struct fm_job_traffic *traffic,
                                struct fm_error *error)
{
    struct reading reading = {.traffic = traffic};
    fm_status_t status = FM_OK;
    *traffic = (struct fm_job_traffic){.ranks = fm_counter_job_size(job)};
    for (size_t i = 0; status == FM_OK && i < job->ranks; i++) {
        status = read_rank(&reading, job, i, error);
    }
    if (status == FM_OK) {
        settle(&reading);
    }
    if (status == FM_OK && traffic->files == 0) {
        status = fm_fail(error, FM_ERR_DATA,
                         "there is no file counters/links.N: processes write it in recordings with "
                         "counters only (fermata record --counters-only) at their regular end");
    }
    fm_map_free(&reading.numbers);
    fm_map_free(&reading.rows);
    fm_vector_free(&reading.parent);
    fm_vector_free(&reading.used);
    fm_vector_free(&reading.bytes);
    return status;
}

void fm_job_traffic_free(struct fm_job_traffic *traffic)
{
    for (size_t i = 0; i < traffic->communicators.count; i++) {
        fm_free(traffic->communicators.items[i].maker);
        fm_free(traffic->communicators.items[i].name);
    }
    fm_vector_free(&traffic->communicators);
    fm_vector_free(&traffic->links);
}
