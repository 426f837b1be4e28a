/* SPDX-License-Identifier: BSD-3-Clause */
/* What the functions of a recording with counters only would cost in a trace: its calls and visits
 * (counters/call_profile.h), and the operations and the processor time that its counters state. */
#include "cli/score/score.h"

#include "base/containers/map.h"
#include "counters/call_profile.h"
#include "counters/counter_job.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TICKS_PER_SECOND = 1000000000 };

/* Samples in a second of processor time (--sample), and bytes of one in the trace: of the functions
 * that have ended and begun since the event before it. */
enum { SAMPLES_PER_SECOND = 100, SAMPLE_BYTES = 4 * FM_SCORE_REGION_EVENT };

/* Events of each operation that a counter counts; names without the model of communication. */
static const struct {
    const char *counter;
    double regions, others; /* events of regions, other ones */
} operations[] = {
    {"messages_sent", 0, 1},
    {"messages_received", 0, 1},
    {"calls:MPI_Isend", 0, 1},
    {"calls:MPI_Irecv", 0, 1},
    {"collectives", 0, 2},
    {"window_collectives", 0, 2},
    {"puts", 0, 2},
    {"gets", 0, 2},
    {"atomics", 0, 2},
    {"locks_acquired", 0, 2},
    {"parallel_regions", 2, 2},
    {"tasks_created", 2, 3},
    {"threads_created", 0, 4},
    {"communicators_created", 0, 2},
    {"regions", 2, 0},
};

static const char *without_model(const char *counter)
{
    const char *dot = strchr(counter, '.');
    return dot != NULL ? dot + 1 : counter;
}

/* ---- rows ---- */

/* The rows so far; names are kept once. */
struct reading {
    struct fm_score rows;
    struct fm_map known; /* hash of a text -> its number */
};

/* Rows that are the same function have the same place in this order. */
static int by_function(const void *left, const void *right)
{
    const struct fm_score_row *a = left, *b = right;
    int order = strcmp(a->name, b->name);
    order = order != 0 ? order : (int)b->instrumented - (int)a->instrumented;
    order = order != 0 ? order : (int)a->is_estimate - (int)b->is_estimate;
    return order != 0                           ? order
           : a->file == NULL || b->file == NULL ? (a->file != NULL) - (b->file != NULL)
                                                : strcmp(a->file, b->file);
}

/* Adds up rows of the same function. */
static void merge(struct fm_score *rows)
{
    size_t kept = 0;
    struct fm_score_row *all = rows->rows.items;
    if (rows->rows.count == 0) {
        return;
    }
    qsort(all, rows->rows.count, sizeof *all, by_function);
    for (size_t i = 1; i < rows->rows.count; i++) {
        if (by_function(&all[kept], &all[i]) != 0) {
            all[++kept] = all[i];
            continue;
        }
        all[kept].visits += all[i].visits;
        all[kept].ticks += all[i].ticks;
        all[kept].type = all[i].type < all[kept].type ? all[i].type : all[kept].type;
    }
    rows->rows.count = kept + 1;
}

static const char *keep(struct reading *reading, const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (const char *c = text; *c != '\0'; c++) {
        hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
    }
    uint32_t number = (uint32_t)reading->rows.texts.count;
    uint32_t known = *fm_map_at(&reading->known, hash, number);
    if (known != number && strcmp(reading->rows.texts.items[known], text) == 0) {
        return reading->rows.texts.items[known];
    }
    char *copy = fm_copy_string(text);
    fm_vector_push(&reading->rows.texts, copy);
    return copy;
}

static uint64_t ticks_of(double seconds)
{
    return (uint64_t)(seconds * TICKS_PER_SECOND + 0.5);
}

/* Functions that began on the call stack around calls. */
static void add_begun(struct reading *reading, const struct fm_call_row *row)
{
    for (size_t i = 0; i < row->frame_count; i++) {
        struct fm_call_frame frame = fm_call_frame_take_apart(fm_copy_string(row->frames[i]));
        fm_vector_push(&reading->rows.rows,
                       (struct fm_score_row){.name = keep(reading, frame.name),
                                             .type = FM_SCORE_COM,
                                             .is_estimate = true,
                                             .visits = (uint64_t)row->numbers[0]});
        fm_free(frame.name);
    }
}

static fm_status_t take(void *context, const struct fm_call_row *row, struct fm_error *error)
{
    struct reading *reading = context;
    (void)error;
    if (row->kind == FM_ROW_CALL) {
        fm_vector_push(
            &reading->rows.rows,
            (struct fm_score_row){.name = keep(reading, row->function),
                                  .type = fm_score_type_of(fm_paradigm_of_function(row->function)),
                                  .visits = (uint64_t)row->numbers[FM_CALL_NUMBER],
                                  .ticks = ticks_of(row->numbers[FM_CALL_SECONDS])});
    } else if (row->kind == FM_ROW_FUNCTION) {
        bool leads = row->numbers[FM_FUNCTION_LEADS] > 0;
        const char *file = row->file[0] != '\0' ? keep(reading, row->file) : NULL;
        fm_vector_push(&reading->rows.rows,
                       (struct fm_score_row){.name = keep(reading, row->function),
                                             .file = file,
                                             .type = leads ? FM_SCORE_COM : FM_SCORE_USR,
                                             .instrumented = true,
                                             .visits = (uint64_t)row->numbers[FM_FUNCTION_VISITS],
                                             .ticks = ticks_of(row->numbers[FM_FUNCTION_SECONDS])});
    } else if (row->kind == FM_ROW_BEGUN) {
        add_begun(reading, row);
    }
    return FM_OK;
}

/* Reads the rows of all processes that have any. */
static fm_status_t read_rows(const char *directory, const struct fm_counter_job *job,
                             struct reading *reading, struct fm_error *error)
{
    fm_status_t status = FM_OK;
    size_t lacking = 0;
    for (size_t i = 0; status == FM_OK && i < job->ranks; i++) {
        char path[PATH_MAX + 64];
        fm_counter_job_file(job, i, "calls", path, sizeof path);
        status = fm_call_profile_read(path, take, reading, error);
        if (status == FM_ERR_SYSTEM && errno == ENOENT) {
            lacking++;
            status = FM_OK;
        }
        merge(&reading->rows);
    }
    reading->rows.lacking = lacking;
    return status != FM_OK || lacking < job->ranks
               ? status
               : fm_fail(error, FM_ERR_DATA,
                         "%s: which functions were visited is known of processes that have reached "
                         "their regular end, and none has",
                         directory);
}

/* ---- the estimate ---- */

/* An instrumented function is the same in the trace as one of the call stack. */
static bool is_instrumented_too(const struct fm_score *rows, size_t i)
{
    const char *name = rows->rows.items[i].name;
    while (i > 0 && strcmp(rows->rows.items[i - 1].name, name) == 0) {
        i--;
    }
    return rows->rows.items[i].instrumented;
}

static void add_rows(struct fm_score *score, const struct fm_score *rows)
{
    for (size_t i = 0; i < rows->rows.count; i++) {
        struct fm_score_row row = rows->rows.items[i];
        if (row.is_estimate && is_instrumented_too(rows, i)) {
            continue;
        }
        row.bytes = 2.0 * FM_SCORE_REGION_EVENT * (double)row.visits;
        fm_score_add(score, row);
    }
    fm_score_sort(score);
}

static double total(const struct fm_counter_job *job, const char *name)
{
    size_t counter = fm_counter_job_find(job, name);
    return counter < job->count ? fm_counter_job_spread(job, counter, -1).total : 0;
}

static double bytes_of_operations(const struct fm_counter_job *job)
{
    double bytes = 0;
    for (size_t i = 0; i < job->count; i++) {
        const char *name = without_model(job->counters[i].name);
        for (size_t k = 0; k < sizeof operations / sizeof operations[0]; k++) {
            if (strcmp(name, operations[k].counter) == 0) {
                bytes += fm_counter_job_spread(job, i, -1).total *
                         (operations[k].regions * FM_SCORE_REGION_EVENT +
                          operations[k].others * FM_SCORE_OTHER_EVENT);
            }
        }
    }
    return bytes;
}

static void estimate(struct fm_score *score, const struct fm_counter_job *job)
{
    size_t records = fm_counter_job_find(job, "recorder.bytes");
    score->samples =
        SAMPLES_PER_SECOND * (total(job, "usage.time_user") + total(job, "usage.time_system"));
    score->bytes = score->all.bytes + bytes_of_operations(job) + score->samples * SAMPLE_BYTES;
    score->buffer = records < job->count ? fm_counter_job_spread(job, records, -1).most : 0;
}

fm_status_t fm_score_read_counters(const char *directory, struct fm_score *score,
                                   struct fm_error *error)
{
    struct fm_counter_job job;
    struct reading reading = {0};
    *score = (struct fm_score){.ticks_per_second = TICKS_PER_SECOND, .is_estimate = true};
    fm_status_t status = fm_counter_job_open(directory, &job, error);
    if (status != FM_OK) {
        return status;
    }
    fm_counter_job_read(&job);
    status = read_rows(directory, &job, &reading, error);
    if (status == FM_OK) {
        add_rows(score, &reading.rows);
        estimate(score, &job);
        score->processes = job.ranks;
        score->lacking = reading.rows.lacking;
    }
    fm_vector_settle(&reading.rows.texts, &score->texts);
    fm_score_free(&reading.rows);
    fm_map_free(&reading.known);
    fm_counter_job_close(&job);
    return status;
}
