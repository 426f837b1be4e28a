/* The local definitions: one file for each location, with its clock offsets and the mapping from
 * the process's numbers to the global ones. */
#include "record/core/archive.h"

#include <stdlib.h>

/* Numbers that a mapping lacks stand for themselves: if few differ only those are in it. */
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

/* The functions that were called, and behind them the regions of user code. (That functions are
 * among the defined regions, too, does no harm: no event refers to them by those numbers.) */
static OTF2_IdMap *region_map(const uint32_t *regions, size_t count,
                              const struct fm_define_map *map)
{
    size_t defined = map->counts[FM_DEFINE_REGION];
    OTF2_IdMap *ids = OTF2_IdMap_Create(OTF2_ID_MAP_SPARSE, count + defined + 1);
    for (size_t i = 0; ids != NULL && i < count; i++) {
        if (regions[i] != FM_DEFINE_NONE) {
            fm_archive_check(OTF2_IdMap_AddIdPair(ids, i, regions[i]));
        }
    }
    for (size_t i = 0; ids != NULL && i < defined; i++) {
        fm_archive_check(
            OTF2_IdMap_AddIdPair(ids, FM_FUNCTIONS_MOST + i, map->numbers[FM_DEFINE_REGION][i]));
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
                            const uint32_t *regions, size_t region_count,
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
        {FM_DEFINE_ATTRIBUTE, OTF2_MAPPING_ATTRIBUTE},
    };
    enum { KINDS = sizeof kinds / sizeof kinds[0] };
    OTF2_Archive *archive = fm_archive_handle();
    OTF2_IdMap *maps[KINDS + 1];

    for (int i = 0; i < KINDS; i++) {
        maps[i] = number_map(map->numbers[kinds[i].kind], map->counts[kinds[i].kind],
                             kinds[i].kind == FM_DEFINE_GROUP ? FM_GROUP_FIRST : 0);
    }
    maps[KINDS] = region_map(regions, region_count, map);
    for (struct fm_thread *thread = threads; thread != NULL && fm_archive_failure() == NULL;
         thread = thread->next) {
        OTF2_LocationRef location = fm_archive_location(thread->rank, thread->index);
        OTF2_DefWriter *writer = OTF2_Archive_GetDefWriter(archive, location);
        if (writer == NULL) {
            fm_archive_check(OTF2_ERROR_FILE_INTERACTION);
            break;
        }
        for (int i = 0; i <= KINDS; i++) {
            uint64_t size = 0;
            if (maps[i] != NULL && OTF2_IdMap_GetSize(maps[i], &size) == OTF2_SUCCESS &&
                size != 0) {
                OTF2_MappingType type = i < KINDS ? kinds[i].type : OTF2_MAPPING_REGION;
                fm_archive_check(OTF2_DefWriter_WriteMappingTable(writer, type, maps[i]));
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
    for (int i = 0; i <= KINDS; i++) {
        OTF2_IdMap_Free(maps[i]);
    }
}
