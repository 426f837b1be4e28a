/* SPDX-License-Identifier: BSD-3-Clause */
#include "export/otf2/otf2_copy.h"

#include "base/containers/vector.h"
#include "base/files/new_directory.h"
#include "export/otf2/otf2_copy_internal.h"
#include "trace/archive/anchor.h"

#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>

#define EVENT_CHUNK      ((uint64_t)1 << 20)
#define DEFINITION_CHUNK ((uint64_t)256 << 10)

/* @return whether a file system refuses data; some of OTF2's functions do not return this */
static bool is_of_full_disk(OTF2_ErrorCode code)
{
    return code == OTF2_ERROR_ENOSPC || code == OTF2_ERROR_EDQUOT || code == OTF2_ERROR_EFBIG ||
           code == OTF2_ERROR_EIO;
}

/* Suppresses OTF2's own error messages; one code is reported once. */
static OTF2_ErrorCode return_code(void *data, const char *file, uint64_t line, const char *function,
                                  OTF2_ErrorCode code, const char *format, va_list arguments)
{
    (void)file, (void)line, (void)function, (void)format, (void)arguments;
    struct fm_otf2_copier *copier = data;
    if (copier->refused == OTF2_SUCCESS && is_of_full_disk(code)) {
        copier->refused = code;
    }
    return code;
}

static OTF2_FlushType always_flush(void *data, OTF2_FileType type, OTF2_LocationRef location,
                                   void *caller, bool final)
{
    (void)data, (void)type, (void)location, (void)caller, (void) final;
    return OTF2_FLUSH;
}

static const OTF2_FlushCallbacks flush_callbacks = {.otf2_pre_flush = always_flush};

OTF2_CallbackCode fm_otf2_copy_keep(struct fm_otf2_copier *copier, OTF2_ErrorCode code)
{
    if (copier->code == OTF2_SUCCESS) {
        copier->code = code;
    }
    return copier->code == OTF2_SUCCESS ? OTF2_CALLBACK_SUCCESS : OTF2_CALLBACK_ERROR;
}

/* Whether the files of a location can be read. OTF2's reader may not come to an end in damaged
 * ones.
 */
static bool is_readable(const struct fm_otf2_copier *copier,
                        const struct fm_otf2_location *location)
{
    return location->index == FM_NONE || !copier->trace->locations[location->index].is_unreadable;
}

static void read_local_definitions(OTF2_Reader *reader, uint64_t id)
{
    OTF2_DefReader *definitions = OTF2_Reader_GetDefReader(reader, id);
    uint64_t read;
    if (definitions != NULL) {
        OTF2_Reader_ReadAllLocalDefinitions(reader, definitions, &read);
        OTF2_Reader_CloseDefReader(reader, definitions);
    }
}

static void copy_events(struct fm_otf2_copier *copier, struct fm_otf2_location *location)
{
    uint64_t read;
    OTF2_EvtReader *events = is_readable(copier, location)
                                 ? OTF2_Reader_GetEvtReader(copier->reader, location->id)
                                 : NULL;
    copier->writer = OTF2_Archive_GetEvtWriter(copier->archive, location->id);
    if (copier->writer == NULL) {
        fm_otf2_copy_keep(copier, OTF2_ERROR_FILE_CAN_NOT_OPEN);
    }
    copier->activity = 0;
    copier->open.count = 0;
    copier->known = location->index != FM_NONE;
    copier->location = location->index;
    copier->cursors = (struct fm_time_cursors){{0}};
    const struct fm_otf2_additions *additions = copier->additions;
    if (copier->known && additions->begin != NULL && copier->code == OTF2_SUCCESS) {
        fm_otf2_copy_keep(copier, additions->begin(additions->context, copier->writer,
                                                   location->index, &copier->unused));
    }
    /* A location without events has no event file. */
    if (events != NULL && copier->code == OTF2_SUCCESS) {
        OTF2_Reader_RegisterEvtCallbacks(copier->reader, events, copier->callbacks, copier);
        if (copier->trace->ignores_clock_offsets) {
            OTF2_EvtReader_ApplyClockOffsets(events, false);
        }
        OTF2_Reader_ReadAllLocalEvents(copier->reader, events, &read);
    }
    if (copier->known && additions->advance != NULL && copier->code == OTF2_SUCCESS) {
        fm_otf2_copy_keep(copier,
                          additions->advance(additions->context, copier->writer, UINT64_MAX));
    }
    if (events != NULL) {
        OTF2_Reader_CloseEvtReader(copier->reader, events);
    }
    if (copier->code == OTF2_SUCCESS) {
        fm_otf2_copy_keep(copier,
                          OTF2_EvtWriter_GetNumberOfEvents(copier->writer, &location->events));
        fm_otf2_copy_keep(copier, OTF2_Archive_CloseEvtWriter(copier->archive, copier->writer));
    }
    if (copier->code == OTF2_SUCCESS) {
        OTF2_DefWriter *definitions = OTF2_Archive_GetDefWriter(copier->archive, location->id);
        fm_otf2_copy_keep(copier, definitions == NULL
                                      ? OTF2_ERROR_FILE_CAN_NOT_OPEN
                                      : OTF2_Archive_CloseDefWriter(copier->archive, definitions));
    }
}

static void copy_all_events(struct fm_otf2_copier *copier)
{
    for (size_t i = 0; i < copier->locations.count; i++) {
        OTF2_Reader_SelectLocation(copier->reader, copier->locations.items[i].id);
    }
    if (OTF2_Reader_OpenDefFiles(copier->reader) == OTF2_SUCCESS) {
        for (size_t i = 0; i < copier->locations.count; i++) {
            if (is_readable(copier, &copier->locations.items[i])) {
                read_local_definitions(copier->reader, copier->locations.items[i].id);
            }
        }
        OTF2_Reader_CloseDefFiles(copier->reader);
    }
    OTF2_Reader_OpenEvtFiles(copier->reader);
    for (size_t i = 0; i < copier->locations.count && copier->code == OTF2_SUCCESS; i++) {
        copy_events(copier, &copier->locations.items[i]);
    }
    OTF2_Reader_CloseEvtFiles(copier->reader);
}

/* Reads the global definitions with the given callbacks. Each pass needs its own reader, because
 * OTF2 reads definitions only once. */
static void read_definitions(struct fm_otf2_copier *copier,
                             OTF2_GlobalDefReaderCallbacks *callbacks)
{
    OTF2_Reader *reader = OTF2_Reader_Open(copier->trace->anchor);
    OTF2_GlobalDefReader *definitions =
        reader == NULL ? NULL : OTF2_Reader_GetGlobalDefReader(reader);
    uint64_t read;
    if (definitions == NULL) {
        fm_otf2_copy_keep(copier, OTF2_ERROR_FILE_CAN_NOT_OPEN);
    } else {
        OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks, copier);
        OTF2_ErrorCode code = OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &read);
        fm_otf2_copy_keep(copier, code);
    }
    if (reader != NULL) {
        OTF2_Reader_Close(reader);
    }
    OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
}

static void copy_definitions(struct fm_otf2_copier *copier)
{
    copier->definitions = OTF2_Archive_GetGlobalDefWriter(copier->archive);
    if (copier->definitions == NULL) {
        fm_otf2_copy_keep(copier, OTF2_ERROR_FILE_CAN_NOT_OPEN);
        return;
    }
    read_definitions(copier, fm_otf2_copying_callbacks());
    const struct fm_otf2_additions *additions = copier->additions;
    if (copier->code == OTF2_SUCCESS && additions->define != NULL) {
        fm_otf2_copy_keep(
            copier, additions->define(additions->context, copier->definitions, &copier->unused));
    }
    if (copier->code == OTF2_SUCCESS) {
        fm_otf2_copy_keep(copier,
                          OTF2_Archive_CloseGlobalDefWriter(copier->archive, copier->definitions));
    }
}

static void copy_properties(struct fm_otf2_copier *copier)
{
    uint32_t count = 0;
    char **names = NULL;
    const char *added = copier->additions->property;
    if (added != NULL) {
        fm_otf2_copy_keep(copier, OTF2_Archive_SetProperty(copier->archive, added, "true", true));
    }
    if (OTF2_Reader_GetPropertyNames(copier->reader, &count, &names) != OTF2_SUCCESS) {
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        char *value = NULL;
        if (OTF2_Reader_GetProperty(copier->reader, names[i], &value) == OTF2_SUCCESS) {
            fm_otf2_copy_keep(copier,
                              OTF2_Archive_SetProperty(copier->archive, names[i], value, true));
        }
        free(value);
    }
    free(names);
}

static int copy(void *argument, const char *directory)
{
    struct fm_otf2_copier *copier = argument;
    struct fm_error error;
    umask(077); /* as for archives of the recorder: a trace describes a program that may be
                   confidential */
    if (fm_anchor_open(copier->trace->anchor, &copier->reader, &error) != FM_OK) {
        return OTF2_ERROR_FILE_CAN_NOT_OPEN;
    }
    OTF2_Error_RegisterCallback(return_code, copier); /* instead of the reader's */
    OTF2_Reader_SetSerialCollectiveCallbacks(copier->reader);
    copier->archive =
        OTF2_Archive_Open(directory, "traces", OTF2_FILEMODE_WRITE, EVENT_CHUNK, DEFINITION_CHUNK,
                          OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (copier->archive == NULL) {
        return OTF2_ERROR_FILE_CAN_NOT_OPEN;
    }
    fm_otf2_copy_keep(copier,
                      OTF2_Archive_SetFlushCallbacks(copier->archive, &flush_callbacks, NULL));
    fm_otf2_copy_keep(copier, OTF2_Archive_SetSerialCollectiveCallbacks(copier->archive));
    if (copier->trace->creator != NULL) {
        fm_otf2_copy_keep(copier, OTF2_Archive_SetCreator(copier->archive, copier->trace->creator));
    }
    if (copier->trace->machine != NULL) {
        fm_otf2_copy_keep(copier,
                          OTF2_Archive_SetMachineName(copier->archive, copier->trace->machine));
    }
    copy_properties(copier);
    fm_otf2_copy_keep(copier, OTF2_Archive_OpenEvtFiles(copier->archive));
    fm_otf2_copy_keep(copier, OTF2_Archive_OpenDefFiles(copier->archive));
    for (uint32_t i = 0; i < copier->trace->location_count; i++) {
        fm_map_insert(&copier->index_of_location, copier->trace->locations[i].id, i);
    }
    read_definitions(copier, fm_otf2_surveying_callbacks());
    copier->callbacks = fm_otf2_event_callbacks();
    if (copier->code == OTF2_SUCCESS) {
        copy_all_events(copier);
    }
    OTF2_EvtReaderCallbacks_Delete(copier->callbacks);
    if (copier->code == OTF2_SUCCESS) {
        fm_otf2_copy_keep(copier, OTF2_Archive_CloseDefFiles(copier->archive));
        fm_otf2_copy_keep(copier, OTF2_Archive_CloseEvtFiles(copier->archive));
        copy_definitions(copier);
    }
    /* After a failure the process ends without closing the archive: closing would write again. */
    if (copier->code == OTF2_SUCCESS) {
        copier->code = OTF2_Archive_Close(copier->archive);
    }
    return copier->refused != OTF2_SUCCESS ? copier->refused : copier->code;
}

/* After a failed write, OTF2 may report only what it has found later. */
static const char *describe(int code)
{
    if (code == OTF2_ERROR_INTEGRITY_FAULT || code == OTF2_ERROR_PROCESSED_WITH_FAULTS) {
        return "a write failed (disk full, quota or file size limit?)";
    }
    return OTF2_Error_GetDescription((OTF2_ErrorCode)code);
}

fm_status_t fm_otf2_copy(const struct fm_trace *trace, const char *directory,
                         const struct fm_otf2_additions *additions, struct fm_error *error)
{
    struct fm_otf2_copier copier = {
        .trace = trace, .additions = additions, .acquired_at = OTF2_UNDEFINED_ATTRIBUTE};
    const struct fm_directory_writer writer = {copy, &copier, describe};
    return fm_new_directory(directory, &writer, error);
}
