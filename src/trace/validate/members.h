/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The processes behind the ranks of communicators, for one process after the other. Private to
 * src/trace.
 */
#ifndef FERMATA_TRACE_VALIDATE_MEMBERS_H
#define FERMATA_TRACE_VALIDATE_MEMBERS_H

#include "trace/survey/survey.h"

struct fm_members {
    const struct fm_survey *survey;
    uint32_t **processes; /**< by group: of its ranks; NULL: not needed so far */
    uint32_t process;     /**< the current one: index */
    struct fm_map ranks;  /**< of the current process, by communicator */
};

/** Prepares the members of a survey, which must outlive them. */
void fm_members_open(struct fm_members *members, const struct fm_survey *survey);

/** Makes `process` the current one. */
void fm_members_begin(struct fm_members *members, uint32_t process);

/** @return the process that a rank names in a message of the current process: of the communicator,
 * of an inter-communicator the rank of the other group; FM_SURVEY_NONE if it is not known.
 * @param comm  index */
uint32_t fm_members_peer(struct fm_members *members, uint32_t comm, uint32_t rank);

/** @return the rank of the current process in a communicator; FM_SURVEY_NONE if it is not known, or
 * for an inter-communicator.
 * @param comm  index */
uint32_t fm_members_rank(struct fm_members *members, uint32_t comm);

/** Frees what the members own. */
void fm_members_close(struct fm_members *members);

#endif
