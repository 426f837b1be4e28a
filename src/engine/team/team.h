/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Collectives of the processes that analyse a trace together ("team"), for the data that they
 * share. Process 0 leads: it writes the report and prints messages. NULL is a team of one process.
 *
 * All calls that exchange data are collective: all processes make them in the same order, even if
 * one of them has failed; no call may depend on a status before fm_team_agree(). To be called by
 * one thread, between stages.
 */
#ifndef FERMATA_ENGINE_TEAM_H
#define FERMATA_ENGINE_TEAM_H

#include "base/containers/vector.h"
#include "base/error.h"
#include "engine/team/transport.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fm_team;

/** @param transport  must outlive the team
 * @return to be freed with fm_team_free() */
struct fm_team *fm_team_create(struct fm_transport *transport);

void fm_team_free(struct fm_team *team);

/** @return the number of this process, 0 .. fm_team_size() - 1. */
unsigned fm_team_self(const struct fm_team *team);

/** @return the number of processes. */
unsigned fm_team_size(const struct fm_team *team);

/** @return whether this is process 0. */
bool fm_team_leads(const struct fm_team *team);

/** @return the number of processes of the team on this machine, this one included. */
unsigned fm_team_neighbors(const struct fm_team *team);

/** Sends a parcel to each process, also to itself.
 * @param sent      [process]
 * @param received  [process], out: contents to be freed with fm_free() */
void fm_team_exchange(struct fm_team *team, const struct fm_parcel *sent,
                      struct fm_parcel *received);

/** @return the contents of `own` of all processes, joined in the order of their numbers, with
 * `*total` bytes; to be freed with fm_free(). */
void *fm_team_share(struct fm_team *team, const void *own, size_t bytes, size_t *total);

/** As fm_team_share(), but only process 0 gets the result; NULL and 0 bytes on other processes. */
void *fm_team_collect(struct fm_team *team, const void *own, size_t bytes, size_t *total);

/** @return a copy of `leaders` of process 0, with `*total` bytes; to be freed with fm_free(). */
void *fm_team_spread(struct fm_team *team, const void *leaders, size_t bytes, size_t *total);

/** Replaces each value by its sum over all processes. */
void fm_team_sum(struct fm_team *team, uint64_t *values, size_t count);

/** @return the largest of the processes' values. */
uint64_t fm_team_largest(struct fm_team *team, uint64_t value);

/** Makes the failure of one process a failure of all.
 * @param error  describes `status` if it is not FM_OK; out: the failure of the lowest process
 * @return FM_OK if `status` is FM_OK on all processes, else that of the lowest failed process */
fm_status_t fm_team_agree(struct fm_team *team, fm_status_t status, struct fm_error *error);

/** fm_team_share() of a vector's elements; `all` is an empty vector of the same type. */
#define fm_team_share_vector(team, own, all)                                                       \
    do {                                                                                           \
        size_t total_bytes_;                                                                       \
        (all)->items = fm_team_share((team), (own)->items, (own)->count * sizeof *(own)->items,    \
                                     &total_bytes_);                                               \
        (all)->count = (all)->capacity = total_bytes_ / sizeof *(all)->items;                      \
    } while (0)

/** fm_team_collect() of a vector's elements; `all` is an empty vector of the same type. */
#define fm_team_collect_vector(team, own, all)                                                     \
    do {                                                                                           \
        size_t total_bytes_;                                                                       \
        (all)->items = fm_team_collect((team), (own)->items, (own)->count * sizeof *(own)->items,  \
                                       &total_bytes_);                                             \
        (all)->count = (all)->capacity = total_bytes_ / sizeof *(all)->items;                      \
    } while (0)

#endif
