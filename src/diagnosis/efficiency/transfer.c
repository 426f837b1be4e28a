/* SPDX-License-Identifier: BSD-3-Clause */
#include "diagnosis/efficiency/transfer.h"

#include "base/memory.h"
#include "diagnosis/hang/open_time.h"
#include "diagnosis/number_format.h"
#include "diagnosis/startup.h"

/** Minimum share of all time that is notable. */
#define NOTABLE 0.1

static bool is_transfer(fm_metric_t metric)
{
    static const fm_metric_t trees[] = {FM_METRIC_MPI_COMMUNICATION, FM_METRIC_SHMEM_COMMUNICATION,
                                        FM_METRIC_ARMCI_COMMUNICATION, FM_METRIC_CAF_COMMUNICATION,
                                        FM_METRIC_C10D};
    for (size_t i = 0; i < sizeof trees / sizeof trees[0]; i++) {
        if (fm_metric_is_within(metric, trees[i])) {
            return fm_wait_state_kind(metric) == FM_METRIC_NONE;
        }
    }
    return false;
}

static int64_t sum_at(const struct fm_cube *cube, fm_metric_t metric, uint32_t callpath)
{
    return fm_cube_value_on(cube, metric, callpath, NULL, cube->location_count);
}

static int64_t bytes_at(const struct fm_cube *cube, uint32_t callpath)
{
    const int64_t sent = sum_at(cube, FM_METRIC_BYTES_SENT, callpath) +
                         sum_at(cube, FM_METRIC_BYTES_COUT, callpath) +
                         sum_at(cube, FM_METRIC_BYTES_PUT, callpath) +
                         sum_at(cube, FM_METRIC_BYTES_GET, callpath);
    return sent != 0 ? sent
                     : sum_at(cube, FM_METRIC_BYTES_RCVD, callpath) +
                           sum_at(cube, FM_METRIC_BYTES_CIN, callpath);
}

struct fm_transfer_time fm_transfer_find(const struct fm_diagnosis *diagnosis)
{
    const struct fm_cube *cube = diagnosis->cube;
    struct fm_transfer_time transfer = {.callpath = FM_CUBE_NONE};
    int64_t *times = fm_allocate(cube->callpath_count, sizeof *times);
    bool *startup = fm_startup_callpaths(cube);
    for (size_t i = 0; i < cube->cell_count; i++) {
        const struct fm_cube_cell *cell = &cube->cells[i];
        if (is_transfer((fm_metric_t)cell->metric) && !fm_is_startup_cell(startup, cell)) {
            times[cell->callpath] += cell->value;
            transfer.ticks += cell->value;
        }
    }
    int64_t *open = fm_open_times(cube);
    for (uint32_t c = 0; c < cube->callpath_count; c++) {
        const int64_t never_left = open == NULL || times[c] < open[c] ? 0 : open[c];
        times[c] -= never_left;
        transfer.ticks -= never_left;
        if (times[c] > transfer.most) {
            transfer.most = times[c];
            transfer.callpath = c;
        }
    }
    transfer.is_notable = transfer.callpath != FM_CUBE_NONE &&
                          fm_fraction(transfer.ticks, diagnosis->time) >= NOTABLE;
    if (transfer.is_notable) {
        transfer.calls = sum_at(cube, FM_METRIC_VISITS, transfer.callpath);
        transfer.bytes = bytes_at(cube, transfer.callpath);
    }
    fm_free(open);
    fm_free(startup);
    fm_free(times);
    return transfer;
}
