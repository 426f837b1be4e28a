/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/dependencies/dependencies.h"

#include "analysis/dependencies/dependency_transfer.h"
#include "analysis/dependencies/polling.h"
#include "analysis/model/run.h"
#include "analysis/threads/team_instances.h"
#include "base/containers/sort.h"
#include "engine/dispatch/dispatch.h"

/* A dependency on its way to the owner of the call. */
struct sent_dependency {
    struct fm_dependency dependency;
    uint32_t location;
    uint32_t unused;
};

/* FM_DEPENDENCY_RULE's duties. */
#define MUST(rule) | 1U << FM_DEPENDS_ON_##rule
#define MAY(rule)

const uint32_t fm_obligatory_rules = 0
#define FM_DEPENDENCY_RULE(rule, duty, text) duty(rule)
#include "analysis/dependencies/dependency_rules.def"
#undef FM_DEPENDENCY_RULE
    ;

struct fm_dependencies *fm_dependencies_create(const struct fm_analysis *analysis)
{
    struct fm_dependencies *dependencies = fm_allocate(1, sizeof *dependencies);
    const uint32_t locations = analysis->trace->location_count;
    dependencies->location_count = locations;
    dependencies->of_location = fm_allocate(locations, sizeof *dependencies->of_location);
    dependencies->pollings = fm_allocate(locations, sizeof *dependencies->pollings);
    dependencies->marks = fm_allocate(locations, sizeof *dependencies->marks);
    dependencies->of_marks = fm_allocate(locations, sizeof *dependencies->of_marks);
    dependencies->process_count = analysis->trace->process_count;
    dependencies->acquisitions =
        fm_allocate(dependencies->process_count, sizeof *dependencies->acquisitions);
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
        fm_vector_free(&dependencies->marks[l]);
        fm_vector_free(&dependencies->of_marks[l]);
    }
    for (unsigned t = 0; t < dependencies->table_count; t++) {
        fm_vector_free(&dependencies->tables[t].junctions);
        fm_vector_free(&dependencies->tables[t].inputs);
    }
    for (uint32_t p = 0; p < dependencies->process_count; p++) {
        fm_vector_free(&dependencies->acquisitions[p]);
    }
    fm_free(dependencies->acquisitions);
    fm_free(dependencies->of_location);
    fm_free(dependencies->pollings);
    fm_free(dependencies->marks);
    fm_free(dependencies->of_marks);
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

/* Counts a dependency whose event came too late. @return whether it is kept */
static bool take_violated(struct fm_dependencies *dependencies, unsigned rule)
{
    const bool is_obligatory = (fm_obligatory_rules >> rule & 1) != 0;
    if ((FM_DORMANT_RULES >> rule & 1) == 0) {
        dependencies->unbound++;
    }
    if (is_obligatory) {
        dependencies->violations++;
    }
    return is_obligatory && dependencies->keeps_violated;
}

void fm_dependency_take(void *context, unsigned worker, uint32_t process, const void *record)
{
    (void)worker, (void)process;
    const struct fm_analysis *analysis = context;
    const struct sent_dependency *sent = record;
    const struct fm_location *location = &analysis->trace->locations[sent->location];
    if (sent->dependency.t > location->leave.items[sent->dependency.activity] &&
        !take_violated(analysis->dependencies, sent->dependency.rule)) {
        return;
    }
    fm_vector_push(&analysis->dependencies->of_location[sent->location], sent->dependency);
}

size_t fm_dependency_record_size(void)
{
    return sizeof(struct sent_dependency);
}

void fm_depend_at(const struct fm_analysis *analysis, unsigned worker, struct fm_call_ref call,
                  struct fm_awaited source, uint64_t t, fm_dependency_rule_t rule)
{
    const struct sent_dependency sent = {
        {.t = t, .source = source, .activity = call.activity, .rule = (uint8_t)rule},
        call.location,
        0};
    fm_dispatch_send(analysis->sent_dependencies, worker,
                     fm_trace_process(analysis->trace, call.location), &sent);
}

void fm_depend(const struct fm_analysis *analysis, unsigned worker, struct fm_call_ref call,
               struct fm_awaited source, fm_dependency_rule_t rule)
{
    fm_depend_at(analysis, worker, call, source,
                 fm_awaited_time(analysis->trace, analysis->dependencies, source), rule);
}

void fm_depend_in_stretch(const struct fm_analysis *analysis, unsigned worker,
                          struct fm_call_ref call, struct fm_awaited source, uint64_t t,
                          fm_dependency_rule_t rule)
{
    const struct fm_location *location = &analysis->trace->locations[call.location];
    struct fm_call_ref stretch = call;
    for (size_t i = fm_first_continuation(location, call.activity + 1);
         location->leave.items[stretch.activity] < t && i < location->continuations.count; i++) {
        if (location->continuations.items[i].first == call.activity) {
            stretch.activity = location->continuations.items[i].activity;
        }
    }
    fm_depend_at(analysis, worker, stretch, source, t, rule);
}

/* ---- marks ---- */

static void add_mark(const struct fm_analysis *analysis, uint32_t l, uint32_t row)
{
    const struct fm_thread_record *record = &analysis->trace->locations[l].threads.items[row];
    fm_vector_push(&analysis->dependencies->marks[l],
                   (struct fm_mark){record->time, row, record->activity, record->next_activity});
}

/* A mark depends on an event at time t. @return whether the dependency is kept */
static bool depend_mark(const struct fm_analysis *analysis, uint32_t location, uint32_t row,
                        struct fm_awaited source, uint64_t t, fm_dependency_rule_t rule)
{
    const uint64_t begin = analysis->trace->locations[location].threads.items[row].time;
    if (t > begin && !take_violated(analysis->dependencies, rule)) {
        return false;
    }
    add_mark(analysis, location, row);
    fm_vector_push(
        &analysis->dependencies->of_marks[location],
        (struct fm_dependency){.t = t, .source = source, .activity = row, .rule = (uint8_t)rule});
    return true;
}

void fm_depend_start(const struct fm_analysis *analysis, uint32_t location, uint32_t row,
                     uint32_t origin_location, uint32_t origin_row, fm_dependency_rule_t rule)
{
    const struct fm_awaited source = {origin_location & ((1U << 30) - 1), FM_AWAITED_MARK,
                                      origin_row};
    const uint64_t t = analysis->trace->locations[origin_location].threads.items[origin_row].time;
    if (depend_mark(analysis, location, row, source, t, rule)) {
        add_mark(analysis, origin_location, origin_row);
    }
}

void fm_depend_start_on_call(const struct fm_analysis *analysis, uint32_t location, uint32_t row,
                             struct fm_call_ref call, fm_dependency_rule_t rule)
{
    depend_mark(analysis, location, row, fm_awaited_enter(call),
                fm_call_enter(analysis->trace, call), rule);
}

size_t fm_mark_position(const fm_mark_vector *marks, uint32_t row)
{
    size_t low = 0, high = marks->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (marks->items[middle].row < row) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

size_t fm_first_dependency(const fm_dependency_vector *dependencies, uint32_t activity)
{
    size_t low = 0, high = dependencies->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (dependencies->items[middle].activity < activity) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static int compare_marks(const void *a, const void *b)
{
    const struct fm_mark *left = a, *right = b;
    return left->row < right->row ? -1 : left->row > right->row;
}

/* Sorts the marks of a location, each once. */
static void sort_marks(fm_mark_vector *marks)
{
    size_t kept = 0;
    fm_sort(marks->items, marks->count, sizeof *marks->items, compare_marks);
    for (size_t i = 0; i < marks->count; i++) {
        if (kept == 0 || marks->items[kept - 1].row != marks->items[i].row) {
            marks->items[kept++] = marks->items[i];
        }
    }
    marks->count = kept;
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
            fm_polling_find(&dependencies->pollings[l], analysis->trace, l, &completions, own);
            fm_sort(dependencies->of_marks[l].items, dependencies->of_marks[l].count,
                    sizeof *own->items, compare_dependencies);
            sort_marks(&dependencies->marks[l]);
        }
    }
    fm_completions_free(&completions);
}

void fm_dependencies_finish(struct fm_analysis *analysis)
{
    fm_engine_run(analysis->engine, finish_processes, analysis);
}
