/* SPDX-License-Identifier: BSD-3-Clause */
/* The mean distance between the recorded calls of a run.
 *
 *   call_distance DIR/traces.otf2
 *
 * Prints the number of calls of all locations, and the mean time from one call's Enter to the next
 * call's Enter on the same location: the time between first and last event, summed over all
 * locations, divided by the number of calls. */
#include <inttypes.h>
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>

struct run {
    uint64_t resolution; /* ticks per second */
    uint64_t *ids;       /* of locations */
    size_t count;
    uint64_t calls; /* of all locations, as `ticks` */
    uint64_t ticks;
};

/* Results from the events of one location. */
struct span {
    uint64_t calls;
    OTF2_TimeStamp first, last;
};

static OTF2_CallbackCode on_clock(void *data, uint64_t resolution, uint64_t begin, uint64_t length,
                                  uint64_t realtime)
{
    (void)begin, (void)length, (void)realtime;
    ((struct run *)data)->resolution = resolution;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_location(void *data, OTF2_LocationRef id, OTF2_StringRef name,
                                     OTF2_LocationType type, uint64_t event_count,
                                     OTF2_LocationGroupRef group)
{
    (void)name, (void)type, (void)event_count, (void)group;
    struct run *run = data;
    uint64_t *ids = realloc(run->ids, (run->count + 1) * sizeof *ids);
    if (ids == NULL) {
        return OTF2_CALLBACK_ERROR;
    }
    run->ids = ids;
    run->ids[run->count++] = id;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_enter(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                  void *data, OTF2_AttributeList *attributes, OTF2_RegionRef region)
{
    (void)location, (void)position, (void)attributes, (void)region;
    struct span *span = data;
    if (span->calls++ == 0) {
        span->first = time;
    }
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_leave(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                  void *data, OTF2_AttributeList *attributes, OTF2_RegionRef region)
{
    (void)location, (void)position, (void)attributes, (void)region;
    ((struct span *)data)->last = time;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_ErrorCode read_definitions(OTF2_Reader *archive, struct run *run)
{
    uint64_t read;
    OTF2_GlobalDefReader *reader = OTF2_Reader_GetGlobalDefReader(archive);
    OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();
    OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(callbacks, on_clock);
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, on_location);
    OTF2_Reader_RegisterGlobalDefCallbacks(archive, reader, callbacks, run);
    OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
    OTF2_ErrorCode status = OTF2_Reader_ReadAllGlobalDefinitions(archive, reader, &read);
    OTF2_Reader_CloseGlobalDefReader(archive, reader);
    return status;
}

static OTF2_ErrorCode read_events(OTF2_Reader *archive, struct run *run)
{
    OTF2_ErrorCode status = OTF2_SUCCESS;
    OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();
    OTF2_EvtReaderCallbacks_SetEnterCallback(callbacks, on_enter);
    OTF2_EvtReaderCallbacks_SetLeaveCallback(callbacks, on_leave);
    for (size_t i = 0; i < run->count; ++i) {
        OTF2_Reader_SelectLocation(archive, run->ids[i]);
    }
    OTF2_Reader_OpenEvtFiles(archive);
    for (size_t i = 0; i < run->count && status == OTF2_SUCCESS; ++i) {
        struct span span = {0};
        uint64_t read;
        OTF2_EvtReader *reader = OTF2_Reader_GetEvtReader(archive, run->ids[i]);
        OTF2_Reader_RegisterEvtCallbacks(archive, reader, callbacks, &span);
        status = OTF2_Reader_ReadAllLocalEvents(archive, reader, &read);
        OTF2_Reader_CloseEvtReader(archive, reader);
        run->calls += span.calls;
        run->ticks += span.last - span.first;
    }
    OTF2_Reader_CloseEvtFiles(archive);
    OTF2_EvtReaderCallbacks_Delete(callbacks);
    return status;
}

int main(int argc, char **argv)
{
    struct run run = {0};
    OTF2_Reader *archive = argc == 2 ? OTF2_Reader_Open(argv[1]) : NULL;
    if (archive == NULL) {
        fprintf(stderr, "usage: call_distance DIR/traces.otf2\n");
        return 2;
    }
    OTF2_Reader_SetSerialCollectiveCallbacks(archive);
    OTF2_ErrorCode status = read_definitions(archive, &run);
    if (status == OTF2_SUCCESS) {
        status = read_events(archive, &run);
    }
    OTF2_Reader_Close(archive);
    free(run.ids);
    if (status != OTF2_SUCCESS || run.calls == 0 || run.resolution == 0) {
        fprintf(stderr, "call_distance: %s: not the archive of a run\n", argv[1]);
        return 1;
    }
    printf("%" PRIu64 " calls of %zu locations\n%.3f us from call to call\n", run.calls, run.count,
           1e6 * (double)run.ticks / (double)run.resolution / (double)run.calls);
    return 0;
}
