/* SPDX-License-Identifier: BSD-3-Clause */
/* Executions of functions, and the region stack of a location at a time: the state sequence R of
 * F. Wolf, Automatic Performance Analysis on Parallel Computers with SMP Nodes, 2002, Def. 3.6. */
#include "access/access_tables.h"

#include "base/memory.h"

struct row {
    int64_t enter, leave;
    int64_t parent, call;
    uint32_t visit;
};

/* A walk through the changes of the code of a location, beside its calls. */
struct walk {
    struct fm_access_source *source;
    const struct fm_location *location;
    bool *is_call;              /* [node]: it is that of calls */
    int64_t *execution;         /* [node]: row of the last execution; -1: none yet */
    int64_t *call;              /* [node]: row of the last call; -1: none yet */
    FM_VECTOR(uint32_t) open;   /* nodes, the outermost one first */
    FM_VECTOR(uint32_t) path;   /* scratch */
    FM_VECTOR(struct row) rows; /* of all locations so far */
};

/* @return the last execution of the innermost function above a node; -1: none */
static int64_t function_above(const struct walk *walk, uint32_t node)
{
    const struct fm_visit_profile *nodes = walk->location->profile.items;
    for (node = nodes[node].parent; node != FM_NONE; node = nodes[node].parent) {
        if (!walk->is_call[node]) {
            return walk->execution[node];
        }
    }
    return -1;
}

/* @return the last call of the innermost one above a node; -1: none */
static int64_t call_above(const struct walk *walk, uint32_t node)
{
    const struct fm_visit_profile *nodes = walk->location->profile.items;
    for (node = nodes[node].parent; node != FM_NONE; node = nodes[node].parent) {
        if (walk->is_call[node]) {
            return walk->call[node];
        }
    }
    return -1;
}

/* Ends and begins executions until the code is that of `visit` (FM_NONE: of no function). */
static void change_to(struct walk *walk, uint64_t time, uint32_t visit)
{
    const int64_t now = fm_access_ticks(walk->source, time);
    walk->path.count = 0;
    for (uint32_t node = visit; node != FM_NONE;
         node = walk->location->profile.items[node].parent) {
        fm_vector_push(&walk->path, node);
    }
    const size_t depth = walk->path.count;
    size_t common = 0;
    while (common < walk->open.count && common < depth &&
           walk->open.items[common] == walk->path.items[depth - 1 - common]) {
        common++;
    }
    while (walk->open.count > common) {
        const uint32_t node = walk->open.items[--walk->open.count];
        if (!walk->is_call[node]) {
            walk->rows.items[walk->execution[node]].leave = now;
        }
    }
    for (; common < depth; common++) {
        const uint32_t node = walk->path.items[depth - 1 - common];
        fm_vector_push(&walk->open, node);
        if (!walk->is_call[node]) {
            const struct row row = {.enter = now,
                                    .parent = function_above(walk, node),
                                    .call = call_above(walk, node),
                                    .visit = node};
            walk->execution[node] = (int64_t)walk->rows.count;
            fm_vector_push(&walk->rows, row);
        }
    }
}

static void walk_location(struct walk *walk, uint32_t number)
{
    struct fermata_trace *tables = walk->source->tables;
    const struct fm_location *location = walk->location = &walk->source->trace->locations[number];
    const size_t nodes = location->profile.count;
    walk->is_call = fm_allocate(nodes, sizeof *walk->is_call);
    walk->execution = fm_allocate(nodes, sizeof *walk->execution);
    walk->call = fm_allocate(nodes, sizeof *walk->call);
    for (size_t i = 0; i < nodes; i++) {
        walk->execution[i] = walk->call[i] = -1;
    }
    for (size_t a = 0; a < location->enter.count; a++) {
        walk->is_call[location->visit.items[a]] = true;
    }
    size_t state = 0;
    for (size_t a = 0; a <= location->enter.count; a++) {
        const uint64_t until = a < location->enter.count ? location->enter.items[a] : location->end;
        for (; state < location->state_since.count && location->state_since.items[state] <= until;
             state++) {
            change_to(walk, location->state_since.items[state], location->state_visit.items[state]);
        }
        if (a < location->enter.count) {
            const int64_t call = fm_access_call(walk->source, number, (uint32_t)a);
            const uint32_t node = location->visit.items[a];
            fm_access_int64(tables, FM_COLUMN_calls_function)[call] = function_above(walk, node);
            fm_access_int64(tables, FM_COLUMN_calls_inside)[call] = call_above(walk, node);
            walk->call[node] = call;
        }
    }
    change_to(walk, location->end, FM_NONE);
    fm_free(walk->is_call);
    fm_free(walk->execution);
    fm_free(walk->call);
}

static void put_row(struct fm_access_source *source, uint32_t location, size_t number,
                    const struct row *row)
{
    struct fermata_trace *tables = source->tables;
    const struct fm_visit_profile *visit =
        &source->trace->locations[location].profile.items[row->visit];
    const bool is_region = visit->kind == FM_CALLPATH_REGION;
    fm_access_int32(tables, FM_COLUMN_functions_location)[number] = (int32_t)location;
    fm_access_int64(tables, FM_COLUMN_functions_enter)[number] = row->enter;
    fm_access_int64(tables, FM_COLUMN_functions_leave)[number] = row->leave;
    fm_access_int32(tables, FM_COLUMN_functions_callpath)[number] = (int32_t)visit->callpath;
    fm_access_int32(tables, FM_COLUMN_functions_region)[number] =
        is_region ? (int32_t)visit->region : -1;
    fm_access_int64(tables, FM_COLUMN_functions_parent)[number] = row->parent;
    fm_access_int64(tables, FM_COLUMN_functions_call)[number] = row->call;
    fm_access_int32(tables, FM_COLUMN_functions_estimated)[number] =
        is_region && source->trace->regions[visit->region].is_estimated;
}

void fm_access_functions(struct fm_access_source *source)
{
    struct fermata_trace *tables = source->tables;
    const struct fm_trace *trace = source->trace;
    const uint32_t locations = trace->location_count;
    struct walk walk = {.source = source};
    tables->first_function = fm_allocate(locations + (size_t)1, sizeof *tables->first_function);
    tables->first_call = fm_allocate(locations + (size_t)1, sizeof *tables->first_call);
    for (uint32_t l = 0; l < locations; l++) {
        tables->first_function[l] = walk.rows.count;
        tables->first_call[l] = (size_t)source->first_call[l];
        walk_location(&walk, l);
    }
    tables->first_function[locations] = walk.rows.count;
    tables->first_call[locations] = tables->rows[FM_TABLE_OF_calls];
    fm_access_size(tables, FM_TABLE_OF_functions, walk.rows.count);
    for (uint32_t l = 0; l < locations; l++) {
        for (size_t i = tables->first_function[l]; i < tables->first_function[l + 1]; i++) {
            put_row(source, l, i, &walk.rows.items[i]);
        }
    }
    fm_vector_free(&walk.open);
    fm_vector_free(&walk.path);
    fm_vector_free(&walk.rows);
}

/* ---- the region stack ---- */

/* @return the innermost row of [first, end) that is open at a time; -1: none. Intervals nest, and
 * rows ascend by their begin: an open one is the last row that has begun or contains it.
 * @param outer  of a row: the one that contains it, or -1 */
static int64_t innermost(const int64_t *enter, const int64_t *leave, const int64_t *outer,
                         size_t first, size_t end, int64_t time)
{
    size_t low = first, high = end;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (enter[middle] <= time) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    int64_t row = low == first ? -1 : (int64_t)low - 1;
    while (row >= 0 && leave[row] <= time) {
        row = outer[row];
    }
    return row;
}

size_t fm_access_stack(const struct fermata_trace *trace, size_t location, int64_t time,
                       fermata_frame_t *frames, size_t room)
{
    if (location >= trace->rows[FM_TABLE_OF_locations]) {
        return 0;
    }
    const int64_t *function_enter = trace->data[FM_COLUMN_functions_enter];
    const int64_t *function_parent = trace->data[FM_COLUMN_functions_parent];
    const int64_t *function_call = trace->data[FM_COLUMN_functions_call];
    const int64_t *call_enter = trace->data[FM_COLUMN_calls_enter];
    const int64_t *call_inside = trace->data[FM_COLUMN_calls_inside];
    const int64_t last_function =
        innermost(function_enter, trace->data[FM_COLUMN_functions_leave], function_parent,
                  trace->first_function[location], trace->first_function[location + 1], time);
    const int64_t last_call =
        innermost(call_enter, trace->data[FM_COLUMN_calls_leave], call_inside,
                  trace->first_call[location], trace->first_call[location + 1], time);
    size_t depth = 0;
    for (int64_t f = last_function; f >= 0; f = function_parent[f]) {
        depth++;
    }
    for (int64_t c = last_call; c >= 0; c = call_inside[c]) {
        depth++;
    }
    int64_t function = last_function, call = last_call;
    for (size_t i = depth; i-- > 0;) { /* from the innermost one on */
        const bool is_function =
            call < 0 ||
            (function >= 0 &&
             (function_enter[function] > call_enter[call] ||
              (function_enter[function] == call_enter[call] && function_call[function] == call)));
        if (i < room) {
            frames[i].table = is_function ? "functions" : "calls";
            frames[i].row = is_function ? function : call;
        }
        if (is_function) {
            function = function_parent[function];
        } else {
            call = call_inside[call];
        }
    }
    return depth;
}
