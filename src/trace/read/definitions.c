/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens an archive: reads its global definitions and resolves them to a struct fm_trace. */
#include "trace/archive/anchor.h"
#include "trace/archive/otf2_error.h"
#include "trace/read/raw_definitions.h"

#include <otf2/otf2.h>
#include <stdlib.h>

static fm_status_t read_definitions(OTF2_Reader *reader, struct fm_raw_definitions *raw,
                                    struct fm_error *error)
{
    const char *anchor = raw->into->trace.anchor;
    uint64_t expected = 0, read = 0;
    OTF2_Reader_SetSerialCollectiveCallbacks(reader);
    if (OTF2_Reader_GetNumberOfGlobalDefinitions(reader, &expected) != OTF2_SUCCESS) {
        return fm_fail(error, FM_ERR_DATA, "%s: damaged anchor file: %s", anchor,
                       fm_otf2_error_take());
    }
    OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(reader);
    if (definitions == NULL) {
        return fm_fail(error, FM_ERR_DATA, "%s: no readable definitions: %s", anchor,
                       fm_otf2_error_take());
    }
    OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();
    fm_raw_definitions_register(callbacks);
    OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks, raw);
    OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
    OTF2_ErrorCode code = OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &read);
    if (code != OTF2_SUCCESS || read != expected) {
        return fm_fail(error, FM_ERR_DATA, "%s: definitions end after %llu of %llu: %s", anchor,
                       (unsigned long long)read, (unsigned long long)expected,
                       fm_otf2_error_take());
    }
    if (raw->into->trace.ticks_per_second == 0) {
        return fm_fail(error, FM_ERR_DATA,
                       "%s: the definitions have no clock resolution; record "
                       "the program again",
                       anchor);
    }
    char *text = NULL;
    if (OTF2_Reader_GetCreator(reader, &text) == OTF2_SUCCESS && text != NULL) {
        raw->into->trace.creator = fm_copy_string(text);
        free(text);
    }
    text = NULL;
    if (OTF2_Reader_GetMachineName(reader, &text) == OTF2_SUCCESS && text != NULL) {
        raw->into->trace.machine = fm_copy_string(text);
        free(text);
    }
    text = NULL;
    raw->into->trace.has_partner_fences =
        OTF2_Reader_GetProperty(reader, FM_PARTNER_FENCES, &text) == OTF2_SUCCESS;
    free(text);
    return FM_OK;
}

fm_status_t fm_trace_open(const char *archive, struct fm_trace **trace, struct fm_error *error)
{
    char *anchor = NULL;
    fm_status_t status = fm_anchor_find(archive, &anchor, error);
    if (status != FM_OK) {
        return status;
    }
    struct fm_trace_private *made = fm_allocate(1, sizeof *made);
    made->trace.anchor = anchor;
    struct fm_raw_definitions raw = {.into = made};
    OTF2_Reader *reader = NULL;
    status = fm_anchor_open(anchor, &reader, error);
    if (status == FM_OK) {
        status = read_definitions(reader, &raw, error);
        OTF2_Reader_Close(reader);
    }
    if (status == FM_OK) {
        fm_raw_definitions_resolve(&raw);
        *trace = &made->trace;
    } else {
        fm_trace_free(&made->trace);
    }
    fm_raw_definitions_free(&raw);
    return status;
}
