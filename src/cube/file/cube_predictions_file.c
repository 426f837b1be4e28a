/* SPDX-License-Identifier: BSD-3-Clause */
/* What replays predict, in the report file: section PRED. */
#include "base/recorder_costs.h"
#include "cube/file/cube_format.h"
#include "cube/file/cube_reader.h"
#include "cube/file/cube_writer.h"

#define PREDICTION_SIZE  (4 * 4 + 3 * 8)
#define CONSEQUENCE_SIZE (2 * 4)

static void put_consequences(struct fm_sink *sink, const struct fm_cube *cube)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < cube->problem_count; i++) {
        count += cube->problems[i].consequence_of != 0;
    }
    fm_sink_u32(sink, count);
    for (uint32_t i = 0; i < cube->problem_count; i++) {
        if (cube->problems[i].consequence_of != 0) {
            fm_sink_u32(sink, i);
            fm_sink_u32(sink, cube->problems[i].consequence_of - 1);
        }
    }
}

void fm_cube_put_predictions(struct fm_sink *sink, const struct fm_cube *cube)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < cube->problem_count; i++) {
        count += cube->problems[i].prediction_count;
    }
    fm_sink_u32(sink, FM_CUBE_PREDICTIONS_VERSION);
    fm_sink_u64(sink, cube->experiment.duration);
    fm_sink_u64(sink, cube->experiment.ideal_duration);
    fm_sink_u32(sink, cube->experiment.lack_of_processors);
    fm_sink_u64(sink, cube->experiment.page_fault);
    fm_sink_u32(sink, cube->experiment.overhead);
    fm_sink_u32(sink, cube->experiment.overhead_is_least);
    fm_sink_u32(sink, cube->experiment.costliest);
    fm_sink_u32(sink, cube->experiment.sample_rate);
    fm_sink_u32(sink, count);
    for (uint32_t i = 0; i < cube->problem_count; i++) {
        for (uint32_t k = 0; k < cube->problems[i].prediction_count; k++) {
            const struct fm_cube_prediction *prediction = &cube->problems[i].predictions[k];
            fm_sink_u32(sink, i);
            fm_sink_u32(sink, prediction->change);
            fm_sink_u32(sink, prediction->callpath);
            fm_sink_u64(sink, (uint64_t)prediction->saved);
            fm_sink_u64(sink, prediction->freed);
            fm_sink_u64(sink, prediction->moved);
            fm_sink_u32(sink, prediction->instead);
        }
    }
    put_consequences(sink, cube);
}

static fm_status_t read_consequences(struct fm_cube_reader *reader)
{
    struct fm_source *source = &reader->sections[FM_SECTION_PRED];
    struct fm_cube *cube = reader->cube;
    const uint32_t count = fm_source_count(source, CONSEQUENCE_SIZE);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t problem = fm_source_u32(source), of = fm_source_u32(source);
        if (source->failed ||
            (cube->problem_count > 0 &&
             (problem >= cube->problem_count || !fm_cube_set_consequence(cube, problem, of)))) {
            return fm_cube_damaged(reader, "consequence %u is malformed", i);
        }
    }
    return FM_OK;
}

/* Without its problems, which may be of another version, a prediction is left out. */
fm_status_t fm_cube_read_predictions(struct fm_cube_reader *reader)
{
    struct fm_source *source = &reader->sections[FM_SECTION_PRED];
    struct fm_cube *cube = reader->cube;
    bool readable;
    fm_status_t status = fm_cube_begin_optional(
        reader, FM_SECTION_PRED, FM_CUBE_PREDICTIONS_VERSION, "What replays predict is", &readable);
    if (status != FM_OK || !readable) {
        return status;
    }
    cube->experiment.duration = fm_source_u64(source);
    cube->experiment.ideal_duration = fm_source_u64(source);
    cube->experiment.lack_of_processors = fm_source_u32(source);
    cube->experiment.page_fault = fm_source_u64(source);
    cube->experiment.overhead = fm_source_u32(source);
    const uint32_t is_least = fm_source_u32(source);
    cube->experiment.overhead_is_least = is_least != 0;
    cube->experiment.costliest = fm_source_u32(source);
    cube->experiment.sample_rate = fm_source_u32(source);
    if (cube->experiment.ideal_duration > cube->experiment.duration) {
        return fm_cube_damaged(reader, "the ideal network takes longer");
    }
    if (cube->experiment.lack_of_processors > 100) {
        return fm_cube_damaged(reader, "more than all time is without a processor");
    }
    if (is_least > 1) {
        return fm_cube_damaged(reader, "the cost of recording is malformed");
    }
    if (cube->experiment.costliest > FM_RECORDER_COST_COUNT) {
        return fm_cube_damaged(reader, "the recorder spends time on nothing that is known");
    }
    const uint32_t count = fm_source_count(source, PREDICTION_SIZE);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t problem = fm_source_u32(source);
        struct fm_cube_prediction prediction = {.change = fm_source_u32(source)};
        prediction.callpath = fm_source_u32(source);
        prediction.saved = (int64_t)fm_source_u64(source);
        prediction.freed = fm_source_u64(source);
        prediction.moved = fm_source_u64(source);
        prediction.instead = fm_source_u32(source);
        if (source->failed ||
            (cube->problem_count > 0 &&
             (problem >= cube->problem_count || !fm_cube_predict(cube, problem, &prediction)))) {
            return fm_cube_damaged(reader, "prediction %u is malformed", i);
        }
    }
    status = read_consequences(reader);
    return status == FM_OK ? fm_cube_check_used_up(reader, FM_SECTION_PRED) : status;
}
