/* SPDX-License-Identifier: BSD-3-Clause */
#include "diagnosis/problems/machine_load.h"

#include "base/memory.h"
#include "diagnosis/number_format.h"
#include "diagnosis/problems/answer.h"
#include "diagnosis/problems/cause_paths.h"

/** Shares of a problem's cost below this are noise of the measurement. */
#define LEAST_SHARE 0.05

/** Shares of the computation without a processor below this do not matter to predictions. */
#define NOTABLE_SHARE 0.05

/** @return the sum of a metric's values over all call paths of a cause, on some locations.
 * @param locations  NULL: the first `count` */
static int64_t sum_over(const struct fm_cube *cube, fm_metric_t metric,
                        const struct fm_cube_problem *cause, const uint32_t *locations,
                        uint32_t count)
{
    bool *is_part = fm_cause_paths(cube, cause);
    int64_t sum = 0;
    for (uint32_t c = 0; c < cube->callpath_count; c++) {
        sum += is_part[c] ? fm_cube_value_on(cube, metric, c, locations, count) : 0;
    }
    fm_free(is_part);
    return sum;
}

int64_t fm_cause_value(const struct fm_cube *cube, fm_metric_t metric,
                       const struct fm_cube_problem *cause)
{
    return sum_over(cube, metric, cause, cause->locations, cause->location_count);
}

/** @return the sum of a cause's time without a processor on all locations. */
static int64_t load_at(const struct fm_cube *cube, const struct fm_cube_problem *cause)
{
    const uint32_t all = cube->location_count;
    return sum_over(cube, FM_METRIC_STOLEN_TIME, cause, NULL, all) -
           sum_over(cube, FM_METRIC_BLOCKED_TIME, cause, NULL, all) -
           sum_over(cube, FM_METRIC_UNRESOLVED_TIME, cause, NULL, all);
}

int64_t fm_load_of_run(const struct fm_diagnosis *diagnosis)
{
    return diagnosis->metrics[FM_METRIC_STOLEN_TIME] - diagnosis->metrics[FM_METRIC_BLOCKED_TIME] -
           diagnosis->metrics[FM_METRIC_UNRESOLVED_TIME];
}

bool fm_load_is_notable(const struct fm_diagnosis *diagnosis)
{
    const int64_t measured = diagnosis->metrics[FM_METRIC_MEASURED_TIME];
    return diagnosis->cube->experiment.lack_of_processors >= 100 * NOTABLE_SHARE ||
           fm_fraction(fm_load_of_run(diagnosis), measured) >= NOTABLE_SHARE;
}

int64_t fm_load_of_cause(const struct fm_diagnosis *diagnosis, const struct fm_cube_problem *cause)
{
    const struct fm_cube *cube = diagnosis->cube;
    if (diagnosis->metrics[FM_METRIC_STOLEN_TIME] <= 0 || cause->callpath == FM_CUBE_NONE) {
        return 0;
    }
    int64_t load = fm_cause_value(cube, FM_METRIC_STOLEN_TIME, cause) -
                   fm_cause_value(cube, FM_METRIC_BLOCKED_TIME, cause) -
                   fm_cause_value(cube, FM_METRIC_UNRESOLVED_TIME, cause);
    return load > 0 ? load : 0;
}

/** @return the ratio of wall time to CPU time of all measured computation. */
static double slowdown_of_run(const struct fm_diagnosis *diagnosis)
{
    int64_t measured = diagnosis->metrics[FM_METRIC_MEASURED_TIME];
    int64_t running = measured - fm_load_of_run(diagnosis);
    return running > 0 ? (double)measured / (double)running : 1;
}

/** @return by how much the cause's locations are late, ticks: the gain if balanced, which without a
 * phase shows what holds for the whole run only, or the mean waiting of the others. */
static double excess_of(const struct fm_cube *cube, const struct fm_cube_problem *cause)
{
    uint32_t others = cube->location_count - cause->location_count;
    others = others > 0 ? others : cause->location_count - 1;
    double waiting = (double)fm_cause_ticks(cube, cause->cost) / (others > 0 ? others : 1);
    double balanced = (double)cause->gain.balanced;
    return balanced > waiting ? balanced : waiting;
}

double fm_load_share(const struct fm_diagnosis *diagnosis, const struct fm_cube_problem *cause)
{
    const struct fm_cube *cube = diagnosis->cube;
    double excess = excess_of(cube, cause);
    bool is_known = cause->kind == FM_CAUSE_IMBALANCE && cause->gain.is_known && excess > 0;
    int64_t lost = is_known ? fm_load_of_cause(diagnosis, cause) : 0;
    if (lost <= 0) {
        return 0;
    }
    /* Means of the cause's locations and of the others; of a cause on all locations, nothing is
     * known about others. */
    double there = (double)cause->location_count;
    double others = (double)cube->location_count - there;
    double time_there = (double)fm_cause_value(cube, FM_METRIC_COMP, cause) / there;
    double stolen_there = (double)lost / there;
    double own_excess = 0;
    if (others > 0) {
        double time = (double)sum_over(cube, FM_METRIC_COMP, cause, NULL, cube->location_count) -
                      time_there * there;
        double stolen = (double)load_at(cube, cause) - (double)lost;
        double own = (time - stolen) / others;
        own_excess = time_there - stolen_there - own;
        own_excess *= own > 0 ? time / others / own : slowdown_of_run(diagnosis);
    }
    double share = (own_excess > 0 ? excess - own_excess : excess) / excess;
    if (share > stolen_there / excess) {
        share = stolen_there / excess;
    }
    return share < LEAST_SHARE ? 0 : share > 1 ? 1 : share;
}
