/* SPDX-License-Identifier: BSD-3-Clause */
/* The report as JSON (docs/report-json.md). */
#include "export/json/json_report.h"
#include "diagnosis/place.h"

#include "base/recorder_costs.h"
#include "export/export.h"
#include "export/json/json_fields.h"

static void put_experiment(struct fm_json *json, const struct fm_cube *cube)
{
    static const char *const costs[] = {
#define FM_COST_NAME(symbol, name, noun, advice) name,
        FM_RECORDER_COSTS(FM_COST_NAME)
#undef FM_COST_NAME
    };
    const struct fm_cube_experiment *experiment = &cube->experiment;
    fm_json_object(json, "experiment");
    fm_json_string(json, "title", experiment->title);
    fm_json_string(json, "command", experiment->command);
    fm_json_string(json, "creator", experiment->creator);
    fm_json_string(json, "machine", experiment->machine);
    fm_json_unsigned(json, "processes", experiment->process_count);
    fm_json_unsigned(json, "locations", cube->location_count);
    fm_json_unsigned(json, "events", experiment->event_count);
    fm_json_seconds(json, "duration", cube, experiment->end - experiment->begin);
    fm_json_unsigned(json, "ticks_per_second", experiment->ticks_per_second);
    if (experiment->overhead == 0) {
        fm_json_null(json, "overhead_percent");
    } else {
        fm_json_double(json, "overhead_percent", experiment->overhead / 1e4);
    }
    fm_json_bool(json, "overhead_is_least", experiment->overhead_is_least);
    if (experiment->costliest == 0) {
        fm_json_null(json, "overhead_mostly");
    } else {
        fm_json_string(json, "overhead_mostly", costs[experiment->costliest - 1]);
    }
    if (experiment->sample_rate == 0) {
        fm_json_null(json, "sample_rate");
    } else {
        fm_json_double(json, "sample_rate", experiment->sample_rate / 1e3);
    }
    fm_json_end(json);
}

static void put_metrics(struct fm_json *json)
{
    fm_json_array(json, "metrics");
    for (unsigned i = 0; i < fm_metric_end(); i++) {
        const struct fm_metric_info *info = fm_metric_info((fm_metric_t)i);
        fm_json_line(json, 2);
        fm_json_object(json, NULL);
        fm_json_string(json, "id", info->id);
        fm_json_string(json, "parent",
                       info->parent == FM_METRIC_NONE ? NULL : fm_metric_info(info->parent)->id);
        fm_json_string(json, "name", info->name);
        fm_json_string(json, "unit", fm_unit_name(info->unit));
        fm_json_string(json, "description", info->description);
        fm_json_end(json);
    }
    fm_json_end(json);
}

static void put_callpaths(struct fm_json *json, const struct fm_cube *cube)
{
    fm_json_array(json, "callpaths");
    for (uint32_t i = 0; i < cube->callpath_count; i++) {
        const struct fm_cube_callpath *callpath = &cube->callpaths[i];
        const struct fm_cube_region *region = &cube->regions[callpath->region];
        fm_json_line(json, 2);
        fm_json_object(json, NULL);
        fm_json_unsigned(json, "id", i);
        fm_json_index(json, "parent", callpath->parent);
        fm_json_string(json, "region", region->name);
        fm_json_string(json, "paradigm", region->paradigm);
        fm_json_string(json, "file", region->file);
        fm_json_index(json, "line", region->line == 0 ? FM_CUBE_NONE : region->line);
        if (region->is_estimated) {
            fm_json_bool(json, "estimated", true);
        }
        if (callpath->site != FM_CUBE_NONE) {
            const struct fm_cube_site *site = &cube->sites[callpath->site];
            fm_json_object(json, "callsite");
            fm_json_string(json, "file", site->file);
            fm_json_index(json, "line", site->line == 0 ? FM_CUBE_NONE : site->line);
            fm_json_end(json);
        }
        fm_json_end(json);
    }
    fm_json_end(json);
}

static void put_last_partition(struct fm_json *json, const struct fm_cube_last_partition *last)
{
    if (last->messages != 0) {
        fm_json_object(json, "last_partition");
        fm_json_unsigned(json, "partition", last->partition);
        fm_json_unsigned(json, "partitions", last->partitions);
        fm_json_unsigned(json, "messages", last->messages);
        fm_json_unsigned(json, "all_messages", last->all_messages);
        fm_json_end(json);
    }
}

static void put_unexpected(struct fm_json *json, const struct fm_cube_unexpected *bounds)
{
    if (bounds->messages != 0) {
        fm_json_object(json, "unexpected_messages");
        fm_json_unsigned(json, "of", bounds->messages);
        fm_json_unsigned(json, "least", bounds->least);
        fm_json_unsigned(json, "most", bounds->most);
        fm_json_unsigned(json, "queue_least", bounds->queue_least);
        fm_json_unsigned(json, "queue_most", bounds->queue_most);
        fm_json_unsigned(json, "bytes_least", bounds->bytes_least);
        fm_json_unsigned(json, "bytes_most", bounds->bytes_most);
        fm_json_end(json);
    }
}

static void put_locations(struct fm_json *json, const struct fm_cube *cube)
{
    fm_json_array(json, "locations");
    for (uint32_t i = 0; i < cube->location_count; i++) {
        const struct fm_cube_location *location = &cube->locations[i];
        fm_json_line(json, 2);
        fm_json_object(json, NULL);
        fm_json_unsigned(json, "id", i);
        fm_json_unsigned(json, "rank", location->rank);
        if (cube->locations[cube->location_count - 1].world != 0) {
            fm_json_unsigned(json, "world", location->world);
            fm_json_unsigned(json, "world_rank", location->world_rank);
        }
        fm_json_unsigned(json, "thread", location->thread);
        fm_json_string(json, "type", fm_place_kind(location));
        fm_json_string(json, "node", location->node);
        fm_json_string(json, "name", location->name);
        put_last_partition(json, &location->last_partition);
        put_unexpected(json, &location->unexpected);
        fm_json_end(json);
    }
    fm_json_end(json);
}

static void put_severities(struct fm_json *json, const struct fm_view *view)
{
    const struct fm_cube *cube = view->cube;
    fm_json_array(json, "severities");
    for (size_t i = 0; i < cube->cell_count; i++) {
        const struct fm_cube_cell *cell = &cube->cells[i];
        if (!fm_view_contains(view, cell)) {
            continue;
        }
        fm_metric_t metric = (fm_metric_t)cell->metric;
        fm_json_line(json, 2);
        fm_json_object(json, NULL);
        fm_json_string(json, "metric", fm_metric_info(metric)->id);
        fm_json_unsigned(json, "callpath", cell->callpath);
        fm_json_unsigned(json, "location", cell->location);
        /* Counts are written as integers: a double may not represent them exactly. */
        if (fm_unit_is_time(fm_metric_info(metric)->unit)) {
            fm_json_double(json, "value", fm_cube_scaled(cube, metric, cell->value));
        } else {
            fm_json_signed(json, "value", cell->value);
        }
        fm_json_end(json);
    }
    fm_json_end(json);
}

static void put_chain(struct fm_json *json, const struct fm_cube *cube,
                      const struct fm_cube_instance *instance)
{
    fm_json_array(json, "causes");
    for (uint32_t i = 0; i < instance->chain_length; i++) {
        const struct fm_cube_cause *cause = &instance->chain[i];
        fm_json_object(json, NULL);
        fm_json_unsigned(json, "location", cause->location);
        fm_json_unsigned(json, "callpath", cause->callpath);
        fm_json_string(json, "metric",
                       cause->metric == FM_METRIC_NONE
                           ? NULL
                           : fm_metric_info((fm_metric_t)cause->metric)->id);
        fm_json_format(json, "share", "%u.%03u", cause->permille / 1000, cause->permille % 1000);
        fm_json_seconds(json, "time", cube, cause->ticks);
        fm_json_end(json);
    }
    fm_json_end(json);
}

static void put_blamed(struct fm_json *json, const struct fm_cube *cube,
                       const struct fm_cube_instance *instance)
{
    if (instance->blamed.location == FM_CUBE_NONE) {
        fm_json_null(json, "blamed");
        return;
    }
    fm_json_object(json, "blamed");
    fm_json_unsigned(json, "location", instance->blamed.location);
    fm_json_index(json, "callpath", instance->blamed.callpath);
    fm_json_seconds(json, "time", cube, instance->blamed.ticks);
    fm_json_end(json);
}

static void put_instances(struct fm_json *json, const struct fm_cube *cube,
                          const struct fm_cube_statistics *record)
{
    fm_json_array(json, "worst");
    for (uint32_t i = 0; i < record->worst_count; i++) {
        const struct fm_cube_instance *instance = &record->worst[i];
        fm_json_line(json, 3);
        fm_json_object(json, NULL);
        fm_json_index(json, "location", instance->location);
        fm_json_index(json, "callpath", instance->callpath);
        fm_json_seconds(json, "enter", cube, instance->enter);
        fm_json_seconds(json, "wait", cube, instance->wait);
        fm_json_index(json, "cause_location", instance->cause_location);
        fm_json_index(json, "cause_callpath", instance->cause_callpath);
        put_blamed(json, cube, instance);
        put_chain(json, cube, instance);
        fm_json_end(json);
    }
    fm_json_end(json);
}

static void put_statistics(struct fm_json *json, const struct fm_view *view)
{
    const struct fm_cube *cube = view->cube;
    fm_json_array(json, "statistics");
    for (uint32_t i = 0; i < cube->statistics_count; i++) {
        const struct fm_cube_statistics *record = &cube->statistics[i];
        if (!view->metrics[record->metric]) {
            continue;
        }
        fm_json_line(json, 2);
        fm_json_object(json, NULL);
        fm_json_string(json, "metric", fm_metric_info((fm_metric_t)record->metric)->id);
        fm_json_unsigned(json, "count", record->count);
        fm_json_seconds(json, "sum", cube, record->sum);
        fm_json_seconds(json, "min", cube, record->min);
        fm_json_seconds(json, "lower_quartile", cube, record->lower_quartile);
        fm_json_seconds(json, "median", cube, record->median);
        fm_json_seconds(json, "upper_quartile", cube, record->upper_quartile);
        fm_json_seconds(json, "max", cube, record->max);
        fm_json_error(json, "error", cube, record->error);
        if (cube->errors.are_known) {
            fm_json_unsigned(json, "insignificant", record->insignificant);
            fm_json_seconds(json, "insignificant_sum", cube, record->insignificant_sum);
        } else {
            fm_json_null(json, "insignificant");
            fm_json_null(json, "insignificant_sum");
        }
        put_instances(json, cube, record);
        fm_json_end(json);
    }
    fm_json_end(json);
}

static void put_critical_path(struct fm_json *json, const struct fm_cube *cube)
{
    fm_json_array(json, "critical_path");
    for (uint32_t i = 0; i < cube->segment_count; i++) {
        fm_json_line(json, 2);
        fm_json_object(json, NULL);
        fm_json_unsigned(json, "location", cube->segments[i].location);
        fm_json_seconds(json, "begin", cube, cube->segments[i].begin);
        fm_json_seconds(json, "end", cube, cube->segments[i].end);
        fm_json_end(json);
    }
    fm_json_end(json);
}

static void put_findings(struct fm_json *json, const struct fm_cube *cube)
{
    fm_json_array(json, "findings");
    for (uint32_t i = 0; i < cube->finding_count; i++) {
        const struct fm_cube_finding *finding = &cube->findings[i];
        fm_json_line(json, 2);
        fm_json_object(json, NULL);
        fm_json_string(json, "id", finding->id);
        fm_json_bool(json, "is_contradiction", finding->is_contradiction);
        fm_json_string(json, "statement", finding->statement);
        fm_json_string(json, "advice", finding->advice);
        fm_json_end(json);
    }
    fm_json_end(json);
}

static void put_warnings(struct fm_json *json, const struct fm_cube *cube)
{
    fm_json_array(json, "warnings");
    for (uint32_t i = 0; i < cube->warning_count; i++) {
        fm_json_line(json, 2);
        fm_json_string(json, NULL, cube->warnings[i]);
    }
    fm_json_end(json);
}

static void put_parties(struct fm_json *json, const struct fm_cube *cube, const char *key,
                        const struct fm_cube_lock_party *parties, uint32_t count)
{
    fm_json_line(json, 3);
    fm_json_array(json, key);
    for (uint32_t i = 0; i < count; i++) {
        const struct fm_cube_lock_party *party = &parties[i];
        if (i > 0) {
            fm_json_line(json, 4);
        }
        fm_json_object(json, NULL);
        fm_json_unsigned(json, "rank", cube->locations[party->location].rank);
        fm_json_unsigned(json, "location", party->location);
        fm_json_unsigned(json, "epochs", party->epochs);
        fm_json_seconds(json, "held", cube, party->held);
        fm_json_seconds(json, "caused", cube, party->caused);
        fm_json_error(json, "caused_error", cube, party->caused_error);
        fm_json_unsigned(json, "waits", party->waits);
        fm_json_seconds(json, "waiting", cube, party->waiting);
        fm_json_error(json, "waiting_error", cube, party->waiting_error);
        fm_json_end(json);
    }
    fm_json_end(json);
}

static void put_places(struct fm_json *json, const struct fm_cube *cube, const char *key,
                       const struct fm_cube_lock_place *places, uint32_t count)
{
    fm_json_line(json, 3);
    fm_json_array(json, key);
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0) {
            fm_json_line(json, 4);
        }
        fm_json_object(json, NULL);
        fm_json_unsigned(json, "callpath", places[i].callpath);
        if (places[i].waits != 0) {
            fm_json_unsigned(json, "waits", places[i].waits);
        }
        fm_json_seconds(json, "waiting", cube, places[i].waiting);
        fm_json_end(json);
    }
    fm_json_end(json);
}

static void put_lock(struct fm_json *json, const struct fm_cube *cube,
                     const struct fm_cube_lock *lock)
{
    fm_json_object(json, NULL);
    fm_json_index(json, "window", lock->window);
    fm_json_string(json, "name", lock->name);
    fm_json_index(json, "target", lock->target);
    fm_json_unsigned(json, "exclusive", lock->exclusive);
    fm_json_unsigned(json, "shared", lock->shared);
    fm_json_seconds(json, "held", cube, lock->held);
    fm_json_unsigned(json, "waits", lock->waits);
    fm_json_seconds(json, "waiting", cube, lock->waiting);
    fm_json_error(json, "waiting_error", cube, lock->error);
    fm_json_seconds(json, "begin", cube, lock->begin);
    fm_json_seconds(json, "end", cube, lock->end);
    fm_json_unsigned(json, "longest_queue", lock->longest_queue);
    fm_json_unsigned(json, "longest_chain", lock->longest_chain);
    fm_json_array(json, "chain");
    for (uint32_t i = 0; i < lock->chain_count; i++) {
        fm_json_unsigned(json, NULL, cube->locations[lock->chain[i]].rank);
    }
    fm_json_end(json);
    fm_json_array(json, "chain_locations");
    for (uint32_t i = 0; i < lock->chain_count; i++) {
        fm_json_unsigned(json, NULL, lock->chain[i]);
    }
    fm_json_end(json);
    put_parties(json, cube, "holders", lock->holders, lock->holder_count);
    put_parties(json, cube, "victims", lock->victims, lock->victim_count);
    put_places(json, cube, "held_in", lock->held_in, lock->held_in_count);
    put_places(json, cube, "waited_in", lock->waited_in, lock->waited_in_count);
    fm_json_line(json, 3);
    fm_json_array(json, "queue");
    for (uint32_t i = 0; i < lock->bin_count; i++) {
        uint64_t width = fm_cube_lock_edge(lock, i + 1) - fm_cube_lock_edge(lock, i);
        fm_json_double(json, NULL, width == 0 ? 0 : (double)lock->queue[i] / (double)width);
    }
    fm_json_end(json);
    fm_json_end(json);
}

static void put_locks(struct fm_json *json, const struct fm_cube *cube)
{
    fm_json_array(json, "locks");
    for (uint32_t i = 0; i < cube->lock_count; i++) {
        fm_json_line(json, 2);
        put_lock(json, cube, &cube->locks[i]);
    }
    fm_json_end(json);
    fm_json_object(json, "locks_left_out");
    fm_json_unsigned(json, "count", cube->left_out_locks);
    fm_json_seconds(json, "waiting", cube, cube->left_out_locks_waiting);
    fm_json_end(json);
}

/** The parts that need the cube only, in their order after the severities and statistics; parts
 * with the flag 0 are always written. */
static const struct {
    unsigned part;
    void (*put)(struct fm_json *json, const struct fm_cube *cube);
} members[] = {
    {FM_EXPORT_CRITICAL_PATH, put_critical_path},
    {0, fm_json_put_path_errors},
    {0, fm_json_put_hang},
    {0, fm_json_put_problems},
    {0, put_findings},
    {0, put_warnings},
    {0, put_locks},
    {0, fm_json_put_clock},
    {0, fm_json_put_options},
    {FM_EXPORT_EFFICIENCY, fm_json_put_efficiency},
    {FM_EXPORT_PHASES, fm_json_put_phases},
    {FM_EXPORT_TIME_BINS, fm_json_put_time_bins},
    {FM_EXPORT_MATRICES, fm_json_put_matrices},
    {FM_EXPORT_TOPOLOGIES, fm_json_put_topologies},
};

/** Writes the object without its end. */
static void put_parts(const struct fm_view *view, unsigned parts, const char *key,
                      struct fm_json *json)
{
    const struct fm_cube *cube = view->cube;
    fm_json_object(json, key);
    fm_json_string(json, "format", "fermata-report");
    fm_json_unsigned(json, "version", 2);
    fm_json_line(json, 1);
    put_experiment(json, cube);
    fm_json_line(json, 1);
    put_metrics(json);
    fm_json_line(json, 1);
    put_callpaths(json, cube);
    fm_json_line(json, 1);
    put_locations(json, cube);
    if (parts & FM_EXPORT_SEVERITIES) {
        fm_json_line(json, 1);
        put_severities(json, view);
    }
    fm_json_line(json, 1);
    put_statistics(json, view);
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        if (members[i].part == 0 || (parts & members[i].part) != 0) {
            fm_json_line(json, 1);
            members[i].put(json, cube);
        }
    }
}

void fm_export_json_parts(const struct fm_view *view, unsigned parts, const char *key,
                          struct fm_json *json)
{
    put_parts(view, parts, key, json);
    fm_json_end(json);
}

fm_status_t fm_export_json(const struct fm_view *view, FILE *stream, struct fm_error *error)
{
    const struct fm_json_derived none = {NULL, 0, NULL};
    return fm_export_json_with(view, &none, stream, error);
}

fm_status_t fm_export_json_with(const struct fm_view *view, const struct fm_json_derived *derived,
                                FILE *stream, struct fm_error *error)
{
    struct fm_json json = fm_json_begin(stream, FM_JSON_COMPACT);
    struct fm_parameter_table table;
    fm_status_t status = FM_OK;
    if (derived->parameter != NULL)
        status = fm_parameter_table_make(view->cube, &view->selection, derived->parameter,
                                         derived->definitions, derived->count, &table, error);
    if (status != FM_OK)
        return status;
    put_parts(view, FM_EXPORT_ALL, NULL, &json);
    if (derived->count > 0)
        status = fm_json_put_derived(&json, view, derived, error);
    if (derived->parameter != NULL) {
        fm_json_put_parameter(&json, view->cube, derived, &table);
        fm_parameter_table_free(&table);
    }
    fm_json_end(&json);
    putc('\n', stream);
    if (status == FM_OK && (fflush(stream) != 0 || ferror(stream))) {
        return fm_fail(error, FM_ERR_SYSTEM, "cannot write the report as JSON: %m");
    }
    return status;
}

static fm_status_t write_json(const struct fm_export_request *request, FILE *stream,
                              struct fm_error *error)
{
    struct fm_selection all = fm_selection_all();
    struct fm_view view;
    fm_status_t status = fm_view_prepare(&view, request->cube, &all, error);
    if (status == FM_OK) {
        status = fm_export_json(&view, stream, error);
        fm_view_release(&view);
    }
    return status;
}

const struct fm_export_format fm_export_json_report = {
    .name = "json",
    .file = "report.json",
    .summary = "the report as `fermata report --format=json` prints it",
    .write = write_json,
};
