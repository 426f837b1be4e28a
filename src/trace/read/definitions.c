/* Reads the global definitions of an archive and resolves them to a struct fm_trace. */
#include "trace/archive/anchor.h"
#include "trace/archive/otf2_error.h"
#include "trace/read/counter_definitions.h"
#include "trace/tables/trace_internal.h"

#include "base/containers/map.h"
#include "base/containers/sort.h"

#include <ctype.h>
#include <otf2/otf2.h>
#include <stdlib.h>
#include <string.h>

struct raw_region {
    uint32_t name, file, line;
    uint8_t role, paradigm;
    bool is_phase;
};

struct raw_parameter {
    uint32_t name;
    fm_parameter_t type;
};

struct raw_line {
    uint32_t file, line;
};

struct raw_group {
    uint8_t type, paradigm;
    uint32_t size;
    uint64_t *members;
};

struct raw_communicator {
    uint32_t name, group, second_group;
};

struct raw_window {
    uint32_t name, communicator;
};

struct raw_node {
    uint32_t name, parent;
};

struct raw_location_group {
    uint32_t name, node;
};

struct raw_location {
    uint64_t id, events;
    uint32_t name, group;
    uint32_t rank; /* position in the group of communication locations; FM_NONE: none */
};

struct raw_dimension {
    uint32_t name, size;
    bool periodic;
};

struct raw_topology {
    uint32_t reference, name, communicator;
    uint8_t dimension_count;
    uint32_t *dimensions;
};

struct raw_coordinate {
    uint32_t topology, rank;
    uint8_t dimension_count;
    uint32_t values[8];
};

struct raw_definitions {
    struct fm_raw_counters counters; /* first: also the user data of the counters' callbacks */
    struct fm_trace_private *into;
    struct fm_references nodes, location_groups, dimensions;
    FM_VECTOR(struct raw_region) regions;
    FM_VECTOR(struct raw_parameter) parameters;
    FM_VECTOR(struct raw_line) lines;
    FM_VECTOR(struct raw_group) groups;
    FM_VECTOR(struct raw_communicator) communicators;
    FM_VECTOR(struct raw_window) windows;
    FM_VECTOR(struct raw_node) nodes_raw;
    FM_VECTOR(struct raw_location_group) location_groups_raw;
    FM_VECTOR(struct raw_location) locations;
    FM_VECTOR(struct raw_dimension) dimensions_raw;
    FM_VECTOR(struct raw_topology) topologies;
    FM_VECTOR(struct raw_coordinate) coordinates;
    struct fm_map location_of_id; /* position in `locations` */
};

static OTF2_CallbackCode define(struct fm_references *references, uint64_t reference, size_t index)
{
    fm_references_define(references, reference, (uint32_t)index);
    return OTF2_CALLBACK_SUCCESS;
}

static const char *string_of(const struct raw_definitions *raw, uint32_t reference)
{
    uint32_t index = fm_references_find(&raw->into->strings, reference);
    return index == FM_NONE ? NULL : raw->into->text.items[index];
}

static OTF2_CallbackCode on_clock(void *data, uint64_t resolution, uint64_t offset, uint64_t length,
                                  uint64_t realtime)
{
    (void)length;
    (void)realtime;
    struct raw_definitions *raw = data;
    raw->into->trace.ticks_per_second = resolution;
    raw->into->trace.clock_begin = offset;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_string(void *data, OTF2_StringRef self, const char *string)
{
    struct raw_definitions *raw = data;
    fm_vector_push(&raw->into->text, fm_copy_string(string));
    return define(&raw->into->strings, self, raw->into->text.count - 1);
}

/* The attributes of unrecorded.def are identified by name and type. */
static OTF2_CallbackCode on_attribute(void *data, OTF2_AttributeRef self, OTF2_StringRef name,
                                      OTF2_StringRef description, OTF2_Type type)
{
    static const struct {
        const char *name;
        OTF2_Type type;
    } known[] = {
#define FM_ATTRIBUTE(symbol, name, type, description) {name, OTF2_TYPE_##type},
#include "base/unrecorded.def"
#undef FM_ATTRIBUTE
    };
    struct raw_definitions *raw = data;
    const char *text = string_of(raw, name);
    (void)description;
    for (uint32_t i = 0; text != NULL && i < FM_ATTRIBUTE_COUNT; i++) {
        if (known[i].type == type && strcmp(known[i].name, text) == 0) {
            return define(&raw->into->attributes, self, i);
        }
    }
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_region(void *data, OTF2_RegionRef self, OTF2_StringRef name,
                                   OTF2_StringRef canonical, OTF2_StringRef description,
                                   OTF2_RegionRole role, OTF2_Paradigm paradigm,
                                   OTF2_RegionFlag flags, OTF2_StringRef file, uint32_t begin,
                                   uint32_t end)
{
    (void)canonical;
    (void)description;
    (void)end;
    struct raw_definitions *raw = data;
    bool is_phase = (flags & (OTF2_REGION_FLAG_PHASE | OTF2_REGION_FLAG_DYNAMIC)) != 0;
    fm_vector_push(&raw->regions, (struct raw_region){name, file, begin, role, paradigm, is_phase});
    return define(&raw->into->regions, self, raw->regions.count - 1);
}

static OTF2_CallbackCode on_parameter(void *data, OTF2_ParameterRef self, OTF2_StringRef name,
                                      OTF2_ParameterType type)
{
    struct raw_definitions *raw = data;
    fm_parameter_t own = type == OTF2_PARAMETER_TYPE_STRING   ? FM_PARAMETER_TEXT
                         : type == OTF2_PARAMETER_TYPE_UINT64 ? FM_PARAMETER_UNSIGNED
                                                              : FM_PARAMETER_SIGNED;
    fm_vector_push(&raw->parameters, (struct raw_parameter){name, own});
    return define(&raw->into->parameters, self, raw->parameters.count - 1);
}

static OTF2_CallbackCode on_line(void *data, OTF2_SourceCodeLocationRef self, OTF2_StringRef file,
                                 uint32_t line)
{
    struct raw_definitions *raw = data;
    if (line == 0) {
        return OTF2_CALLBACK_SUCCESS; /* some recorders give the place of another kind of element */
    }
    fm_vector_push(&raw->lines, (struct raw_line){file, line});
    return define(&raw->into->lines, self, raw->lines.count - 1);
}

static OTF2_CallbackCode on_node(void *data, OTF2_SystemTreeNodeRef self, OTF2_StringRef name,
                                 OTF2_StringRef class_name, OTF2_SystemTreeNodeRef parent)
{
    (void)class_name;
    struct raw_definitions *raw = data;
    fm_vector_push(&raw->nodes_raw, (struct raw_node){name, parent});
    return define(&raw->nodes, self, raw->nodes_raw.count - 1);
}

static OTF2_CallbackCode on_location_group(void *data, OTF2_LocationGroupRef self,
                                           OTF2_StringRef name, OTF2_LocationGroupType type,
                                           OTF2_SystemTreeNodeRef node,
                                           OTF2_LocationGroupRef creator)
{
    (void)type;
    (void)creator;
    struct raw_definitions *raw = data;
    fm_vector_push(&raw->location_groups_raw, (struct raw_location_group){name, node});
    return define(&raw->location_groups, self, raw->location_groups_raw.count - 1);
}

static OTF2_CallbackCode on_location(void *data, OTF2_LocationRef self, OTF2_StringRef name,
                                     OTF2_LocationType type, uint64_t events,
                                     OTF2_LocationGroupRef group)
{
    struct raw_definitions *raw = data;
    if (type == OTF2_LOCATION_TYPE_METRIC) {
        return OTF2_CALLBACK_SUCCESS;
    }
    *fm_map_at(&raw->location_of_id, self, 0) = (uint32_t)raw->locations.count;
    fm_vector_push(&raw->locations, (struct raw_location){self, events, name, group, FM_NONE});
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_group(void *data, OTF2_GroupRef self, OTF2_StringRef name,
                                  OTF2_GroupType type, OTF2_Paradigm paradigm, OTF2_GroupFlag flags,
                                  uint32_t size, const uint64_t *members)
{
    (void)name;
    (void)flags;
    struct raw_definitions *raw = data;
    uint64_t *copy = fm_resize(NULL, 0, size * sizeof *copy);
    memcpy(copy, members, size * sizeof *copy);
    fm_vector_push(&raw->groups, (struct raw_group){type, paradigm, size, copy});
    return define(&raw->into->groups, self, raw->groups.count - 1);
}

static OTF2_CallbackCode on_communicator(void *data, OTF2_CommRef self, OTF2_StringRef name,
                                         OTF2_GroupRef group, OTF2_CommRef parent,
                                         OTF2_CommFlag flags)
{
    (void)parent;
    (void)flags;
    struct raw_definitions *raw = data;
    fm_vector_push(&raw->communicators,
                   (struct raw_communicator){name, group, OTF2_UNDEFINED_GROUP});
    return define(&raw->into->communicators, self, raw->communicators.count - 1);
}

static OTF2_CallbackCode on_intercommunicator(void *data, OTF2_CommRef self, OTF2_StringRef name,
                                              OTF2_GroupRef first, OTF2_GroupRef second,
                                              OTF2_CommRef common, OTF2_CommFlag flags)
{
    (void)common;
    (void)flags;
    struct raw_definitions *raw = data;
    fm_vector_push(&raw->communicators, (struct raw_communicator){name, first, second});
    return define(&raw->into->communicators, self, raw->communicators.count - 1);
}

static OTF2_CallbackCode on_window(void *data, OTF2_RmaWinRef self, OTF2_StringRef name,
                                   OTF2_CommRef communicator, OTF2_RmaWinFlag flags)
{
    (void)flags;
    struct raw_definitions *raw = data;
    fm_vector_push(&raw->windows, (struct raw_window){name, communicator});
    return define(&raw->into->windows, self, raw->windows.count - 1);
}

static OTF2_CallbackCode on_dimension(void *data, OTF2_CartDimensionRef self, OTF2_StringRef name,
                                      uint32_t size, OTF2_CartPeriodicity periodicity)
{
    struct raw_definitions *raw = data;
    fm_vector_push(&raw->dimensions_raw,
                   (struct raw_dimension){name, size, periodicity == OTF2_CART_PERIODIC_TRUE});
    return define(&raw->dimensions, self, raw->dimensions_raw.count - 1);
}

static OTF2_CallbackCode on_topology(void *data, OTF2_CartTopologyRef self, OTF2_StringRef name,
                                     OTF2_CommRef communicator, uint8_t dimension_count,
                                     const OTF2_CartDimensionRef *dimensions)
{
    struct raw_definitions *raw = data;
    uint32_t *copy = fm_resize(NULL, 0, dimension_count * sizeof *copy);
    memcpy(copy, dimensions, dimension_count * sizeof *copy);
    fm_vector_push(&raw->topologies,
                   (struct raw_topology){self, name, communicator, dimension_count, copy});
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_coordinate(void *data, OTF2_CartTopologyRef topology, uint32_t rank,
                                       uint8_t dimension_count, const uint32_t *values)
{
    struct raw_definitions *raw = data;
    struct raw_coordinate coordinate = {topology, rank, dimension_count, {0}};
    if (dimension_count <= sizeof coordinate.values / sizeof coordinate.values[0]) {
        memcpy(coordinate.values, values, dimension_count * sizeof *values);
        fm_vector_push(&raw->coordinates, coordinate);
    }
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_GlobalDefReaderCallbacks *new_callbacks(void)
{
    OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();
    OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(callbacks, on_clock);
    OTF2_GlobalDefReaderCallbacks_SetStringCallback(callbacks, on_string);
    OTF2_GlobalDefReaderCallbacks_SetRegionCallback(callbacks, on_region);
    OTF2_GlobalDefReaderCallbacks_SetParameterCallback(callbacks, on_parameter);
    OTF2_GlobalDefReaderCallbacks_SetSourceCodeLocationCallback(callbacks, on_line);
    OTF2_GlobalDefReaderCallbacks_SetAttributeCallback(callbacks, on_attribute);
    OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(callbacks, on_node);
    OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(callbacks, on_location_group);
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, on_location);
    OTF2_GlobalDefReaderCallbacks_SetGroupCallback(callbacks, on_group);
    OTF2_GlobalDefReaderCallbacks_SetCommCallback(callbacks, on_communicator);
    OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(callbacks, on_intercommunicator);
    OTF2_GlobalDefReaderCallbacks_SetRmaWinCallback(callbacks, on_window);
    OTF2_GlobalDefReaderCallbacks_SetCartDimensionCallback(callbacks, on_dimension);
    OTF2_GlobalDefReaderCallbacks_SetCartTopologyCallback(callbacks, on_topology);
    OTF2_GlobalDefReaderCallbacks_SetCartCoordinateCallback(callbacks, on_coordinate);
    fm_raw_counters_register(callbacks);
    return callbacks;
}

/* The locations that communicate under a paradigm, in rank order; NULL: the archive has none. */
static const struct raw_group *communication_locations(const struct raw_definitions *raw,
                                                       uint8_t paradigm)
{
    const struct raw_group *any = NULL;
    for (size_t i = 0; i < raw->groups.count; i++) {
        const struct raw_group *group = &raw->groups.items[i];
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
    const struct raw_location *left = a, *right = b;
    if (left->group != right->group) {
        return left->group < right->group ? -1 : 1;
    }
    if (left->rank != right->rank) {
        return left->rank < right->rank ? -1 : 1;
    }
    return left->id < right->id ? -1 : left->id > right->id;
}

/* Numbers the processes by rank, then those without a rank in the archive's order, and stores the
 * locations of each process contiguously. */
static void resolve_locations(struct raw_definitions *raw)
{
    struct fm_trace *trace = &raw->into->trace;
    size_t group_count = raw->location_groups_raw.count;
    uint32_t *process_of_group = fm_allocate(group_count + 1, sizeof *process_of_group);
    for (size_t i = 0; i <= group_count; i++) {
        process_of_group[i] = FM_NONE;
    }
    uint32_t processes = 0;
    const struct raw_group *ranks = communication_locations(raw, OTF2_PARADIGM_MPI);
    for (uint32_t rank = 0; ranks != NULL && rank < ranks->size; rank++) {
        uint32_t position = fm_map_get(&raw->location_of_id, ranks->members[rank]);
        if (position == FM_MAP_ABSENT) {
            continue;
        }
        struct raw_location *location = &raw->locations.items[position];
        uint32_t group = fm_references_find(&raw->location_groups, location->group);
        if (group != FM_NONE && process_of_group[group] == FM_NONE) {
            process_of_group[group] = processes++;
        }
        if (location->rank == FM_NONE) {
            location->rank = rank;
        }
    }
    for (size_t i = 0; i < raw->locations.count; i++) {
        uint32_t group = fm_references_find(&raw->location_groups, raw->locations.items[i].group);
        if (group == FM_NONE) {
            group = (uint32_t)group_count;
        }
        if (process_of_group[group] == FM_NONE) {
            process_of_group[group] = processes++;
        }
        raw->locations.items[i].group = process_of_group[group];
    }

    fm_sort(raw->locations.items, raw->locations.count, sizeof *raw->locations.items,
            compare_locations);
    trace->process_count = processes;
    trace->processes = fm_allocate(processes, sizeof *trace->processes);
    for (size_t i = 0; i < group_count; i++) {
        if (process_of_group[i] != FM_NONE) {
            struct fm_process *process = &trace->processes[process_of_group[i]];
            process->name = fm_copy_string(string_of(raw, raw->location_groups_raw.items[i].name));
            uint32_t node = fm_references_find(&raw->nodes, raw->location_groups_raw.items[i].node);
            if (node != FM_NONE) {
                process->node = fm_copy_string(string_of(raw, raw->nodes_raw.items[node].name));
            }
        }
    }
    fm_free(process_of_group);

    trace->location_count = (uint32_t)raw->locations.count;
    trace->locations = fm_allocate(raw->locations.count, sizeof *trace->locations);
    trace->process_of = fm_allocate(raw->locations.count, sizeof *trace->process_of);
    for (uint32_t i = 0; i < trace->location_count; i++) {
        const struct raw_location *from = &raw->locations.items[i];
        struct fm_process *process = &trace->processes[from->group];
        if (process->location_count == 0) {
            process->first_location = i;
        }
        trace->process_of[i] = from->group;
        trace->locations[i] = (struct fm_location){
            .id = from->id,
            .name = fm_copy_string(string_of(raw, from->name)),
            .process = from->group,
            .thread = process->location_count++,
            .defined_events = from->events,
            .begin = UINT64_MAX,
            .truncated_at = FM_NONE,
        };
    }
    fm_map_clear(&raw->location_of_id);
    for (uint32_t i = 0; i < trace->location_count; i++) {
        *fm_map_at(&raw->location_of_id, trace->locations[i].id, 0) = i;
    }
}

/* The processes of a group; FM_NONE for processes that the archive does not define. */
static uint32_t *resolve_members(const struct raw_definitions *raw, const struct raw_group *group)
{
    const struct raw_group *ranks = communication_locations(raw, group->paradigm);
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

static void resolve_groups(struct raw_definitions *raw)
{
    struct fm_trace *trace = &raw->into->trace;
    trace->group_count = (uint32_t)raw->groups.count;
    trace->groups = fm_allocate(raw->groups.count, sizeof *trace->groups);
    for (size_t i = 0; i < raw->groups.count; i++) {
        const struct raw_group *group = &raw->groups.items[i];
        if (group->type == OTF2_GROUP_TYPE_COMM_GROUP ||
            group->type == OTF2_GROUP_TYPE_COMM_LOCATIONS) {
            trace->groups[i] = (struct fm_group){group->size, resolve_members(raw, group)};
        }
    }
}

static void resolve_communicator(struct raw_definitions *raw, const struct raw_communicator *from,
                                 struct fm_communicator *to)
{
    to->name = fm_copy_string(string_of(raw, from->name));
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

/* @return NULL also for the empty name */
static char *copy_name(const struct raw_definitions *raw, uint32_t string)
{
    const char *name = string_of(raw, string);
    return name == NULL || name[0] == '\0' ? NULL : fm_copy_string(name);
}

static void resolve_topologies(struct raw_definitions *raw)
{
    struct fm_trace *trace = &raw->into->trace;
    for (size_t i = 0; i < raw->topologies.count; i++) {
        const struct raw_topology *from = &raw->topologies.items[i];
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
            const struct raw_coordinate *coordinate = &raw->coordinates.items[c];
            if (coordinate->topology == from->reference && coordinate->rank < communicator->size &&
                coordinate->dimension_count == dimensions) {
                memcpy(&to->coordinates[(size_t)coordinate->rank * dimensions], coordinate->values,
                       dimensions * sizeof *to->coordinates);
            }
        }
        communicator->topology = to;
    }
}

/* Whether all regions have the paradigm of user code: some recorders state no other, and then MPI
 * functions are recognized by name. */
static bool all_are_user_code(const struct raw_definitions *raw)
{
    for (size_t i = 0; i < raw->regions.count; i++) {
        if (raw->regions.items[i].paradigm != OTF2_PARADIGM_USER) {
            return false;
        }
    }
    return true;
}

/* @return whether it has the form of a function of the MPI standard, such as "MPI_Recv" */
static bool looks_like_mpi(const char *name)
{
    return strncmp(name, "MPI_", 4) == 0 && isupper((unsigned char)name[4]) &&
           islower((unsigned char)name[5]);
}

static void resolve_lines(struct raw_definitions *raw)
{
    struct fm_trace *trace = &raw->into->trace;
    trace->line_count = (uint32_t)raw->lines.count;
    trace->lines = fm_allocate(trace->line_count, sizeof *trace->lines);
    for (uint32_t i = 0; i < trace->line_count; i++) {
        const char *file = string_of(raw, raw->lines.items[i].file);
        trace->lines[i] = (struct fm_source_line){fm_copy_string(file != NULL ? file : ""),
                                                  raw->lines.items[i].line};
    }
}

/* Parameters become regions, which are the last ones. */
static void resolve_parameters(struct raw_definitions *raw)
{
    struct fm_trace *trace = &raw->into->trace;
    uint32_t count = (uint32_t)raw->parameters.count;
    uint32_t first = trace->region_count - count;
    uint32_t *region = fm_allocate(count, sizeof *region);
    for (uint32_t i = 0; i < count; i++) {
        const char *name = string_of(raw, raw->parameters.items[i].name);
        region[i] = first + i;
        trace->regions[region[i]] =
            (struct fm_region){.name = fm_copy_string(name == NULL ? "unnamed parameter" : name),
                               .paradigm = FM_PARADIGM_USER,
                               .call = FM_CALL_USER,
                               .parameter = raw->parameters.items[i].type};
    }
    fm_references_redirect(&raw->into->parameters, region);
    fm_free(region);
}

static bool is_passive_target(fm_call_t call)
{
    return call >= FM_CALL_LOCK && call <= FM_CALL_FLUSH_LOCAL_ALL;
}

static void resolve_regions(struct raw_definitions *raw)
{
    struct fm_trace *trace = &raw->into->trace;
    bool by_name = all_are_user_code(raw);
    trace->region_count = (uint32_t)(raw->regions.count + 1 + raw->parameters.count);
    trace->regions = fm_allocate(trace->region_count, sizeof *trace->regions);
    raw->into->program_region = (uint32_t)raw->regions.count;
    raw->into->program_name.process = FM_NONE;
    trace->regions[raw->regions.count] = (struct fm_region){.name = fm_copy_string("program")};
    for (size_t i = 0; i < raw->regions.count; i++) {
        const struct raw_region *from = &raw->regions.items[i];
        const char *name = string_of(raw, from->name);
        name = name == NULL ? "unnamed region" : name;
        const char *file = string_of(raw, from->file);
        fm_paradigm_t paradigm = by_name && looks_like_mpi(name)
                                     ? FM_PARADIGM_MPI
                                     : fm_paradigm_classify(from->paradigm, name);
        trace->regions[i] = (struct fm_region){
            .name = fm_copy_string(name),
            .file = file == NULL || file[0] == '\0' ? NULL : fm_copy_string(file),
            .line = from->line,
            .paradigm = paradigm,
            .call = fm_call_classify(paradigm, name, from->role),
            .is_phase = from->is_phase,
        };
        trace->has_passive_target |=
            paradigm == FM_PARADIGM_MPI && is_passive_target(trace->regions[i].call);
    }
    resolve_parameters(raw);
    fm_regions_merge(raw->into);
}

static void resolve(struct raw_definitions *raw)
{
    struct fm_trace *trace = &raw->into->trace;
    resolve_regions(raw);
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
        trace->windows[i].name = fm_copy_string(string_of(raw, raw->windows.items[i].name));
        trace->windows[i].communicator =
            fm_references_find(&raw->into->communicators, raw->windows.items[i].communicator);
    }
    resolve_topologies(raw);
    fm_raw_counters_resolve(&raw->counters, raw->into);
}

static void free_raw(struct raw_definitions *raw)
{
    fm_raw_counters_free(&raw->counters);
    for (size_t i = 0; i < raw->groups.count; i++) {
        fm_free(raw->groups.items[i].members);
    }
    for (size_t i = 0; i < raw->topologies.count; i++) {
        fm_free(raw->topologies.items[i].dimensions);
    }
    fm_references_free(&raw->nodes);
    fm_references_free(&raw->location_groups);
    fm_references_free(&raw->dimensions);
    fm_vector_free(&raw->regions);
    fm_vector_free(&raw->parameters);
    fm_vector_free(&raw->lines);
    fm_vector_free(&raw->groups);
    fm_vector_free(&raw->communicators);
    fm_vector_free(&raw->windows);
    fm_vector_free(&raw->nodes_raw);
    fm_vector_free(&raw->location_groups_raw);
    fm_vector_free(&raw->locations);
    fm_vector_free(&raw->dimensions_raw);
    fm_vector_free(&raw->topologies);
    fm_vector_free(&raw->coordinates);
    fm_map_free(&raw->location_of_id);
}

static fm_status_t read_definitions(OTF2_Reader *reader, struct raw_definitions *raw,
                                    struct fm_error *error)
{
    const char *anchor = raw->into->trace.anchor;
    uint64_t expected = 0, read = 0;
    OTF2_Reader_SetSerialCollectiveCallbacks(reader);
    if (OTF2_Reader_GetNumberOfGlobalDefinitions(reader, &expected) != OTF2_SUCCESS) {
        return fm_fail(error, FM_ERR_DATA, "%s: damaged anchor file: %s", anchor,
                       fm_otf2_error_take());
    }
    OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(reader);
    if (definitions == NULL) {
        return fm_fail(error, FM_ERR_DATA, "%s: no readable definitions: %s", anchor,
                       fm_otf2_error_take());
    }
    OTF2_GlobalDefReaderCallbacks *callbacks = new_callbacks();
    OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks, raw);
    OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
    OTF2_ErrorCode code = OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &read);
    if (code != OTF2_SUCCESS || read != expected) {
        return fm_fail(error, FM_ERR_DATA, "%s: definitions end after %llu of %llu: %s", anchor,
                       (unsigned long long)read, (unsigned long long)expected,
                       fm_otf2_error_take());
    }
    if (raw->into->trace.ticks_per_second == 0) {
        return fm_fail(error, FM_ERR_DATA,
                       "%s: the definitions have no clock resolution; record "
                       "the program again",
                       anchor);
    }
    char *text = NULL;
    if (OTF2_Reader_GetCreator(reader, &text) == OTF2_SUCCESS && text != NULL) {
        raw->into->trace.creator = fm_copy_string(text);
        free(text);
    }
    text = NULL;
    if (OTF2_Reader_GetMachineName(reader, &text) == OTF2_SUCCESS && text != NULL) {
        raw->into->trace.machine = fm_copy_string(text);
        free(text);
    }
    return FM_OK;
}

fm_status_t fm_trace_open(const char *archive, struct fm_trace **trace, struct fm_error *error)
{
    char *anchor = NULL;
    fm_status_t status = fm_anchor_find(archive, &anchor, error);
    if (status != FM_OK) {
        return status;
    }
    struct fm_trace_private *made = fm_allocate(1, sizeof *made);
    made->trace.anchor = anchor;
    struct raw_definitions raw = {.into = made};
    OTF2_Reader *reader = NULL;
    status = fm_anchor_open(anchor, &reader, error);
    if (status == FM_OK) {
        status = read_definitions(reader, &raw, error);
        OTF2_Reader_Close(reader);
    }
    if (status == FM_OK) {
        resolve(&raw);
        *trace = &made->trace;
    } else {
        fm_trace_free(&made->trace);
    }
    free_raw(&raw);
    return status;
}
