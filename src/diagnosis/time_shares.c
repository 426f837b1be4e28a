/* SPDX-License-Identifier: BSD-3-Clause */
#include "diagnosis/time_shares.h"

#include <string.h>

/** @return the inclusive time of `metric` minus its wait states, start-up and calls never left. */
static int64_t without_waiting(const struct fm_diagnosis *diagnosis, fm_metric_t metric)
{
    int64_t value = 0;
    for (unsigned i = 0; i < fm_metric_end(); i++) {
        fm_metric_t part = (fm_metric_t)i;
        if (fm_metric_is_within(part, metric) && fm_wait_state_kind(part) == FM_METRIC_NONE) {
            value +=
                diagnosis->exclusive[part] - diagnosis->startup_of[part] - diagnosis->open_of[part];
        }
    }
    return value;
}

static int64_t never_left(const struct fm_diagnosis *diagnosis)
{
    int64_t value = 0;
    for (unsigned i = 0; i < fm_metric_end(); i++) {
        value += diagnosis->open_of[i];
    }
    return value;
}

bool fm_time_is_unknown(const struct fm_diagnosis *diagnosis)
{
    const struct fm_cube *cube = diagnosis->cube;
    return cube->is_profile && cube->experiment.end == cube->experiment.begin;
}

void fm_time_shares(const struct fm_diagnosis *diagnosis,
                    struct fm_time_share shares[FM_TIME_SHARE_COUNT])
{
    const struct fm_time_share computed[FM_TIME_SHARE_COUNT] = {
        {"Computation", without_waiting(diagnosis, FM_METRIC_COMP)},
        {"Waiting", diagnosis->waiting},
        {"Calls never left", never_left(diagnosis)},
        {"Idle threads", without_waiting(diagnosis, FM_METRIC_OMP_IDLE_THREADS)},
        {"MPI without waiting", without_waiting(diagnosis, FM_METRIC_MPI)},
        {"SHMEM without waiting", without_waiting(diagnosis, FM_METRIC_SHMEM)},
        {"ARMCI without waiting", without_waiting(diagnosis, FM_METRIC_ARMCI)},
        {"Coarrays without waiting", without_waiting(diagnosis, FM_METRIC_CAF)},
        {"torch.distributed without waiting", without_waiting(diagnosis, FM_METRIC_C10D)},
        {"OpenMP without waiting", without_waiting(diagnosis, FM_METRIC_OMP_TIME)},
        {"Threads without waiting", without_waiting(diagnosis, FM_METRIC_PTHREAD_TIME)},
        {"Overhead", diagnosis->metrics[FM_METRIC_OVERHEAD]},
        {"Not classified",
         diagnosis->exclusive[FM_METRIC_TIME] + diagnosis->exclusive[FM_METRIC_EXECUTION]},
    };
    static const char *const of_profile[FM_TIME_SHARE_COUNT] = {
        [4] = "MPI", "SHMEM", "ARMCI", "Coarrays", "torch.distributed", "OpenMP", "Threads"};
    memcpy(shares, computed, sizeof computed);
    for (size_t i = 0; diagnosis->cube->is_profile && i < FM_TIME_SHARE_COUNT; i++) {
        shares[i].name = of_profile[i] != NULL ? of_profile[i] : shares[i].name;
    }
}
