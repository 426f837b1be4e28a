/** @file
 * What the diagnosis of a run starts from: the sealed cube, its totals, and how its sentences are
 * to be worded. The report in the terminal and the page in the browser show what the other files of
 * this folder find with it: problems, root causes, observations, shares of CPU time, efficiencies.
 */
#ifndef FERMATA_DIAGNOSIS_DIAGNOSIS_H
#define FERMATA_DIAGNOSIS_DIAGNOSIS_H

#include "cube/model/view.h"

#include <stdbool.h>

/** How sentences are worded, and what they are about. */
struct fm_diagnosis_options {
    unsigned width;  /**< columns of a line, which call paths are cut to; 0: no limit */
    bool utf8;       /**< characters beyond ASCII can be shown */
    bool is_subtree; /**< the cube is restricted to a call path and all that it calls */
};

struct fm_diagnosis {
    const struct fm_cube *cube; /**< sealed */
    struct fm_diagnosis_options options;
    int64_t metrics[FM_METRIC_COUNT];   /**< inclusive totals of the whole cube */
    int64_t exclusive[FM_METRIC_COUNT]; /**< exclusive totals of the whole cube */
    int64_t waiting;                    /**< sum of all wait states, ticks */
};

/** Adds up the totals of a cube.
 * @param cube       sealed; must outlive the diagnosis
 * @param diagnosis  out: nothing to be released; set only on success */
fm_status_t fm_diagnosis_make(struct fm_diagnosis *diagnosis, const struct fm_cube *cube,
                              const struct fm_diagnosis_options *options, struct fm_error *error);

/** @return the kind of wait state that `metric` is or belongs to; FM_METRIC_NONE: none. */
fm_metric_t fm_wait_state_kind(fm_metric_t metric);

#endif
