#include "base/text.h"
#include "export/report/json_fields.h"
#include "export/report/report_writers.h"

#include <math.h>

static void put_experiment(FILE *stream, const struct fm_cube *cube)
{
    const struct fm_cube_experiment *experiment = &cube->experiment;
    fputs(" \"experiment\":{", stream);
    fm_json_text(stream, "title", experiment->title);
    putc(',', stream);
    fm_json_text(stream, "command", experiment->command);
    putc(',', stream);
    fm_json_text(stream, "creator", experiment->creator);
    putc(',', stream);
    fm_json_text(stream, "machine", experiment->machine);
    fprintf(stream, ",\"processes\":%u,\"locations\":%u,\"events\":%llu,",
            experiment->process_count, cube->location_count,
            (unsigned long long)experiment->event_count);
    fm_json_seconds(stream, "duration", cube, experiment->end - experiment->begin);
    fprintf(stream, ",\"ticks_per_second\":%llu},\n",
            (unsigned long long)experiment->ticks_per_second);
}

static void put_metrics(FILE *stream)
{
    fputs(" \"metrics\":[", stream);
    for (unsigned i = 0; i < FM_METRIC_COUNT; i++) {
        const struct fm_metric_info *info = fm_metric_info((fm_metric_t)i);
        fputs(i == 0 ? "\n  {" : ",\n  {", stream);
        fm_json_text(stream, "id", info->id);
        putc(',', stream);
        fm_json_text(stream, "parent",
                     info->parent == FM_METRIC_NONE ? NULL : fm_metric_info(info->parent)->id);
        putc(',', stream);
        fm_json_text(stream, "name", info->name);
        putc(',', stream);
        fm_json_text(stream, "unit", fm_unit_name(info->unit));
        putc(',', stream);
        fm_json_text(stream, "description", info->description);
        putc('}', stream);
    }
    fputs("],\n", stream);
}

static void put_callpaths(FILE *stream, const struct fm_cube *cube)
{
    fputs(" \"callpaths\":[", stream);
    for (uint32_t i = 0; i < cube->callpath_count; i++) {
        const struct fm_cube_callpath *callpath = &cube->callpaths[i];
        const struct fm_cube_region *region = &cube->regions[callpath->region];
        fprintf(stream, "%s\n  {\"id\":%u,", i == 0 ? "" : ",", i);
        fm_json_index(stream, "parent", callpath->parent);
        putc(',', stream);
        fm_json_text(stream, "region", region->name);
        putc(',', stream);
        fm_json_text(stream, "paradigm", region->paradigm);
        putc(',', stream);
        fm_json_text(stream, "file", region->file);
        putc(',', stream);
        fm_json_index(stream, "line", region->line == 0 ? FM_CUBE_NONE : region->line);
        putc('}', stream);
    }
    fputs("],\n", stream);
}

static void put_locations(FILE *stream, const struct fm_cube *cube)
{
    fputs(" \"locations\":[", stream);
    for (uint32_t i = 0; i < cube->location_count; i++) {
        const struct fm_cube_location *location = &cube->locations[i];
        fprintf(stream, "%s\n  {\"id\":%u,\"rank\":%u,\"thread\":%u,", i == 0 ? "" : ",", i,
                location->rank, location->thread);
        fm_json_text(stream, "node", location->node);
        putc(',', stream);
        fm_json_text(stream, "name", location->name);
        putc('}', stream);
    }
    fputs("],\n", stream);
}

static void put_severities(FILE *stream, const struct fm_view *view)
{
    const struct fm_cube *cube = view->cube;
    fputs(" \"severities\":[", stream);
    const char *separator = "";
    for (size_t i = 0; i < cube->cell_count; i++) {
        const struct fm_cube_cell *cell = &cube->cells[i];
        if (!fm_view_contains(view, cell))
            continue;
        fm_metric_t metric = (fm_metric_t)cell->metric;
        fprintf(stream, "%s\n  {\"metric\":\"%s\",\"callpath\":%u,\"location\":%u,", separator,
                fm_metric_info(metric)->id, cell->callpath, cell->location);
        /* Counts are written as the integers they are: a double may not hold them. */
        if (fm_unit_is_time(fm_metric_info(metric)->unit))
            fm_json_number(stream, "value", fm_cube_scaled(cube, metric, cell->value));
        else
            fprintf(stream, "\"value\":%lld", (long long)cell->value);
        putc('}', stream);
        separator = ",";
    }
    fputs("],\n", stream);
}

static void put_chain(FILE *stream, const struct fm_cube *cube,
                      const struct fm_cube_instance *instance)
{
    fputs(",\"causes\":[", stream);
    for (uint32_t i = 0; i < instance->chain_length; i++) {
        const struct fm_cube_cause *cause = &instance->chain[i];
        fprintf(stream, "%s{\"location\":%u,\"callpath\":%u,\"metric\":", i == 0 ? "" : ",",
                cause->location, cause->callpath);
        if (cause->metric == FM_METRIC_NONE)
            fputs("null", stream);
        else
            fprintf(stream, "\"%s\"", fm_metric_info((fm_metric_t)cause->metric)->id);
        fprintf(stream, ",\"share\":%u.%03u,", cause->permille / 1000, cause->permille % 1000);
        fm_json_seconds(stream, "time", cube, cause->ticks);
        putc('}', stream);
    }
    putc(']', stream);
}

static void put_instances(FILE *stream, const struct fm_cube *cube,
                          const struct fm_cube_statistics *record)
{
    fputs("\"worst\":[", stream);
    for (uint32_t i = 0; i < record->worst_count; i++) {
        const struct fm_cube_instance *instance = &record->worst[i];
        fputs(i == 0 ? "\n   {" : ",\n   {", stream);
        fm_json_index(stream, "location", instance->location);
        putc(',', stream);
        fm_json_index(stream, "callpath", instance->callpath);
        putc(',', stream);
        fm_json_seconds(stream, "enter", cube, instance->enter);
        putc(',', stream);
        fm_json_seconds(stream, "wait", cube, instance->wait);
        putc(',', stream);
        fm_json_index(stream, "cause_location", instance->cause_location);
        putc(',', stream);
        fm_json_index(stream, "cause_callpath", instance->cause_callpath);
        put_chain(stream, cube, instance);
        putc('}', stream);
    }
    putc(']', stream);
}

static void put_statistics(FILE *stream, const struct fm_view *view)
{
    const struct fm_cube *cube = view->cube;
    fputs(" \"statistics\":[", stream);
    const char *separator = "";
    for (uint32_t i = 0; i < cube->statistics_count; i++) {
        const struct fm_cube_statistics *record = &cube->statistics[i];
        if (!view->metrics[record->metric])
            continue;
        fprintf(stream, "%s\n  {\"metric\":\"%s\",\"count\":%llu,", separator,
                fm_metric_info((fm_metric_t)record->metric)->id, (unsigned long long)record->count);
        fm_json_seconds(stream, "sum", cube, record->sum);
        putc(',', stream);
        fm_json_seconds(stream, "min", cube, record->min);
        putc(',', stream);
        fm_json_seconds(stream, "lower_quartile", cube, record->lower_quartile);
        putc(',', stream);
        fm_json_seconds(stream, "median", cube, record->median);
        putc(',', stream);
        fm_json_seconds(stream, "upper_quartile", cube, record->upper_quartile);
        putc(',', stream);
        fm_json_seconds(stream, "max", cube, record->max);
        putc(',', stream);
        put_instances(stream, cube, record);
        putc('}', stream);
        separator = ",";
    }
    fputs("],\n", stream);
}

static void put_critical_path(FILE *stream, const struct fm_cube *cube)
{
    fputs(" \"critical_path\":[", stream);
    for (uint32_t i = 0; i < cube->segment_count; i++) {
        fprintf(stream, "%s\n  {\"location\":%u,", i == 0 ? "" : ",", cube->segments[i].location);
        fm_json_seconds(stream, "begin", cube, cube->segments[i].begin);
        putc(',', stream);
        fm_json_seconds(stream, "end", cube, cube->segments[i].end);
        putc('}', stream);
    }
    fputs("],\n", stream);
}

static void put_parties(FILE *stream, const struct fm_cube *cube, const char *key,
                        const struct fm_cube_lock_party *parties, uint32_t count)
{
    fprintf(stream, ",\n   \"%s\":[", key);
    for (uint32_t i = 0; i < count; i++) {
        const struct fm_cube_lock_party *party = &parties[i];
        fprintf(stream, "%s{\"rank\":%u,\"epochs\":%llu,", i == 0 ? "" : ",\n    ", party->rank,
                (unsigned long long)party->epochs);
        fm_json_seconds(stream, "held", cube, party->held);
        putc(',', stream);
        fm_json_seconds(stream, "caused", cube, party->caused);
        fprintf(stream, ",\"waits\":%llu,", (unsigned long long)party->waits);
        fm_json_seconds(stream, "waiting", cube, party->waiting);
        putc('}', stream);
    }
    putc(']', stream);
}

static void put_lock(FILE *stream, const struct fm_cube *cube, const struct fm_cube_lock *lock)
{
    fprintf(stream, "{\"window\":%u,", lock->window);
    fm_json_text(stream, "name", lock->name);
    putc(',', stream);
    fm_json_index(stream, "target", lock->target);
    fprintf(stream, ",\"exclusive\":%llu,\"shared\":%llu,", (unsigned long long)lock->exclusive,
            (unsigned long long)lock->shared);
    fm_json_seconds(stream, "held", cube, lock->held);
    fprintf(stream, ",\"waits\":%llu,", (unsigned long long)lock->waits);
    fm_json_seconds(stream, "waiting", cube, lock->waiting);
    putc(',', stream);
    fm_json_seconds(stream, "begin", cube, lock->begin);
    putc(',', stream);
    fm_json_seconds(stream, "end", cube, lock->end);
    fprintf(stream, ",\"longest_queue\":%llu,\"longest_chain\":%llu,\"chain\":[",
            (unsigned long long)lock->longest_queue, (unsigned long long)lock->longest_chain);
    for (uint32_t i = 0; i < lock->chain_count; i++)
        fprintf(stream, "%s%u", i == 0 ? "" : ",", lock->chain[i]);
    putc(']', stream);
    put_parties(stream, cube, "holders", lock->holders, lock->holder_count);
    put_parties(stream, cube, "victims", lock->victims, lock->victim_count);
    fputs(",\n   \"queue\":[", stream);
    for (uint32_t i = 0; i < lock->bin_count; i++) {
        char number[FM_TEXT_NUMBER];
        uint64_t width = fm_cube_lock_edge(lock, i + 1) - fm_cube_lock_edge(lock, i);
        double length = width == 0 ? 0 : (double)lock->queue[i] / (double)width;
        fprintf(stream, "%s%s", i == 0 ? "" : ",", fm_text_shortest(number, length));
    }
    fputs("]}", stream);
}

/** The members at the end of the object. */
static const struct {
    unsigned part;
    void (*put)(FILE *stream, const struct fm_cube *cube);
} members[] = {
    {FM_EXPORT_EFFICIENCY, fm_json_put_efficiency}, {FM_EXPORT_PHASES, fm_json_put_phases},
    {FM_EXPORT_TIME_BINS, fm_json_put_time_bins},   {FM_EXPORT_MATRICES, fm_json_put_matrices},
    {FM_EXPORT_TOPOLOGIES, fm_json_put_topologies},
};

void fm_export_json_parts(const struct fm_view *view, unsigned parts, FILE *stream)
{
    const struct fm_cube *cube = view->cube;
    fputs("{\"format\":\"fermata-report\",\"version\":1,\n", stream);
    put_experiment(stream, cube);
    put_metrics(stream);
    put_callpaths(stream, cube);
    put_locations(stream, cube);
    if (parts & FM_EXPORT_SEVERITIES)
        put_severities(stream, view);
    put_statistics(stream, view);
    if (parts & FM_EXPORT_CRITICAL_PATH)
        put_critical_path(stream, cube);
    fputs(" \"warnings\":[", stream);
    for (uint32_t i = 0; i < cube->warning_count; i++) {
        fputs(i == 0 ? "\n  " : ",\n  ", stream);
        fm_text_write_json(stream, cube->warnings[i]);
    }
    fputs("],\n \"locks\":[", stream);
    for (uint32_t i = 0; i < cube->lock_count; i++) {
        fputs(i == 0 ? "\n  " : ",\n  ", stream);
        put_lock(stream, cube, &cube->locks[i]);
    }
    fputs("],\n", stream);
    fm_json_put_options(stream, cube);
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        if (parts & members[i].part) {
            fputs(",\n", stream);
            members[i].put(stream, cube);
        }
    }
    fputs("}\n", stream);
}

fm_status_t fm_export_json(const struct fm_view *view, FILE *stream, struct fm_error *error)
{
    fm_export_json_parts(view, FM_EXPORT_ALL, stream);
    if (fflush(stream) != 0 || ferror(stream))
        return fm_fail(error, FM_ERR_SYSTEM, "cannot write the report as JSON: %m");
    return FM_OK;
}
