/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the markers of an archive: one file of the whole archive, which many archives lack. */
#include "trace/archive/anchor.h"
#include "trace/archive/otf2_error.h"
#include "trace/survey/survey.h"

#include <otf2/otf2.h>
#include <stdio.h>
#include <string.h>

static OTF2_CallbackCode on_definition(void *data, OTF2_MarkerRef self, const char *group,
                                       const char *category, OTF2_MarkerSeverity severity)
{
    struct fm_survey *survey = data;
    (void)category;
    (void)severity;
    fm_vector_push(&survey->marker_groups, fm_copy_string(group));
    uint32_t last = (uint32_t)survey->marker_groups.count - 1;
    *fm_map_at(&survey->marker_group_index, self, last) = last;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_marker(void *data, OTF2_TimeStamp time, OTF2_TimeStamp duration,
                                   OTF2_MarkerRef marker, OTF2_MarkerScope scope,
                                   uint64_t scope_reference, const char *text)
{
    struct fm_survey *survey = data;
    (void)duration;
    fm_vector_push(&survey->markers, (struct fm_survey_marker){
                                         .time = time,
                                         .group = fm_map_get(&survey->marker_group_index, marker),
                                         .has_location = scope == OTF2_MARKER_SCOPE_LOCATION,
                                         .location = scope_reference,
                                         .text = fm_copy_string(text),
                                     });
    return OTF2_CALLBACK_SUCCESS;
}

fm_status_t fm_survey_read_markers(struct fm_survey *survey, struct fm_error *error)
{
    /* OTF2 reports an error for a missing file as for a damaged one. */
    if (!fm_anchor_has_file(survey->anchor, ".marker")) {
        return FM_OK;
    }
    (void)fm_otf2_error_take();
    OTF2_MarkerReader *reader = OTF2_Reader_GetMarkerReader(survey->reader);
    if (reader == NULL) {
        return fm_fail(error, FM_ERR_DATA, "%s: its markers cannot be opened: %s", survey->anchor,
                       fm_otf2_error_take());
    }
    OTF2_MarkerReaderCallbacks *callbacks = OTF2_MarkerReaderCallbacks_New();
    OTF2_MarkerReaderCallbacks_SetDefMarkerCallback(callbacks, on_definition);
    OTF2_MarkerReaderCallbacks_SetMarkerCallback(callbacks, on_marker);
    OTF2_Reader_RegisterMarkerCallbacks(survey->reader, reader, callbacks, survey);
    OTF2_MarkerReaderCallbacks_Delete(callbacks);
    uint64_t count = 0;
    OTF2_ErrorCode code = OTF2_Reader_ReadAllMarkers(survey->reader, reader, &count);
    OTF2_Reader_CloseMarkerReader(survey->reader, reader);
    return code == OTF2_SUCCESS
               ? FM_OK
               : fm_fail(error, FM_ERR_DATA, "%s: its markers cannot be read to their end: %s",
                         survey->anchor, fm_otf2_error_take());
}
