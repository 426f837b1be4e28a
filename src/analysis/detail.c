/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/detail.h"

#include "analysis/dependencies/dependencies.h"
#include "base/memory.h"

void fm_detail_free(struct fm_detail *detail)
{
    if (detail == NULL) {
        return;
    }
    for (uint32_t i = 0; i < detail->trace->location_count; ++i) {
        fm_findings_free(&detail->findings[i]);
    }
    for (uint32_t i = 0; i < detail->trace->process_count; ++i) {
        fm_vector_free(&detail->messages[i]);
    }
    fm_dependencies_free(detail->dependencies);
    fm_vector_free(&detail->holds);
    fm_vector_free(&detail->blames);
    fm_free(detail->findings);
    fm_free(detail->messages);
    fm_trace_free(detail->trace);
    fm_time_maps_free(&detail->maps);
    fm_free(detail);
}
