/* SPDX-License-Identifier: BSD-3-Clause */
/* The definitions of a scenario's archive. */
#include "base/awaited_names.h"
#include "base/kernel_activity.h"
#include "base/stack_samples.h"
#include "scenario/archive_records.h"
#include "scenario/region_kind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MACHINE_NODE 0
#define FIRST_NODE   1

/* The windows and paradigms that are used, found by one pass over the events. */
struct usage {
    bool paradigms[256];
    bool *created;        /* per window: it has events of creation or destruction */
    bool *created_singly; /* per team: its threads are created one by one, thus POSIX threads */
    bool acquisitions;    /* releases of locks tell of the acquisition */
    bool persistent;      /* some persistent collective is completed */
    bool accesses;        /* to a file */
    bool activities[FM_KERNEL_ACTIVITY_COUNT];
    uint64_t last_time;
};

struct definitions {
    const struct fm_scenario *scenario;
    OTF2_GlobalDefWriter *writer;
    struct fm_key_table strings;
    struct usage usage;
    OTF2_Paradigm process_paradigm; /* of communicators, groups and windows */
    OTF2_ErrorCode code;            /* the first failure; nothing is written after it */
};

static void keep(struct definitions *definitions, OTF2_ErrorCode code)
{
    if (definitions->code == OTF2_SUCCESS) {
        definitions->code = code;
    }
}

/* A string is defined at its first use. */
static OTF2_StringRef string(struct definitions *definitions, const char *text)
{
    uint32_t known = definitions->strings.count;
    uint32_t index = fm_key_table_add(&definitions->strings, text, strlen(text));
    if (index == FM_KEY_NONE) {
        keep(definitions, OTF2_ERROR_MEM_ALLOC_FAILED);
    } else if (index == known) {
        keep(definitions, OTF2_GlobalDefWriter_WriteString(definitions->writer, index, text));
    }
    return index;
}

static OTF2_Paradigm team_paradigm(const struct usage *usage, uint32_t team)
{
    return usage->created_singly[team] ? OTF2_PARADIGM_PTHREAD : OTF2_PARADIGM_OPENMP;
}

static void use_event(struct usage *usage, const struct fm_scenario *scenario,
                      const struct fm_scenario_event *event)
{
    switch ((enum fm_scenario_kind)event->kind) {
    case FM_SCENARIO_WIN_CREATE:
    case FM_SCENARIO_WIN_DESTROY:
        usage->created[event->object] = true;
        break;
    case FM_SCENARIO_FORK:
    case FM_SCENARIO_JOIN:
        usage->paradigms[OTF2_PARADIGM_OPENMP] = true;
        break;
    case FM_SCENARIO_ACQUIRE_LOCK:
    case FM_SCENARIO_RELEASE_LOCK:
        usage->paradigms[fm_archive_thread_paradigm(
            event->region == FM_SCENARIO_NONE ? "" : scenario->regions.keys[event->region].bytes)] =
            true;
        usage->acquisitions = usage->acquisitions || event->detail != 0;
        break;
    case FM_SCENARIO_NB_COLL_COMPLETE:
        usage->persistent = usage->persistent || event->init != 0;
        break;
    case FM_SCENARIO_IO_READ:
    case FM_SCENARIO_IO_WRITE:
    case FM_SCENARIO_IO_COMPLETE:
        usage->accesses = true;
        break;
    case FM_SCENARIO_ACTIVITY:
        usage->activities[event->detail] = true;
        break;
    case FM_SCENARIO_THREAD_CREATE:
    case FM_SCENARIO_THREAD_BEGIN:
    case FM_SCENARIO_THREAD_WAIT:
    case FM_SCENARIO_THREAD_END:
        usage->created_singly[event->object] = true;
        break;
    default:
        break;
    }
}

static void find_usage(struct definitions *definitions)
{
    const struct fm_scenario *scenario = definitions->scenario;
    struct usage *usage = &definitions->usage;
    uint32_t locations = scenario->rank_count * scenario->thread_count;
    usage->created = calloc(scenario->window_names.count + 1u, sizeof *usage->created);
    usage->created_singly = calloc(scenario->team_names.count + 1u, sizeof *usage->created_singly);
    if (usage->created == NULL || usage->created_singly == NULL) {
        keep(definitions, OTF2_ERROR_MEM_ALLOC_FAILED);
        return;
    }
    for (uint32_t i = 0; i < scenario->regions.count; i++) {
        usage->paradigms[fm_region_kind(scenario->regions.keys[i].bytes).paradigm] = true;
    }
    for (uint32_t i = 0; i < locations; i++) {
        const struct fm_scenario_location *timeline = &scenario->locations[i];
        for (size_t j = 0; j < timeline->count; j++) {
            use_event(usage, scenario, &timeline->events[j]);
        }
        if (timeline->count > 0 && timeline->events[timeline->count - 1].time > usage->last_time) {
            usage->last_time = timeline->events[timeline->count - 1].time;
        }
    }
    for (uint32_t team = 0; team < scenario->team_names.count; team++) {
        usage->paradigms[team_paradigm(usage, team)] = true;
    }
    bool shmem_alone =
        usage->paradigms[OTF2_PARADIGM_SHMEM] && !usage->paradigms[OTF2_PARADIGM_MPI];
    definitions->process_paradigm = shmem_alone ? OTF2_PARADIGM_SHMEM : OTF2_PARADIGM_MPI;
    usage->paradigms[definitions->process_paradigm] = true;
}

static void write_paradigm(struct definitions *definitions, OTF2_Paradigm paradigm,
                           const char *name, OTF2_ParadigmClass class)
{
    if (definitions->usage.paradigms[paradigm]) {
        keep(definitions, OTF2_GlobalDefWriter_WriteParadigm(definitions->writer, paradigm,
                                                             string(definitions, name), class));
    }
}

static void write_paradigm_property(struct definitions *definitions, OTF2_Paradigm paradigm,
                                    OTF2_ParadigmProperty property, OTF2_Type type,
                                    OTF2_AttributeValue value)
{
    if (definitions->usage.paradigms[paradigm]) {
        keep(definitions, OTF2_GlobalDefWriter_WriteParadigmProperty(definitions->writer, paradigm,
                                                                     property, type, value));
    }
}

static void write_paradigms(struct definitions *definitions)
{
    OTF2_AttributeValue value = {.stringRef = string(definitions, "Comm ${id}")};
    write_paradigm(definitions, OTF2_PARADIGM_MPI, "MPI", OTF2_PARADIGM_CLASS_PROCESS);
    write_paradigm_property(definitions, OTF2_PARADIGM_MPI,
                            OTF2_PARADIGM_PROPERTY_COMM_NAME_TEMPLATE, OTF2_TYPE_STRING, value);
    value.stringRef = string(definitions, "Win ${id}");
    write_paradigm_property(definitions, OTF2_PARADIGM_MPI,
                            OTF2_PARADIGM_PROPERTY_RMA_WIN_NAME_TEMPLATE, OTF2_TYPE_STRING, value);
    write_paradigm(definitions, OTF2_PARADIGM_SHMEM, "SHMEM", OTF2_PARADIGM_CLASS_PROCESS);
    value = (OTF2_AttributeValue){.uint8 = OTF2_TRUE};
    write_paradigm_property(definitions, OTF2_PARADIGM_SHMEM, OTF2_PARADIGM_PROPERTY_RMA_ONLY,
                            OTF2_TYPE_UINT8, value);
    write_paradigm(definitions, OTF2_PARADIGM_OPENMP, "OpenMP",
                   OTF2_PARADIGM_CLASS_THREAD_FORK_JOIN);
    write_paradigm(definitions, OTF2_PARADIGM_PTHREAD, "POSIX threads",
                   OTF2_PARADIGM_CLASS_THREAD_CREATE_WAIT);
}

static bool has_accelerator(const struct fm_scenario *scenario, uint32_t rank)
{
    for (uint32_t thread = 0; thread < scenario->thread_count; thread++) {
        if (scenario->locations[rank * scenario->thread_count + thread].is_stream) {
            return true;
        }
    }
    return false;
}

/* The location groups: the processes, then the accelerators of those that have one. */
static void write_location_groups(struct definitions *definitions)
{
    const struct fm_scenario *scenario = definitions->scenario;
    char name[32];
    for (uint32_t rank = 0; rank < scenario->rank_count; rank++) {
        snprintf(name, sizeof name, "MPI Rank %u", rank);
        keep(definitions,
             OTF2_GlobalDefWriter_WriteLocationGroup(
                 definitions->writer, rank, string(definitions, name),
                 OTF2_LOCATION_GROUP_TYPE_PROCESS, FIRST_NODE + scenario->node_of_rank[rank],
                 OTF2_UNDEFINED_LOCATION_GROUP));
    }
    OTF2_LocationGroupRef accelerator = scenario->rank_count;
    for (uint32_t rank = 0; rank < scenario->rank_count; rank++) {
        if (has_accelerator(scenario, rank)) {
            snprintf(name, sizeof name, "CUDA device of rank %u", rank);
            keep(definitions, OTF2_GlobalDefWriter_WriteLocationGroup(
                                  definitions->writer, accelerator++, string(definitions, name),
                                  OTF2_LOCATION_GROUP_TYPE_ACCELERATOR,
                                  FIRST_NODE + scenario->node_of_rank[rank], rank));
        }
    }
}

static void write_locations(struct definitions *definitions)
{
    const struct fm_scenario *scenario = definitions->scenario;
    OTF2_LocationGroupRef accelerator = scenario->rank_count;
    char name[32];
    for (uint32_t rank = 0; rank < scenario->rank_count; rank++) {
        for (uint32_t thread = 0; thread < scenario->thread_count; thread++) {
            uint32_t location = rank * scenario->thread_count + thread;
            const struct fm_scenario_location *timeline = &scenario->locations[location];
            if (timeline->is_absent) {
                continue;
            }
            snprintf(name, sizeof name,
                     thread == 0           ? "Master thread"
                     : timeline->is_stream ? "CUDA stream %u"
                                           : "Thread %u",
                     thread);
            keep(definitions,
                 OTF2_GlobalDefWriter_WriteLocation(
                     definitions->writer, fm_archive_location_id(scenario, location),
                     string(definitions, timeline->name != NULL ? timeline->name : name),
                     timeline->is_stream ? OTF2_LOCATION_TYPE_ACCELERATOR_STREAM
                                         : OTF2_LOCATION_TYPE_CPU_THREAD,
                     timeline->count, timeline->is_stream ? accelerator : rank));
        }
        accelerator += has_accelerator(scenario, rank);
    }
}

static void write_system(struct definitions *definitions)
{
    const struct fm_scenario *scenario = definitions->scenario;
    OTF2_GlobalDefWriter *writer = definitions->writer;
    /* Compilers differ in the order in which they evaluate arguments: here each adds one string. */
    OTF2_StringRef machine = string(definitions, "machine");
    keep(definitions, OTF2_GlobalDefWriter_WriteSystemTreeNode(
                          writer, MACHINE_NODE, string(definitions, scenario->machine), machine,
                          OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    keep(definitions, OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(
                          writer, MACHINE_NODE, OTF2_SYSTEM_TREE_DOMAIN_MACHINE));
    for (uint32_t node = 0; node < scenario->nodes.count; node++) {
        OTF2_StringRef class = string(definitions, "node");
        keep(definitions,
             OTF2_GlobalDefWriter_WriteSystemTreeNode(
                 writer, FIRST_NODE + node, string(definitions, scenario->nodes.keys[node].bytes),
                 class, MACHINE_NODE));
        keep(definitions, OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(
                              writer, FIRST_NODE + node, OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY));
    }
    write_location_groups(definitions);
    write_locations(definitions);
}

static void write_regions(struct definitions *definitions)
{
    const struct fm_scenario *scenario = definitions->scenario;
    OTF2_StringRef empty = string(definitions, "");
    for (uint32_t i = 0; i < scenario->regions.count; i++) {
        const char *text = scenario->regions.keys[i].bytes;
        struct fm_region_kind kind = fm_region_kind(text);
        OTF2_StringRef name = string(definitions, text);
        bool is_phase = fm_key_table_find(&scenario->phases, text,
                                          scenario->regions.keys[i].length) != FM_KEY_NONE;
        keep(definitions, OTF2_GlobalDefWriter_WriteRegion(
                              definitions->writer, i, name, name, empty, kind.role, kind.paradigm,
                              is_phase ? OTF2_REGION_FLAG_PHASE : OTF2_REGION_FLAG_NONE,
                              OTF2_UNDEFINED_STRING, 0, 0));
    }
}

/* The texts that parameters get are the first strings: their indices are their references. */
static void write_texts(struct definitions *definitions)
{
    for (uint32_t i = 0; i < definitions->scenario->texts.count; i++) {
        string(definitions, definitions->scenario->texts.keys[i].bytes);
    }
}

static void write_parameters(struct definitions *definitions)
{
    const struct fm_scenario *scenario = definitions->scenario;
    for (uint32_t i = 0; i < scenario->parameters.count; i++) {
        const char *key = scenario->parameters.keys[i].bytes;
        OTF2_ParameterType type = key[0] == FM_SCENARIO_PARAMETER_TEXT ? OTF2_PARAMETER_TYPE_STRING
                                  : key[0] == FM_SCENARIO_PARAMETER_UNSIGNED
                                      ? OTF2_PARAMETER_TYPE_UINT64
                                      : OTF2_PARAMETER_TYPE_INT64;
        keep(definitions, OTF2_GlobalDefWriter_WriteParameter(definitions->writer, i,
                                                              string(definitions, key + 1), type));
    }
}

/* A counter that is a metric of its own, with the same number. */
static void write_counter(struct definitions *definitions, OTF2_MetricMemberRef number,
                          const char *name, const char *unit, OTF2_MetricMode mode, OTF2_Type type,
                          OTF2_RecorderKind recorder)
{
    const OTF2_StringRef named = string(definitions, name);
    const OTF2_StringRef description = string(definitions, "");
    keep(definitions, OTF2_GlobalDefWriter_WriteMetricMember(
                          definitions->writer, number, named, description, OTF2_METRIC_TYPE_OTHER,
                          mode, type, OTF2_BASE_DECIMAL, 0, string(definitions, unit)));
    keep(definitions, OTF2_GlobalDefWriter_WriteMetricClass(definitions->writer, number, 1, &number,
                                                            OTF2_METRIC_SYNCHRONOUS, recorder));
}

static void write_counters(struct definitions *definitions)
{
    static const struct {
        const char *name, *unit;
    } activities[] = {
#define FM_KERNEL_ACTIVITY(symbol, name, unit, whole) {name, unit},
        FM_KERNEL_ACTIVITIES(FM_KERNEL_ACTIVITY)
#undef FM_KERNEL_ACTIVITY
    };
    if (definitions->scenario->has_samples) {
        write_counter(definitions, FM_ARCHIVE_SAMPLES, FM_STACK_SAMPLES, "#",
                      OTF2_METRIC_RELATIVE_POINT, OTF2_TYPE_UINT64, OTF2_RECORDER_KIND_CPU);
    }
    for (OTF2_MetricMemberRef i = 0; i < FM_KERNEL_ACTIVITY_COUNT; i++) {
        if (definitions->usage.activities[i]) {
            write_counter(definitions, FM_ARCHIVE_ACTIVITY(definitions->scenario, i),
                          activities[i].name, activities[i].unit, OTF2_METRIC_ABSOLUTE_NEXT,
                          OTF2_TYPE_DOUBLE, OTF2_RECORDER_KIND_GPU);
        }
    }
}

static void write_group_of(struct definitions *definitions, OTF2_Paradigm paradigm,
                           OTF2_GroupRef id, OTF2_GroupType type, uint32_t count,
                           const uint64_t *members)
{
    keep(definitions,
         OTF2_GlobalDefWriter_WriteGroup(definitions->writer, id, string(definitions, ""), type,
                                         paradigm, OTF2_GROUP_FLAG_NONE, count, members));
}

static void write_group(struct definitions *definitions, OTF2_GroupRef id, OTF2_GroupType type,
                        uint32_t count, const uint64_t *members)
{
    write_group_of(definitions, definitions->process_paradigm, id, type, count, members);
}

/* Members of a COMM_GROUP are indices into the COMM_LOCATIONS group, which are world ranks here. */
static void write_groups(struct definitions *definitions)
{
    const struct fm_scenario *scenario = definitions->scenario;
    uint64_t *members = malloc(scenario->rank_count * sizeof *members);
    if (members == NULL) {
        keep(definitions, OTF2_ERROR_MEM_ALLOC_FAILED);
        return;
    }
    for (uint32_t rank = 0; rank < scenario->rank_count; rank++) {
        members[rank] = rank;
    }
    /* The id of a rank's master thread is the rank itself. */
    write_group(definitions, FM_ARCHIVE_LOCATIONS_GROUP, OTF2_GROUP_TYPE_COMM_LOCATIONS,
                scenario->rank_count, members);
    write_group(definitions, FM_ARCHIVE_SELF_GROUP, OTF2_GROUP_TYPE_COMM_SELF, 0, NULL);
    write_group(definitions, FM_ARCHIVE_WORLD_GROUP, OTF2_GROUP_TYPE_COMM_GROUP,
                scenario->rank_count, members);
    for (uint32_t comm = 2; comm < scenario->comm_names.count; comm++) {
        const struct fm_scenario_comm *group = &scenario->comms[comm];
        for (uint32_t i = 0; i < group->size; i++) {
            members[i] = group->ranks[i];
        }
        write_group(definitions, FM_ARCHIVE_COMM_GROUP(comm), OTF2_GROUP_TYPE_COMM_GROUP,
                    group->first_size, members);
    }
    for (uint32_t i = 0; i < scenario->groups.count; i++) {
        const struct fm_key *group = &scenario->groups.keys[i];
        const uint32_t *ranks = (const uint32_t *)group->bytes;
        uint32_t count = (uint32_t)(group->length / sizeof *ranks);
        for (uint32_t j = 0; j < count; j++) {
            members[j] = ranks[j];
        }
        write_group(definitions, FM_ARCHIVE_FIRST_SYNC_GROUP(scenario) + i,
                    OTF2_GROUP_TYPE_COMM_GROUP, count, members);
    }
    for (uint32_t comm = 2; comm < scenario->comm_names.count; comm++) {
        const struct fm_scenario_comm *group = &scenario->comms[comm];
        for (uint32_t i = group->first_size; i < group->size; i++) {
            members[i - group->first_size] = group->ranks[i];
        }
        if (group->first_size != group->size) {
            write_group(definitions, FM_ARCHIVE_SECOND_GROUP(scenario, comm),
                        OTF2_GROUP_TYPE_COMM_GROUP, group->size - group->first_size, members);
        }
    }
    free(members);
}

static void write_comms_and_windows(struct definitions *definitions)
{
    const struct fm_scenario *scenario = definitions->scenario;
    for (uint32_t comm = 0; comm < scenario->comm_names.count; comm++) {
        const char *name = scenario->comm_names.keys[comm].bytes;
        OTF2_GroupRef group = comm == 0   ? FM_ARCHIVE_WORLD_GROUP
                              : comm == 1 ? FM_ARCHIVE_SELF_GROUP
                                          : FM_ARCHIVE_COMM_GROUP(comm);
        if (comm < 2 && definitions->process_paradigm == OTF2_PARADIGM_MPI) {
            name = comm == 0 ? "MPI_COMM_WORLD" : "MPI_COMM_SELF";
        }
        const struct fm_scenario_comm *members = &scenario->comms[comm];
        if (members->first_size != members->size) {
            keep(definitions, OTF2_GlobalDefWriter_WriteInterComm(
                                  definitions->writer, comm, string(definitions, name), group,
                                  FM_ARCHIVE_SECOND_GROUP(scenario, comm), OTF2_UNDEFINED_COMM,
                                  OTF2_COMM_FLAG_NONE));
            continue;
        }
        keep(definitions, OTF2_GlobalDefWriter_WriteComm(
                              definitions->writer, comm, string(definitions, name), group,
                              comm < 2 ? OTF2_UNDEFINED_COMM : 0, OTF2_COMM_FLAG_NONE));
    }
    for (uint32_t window = 0; window < scenario->window_names.count; window++) {
        const char *name = scenario->window_names.keys[window].bytes;
        OTF2_RmaWinFlag flags = definitions->usage.created[window]
                                    ? OTF2_RMA_WIN_FLAG_CREATE_DESTROY_EVENTS
                                    : OTF2_RMA_WIN_FLAG_NONE;
        keep(definitions, OTF2_GlobalDefWriter_WriteRmaWin(definitions->writer, window,
                                                           string(definitions, name),
                                                           scenario->windows[window].comm, flags));
    }
}

/* A team is a COMM_GROUP of its model's COMM_LOCATIONS, which are all locations here: members are
 * indices of locations. */
static void write_teams(struct definitions *definitions)
{
    const struct fm_scenario *scenario = definitions->scenario;
    const OTF2_Paradigm paradigms[] = {OTF2_PARADIGM_OPENMP, OTF2_PARADIGM_PTHREAD};
    const uint32_t locations = scenario->rank_count * scenario->thread_count;
    uint64_t *members = malloc(locations * sizeof *members);
    if (members == NULL) {
        keep(definitions, OTF2_ERROR_MEM_ALLOC_FAILED);
        return;
    }
    for (uint32_t i = 0; i < locations; i++) {
        members[i] = fm_archive_location_id(scenario, i);
    }
    OTF2_GroupRef id = FM_ARCHIVE_FIRST_THREAD_GROUP(scenario);
    for (uint32_t i = 0; i < 2; i++) {
        bool used = false;
        for (uint32_t team = 0; team < scenario->team_names.count; team++) {
            used = used || team_paradigm(&definitions->usage, team) == paradigms[i];
        }
        if (used) {
            write_group_of(definitions, paradigms[i], id++, OTF2_GROUP_TYPE_COMM_LOCATIONS,
                           locations, members);
        }
    }
    for (uint32_t team = 0; team < scenario->team_names.count; team++) {
        const struct fm_scenario_team *group = &scenario->teams[team];
        for (uint32_t i = 0; i < group->size; i++) {
            members[i] = group->locations[i];
        }
        write_group_of(definitions, team_paradigm(&definitions->usage, team), id,
                       OTF2_GROUP_TYPE_COMM_GROUP, group->size, members);
        keep(definitions, OTF2_GlobalDefWriter_WriteComm(
                              definitions->writer, FM_ARCHIVE_TEAM(scenario, team),
                              string(definitions, scenario->team_names.keys[team].bytes), id++,
                              OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
    }
    free(members);
}

static void write_worlds(struct definitions *definitions)
{
    const struct fm_scenario *scenario = definitions->scenario;
    for (uint32_t rank = 0; scenario->has_worlds && rank < scenario->rank_count; rank++) {
        OTF2_AttributeValue value = {.uint32 = scenario->world_of_rank[rank]};
        keep(definitions, OTF2_GlobalDefWriter_WriteLocationGroupProperty(
                              definitions->writer, rank, string(definitions, "fermata::world"),
                              OTF2_TYPE_UINT32, value));
    }
}

static void write_location_property(struct definitions *definitions, uint32_t location,
                                    const char *name, uint64_t number)
{
    const OTF2_AttributeValue value = {.uint64 = number};
    const OTF2_StringRef text = string(definitions, name);
    keep(definitions,
         OTF2_GlobalDefWriter_WriteLocationProperty(
             definitions->writer, fm_archive_location_id(definitions->scenario, location), text,
             OTF2_TYPE_UINT64, value));
}

/* How long each process lived, on all of its locations. */
static void write_ends(struct definitions *definitions)
{
    const struct fm_scenario *scenario = definitions->scenario;
    for (uint32_t l = 0; l < scenario->rank_count * scenario->thread_count; l++) {
        const struct fm_scenario_process *process =
            &scenario->processes[l / scenario->thread_count];
        if (process->heartbeat != FM_SCENARIO_NO_TIME) {
            write_location_property(definitions, l, FM_PROPERTY_HEARTBEAT, process->heartbeat);
        }
        if (scenario->job_end != FM_SCENARIO_NO_TIME) {
            write_location_property(definitions, l, FM_PROPERTY_JOB_END, scenario->job_end);
        }
        if (process->has_ended) {
            write_location_property(definitions, l, FM_PROPERTY_ENDED, 1);
        }
        if (process->thread_level != 0) {
            write_location_property(definitions, l, FM_PROPERTY_THREAD_LEVEL,
                                    process->thread_level - 1u);
        }
    }
}

static void write_object_names(struct definitions *definitions)
{
    const struct fm_scenario *scenario = definitions->scenario;
    for (size_t i = 0; i < scenario->object_name_count; i++) {
        const struct fm_scenario_object_name *object = &scenario->object_names[i];
        char key[64];
        snprintf(key, sizeof key, "fermata::object::%llu", (unsigned long long)object->object);
        OTF2_StringRef name = string(definitions, key);
        OTF2_AttributeValue value = {.stringRef = string(definitions, object->name)};
        keep(definitions, OTF2_GlobalDefWriter_WriteLocationGroupProperty(
                              definitions->writer, object->rank, name, OTF2_TYPE_STRING, value));
    }
}

/* Attributes are numbered from 0 on without gaps, so those before a used one are defined, too. */
static void write_attributes(struct definitions *definitions)
{
    if (definitions->usage.acquisitions || definitions->usage.persistent) {
        OTF2_StringRef name = string(definitions, "ACQUIRED_AT");
        keep(definitions,
             OTF2_GlobalDefWriter_WriteAttribute(
                 definitions->writer, FM_ARCHIVE_ACQUIRED_AT, name,
                 string(definitions, "when the released lock was acquired"), OTF2_TYPE_UINT64));
        name = string(definitions, "ACQUIRED_IN");
        keep(definitions, OTF2_GlobalDefWriter_WriteAttribute(
                              definitions->writer, FM_ARCHIVE_ACQUIRED_IN, name,
                              string(definitions, "function that acquired the released lock"),
                              OTF2_TYPE_REGION));
        name = string(definitions, "ACQUIRED_SHARED");
        keep(definitions,
             OTF2_GlobalDefWriter_WriteAttribute(
                 definitions->writer, FM_ARCHIVE_ACQUIRED_SHARED, name,
                 string(definitions, "1: the released lock was acquired shared"), OTF2_TYPE_UINT8));
    }
    if (definitions->usage.persistent) {
        OTF2_StringRef name = string(definitions, "PERSISTENT_COLLECTIVE");
        keep(definitions,
             OTF2_GlobalDefWriter_WriteAttribute(
                 definitions->writer, FM_ARCHIVE_PERSISTENT, name,
                 string(definitions, "number of the persistent collective"), OTF2_TYPE_UINT32));
        name = string(definitions, "PERSISTENT_INIT");
        keep(definitions,
             OTF2_GlobalDefWriter_WriteAttribute(
                 definitions->writer, FM_ARCHIVE_PERSISTENT_INIT, name,
                 string(definitions, "function that initialized it"), OTF2_TYPE_REGION));
    }
}

/* All accesses are to one file, and have the I/O handle 0. */
static void write_file(struct definitions *definitions)
{
    if (definitions->usage.accesses) {
        OTF2_GlobalDefWriter *writer = definitions->writer;
        const OTF2_StringRef name = string(definitions, "file");
        const OTF2_StringRef identification = string(definitions, "MPI-IO");
        keep(definitions,
             OTF2_GlobalDefWriter_WriteIoParadigm(
                 writer, 0, identification, string(definitions, "MPI I/O"),
                 OTF2_IO_PARADIGM_CLASS_PARALLEL, OTF2_IO_PARADIGM_FLAG_NONE, 0, NULL, NULL, NULL));
        keep(definitions, OTF2_GlobalDefWriter_WriteIoRegularFile(writer, 0, name, MACHINE_NODE));
        keep(definitions,
             OTF2_GlobalDefWriter_WriteIoHandle(writer, 0, name, 0, 0, OTF2_IO_HANDLE_FLAG_NONE, 0,
                                                OTF2_UNDEFINED_IO_HANDLE));
    }
}

OTF2_ErrorCode fm_archive_write_definitions(const struct fm_scenario *scenario,
                                            OTF2_GlobalDefWriter *writer)
{
    struct definitions definitions = {.scenario = scenario, .writer = writer, .code = OTF2_SUCCESS};
    find_usage(&definitions);
    if (definitions.code == OTF2_SUCCESS) {
        keep(&definitions,
             OTF2_GlobalDefWriter_WriteClockProperties(writer, scenario->ticks_per_second, 0,
                                                       definitions.usage.last_time, 0));
        write_texts(&definitions);
        write_paradigms(&definitions);
        write_system(&definitions);
        write_regions(&definitions);
        write_parameters(&definitions);
        write_counters(&definitions);
        write_groups(&definitions);
        write_comms_and_windows(&definitions);
        write_teams(&definitions);
        write_worlds(&definitions);
        write_ends(&definitions);
        write_object_names(&definitions);
        write_attributes(&definitions);
        write_file(&definitions);
    }
    free(definitions.usage.created);
    free(definitions.usage.created_singly);
    fm_key_table_clear(&definitions.strings);
    return definitions.code;
}
