/* SPDX-License-Identifier: BSD-3-Clause */
/* The problems in the report file: section PROB. */
#include "cube/file/cube_format.h"
#include "cube/file/cube_reader.h"
#include "cube/file/cube_writer.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of records without their variable parts. */
#define PROBLEM_SIZE  (11 * 4 + 12 * 8 + 3 * 1)
#define OCCASION_SIZE (6 * 8)
#define SYMPTOM_SIZE  (3 * 4 + 8)

static void put_numbers(struct fm_sink *sink, const uint32_t *numbers, uint32_t count)
{
    fm_sink_u32(sink, count);
    for (uint32_t i = 0; i < count; i++) {
        fm_sink_u32(sink, numbers[i]);
    }
}

static void put_occasions(struct fm_sink *sink, const struct fm_cube_problem *problem)
{
    fm_sink_u32(sink, problem->occasion_count);
    for (uint32_t i = 0; i < problem->occasion_count; i++) {
        const struct fm_cube_occasion *occasion = &problem->occasions[i];
        uint64_t share;
        memcpy(&share, &occasion->share, sizeof share);
        fm_sink_u64(sink, occasion->first);
        fm_sink_u64(sink, occasion->last);
        fm_sink_u64(sink, occasion->begin);
        fm_sink_u64(sink, occasion->end);
        fm_sink_u64(sink, occasion->count);
        fm_sink_u64(sink, share);
    }
}

static void put_estimate(struct fm_sink *sink, const struct fm_cube_problem *problem)
{
    uint64_t share;
    memcpy(&share, &problem->replaced_share, sizeof share);
    fm_sink_u64(sink, (uint64_t)problem->error);
    put_numbers(sink, problem->candidates, problem->candidate_count);
    fm_sink_u32(sink, problem->replaced);
    fm_sink_u64(sink, share);
    fm_sink_u8(sink, problem->in_one_callpath ? 2 : problem->is_function);
}

static void put_contention(struct fm_sink *sink, const struct fm_cube_problem *problem)
{
    const struct fm_cube_contention *contention = &problem->contention;
    fm_sink_u64(sink, (uint64_t)problem->inside);
    fm_sink_u32(sink, contention->lock_count);
    fm_sink_u64(sink, contention->hold);
    fm_sink_u64(sink, contention->waiting);
    fm_sink_u64(sink, contention->held);
    put_numbers(sink, contention->held_in, contention->held_in_count);
}

static void put_problem(struct fm_sink *sink, const struct fm_cube_problem *problem)
{
    fm_sink_u32(sink, problem->kind);
    fm_sink_u32(sink, problem->callpath);
    fm_sink_u32(sink, problem->phase);
    fm_sink_u32(sink, problem->lock);
    put_numbers(sink, problem->locations, problem->location_count);
    fm_sink_u64(sink, (uint64_t)problem->cost);
    put_contention(sink, problem);
    put_estimate(sink, problem);
    put_occasions(sink, problem);
    fm_sink_u8(sink, problem->excess.is_known);
    fm_sink_u64(sink, problem->excess.there);
    fm_sink_u64(sink, problem->excess.elsewhere);
    fm_sink_u64(sink, problem->excess.longest);
    fm_sink_u8(sink, problem->gain.is_known);
    fm_sink_u64(sink, problem->gain.balanced);
    fm_sink_u64(sink, problem->gain.removed);
    fm_sink_u32(sink, problem->symptom_count);
    for (uint32_t i = 0; i < problem->symptom_count; i++) {
        const struct fm_cube_symptom *symptom = &problem->symptoms[i];
        fm_sink_u32(sink, symptom->metric);
        fm_sink_u32(sink, symptom->callpath);
        put_numbers(sink, symptom->locations, symptom->location_count);
        fm_sink_u64(sink, (uint64_t)symptom->cost);
    }
}

void fm_cube_put_problems(struct fm_sink *sink, const struct fm_cube *cube)
{
    fm_sink_u32(sink, FM_CUBE_PROBLEMS_VERSION);
    fm_sink_u32(sink, cube->problem_count);
    for (uint32_t i = 0; i < cube->problem_count; i++) {
        put_problem(sink, &cube->problems[i]);
    }
}

/** @return numbers to be freed; NULL: too short, or no memory */
static uint32_t *read_numbers(struct fm_source *source, uint32_t *count)
{
    *count = fm_source_count(source, 4);
    uint32_t *numbers = calloc(*count + (size_t)1, sizeof *numbers);
    for (uint32_t i = 0; numbers != NULL && i < *count; i++) {
        numbers[i] = fm_source_u32(source);
    }
    return numbers;
}

/** @return false if there are too many */
static bool read_occasions(struct fm_source *source, struct fm_cube_problem *problem)
{
    problem->occasion_count = fm_source_count(source, OCCASION_SIZE);
    if (problem->occasion_count > FM_CUBE_OCCASIONS) {
        return false;
    }
    for (uint32_t i = 0; i < problem->occasion_count; i++) {
        struct fm_cube_occasion *occasion = &problem->occasions[i];
        occasion->first = fm_source_u64(source);
        occasion->last = fm_source_u64(source);
        occasion->begin = fm_source_u64(source);
        occasion->end = fm_source_u64(source);
        occasion->count = fm_source_u64(source);
        uint64_t share = fm_source_u64(source);
        memcpy(&occasion->share, &share, sizeof share);
    }
    return true;
}

/** @return false if there are too many candidates, or a flag is none */
static bool read_estimate(struct fm_source *source, struct fm_cube_problem *problem)
{
    problem->error = (int64_t)fm_source_u64(source);
    problem->candidate_count = fm_source_count(source, 4);
    if (problem->candidate_count > FM_CUBE_CANDIDATES) {
        return false;
    }
    for (uint32_t i = 0; i < problem->candidate_count; i++) {
        problem->candidates[i] = fm_source_u32(source);
    }
    problem->replaced = fm_source_u32(source);
    const uint64_t share = fm_source_u64(source);
    memcpy(&problem->replaced_share, &share, sizeof share);
    const unsigned is_function = fm_source_u8(source);
    problem->is_function = is_function != 0;
    problem->in_one_callpath = is_function == 2;
    return is_function <= 2;
}

/** @return false if there are too many call paths */
static bool read_contention(struct fm_source *source, struct fm_cube_problem *problem)
{
    struct fm_cube_contention *contention = &problem->contention;
    problem->inside = (int64_t)fm_source_u64(source);
    contention->lock_count = fm_source_u32(source);
    contention->hold = fm_source_u64(source);
    contention->waiting = fm_source_u64(source);
    contention->held = fm_source_u64(source);
    contention->held_in_count = fm_source_count(source, 4);
    if (contention->held_in_count > FM_CUBE_HELD_IN) {
        return false;
    }
    for (uint32_t i = 0; i < contention->held_in_count; i++) {
        contention->held_in[i] = fm_source_u32(source);
    }
    return true;
}

/** Reads the symptoms; those of unknown kinds of wait states are left out. */
static bool read_symptoms(struct fm_cube_reader *reader, struct fm_cube_problem *problem)
{
    struct fm_source *source = &reader->sections[FM_SECTION_PROB];
    uint32_t count = fm_source_count(source, SYMPTOM_SIZE);
    problem->symptoms = calloc(count + (size_t)1, sizeof *problem->symptoms);
    if (problem->symptoms == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct fm_cube_symptom symptom = {.metric = fm_source_u32(source)};
        symptom.callpath = fm_source_u32(source);
        symptom.locations = read_numbers(source, &symptom.location_count);
        symptom.cost = (int64_t)fm_source_u64(source);
        if (symptom.locations == NULL || symptom.metric >= reader->metric_count) {
            free(symptom.locations);
            return false;
        }
        if (reader->metric_exact[symptom.metric]) {
            symptom.metric = reader->metrics[symptom.metric];
            problem->symptoms[problem->symptom_count++] = symptom;
        } else {
            free(symptom.locations);
        }
    }
    return !source->failed;
}

/** @return false if the fields contradict the format; what was read is to be released in any case
 */
static bool read_fields(struct fm_cube_reader *reader, struct fm_cube_problem *problem)
{
    struct fm_source *source = &reader->sections[FM_SECTION_PROB];
    problem->kind = fm_source_u32(source);
    problem->callpath = fm_source_u32(source);
    problem->phase = fm_source_u32(source);
    problem->lock = fm_source_u32(source);
    problem->locations = read_numbers(source, &problem->location_count);
    problem->cost = (int64_t)fm_source_u64(source);
    if (problem->locations == NULL || !read_contention(source, problem) ||
        !read_estimate(source, problem) || !read_occasions(source, problem)) {
        return false;
    }
    unsigned excess_is_known = fm_source_u8(source);
    problem->excess.is_known = excess_is_known != 0;
    problem->excess.there = fm_source_u64(source);
    problem->excess.elsewhere = fm_source_u64(source);
    problem->excess.longest = fm_source_u64(source);
    unsigned gain_is_known = fm_source_u8(source);
    problem->gain.is_known = gain_is_known != 0;
    problem->gain.balanced = fm_source_u64(source);
    problem->gain.removed = fm_source_u64(source);
    return excess_is_known <= 1 && gain_is_known <= 1 && read_symptoms(reader, problem);
}

/** Removes references to phases and locks if their sections were left out. */
static void forget_missing(const struct fm_cube *cube, struct fm_cube_problem *problem)
{
    if (cube->lock_count == 0) {
        problem->lock = FM_CUBE_NONE;
    }
    if (cube->phase_count == 0 && problem->phase != FM_CUBE_NONE) {
        problem->phase = FM_CUBE_NONE;
        fm_cube_forget_iterations(problem);
    }
}

static fm_status_t read_problem(struct fm_cube_reader *reader, uint32_t number)
{
    struct fm_cube_problem problem = {.kind = 0};
    fm_status_t status = FM_ERR_FAILED;
    if (read_fields(reader, &problem)) {
        forget_missing(reader->cube, &problem);
        status = fm_cube_add_problem(reader->cube, &problem, reader->error);
    }
    free(problem.locations);
    for (uint32_t i = 0; i < problem.symptom_count; i++) {
        free(problem.symptoms[i].locations);
    }
    free(problem.symptoms);
    return status == FM_ERR_FAILED ? fm_cube_damaged(reader, "problem %u is malformed", number)
                                   : status;
}

fm_status_t fm_cube_read_problems(struct fm_cube_reader *reader)
{
    struct fm_source *source = &reader->sections[FM_SECTION_PROB];
    bool readable;
    fm_status_t status = fm_cube_begin_optional(reader, FM_SECTION_PROB, FM_CUBE_PROBLEMS_VERSION,
                                                "The problems are", &readable);
    if (status != FM_OK || !readable) {
        return status;
    }
    uint32_t count = fm_source_count(source, PROBLEM_SIZE);
    for (uint32_t i = 0; i < count && status == FM_OK; i++) {
        status = read_problem(reader, i);
    }
    return status == FM_OK ? fm_cube_check_used_up(reader, FM_SECTION_PROB) : status;
}
