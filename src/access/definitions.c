/* SPDX-License-Identifier: BSD-3-Clause */
/* Locations, regions, call paths, metrics, communicators. */
#include "access/access_tables.h"

#include "base/memory.h"
#include "cube/model/metric.h"
#include "functions/paradigm_names.h"

#include <stdio.h>
#include <stdlib.h>

static void make_locations(struct fm_access_source *source)
{
    struct fermata_trace *tables = source->tables;
    const struct fm_trace *trace = source->trace;
    fm_access_size(tables, FM_TABLE_OF_locations, trace->location_count);
    for (uint32_t l = 0; l < trace->location_count; l++) {
        const struct fm_location *location = &trace->locations[l];
        const struct fm_process *process = &trace->processes[location->process];
        const bool has_events = location->begin <= location->end;
        fm_access_int32(tables, FM_COLUMN_locations_rank)[l] = (int32_t)location->process;
        fm_access_int32(tables, FM_COLUMN_locations_thread)[l] = (int32_t)location->thread;
        fm_access_text(tables, FM_COLUMN_locations_name)[l] =
            fm_access_keep(tables, location->name);
        fm_access_text(tables, FM_COLUMN_locations_node)[l] = fm_access_keep(tables, process->node);
        fm_access_int64(tables, FM_COLUMN_locations_begin)[l] =
            has_events ? fm_access_ticks(source, location->begin) : 0;
        fm_access_int64(tables, FM_COLUMN_locations_end)[l] =
            has_events ? fm_access_ticks(source, location->end) : 0;
    }
}

static void make_regions(struct fm_access_source *source)
{
    struct fermata_trace *tables = source->tables;
    const struct fm_trace *trace = source->trace;
    fm_access_size(tables, FM_TABLE_OF_regions, trace->region_count);
    for (uint32_t r = 0; r < trace->region_count; r++) {
        const struct fm_region *region = &trace->regions[r];
        fm_access_text(tables, FM_COLUMN_regions_name)[r] = fm_access_keep(tables, region->name);
        fm_access_text(tables, FM_COLUMN_regions_file)[r] = fm_access_keep(tables, region->file);
        fm_access_int32(tables, FM_COLUMN_regions_line)[r] = (int32_t)region->line;
        fm_access_text(tables, FM_COLUMN_regions_paradigm)[r] = fm_paradigm_name(region->paradigm);
    }
}

static void make_callpaths(struct fm_access_source *source)
{
    struct fermata_trace *tables = source->tables;
    const struct fm_trace *trace = source->trace;
    fm_access_size(tables, FM_TABLE_OF_callpaths, trace->callpaths.count);
    for (size_t c = 0; c < trace->callpaths.count; c++) {
        const struct fm_callpath *node = &trace->callpaths.items[c];
        const char **paths = fm_access_text(tables, FM_COLUMN_callpaths_path);
        char *name = fm_trace_callpath_name(trace, node);
        char *path = NULL;
        if (name == NULL ||
            asprintf(&path, "%s%s%s", node->parent == FM_NONE ? "" : paths[node->parent],
                     node->parent == FM_NONE ? "" : "/", name) < 0) {
            fm_memory_exhausted();
        }
        fm_access_int32(tables, FM_COLUMN_callpaths_parent)[c] = fm_access_row(node->parent);
        fm_access_int32(tables, FM_COLUMN_callpaths_region)[c] = (int32_t)node->region;
        fm_access_text(tables, FM_COLUMN_callpaths_name)[c] = fm_access_keep(tables, name);
        paths[c] = fm_access_keep(tables, path);
        free(path);
        free(name);
    }
}

static void make_metrics(struct fermata_trace *tables)
{
    const unsigned end = fm_metric_end(); /* with those that the analysis has declared: counters */
    fm_access_size(tables, FM_TABLE_OF_metrics, end);
    for (unsigned m = 0; m < end; m++) {
        const struct fm_metric_info *info = fm_metric_info((fm_metric_t)m);
        fm_access_text(tables, FM_COLUMN_metrics_id)[m] = fm_access_keep(tables, info->id);
        fm_access_text(tables, FM_COLUMN_metrics_name)[m] = fm_access_keep(tables, info->name);
        fm_access_text(tables, FM_COLUMN_metrics_unit)[m] = fm_unit_name(info->unit);
        fm_access_int32(tables, FM_COLUMN_metrics_parent)[m] =
            info->parent == FM_METRIC_NONE ? -1 : (int32_t)info->parent;
        fm_access_text(tables, FM_COLUMN_metrics_description)[m] =
            fm_access_keep(tables, info->description);
    }
}

static void make_communicators(struct fm_access_source *source)
{
    struct fermata_trace *tables = source->tables;
    const struct fm_trace *trace = source->trace;
    fm_access_size(tables, FM_TABLE_OF_communicators, trace->communicator_count);
    for (uint32_t c = 0; c < trace->communicator_count; c++) {
        const struct fm_communicator *communicator = &trace->communicators[c];
        fm_access_text(tables, FM_COLUMN_communicators_name)[c] =
            fm_access_keep(tables, communicator->name);
        fm_access_int32(tables, FM_COLUMN_communicators_size)[c] = (int32_t)communicator->size;
    }
}

void fm_access_definitions(struct fm_access_source *source)
{
    make_locations(source);
    make_regions(source);
    make_callpaths(source);
    make_metrics(source->tables);
    make_communicators(source);
}
