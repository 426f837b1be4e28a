/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The predictions of a report: the run without each of its largest problems, and the run on an
 * ideal network, by replays. See struct fm_cube_prediction, and `ideal_duration` of struct
 * fm_cube_experiment.
 *
 * Tried are, for each of the three largest problems of waiting: of an imbalance, that the call path
 * takes on the problem's processes what it takes on the others (where the problem is not of whole
 * processes: nowhere more than the median), and that its work is spread evenly (processes that do
 * not execute it are taken to do their part while they wait); of a serialization or contention,
 * that nobody waits for the locks that its symptoms wait for, that FM_CUBE_SPLIT_LOCKS locks stand
 * for each of these that is of a window, and, if the call path runs under locks only, that it takes
 * half the time; of a lack of progress, ideal progress; and that the barrier in which most of its
 * waiting shows does not exist, or the fence waits for partners only. Of each of the two largest
 * problems of idle threads: that these threads take part in it, and that it takes no time. At most
 * 17 predictions, with that of the ideal network.
 */
#ifndef FERMATA_WHATIF_PROBLEM_PREDICTIONS_H
#define FERMATA_WHATIF_PROBLEM_PREDICTIONS_H

#include "analysis/detail.h"
#include "cube/model/cube.h"

/** When a report has predictions. */
enum fm_predicting {
    FM_PREDICTING_ALWAYS,
    /** If a replay takes less than the analysis: it has no more than three steps (ends and begins
     * of calls, dependencies, members of collectives, decisions) for each event of the trace. */
    FM_PREDICTING_IF_CHEAP
};

/** Adds the predictions to a report. The result does not depend on the number of workers.
 * @param cube      of the same analysis
 * @param detail    with dependencies
 * @param has_load  [problem]: the machine causes a part of it: the report does not say what another
 *                  distribution of its work would save, which is therefore not predicted
 * @return FM_ERR_FAILED: a replay without changes does not give the measured times; the report has
 * no prediction then */
fm_status_t fm_problem_predictions_add(struct fm_cube *cube, const struct fm_detail *detail,
                                       const bool *has_load, enum fm_predicting when,
                                       unsigned workers, struct fm_error *error);

#endif
