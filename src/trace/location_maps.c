#include "trace/location_maps.h"

#include "trace/otf2_error.h"

#include <string.h>

/* Numbers beyond are left to OTF2: so are the lines of such a location. */
enum { LARGEST_NUMBER = 1 << 22 };

struct table {
    struct fm_location_maps *maps;
    enum fm_location_map kind;
};

static void add_entry(uint64_t local, uint64_t global, void *data)
{
    struct table *table = data;
    if (local > LARGEST_NUMBER || global > UINT32_MAX) {
        table->maps->unusable = true;
        return;
    }
    while (table->maps->of[table->kind].count <= local) {
        fm_vector_push(&table->maps->of[table->kind], OTF2_UNDEFINED_UINT32);
    }
    table->maps->of[table->kind].items[local] = (uint32_t)global;
}

static OTF2_CallbackCode on_table(void *data, OTF2_MappingType type, const OTF2_IdMap *map)
{
    static const OTF2_MappingType types[FM_MAP_KINDS] = {
        [FM_MAP_REGIONS] = OTF2_MAPPING_REGION,
        [FM_MAP_LINES] = OTF2_MAPPING_SOURCE_CODE_LOCATION,
        [FM_MAP_COMMUNICATORS] = OTF2_MAPPING_COMM,
        [FM_MAP_WINDOWS] = OTF2_MAPPING_RMA_WIN,
        [FM_MAP_GROUPS] = OTF2_MAPPING_GROUP,
        [FM_MAP_STRINGS] = OTF2_MAPPING_STRING,
        [FM_MAP_ATTRIBUTES] = OTF2_MAPPING_ATTRIBUTE,
        [FM_MAP_METRICS] = OTF2_MAPPING_METRIC,
    };
    for (int kind = 0; kind < FM_MAP_KINDS; ++kind) {
        if (types[kind] == type) {
            struct table table = {data, (enum fm_location_map)kind};
            OTF2_IdMap_Traverse(map, add_entry, &table);
        }
    }
    return OTF2_CALLBACK_SUCCESS;
}

/* Not every recorder writes local definitions. */
void fm_location_maps_read(OTF2_Reader *archive, uint64_t location, struct fm_location_maps *maps)
{
    OTF2_DefReader *definitions = OTF2_Reader_GetDefReader(archive, location);
    if (maps != NULL) {
        *maps = (struct fm_location_maps){.unusable = false};
    }
    if (definitions != NULL) {
        uint64_t read;
        OTF2_DefReaderCallbacks *callbacks = OTF2_DefReaderCallbacks_New();
        OTF2_DefReaderCallbacks_SetMappingTableCallback(callbacks, on_table);
        if (maps != NULL) {
            OTF2_Reader_RegisterDefCallbacks(archive, definitions, callbacks, maps);
        }
        OTF2_DefReaderCallbacks_Delete(callbacks);
        OTF2_Reader_ReadAllLocalDefinitions(archive, definitions, &read);
        OTF2_Reader_CloseDefReader(archive, definitions);
    }
    (void)fm_otf2_error_take();
    if (maps != NULL && (maps->unusable || !fm_location_has_lines(maps))) {
        fm_location_maps_free(maps);
    }
}

void fm_location_maps_free(struct fm_location_maps *maps)
{
    for (int kind = 0; kind < FM_MAP_KINDS; ++kind) {
        fm_vector_free(&maps->of[kind]);
    }
    memset(maps, 0, sizeof *maps);
}
