#include "analysis/dependencies/dependencies.h"

#include "analysis/dependencies/dependency_transfer.h"
#include "analysis/dependencies/polling.h"
#include "analysis/model/run.h"
#include "base/containers/sort.h"
#include "engine/dispatch/dispatch.h"

/* A dependency on its way to the owner of the call. */
struct sent_dependency {
    struct fm_dependency dependency;
    uint32_t location;
};

struct fm_dependencies *fm_dependencies_create(const struct fm_analysis *analysis)
{
    struct fm_dependencies *dependencies = fm_allocate(1, sizeof *dependencies);
    const uint32_t locations = analysis->trace->location_count;
    dependencies->location_count = locations;
    dependencies->of_location = fm_allocate(locations, sizeof *dependencies->of_location);
    dependencies->pollings = fm_allocate(locations, sizeof *dependencies->pollings);
    dependencies->table_count = fm_engine_workers(analysis->engine);
    dependencies->tables =
        fm_allocate_apart(dependencies->table_count, sizeof *dependencies->tables);
    return dependencies;
}

void fm_dependencies_free(struct fm_dependencies *dependencies)
{
    if (dependencies == NULL) {
        return;
    }
    for (uint32_t l = 0; l < dependencies->location_count; l++) {
        fm_vector_free(&dependencies->of_location[l]);
        fm_vector_free(&dependencies->pollings[l]);
    }
    for (unsigned t = 0; t < dependencies->table_count; t++) {
        fm_vector_free(&dependencies->tables[t].junctions);
        fm_vector_free(&dependencies->tables[t].inputs);
    }
    fm_free(dependencies->of_location);
    fm_free(dependencies->pollings);
    fm_free(dependencies->tables);
    fm_free(dependencies);
}

struct fm_awaited fm_awaited_enter(struct fm_call_ref call)
{
    return (struct fm_awaited){call.location & ((1U << 30) - 1), FM_AWAITED_ENTER, call.activity};
}

uint64_t fm_awaited_time(const struct fm_trace *trace, const struct fm_dependencies *dependencies,
                         struct fm_awaited source)
{
    return source.kind == FM_AWAITED_JUNCTION
               ? dependencies->tables[source.place].junctions.items[source.index].t
               : trace->locations[source.place].enter.items[source.index];
}

/* ---- transfer to the owner of the call ---- */

void fm_dependency_take(void *context, unsigned worker, uint32_t process, const void *record)
{
    (void)worker, (void)process;
    const struct fm_analysis *analysis = context;
    const struct sent_dependency *sent = record;
    const uint64_t t =
        fm_awaited_time(analysis->trace, analysis->dependencies, sent->dependency.source);
    const struct fm_location *location = &analysis->trace->locations[sent->location];
    if (t > location->leave.items[sent->dependency.activity]) {
        analysis->dependencies->unbound++;
        return;
    }
    fm_vector_push(&analysis->dependencies->of_location[sent->location], sent->dependency);
}

size_t fm_dependency_record_size(void)
{
    return sizeof(struct sent_dependency);
}

void fm_depend(const struct fm_analysis *analysis, unsigned worker, struct fm_call_ref call,
               struct fm_awaited source, fm_dependency_rule_t rule)
{
    const struct sent_dependency sent = {
        {.source = source, .activity = call.activity, .rule = (uint8_t)rule}, call.location};
    fm_dispatch_send(analysis->sent_dependencies, worker,
                     fm_trace_process(analysis->trace, call.location), &sent);
}

/* ---- junctions ---- */

void fm_junction_begin(const struct fm_analysis *analysis, unsigned worker, uint32_t home)
{
    struct fm_junction_table *table = &analysis->dependencies->tables[worker];
    fm_vector_push(&table->junctions,
                   (struct fm_junction){.first_input = table->inputs.count, .home = home});
}

void fm_junction_add(const struct fm_analysis *analysis, unsigned worker, struct fm_awaited source)
{
    struct fm_junction_table *table = &analysis->dependencies->tables[worker];
    struct fm_junction *junction = &table->junctions.items[table->junctions.count - 1];
    const uint64_t t = fm_awaited_time(analysis->trace, analysis->dependencies, source);
    junction->t = t > junction->t ? t : junction->t;
    junction->input_count++;
    fm_vector_push(&table->inputs, source);
}

struct fm_awaited fm_junction_end(const struct fm_analysis *analysis, unsigned worker)
{
    const struct fm_junction_table *table = &analysis->dependencies->tables[worker];
    return (struct fm_awaited){worker & ((1U << 30) - 1), FM_AWAITED_JUNCTION,
                               (uint32_t)table->junctions.count - 1};
}

/* ---- order ---- */

static int compare_dependencies(const void *a, const void *b)
{
    const struct fm_dependency *left = a, *right = b;
    if (left->activity != right->activity) {
        return left->activity < right->activity ? -1 : 1;
    }
    if (left->rule != right->rule) {
        return left->rule < right->rule ? -1 : 1;
    }
    if (left->source.kind != right->source.kind) {
        return left->source.kind < right->source.kind ? -1 : 1;
    }
    if (left->source.place != right->source.place) {
        return left->source.place < right->source.place ? -1 : 1;
    }
    return left->source.index < right->source.index ? -1 : left->source.index > right->source.index;
}

static void finish_processes(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    struct fm_analysis *analysis = context;
    struct fm_dependencies *dependencies = analysis->dependencies;
    struct fm_completions completions = {0};
    for (uint32_t process = first; process < last; process++) {
        fm_completions_list(&completions, analysis->trace, process);
        const struct fm_process *owner = &analysis->trace->processes[process];
        for (uint32_t t = 0; t < owner->location_count; t++) {
            const uint32_t l = owner->first_location + t;
            fm_dependency_vector *own = &dependencies->of_location[l];
            fm_sort(own->items, own->count, sizeof *own->items, compare_dependencies);
            fm_vector_trim(own);
            fm_polling_find(&dependencies->pollings[l], analysis->trace, l, &completions);
        }
    }
    fm_completions_free(&completions);
}

void fm_dependencies_finish(struct fm_analysis *analysis)
{
    fm_engine_run(analysis->engine, finish_processes, analysis);
}
