/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/libraries/library_metrics.h"

#define FM_METRIC_FITS(symbol)                                                                     \
    (FM_METRIC_##symbol == FM_METRIC_NONE || FM_METRIC_##symbol <= UINT8_MAX)
#define FM_LIBRARY_METRICS(rule, mpi, shmem, armci, caf, c10d)                                     \
    _Static_assert(FM_METRIC_FITS(mpi) && FM_METRIC_FITS(shmem) && FM_METRIC_FITS(armci) &&        \
                       FM_METRIC_FITS(caf) && FM_METRIC_FITS(c10d),                                \
                   "candidates and parts keep a metric in 8 bits");
#include "analysis/libraries/library_metrics.def"
#undef FM_LIBRARY_METRICS

/* uint16_t: FM_METRIC_NONE has more than 8 bits. */
static const uint16_t metrics[FM_RULES][FM_PARADIGM_C10D + 1] = {
#define FM_LIBRARY_METRICS(rule, mpi, shmem, armci, caf, c10d)                                     \
    [FM_RULE_##rule] = {                                                                           \
        [FM_PARADIGM_USER] = FM_METRIC_NONE,     [FM_PARADIGM_MPI] = FM_METRIC_##mpi,              \
        [FM_PARADIGM_SHMEM] = FM_METRIC_##shmem, [FM_PARADIGM_ARMCI] = FM_METRIC_##armci,          \
        [FM_PARADIGM_CAF] = FM_METRIC_##caf,     [FM_PARADIGM_C10D] = FM_METRIC_##c10d,            \
    },
#include "analysis/libraries/library_metrics.def"
#undef FM_LIBRARY_METRICS
};

bool fm_is_library(fm_paradigm_t paradigm)
{
    return paradigm == FM_PARADIGM_MPI || paradigm == FM_PARADIGM_SHMEM ||
           paradigm == FM_PARADIGM_ARMCI || paradigm == FM_PARADIGM_CAF ||
           paradigm == FM_PARADIGM_C10D;
}

fm_metric_t fm_library_metric(fm_paradigm_t paradigm, fm_rule_t rule)
{
    return fm_is_library(paradigm) ? (fm_metric_t)metrics[rule][paradigm] : FM_METRIC_NONE;
}

bool fm_is_one_sided_synchronization(fm_metric_t own)
{
    return own == FM_METRIC_MPI_RMA_SYNC_PASSIVE || own == FM_METRIC_SHMEM_SYNCHRONIZATION ||
           own == FM_METRIC_ARMCI_SYNCHRONIZATION || own == FM_METRIC_CAF_SYNCHRONIZATION;
}
