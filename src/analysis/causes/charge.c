/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/causes/charge.h"

#include "cube/model/delay_kind.h"
#include "cube/view/view.h"

enum fm_charge fm_charge_of(fm_delay_kind_t kind)
{
    if (kind == FM_DELAY_RMA_PROGRESS || kind == FM_DELAY_P2P_PROGRESS ||
        kind == FM_DELAY_COLL_PROGRESS || kind == FM_DELAY_RMA_ACTIVE_PROGRESS ||
        kind == FM_DELAY_SHMEM_PROGRESS || kind == FM_DELAY_ARMCI_PROGRESS ||
        kind == FM_DELAY_CAF_PROGRESS) {
        return FM_CHARGE_PROGRESS;
    }
    return fm_delay_metrics(kind)->is_contention ? FM_CHARGE_CONTENTION : FM_CHARGE_DELAY;
}

uint32_t fm_cause_kind_of(const struct fm_analysis *analysis, uint32_t region,
                          enum fm_charge charge)
{
    static const uint32_t kinds[] = {
        [FM_CHARGE_DELAY] = FM_CAUSE_IMBALANCE,
        [FM_CHARGE_CONTENTION] = FM_CAUSE_SERIALIZATION,
        [FM_CHARGE_PROGRESS] = FM_CAUSE_PROGRESS,
    };
    fm_metric_t own = analysis->own_metrics[region];
    if (own == FM_METRIC_COMP || own == FM_METRIC_OVERHEAD || charge == FM_CHARGE_PROGRESS) {
        return kinds[charge];
    }
    if (fm_metric_is_within(own, FM_METRIC_MPI_IO) || own == FM_METRIC_MPI_MGMT_FILE) {
        return FM_CAUSE_IO;
    }
    return fm_metric_is_within(own, FM_METRIC_MPI_MANAGEMENT) ||
                   fm_metric_is_within(own, FM_METRIC_SHMEM_MANAGEMENT) ||
                   fm_metric_is_within(own, FM_METRIC_ARMCI_MANAGEMENT) ||
                   fm_metric_is_within(own, FM_METRIC_CAF_MANAGEMENT)
               ? FM_CAUSE_STARTUP
               : FM_CAUSE_TRANSFER;
}
