/* SPDX-License-Identifier: BSD-3-Clause */
/* The processes that the ranks of communicators name. */
#include "trace/survey/survey.h"

#include <otf2/otf2.h>

/* The locations that the members of the groups of communicators number; NULL if there are none. */
static const struct fm_survey_group *find_locations(const struct fm_survey *survey,
                                                    uint8_t paradigm)
{
    for (size_t i = 0; i < survey->groups.count; i++) {
        const struct fm_survey_group *group = &survey->groups.items[i];
        if (group->type == OTF2_GROUP_TYPE_COMM_LOCATIONS && group->paradigm == paradigm) {
            return group;
        }
    }
    return NULL;
}

static uint32_t process_of_location(const struct fm_survey *survey, uint64_t id)
{
    const uint32_t location = fm_survey_find(&survey->location_index, id);
    return location == FM_SURVEY_NONE
               ? FM_SURVEY_NONE
               : fm_survey_find(&survey->process_index, survey->locations.items[location].process);
}

uint32_t *fm_survey_members(const struct fm_survey *survey, uint32_t index)
{
    const struct fm_survey_group *group = &survey->groups.items[index];
    const struct fm_survey_group *locations =
        group->type == OTF2_GROUP_TYPE_COMM_GROUP ? find_locations(survey, group->paradigm) : NULL;
    uint32_t *members = fm_allocate((size_t)group->size + 1, sizeof *members);
    for (uint32_t rank = 0; rank < group->size; rank++) {
        const uint64_t member = group->members[rank];
        members[rank] = FM_SURVEY_NONE;
        if (group->type == OTF2_GROUP_TYPE_LOCATIONS) {
            members[rank] = process_of_location(survey, member);
        } else if (locations != NULL && member < locations->size) {
            members[rank] = process_of_location(survey, locations->members[member]);
        }
    }
    return members;
}
