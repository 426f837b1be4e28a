#include "diagnosis/uncertainty.h"

#include "diagnosis/number_format.h"
#include "diagnosis/startup.h"

#include <stdio.h>

/* Smaller errors are rounded to 0 with one decimal. */
#define SMALLEST_PERCENT 0.05

int64_t fm_error_of_kind(const struct fm_diagnosis *diagnosis, fm_metric_t kind)
{
    const struct fm_cube_statistics *record =
        diagnosis->cube->errors.are_known ? fm_cube_metric_statistics(diagnosis->cube, kind) : NULL;
    return record == NULL ? 0 : (int64_t)record->error;
}

int64_t fm_error_of_waiting(const struct fm_diagnosis *diagnosis, int64_t ticks)
{
    const struct fm_cube *cube = diagnosis->cube;
    double error = 0, sum = 0;
    for (uint32_t i = 0; cube->errors.are_known && i < cube->statistics_count; i++) {
        if (!fm_is_startup((fm_metric_t)cube->statistics[i].metric)) {
            error += (double)cube->statistics[i].error;
            sum += (double)cube->statistics[i].sum;
        }
    }
    return sum > 0 ? (int64_t)(error * (double)ticks / sum) : 0;
}

/* Appends an error in percent, if it is not rounded to 0. */
static char *with_error(char buffer[FM_UNCERTAIN_SIZE], const struct fm_diagnosis *diagnosis,
                        const char *percent, double error)
{
    if (error < SMALLEST_PERCENT) {
        snprintf(buffer, FM_UNCERTAIN_SIZE, "%s", percent);
    } else {
        snprintf(buffer, FM_UNCERTAIN_SIZE, "%s (%s%.1f)", percent,
                 diagnosis->options.utf8 ? "\u00b1" : "+-", error);
    }
    return buffer;
}

double fm_error_of_efficiency(const struct fm_cube *cube, const struct fm_efficiency *run)
{
    return cube->errors.are_known && run->time > 0 ? (double)cube->errors.computation / run->time
                                                   : 0;
}

char *fm_format_efficiency(char buffer[FM_UNCERTAIN_SIZE], const struct fm_diagnosis *diagnosis,
                           const struct fm_efficiency *run)
{
    char percent[FM_FORMAT_SIZE];
    snprintf(percent, sizeof percent, "%.1f%%", 100 * run->parallel);
    return with_error(buffer, diagnosis, percent,
                      100 * fm_error_of_efficiency(diagnosis->cube, run));
}

char *fm_format_uncertain(char buffer[FM_UNCERTAIN_SIZE], const struct fm_diagnosis *diagnosis,
                          int64_t part, int64_t error, int64_t whole)
{
    char percent[FM_FORMAT_SIZE];
    fm_format_percent(percent, part, whole);
    return with_error(buffer, diagnosis, percent, 100 * fm_fraction(error, whole));
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
