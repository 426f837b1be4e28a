/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads an archive into the tables of the analysis and stops: the share of loading in the time of
 * an analysis. One thread. */
#include "trace/tables/trace.h"

#include <inttypes.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    struct fm_trace *trace;
    struct fm_trace_defects defects = {0};
    struct fm_error error;
    if (argc != 2) {
        fprintf(stderr, "usage: load_archive DIR\n");
        return 2;
    }
    if (fm_trace_open(argv[1], &trace, &error) != FM_OK) {
        fprintf(stderr, "load_archive: %s\n", error.message);
        return 1;
    }
    fm_status_t status = fm_trace_load(trace, 0, trace->process_count, &defects, &error);
    if (status == FM_OK) {
        fm_trace_unify(trace);
        printf("%" PRIu32 " locations loaded\n", trace->location_count);
    } else {
        fprintf(stderr, "load_archive: %s\n", error.message);
    }
    fm_trace_free(trace);
    return status == FM_OK ? 0 : 1;
}
