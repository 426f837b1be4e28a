#include "record/core/job.h"

#include <stddef.h>
#include <stdlib.h>

/* JOB_ID, Grid Engine's, is so common a name that the system's own variable must be there, too. */
static const struct {
    const char *system, *id, *name, *mark;
} systems[] = {
    {"Slurm", "SLURM_JOB_ID", "SLURM_JOB_NAME", NULL},
    {"PBS", "PBS_JOBID", "PBS_JOBNAME", NULL},
    {"LSF", "LSB_JOBID", "LSB_JOBNAME", NULL},
    {"Flux", "FLUX_JOB_ID", NULL, NULL},
    {"Cobalt", "COBALT_JOBID", "COBALT_JOBNAME", NULL},
    {"Grid Engine", "JOB_ID", "JOB_NAME", "SGE_ROOT"},
};

static const char *text_of(const char *variable)
{
    const char *text = variable != NULL ? getenv(variable) : NULL;
    return text != NULL && text[0] != '\0' ? text : NULL;
}

bool fm_job_find(struct fm_job *job)
{
    for (size_t i = 0; i < sizeof systems / sizeof systems[0]; i++) {
        const char *id = text_of(systems[i].id);
        if (id != NULL && (systems[i].mark == NULL || text_of(systems[i].mark) != NULL)) {
            *job = (struct fm_job){systems[i].system, id, text_of(systems[i].name)};
            return true;
        }
    }
    return false;
}
