/** @file
 * The batch job that a process belongs to, by its environment.
 */
#ifndef FERMATA_RECORD_EXPERIMENT_JOB_H
#define FERMATA_RECORD_EXPERIMENT_JOB_H

#include <stdbool.h>

/** A batch job. The texts are the environment's, valid until that is changed. */
struct fm_job {
    const char *system; /**< "Slurm", "PBS", "LSF", "Flux", "Cobalt", "Grid Engine" */
    const char *id;     /**< as the system writes it */
    const char *name;   /**< NULL if the environment has none */
    const char *index;  /**< which one of a job array it is; NULL: it is none */
    bool shares_id;     /**< all jobs of the array have that id */
};

/** Finds the job. Where several systems have left variables, the first in the order above counts.
 * @return whether there is one; `job` is left alone otherwise */
bool fm_job_find(struct fm_job *job);

/** Whether this process was started by a launcher (mpirun, srun), as one of its ranks. */
bool fm_job_is_rank(void);

#endif
