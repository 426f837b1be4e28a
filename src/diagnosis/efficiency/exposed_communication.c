/* SPDX-License-Identifier: BSD-3-Clause */
#include "diagnosis/efficiency/exposed_communication.h"

#include "base/memory.h"
#include "diagnosis/number_format.h"
#include "diagnosis/process_word.h"

#include <stdlib.h>

void fm_exposed_communication_find(const struct fm_diagnosis *diagnosis, struct fm_sentences *lines)
{
    const struct fm_cube *cube = diagnosis->cube;
    const int64_t exposed = diagnosis->metrics[FM_METRIC_C10D_EXPOSED];
    int64_t *of_location = fm_allocate(cube->location_count, sizeof *of_location);
    int64_t communication = 0, most = 0, of_rank = 0;
    uint32_t worst = FM_CUBE_NONE;
    for (size_t i = 0; i < cube->cell_count; i++) {
        const struct fm_cube_cell *cell = &cube->cells[i];
        const fm_metric_t metric = (fm_metric_t)cell->metric;
        if (fm_metric_is_within(metric, FM_METRIC_C10D) &&
            cube->locations[cell->location].is_stream) {
            communication += cell->value;
        }
        of_location[cell->location] += metric == FM_METRIC_C10D_EXPOSED ? cell->value : 0;
    }
    for (uint32_t l = 0; l < cube->location_count; l++) {
        const bool begins = l == 0 || cube->locations[l].rank != cube->locations[l - 1].rank;
        of_rank = (begins ? 0 : of_rank) + of_location[l];
        if (of_rank > most) {
            most = of_rank;
            worst = l;
        }
    }
    fm_free(of_location);
    if (communication == 0) {
        return;
    }
    char percent[FM_FORMAT_SIZE], part[FM_FORMAT_SIZE], whole[FM_FORMAT_SIZE];
    char longest[FM_FORMAT_SIZE], share[FM_FORMAT_SIZE];
    if (worst == FM_CUBE_NONE) {
        fm_sentences_add(lines, "",
                         "All communication of accelerators (%s) is overlapped with kernels that "
                         "compute.",
                         fm_format_ticks(whole, cube, communication));
        return;
    }
    const struct fm_cube_experiment *experiment = &cube->experiment;
    char *process = fm_process_name(fm_process_word(cube), &cube->locations[worst]);
    fm_sentences_add(
        lines, "",
        "%s of the communication of accelerators (%s of %s) is exposed: no kernel "
        "computes meanwhile. Most on %s: %s, %s of the run. %s",
        fm_format_percent(percent, exposed, communication), fm_format_ticks(part, cube, exposed),
        fm_format_ticks(whole, cube, communication), process, fm_format_ticks(longest, cube, most),
        fm_format_percent(share, most, (int64_t)(experiment->end - experiment->begin)),
        fm_metric_info(FM_METRIC_C10D_EXPOSED)->advice);
    free(process);
}
