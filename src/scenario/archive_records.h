/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Events and definitions of a scenario as OTF2 records.
 */
#ifndef FERMATA_SCENARIO_ARCHIVE_RECORDS_H
#define FERMATA_SCENARIO_ARCHIVE_RECORDS_H

#include "scenario/scenario.h"

#include <otf2/otf2.h>

/** @return the id of the location with this index: rank | thread << 32. */
OTF2_LocationRef fm_archive_location_id(const struct fm_scenario *scenario, uint32_t location);

/** Writes one event as one record. Region, communicator, window ids are the scenario's indices, the
 * id of a group_sync's group is its index + FM_ARCHIVE_FIRST_SYNC_GROUP(scenario). */
OTF2_ErrorCode fm_archive_write_event(const struct fm_scenario *scenario, OTF2_EvtWriter *writer,
                                      const struct fm_scenario_event *event);

/** Writes all global definitions: clock, paradigms, system tree, locations, regions, parameters,
 * groups, communicators, windows. */
OTF2_ErrorCode fm_archive_write_definitions(const struct fm_scenario *scenario,
                                            OTF2_GlobalDefWriter *writer);

/* Ids of groups: 0 = COMM_LOCATIONS, 1 = COMM_SELF, then one COMM_GROUP for each communicator but
 * `self`, then those of the group_sync events. */
#define FM_ARCHIVE_LOCATIONS_GROUP 0
#define FM_ARCHIVE_SELF_GROUP      1
#define FM_ARCHIVE_WORLD_GROUP     2
/** Communicator 2 (the first with a name of its own) has group 3. */
#define FM_ARCHIVE_COMM_GROUP(comm)           ((comm) + 1)
#define FM_ARCHIVE_FIRST_SYNC_GROUP(scenario) ((scenario)->comm_names.count + 1)
/* Behind them one COMM_GROUP for the second group of each inter-communicator. */
#define FM_ARCHIVE_SECOND_GROUP(scenario, comm)                                                    \
    (FM_ARCHIVE_FIRST_SYNC_GROUP(scenario) + (scenario)->groups.count +                            \
     (scenario)->comms[comm].number)
/* Behind them the COMM_LOCATIONS of the models whose teams there are, OpenMP and POSIX threads,
 * then one COMM_GROUP for each team. */
#define FM_ARCHIVE_FIRST_THREAD_GROUP(scenario)                                                    \
    (FM_ARCHIVE_FIRST_SYNC_GROUP(scenario) + (scenario)->groups.count + (scenario)->intercomm_count)

/** Teams are communicators behind those of processes. */
#define FM_ARCHIVE_TEAM(scenario, team) ((scenario)->comm_names.count + (team))

/* Ids of the attributes of a ThreadReleaseLock record. */
#define FM_ARCHIVE_ACQUIRED_AT     0
#define FM_ARCHIVE_ACQUIRED_IN     1
#define FM_ARCHIVE_ACQUIRED_SHARED 2
/* ... of a NonBlockingCollectiveComplete record. */
#define FM_ARCHIVE_PERSISTENT      3
#define FM_ARCHIVE_PERSISTENT_INIT 4

/* Ids of counters, as metrics and as members: that of samples, if there are any, then those of the
 * activities of kernels. */
#define FM_ARCHIVE_SAMPLES                      0
#define FM_ARCHIVE_ACTIVITY(scenario, activity) ((activity) + (scenario)->has_samples)

/** @return the paradigm of the thread records in this region: POSIX threads or OpenMP. */
OTF2_Paradigm fm_archive_thread_paradigm(const char *region);

#endif
