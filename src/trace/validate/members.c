/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/validate/members.h"

#include <otf2/otf2.h>

/* Ranks in the map of the current process; FM_MAP_ABSENT must not be one. */
#define NO_RANK (FM_MAP_ABSENT - 1)

void fm_members_open(struct fm_members *members, const struct fm_survey *survey)
{
    *members = (struct fm_members){
        .survey = survey,
        .processes = fm_allocate(survey->groups.count + 1, sizeof *members->processes),
        .process = FM_SURVEY_NONE,
    };
}

void fm_members_begin(struct fm_members *members, uint32_t process)
{
    members->process = process;
    fm_map_clear(&members->ranks);
}

/* @param group  index */
static const uint32_t *processes_of(struct fm_members *members, uint32_t group)
{
    if (members->processes[group] == NULL) {
        members->processes[group] = fm_survey_members(members->survey, group);
    }
    return members->processes[group];
}

/* @return the rank of the current process in a group, or NO_RANK
 * @param group  index, or FM_SURVEY_NONE */
static uint32_t rank_in(struct fm_members *members, uint32_t group)
{
    if (group == FM_SURVEY_NONE || members->process == FM_SURVEY_NONE) {
        return NO_RANK;
    }
    const uint32_t *processes = processes_of(members, group);
    const uint32_t size = members->survey->groups.items[group].size;
    if (members->process < size && processes[members->process] == members->process) {
        return members->process; /* as in MPI_COMM_WORLD: not a search for each process */
    }
    for (uint32_t rank = 0; rank < size; rank++) {
        if (processes[rank] == members->process) {
            return rank;
        }
    }
    return NO_RANK;
}

/* The rank of the current process in the first group of a communicator. */
static uint32_t rank_of(struct fm_members *members, uint32_t comm, uint32_t first)
{
    const uint32_t known = fm_map_get(&members->ranks, comm);
    return known != FM_MAP_ABSENT ? known
                                  : *fm_map_at(&members->ranks, comm, rank_in(members, first));
}

static uint32_t group_index(const struct fm_survey *survey, uint32_t reference)
{
    return reference == FM_SURVEY_NONE ? FM_SURVEY_NONE
                                       : fm_survey_find(&survey->group_index, reference);
}

uint32_t fm_members_peer(struct fm_members *members, uint32_t comm, uint32_t rank)
{
    const struct fm_survey *survey = members->survey;
    const struct fm_survey_comm *definition = &survey->comms.items[comm];
    uint32_t group = group_index(survey, definition->group);
    if (group != FM_SURVEY_NONE && survey->groups.items[group].type == OTF2_GROUP_TYPE_COMM_SELF) {
        return members->process;
    }
    if (definition->second_group != FM_SURVEY_NONE && rank_of(members, comm, group) != NO_RANK) {
        group = group_index(survey, definition->second_group);
    }
    return group != FM_SURVEY_NONE && rank < survey->groups.items[group].size
               ? processes_of(members, group)[rank]
               : FM_SURVEY_NONE;
}

uint32_t fm_members_rank(struct fm_members *members, uint32_t comm)
{
    const struct fm_survey *survey = members->survey;
    const struct fm_survey_comm *definition = &survey->comms.items[comm];
    const uint32_t group = group_index(survey, definition->group);
    if (definition->second_group != FM_SURVEY_NONE || group == FM_SURVEY_NONE ||
        survey->groups.items[group].type == OTF2_GROUP_TYPE_COMM_SELF) {
        return FM_SURVEY_NONE;
    }
    const uint32_t rank = rank_of(members, comm, group);
    return rank == NO_RANK ? FM_SURVEY_NONE : rank;
}

void fm_members_close(struct fm_members *members)
{
    for (size_t g = 0; members->processes != NULL && g < members->survey->groups.count; g++) {
        fm_free(members->processes[g]);
    }
    fm_free(members->processes);
    fm_map_free(&members->ranks);
}
