/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/dependencies/acquisitions.h"

#include "analysis/model/run.h"

void fm_acquisitions_add(const struct fm_analysis *analysis, unsigned worker, uint32_t process,
                         struct fm_ordered_acquisition *acquisitions, uint32_t count)
{
    fm_acquisition_vector *all = &analysis->dependencies->acquisitions[process];
    const uint32_t before = (uint32_t)all->count;
    const uint32_t locks = before == 0 ? 0 : all->items[before - 1].lock + 1;
    for (uint32_t i = 0; i < count; i++) {
        struct fm_ordered_acquisition *acquisition = &acquisitions[i];
        acquisition->lock += locks;
        acquisition->before += acquisition->t != 0 ? before : 0;
        if (acquisition->t == 0 && acquisition->call.activity != FM_NONE &&
            acquisition->request.activity != FM_NONE) {
            fm_depend_at(analysis, worker, acquisition->call,
                         fm_awaited_enter(acquisition->request), 0, FM_DEPENDS_ON_OVERTAKER);
        }
        fm_vector_push(all, *acquisition);
    }
}
