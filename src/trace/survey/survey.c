/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/survey/survey.h"

#include "trace/archive/anchor.h"
#include "trace/archive/otf2_error.h"
#include "trace/archive/record_count.h"
#include "trace/survey/survey_events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fm_survey_bounds {
    struct fm_event_files definitions, events;
};

static fm_status_t find_anchor(struct fm_survey *survey, const char *archive,
                               struct fm_error *error)
{
    fm_status_t status = fm_anchor_find(archive, &survey->anchor, error);
    if (status == FM_OK) {
        const char *slash = strrchr(survey->anchor, '/');
        survey->directory = fm_copy_string(slash == NULL ? "." : survey->anchor);
        if (slash != NULL) {
            survey->directory[slash == survey->anchor ? 1 : slash - survey->anchor] = '\0';
        }
    }
    return status;
}

static void take_text(char **to, char *text)
{
    *to = fm_copy_string(text);
    free(text);
}

static void read_anchor(struct fm_survey *survey)
{
    OTF2_Reader *reader = survey->reader;
    char *text = NULL;
    if (OTF2_Reader_GetCreator(reader, &text) == OTF2_SUCCESS) {
        take_text(&survey->creator, text);
    }
    text = NULL;
    if (OTF2_Reader_GetMachineName(reader, &text) == OTF2_SUCCESS) {
        take_text(&survey->machine, text);
    }
    text = NULL;
    if (OTF2_Reader_GetDescription(reader, &text) == OTF2_SUCCESS) {
        take_text(&survey->description, text);
    }
    OTF2_Reader_GetVersion(reader, &survey->version[0], &survey->version[1], &survey->version[2]);
    uint32_t count = 0;
    char **names = NULL;
    if (OTF2_Reader_GetPropertyNames(reader, &count, &names) == OTF2_SUCCESS) {
        for (uint32_t i = 0; i < count; i++) {
            struct fm_survey_property property = {.name = fm_copy_string(names[i])};
            text = NULL;
            if (OTF2_Reader_GetProperty(reader, names[i], &text) == OTF2_SUCCESS) {
                take_text(&property.value, text);
            }
            fm_vector_push(&survey->properties, property);
        }
        free(names);
    }
}

static fm_status_t read_definitions(struct fm_survey *survey, struct fm_error *error)
{
    uint64_t expected = 0;
    uint64_t read = 0;
    if (OTF2_Reader_SetSerialCollectiveCallbacks(survey->reader) != OTF2_SUCCESS ||
        OTF2_Reader_GetNumberOfLocations(survey->reader, &survey->defined_locations) !=
            OTF2_SUCCESS ||
        OTF2_Reader_GetNumberOfGlobalDefinitions(survey->reader, &expected) != OTF2_SUCCESS) {
        return fm_fail(error, FM_ERR_DATA, "%s: damaged anchor file: %s", survey->anchor,
                       fm_otf2_error_take());
    }
    read_anchor(survey);
    OTF2_ErrorCode code = fm_survey_read_definitions(survey, survey->reader, &read);
    if (code != OTF2_SUCCESS || read != expected) {
        return fm_fail(error, FM_ERR_DATA, "%s: only %llu of %llu definitions can be read: %s",
                       survey->anchor, (unsigned long long)read, (unsigned long long)expected,
                       fm_otf2_error_take());
    }
    for (size_t i = 0; i < survey->locations.count; i++) {
        uint32_t process =
            fm_survey_find(&survey->process_index, survey->locations.items[i].process);
        if (process != FM_SURVEY_NONE) {
            survey->processes.items[process].location_count++;
        }
    }
    return FM_OK;
}

/* Selects the locations from `first` on in a reader that has selected none, and opens their files.
 */
static fm_status_t open_files(struct fm_survey *survey, uint32_t first, struct fm_error *error)
{
    uint32_t left = (uint32_t)survey->locations.count - first;
    survey->first_read = first;
    survey->end_read = first + (left < FM_LOCATIONS_OF_A_READER ? left : FM_LOCATIONS_OF_A_READER);
    for (uint32_t i = first; i < survey->end_read; i++) {
        OTF2_Reader_SelectLocation(survey->reader, survey->locations.items[i].id);
    }
    /* The local definitions hold clock offsets and mapping tables; not every recorder writes them.
     */
    bool has_definitions = OTF2_Reader_OpenDefFiles(survey->reader) == OTF2_SUCCESS;
    (void)fm_otf2_error_take();
    if (OTF2_Reader_OpenEvtFiles(survey->reader) != OTF2_SUCCESS) {
        return fm_fail(error, FM_ERR_DATA, "%s: no readable events: %s", survey->anchor,
                       fm_otf2_error_take());
    }
    survey->has_local_definitions = has_definitions;
    return FM_OK;
}

/* Opens the reader for the part of the archive that contains a location. */
static fm_status_t choose_reader(struct fm_survey *survey, uint32_t location,
                                 struct fm_error *error)
{
    if (survey->first_read <= location && location < survey->end_read) {
        return FM_OK;
    }
    if (survey->reader != NULL) {
        OTF2_Reader_Close(survey->reader);
    }
    survey->reader = NULL;
    survey->first_read = survey->end_read = 0;
    OTF2_Reader *reader = NULL;
    fm_status_t status = fm_anchor_open(survey->anchor, &reader, error);
    if (status != FM_OK) {
        return status;
    }
    survey->reader = reader;
    OTF2_Reader_SetSerialCollectiveCallbacks(reader);
    return open_files(survey, location - location % FM_LOCATIONS_OF_A_READER, error);
}

static fm_status_t open_events(struct fm_survey *survey, struct fm_error *error)
{
    fm_status_t status = open_files(survey, 0, error);
    if (status != FM_OK) {
        return status;
    }
    survey->bounds = fm_allocate(1, sizeof *survey->bounds);
    fm_event_files_open(&survey->bounds->definitions, FM_FILES_DEFINITIONS, survey->reader,
                        survey->anchor);
    fm_event_files_open(&survey->bounds->events, FM_FILES_EVENTS, survey->reader, survey->anchor);
    return FM_OK;
}

bool fm_survey_is_own(const struct fm_survey *survey)
{
    return fm_anchor_is_own(survey->creator);
}

fm_status_t fm_survey_open(const char *archive, struct fm_survey **survey, struct fm_error *error)
{
    struct fm_survey *made = fm_allocate(1, sizeof *made);
    fm_status_t status = find_anchor(made, archive, error);
    if (status == FM_OK) {
        OTF2_Reader *reader = NULL;
        status = fm_anchor_open(made->anchor, &reader, error);
        made->reader = reader;
    }
    if (status == FM_OK) {
        status = read_definitions(made, error);
    }
    if (status == FM_OK) {
        status = open_events(made, error);
    }
    if (status == FM_OK) {
        *survey = made;
    } else {
        fm_survey_close(made);
    }
    return status;
}

/* @param is_whole  the reader has reached the end of the file */
static fm_status_t reading_result(OTF2_ErrorCode code, bool is_whole, const char *otherwise,
                                  struct fm_error *error)
{
    if (code != OTF2_SUCCESS) {
        return fm_fail(error, FM_ERR_DATA, "%s: %s", otherwise, fm_otf2_error_take());
    }
    return is_whole ? FM_OK : fm_fail(error, FM_ERR_DATA, "%s: the file is truncated", otherwise);
}

/* OTF2 applies the mapping tables and clock offsets of the local definitions to the events. */
static fm_status_t read_local_definitions(struct fm_survey *survey, uint64_t id,
                                          struct fm_error *error)
{
    if (!survey->has_local_definitions) {
        return FM_OK;
    }
    OTF2_DefReader *reader = OTF2_Reader_GetDefReader(survey->reader, id);
    if (reader == NULL) {
        const char *reason = fm_otf2_error_take();
        return fm_anchor_has_definitions(survey->anchor, id)
                   ? fm_fail(error, FM_ERR_DATA, "its local definitions cannot be opened: %s",
                             reason)
                   : FM_OK;
    }
    uint64_t read, most = fm_record_count_definitions(&survey->bounds->definitions, id);
    OTF2_ErrorCode code = OTF2_Reader_ReadLocalDefinitions(survey->reader, reader, most, &read);
    OTF2_Reader_CloseDefReader(survey->reader, reader);
    return reading_result(code, read < most, "its local definitions cannot be read to their end",
                          error);
}

fm_status_t fm_survey_read(struct fm_survey *survey, uint32_t location, fm_survey_handler_t handler,
                           void *context, uint64_t *count, struct fm_error *error)
{
    uint64_t id = survey->locations.items[location].id;
    struct fm_survey_pass pass = {.handler = handler, .context = context};
    *count = 0;
    (void)fm_otf2_error_take();
    fm_status_t status = choose_reader(survey, location, error);
    if (status == FM_OK) {
        status = read_local_definitions(survey, id, error);
    }
    if (status != FM_OK) {
        return status;
    }
    uint64_t most = fm_record_count_events(&survey->bounds->events, id);
    OTF2_EvtReader *reader = OTF2_Reader_GetEvtReader(survey->reader, id);
    if (reader == NULL) {
        return fm_fail(error, FM_ERR_DATA, "its events cannot be opened: %s", fm_otf2_error_take());
    }
    OTF2_EvtReaderCallbacks *callbacks = fm_survey_event_callbacks();
    OTF2_ErrorCode code =
        OTF2_Reader_RegisterEvtCallbacks(survey->reader, reader, callbacks, &pass);
    OTF2_EvtReaderCallbacks_Delete(callbacks);
    if (code == OTF2_SUCCESS) {
        code = OTF2_Reader_ReadLocalEvents(survey->reader, reader, most, count);
    }
    OTF2_Reader_CloseEvtReader(survey->reader, reader);
    return reading_result(code, *count < most, "its events cannot be read to their end", error);
}

const char *fm_survey_string(const struct fm_survey *survey, uint32_t reference)
{
    uint32_t index = fm_survey_find(&survey->string_index, reference);
    return index == FM_SURVEY_NONE ? NULL : survey->strings.items[index];
}

const char *fm_survey_name(const struct fm_survey *survey, uint32_t reference,
                           const char *otherwise)
{
    const char *name = fm_survey_string(survey, reference);
    return name == NULL || name[0] == '\0' ? otherwise : name;
}

uint32_t fm_survey_comm_size(const struct fm_survey *survey, uint32_t comm)
{
    const struct fm_survey_comm *definition = &survey->comms.items[comm];
    uint32_t size = 0;
    const uint32_t references[] = {definition->group, definition->second_group};
    for (size_t i = 0; i < 2; i++) {
        uint32_t group = fm_survey_find(&survey->group_index, references[i]);
        if (group != FM_SURVEY_NONE) {
            const struct fm_survey_group *members = &survey->groups.items[group];
            uint32_t count = members->type == OTF2_GROUP_TYPE_COMM_SELF ? 1 : members->size;
            size = count > size ? count : size;
        }
    }
    return size;
}

static void free_index(struct fm_survey_index *index)
{
    fm_map_free(&index->map);
}

void fm_survey_close(struct fm_survey *survey)
{
    if (survey == NULL) {
        return;
    }
    if (survey->reader != NULL) {
        OTF2_Reader_Close(survey->reader);
    }
    if (survey->bounds != NULL) {
        fm_event_files_close(&survey->bounds->definitions);
        fm_event_files_close(&survey->bounds->events);
        fm_free(survey->bounds);
    }
    for (size_t i = 0; i < survey->properties.count; i++) {
        fm_free(survey->properties.items[i].name);
        fm_free(survey->properties.items[i].value);
    }
    for (size_t i = 0; i < survey->strings.count; i++) {
        fm_free(survey->strings.items[i]);
    }
    for (size_t i = 0; i < survey->groups.count; i++) {
        fm_free(survey->groups.items[i].members);
    }
    for (size_t i = 0; i < survey->markers.count; i++) {
        fm_free(survey->markers.items[i].text);
    }
    for (size_t i = 0; i < survey->marker_groups.count; i++) {
        fm_free(survey->marker_groups.items[i]);
    }
    fm_vector_free(&survey->markers);
    fm_vector_free(&survey->marker_groups);
    fm_map_free(&survey->marker_group_index);
    fm_vector_free(&survey->properties);
    fm_vector_free(&survey->strings);
    fm_vector_free(&survey->paradigms);
    fm_vector_free(&survey->regions);
    fm_vector_free(&survey->nodes);
    fm_vector_free(&survey->processes);
    fm_vector_free(&survey->locations);
    fm_vector_free(&survey->groups);
    fm_vector_free(&survey->comms);
    fm_vector_free(&survey->windows);
    fm_vector_free(&survey->parameters);
    free_index(&survey->string_index);
    free_index(&survey->region_index);
    free_index(&survey->node_index);
    free_index(&survey->process_index);
    free_index(&survey->location_index);
    free_index(&survey->group_index);
    free_index(&survey->comm_index);
    free_index(&survey->window_index);
    free_index(&survey->parameter_index);
    fm_free(survey->anchor);
    fm_free(survey->directory);
    fm_free(survey->creator);
    fm_free(survey->machine);
    fm_free(survey->description);
    fm_free(survey);
}
