/** @file
 * Phases whose workers go on by what others of the same process write: each takes one step after
 * the other until it is done, and waits in between where there is nothing to do yet.
 */
#ifndef FERMATA_ENGINE_STEPS_H
#define FERMATA_ENGINE_STEPS_H

#include "engine/engine.h"

/** What became of a step. */
typedef enum {
    FM_STEP_IN_VAIN, /**< there was nothing to do: others have to go on first */
    FM_STEP_TAKEN,   /**< something was done */
    FM_STEP_LAST     /**< the worker is done */
} fm_step_t;

/** Does what a worker can do without waiting. Without anything new, it is in vain a second time. */
typedef fm_step_t fm_step_function_t(void *context, unsigned worker);

/** Runs a phase: each worker begins, and then takes steps until its last one. What workers write
 * for one another they write atomically. For processes alone: nobody waits for others of a team.
 * Ends, too, if all workers that are not done wait for one another. */
void fm_engine_run_steps(struct fm_engine *engine, fm_stage_t *begin, fm_step_function_t *step,
                         void *context);

#endif
