/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/score/score.h"

#include "base/polling_names.h"
#include "trace/survey/summary.h"

#include <otf2/otf2.h>
#include <stdlib.h>
#include <string.h>

/* A region that is open. */
struct open_region {
    uint32_t region; /* index */
    uint64_t enter, inner;
    uint64_t gaps; /* ticks that belong to the region around it (base/polling_names.h) */
    bool leads_to_calls;
};

struct reading {
    const struct fm_survey *survey;
    struct fm_score_row *regions; /* by index */
    bool *leads_to_calls;
    FM_VECTOR(struct open_region) open;
    uint64_t last_time;
    double records; /* of the location */
    double other_bytes, region_bytes;
    uint64_t events;
};

const char *fm_score_type_name(enum fm_score_type type)
{
    static const char *const names[FM_SCORE_TYPES] = {"MPI", "OMP", "THR", "SHM",
                                                      "LIB", "COM", "USR"};
    return names[type];
}

enum fm_score_type fm_score_type_of(fm_paradigm_t model)
{
    switch (model) {
    case FM_PARADIGM_USER:
        return FM_SCORE_USR;
    case FM_PARADIGM_MPI:
        return FM_SCORE_MPI;
    case FM_PARADIGM_OPENMP:
        return FM_SCORE_OPENMP;
    case FM_PARADIGM_PTHREAD:
        return FM_SCORE_THREADS;
    case FM_PARADIGM_SHMEM:
        return FM_SCORE_SHMEM;
    default:
        return FM_SCORE_LIBRARY;
    }
}

/* Regions of models that OTF2 knows and fermata does not are those of libraries. */
static enum fm_score_type type_of(uint8_t paradigm, const char *name)
{
    fm_paradigm_t model = fm_paradigm_classify(paradigm, name);
    bool is_user = paradigm == OTF2_PARADIGM_UNKNOWN || paradigm == OTF2_PARADIGM_USER ||
                   paradigm == OTF2_PARADIGM_COMPILER || paradigm == OTF2_PARADIGM_SAMPLING;
    return model == FM_PARADIGM_USER && !is_user ? FM_SCORE_LIBRARY : fm_score_type_of(model);
}

/* ---- events ---- */

static bool is_library(const struct fm_score_row *region)
{
    return region->type != FM_SCORE_USR;
}

static void close_innermost(struct reading *reading, uint64_t time)
{
    const struct open_region ended = reading->open.items[--reading->open.count];
    struct fm_score_row *region = &reading->regions[ended.region];
    uint64_t whole = time > ended.enter + ended.gaps ? time - ended.enter - ended.gaps : 0;
    region->ticks += whole > ended.inner ? whole - ended.inner : 0;
    reading->leads_to_calls[ended.region] |= ended.leads_to_calls;
    if (reading->open.count > 0) {
        struct open_region *around = &reading->open.items[reading->open.count - 1];
        around->inner += whole;
        around->leads_to_calls |= ended.leads_to_calls || is_library(region);
    }
}

static void enter(struct reading *reading, uint32_t index, uint64_t time)
{
    struct fm_score_row *region = &reading->regions[index];
    region->visits++;
    region->bytes += 2 * FM_SCORE_REGION_EVENT;
    reading->records += region->instrumented || is_library(region) ? FM_SCORE_RECORD_BYTES : 0;
    fm_vector_push(&reading->open, (struct open_region){.region = index, .enter = time});
}

/* Damaged traces may leave what was not entered, or not leave what was. */
static void leave(struct reading *reading, uint32_t index, uint64_t time)
{
    size_t place = reading->open.count;
    while (place > 0 && reading->open.items[place - 1].region != index) {
        place--;
    }
    while (place > 0 && reading->open.count >= place) {
        close_innermost(reading, time);
    }
}

/* A value in the innermost region: it may stand for several calls. */
static void take_parameter(struct reading *reading, const struct fm_survey_event *event)
{
    const struct fm_survey *survey = reading->survey;
    const uint32_t index = fm_survey_find(&survey->parameter_index, event->parameter);
    if (index == FM_SURVEY_NONE || reading->open.count == 0) {
        return;
    }
    struct open_region *innermost = &reading->open.items[reading->open.count - 1];
    const char *name = fm_survey_name(survey, survey->parameters.items[index].name, "");
    if (!is_library(&reading->regions[innermost->region])) {
        return;
    }
    if (strcmp(name, FM_MERGED_CALLS) == 0 && event->value > 1) {
        reading->regions[innermost->region].visits += event->value - 1;
    } else if (strcmp(name, FM_MERGED_GAPS) == 0) {
        innermost->gaps = event->value;
    }
}

static void take(void *context, const struct fm_survey_event *event)
{
    struct reading *reading = context;
    reading->events++;
    reading->last_time = event->time;
    if (event->kind == FM_SURVEY_ENTER || event->kind == FM_SURVEY_LEAVE) {
        uint32_t index = fm_survey_find(&reading->survey->region_index, event->reference);
        reading->region_bytes += FM_SCORE_REGION_EVENT;
        if (index != FM_SURVEY_NONE) {
            (event->kind == FM_SURVEY_ENTER ? enter : leave)(reading, index, event->time);
        }
        return;
    }
    if (event->kind == FM_SURVEY_PARAMETER_UNSIGNED_INT) {
        take_parameter(reading, event);
    }
    reading->other_bytes += FM_SCORE_OTHER_EVENT;
    if (reading->open.count > 0) {
        uint32_t innermost = reading->open.items[reading->open.count - 1].region;
        if (is_library(&reading->regions[innermost])) {
            reading->regions[innermost].bytes += FM_SCORE_OTHER_EVENT;
        }
    }
}

/* ---- the table ---- */

static void add(struct fm_score_row *sum, const struct fm_score_row *row)
{
    sum->visits += row->visits;
    sum->ticks += row->ticks;
    sum->bytes += row->bytes;
    sum->cost += row->cost;
}

static int compare(const void *left, const void *right)
{
    const struct fm_score_row *a = left, *b = right;
    if (a->bytes != b->bytes) {
        return a->bytes < b->bytes ? 1 : -1;
    }
    return a->visits != b->visits ? (a->visits < b->visits ? 1 : -1) : strcmp(a->name, b->name);
}

void fm_score_add(struct fm_score *score, struct fm_score_row row)
{
    bool is_user = row.type == FM_SCORE_COM || row.type == FM_SCORE_USR;
    double cost = !is_user ? FM_SCORE_CALL_COST : row.instrumented ? FM_SCORE_FUNCTION_COST : 0;
    row.cost = (double)row.visits * cost * 1e-9;
    fm_vector_push(&score->rows, row);
    add(&score->types[row.type], &row);
    add(&score->all, &row);
}

void fm_score_sort(struct fm_score *score)
{
    if (score->rows.count > 0) {
        qsort(score->rows.items, score->rows.count, sizeof *score->rows.items, compare);
    }
}

/* Regions by the definitions, without visits yet. */
static void begin_rows(struct reading *reading)
{
    const struct fm_survey *survey = reading->survey;
    reading->regions = fm_allocate(survey->regions.count + 1, sizeof *reading->regions);
    reading->leads_to_calls = fm_allocate(survey->regions.count + 1, sizeof(bool));
    for (size_t i = 0; i < survey->regions.count; i++) {
        const struct fm_survey_region *from = &survey->regions.items[i];
        const char *name = fm_survey_name(survey, from->name, "unnamed region");
        reading->regions[i] =
            (struct fm_score_row){.name = name,
                                  .file = fm_survey_string(survey, from->file),
                                  .type = type_of(from->paradigm, name),
                                  .instrumented = from->paradigm == OTF2_PARADIGM_COMPILER};
    }
}

/* Scales the estimated bytes to the size of the archive. */
static void finish_rows(const struct reading *reading, double bytes, struct fm_score *score)
{
    double estimated = reading->region_bytes + reading->other_bytes;
    double scale = estimated > 0 ? bytes / estimated : 0;
    for (size_t i = 0; i < reading->survey->regions.count; i++) {
        struct fm_score_row row = reading->regions[i];
        if (row.visits == 0) {
            continue;
        }
        if (row.type == FM_SCORE_USR && reading->leads_to_calls[i]) {
            row.type = FM_SCORE_COM;
        }
        row.bytes *= scale;
        fm_score_add(score, row);
    }
    fm_score_sort(score);
}

void fm_score_read(struct fm_survey *survey, struct fm_score *score)
{
    struct reading reading = {.survey = survey};
    struct fm_error error;
    *score = (struct fm_score){.ticks_per_second = survey->ticks_per_second};
    double *buffers = fm_allocate(survey->processes.count + 1, sizeof *buffers);
    bool *seen = fm_allocate(survey->processes.count + 1, sizeof *seen);
    begin_rows(&reading);
    for (uint32_t i = 0; i < survey->locations.count; i++) {
        uint32_t process =
            fm_survey_find(&survey->process_index, survey->locations.items[i].process);
        uint64_t count;
        reading.records = 0;
        score->unreadable += fm_survey_read(survey, i, take, &reading, &count, &error) != FM_OK;
        while (reading.open.count > 0) {
            close_innermost(&reading, reading.last_time);
        }
        if (process != FM_SURVEY_NONE) {
            score->processes += !seen[process];
            seen[process] = true;
            buffers[process] += reading.records;
            score->buffer = buffers[process] > score->buffer ? buffers[process] : score->buffer;
        }
    }
    score->bytes = (double)fm_summary_bytes(survey->anchor);
    score->events = reading.events;
    finish_rows(&reading, score->bytes, score);
    fm_vector_free(&reading.open);
    fm_free(reading.regions);
    fm_free(reading.leads_to_calls);
    fm_free(buffers);
    fm_free(seen);
}

/* ---- filters ---- */

static bool is_suggested(const struct fm_score *score, const struct fm_score_row *row)
{
    const double most_cost = 0.1, least_bytes = 0.001;
    double seconds =
        score->ticks_per_second > 0 ? (double)row->ticks / (double)score->ticks_per_second : 0;
    return row->type == FM_SCORE_USR && row->cost > most_cost * seconds &&
           row->bytes > least_bytes * score->bytes;
}

void fm_score_apply(struct fm_score *score, const struct fm_filter *filter)
{
    double records = 0, records_kept = 0;
    score->kept = (struct fm_score_row){.name = NULL};
    for (size_t i = 0; i < score->rows.count; i++) {
        struct fm_score_row *row = &score->rows.items[i];
        row->left_out = row->instrumented &&
                        (filter != NULL ? fm_filter_excludes(filter, row->name, NULL, row->file)
                                        : is_suggested(score, row));
        double own = row->cost > 0 ? (double)row->visits : 0;
        records += own;
        if (!row->left_out) {
            add(&score->kept, row);
            records_kept += own;
        }
    }
    score->bytes_kept = score->bytes - (score->all.bytes - score->kept.bytes);
    score->buffer_kept = records > 0 ? score->buffer * records_kept / records : 0;
}

void fm_score_write_filter(const struct fm_score *score, FILE *file)
{
    fputs("# Functions that make no calls of libraries, and are not worth what recording them "
          "takes.\n"
          "REGION_NAMES_BEGIN\n",
          file);
    for (size_t i = 0; i < score->rows.count; i++) {
        const struct fm_score_row *row = &score->rows.items[i];
        if (row->left_out) {
            fputs("EXCLUDE ", file);
            fm_filter_write_name(file, row->name);
            putc('\n', file);
        }
    }
    fputs("REGION_NAMES_END\n", file);
}

void fm_score_free(struct fm_score *score)
{
    for (size_t i = 0; i < score->texts.count; i++) {
        fm_free(score->texts.items[i]);
    }
    fm_vector_free(&score->texts);
    fm_vector_free(&score->rows);
}
