/* SPDX-License-Identifier: BSD-3-Clause */
#include "view/timeline/timeline_data.h"

#include "base/memory.h"
#include "view/bundle.h"
#include "view/timeline/counter_data.h"
#include "view/timeline/similar_locations.h"
#include "view/timeline/timeline_bins.h"
#include "view/timeline/timeline_events.h"
#include "view/timeline/timeline_windows.h"

/** Maximum number of calls of a run that is shown whole. */
#define CALLS_OF_RUN 200000

/** Approximate number of values of all counters in a page. */
#define VALUES_OF_COUNTERS 50000U

/** The part of the events that a page contains. */
struct extent {
    uint64_t calls; /* maximum of an excerpt; 0: the whole run */
    size_t windows;
};

static void put_windows(struct fm_json *json, const fm_timeline_windows *windows)
{
    fm_json_array(json, "windows");
    for (size_t i = 0; i < windows->count; i++) {
        const struct fm_timeline_window *window = &windows->items[i];
        fm_json_object(json, NULL);
        fm_json_unsigned(json, "from", window->from);
        fm_json_unsigned(json, "to", window->to);
        if (window->instance == NULL) {
            fm_json_null(json, "metric");
            fm_json_null(json, "location");
            fm_json_null(json, "enter");
        } else {
            fm_json_unsigned(json, "metric", window->metric);
            fm_json_unsigned(json, "location", window->instance->location);
            fm_json_unsigned(json, "enter", window->instance->enter);
        }
        fm_json_end(json);
    }
    fm_json_end(json);
}

/** The input that is the same for every extent. */
struct source {
    const struct fm_detail *detail;
    const struct fm_cube *cube;
    struct fm_wait_kinds kinds;
    struct fm_clusters alike;
    fm_counter_list counters;
};

static fm_status_t make(const struct source *source, const struct extent *extent,
                        unsigned char **bytes, size_t *size, struct fm_error *error)
{
    const struct fm_detail *detail = source->detail;
    const struct fm_cube *cube = source->cube;
    struct fm_bundle *bundle = fm_bundle_create();
    struct fm_json *json = fm_bundle_json(bundle);
    fm_timeline_windows windows =
        extent->calls == 0 ? fm_timeline_whole_run(cube)
                           : fm_timeline_excerpts(detail, cube, extent->calls, extent->windows);
    fm_json_unsigned(json, "version", 1);
    fm_json_unsigned(json, "length", cube->experiment.end - cube->experiment.begin);
    fm_json_unsigned(json, "calls", fm_timeline_calls(detail->trace));
    put_windows(json, &windows);
    fm_similar_add(bundle, &source->alike, detail->trace->location_count);
    fm_counter_data_add(bundle, detail->trace, &source->counters, cube->experiment.begin,
                        VALUES_OF_COUNTERS);
    if (extent->calls != 0)
        fm_timeline_bins_add(bundle, detail, cube, &source->kinds, &source->alike);
    fm_timeline_events_add(bundle, detail, cube->experiment.begin, &windows);
    fm_timeline_windows_free(&windows);
    fm_status_t status = fm_bundle_finish(bundle, bytes, size, error);
    fm_bundle_free(bundle);
    return status;
}

fm_status_t fm_timeline_data_make(const struct fm_detail *detail, const struct fm_cube *cube,
                                  size_t limit, unsigned char **bytes, size_t *size,
                                  struct fm_error *error)
{
    static const struct extent extents[] = {{0, 1}, {4000, 24}, {2000, 16}, {1000, 8}, {1000, 0}};
    const size_t count = sizeof extents / sizeof extents[0];
    *bytes = NULL;
    *size = 0;
    if (cube->location_count == 0 || cube->experiment.end <= cube->experiment.begin)
        return FM_OK;
    struct source source = {.detail = detail, .cube = cube, .kinds = fm_wait_kinds_find(detail)};
    source.alike = fm_similar_find(detail, &source.kinds, cube->experiment.begin,
                                   cube->experiment.end - cube->experiment.begin);
    source.counters = fm_counter_list_find(detail->trace);
    fm_status_t status = FM_OK;
    for (size_t i = fm_timeline_calls(detail->trace) <= CALLS_OF_RUN ? 0 : 1; i < count; i++) {
        status = make(&source, &extents[i], bytes, size, error);
        if (status != FM_OK || *size <= limit)
            break;
        fm_free(*bytes);
        *bytes = NULL;
        *size = 0;
    }
    fm_clusters_free(&source.alike);
    fm_vector_free(&source.counters);
    return status;
}
