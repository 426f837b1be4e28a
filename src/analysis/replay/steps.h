/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * A location as a sequence of steps: each leads from one Enter or Leave of a call, or one mark, to
 * the next one. Calls may contain others: the remaining time of the outer call then has several
 * pieces. */
#ifndef FERMATA_ANALYSIS_REPLAY_STEPS_H
#define FERMATA_ANALYSIS_REPLAY_STEPS_H

#include "analysis/dependencies/dependencies.h"

/** What a step leads to. */
typedef enum { FM_STEP_ENTER, FM_STEP_LEAVE, FM_STEP_MARK } fm_step_kind_t;

/** An open call. */
struct fm_open_call {
    uint32_t first, last; /**< activities: several if they poll together */
};

/** One step. */
struct fm_step {
    uint64_t time;        /**< measured */
    uint32_t first, last; /**< the call: several activities if they poll together; of a mark: its
                               position */
    fm_step_kind_t kind;
    bool is_inside; /**< the time before it is that of a call, not computation */
};

/** A walk over the steps of a location. {0}: unused. */
struct fm_steps {
    const struct fm_location *location;
    const fm_polling_vector *pollings;
    const fm_mark_vector *marks;
    uint32_t activity; /**< next one to be entered */
    uint32_t mark;     /**< next one */
    size_t polling;    /**< first one that may begin at `activity` or later */
    FM_VECTOR(struct fm_open_call) open;
};

/** Begins at the begin of the location. */
void fm_steps_begin(struct fm_steps *steps, const struct fm_location *location,
                    const fm_polling_vector *pollings, const fm_mark_vector *marks);

/** Finds the next step. @return whether there is one */
bool fm_steps_next(struct fm_steps *steps, struct fm_step *step);

void fm_steps_free(struct fm_steps *steps);

#endif
