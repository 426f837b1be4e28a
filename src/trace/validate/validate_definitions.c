/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks that definitions refer to definitions that exist. */
#include "trace/validate/validator.h"

#include <otf2/otf2.h>

static void check_reference(struct fm_validator *validator, const struct fm_survey_index *index,
                            uint32_t reference, bool optional, const char *what, uint64_t which,
                            const char *to)
{
    if ((!optional || reference != FM_SURVEY_NONE) &&
        fm_survey_find(index, reference) == FM_SURVEY_NONE) {
        fm_validator_find_untimed(validator, FM_SURVEY_NONE,
                                  "%s %llu refers to %s %u, which is not defined", what,
                                  (unsigned long long)which, to, reference);
    }
}

static void check_repetition(struct fm_validator *validator, const struct fm_survey_index *index,
                             const char *what)
{
    if (index->repeated > 0) {
        fm_validator_find_untimed(validator, FM_SURVEY_NONE, "%llu %s are defined again",
                                  (unsigned long long)index->repeated, what);
    }
}

static void check_repetitions(struct fm_validator *validator)
{
    const struct fm_survey *survey = validator->survey;
    check_repetition(validator, &survey->string_index, "strings");
    check_repetition(validator, &survey->region_index, "regions");
    check_repetition(validator, &survey->node_index, "system tree nodes");
    check_repetition(validator, &survey->process_index, "location groups");
    check_repetition(validator, &survey->location_index, "locations");
    check_repetition(validator, &survey->group_index, "groups");
    check_repetition(validator, &survey->comm_index, "communicators");
    check_repetition(validator, &survey->window_index, "windows");
    check_repetition(validator, &survey->parameter_index, "parameters");
}

static void check_names(struct fm_validator *validator)
{
    const struct fm_survey *survey = validator->survey;
    const struct fm_survey_index *strings = &survey->string_index;
    for (size_t i = 0; i < survey->regions.count; i++) {
        const struct fm_survey_region *region = &survey->regions.items[i];
        check_reference(validator, strings, region->name, true, "region", region->reference,
                        "string");
        check_reference(validator, strings, region->file, true, "region", region->reference,
                        "string");
    }
    for (size_t i = 0; i < survey->nodes.count; i++) {
        const struct fm_survey_node *node = &survey->nodes.items[i];
        check_reference(validator, strings, node->name, true, "system tree node", node->reference,
                        "string");
        check_reference(validator, &survey->node_index, node->parent, true, "system tree node",
                        node->reference, "system tree node");
    }
    for (size_t i = 0; i < survey->processes.count; i++) {
        const struct fm_survey_process *process = &survey->processes.items[i];
        check_reference(validator, strings, process->name, true, "location group",
                        process->reference, "string");
        check_reference(validator, &survey->node_index, process->node, true, "location group",
                        process->reference, "system tree node");
    }
    for (size_t i = 0; i < survey->locations.count; i++) {
        const struct fm_survey_location *location = &survey->locations.items[i];
        check_reference(validator, strings, location->name, true, "location", location->id,
                        "string");
        check_reference(validator, &survey->process_index, location->process, false, "location",
                        location->id, "location group");
    }
}

/* The number of locations that a group of this paradigm can index; 0: none are defined. */
static uint32_t count_comm_locations(const struct fm_survey *survey, uint8_t paradigm)
{
    for (size_t i = 0; i < survey->groups.count; i++) {
        const struct fm_survey_group *group = &survey->groups.items[i];
        if (group->type == OTF2_GROUP_TYPE_COMM_LOCATIONS && group->paradigm == paradigm) {
            return group->size;
        }
    }
    return 0;
}

static bool is_member_defined(const struct fm_survey *survey, const struct fm_survey_group *group,
                              uint32_t comm_locations, uint64_t member)
{
    switch (group->type) {
    case OTF2_GROUP_TYPE_LOCATIONS:
    case OTF2_GROUP_TYPE_COMM_LOCATIONS:
        return fm_survey_find(&survey->location_index, member) != FM_SURVEY_NONE;
    case OTF2_GROUP_TYPE_REGIONS:
        return fm_survey_find(&survey->region_index, member) != FM_SURVEY_NONE;
    case OTF2_GROUP_TYPE_COMM_GROUP: /* undefined: a process that was not recorded */
        return member < comm_locations || member == OTF2_UNDEFINED_UINT32;
    default:
        return true;
    }
}

static void check_groups(struct fm_validator *validator)
{
    const struct fm_survey *survey = validator->survey;
    for (size_t i = 0; i < survey->groups.count; i++) {
        const struct fm_survey_group *group = &survey->groups.items[i];
        uint32_t comm_locations = group->type == OTF2_GROUP_TYPE_COMM_GROUP
                                      ? count_comm_locations(survey, group->paradigm)
                                      : 0;
        for (uint32_t j = 0; j < group->size; j++) {
            if (!is_member_defined(survey, group, comm_locations, group->members[j])) {
                fm_validator_find_untimed(validator, FM_SURVEY_NONE,
                                          "group %u has the member %llu, which is not defined",
                                          group->reference, (unsigned long long)group->members[j]);
                break;
            }
        }
    }
}

static void check_comms(struct fm_validator *validator)
{
    const struct fm_survey *survey = validator->survey;
    for (size_t i = 0; i < survey->comms.count; i++) {
        const struct fm_survey_comm *comm = &survey->comms.items[i];
        check_reference(validator, &survey->string_index, comm->name, true, "communicator",
                        comm->reference, "string");
        check_reference(validator, &survey->group_index, comm->group, false, "communicator",
                        comm->reference, "group");
        check_reference(validator, &survey->group_index, comm->second_group, true, "communicator",
                        comm->reference, "group");
        check_reference(validator, &survey->comm_index, comm->parent, true, "communicator",
                        comm->reference, "communicator");
    }
    for (size_t i = 0; i < survey->parameters.count; i++) {
        const struct fm_survey_parameter *parameter = &survey->parameters.items[i];
        check_reference(validator, &survey->string_index, parameter->name, true, "parameter",
                        parameter->reference, "string");
    }
    for (size_t i = 0; i < survey->windows.count; i++) {
        const struct fm_survey_window *window = &survey->windows.items[i];
        check_reference(validator, &survey->string_index, window->name, true, "window",
                        window->reference, "string");
        check_reference(validator, &survey->comm_index, window->comm, false, "window",
                        window->reference, "communicator");
    }
}

void fm_validator_check_definitions(struct fm_validator *validator)
{
    const struct fm_survey *survey = validator->survey;
    if (!survey->has_clock || survey->ticks_per_second == 0) {
        fm_validator_find_untimed(validator, FM_SURVEY_NONE, "the clock has no resolution");
    }
    if (survey->defined_locations != survey->locations.count) {
        fm_validator_find_untimed(validator, FM_SURVEY_NONE,
                                  "%llu locations are defined, the anchor file states %llu",
                                  (unsigned long long)survey->locations.count,
                                  (unsigned long long)survey->defined_locations);
    }
    check_repetitions(validator);
    check_names(validator);
    check_groups(validator);
    check_comms(validator);
}
