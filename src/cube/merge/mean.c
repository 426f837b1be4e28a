/* SPDX-License-Identifier: BSD-3-Clause */
#include "cube/merge/combine.h"

#include <string.h>

/** Lengths of the runs and numbers of events: means. Number of processes: unchanged. */
static void describe_mean(const struct fm_combination *combination)
{
    struct fm_cube *result = combination->united.frame;
    const struct fm_cube *const *cubes = combination->cubes;
    size_t count = combination->count;
    unsigned __int128 length = 0, events = 0;
    for (size_t c = 0; c < count; c++) {
        const struct fm_cube_experiment *experiment = &cubes[c]->experiment;
        length +=
            fm_convert_ticks(experiment->end - experiment->begin, &combination->conversions[c]);
        events += experiment->event_count;
        if (experiment->process_count > result->experiment.process_count)
            result->experiment.process_count = experiment->process_count;
    }
    result->experiment.begin = 0;
    result->experiment.end = (uint64_t)((length + count / 2) / count);
    result->experiment.event_count = (uint64_t)((events + count / 2) / count);
}

static void divide(struct fm_cube *cube, size_t count)
{
    size_t kept = 0;
    const struct fm_conversion by_count = {1, count, 0};
    for (size_t i = 0; i < cube->cell_count; i++) {
        struct fm_cube_cell cell = cube->cells[i];
        /* No overflow: the absolute value does not grow. */
        (void)fm_convert(cell.value, &by_count, 0, &cell.value);
        if (cell.value != 0)
            cube->cells[kept++] = cell;
    }
    cube->cell_count = kept;
}

/** A mean of unequal runs must be requested explicitly; a warning reports it. */
static fm_status_t warn_of_unequal_runs(struct fm_combination *combination, struct fm_error *error)
{
    const struct fm_cube *const *cubes = combination->cubes;
    const struct fm_cube_experiment *first = &cubes[0]->experiment;
    for (size_t c = 1; c < combination->count; c++) {
        const struct fm_cube_experiment *other = &cubes[c]->experiment;
        const char *titles[] = {first->title != NULL ? first->title : "a program",
                                other->title != NULL ? other->title : "a program"};
        if (strcmp(titles[0], titles[1]) == 0 && first->process_count == other->process_count)
            continue;
        return fm_cube_warn(combination->united.frame, error,
                            "The runs were not equal: %s on %u processes, %s on %u.", titles[0],
                            first->process_count, titles[1], other->process_count);
    }
    return FM_OK;
}

fm_status_t fm_cube_mean(const struct fm_cube *const *cubes, const char *const *names, size_t count,
                         struct fm_cube **mean, struct fm_error *error)
{
    struct fm_combination combination;
    fm_status_t status = fm_combination_begin(&combination, cubes, names, count, error);
    struct fm_cube *frame = combination.united.frame;
    for (size_t c = 0; c < count && status == FM_OK; c++)
        status = fm_combination_add(&combination, c, NULL, error);
    if (status == FM_OK)
        status = fm_cube_seal(frame, error);
    if (status == FM_OK) {
        divide(frame, count);
        describe_mean(&combination);
        status = fm_cube_warn(frame, error,
                              "This is the mean of %zu reports: it has no distributions of single "
                              "waits, no critical path, no queues of locks, no phases, no "
                              "matrices and no problems.",
                              count);
    }
    if (status == FM_OK)
        status = warn_of_unequal_runs(&combination, error);
    return fm_combination_end(&combination, status, mean);
}
