#include "cube/model/delay_kind.h"

fm_delay_kind_t fm_delay_kind(fm_metric_t metric)
{
    switch (metric) {
    case FM_METRIC_MPI_LATERECEIVER:
    case FM_METRIC_MPI_LATERECEIVER_WO:
        return FM_DELAY_LATERECEIVER;
    case FM_METRIC_MPI_BARRIER_WAIT:
        return FM_DELAY_BARRIER;
    case FM_METRIC_MPI_WAIT_NXN:
        return FM_DELAY_N2N;
    case FM_METRIC_MPI_LATEBROADCAST:
        return FM_DELAY_12N;
    case FM_METRIC_MPI_EARLYREDUCE:
        return FM_DELAY_N21;
    case FM_METRIC_MPI_EARLYSCAN:
        return FM_DELAY_SCAN;
    case FM_METRIC_MPI_INIT_WAIT:
        return FM_DELAY_INIT;
    case FM_METRIC_MPI_FINALIZE_WAIT:
        return FM_DELAY_FINALIZE;
    case FM_METRIC_MPI_COMM_WAIT:
        return FM_DELAY_COMM;
    case FM_METRIC_MPI_FILE_WAIT:
        return FM_DELAY_FILE;
    case FM_METRIC_MPI_RMA_WAIT_AT_CREATE:
        return FM_DELAY_RMA_CREATE;
    case FM_METRIC_MPI_RMA_WAIT_AT_FENCE:
        return FM_DELAY_RMA_FENCE;
    case FM_METRIC_MPI_RMA_WAIT_AT_FREE:
        return FM_DELAY_RMA_FREE;
    case FM_METRIC_MPI_RMA_SYNC_LATE_POST:
    case FM_METRIC_MPI_RMA_COMM_LATE_POST:
        return FM_DELAY_RMA_LATE_POST;
    case FM_METRIC_MPI_RMA_EARLY_WAIT:
        return FM_DELAY_RMA_EARLY_WAIT;
    case FM_METRIC_MPI_RMA_SYNC_WAIT_FOR_PROGRESS:
    case FM_METRIC_MPI_RMA_COMM_WAIT_FOR_PROGRESS:
        return FM_DELAY_RMA_PROGRESS;
    case FM_METRIC_MPI_RMA_SYNC_LOCK_COMPETITION:
    case FM_METRIC_MPI_RMA_COMM_LOCK_COMPETITION:
        return FM_DELAY_MPI_RMA_LOCK;
    default:
        return FM_DELAY_LATESENDER;
    }
}

bool fm_delay_is_contention(fm_delay_kind_t kind)
{
    return kind >= FM_DELAY_MPI_RMA_LOCK;
}

fm_metric_t fm_delay_cost_metric(fm_delay_kind_t kind, bool longterm)
{
    /* Each kind has three metrics in a row: all, short-term, long-term. */
    if (fm_delay_is_contention(kind)) {
        return (fm_metric_t)(FM_METRIC_INTERVAL_DELAY_MPI_RMA_LOCK +
                             3 * (kind - FM_DELAY_MPI_RMA_LOCK) + longterm);
    }
    return (fm_metric_t)(FM_METRIC_DELAY_LATESENDER + 3 * (int)kind + longterm);
}

fm_metric_t fm_delay_wait_metric(fm_metric_t parent, fm_delay_kind_t kind)
{
    return (fm_metric_t)((int)parent + 1 + (int)kind);
}
