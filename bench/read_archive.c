/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads an OTF2 archive as cheaply as OTF2 can and discards the events: the reference for the
 * analysis. One thread, one location after the other, mapping tables and clock offsets applied, a
 * callback that returns immediately for every kind of event. */
#include "trace/archive/event_fields.h"

#include <inttypes.h>
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>

/* A callback has all parameters of its event; these use none of them. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define FM_EVENT_RECORD(number, symbol, record, framing, fields, ...)                              \
    static OTF2_CallbackCode on_##record FM_EVENT_PARAMETERS(fields)                               \
    {                                                                                              \
        return OTF2_CALLBACK_SUCCESS;                                                              \
    }
#include "trace/archive/event_records.def"
#undef FM_EVENT_RECORD

static OTF2_EvtReaderCallbacks *empty_callbacks(void)
{
    OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();
#define FM_EVENT_RECORD(number, symbol, record, ...)                                               \
    OTF2_EvtReaderCallbacks_Set##record##Callback(callbacks, on_##record);
#include "trace/archive/event_records.def"
#undef FM_EVENT_RECORD
    return callbacks;
}

struct locations {
    uint64_t *ids;
    size_t count;
};

static OTF2_CallbackCode on_location(void *data, OTF2_LocationRef id, OTF2_StringRef name,
                                     OTF2_LocationType type, uint64_t event_count,
                                     OTF2_LocationGroupRef group)
{
    struct locations *locations = data;
    if ((locations->count & (locations->count - 1)) == 0) {
        size_t capacity = locations->count == 0 ? 1 : 2 * locations->count;
        locations->ids = realloc(locations->ids, capacity * sizeof *locations->ids);
        if (locations->ids == NULL) {
            fprintf(stderr, "read_archive: no memory\n");
            exit(EXIT_FAILURE);
        }
    }
    locations->ids[locations->count++] = id;
    return OTF2_CALLBACK_SUCCESS;
}

static void read_global_definitions(OTF2_Reader *archive, struct locations *locations)
{
    OTF2_GlobalDefReader *reader = OTF2_Reader_GetGlobalDefReader(archive);
    OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, on_location);
    OTF2_Reader_RegisterGlobalDefCallbacks(archive, reader, callbacks, locations);
    OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
    uint64_t read;
    OTF2_Reader_ReadAllGlobalDefinitions(archive, reader, &read);
    OTF2_Reader_CloseGlobalDefReader(archive, reader);
}

static void read_local_definitions(OTF2_Reader *archive, const struct locations *locations)
{
    if (OTF2_Reader_OpenDefFiles(archive) != OTF2_SUCCESS) {
        return;
    }
    for (size_t i = 0; i < locations->count; ++i) {
        OTF2_DefReader *reader = OTF2_Reader_GetDefReader(archive, locations->ids[i]);
        if (reader != NULL) {
            uint64_t read;
            OTF2_Reader_ReadAllLocalDefinitions(archive, reader, &read);
            OTF2_Reader_CloseDefReader(archive, reader);
        }
    }
    OTF2_Reader_CloseDefFiles(archive);
}

static uint64_t read_events(OTF2_Reader *archive, const struct locations *locations)
{
    OTF2_EvtReaderCallbacks *callbacks = empty_callbacks();
    uint64_t total = 0;
    OTF2_Reader_OpenEvtFiles(archive);
    for (size_t i = 0; i < locations->count; ++i) {
        OTF2_EvtReader *reader = OTF2_Reader_GetEvtReader(archive, locations->ids[i]);
        if (reader != NULL) {
            OTF2_Reader_RegisterEvtCallbacks(archive, reader, callbacks, NULL);
            uint64_t read = 0;
            OTF2_Reader_ReadAllLocalEvents(archive, reader, &read);
            OTF2_Reader_CloseEvtReader(archive, reader);
            total += read;
        }
    }
    OTF2_Reader_CloseEvtFiles(archive);
    OTF2_EvtReaderCallbacks_Delete(callbacks);
    return total;
}

int main(int argc, char **argv)
{
    OTF2_Reader *archive = argc == 2 ? OTF2_Reader_Open(argv[1]) : NULL;
    if (archive == NULL) {
        fprintf(stderr, "usage: read_archive DIR/traces.otf2\n");
        return 2;
    }
    OTF2_Reader_SetSerialCollectiveCallbacks(archive);
    struct locations locations = {0};
    read_global_definitions(archive, &locations);
    for (size_t i = 0; i < locations.count; ++i) {
        OTF2_Reader_SelectLocation(archive, locations.ids[i]);
    }
    read_local_definitions(archive, &locations);
    uint64_t events = read_events(archive, &locations);
    OTF2_Reader_Close(archive);
    free(locations.ids);
    printf("%" PRIu64 " events of %zu locations\n", events, locations.count);
    return 0;
}
