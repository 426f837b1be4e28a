/* SPDX-License-Identifier: BSD-3-Clause */
/* The global definitions, written by rank 0 from the merged set. */
#include "base/awaited_names.h"
#include "record/archive/archive.h"
#include "record/archive/marker.h"
#include "record/archive/streams.h"
#include "record/archive/thread_groups.h"

#include <stdio.h>
#include <stdlib.h>

struct output {
    OTF2_GlobalDefWriter *writer;
    struct fm_definitions *set;
    struct fm_thread_groups threads;
};

/* Words of every definition of one kind, in order. */
#define FOR_EACH(o, kind, number, words, count)                                                    \
    for (uint32_t number = 0, *words = NULL;                                                       \
         number < (o)->set->tables[kind].count &&                                                  \
         (words = fm_defined((o)->set, kind, number, &(count))) != NULL;                           \
         number++)

static const struct fm_paradigm_description *paradigm_of(const struct fm_definitions *set,
                                                         uint32_t number)
{
    return (const void *)fm_defined(set, FM_DEFINE_PARADIGM, number, NULL);
}

static bool has_communicator(const struct fm_definitions *set, uint32_t paradigm)
{
    for (uint32_t i = 0; i < set->tables[FM_DEFINE_COMM].count; i++) {
        if (fm_defined(set, FM_DEFINE_COMM, i, NULL)[FM_COMM_PARADIGM] == paradigm) {
            return true;
        }
    }
    return false;
}

static bool has_communicators_of_processes(const struct fm_definitions *set)
{
    for (uint32_t i = 0; i < set->tables[FM_DEFINE_COMM].count; i++) {
        uint32_t origin = fm_defined(set, FM_DEFINE_COMM, i, NULL)[FM_COMM_ORIGIN];
        if (origin != FM_COMM_THREADS && origin != FM_COMM_TEAM) {
            return true;
        }
    }
    return false;
}

static bool has_regions(const struct fm_definitions *set, uint32_t paradigm)
{
    for (uint32_t i = 0; i < set->tables[FM_DEFINE_REGION].count; i++) {
        if (fm_defined(set, FM_DEFINE_REGION, i, NULL)[2] == paradigm) {
            return true;
        }
    }
    return false;
}

/* Whether a paradigm belongs in the archive. One without ranks does if something of it was
 * recorded: the C library's threads are there in every process. One with ranks does if it has
 * begun: every such paradigm defines a communicator of all processes then. It has not if it is only
 * what another one's library is based on (OpenSHMEM over MPI). */
static bool is_used(const struct fm_definitions *set, uint32_t number)
{
    const struct fm_paradigm_description *paradigm = paradigm_of(set, number);
    if (!fm_paradigm_has_ranks(paradigm)) {
        return has_regions(set, paradigm->otf2);
    }
    return has_communicator(set, paradigm->otf2) || !has_communicators_of_processes(set);
}

static bool has_groups(const struct fm_definitions *set, uint32_t number)
{
    return fm_paradigm_has_ranks(paradigm_of(set, number)) && is_used(set, number);
}

/* Whether the members of a paradigm's groups are locations: it has teams of threads. */
static bool has_teams(const struct fm_definitions *set, uint32_t number)
{
    for (uint32_t i = 0; i < set->tables[FM_DEFINE_COMM].count; i++) {
        const uint32_t *words = fm_defined(set, FM_DEFINE_COMM, i, NULL);
        if (words[FM_COMM_ORIGIN] == FM_COMM_TEAM &&
            words[FM_COMM_PARADIGM] == paradigm_of(set, number)->otf2) {
            return true;
        }
    }
    return false;
}

/* The paradigm that numbers the processes; NULL: the run has one process without a number. */
static const struct fm_paradigm_description *leading_paradigm(const struct fm_definitions *set)
{
    for (uint32_t i = 0; i < set->tables[FM_DEFINE_PARADIGM].count; i++) {
        if (has_groups(set, i)) {
            return paradigm_of(set, i);
        }
    }
    return NULL;
}

/* Number of a paradigm's group of all locations; with ranks, that of its group of one process
 * follows. These groups of all paradigms stand in front of the defined ones.
 * @param paradigm  OTF2_Paradigm; one without groups: the result is the first defined group */
static uint32_t locations_of(const struct fm_definitions *set, uint32_t paradigm)
{
    uint32_t before = 0;
    for (uint32_t i = 0; i < set->tables[FM_DEFINE_PARADIGM].count; i++) {
        uint32_t own = has_groups(set, i) ? 2 : has_teams(set, i) ? 1 : 0;
        if (own != 0 && paradigm_of(set, i)->otf2 == paradigm) {
            break;
        }
        before += own;
    }
    return before;
}

uint32_t fm_archive_first_group(const struct fm_definitions *set)
{
    return locations_of(set, FM_DEFINE_NONE);
}

static uint32_t group_of(const struct fm_definitions *set, const uint32_t *comm, uint32_t group)
{
    return group == FM_DEFINE_NONE ? locations_of(set, comm[FM_COMM_PARADIGM]) + 1
                                   : group + fm_archive_first_group(set);
}

const char *fm_archive_last_call(const struct fm_definitions *set)
{
    const struct fm_paradigm_description *paradigm = leading_paradigm(set);
    if (paradigm == NULL && set->tables[FM_DEFINE_PARADIGM].count != 0) {
        paradigm = paradigm_of(set, 0);
    }
    return paradigm != NULL && paradigm->last_call[0] != '\0' ? paradigm->last_call : NULL;
}

const struct fm_process_noun *fm_archive_process_noun(const struct fm_definitions *set)
{
    const struct fm_paradigm_description *only = NULL;
    for (uint32_t i = 0; i < set->tables[FM_DEFINE_PARADIGM].count; i++) {
        if (has_groups(set, i)) {
            if (only != NULL) {
                return fm_process_noun(FM_NOUN_RANK);
            }
            only = paradigm_of(set, i);
        }
    }
    return fm_process_noun_in(only != NULL ? only->process : "");
}

/* Identification and name of MPI's I/O, as other recorders write them. */
#define IO_IDENTIFICATION "MPI-IO"
#define IO_NAME           "MPI I/O"

enum { NAME_BYTES = FM_PARADIGM_TEXT + 40 };

/* The property of a process that states the number of its world, in runs with several ones. */
#define WORLD_PROPERTY "fermata::world"

/* Properties of the locations of processes without a regular end. */
enum { LIFE_THREAD_LEVEL = 3, LIFE_PROPERTIES };
static const char *const life_properties[LIFE_PROPERTIES] = {
    FM_PROPERTY_HEARTBEAT, FM_PROPERTY_JOB_END,
    FM_PROPERTY_ENDED, [LIFE_THREAD_LEVEL] = FM_PROPERTY_THREAD_LEVEL};

/* The key of the property that names an object. */
static void name_object(const uint32_t *object, char *name)
{
    snprintf(name, NAME_BYTES, "fermata::object::%u", object[1]);
}

/* The definition of the world that a process belongs to; NULL: the run has one world. */
static const uint32_t *world_of(const struct fm_definitions *set, uint32_t rank)
{
    for (uint32_t i = 0; i < set->tables[FM_DEFINE_WORLD].count; i++) {
        const uint32_t *world = fm_defined(set, FM_DEFINE_WORLD, i, NULL);
        if (rank >= world[FM_WORLD_FIRST] && rank - world[FM_WORLD_FIRST] < world[FM_WORLD_SIZE]) {
            return world;
        }
    }
    return NULL;
}

static void name_process(const struct output *o, uint32_t rank, char *name)
{
    const struct fm_paradigm_description *leading = leading_paradigm(o->set);
    const uint32_t *world = world_of(o->set, rank);
    const char *process = leading != NULL ? leading->process : "Process";
    uint32_t first = leading != NULL ? leading->first_process : 0;
    if (world == NULL) {
        snprintf(name, NAME_BYTES, "%s %u", process, rank + first);
    } else {
        snprintf(name, NAME_BYTES, "World %u, %s %u", world[FM_WORLD_NUMBER], process,
                 rank - world[FM_WORLD_FIRST] + first);
    }
}

static void add_paradigm_strings(const struct output *o)
{
    for (uint32_t i = 0; i < o->set->tables[FM_DEFINE_PARADIGM].count; i++) {
        const struct fm_paradigm_description *paradigm = paradigm_of(o->set, i);
        const char *const texts[] = {paradigm->name, paradigm->communicator, paradigm->window};
        for (size_t text = 0; text < sizeof texts / sizeof texts[0]; text++) {
            if (texts[text][0] != '\0') {
                fm_define_string(o->set, texts[text]);
            }
        }
    }
}

/* Adds the strings that the definitions below use, so that all strings are written first: readers
 * resolve a reference when they read it. */
static void add_strings(const struct output *o)
{
    static const char *const texts[] = {"machine", "node", "Master thread", "Linux"};
    static const char *const of_files[] = {IO_IDENTIFICATION, IO_NAME};
    char name[NAME_BYTES];
    size_t count;
    uint32_t threads = 1;
    fm_define_string(o->set, "");
    add_paradigm_strings(o);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        fm_define_string(o->set, texts[i]);
    }
    for (size_t i = 0; o->set->tables[FM_DEFINE_IO_HANDLE].count != 0 && i < 2; i++) {
        fm_define_string(o->set, of_files[i]);
    }
    if (o->set->tables[FM_DEFINE_WORLD].count != 0) {
        fm_define_string(o->set, WORLD_PROPERTY);
    }
    for (size_t i = 0; o->set->tables[FM_DEFINE_LIFE].count != 0 && i < LIFE_PROPERTIES; i++) {
        fm_define_string(o->set, life_properties[i]);
    }
    FOR_EACH(o, FM_DEFINE_PROCESS, i, words, count)
    {
        threads = words[3] > threads ? words[3] : threads;
        name_process(o, words[0], name);
        fm_define_string(o->set, name);
    }
    for (uint32_t t = 1; t < threads; t++) {
        snprintf(name, sizeof name, "Thread %u", t);
        fm_define_string(o->set, name);
    }
    FOR_EACH(o, FM_DEFINE_OBJECT, i, words, count)
    {
        name_object(words, name);
        fm_define_string(o->set, name);
    }
}

static void write_strings(const struct output *o)
{
    size_t count;
    FOR_EACH(o, FM_DEFINE_STRING, i, words, count)
    {
        fm_archive_check(OTF2_GlobalDefWriter_WriteString(o->writer, i, (const char *)(words + 1)));
    }
}

/* Writes the name template for a paradigm's communicators or windows without a name, if any. */
static void write_name_template(const struct output *o, OTF2_Paradigm paradigm,
                                OTF2_ParadigmProperty property, const char *text)
{
    if (text[0] != '\0') {
        OTF2_AttributeValue value = {.stringRef = fm_define_string(o->set, text)};
        fm_archive_check(OTF2_GlobalDefWriter_WriteParadigmProperty(o->writer, paradigm, property,
                                                                    OTF2_TYPE_STRING, value));
    }
}

static void write_paradigms(const struct output *o)
{
    for (uint32_t i = 0; i < o->set->tables[FM_DEFINE_PARADIGM].count; i++) {
        const struct fm_paradigm_description *paradigm = paradigm_of(o->set, i);
        OTF2_Paradigm otf2 = (OTF2_Paradigm)paradigm->otf2;
        if (otf2 == OTF2_PARADIGM_USER || !is_used(o->set, i)) {
            continue; /* USER is predefined: no class belongs to it */
        }
        fm_archive_check(OTF2_GlobalDefWriter_WriteParadigm(
            o->writer, otf2, fm_define_string(o->set, paradigm->name),
            (OTF2_ParadigmClass)paradigm->otf2_class));
        if (paradigm->rma_only) {
            fm_archive_check(OTF2_GlobalDefWriter_WriteParadigmProperty(
                o->writer, otf2, OTF2_PARADIGM_PROPERTY_RMA_ONLY, OTF2_TYPE_UINT8,
                (OTF2_AttributeValue){.uint8 = OTF2_TRUE}));
        }
        write_name_template(o, otf2, OTF2_PARADIGM_PROPERTY_COMM_NAME_TEMPLATE,
                            paradigm->communicator);
        write_name_template(o, otf2, OTF2_PARADIGM_PROPERTY_RMA_WIN_NAME_TEMPLATE,
                            paradigm->window);
    }
}

static void write_system_tree(const struct output *o)
{
    size_t count;
    uint32_t machine = fm_define_string(o->set, "machine"), node = fm_define_string(o->set, "node");
    uint32_t thread_name = fm_define_string(o->set, "Master thread");
    fm_archive_check(OTF2_GlobalDefWriter_WriteSystemTreeNode(
        o->writer, 0, fm_define_string(o->set, "Linux"), machine, OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    fm_archive_check(OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(
        o->writer, 0, OTF2_SYSTEM_TREE_DOMAIN_MACHINE));
    FOR_EACH(o, FM_DEFINE_NODE, i, words, count)
    {
        fm_archive_check(
            OTF2_GlobalDefWriter_WriteSystemTreeNode(o->writer, i + 1, words[0], node, 0));
        fm_archive_check(OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(
            o->writer, i + 1, OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY));
    }
    FOR_EACH(o, FM_DEFINE_PROCESS, i, words, count)
    {
        char name[NAME_BYTES];
        uint32_t rank = words[0], threads = words[3];
        name_process(o, rank, name);
        fm_archive_check(OTF2_GlobalDefWriter_WriteLocationGroup(
            o->writer, rank, fm_define_string(o->set, name), OTF2_LOCATION_GROUP_TYPE_PROCESS,
            words[1] + 1, OTF2_UNDEFINED_LOCATION_GROUP));
        for (uint32_t t = 0; t < threads; t++) {
            uint64_t events = words[4 + 2 * t] | (uint64_t)words[5 + 2 * t] << 32;
            uint32_t stream = fm_stream_name(o->set, rank, t);
            snprintf(name, sizeof name, "Thread %u", t);
            fm_archive_check(OTF2_GlobalDefWriter_WriteLocation(
                o->writer, fm_archive_location(rank, t),
                stream != FM_DEFINE_NONE ? stream
                : t == 0                 ? thread_name
                                         : fm_define_string(o->set, name),
                stream != FM_DEFINE_NONE ? OTF2_LOCATION_TYPE_ACCELERATOR_STREAM
                                         : OTF2_LOCATION_TYPE_CPU_THREAD,
                events, rank));
        }
    }
}

/* States the worlds of the processes, by properties. */
static void write_worlds(const struct output *o)
{
    size_t count;
    FOR_EACH(o, FM_DEFINE_PROCESS, i, words, count)
    {
        const uint32_t *world = world_of(o->set, words[0]);
        if (world != NULL) {
            OTF2_AttributeValue value = {.uint32 = world[FM_WORLD_NUMBER]};
            fm_archive_check(OTF2_GlobalDefWriter_WriteLocationGroupProperty(
                o->writer, words[0], fm_define_string(o->set, WORLD_PROPERTY), OTF2_TYPE_UINT32,
                value));
        }
    }
}

static void write_life_property(const struct output *o, uint32_t rank, uint32_t thread,
                                const char *name, uint64_t number)
{
    OTF2_AttributeValue value = {.uint64 = number};
    fm_archive_check(OTF2_GlobalDefWriter_WriteLocationProperty(
        o->writer, fm_archive_location(rank, thread), fm_define_string(o->set, name),
        OTF2_TYPE_UINT64, value));
}

/* States how processes without a regular end lived, by properties of their locations. */
static void write_lives(const struct output *o)
{
    size_t count;
    FOR_EACH(o, FM_DEFINE_LIFE, i, life, count)
    {
        const uint64_t values[LIFE_PROPERTIES] = {
            life[FM_LIFE_HEARTBEAT] | (uint64_t)life[FM_LIFE_HEARTBEAT + 1] << 32,
            life[FM_LIFE_JOB_END] | (uint64_t)life[FM_LIFE_JOB_END + 1] << 32, life[FM_LIFE_ENDED],
            life[FM_LIFE_THREAD_LEVEL]};
        for (uint32_t t = 0; t < life[FM_LIFE_THREADS]; t++) {
            for (size_t p = 0; p < LIFE_PROPERTIES; p++) {
                if (values[p] != 0) {
                    write_life_property(o, life[FM_LIFE_RANK], t, life_properties[p],
                                        p == LIFE_THREAD_LEVEL ? values[p] - 1 : values[p]);
                }
            }
        }
    }
}

/* Names the objects of processes, by properties. */
static void write_objects(const struct output *o)
{
    char key[NAME_BYTES];
    size_t count;
    FOR_EACH(o, FM_DEFINE_OBJECT, i, words, count)
    {
        OTF2_AttributeValue value = {.stringRef = words[2]};
        name_object(words, key);
        fm_archive_check(OTF2_GlobalDefWriter_WriteLocationGroupProperty(
            o->writer, words[0], fm_define_string(o->set, key), OTF2_TYPE_STRING, value));
    }
}

static void write_regions(const struct output *o)
{
    size_t count;
    uint32_t empty = fm_define_string(o->set, "");
    FOR_EACH(o, FM_DEFINE_REGION, i, words, count)
    {
        uint32_t file = words[4] != FM_DEFINE_NONE ? words[4] : empty;
        fm_archive_check(OTF2_GlobalDefWriter_WriteRegion(
            o->writer, i, words[0], words[0], empty, (OTF2_RegionRole)words[1],
            (OTF2_Paradigm)words[2], (OTF2_RegionFlag)words[3], file, words[5], 0));
    }
}

static void write_parameters(const struct output *o)
{
    size_t count;
    FOR_EACH(o, FM_DEFINE_PARAMETER, i, words, count)
    {
        fm_archive_check(OTF2_GlobalDefWriter_WriteParameter(o->writer, i, words[0],
                                                             (OTF2_ParameterType)words[1]));
    }
}

static void write_attributes(const struct output *o)
{
    size_t count;
    FOR_EACH(o, FM_DEFINE_ATTRIBUTE, i, words, count)
    {
        fm_archive_check(OTF2_GlobalDefWriter_WriteAttribute(o->writer, i, words[0], words[1],
                                                             (OTF2_Type)words[2]));
    }
}

/* Each metric is the only member of its own metric class. */
static void write_metrics(const struct output *o)
{
    size_t count;
    uint32_t empty = fm_define_string(o->set, "");
    FOR_EACH(o, FM_DEFINE_METRIC, i, words, count)
    {
        OTF2_MetricMemberRef member = i;
        bool is_of_place = (words[3] & FM_METRIC_OF_PLACE) != 0;
        fm_archive_check(OTF2_GlobalDefWriter_WriteMetricMember(
            o->writer, i, words[0], empty, OTF2_METRIC_TYPE_USER,
            (OTF2_MetricMode)(words[3] & (FM_METRIC_OF_PLACE - 1)), (OTF2_Type)words[2],
            OTF2_BASE_DECIMAL, 0, words[1]));
        fm_archive_check(OTF2_GlobalDefWriter_WriteMetricClass(
            o->writer, i, 1, &member,
            is_of_place ? OTF2_METRIC_SYNCHRONOUS : OTF2_METRIC_ASYNCHRONOUS,
            OTF2_RECORDER_KIND_CPU));
    }
}

/* The lines that call regions. */
static void write_lines(const struct output *o)
{
    size_t count;
    FOR_EACH(o, FM_DEFINE_LINE, i, words, count)
    {
        fm_archive_check(
            OTF2_GlobalDefWriter_WriteSourceCodeLocation(o->writer, i, words[0], words[1]));
    }
}

/* Writes a paradigm's group of all locations, which the members of its teams' groups are indices
 * of: in the order of ranks and threads. */
static void write_team_locations(const struct output *o, uint32_t paradigm)
{
    size_t count, used = 0, room = 0;
    FOR_EACH(o, FM_DEFINE_PROCESS, i, words, count)
    {
        room += words[3];
    }
    uint64_t *locations = malloc((room + 1) * sizeof *locations);
    if (locations == NULL) {
        fm_archive_check(OTF2_ERROR_MEM_ALLOC_FAILED);
        return;
    }
    FOR_EACH(o, FM_DEFINE_PROCESS, i, words, count)
    {
        for (uint32_t t = 0; t < words[3]; t++) {
            locations[used++] = fm_archive_location(words[0], t);
        }
    }
    fm_archive_check(OTF2_GlobalDefWriter_WriteGroup(
        o->writer, locations_of(o->set, paradigm), fm_define_string(o->set, ""),
        OTF2_GROUP_TYPE_COMM_LOCATIONS, (OTF2_Paradigm)paradigm, OTF2_GROUP_FLAG_NONE,
        (uint32_t)used, locations));
    free(locations);
}

/* Writes the groups that each paradigm with ranks has: of all locations, which its other groups'
 * members are indices of, and of one process. */
static void write_location_groups(const struct output *o)
{
    size_t processes = o->set->tables[FM_DEFINE_PROCESS].count;
    uint32_t empty = fm_define_string(o->set, "");
    uint64_t *locations = malloc((processes + 1) * sizeof *locations);
    if (locations == NULL) {
        fm_archive_check(OTF2_ERROR_MEM_ALLOC_FAILED);
        return;
    }
    for (size_t i = 0; i < processes; i++) {
        locations[i] = fm_archive_location((uint32_t)i, 0);
    }
    for (uint32_t i = 0; i < o->set->tables[FM_DEFINE_PARADIGM].count; i++) {
        if (has_groups(o->set, i)) {
            OTF2_Paradigm paradigm = (OTF2_Paradigm)paradigm_of(o->set, i)->otf2;
            uint32_t number = locations_of(o->set, paradigm);
            fm_archive_check(OTF2_GlobalDefWriter_WriteGroup(
                o->writer, number, empty, OTF2_GROUP_TYPE_COMM_LOCATIONS, paradigm,
                OTF2_GROUP_FLAG_NONE, (uint32_t)processes, locations));
            fm_archive_check(OTF2_GlobalDefWriter_WriteGroup(o->writer, number + 1, empty,
                                                             OTF2_GROUP_TYPE_COMM_SELF, paradigm,
                                                             OTF2_GROUP_FLAG_NONE, 0, NULL));
        } else if (has_teams(o->set, i)) {
            write_team_locations(o, paradigm_of(o->set, i)->otf2);
        }
    }
    free(locations);
}

/* Number of threads of all processes before the one with this rank. */
static uint64_t threads_before(const struct output *o, uint32_t rank)
{
    size_t count;
    uint64_t threads = 0;
    FOR_EACH(o, FM_DEFINE_PROCESS, i, words, count)
    {
        threads += words[0] < rank ? words[3] : 0;
    }
    return threads;
}

/* Whether the members of a paradigm's groups are locations. */
static bool are_locations(const struct output *o, uint32_t paradigm)
{
    for (uint32_t i = 0; i < o->set->tables[FM_DEFINE_PARADIGM].count; i++) {
        if (paradigm_of(o->set, i)->otf2 == paradigm && has_teams(o->set, i)) {
            return true;
        }
    }
    return false;
}

/* The members of a group with processes of other worlds. Readers find no process for the number
 * that stands for those. */
static uint32_t list_foreign_members(const uint32_t *words, size_t count, uint64_t *members)
{
    uint32_t size = 0;
    for (size_t i = FM_GROUP_RANGES; i + FM_FOREIGN_WORDS <= count; i += FM_FOREIGN_WORDS) {
        const uint32_t *range = words + i;
        bool is_own = range[FM_FOREIGN_LINK] == 0 && range[FM_FOREIGN_LINK + 1] == 0;
        for (uint32_t k = 0; k < range[FM_FOREIGN_COUNT]; k++) {
            members[size++] =
                is_own ? range[FM_FOREIGN_FIRST] + k * range[FM_FOREIGN_STRIDE] : FM_DEFINE_NONE;
        }
    }
    return size;
}

/* The members of a group. @return their number */
static uint32_t list_members(const struct output *o, const uint32_t *words, size_t count,
                             uint64_t *members)
{
    uint32_t size = 0;
    if ((words[FM_GROUP_PARADIGM] & FM_GROUP_FOREIGN) != 0) {
        return list_foreign_members(words, count, members);
    }
    bool of_threads = are_locations(o, words[FM_GROUP_PARADIGM]);
    for (size_t range = FM_GROUP_RANGES; range + 2 < count; range += 3) {
        uint64_t before = of_threads ? threads_before(o, words[range]) : 0;
        for (uint32_t k = 0; k < words[range + 2]; k++) {
            uint32_t rank = words[range] + k * words[range + 1]; /* strides may be negative */
            members[size++] = of_threads ? before + words[range + 1] + k : rank;
        }
    }
    return size;
}

static void write_groups(const struct output *o)
{
    size_t count, room = 0;
    uint32_t first = fm_archive_first_group(o->set);
    uint32_t empty = fm_define_string(o->set, "");
    uint64_t *members = NULL;
    write_location_groups(o);
    FOR_EACH(o, FM_DEFINE_GROUP, i, words, count)
    {
        if (members == NULL || words[FM_GROUP_MEMBERS] > room) {
            free(members);
            room = words[FM_GROUP_MEMBERS];
            members = malloc((room + 1) * sizeof *members);
        }
        if (members == NULL) {
            fm_archive_check(OTF2_ERROR_MEM_ALLOC_FAILED);
            return;
        }
        uint32_t size = list_members(o, words, count, members);
        fm_archive_check(OTF2_GlobalDefWriter_WriteGroup(
            o->writer, i + first, empty, OTF2_GROUP_TYPE_COMM_GROUP,
            (OTF2_Paradigm)(words[FM_GROUP_PARADIGM] & ~(uint32_t)FM_GROUP_FOREIGN),
            OTF2_GROUP_FLAG_NONE, size, members));
    }
    free(members);
    fm_thread_groups_write(o->set, &o->threads, o->writer, empty);
}

static void write_comms(const struct output *o)
{
    size_t count;
    uint32_t empty = fm_define_string(o->set, "");
    FOR_EACH(o, FM_DEFINE_COMM, i, words, count)
    {
        uint32_t name = words[FM_COMM_NAME] != FM_DEFINE_NONE ? words[FM_COMM_NAME] : empty;
        uint32_t group = words[FM_COMM_ORIGIN] == FM_COMM_THREADS
                             ? o->threads.numbers[i]
                             : group_of(o->set, words, words[FM_COMM_GROUP]);
        if (words[FM_COMM_SECOND_GROUP] == FM_DEFINE_NONE) {
            fm_archive_check(OTF2_GlobalDefWriter_WriteComm(
                o->writer, i, name, group, words[FM_COMM_PARENT], words[FM_COMM_FLAGS]));
        } else {
            fm_archive_check(OTF2_GlobalDefWriter_WriteInterComm(
                o->writer, i, name, group, group_of(o->set, words, words[FM_COMM_SECOND_GROUP]),
                words[FM_COMM_PARENT], words[FM_COMM_FLAGS]));
        }
    }
}

static void write_windows(const struct output *o)
{
    size_t count;
    uint32_t empty = fm_define_string(o->set, "");
    FOR_EACH(o, FM_DEFINE_WIN, i, words, count)
    {
        uint32_t name = words[FM_WIN_NAME] != FM_DEFINE_NONE ? words[FM_WIN_NAME] : empty;
        fm_archive_check(OTF2_GlobalDefWriter_WriteRmaWin(o->writer, i, name, words[FM_WIN_COMM],
                                                          words[FM_WIN_FLAGS]));
    }
}

/* Files that MPI has opened, and their handles. */
static void write_files(const struct output *o)
{
    size_t count;
    if (o->set->tables[FM_DEFINE_IO_HANDLE].count == 0) {
        return;
    }
    fm_archive_check(OTF2_GlobalDefWriter_WriteIoParadigm(
        o->writer, 0, fm_define_string(o->set, IO_IDENTIFICATION),
        fm_define_string(o->set, IO_NAME), OTF2_IO_PARADIGM_CLASS_PARALLEL,
        OTF2_IO_PARADIGM_FLAG_NONE, 0, NULL, NULL, NULL));
    FOR_EACH(o, FM_DEFINE_IO_FILE, i, words, count)
    {
        fm_archive_check(OTF2_GlobalDefWriter_WriteIoRegularFile(o->writer, i, words[0], 0));
    }
    FOR_EACH(o, FM_DEFINE_IO_HANDLE, i, words, count)
    {
        const uint32_t file = words[FM_IO_HANDLE_FILE];
        fm_archive_check(OTF2_GlobalDefWriter_WriteIoHandle(
            o->writer, i, fm_defined(o->set, FM_DEFINE_IO_FILE, file, NULL)[0], file, 0,
            OTF2_IO_HANDLE_FLAG_NONE, words[FM_IO_HANDLE_COMM], OTF2_UNDEFINED_IO_HANDLE));
    }
}

/* Ranks of a Cartesian topology are numbered row-major. */
static void write_coordinates(const struct output *o, uint32_t topology, const uint32_t *words)
{
    uint32_t coordinates[256], ranks = 1, dimensions = words[2];
    for (uint32_t d = 0; d < dimensions; d++) {
        ranks *= words[3 + 2 * d];
    }
    for (uint32_t rank = 0; rank < ranks; rank++) {
        uint32_t rest = rank;
        for (uint32_t d = dimensions; d-- > 0;) {
            coordinates[d] = rest % words[3 + 2 * d];
            rest /= words[3 + 2 * d];
        }
        fm_archive_check(OTF2_GlobalDefWriter_WriteCartCoordinate(
            o->writer, topology, rank, (uint8_t)dimensions, coordinates));
    }
}

static void write_topologies(const struct output *o)
{
    size_t count;
    uint32_t dimension = 0, empty = fm_define_string(o->set, "");
    FOR_EACH(o, FM_DEFINE_TOPOLOGY, i, words, count)
    {
        uint32_t dimensions[256];
        for (uint32_t d = 0; d < words[2]; d++) {
            dimensions[d] = dimension++;
            fm_archive_check(OTF2_GlobalDefWriter_WriteCartDimension(
                o->writer, dimensions[d], empty, words[3 + 2 * d],
                words[4 + 2 * d] != 0 ? OTF2_CART_PERIODIC_TRUE : OTF2_CART_PERIODIC_FALSE));
        }
        fm_archive_check(OTF2_GlobalDefWriter_WriteCartTopology(
            o->writer, i, words[1] != FM_DEFINE_NONE ? words[1] : empty, words[0],
            (uint8_t)words[2], dimensions));
        write_coordinates(o, i, words);
    }
}

void fm_archive_write_global(struct fm_definitions *set, const struct fm_archive_summary *summary)
{
    struct output o = {.writer = OTF2_Archive_GetGlobalDefWriter(fm_archive_handle()), .set = set};
    if (o.writer == NULL) {
        fm_archive_check(OTF2_ERROR_FILE_INTERACTION);
        return;
    }
    uint32_t behind = fm_archive_first_group(set) + (uint32_t)set->tables[FM_DEFINE_GROUP].count;
    if (!fm_thread_groups_begin(set, behind, &o.threads)) {
        fm_archive_check(OTF2_ERROR_MEM_ALLOC_FAILED);
        fm_thread_groups_free(&o.threads);
        return;
    }
    fm_archive_check(OTF2_GlobalDefWriter_WriteClockProperties(
        o.writer, summary->resolution, summary->begin, summary->end - summary->begin,
        summary->realtime));
    add_strings(&o);
    write_strings(&o);
    write_paradigms(&o);
    write_system_tree(&o);
    write_worlds(&o);
    write_lives(&o);
    write_objects(&o);
    write_regions(&o);
    write_lines(&o);
    write_parameters(&o);
    write_metrics(&o);
    write_attributes(&o);
    write_groups(&o);
    write_comms(&o);
    write_windows(&o);
    write_files(&o);
    write_topologies(&o);
    if (fm_archive_failure() == NULL) {
        fm_archive_check(OTF2_Archive_CloseGlobalDefWriter(fm_archive_handle(), o.writer));
    }
    fm_thread_groups_free(&o.threads);
    fm_markers_write(set);
}
