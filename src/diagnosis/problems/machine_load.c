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

/** @return the sum of a metric's values over the call paths of a cause, on some locations.
 * @param is_part    as fm_cause_paths() returned it
 * @param locations  NULL: the first `count` */
static int64_t sum_over(const struct fm_cube *cube, fm_metric_t metric, const bool *is_part,
                        const uint32_t *locations, uint32_t count)
{
    int64_t sum = 0;
    for (uint32_t c = 0; c < cube->callpath_count; c++) {
        sum += is_part[c] ? fm_cube_value_on(cube, metric, c, locations, count) : 0;
    }
    return sum;
}

int64_t fm_cause_value(const struct fm_cube *cube, fm_metric_t metric,
                       const struct fm_cube_problem *cause)
{
    bool *is_part = fm_cause_paths(cube, cause);
    const int64_t sum = sum_over(cube, metric, is_part, cause->locations, cause->location_count);
    fm_free(is_part);
    return sum;
}

/** Computation, and for how much of its measured part threads had no processor; ticks. */
struct load {
    int64_t time, measured, lost;
};

/** @return the time without a processor that was measured in the run */
static int64_t measured_load(const struct fm_diagnosis *diagnosis)
{
    return diagnosis->metrics[FM_METRIC_STOLEN_TIME] - diagnosis->metrics[FM_METRIC_BLOCKED_TIME] -
           diagnosis->metrics[FM_METRIC_UNRESOLVED_TIME];
}

/** Where the recorder could not afford to measure all of the computation, the rest is taken to be
 * like what it measured, as far as the run delay of whole threads, which is known, permits. */
static int64_t whole_load(const struct fm_diagnosis *diagnosis, const struct load *load,
                          bool *is_estimated)
{
    const double measured = (double)measured_load(diagnosis);
    double factor = load->measured > 0 ? (double)load->time / (double)load->measured : 1;
    const double most = measured > 0
                            ? (double)diagnosis->time *
                                  diagnosis->cube->experiment.lack_of_processors / 100 / measured
                            : 1;
    factor = factor < most ? factor : most;
    *is_estimated = load->lost > 0 && factor > 1 + LEAST_SHARE;
    return load->lost <= 0 ? 0
           : *is_estimated ? (int64_t)(factor * (double)load->lost)
                           : load->lost;
}

/** @return the load of a cause on some locations. @param locations  NULL: the first `count` */
static struct load load_on(const struct fm_cube *cube, const struct fm_cube_problem *cause,
                           const uint32_t *locations, uint32_t count)
{
    bool *is_part = fm_cause_paths(cube, cause);
    const struct load load = {
        .time = sum_over(cube, FM_METRIC_COMP, is_part, locations, count),
        .measured = sum_over(cube, FM_METRIC_MEASURED_TIME, is_part, locations, count),
        .lost = sum_over(cube, FM_METRIC_STOLEN_TIME, is_part, locations, count) -
                sum_over(cube, FM_METRIC_BLOCKED_TIME, is_part, locations, count) -
                sum_over(cube, FM_METRIC_UNRESOLVED_TIME, is_part, locations, count),
    };
    fm_free(is_part);
    return load;
}

int64_t fm_load_of_run(const struct fm_diagnosis *diagnosis, bool *is_estimated)
{
    const struct load load = {.time = diagnosis->metrics[FM_METRIC_COMP],
                              .measured = diagnosis->metrics[FM_METRIC_MEASURED_TIME],
                              .lost = measured_load(diagnosis)};
    return whole_load(diagnosis, &load, is_estimated);
}

bool fm_load_is_notable(const struct fm_diagnosis *diagnosis)
{
    const int64_t measured = diagnosis->metrics[FM_METRIC_MEASURED_TIME];
    return diagnosis->cube->experiment.lack_of_processors >= 100 * NOTABLE_SHARE ||
           fm_fraction(measured_load(diagnosis), measured) >= NOTABLE_SHARE;
}

int64_t fm_load_of_cause(const struct fm_diagnosis *diagnosis, const struct fm_cube_problem *cause,
                         bool *is_estimated)
{
    *is_estimated = false;
    if (diagnosis->metrics[FM_METRIC_STOLEN_TIME] <= 0 || cause->callpath == FM_CUBE_NONE) {
        return 0;
    }
    const struct load load =
        load_on(diagnosis->cube, cause, cause->locations, cause->location_count);
    return whole_load(diagnosis, &load, is_estimated);
}

/** @return the ratio of wall time to CPU time of all measured computation. */
static double slowdown_of_run(const struct fm_diagnosis *diagnosis)
{
    int64_t measured = diagnosis->metrics[FM_METRIC_MEASURED_TIME];
    int64_t running = measured - measured_load(diagnosis);
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
    bool is_estimated;
    int64_t lost = is_known ? fm_load_of_cause(diagnosis, cause, &is_estimated) : 0;
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
        const struct load here = load_on(cube, cause, cause->locations, cause->location_count);
        struct load load = load_on(cube, cause, NULL, cube->location_count);
        load.time -= here.time;
        load.measured -= here.measured;
        load.lost -= here.lost;
        double time = (double)load.time;
        double own = (time - (double)whole_load(diagnosis, &load, &is_estimated)) / others;
        own_excess = time_there - stolen_there - own;
        own_excess *= own > 0 ? time / others / own : slowdown_of_run(diagnosis);
    }
    double share = (own_excess > 0 ? excess - own_excess : excess) / excess;
    if (share > stolen_there / excess) {
        share = stolen_there / excess;
    }
    return share < LEAST_SHARE ? 0 : share > 1 ? 1 : share;
}
