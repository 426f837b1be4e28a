/* SPDX-License-Identifier: BSD-3-Clause */
/* A scenario as OTF2 archive: files, locations and the life cycle; records are elsewhere. */
#include "base/files/new_directory.h"
#include "scenario/archive_records.h"

#include <otf2/otf2.h>
#include <stdarg.h>

#define EVENT_CHUNK      ((uint64_t)256 << 10) /* the least: OTF2 clears it for each location */
#define DEFINITION_CHUNK ((uint64_t)256 << 10)

/* OTF2 prints each error by default; here the returned code reports it once. */
static OTF2_ErrorCode return_code(void *data, const char *file, uint64_t line, const char *function,
                                  OTF2_ErrorCode code, const char *format, va_list arguments)
{
    (void)data, (void)file, (void)line, (void)function, (void)format, (void)arguments;
    return code;
}

static OTF2_FlushType always_flush(void *data, OTF2_FileType type, OTF2_LocationRef location,
                                   void *caller, bool final)
{
    (void)data, (void)type, (void)location, (void)caller, (void) final;
    return OTF2_FLUSH;
}

static const OTF2_FlushCallbacks flush_callbacks = {.otf2_pre_flush = always_flush};

static OTF2_ErrorCode set_properties(OTF2_Archive *archive, const char *machine)
{
    static const struct {
        const char *name;
        bool value;
    } properties[] = {
        {"OTF2::MPI_COMMUNICATION_COMPLETE", true},
        {"OTF2::THREAD_FORK_JOIN_EVENT_COMPLETE", true},
        {"OTF2::THREAD_CREATE_WAIT_EVENT_COMPLETE", true},
        {"OTF2::THREAD_LOCK_EVENT_COMPLETE", true},
        {"OTF2::PTHREAD_LOCATION_REUSED", false},
    };
    OTF2_ErrorCode code = OTF2_Archive_SetCreator(archive, "fermata " FERMATA_VERSION);
    if (code == OTF2_SUCCESS) {
        code = OTF2_Archive_SetMachineName(archive, machine);
    }
    for (size_t i = 0; code == OTF2_SUCCESS && i < sizeof properties / sizeof *properties; i++) {
        code = OTF2_Archive_SetBoolProperty(archive, properties[i].name, properties[i].value, true);
    }
    return code;
}

/* A location without events has both of its files, too. */
static OTF2_ErrorCode write_location(const struct fm_scenario *scenario, OTF2_Archive *archive,
                                     uint32_t location)
{
    OTF2_LocationRef id = fm_archive_location_id(scenario, location);
    const struct fm_scenario_location *timeline = &scenario->locations[location];
    OTF2_EvtWriter *events = OTF2_Archive_GetEvtWriter(archive, id);
    if (events == NULL) {
        return OTF2_ERROR_FILE_CAN_NOT_OPEN;
    }
    OTF2_ErrorCode code = OTF2_SUCCESS;
    for (size_t i = 0; code == OTF2_SUCCESS && i < timeline->count; i++) {
        code = fm_archive_write_event(scenario, events, &timeline->events[i]);
    }
    OTF2_ErrorCode closed = OTF2_Archive_CloseEvtWriter(archive, events);
    code = code != OTF2_SUCCESS ? code : closed;
    if (code != OTF2_SUCCESS) {
        return code;
    }
    OTF2_DefWriter *definitions = OTF2_Archive_GetDefWriter(archive, id);
    if (definitions == NULL) {
        return OTF2_ERROR_FILE_CAN_NOT_OPEN;
    }
    for (size_t i = 0; code == OTF2_SUCCESS && i < scenario->clock_offset_count; i++) {
        const struct fm_scenario_clock_offset *offset = &scenario->clock_offsets[i];
        if (offset->rank == location / scenario->thread_count) {
            code = OTF2_DefWriter_WriteClockOffset(definitions, offset->time, offset->offset, 0);
        }
    }
    closed = OTF2_Archive_CloseDefWriter(archive, definitions);
    return code != OTF2_SUCCESS ? code : closed;
}

static OTF2_ErrorCode write_content(const struct fm_scenario *scenario, OTF2_Archive *archive)
{
    OTF2_ErrorCode code = OTF2_Archive_SetFlushCallbacks(archive, &flush_callbacks, NULL);
    if (code == OTF2_SUCCESS) {
        code = OTF2_Archive_SetSerialCollectiveCallbacks(archive);
    }
    if (code == OTF2_SUCCESS) {
        code = set_properties(archive, scenario->machine);
    }
    if (code == OTF2_SUCCESS) {
        code = OTF2_Archive_OpenEvtFiles(archive);
    }
    if (code == OTF2_SUCCESS) {
        code = OTF2_Archive_OpenDefFiles(archive);
    }
    uint32_t locations = scenario->rank_count * scenario->thread_count;
    for (uint32_t i = 0; code == OTF2_SUCCESS && i < locations; i++) {
        if (!scenario->locations[i].is_absent) {
            code = write_location(scenario, archive, i);
        }
    }
    if (code == OTF2_SUCCESS) {
        code = OTF2_Archive_CloseDefFiles(archive);
    }
    if (code == OTF2_SUCCESS) {
        code = OTF2_Archive_CloseEvtFiles(archive);
    }
    if (code == OTF2_SUCCESS) {
        OTF2_GlobalDefWriter *writer = OTF2_Archive_GetGlobalDefWriter(archive);
        code = writer == NULL ? OTF2_ERROR_FILE_CAN_NOT_OPEN
                              : fm_archive_write_definitions(scenario, writer);
        if (writer != NULL) {
            OTF2_ErrorCode closed = OTF2_Archive_CloseGlobalDefWriter(archive, writer);
            code = code != OTF2_SUCCESS ? code : closed;
        }
    }
    return code;
}

static int write_archive(void *argument, const char *directory)
{
    const struct fm_scenario *scenario = argument;
    OTF2_Error_RegisterCallback(return_code, NULL);
    OTF2_Archive *archive =
        OTF2_Archive_Open(directory, "traces", OTF2_FILEMODE_WRITE, EVENT_CHUNK, DEFINITION_CHUNK,
                          OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (archive == NULL) {
        return OTF2_ERROR_FILE_CAN_NOT_OPEN;
    }
    OTF2_ErrorCode code = write_content(scenario, archive);
    /* After a failure the archive stays open: closing would write again. The process ends. */
    return code == OTF2_SUCCESS ? OTF2_Archive_Close(archive) : code;
}

static const char *describe(int code)
{
    return OTF2_Error_GetDescription((OTF2_ErrorCode)code);
}

/* OTF2 3.0 frees a buffer twice when a write fails, which ends the process. A child process writes,
 * so that a full disk is reported as an error. */
fm_status_t fm_scenario_write_archive(const struct fm_scenario *scenario, const char *directory,
                                      struct fm_error *error)
{
    const struct fm_directory_writer writer = {write_archive, (void *)scenario, describe};
    return fm_new_directory(directory, &writer, error);
}
