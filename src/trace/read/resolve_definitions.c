/* SPDX-License-Identifier: BSD-3-Clause */
/* Definitions as they are written to the tables of the trace. */
#include "trace/read/raw_definitions.h"

#include "base/awaited_names.h"
#include "base/library_function.h"
#include "base/merged_visit_names.h"
#include "base/partitioned_names.h"
#include "base/polling_names.h"
#include "base/probe_names.h"
#include "base/stack_samples.h"
#include "functions/function_kind.h"
#include "symbols/symbol_name.h"

#include "base/containers/sort.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- regions ---- */

/* Whether all regions have the paradigm of user code: some recorders state no other, and then MPI
 * functions are recognized by name. */
static bool all_are_user_code(const struct fm_raw_definitions *raw)
{
    for (size_t i = 0; i < raw->regions.count; i++) {
        if (raw->regions.items[i].paradigm != OTF2_PARADIGM_USER) {
            return false;
        }
    }
    return true;
}

static fm_parameter_t parameter_of(const char *name, fm_parameter_t type)
{
    static const struct {
        const char *name;
        fm_parameter_t parameter;
    } own[] = {
        {"synchronization object", FM_PARAMETER_OBJECT},
        {"accelerator correlation", FM_PARAMETER_CORRELATION},
        {"accelerator stream", FM_PARAMETER_STREAM},
        {"accelerator event", FM_PARAMETER_EVENT},
        {FM_PARTITIONED_OPERATION, FM_PARAMETER_PARTITIONED_OPERATION},
        {FM_PARTITIONED_PARTITIONS, FM_PARAMETER_PARTITIONS},
        {FM_PARTITIONED_REQUEST, FM_PARAMETER_PARTITIONED_REQUEST},
        {FM_PARTITIONED_PARTITION, FM_PARAMETER_PARTITION},
        {FM_PARTITIONED_LAST, FM_PARAMETER_LAST_PARTITION},
        {FM_PROBE_COMMUNICATOR, FM_PARAMETER_PROBE_COMMUNICATOR},
        {FM_PROBE_SOURCE, FM_PARAMETER_PROBE_SOURCE},
        {FM_PROBE_TAG, FM_PARAMETER_PROBE_TAG},
        {FM_LOST_PROCESSOR, FM_PARAMETER_LOST_PROCESSOR},
        {FM_MERGED_CALLS, FM_PARAMETER_MERGED_CALLS},
        {FM_MERGED_GAPS, FM_PARAMETER_MERGED_GAPS},
        {FM_AWAITED_COMMUNICATOR, FM_PARAMETER_AWAITED_COMMUNICATOR},
        {FM_AWAITED_SOURCE, FM_PARAMETER_AWAITED_SOURCE},
        {FM_AWAITED_TAG, FM_PARAMETER_AWAITED_TAG},
        {FM_AWAITED_ROOT, FM_PARAMETER_AWAITED_ROOT},
        {FM_AWAITED_WINDOW, FM_PARAMETER_AWAITED_WINDOW},
        {FM_AWAITED_TARGET, FM_PARAMETER_AWAITED_TARGET},
        {FM_AWAITED_OWNER, FM_PARAMETER_AWAITED_OWNER},
        {FM_AWAITED_SINCE, FM_PARAMETER_AWAITED_SINCE},
        {FM_AWAITED_OMITTED, FM_PARAMETER_AWAITED_OMITTED},
        {FM_AWAITED_TAKEN_IN, FM_PARAMETER_AWAITED_TAKEN_IN},
        {FM_MERGED_VISITS, FM_PARAMETER_MERGED_VISITS},
        {FM_MERGED_SHORTEST, FM_PARAMETER_MERGED_SHORTEST},
        {FM_MERGED_LONGEST, FM_PARAMETER_MERGED_LONGEST},
    };
    for (size_t i = 0; name != NULL && i < sizeof own / sizeof own[0]; i++) {
        const fm_parameter_t own_type =
            own[i].parameter < FM_PARAMETER_AWAITED_COMMUNICATOR ? FM_PARAMETER_UNSIGNED
            : own[i].parameter == FM_PARAMETER_AWAITED_TAKEN_IN  ? FM_PARAMETER_TEXT
                                                                 : FM_PARAMETER_SIGNED;
        if (type == own_type && strcmp(name, own[i].name) == 0) {
            return own[i].parameter;
        }
    }
    return type;
}

/* Parameters become regions, which are the last ones. */
static void resolve_parameters(struct fm_raw_definitions *raw)
{
    struct fm_trace *trace = &raw->into->trace;
    uint32_t count = (uint32_t)raw->parameters.count;
    uint32_t first = trace->region_count - count;
    uint32_t *region = fm_allocate(count, sizeof *region);
    for (uint32_t i = 0; i < count; i++) {
        const char *name = fm_raw_string(raw, raw->parameters.items[i].name);
        region[i] = first + i;
        trace->regions[region[i]] =
            (struct fm_region){.name = fm_copy_string(name == NULL ? "unnamed parameter" : name),
                               .paradigm = FM_PARADIGM_USER,
                               .call = FM_CALL_USER,
                               .parameter = parameter_of(name, raw->parameters.items[i].type)};
    }
    fm_references_redirect(&raw->into->parameters, region);
    fm_free(region);
}

static bool has_streams(const struct fm_raw_definitions *raw)
{
    for (size_t i = 0; i < raw->locations.count; i++) {
        if (raw->locations.items[i].is_stream) {
            return true;
        }
    }
    return false;
}

/* The programming model of the accelerators: that of the archive's regions. */
static fm_paradigm_t paradigm_of_streams(const struct fm_raw_definitions *raw)
{
    for (size_t i = 0; i < raw->regions.count; i++) {
        const fm_paradigm_t paradigm = fm_paradigm_classify(raw->regions.items[i].paradigm, "");
        if (fm_paradigm_is_of_accelerators(paradigm)) {
            return paradigm;
        }
    }
    return FM_PARADIGM_CUDA;
}

/* What streams do besides their recorded work. */
enum stream_region { IDLE, COPY_TO, COPY_FROM, STREAM_REGIONS };

static void add_stream_regions(const struct fm_raw_definitions *raw, struct fm_region *regions)
{
    static const char *const names[STREAM_REGIONS] = {"idle", "copy to device", "copy to host"};
    const fm_paradigm_t paradigm = paradigm_of_streams(raw);
    for (int i = 0; i < STREAM_REGIONS; i++) {
        char name[48];
        snprintf(name, sizeof name, "%s %s", fm_paradigm_name(paradigm), names[i]);
        regions[i] = (struct fm_region){
            .name = fm_copy_string(name),
            .paradigm = paradigm,
            .call = fm_call_classify(paradigm, name, OTF2_REGION_ROLE_DATA_TRANSFER)};
    }
}

static bool is_passive_target(fm_call_t call)
{
    return call >= FM_CALL_LOCK && call <= FM_CALL_FLUSH_LOCAL_ALL;
}

static bool has_stack_samples(const struct fm_raw_definitions *raw)
{
    for (size_t i = 0; i < raw->counters.counters.count; i++) {
        const char *name = fm_raw_string(raw, raw->counters.counters.items[i].name);
        if (name != NULL && strcmp(name, FM_STACK_SAMPLES) == 0) {
            return true;
        }
    }
    return false;
}

/* ---- call stacks of other recorders ---- */

/* Whether interrupts of a generator stand for time: those of timers and of counters of cycles. */
static bool is_clock(const struct fm_raw_definitions *raw, const struct fm_raw_generator *generator)
{
    static const char *const clocks[] = {"cyc", "clock", "clk", "time"};
    const char *name = fm_raw_string(raw, generator->name);
    bool found = generator->is_timer;
    for (size_t i = 0; name != NULL && !found && i < sizeof clocks / sizeof clocks[0]; i++) {
        found = strcasestr(name, clocks[i]) != NULL;
    }
    return found && generator->period > 0;
}

/* Weights of the samples of each generator: its period, in seconds if there are timers, else in
 * cycles. @return whether samples of some stand for time */
static bool resolve_generators(struct fm_raw_definitions *raw)
{
    bool any = false, timers = false;
    for (size_t i = 0; i < raw->generators.count; i++) {
        timers |= raw->generators.items[i].is_timer && is_clock(raw, &raw->generators.items[i]);
    }
    for (size_t i = 0; i < raw->generators.count; i++) {
        const struct fm_raw_generator *generator = &raw->generators.items[i];
        const bool counts = is_clock(raw, generator) && generator->is_timer == timers;
        fm_vector_push(&raw->into->generators, counts ? generator->period : 0);
        any |= counts;
    }
    return any;
}

/* Once regions are resolved. A node whose parents lead in a circle becomes a root. */
static void resolve_contexts(struct fm_raw_definitions *raw)
{
    struct fm_trace_private *into = raw->into;
    for (size_t i = 0; i < raw->contexts.count; i++) {
        const struct fm_raw_context *from = &raw->contexts.items[i];
        fm_vector_push(
            &into->contexts,
            (struct fm_calling_context){fm_references_find(&into->regions, from->region),
                                        fm_references_find(&into->context_numbers, from->parent)});
    }
    /* Without circles, a node is deeper than its parent. */
    uint32_t *root = fm_allocate(raw->contexts.count, sizeof *root); /* seen from node number - 1 */
    for (uint32_t i = 0; i < raw->contexts.count; i++) {
        uint32_t at = i;
        while (at != FM_NONE && root[at] == 0) {
            root[at] = i + 1;
            uint32_t *parent = &into->contexts.items[at].parent;
            if (*parent != FM_NONE && root[*parent] == i + 1) {
                *parent = FM_NONE;
            }
            at = *parent;
        }
    }
    fm_free(root);
}

/* Whether the region is a function of the C library in which the program waits. */
static bool is_system_wait(const struct fm_raw_region *region, const char *file)
{
    return region->paradigm == OTF2_PARADIGM_USER && region->role == OTF2_REGION_ROLE_FUNCTION &&
           file != NULL && strcmp(file, FM_C_LIBRARY_FILE) == 0;
}

/* Whether the region is a function that was not recorded as such, but seen on call stacks.
 * Functions of the C library are recorded calls, phases are marks. */
static bool is_seen_on_stacks(const struct fm_raw_region *region, const char *file)
{
    return region->paradigm == OTF2_PARADIGM_USER && region->role == OTF2_REGION_ROLE_FUNCTION &&
           !region->is_phase && !is_system_wait(region, file);
}

/* Whether the recorder tells functions seen on call stacks from those that it recorded. */
static bool has_sampled_regions(const struct fm_raw_definitions *raw)
{
    for (size_t i = 0; i < raw->regions.count; i++) {
        if (raw->regions.items[i].paradigm == OTF2_PARADIGM_SAMPLING) {
            return true;
        }
    }
    return false;
}

/* @return whether a function of MPI starts a non-blocking collective: MPI_Ibarrier, MPI_Comm_idup,
 * MPI_File_iread_all, but not those that are persistent */
static bool starts_collective(fm_paradigm_t paradigm, fm_call_t call, const char *name)
{
    if (paradigm != FM_PARADIGM_MPI) {
        return false;
    }
    return (call >= FM_CALL_BARRIER && call <= FM_CALL_SCAN &&
            strncasecmp(name, "MPI_I", 5) == 0) ||
           (call == FM_CALL_COMMUNICATOR && strncasecmp(name, "MPI_Comm_idup", 13) == 0) ||
           (call == FM_CALL_FILE_ACCESS && strncasecmp(name, "MPI_File_i", 10) == 0);
}

/* The name of a function as its source has it: other recorders may write that of the symbol. */
static char *source_name(const char *name)
{
    if (strncmp(name, "_Z", 2) != 0 && strncmp(name, "_R", 2) != 0) {
        return fm_copy_string(name);
    }
    char *demangled = fm_symbol_name(name);
    char *copy = fm_copy_string(demangled != NULL ? demangled : name);
    free(demangled);
    return copy;
}

static void resolve_regions(struct fm_raw_definitions *raw)
{
    struct fm_trace *trace = &raw->into->trace;
    const bool has_contexts = resolve_generators(raw) && raw->contexts.count != 0;
    trace->is_sampled = has_contexts || has_stack_samples(raw);
    const bool says_so = has_contexts && has_sampled_regions(raw);
    bool by_name = all_are_user_code(raw);
    const bool streams = has_streams(raw);
    trace->region_count =
        (uint32_t)(raw->regions.count + 1 + (streams ? STREAM_REGIONS : 0) + raw->parameters.count);
    trace->regions = fm_allocate(trace->region_count, sizeof *trace->regions);
    raw->into->program_region = (uint32_t)raw->regions.count;
    raw->into->program_name.process = FM_NONE;
    trace->regions[raw->regions.count] = (struct fm_region){.name = fm_copy_string("program")};
    trace->idle_region = FM_NONE;
    if (streams) {
        trace->idle_region = (uint32_t)raw->regions.count + 1;
        trace->copy_regions = trace->idle_region + COPY_TO;
        add_stream_regions(raw, trace->regions + trace->idle_region);
    }
    for (size_t i = 0; i < raw->regions.count; i++) {
        const struct fm_raw_region *from = &raw->regions.items[i];
        const char *name = fm_raw_string(raw, from->name);
        name = name == NULL ? "unnamed region" : name;
        const char *file = fm_raw_string(raw, from->file);
        const bool is_mpi = by_name && fm_is_mpi_function(name);
        /* Only functions that were recorded are calls, whatever the name. */
        const bool is_estimated =
            from->paradigm == OTF2_PARADIGM_SAMPLING ||
            (trace->is_sampled && !says_so && !is_mpi && is_seen_on_stacks(from, file));
        fm_paradigm_t paradigm = is_estimated ? FM_PARADIGM_USER
                                 : is_mpi     ? FM_PARADIGM_MPI
                                              : fm_paradigm_classify(from->paradigm, name);
        trace->regions[i] = (struct fm_region){
            .name = source_name(name),
            .file = file == NULL || file[0] == '\0' ? NULL : fm_copy_string(file),
            .line = from->line,
            .paradigm = paradigm,
            .call = is_estimated ? FM_CALL_USER : fm_call_classify(paradigm, name, from->role),
            .is_phase = from->is_phase,
            .is_begun_only = fm_function_only_begins(name),
            .is_fetching = fm_function_fetches(name),
            .is_library = fm_is_library_function(name, file),
            .is_estimated = is_estimated,
            .is_system_wait = is_system_wait(from, file),
        };
        trace->regions[i].starts_collective =
            starts_collective(paradigm, trace->regions[i].call, name);
        trace->regions[i].polling = fm_polling_role(paradigm, name, trace->regions[i].call);
        trace->has_passive_target |=
            paradigm == FM_PARADIGM_MPI && is_passive_target(trace->regions[i].call);
    }
    resolve_parameters(raw);
    fm_regions_merge(raw->into);
}

static void resolve_lines(struct fm_raw_definitions *raw)
{
    struct fm_trace *trace = &raw->into->trace;
    trace->line_count = (uint32_t)raw->lines.count;
    trace->lines = fm_allocate(trace->line_count, sizeof *trace->lines);
    for (uint32_t i = 0; i < trace->line_count; i++) {
        const char *file = fm_raw_string(raw, raw->lines.items[i].file);
        trace->lines[i] = (struct fm_source_line){fm_copy_string(file != NULL ? file : ""),
                                                  raw->lines.items[i].line};
    }
}

/* ---- processes and locations ---- */

/* The locations that communicate under a paradigm, in rank order; NULL: the archive has none. */
static const struct fm_raw_group *communication_locations(const struct fm_raw_definitions *raw,
                                                          uint8_t paradigm)
{
    const struct fm_raw_group *any = NULL;
    for (size_t i = 0; i < raw->groups.count; i++) {
        const struct fm_raw_group *group = &raw->groups.items[i];
        if (group->type == OTF2_GROUP_TYPE_COMM_LOCATIONS) {
            if (group->paradigm == paradigm) {
                return group;
            }
            if (any == NULL || group->paradigm == OTF2_PARADIGM_SHMEM) {
                any = group;
            }
        }
    }
    return any;
}

static int compare_locations(const void *a, const void *b)
{
    const struct fm_raw_location *left = a, *right = b;
    if (left->group != right->group) {
        return left->group < right->group ? -1 : 1;
    }
    if (left->is_stream != right->is_stream) {
        return left->is_stream ? 1 : -1;
    }
    if (left->rank != right->rank) {
        return left->rank < right->rank ? -1 : 1;
    }
    return left->id < right->id ? -1 : left->id > right->id;
}

/* @return the location group of a location; of an accelerator's that of the process that uses it */
static uint32_t group_of(const struct fm_raw_definitions *raw,
                         const struct fm_raw_location *location)
{
    const uint32_t group = fm_references_find(&raw->location_groups, location->group);
    const uint32_t creator =
        group == FM_NONE ? FM_NONE
                         : fm_references_find(&raw->location_groups,
                                              raw->location_groups_raw.items[group].creator);
    return creator != FM_NONE ? creator : group;
}

/* Numbers the processes by rank, then those without a rank in the archive's order, and sets the
 * process of each location.
 * @param process_of_group  FM_NONE for all location groups; the last one stands for none
 * @return the number of processes */
static uint32_t number_processes(struct fm_raw_definitions *raw, uint32_t *process_of_group)
{
    const size_t group_count = raw->location_groups_raw.count;
    uint32_t processes = 0;
    const struct fm_raw_group *ranks = communication_locations(raw, OTF2_PARADIGM_MPI);
    for (uint32_t rank = 0; ranks != NULL && rank < ranks->size; rank++) {
        uint32_t position = fm_map_get(&raw->location_of_id, ranks->members[rank]);
        if (position == FM_MAP_ABSENT) {
            continue;
        }
        struct fm_raw_location *location = &raw->locations.items[position];
        uint32_t group = fm_references_find(&raw->location_groups, location->group);
        if (group != FM_NONE && process_of_group[group] == FM_NONE) {
            process_of_group[group] = processes++;
        }
        if (location->rank == FM_NONE) {
            location->rank = rank;
        }
    }
    for (size_t i = 0; i < raw->locations.count; i++) {
        uint32_t group = group_of(raw, &raw->locations.items[i]);
        if (group == FM_NONE) {
            group = (uint32_t)group_count;
        }
        if (process_of_group[group] == FM_NONE) {
            process_of_group[group] = processes++;
        }
        raw->locations.items[i].group = process_of_group[group];
    }
    return processes;
}

/* Names the processes and their nodes by the location groups. */
static void name_processes(const struct fm_raw_definitions *raw, const uint32_t *process_of_group)
{
    for (size_t i = 0; i < raw->location_groups_raw.count; i++) {
        if (process_of_group[i] != FM_NONE) {
            struct fm_process *process = &raw->into->trace.processes[process_of_group[i]];
            process->name =
                fm_copy_string(fm_raw_string(raw, raw->location_groups_raw.items[i].name));
            uint32_t node = fm_references_find(&raw->nodes, raw->location_groups_raw.items[i].node);
            if (node != FM_NONE) {
                process->node = fm_copy_string(fm_raw_string(raw, raw->nodes_raw.items[node].name));
            }
        }
    }
}

/* Notes the worlds of processes: numbers below their count. */
static void note_worlds(const struct fm_raw_definitions *raw, const uint32_t *process_of_group)
{
    struct fm_trace *trace = &raw->into->trace;
    for (size_t i = 0; i < raw->worlds.count; i++) {
        const uint32_t group =
            fm_references_find(&raw->location_groups, raw->worlds.items[i].group);
        if (group != FM_NONE && process_of_group[group] != FM_NONE &&
            raw->worlds.items[i].world < trace->process_count) {
            trace->processes[process_of_group[group]].world = raw->worlds.items[i].world;
        }
    }
}

static int compare_objects(const void *a, const void *b)
{
    const struct fm_object_name *left = a, *right = b;
    if (left->process != right->process) {
        return left->process < right->process ? -1 : 1;
    }
    return left->object < right->object ? -1 : left->object > right->object;
}

/* Notes the ends of processes, which their locations state. */
static void note_ends(struct fm_raw_definitions *raw)
{
    struct fm_trace *trace = &raw->into->trace;
    for (uint32_t p = 0; p < trace->process_count; p++) {
        trace->processes[p].heartbeat = trace->processes[p].job_end = UINT64_MAX;
    }
    for (size_t i = 0; i < raw->ends.count; i++) {
        const struct fm_raw_end *end = &raw->ends.items[i];
        const uint32_t location = fm_map_get(&raw->location_of_id, end->location);
        if (location == FM_MAP_ABSENT) {
            continue;
        }
        struct fm_process *process = &trace->processes[trace->locations[location].process];
        switch (end->what) {
        case FM_END_HEARTBEAT:
            process->heartbeat = end->value;
            break;
        case FM_END_OF_JOB:
            process->job_end = end->value;
            break;
        case FM_END_BY_ITSELF:
            process->has_ended = end->value != 0;
            break;
        case FM_END_THREAD_LEVEL:
            process->thread_level = end->value < 4 ? (uint8_t)(end->value + 1) : 0;
            break;
        }
    }
}

static void name_objects(const struct fm_raw_definitions *raw, const uint32_t *process_of_group)
{
    struct fm_trace *trace = &raw->into->trace;
    trace->object_names = fm_allocate(raw->objects.count, sizeof *trace->object_names);
    for (size_t i = 0; i < raw->objects.count; i++) {
        const struct fm_raw_object *object = &raw->objects.items[i];
        const uint32_t group = fm_references_find(&raw->location_groups, object->group);
        const char *name = fm_raw_string(raw, object->name);
        if (group != FM_NONE && process_of_group[group] != FM_NONE && name != NULL) {
            trace->object_names[trace->object_name_count++] = (struct fm_object_name){
                process_of_group[group], object->object, fm_copy_string(name)};
        }
    }
    fm_sort(trace->object_names, trace->object_name_count, sizeof *trace->object_names,
            compare_objects);
}

/* Makes the locations, in the order of the sorted definitions. */
static void make_locations(struct fm_raw_definitions *raw)
{
    struct fm_trace *trace = &raw->into->trace;
    trace->location_count = (uint32_t)raw->locations.count;
    trace->locations = fm_allocate(raw->locations.count, sizeof *trace->locations);
    trace->process_of = fm_allocate(raw->locations.count, sizeof *trace->process_of);
    for (uint32_t i = 0; i < trace->location_count; i++) {
        const struct fm_raw_location *from = &raw->locations.items[i];
        struct fm_process *process = &trace->processes[from->group];
        if (process->location_count == 0) {
            process->first_location = i;
        }
        trace->process_of[i] = from->group;
        trace->locations[i] = (struct fm_location){
            .id = from->id,
            .name = fm_copy_string(fm_raw_string(raw, from->name)),
            .process = from->group,
            .thread = process->location_count++,
            .defined_events = from->events,
            .begin = UINT64_MAX,
            .lasts_to = UINT64_MAX,
            .is_stream = from->is_stream,
        };
    }
    fm_map_clear(&raw->location_of_id);
    for (uint32_t i = 0; i < trace->location_count; i++) {
        *fm_map_at(&raw->location_of_id, trace->locations[i].id, 0) = i;
    }
}

/* Makes the processes and stores the locations of each process contiguously. */
static void resolve_locations(struct fm_raw_definitions *raw)
{
    struct fm_trace *trace = &raw->into->trace;
    const size_t group_count = raw->location_groups_raw.count;
    uint32_t *process_of_group = fm_allocate(group_count + 1, sizeof *process_of_group);
    for (size_t i = 0; i <= group_count; i++) {
        process_of_group[i] = FM_NONE;
    }
    trace->process_count = number_processes(raw, process_of_group);
    trace->processes = fm_allocate(trace->process_count, sizeof *trace->processes);
    fm_sort(raw->locations.items, raw->locations.count, sizeof *raw->locations.items,
            compare_locations);
    name_processes(raw, process_of_group);
    name_objects(raw, process_of_group);
    note_worlds(raw, process_of_group);
    fm_free(process_of_group);
    make_locations(raw);
    note_ends(raw);
}

/* ---- groups and communicators ---- */

/* The processes of a group; FM_NONE for processes that the archive does not define. */
static uint32_t *resolve_members(const struct fm_raw_definitions *raw,
                                 const struct fm_raw_group *group)
{
    const struct fm_raw_group *ranks = communication_locations(raw, group->paradigm);
    uint32_t *processes = fm_allocate(group->size, sizeof *processes);
    for (uint32_t i = 0; i < group->size; i++) {
        uint64_t location = group->members[i];
        if (group->type == OTF2_GROUP_TYPE_COMM_GROUP) {
            location = ranks != NULL && location < ranks->size ? ranks->members[location]
                                                               : OTF2_UNDEFINED_LOCATION;
        }
        uint32_t index = fm_map_get(&raw->location_of_id, location);
        processes[i] = index == FM_MAP_ABSENT ? FM_NONE : raw->into->trace.locations[index].process;
    }
    return processes;
}

static void resolve_groups(struct fm_raw_definitions *raw)
{
    struct fm_trace *trace = &raw->into->trace;
    trace->group_count = (uint32_t)raw->groups.count;
    trace->groups = fm_allocate(raw->groups.count, sizeof *trace->groups);
    for (size_t i = 0; i < raw->groups.count; i++) {
        const struct fm_raw_group *group = &raw->groups.items[i];
        if (group->type == OTF2_GROUP_TYPE_COMM_GROUP ||
            group->type == OTF2_GROUP_TYPE_COMM_LOCATIONS) {
            trace->groups[i] = (struct fm_group){group->size, resolve_members(raw, group)};
        }
    }
}

static void resolve_communicator(struct fm_raw_definitions *raw,
                                 const struct fm_raw_communicator *from, struct fm_communicator *to)
{
    to->name = fm_copy_string(fm_raw_string(raw, from->name));
    uint32_t first = fm_references_find(&raw->into->groups, from->group);
    uint32_t second = fm_references_find(&raw->into->groups, from->second_group);
    if (first == FM_NONE) {
        return;
    }
    if (raw->groups.items[first].type == OTF2_GROUP_TYPE_COMM_SELF) {
        to->is_self = true;
        to->size = to->first_group_size = 1;
        return;
    }
    const struct fm_group *groups = raw->into->trace.groups;
    to->first_group_size = groups[first].size;
    to->size = groups[first].size + (second == FM_NONE ? 0 : groups[second].size);
    to->members = fm_allocate(to->size, sizeof *to->members);
    memcpy(to->members, groups[first].processes, groups[first].size * sizeof *to->members);
    if (second != FM_NONE) {
        memcpy(to->members + groups[first].size, groups[second].processes,
               groups[second].size * sizeof *to->members);
    }
}

/* @return whether a communicator is one of threads and streams of accelerators */
static bool is_of_accelerators(const struct fm_raw_definitions *raw,
                               const struct fm_raw_communicator *communicator)
{
    const uint32_t group = fm_references_find(&raw->into->groups, communicator->group);
    return group != FM_NONE && fm_paradigm_is_of_accelerators(
                                   fm_paradigm_classify(raw->groups.items[group].paradigm, ""));
}

/* @return NULL also for the empty name */
static char *copy_name(const struct fm_raw_definitions *raw, uint32_t string)
{
    const char *name = fm_raw_string(raw, string);
    return name == NULL || name[0] == '\0' ? NULL : fm_copy_string(name);
}

static void resolve_topologies(struct fm_raw_definitions *raw)
{
    struct fm_trace *trace = &raw->into->trace;
    for (size_t i = 0; i < raw->topologies.count; i++) {
        const struct fm_raw_topology *from = &raw->topologies.items[i];
        uint32_t index = fm_references_find(&raw->into->communicators, from->communicator);
        if (index == FM_NONE || trace->communicators[index].topology != NULL ||
            trace->communicators[index].is_self || from->dimension_count == 0) {
            continue;
        }
        struct fm_communicator *communicator = &trace->communicators[index];
        uint8_t dimensions = from->dimension_count;
        struct fm_topology *to = fm_allocate(1, sizeof *to);
        to->dimension_count = dimensions;
        to->sizes = fm_allocate(dimensions, sizeof *to->sizes);
        to->periodic = fm_allocate(dimensions, sizeof *to->periodic);
        to->name = copy_name(raw, from->name);
        to->dimension_names = fm_allocate(dimensions, sizeof *to->dimension_names);
        to->coordinates =
            fm_allocate((size_t)communicator->size * dimensions, sizeof *to->coordinates);
        memset(to->coordinates, 0xff,
               (size_t)communicator->size * dimensions * sizeof *to->coordinates);
        for (uint8_t d = 0; d < dimensions; d++) {
            uint32_t dimension = fm_references_find(&raw->dimensions, from->dimensions[d]);
            if (dimension != FM_NONE) {
                to->sizes[d] = raw->dimensions_raw.items[dimension].size;
                to->periodic[d] = raw->dimensions_raw.items[dimension].periodic;
                to->dimension_names[d] = copy_name(raw, raw->dimensions_raw.items[dimension].name);
            }
        }
        for (size_t c = 0; c < raw->coordinates.count; c++) {
            const struct fm_raw_coordinate *coordinate = &raw->coordinates.items[c];
            if (coordinate->topology == from->reference && coordinate->rank < communicator->size &&
                coordinate->dimension_count == dimensions) {
                memcpy(&to->coordinates[(size_t)coordinate->rank * dimensions], coordinate->values,
                       dimensions * sizeof *to->coordinates);
            }
        }
        communicator->topology = to;
    }
}

void fm_raw_definitions_resolve(struct fm_raw_definitions *raw)
{
    struct fm_trace *trace = &raw->into->trace;
    resolve_regions(raw);
    resolve_contexts(raw);
    resolve_lines(raw);
    resolve_locations(raw);
    resolve_groups(raw);
    trace->communicator_count = (uint32_t)raw->communicators.count;
    trace->communicators = fm_allocate(raw->communicators.count, sizeof *trace->communicators);
    for (size_t i = 0; i < raw->communicators.count; i++) {
        resolve_communicator(raw, &raw->communicators.items[i], &trace->communicators[i]);
    }
    trace->window_count = (uint32_t)raw->windows.count;
    trace->windows = fm_allocate(raw->windows.count, sizeof *trace->windows);
    for (size_t i = 0; i < raw->windows.count; i++) {
        trace->windows[i].name = fm_copy_string(fm_raw_string(raw, raw->windows.items[i].name));
        const uint32_t communicator =
            fm_references_find(&raw->into->communicators, raw->windows.items[i].communicator);
        trace->windows[i].communicator = communicator;
        trace->windows[i].is_of_accelerators =
            communicator != FM_NONE &&
            is_of_accelerators(raw, &raw->communicators.items[communicator]);
    }
    resolve_topologies(raw);
    trace->metric_locations = raw->metric_locations;
    if (raw->metric_locations != 0) {
        const char *name = fm_raw_string(raw, raw->metric_location);
        trace->metric_location = fm_copy_string(name != NULL ? name : "");
    }
    fm_raw_counters_resolve(&raw->counters, raw->into);
}
