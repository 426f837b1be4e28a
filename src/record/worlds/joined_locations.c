/* SPDX-License-Identifier: BSD-3-Clause */
/* The locations of all worlds: their event files stay as they are, because they contain neither the
 * number of the location nor global numbers; their local definitions are written anew. */
#include "record/worlds/join_run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- local definitions of one location ---- */

static void add_pair(uint64_t local, uint64_t global, void *data)
{
    struct fm_local_table *table = data;
    table->pairs[2 * table->count] = local;
    table->pairs[2 * table->count++ + 1] = global;
}

static OTF2_CallbackCode on_table(void *data, OTF2_MappingType type, const OTF2_IdMap *map)
{
    struct fm_local_tables *tables = data;
    uint64_t size = 0;
    if (tables->count == OTF2_MAPPING_MAX || OTF2_IdMap_GetSize(map, &size) != OTF2_SUCCESS) {
        tables->failed = true;
        return OTF2_CALLBACK_INTERRUPT;
    }
    struct fm_local_table *table = &tables->tables[tables->count];
    *table = (struct fm_local_table){.type = type,
                                     .pairs = malloc((2 * size + 1) * sizeof *table->pairs)};
    if (table->pairs == NULL) {
        tables->failed = true;
        return OTF2_CALLBACK_INTERRUPT;
    }
    tables->count++;
    OTF2_IdMap_Traverse(map, add_pair, table);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_clock_offset(void *data, uint64_t time, int64_t offset,
                                         double deviation)
{
    struct fm_local_tables *tables = data;
    if (tables->offset_count < 2) {
        tables->offsets[tables->offset_count++] = (struct fm_clock_offset){time, offset, deviation};
    }
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_Reader *open_world(const struct fm_joined_world *world)
{
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/traces.otf2", world->folder);
    OTF2_Reader *reader = OTF2_Reader_Open(path);
    if (reader != NULL && OTF2_Reader_SetSerialCollectiveCallbacks(reader) == OTF2_SUCCESS &&
        OTF2_Reader_OpenDefFiles(reader) == OTF2_SUCCESS) {
        return reader;
    }
    if (reader != NULL) {
        OTF2_Reader_Close(reader);
    }
    return NULL;
}

static bool read_tables(OTF2_Reader *reader, uint64_t location, struct fm_local_tables *tables)
{
    uint64_t read;
    OTF2_DefReader *definitions = NULL;
    memset(tables, 0, sizeof *tables);
    if (OTF2_Reader_SelectLocation(reader, location) == OTF2_SUCCESS) {
        definitions = OTF2_Reader_GetDefReader(reader, location);
    }
    if (definitions == NULL) {
        return false;
    }
    OTF2_DefReaderCallbacks *callbacks = OTF2_DefReaderCallbacks_New();
    OTF2_DefReaderCallbacks_SetMappingTableCallback(callbacks, on_table);
    OTF2_DefReaderCallbacks_SetClockOffsetCallback(callbacks, on_clock_offset);
    OTF2_Reader_RegisterDefCallbacks(reader, definitions, callbacks, tables);
    OTF2_DefReaderCallbacks_Delete(callbacks);
    bool good = OTF2_Reader_ReadAllLocalDefinitions(reader, definitions, &read) == OTF2_SUCCESS &&
                !tables->failed;
    OTF2_Reader_CloseDefReader(reader, definitions);
    return good;
}

static fm_status_t damaged(const struct fm_joined_world *world, struct fm_error *error)
{
    return fm_fail(error, FM_ERR_DATA, "%s/traces is damaged", world->folder);
}

fm_status_t fm_local_tables_read(const struct fm_joined_world *world, uint64_t location,
                                 struct fm_local_tables *tables, struct fm_error *error)
{
    memset(tables, 0, sizeof *tables);
    OTF2_Reader *reader = open_world(world);
    if (reader == NULL) {
        return damaged(world, error);
    }
    bool good = read_tables(reader, location, tables);
    OTF2_Reader_CloseDefFiles(reader);
    OTF2_Reader_Close(reader);
    return good ? FM_OK : damaged(world, error);
}

void fm_local_tables_free(struct fm_local_tables *tables)
{
    for (size_t i = 0; i < tables->count; i++) {
        free(tables->tables[i].pairs);
    }
    tables->count = 0;
}

/* ---- clocks ---- */

static const char *node_of(const struct fm_joined_world *world, const uint32_t *process)
{
    const uint32_t *node = fm_defined(&world->set, FM_DEFINE_NODE, process[1], NULL);
    return fm_defined_string(&world->set, node[0]);
}

static const uint32_t *process_on(const struct fm_joined_world *world, const char *node)
{
    for (uint32_t i = 0; i < world->set.tables[FM_DEFINE_PROCESS].count; i++) {
        const uint32_t *process = fm_defined(&world->set, FM_DEFINE_PROCESS, i, NULL);
        if (strcmp(node_of(world, process), node) == 0) {
            return process;
        }
    }
    return NULL;
}

/* A process of a world and one of world 0 on the same node, which share its clock. */
static bool find_neighbours(const struct fm_joined_world *world,
                            const struct fm_joined_world *first, const uint32_t **own,
                            const uint32_t **other)
{
    for (uint32_t i = 0; i < world->set.tables[FM_DEFINE_PROCESS].count; i++) {
        *own = fm_defined(&world->set, FM_DEFINE_PROCESS, i, NULL);
        *other = process_on(first, node_of(world, *own));
        if (*other != NULL && strcmp(node_of(world, *own), "unknown host") != 0) {
            return true;
        }
    }
    return false;
}

static fm_status_t read_offsets(const struct fm_joined_world *world, const uint32_t *process,
                                struct fm_clock_offset offsets[2], struct fm_error *error)
{
    struct fm_local_tables tables;
    fm_status_t status =
        fm_local_tables_read(world, fm_archive_location(process[0], 0), &tables, error);
    if (status == FM_OK && tables.offset_count != 2) {
        status = damaged(world, error);
    }
    memcpy(offsets, tables.offsets, sizeof tables.offsets);
    fm_local_tables_free(&tables);
    return status;
}

/* Seconds since 1970 tell when the world began; its clock advances by its own resolution. */
static void date_clock(struct fm_joined_world *world, const struct fm_joined_world *first)
{
    const struct fm_archive_summary *own = &world->content.summary, *ref = &first->content.summary;
    long double since = (long double)(int64_t)(own->realtime - ref->realtime) / 1e9L;
    long double begin = (long double)ref->begin + since * (long double)ref->resolution;
    long double length = (long double)(own->end - own->begin) * (long double)ref->resolution /
                         (long double)own->resolution;
    world->clock[0] =
        (struct fm_clock_offset){own->begin, (int64_t)(uint64_t)begin - (int64_t)own->begin, 0};
    world->clock[1] = (struct fm_clock_offset){
        own->end, (int64_t)(uint64_t)(begin + length) - (int64_t)own->end, 0};
    world->is_dated = true;
}

fm_status_t fm_join_clocks(struct fm_join_run *run, struct fm_error *error)
{
    const struct fm_joined_world *first = &run->worlds[0];
    for (uint32_t w = 1; w < run->count; w++) {
        struct fm_joined_world *world = &run->worlds[w];
        const uint32_t *own, *other;
        struct fm_clock_offset of_own[2], of_other[2];
        if (!find_neighbours(world, first, &own, &other)) {
            date_clock(world, first);
            continue;
        }
        fm_status_t status = read_offsets(world, own, of_own, error);
        status = status == FM_OK ? read_offsets(first, other, of_other, error) : status;
        if (status != FM_OK) {
            return status;
        }
        for (int i = 0; i < 2; i++) {
            uint64_t time = of_own[i].time, there = time + (uint64_t)of_own[i].offset;
            uint64_t here = fm_clock_offsets_apply(of_other, time);
            world->clock[i] = (struct fm_clock_offset){there, (int64_t)(here - there), 0};
        }
    }
    return FM_OK;
}

/* ---- writing ---- */

/* The definitions whose numbers stand in a mapping table. @return FM_DEFINE_KIND_COUNT: none */
static enum fm_define_kind kind_of(OTF2_MappingType type)
{
    switch (type) {
    case OTF2_MAPPING_STRING:
        return FM_DEFINE_STRING;
    case OTF2_MAPPING_REGION:
        return FM_DEFINE_REGION;
    case OTF2_MAPPING_SOURCE_CODE_LOCATION:
        return FM_DEFINE_LINE;
    case OTF2_MAPPING_PARAMETER:
        return FM_DEFINE_PARAMETER;
    case OTF2_MAPPING_METRIC:
        return FM_DEFINE_METRIC;
    case OTF2_MAPPING_GROUP:
        return FM_DEFINE_GROUP;
    case OTF2_MAPPING_COMM:
        return FM_DEFINE_COMM;
    case OTF2_MAPPING_RMA_WIN:
        return FM_DEFINE_WIN;
    case OTF2_MAPPING_IO_HANDLE:
        return FM_DEFINE_IO_HANDLE;
    case OTF2_MAPPING_ATTRIBUTE:
        return FM_DEFINE_ATTRIBUTE;
    default:
        return FM_DEFINE_KIND_COUNT;
    }
}

/* Numbers of groups in the events follow those that stand in front of the defined ones. */
struct shift {
    uint32_t from, to;
};

static struct shift shift_of(const struct fm_join_run *run, const struct fm_joined_world *world,
                             enum fm_define_kind kind)
{
    return kind == FM_DEFINE_GROUP ? (struct shift){fm_archive_first_group(&world->set),
                                                    fm_archive_first_group(&run->set)}
                                   : (struct shift){0, 0};
}

static void add(OTF2_IdMap *ids, const struct fm_joined_world *world, enum fm_define_kind kind,
                struct shift shift, uint64_t local, uint64_t global)
{
    if (global >= shift.from && global - shift.from < world->map.counts[kind]) {
        fm_archive_check(OTF2_IdMap_AddIdPair(
            ids, local, world->map.numbers[kind][global - shift.from] + shift.to));
    }
}

/* Whether numbers without an entry stand for themselves: those of regions and lines do not. */
static bool has_implied_numbers(enum fm_define_kind kind)
{
    return kind != FM_DEFINE_REGION && kind != FM_DEFINE_LINE;
}

static int compare_numbers(const void *a, const void *b)
{
    const uint64_t *left = a, *right = b;
    return left[0] < right[0] ? -1 : left[0] > right[0];
}

/* Writes the table of one kind: from the numbers in the events to those of the joined set. */
static void write_table(const struct fm_join_run *run, const struct fm_joined_world *world,
                        OTF2_DefWriter *writer, OTF2_MappingType type, struct fm_local_table *table)
{
    const enum fm_define_kind kind = kind_of(type);
    if (kind == FM_DEFINE_KIND_COUNT) {
        return;
    }
    const struct shift shift = shift_of(run, world, kind);
    const uint64_t implied = has_implied_numbers(kind) ? world->map.counts[kind] + shift.from : 0;
    size_t count = table != NULL ? table->count : 0, next = 0;
    OTF2_IdMap *ids = OTF2_IdMap_Create(OTF2_ID_MAP_SPARSE, count + implied + 1);
    if (ids == NULL) {
        fm_archive_check(OTF2_ERROR_MEM_ALLOC_FAILED);
        return;
    }
    if (count != 0) {
        qsort(table->pairs, count, 2 * sizeof *table->pairs, compare_numbers);
    }
    for (uint64_t number = 0; number < implied || next < count;) {
        if (next < count && (number >= implied || table->pairs[2 * next] <= number)) {
            number += number == table->pairs[2 * next];
            add(ids, world, kind, shift, table->pairs[2 * next], table->pairs[2 * next + 1]);
            next++;
        } else {
            add(ids, world, kind, shift, number, number);
            number++;
        }
    }
    uint64_t size = 0;
    if (OTF2_IdMap_GetSize(ids, &size) == OTF2_SUCCESS && size != 0) {
        fm_archive_check(OTF2_DefWriter_WriteMappingTable(writer, type, ids));
    }
    OTF2_IdMap_Free(ids);
}

static void write_definitions(const struct fm_join_run *run, const struct fm_joined_world *world,
                              OTF2_DefWriter *writer, struct fm_local_tables *tables)
{
    for (int type = 0; type < OTF2_MAPPING_MAX; type++) {
        struct fm_local_table *table = NULL;
        for (size_t i = 0; i < tables->count; i++) {
            table = tables->tables[i].type == type ? &tables->tables[i] : table;
        }
        write_table(run, world, writer, (OTF2_MappingType)type, table);
    }
    for (size_t i = 0; i < tables->offset_count; i++) {
        const struct fm_clock_offset *offset = &tables->offsets[i];
        uint64_t there = offset->time + (uint64_t)offset->offset;
        uint64_t here = fm_join_time(world, there);
        fm_archive_check(OTF2_DefWriter_WriteClockOffset(
            writer, offset->time, (int64_t)(here - offset->time), offset->deviation));
    }
}

static bool copy(const char *from, const char *to)
{
    enum { PIECE = 1 << 16 };
    char *buffer = malloc(PIECE);
    int source = open(from, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    int target = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    ssize_t length = source >= 0 && target >= 0 && buffer != NULL ? 1 : -1;
    while (length > 0 && (length = read(source, buffer, PIECE)) > 0) {
        length = write(target, buffer, (size_t)length) == length ? length : -1;
    }
    int reason = errno;
    if (source >= 0) {
        close(source);
    }
    if (target >= 0 && close(target) != 0) {
        length = -1;
    }
    free(buffer);
    errno = reason;
    return length == 0;
}

/* Not every file system has hard links. */
static bool put_events(const struct fm_join_run *run, const struct fm_joined_world *world,
                       uint64_t from, uint64_t to)
{
    char source[PATH_MAX + 64], target[PATH_MAX + 64];
    snprintf(source, sizeof source, "%s/traces/%llu.evt", world->folder, (unsigned long long)from);
    snprintf(target, sizeof target, "%s/traces/%llu.evt", run->folder, (unsigned long long)to);
    return link(source, target) == 0 || copy(source, target);
}

static fm_status_t write_location(struct fm_join_run *run, const struct fm_joined_world *world,
                                  OTF2_Reader *reader, uint32_t rank, uint32_t thread,
                                  struct fm_error *error)
{
    struct fm_local_tables tables;
    uint64_t from = fm_archive_location(rank, thread);
    uint64_t to = fm_archive_location(world->first + rank, thread);
    fm_status_t status = read_tables(reader, from, &tables) ? FM_OK : damaged(world, error);
    if (status == FM_OK) {
        OTF2_DefWriter *writer = OTF2_Archive_GetDefWriter(fm_archive_handle(), to);
        if (writer == NULL) {
            fm_archive_check(OTF2_ERROR_FILE_INTERACTION);
        } else {
            write_definitions(run, world, writer, &tables);
        }
        if (fm_archive_failure() == NULL) {
            fm_archive_check(OTF2_Archive_CloseDefWriter(fm_archive_handle(), writer));
        }
        if (fm_archive_failure() != NULL) {
            status = fm_fail(error, FM_ERR_SYSTEM, "cannot write %s: %s", run->folder,
                             fm_archive_failure());
        } else if (!put_events(run, world, from, to)) {
            status = fm_fail(error, FM_ERR_SYSTEM, "cannot copy %s/traces/%llu.evt: %m",
                             world->folder, (unsigned long long)from);
        }
    }
    fm_local_tables_free(&tables);
    return status;
}

static fm_status_t write_world(struct fm_join_run *run, const struct fm_joined_world *world,
                               struct fm_error *error)
{
    fm_status_t status = FM_OK;
    OTF2_Reader *reader = open_world(world);
    if (reader == NULL) {
        return damaged(world, error);
    }
    for (uint32_t i = 0; i < world->size && status == FM_OK; i++) {
        const uint32_t *process = fm_defined(&world->set, FM_DEFINE_PROCESS, i, NULL);
        for (uint32_t t = 0; t < process[3] && status == FM_OK; t++) {
            status = write_location(run, world, reader, process[0], t, error);
        }
    }
    OTF2_Reader_CloseDefFiles(reader);
    OTF2_Reader_Close(reader);
    return status;
}

fm_status_t fm_join_write_locations(struct fm_join_run *run, struct fm_error *error)
{
    fm_status_t status = FM_OK;
    for (uint32_t w = 0; w < run->count && status == FM_OK; w++) {
        status = write_world(run, &run->worlds[w], error);
    }
    return status;
}
