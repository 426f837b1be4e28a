/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The batch job of a process, determined from environment variables.
 */
#ifndef FERMATA_RECORD_EXPERIMENT_JOB_H
#define FERMATA_RECORD_EXPERIMENT_JOB_H

#include <stdbool.h>

/** A batch job. The texts point into the environment, valid until it is changed. */
struct fm_job {
    const char *system; /**< "Slurm", "PBS", "LSF", "Flux", "Cobalt", "Grid Engine" */
    const char *id;     /**< as the system writes it */
    const char *name;   /**< NULL if the environment has none */
    const char *index;  /**< index in a job array; NULL: the job is in no array */
    bool shares_id;     /**< all jobs of the array have the same id */
};

/** Finds the job. If variables of several systems are set, the first in the order above counts.
 * @return whether there is a job; `job` is unchanged otherwise */
bool fm_job_find(struct fm_job *job);

/** Whether this process was started by a launcher (mpirun, srun), as one of its ranks. */
bool fm_job_is_rank(void);

#endif
