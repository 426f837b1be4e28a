/* SPDX-License-Identifier: BSD-3-Clause */
/* The local definitions: one file for each location, with its clock offsets and the mapping of the
 * process's numbers to global numbers. */
#include "record/archive/archive.h"

#include <stdlib.h>

/* A number without entry in a mapping maps to itself: if few numbers differ, the mapping is sparse
 * and contains only those. */
static OTF2_IdMap *number_map(const uint32_t *numbers, size_t count, uint32_t shift)
{
    size_t differing = 0;
    for (size_t i = 0; i < count; i++) {
        differing += numbers[i] + shift != i;
    }
    bool sparse = differing < count / 2;
    size_t entries = sparse ? differing : count;
    OTF2_IdMap *ids = OTF2_IdMap_Create(sparse ? OTF2_ID_MAP_SPARSE : OTF2_ID_MAP_DENSE,
                                        entries != 0 ? entries : 1);
    for (size_t i = 0; ids != NULL && i < count; i++) {
        if (!sparse || numbers[i] + shift != i) {
            fm_archive_check(OTF2_IdMap_AddIdPair(ids, i, numbers[i] + shift));
        }
    }
    return ids;
}

/* Tables that map regions and lines to global numbers. */
struct numbers {
    const uint32_t *functions;
    size_t function_count;
    const struct fm_define_map *map;
    const struct fm_event_regions *events;
};

static uint32_t global_region(const struct numbers *numbers, uint32_t region)
{
    if (region < numbers->function_count) {
        return numbers->functions[region];
    }
    uint32_t number = region - FM_FUNCTIONS_MOST;
    return region >= FM_FUNCTIONS_MOST && number < numbers->map->counts[FM_DEFINE_REGION]
               ? numbers->map->numbers[FM_DEFINE_REGION][number]
               : FM_DEFINE_NONE;
}

static void add_pair(OTF2_IdMap *ids, uint64_t from, uint32_t to)
{
    if (ids != NULL && to != FM_DEFINE_NONE) {
        fm_archive_check(OTF2_IdMap_AddIdPair(ids, from, to));
    }
}

/* Without lines, the numbers in events are numbers of functions, or FM_FUNCTIONS_MOST plus numbers
 * of region definitions. (Functions are also among the defined regions; that is harmless, because
 * no event refers to them by those numbers.) */
static OTF2_IdMap *plain_region_map(const struct numbers *numbers)
{
    size_t defined = numbers->map->counts[FM_DEFINE_REGION];
    OTF2_IdMap *ids = OTF2_IdMap_Create(OTF2_ID_MAP_SPARSE, numbers->function_count + defined + 1);
    for (uint32_t i = 0; i < numbers->function_count; i++) {
        add_pair(ids, i, global_region(numbers, i));
    }
    for (uint32_t i = 0; i < defined; i++) {
        add_pair(ids, FM_FUNCTIONS_MOST + i, global_region(numbers, FM_FUNCTIONS_MOST + i));
    }
    return ids;
}

/* Maps the region numbers in events to global regions; line_map maps them to the calling lines. */
static OTF2_IdMap *region_map(const struct numbers *numbers)
{
    if (!numbers->events->with_lines) {
        return plain_region_map(numbers);
    }
    OTF2_IdMap *ids = OTF2_IdMap_Create(OTF2_ID_MAP_DENSE, numbers->events->count + 1);
    for (uint32_t i = 0; i < numbers->events->count; i++) {
        add_pair(ids, i, global_region(numbers, numbers->events->items[i].region));
    }
    return ids;
}

static OTF2_IdMap *line_map(const struct numbers *numbers)
{
    OTF2_IdMap *ids = OTF2_IdMap_Create(OTF2_ID_MAP_SPARSE, numbers->events->count + 1);
    for (uint32_t i = 0; i < numbers->events->count; i++) {
        uint32_t line = numbers->events->items[i].line;
        if (line < numbers->map->counts[FM_DEFINE_LINE]) {
            add_pair(ids, i, numbers->map->numbers[FM_DEFINE_LINE][line]);
        }
    }
    return ids;
}

void fm_archive_begin_definitions(void)
{
    fm_archive_check(OTF2_Archive_OpenDefFiles(fm_archive_handle()));
}

void fm_archive_end_definitions(void)
{
    fm_archive_check(OTF2_Archive_CloseDefFiles(fm_archive_handle()));
}

void fm_archive_write_local(struct fm_thread *threads, const struct fm_define_map *map,
                            uint32_t first_group, const uint32_t *regions, size_t region_count,
                            const struct fm_event_regions *events,
                            const struct fm_clock_offset offsets[2])
{
    static const struct {
        enum fm_define_kind kind;
        OTF2_MappingType type;
    } kinds[] = {
        {FM_DEFINE_STRING, OTF2_MAPPING_STRING},
        {FM_DEFINE_PARAMETER, OTF2_MAPPING_PARAMETER},
        {FM_DEFINE_METRIC, OTF2_MAPPING_METRIC},
        {FM_DEFINE_GROUP, OTF2_MAPPING_GROUP},
        {FM_DEFINE_COMM, OTF2_MAPPING_COMM},
        {FM_DEFINE_WIN, OTF2_MAPPING_RMA_WIN},
        {FM_DEFINE_IO_HANDLE, OTF2_MAPPING_IO_HANDLE},
        {FM_DEFINE_ATTRIBUTE, OTF2_MAPPING_ATTRIBUTE},
    };
    enum { KINDS = sizeof kinds / sizeof kinds[0], MAPS = KINDS + 2 };
    OTF2_Archive *archive = fm_archive_handle();
    const struct numbers numbers = {regions, region_count, map, events};
    OTF2_IdMap *maps[MAPS];
    OTF2_MappingType types[MAPS];

    for (int i = 0; i < KINDS; i++) {
        maps[i] = number_map(map->numbers[kinds[i].kind], map->counts[kinds[i].kind],
                             kinds[i].kind == FM_DEFINE_GROUP ? first_group : 0);
        types[i] = kinds[i].type;
    }
    maps[KINDS] = region_map(&numbers);
    types[KINDS] = OTF2_MAPPING_REGION;
    maps[KINDS + 1] = line_map(&numbers);
    types[KINDS + 1] = OTF2_MAPPING_SOURCE_CODE_LOCATION;
    for (struct fm_thread *thread = threads; thread != NULL && fm_archive_failure() == NULL;
         thread = thread->next) {
        OTF2_LocationRef location = fm_archive_location(thread->rank, thread->index);
        OTF2_DefWriter *writer = OTF2_Archive_GetDefWriter(archive, location);
        if (writer == NULL) {
            fm_archive_check(OTF2_ERROR_FILE_INTERACTION);
            break;
        }
        for (int i = 0; i < MAPS; i++) {
            uint64_t size = 0;
            if (maps[i] != NULL && OTF2_IdMap_GetSize(maps[i], &size) == OTF2_SUCCESS &&
                size != 0) {
                fm_archive_check(OTF2_DefWriter_WriteMappingTable(writer, types[i], maps[i]));
            }
        }
        for (int i = 0; i < 2; i++) {
            fm_archive_check(OTF2_DefWriter_WriteClockOffset(
                writer, offsets[i].time, offsets[i].offset, offsets[i].deviation));
        }
        if (fm_archive_failure() == NULL) {
            fm_archive_check(OTF2_Archive_CloseDefWriter(archive, writer));
        }
    }
    for (int i = 0; i < MAPS; i++) {
        OTF2_IdMap_Free(maps[i]);
    }
}
