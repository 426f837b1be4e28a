/* SPDX-License-Identifier: BSD-3-Clause */
#include "diagnosis/uncertainty.h"

#include "diagnosis/number_format.h"
#include "diagnosis/startup.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Smaller errors are rounded to 0 with one decimal. */
#define SMALLEST_PERCENT 0.05

int64_t fm_error_of_kind(const struct fm_diagnosis *diagnosis, fm_metric_t kind)
{
    const struct fm_cube_statistics *record =
        diagnosis->cube->errors.are_known ? fm_cube_metric_statistics(diagnosis->cube, kind) : NULL;
    return record == NULL ? 0 : (int64_t)record->error;
}

int64_t fm_error_of_waiting(const struct fm_cube *cube, int64_t ticks)
{
    double error = 0, sum = 0;
    for (uint32_t i = 0; cube->errors.are_known && i < cube->statistics_count; i++) {
        if (!fm_is_startup((fm_metric_t)cube->statistics[i].metric)) {
            error += (double)cube->statistics[i].error;
            sum += (double)cube->statistics[i].sum;
        }
    }
    return sum > 0 ? (int64_t)(error * (double)ticks / sum) : 0;
}

int64_t fm_error_of_cause(const struct fm_cube *cube, const struct fm_cube_problem *cause,
                          int64_t ticks)
{
    const double sampled = (double)cause->error / (double)cause->cost * (double)ticks;
    return fm_error_of_waiting(cube, ticks) + (int64_t)sampled;
}

int64_t fm_error_of_link(const struct fm_cube *cube, enum fm_cube_matrix_kind kind,
                         const struct fm_cube_link *link)
{
    switch (kind) {
    case FM_MATRIX_DELAYS:
        return (int64_t)link->error;
    case FM_MATRIX_BLAME:
        return fm_error_of_waiting(cube, (int64_t)link->amount);
    default:
        return 0;
    }
}

const char *fm_error_sign(const struct fm_diagnosis *diagnosis)
{
    return diagnosis->options.utf8 ? "\u00b1" : "+-";
}

/* Appends an error in percent, if it is not rounded to 0. */
static char *with_error(char buffer[FM_UNCERTAIN_SIZE], const struct fm_diagnosis *diagnosis,
                        const char *percent, double error)
{
    if (error < SMALLEST_PERCENT) {
        snprintf(buffer, FM_UNCERTAIN_SIZE, "%s", percent);
    } else {
        snprintf(buffer, FM_UNCERTAIN_SIZE, "%s (%s%.1f)", percent, fm_error_sign(diagnosis),
                 error);
    }
    return buffer;
}

char *fm_format_uncertain(char buffer[FM_UNCERTAIN_SIZE], const struct fm_diagnosis *diagnosis,
                          int64_t part, int64_t error, int64_t whole)
{
    char percent[FM_FORMAT_SIZE];
    fm_format_percent(percent, part, whole);
    return with_error(buffer, diagnosis, percent, 100 * fm_fraction(error, whole));
}

char *fm_format_uncertain_time(char buffer[FM_UNCERTAIN_SIZE], const struct fm_diagnosis *diagnosis,
                               int64_t ticks, int64_t error, int64_t whole)
{
    char time[FM_FORMAT_SIZE], by[FM_FORMAT_SIZE];
    fm_format_ticks(time, diagnosis->cube, ticks);
    if (100 * fm_fraction(error, whole) < SMALLEST_PERCENT) {
        snprintf(buffer, FM_UNCERTAIN_SIZE, "%s", time);
    } else {
        snprintf(buffer, FM_UNCERTAIN_SIZE, "%s (%s%s)", time, fm_error_sign(diagnosis),
                 fm_format_ticks(by, diagnosis->cube, error));
    }
    return buffer;
}

char *fm_format_error(char buffer[FM_UNCERTAIN_SIZE], const struct fm_diagnosis *diagnosis,
                      const char *before, int64_t error, int64_t whole)
{
    const double percent = 100 * fm_fraction(error, whole);
    buffer[0] = '\0';
    if (percent >= SMALLEST_PERCENT) {
        snprintf(buffer, FM_UNCERTAIN_SIZE, "%s%s%.1f%%", before, fm_error_sign(diagnosis),
                 percent);
    }
    return buffer;
}

/* @return by how many ticks clocks of two processes may differ at most */
static double largest_clock_error(const struct fm_cube *cube)
{
    bool are_several = cube->clock.is_estimated;
    for (uint32_t l = 1; l < cube->location_count && !are_several; l++) {
        are_several = strcmp(cube->locations[l].node, cube->locations[l - 1].node) != 0;
    }
    return are_several ? (double)cube->errors.clock : 0;
}

struct fm_efficiency fm_errors_of_efficiency(const struct fm_cube *cube,
                                             const struct fm_efficiency *run)
{
    struct fm_efficiency errors = {0};
    if (!cube->errors.are_known || !(run->time > 0) || !(run->duration > 0) ||
        !(run->communication > 0)) {
        return errors;
    }
    const double largest = (double)cube->errors.longest_computation / run->duration;
    const double clock = largest_clock_error(cube) / run->duration;
    const double of_balance = run->load_balance * largest;
    errors.parallel = (double)cube->errors.computation / run->time;
    errors.communication = largest;
    errors.load_balance =
        (errors.parallel > of_balance ? errors.parallel : of_balance) / run->communication;
    errors.offload =
        isnan(run->offload) ? 0 : errors.parallel / (run->load_balance * run->communication);
    if (run->transfer > 0) {
        errors.transfer = largest + clock;
        errors.serialization = (largest + run->serialization * clock) / run->transfer;
    }
    return errors;
}

char *fm_format_efficiency(char buffer[FM_UNCERTAIN_SIZE], const struct fm_diagnosis *diagnosis,
                           double efficiency, double error)
{
    char percent[FM_FORMAT_SIZE];
    snprintf(percent, sizeof percent, "%.1f%%", 100 * efficiency);
    return with_error(buffer, diagnosis, percent, 100 * error);
}

struct fm_insignificant_waits fm_insignificant_waits(const struct fm_cube *cube)
{
    struct fm_insignificant_waits waits = {0};
    for (uint32_t i = 0; cube->errors.are_known && i < cube->statistics_count; i++) {
        waits.count += cube->statistics[i].insignificant;
        waits.of += cube->statistics[i].count;
        waits.ticks += cube->statistics[i].insignificant_sum;
    }
    return waits;
}
