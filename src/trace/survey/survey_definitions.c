/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the global definitions of an archive into a survey, unresolved. */
#include "trace/survey/survey_events.h"

#include "base/awaited_names.h"

#include <string.h>

static OTF2_CallbackCode define(struct fm_survey_index *index, uint64_t reference, size_t position)
{
    if (fm_map_get(&index->map, reference) != FM_MAP_ABSENT) {
        index->repeated++;
    }
    *fm_map_at(&index->map, reference, 0) = (uint32_t)position;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_clock(void *data, uint64_t resolution, uint64_t offset, uint64_t length,
                                  uint64_t realtime)
{
    struct fm_survey *survey = data;
    survey->has_clock = true;
    survey->ticks_per_second = resolution;
    survey->clock_offset = offset;
    survey->clock_length = length;
    survey->clock_realtime = realtime;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_paradigm(void *data, OTF2_Paradigm paradigm, OTF2_StringRef name,
                                     OTF2_ParadigmClass class)
{
    (void)class;
    struct fm_survey *survey = data;
    fm_vector_push(&survey->paradigms, (struct fm_survey_paradigm){name, paradigm});
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_string(void *data, OTF2_StringRef self, const char *string)
{
    struct fm_survey *survey = data;
    fm_vector_push(&survey->strings, fm_copy_string(string));
    return define(&survey->string_index, self, survey->strings.count - 1);
}

static OTF2_CallbackCode on_region(void *data, OTF2_RegionRef self, OTF2_StringRef name,
                                   OTF2_StringRef canonical, OTF2_StringRef description,
                                   OTF2_RegionRole role, OTF2_Paradigm paradigm,
                                   OTF2_RegionFlag flags, OTF2_StringRef file, uint32_t begin,
                                   uint32_t end)
{
    (void)canonical;
    (void)description;
    (void)flags;
    (void)begin;
    (void)end;
    struct fm_survey *survey = data;
    const struct fm_survey_region region = {self, name, file, role, paradigm};
    fm_vector_push(&survey->regions, region);
    return define(&survey->region_index, self, survey->regions.count - 1);
}

static OTF2_CallbackCode on_node(void *data, OTF2_SystemTreeNodeRef self, OTF2_StringRef name,
                                 OTF2_StringRef class_name, OTF2_SystemTreeNodeRef parent)
{
    struct fm_survey *survey = data;
    const struct fm_survey_node node = {self, name, class_name, parent};
    fm_vector_push(&survey->nodes, node);
    return define(&survey->node_index, self, survey->nodes.count - 1);
}

static OTF2_CallbackCode on_process(void *data, OTF2_LocationGroupRef self, OTF2_StringRef name,
                                    OTF2_LocationGroupType type, OTF2_SystemTreeNodeRef node,
                                    OTF2_LocationGroupRef creator)
{
    (void)creator;
    struct fm_survey *survey = data;
    const struct fm_survey_process process = {
        .reference = self, .name = name, .node = node, .type = type};
    fm_vector_push(&survey->processes, process);
    return define(&survey->process_index, self, survey->processes.count - 1);
}

static OTF2_CallbackCode on_location(void *data, OTF2_LocationRef self, OTF2_StringRef name,
                                     OTF2_LocationType type, uint64_t events,
                                     OTF2_LocationGroupRef process)
{
    struct fm_survey *survey = data;
    const struct fm_survey_location location = {.id = self,
                                                .name = name,
                                                .process = process,
                                                .defined_events = events,
                                                .type = type,
                                                .heartbeat = UINT64_MAX,
                                                .job_end = UINT64_MAX};
    fm_vector_push(&survey->locations, location);
    return define(&survey->location_index, self, survey->locations.count - 1);
}

static OTF2_CallbackCode on_location_property(void *data, OTF2_LocationRef reference,
                                              OTF2_StringRef name, OTF2_Type type,
                                              OTF2_AttributeValue value)
{
    struct fm_survey *survey = data;
    const uint32_t index = fm_survey_find(&survey->location_index, reference);
    const char *text = fm_survey_string(survey, name);
    if (index == FM_SURVEY_NONE || text == NULL || type != OTF2_TYPE_UINT64) {
        return OTF2_CALLBACK_SUCCESS;
    }
    struct fm_survey_location *location = &survey->locations.items[index];
    if (strcmp(text, FM_PROPERTY_HEARTBEAT) == 0) {
        location->heartbeat = value.uint64;
    } else if (strcmp(text, FM_PROPERTY_JOB_END) == 0) {
        location->job_end = value.uint64;
    } else if (strcmp(text, FM_PROPERTY_ENDED) != 0) {
        return OTF2_CALLBACK_SUCCESS;
    }
    location->states_end = true;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_group(void *data, OTF2_GroupRef self, OTF2_StringRef name,
                                  OTF2_GroupType type, OTF2_Paradigm paradigm, OTF2_GroupFlag flags,
                                  uint32_t size, const uint64_t *members)
{
    (void)name;
    (void)flags;
    struct fm_survey *survey = data;
    uint64_t *copy = fm_allocate(size + (size_t)1, sizeof *copy);
    if (size > 0) {
        memcpy(copy, members, size * sizeof *copy);
    }
    const struct fm_survey_group group = {
        .reference = self, .size = size, .members = copy, .type = type, .paradigm = paradigm};
    fm_vector_push(&survey->groups, group);
    return define(&survey->group_index, self, survey->groups.count - 1);
}

static OTF2_CallbackCode on_comm(void *data, OTF2_CommRef self, OTF2_StringRef name,
                                 OTF2_GroupRef group, OTF2_CommRef parent, OTF2_CommFlag flags)
{
    (void)flags;
    struct fm_survey *survey = data;
    const struct fm_survey_comm comm = {self, name, group, FM_SURVEY_NONE, parent};
    fm_vector_push(&survey->comms, comm);
    return define(&survey->comm_index, self, survey->comms.count - 1);
}

static OTF2_CallbackCode on_intercomm(void *data, OTF2_CommRef self, OTF2_StringRef name,
                                      OTF2_GroupRef first, OTF2_GroupRef second,
                                      OTF2_CommRef common, OTF2_CommFlag flags)
{
    (void)flags;
    struct fm_survey *survey = data;
    const struct fm_survey_comm comm = {self, name, first, second, common};
    fm_vector_push(&survey->comms, comm);
    return define(&survey->comm_index, self, survey->comms.count - 1);
}

static OTF2_CallbackCode on_parameter(void *data, OTF2_ParameterRef self, OTF2_StringRef name,
                                      OTF2_ParameterType type)
{
    struct fm_survey *survey = data;
    fm_vector_push(&survey->parameters, (struct fm_survey_parameter){self, name, type});
    return define(&survey->parameter_index, self, survey->parameters.count - 1);
}

static OTF2_CallbackCode on_window(void *data, OTF2_RmaWinRef self, OTF2_StringRef name,
                                   OTF2_CommRef comm, OTF2_RmaWinFlag flags)
{
    (void)flags;
    struct fm_survey *survey = data;
    const struct fm_survey_window window = {self, name, comm};
    fm_vector_push(&survey->windows, window);
    return define(&survey->window_index, self, survey->windows.count - 1);
}

OTF2_ErrorCode fm_survey_read_definitions(struct fm_survey *survey, OTF2_Reader *reader,
                                          uint64_t *read)
{
    OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(reader);
    OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();
    if (definitions == NULL || callbacks == NULL) {
        OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
        return OTF2_ERROR_FILE_CAN_NOT_OPEN;
    }
    OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(callbacks, on_clock);
    OTF2_GlobalDefReaderCallbacks_SetParadigmCallback(callbacks, on_paradigm);
    OTF2_GlobalDefReaderCallbacks_SetStringCallback(callbacks, on_string);
    OTF2_GlobalDefReaderCallbacks_SetRegionCallback(callbacks, on_region);
    OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(callbacks, on_node);
    OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(callbacks, on_process);
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, on_location);
    OTF2_GlobalDefReaderCallbacks_SetLocationPropertyCallback(callbacks, on_location_property);
    OTF2_GlobalDefReaderCallbacks_SetGroupCallback(callbacks, on_group);
    OTF2_GlobalDefReaderCallbacks_SetCommCallback(callbacks, on_comm);
    OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(callbacks, on_intercomm);
    OTF2_GlobalDefReaderCallbacks_SetRmaWinCallback(callbacks, on_window);
    OTF2_GlobalDefReaderCallbacks_SetParameterCallback(callbacks, on_parameter);
    OTF2_ErrorCode code =
        OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks, survey);
    OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
    if (code == OTF2_SUCCESS) {
        code = OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, read);
    }
    OTF2_Reader_CloseGlobalDefReader(reader, definitions);
    return code;
}
