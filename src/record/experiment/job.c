/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/experiment/job.h"
#include "record/experiment/kept_variables.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Grid Engine's JOB_ID is such a common name that `mark` must also be set. Some systems set an
 * index, `none`, for jobs that are in no array. */
static const struct {
    const char *system, *id, *name, *mark, *index, *older_index, *none;
    bool shares_id;
} systems[] = {
    {.system = "Slurm",
     .id = "SLURM_JOB_ID",
     .name = "SLURM_JOB_NAME",
     .index = "SLURM_ARRAY_TASK_ID"},
    {.system = "PBS",
     .id = "PBS_JOBID",
     .name = "PBS_JOBNAME",
     .index = "PBS_ARRAY_INDEX",
     .older_index = "PBS_ARRAYID"},
    {.system = "LSF",
     .id = "LSB_JOBID",
     .name = "LSB_JOBNAME",
     .index = "LSB_JOBINDEX",
     .none = "0",
     .shares_id = true},
    {.system = "Flux", .id = "FLUX_JOB_ID"},
    {.system = "Cobalt", .id = "COBALT_JOBID", .name = "COBALT_JOBNAME"},
    {.system = "Grid Engine",
     .id = "JOB_ID",
     .name = "JOB_NAME",
     .mark = "SGE_ROOT",
     .index = "SGE_TASK_ID",
     .none = "undefined",
     .shares_id = true},
};

static const char *text_of(const char *variable)
{
    const char *text = variable != NULL ? fm_variable(variable) : NULL;
    return text != NULL && text[0] != '\0' ? text : NULL;
}

bool fm_job_find(struct fm_job *job)
{
    for (size_t i = 0; i < sizeof systems / sizeof systems[0]; i++) {
        const char *id = text_of(systems[i].id);
        if (id != NULL && (systems[i].mark == NULL || text_of(systems[i].mark) != NULL)) {
            const char *index = text_of(systems[i].index);
            index = index != NULL ? index : text_of(systems[i].older_index);
            if (index != NULL && systems[i].none != NULL && strcmp(index, systems[i].none) == 0) {
                index = NULL;
            }
            *job = (struct fm_job){.system = systems[i].system,
                                   .id = id,
                                   .name = text_of(systems[i].name),
                                   .index = index,
                                   .shares_id = systems[i].shares_id};
            return true;
        }
    }
    return false;
}

bool fm_job_is_rank(void)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        if (fm_variable(variables[i]) != NULL) {
            return true;
        }
    }
    return false;
}
