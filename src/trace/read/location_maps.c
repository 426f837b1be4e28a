/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/read/location_maps.h"

#include "trace/archive/anchor.h"
#include "trace/archive/otf2_error.h"
#include "trace/archive/record_count.h"

/* Locations with larger local references are read by OTF2, without lines. */
enum { LARGEST_NUMBER = 1 << 22 };

struct reading {
    struct fm_location_maps *maps;
    bool seen[FM_MAP_KINDS];
};

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
    table->maps->inexact |= global == OTF2_UNDEFINED_UINT32;
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
        [FM_MAP_PARAMETERS] = OTF2_MAPPING_PARAMETER,
        [FM_MAP_CONTEXTS] = OTF2_MAPPING_CALLING_CONTEXT,
        [FM_MAP_GENERATORS] = OTF2_MAPPING_INTERRUPT_GENERATOR,
    };
    struct reading *reading = data;
    for (int kind = 0; kind < FM_MAP_KINDS; kind++) {
        if (types[kind] == type) {
            struct table table = {reading->maps, (enum fm_location_map)kind};
            OTF2_IdMap_Traverse(map, add_entry, &table);
            /* OTF2 uses the first table of a kind. */
            reading->maps->inexact |= reading->seen[kind];
            reading->seen[kind] = true;
        }
    }
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_clock_offset(void *data, uint64_t time, int64_t offset,
                                         double deviation)
{
    (void)deviation;
    struct reading *reading = data;
    reading->maps->inexact |= !fm_clock_add(&reading->maps->clock, time, offset);
    return OTF2_CALLBACK_SUCCESS;
}

/* Not every recorder writes local definitions.
 * @return whether all existing definitions were read */
static bool read_definitions(OTF2_Reader *archive, const char *anchor, struct fm_event_files *files,
                             uint64_t location, struct reading *reading)
{
    bool whole = false;
    OTF2_DefReader *definitions = OTF2_Reader_GetDefReader(archive, location);
    if (definitions == NULL) {
        whole = !fm_anchor_has_definitions(anchor, location);
    } else {
        uint64_t read = 0, most = fm_record_count_definitions(files, location);
        OTF2_DefReaderCallbacks *callbacks = OTF2_DefReaderCallbacks_New();
        OTF2_DefReaderCallbacks_SetMappingTableCallback(callbacks, on_table);
        OTF2_DefReaderCallbacks_SetClockOffsetCallback(callbacks, on_clock_offset);
        OTF2_Reader_RegisterDefCallbacks(archive, definitions, callbacks, reading);
        OTF2_DefReaderCallbacks_Delete(callbacks);
        whole =
            OTF2_Reader_ReadLocalDefinitions(archive, definitions, most, &read) == OTF2_SUCCESS &&
            read < most;
        OTF2_Reader_CloseDefReader(archive, definitions);
    }
    (void)fm_otf2_error_take();
    return whole;
}

static void free_tables(struct fm_location_maps *maps)
{
    for (int kind = 0; kind < FM_MAP_KINDS; kind++) {
        fm_vector_free(&maps->of[kind]);
    }
}

/* Frees tables that map each reference to itself. */
static void free_identities(struct fm_location_maps *maps)
{
    for (int kind = 0; kind < FM_MAP_KINDS; kind++) {
        size_t i = 0;
        while (i < maps->of[kind].count &&
               (maps->of[kind].items[i] == i || maps->of[kind].items[i] == OTF2_UNDEFINED_UINT32)) {
            i++;
        }
        if (i == maps->of[kind].count) {
            fm_vector_free(&maps->of[kind]);
        }
    }
}

void fm_location_maps_read(OTF2_Reader *archive, const char *anchor, struct fm_event_files *files,
                           uint64_t location, struct fm_location_maps *maps)
{
    *maps = (struct fm_location_maps){.unusable = false};
    maps->damaged =
        !read_definitions(archive, anchor, files, location, &(struct reading){.maps = maps});
    if (maps->unusable) {
        free_tables(maps);
    } else if (!fm_location_has_lines(maps)) {
        free_identities(maps);
    }
}

void fm_location_maps_free(struct fm_location_maps *maps)
{
    free_tables(maps);
    fm_clock_free(&maps->clock);
}
