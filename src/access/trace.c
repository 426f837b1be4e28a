/* SPDX-License-Identifier: BSD-3-Clause */
/* libfermata-trace: the functions of include/fermata/trace.h. */
#include "access/access_tables.h"

#include "base/memory.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int fermata_trace_version(void)
{
    return FERMATA_TRACE_VERSION;
}

/* ---- opening ---- */

/* Takes what the last `fermata analyze --progress` of this experiment states. */
static void take_progress(const char *archive, struct fm_analysis_options *options)
{
    char *path = NULL;
    if (asprintf(&path, "%s/environment.json", archive) < 0) {
        fm_memory_exhausted();
    }
    json_t *environment = json_load_file(path, JSON_REJECT_DUPLICATES, NULL);
    const char *stated = json_string_value(json_object_get(environment, "progress"));
    options->asynchronous_progress = stated != NULL && strcmp(stated, "async") == 0;
    options->progress_by_targets = stated != NULL && strcmp(stated, "target") == 0;
    json_decref(environment);
    free(path);
}

static void copy_warnings(struct fermata_trace *tables, const struct fm_cube *cube)
{
    tables->warnings = fm_allocate(cube->warning_count + (size_t)1, sizeof *tables->warnings);
    tables->warning_count = cube->warning_count;
    for (uint32_t i = 0; i < cube->warning_count; i++) {
        tables->warnings[i] = fm_copy_string(cube->warnings[i]);
    }
}

static struct fermata_trace *make_tables(const struct fm_detail *detail, const struct fm_cube *cube)
{
    struct fermata_trace *tables = fm_allocate(1, sizeof *tables);
    const size_t locations = detail->trace->location_count;
    struct fm_access_source source = {
        .tables = tables,
        .detail = detail,
        .trace = detail->trace,
        .cube = cube,
        .begin = cube->experiment.begin,
        .first_call = fm_allocate(locations + 1, sizeof *source.first_call),
        .first_wait = fm_allocate(locations + 1, sizeof *source.first_wait),
    };
    tables->ticks_per_second = (double)detail->trace->ticks_per_second;
    copy_warnings(tables, cube);
    fm_access_begin(tables);
    fm_access_definitions(&source);
    fm_access_calls(&source);
    fm_access_functions(&source);
    fm_access_communication(&source);
    fm_access_sends(&source);
    fm_access_holds(&source);
    fm_access_waits(&source);
    fm_access_results(&source);
    fm_free(source.first_call);
    fm_free(source.first_wait);
    return tables;
}

/* Sets an option. @return false: there is none like this */
static bool set_option(struct fm_analysis_options *options, const char *word, size_t length)
{
    static const struct {
        const char *word;
        int clock;    /* fm_cube_clock_mode_t; -1: another option */
        int progress; /* 0: evidence; 1: of targets; 2: asynchronous; -1: another option */
    } known[] = {
        {"clock=linear", FM_CUBE_CLOCK_LINEAR, -1},
        {"clock=clc", FM_CUBE_CLOCK_LOGICAL, -1},
        {"clock=none", FM_CUBE_CLOCK_NONE, -1},
        {"progress=evidence", -1, 0},
        {"progress=target", -1, 1},
        {"progress=async", -1, 2},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strlen(known[i].word) == length && strncmp(known[i].word, word, length) == 0) {
            options->clock =
                known[i].clock < 0 ? options->clock : (fm_cube_clock_mode_t)known[i].clock;
            if (known[i].progress >= 0) {
                options->progress_by_targets = known[i].progress == 1;
                options->asynchronous_progress = known[i].progress == 2;
            }
            return true;
        }
    }
    return false;
}

static fm_status_t set_options(struct fm_analysis_options *options, const char *words,
                               struct fm_error *error)
{
    while (words != NULL && *words != '\0') {
        const size_t length = strcspn(words, ",");
        if (!set_option(options, words, length)) {
            return fm_fail(error, FM_ERR_USAGE, "there is no option %.*s", (int)length, words);
        }
        words += length + (words[length] == ',');
    }
    return FM_OK;
}

fermata_trace_t *fermata_trace_open(const char *archive, unsigned threads, char *why, size_t size)
{
    return fermata_trace_open_with(archive, threads, NULL, why, size);
}

fermata_trace_t *fermata_trace_open_with(const char *archive, unsigned threads, const char *words,
                                         char *why, size_t size)
{
    struct fm_analysis_options options = {
        .workers = threads,
        .blames = true,
    };
    take_progress(archive, &options);
    struct fm_cube *cube = NULL;
    struct fm_detail *detail = NULL;
    struct fm_error error = {""};
    fm_status_t status = set_options(&options, words, &error);
    if (status == FM_OK) {
        status = fm_analysis_run_in_detail(archive, &options, &cube, &detail, &error);
    }
    if (status != FM_OK) {
        if (size > 0) {
            snprintf(why, size, "%s", error.message);
        }
        return NULL;
    }
    struct fermata_trace *tables = make_tables(detail, cube);
    fm_detail_free(detail);
    fm_cube_free(cube);
    return tables;
}

void fermata_trace_close(fermata_trace_t *trace)
{
    if (trace == NULL) {
        return;
    }
    for (int i = 0; i < FM_ACCESS_COLUMNS; i++) {
        fm_free(trace->data[i]);
    }
    for (size_t i = 0; i < trace->texts.count; i++) {
        fm_free(trace->texts.items[i]);
    }
    for (size_t i = 0; i < trace->warning_count; i++) {
        fm_free(trace->warnings[i]);
    }
    fm_vector_free(&trace->texts);
    fm_access_free_queues(trace);
    fm_free(trace->first_function);
    fm_free(trace->first_call);
    fm_free(trace->warnings);
    fm_free(trace);
}

double fermata_trace_ticks_per_second(const fermata_trace_t *trace)
{
    return trace->ticks_per_second;
}

size_t fermata_trace_warnings(const fermata_trace_t *trace)
{
    return trace->warning_count;
}

const char *fermata_trace_warning(const fermata_trace_t *trace, size_t number)
{
    return number < trace->warning_count ? trace->warnings[number] : NULL;
}

/* ---- tables and columns ---- */

size_t fermata_trace_tables(const fermata_trace_t *trace)
{
    (void)trace;
    return FM_ACCESS_TABLES;
}

const char *fermata_trace_table_name(const fermata_trace_t *trace, size_t table)
{
    (void)trace;
    return table < FM_ACCESS_TABLES ? fm_access_tables_known[table].name : NULL;
}

const char *fermata_trace_table_description(const fermata_trace_t *trace, size_t table)
{
    (void)trace;
    return table < FM_ACCESS_TABLES ? fm_access_tables_known[table].description : NULL;
}

size_t fermata_trace_rows(const fermata_trace_t *trace, size_t table)
{
    return table < FM_ACCESS_TABLES ? trace->rows[table] : 0;
}

size_t fermata_trace_find_table(const fermata_trace_t *trace, const char *name)
{
    (void)trace;
    size_t table = 0;
    while (table < FM_ACCESS_TABLES && strcmp(fm_access_tables_known[table].name, name) != 0) {
        table++;
    }
    return table;
}

size_t fermata_trace_columns(const fermata_trace_t *trace, size_t table)
{
    (void)trace;
    return table < FM_ACCESS_TABLES
               ? fm_access_first_column(table + 1) - fm_access_first_column(table)
               : 0;
}

const fermata_column_t *fermata_trace_column(const fermata_trace_t *trace, size_t table,
                                             size_t column)
{
    return column < fermata_trace_columns(trace, table)
               ? &trace->columns[fm_access_first_column(table) + column]
               : NULL;
}

static const void *find_data(const fermata_trace_t *trace, const char *table, const char *column,
                             int type)
{
    const size_t number = fermata_trace_find_table(trace, table);
    for (size_t i = 0; i < fermata_trace_columns(trace, number); i++) {
        const fermata_column_t *found = fermata_trace_column(trace, number, i);
        if (strcmp(found->name, column) == 0) {
            return found->type == type ? found->data : NULL;
        }
    }
    return NULL;
}

const int32_t *fermata_trace_int32(const fermata_trace_t *trace, const char *table,
                                   const char *column)
{
    return find_data(trace, table, column, FERMATA_INT32);
}

const int64_t *fermata_trace_int64(const fermata_trace_t *trace, const char *table,
                                   const char *column)
{
    return find_data(trace, table, column, FERMATA_INT64);
}

const double *fermata_trace_float64(const fermata_trace_t *trace, const char *table,
                                    const char *column)
{
    return find_data(trace, table, column, FERMATA_FLOAT64);
}

const char *const *fermata_trace_text(const fermata_trace_t *trace, const char *table,
                                      const char *column)
{
    return find_data(trace, table, column, FERMATA_TEXT);
}

/* ---- the state at a time ---- */

size_t fermata_trace_stack(const fermata_trace_t *trace, size_t location, int64_t time,
                           fermata_frame_t *frames, size_t room)
{
    return fm_access_stack(trace, location, time, frames, room);
}

size_t fermata_trace_queue(const fermata_trace_t *trace, size_t location, int64_t time,
                           int64_t *rows, size_t room)
{
    return fm_access_queue(trace, location, time, rows, room);
}
