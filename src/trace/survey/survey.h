/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The content of an archive as it is: its definitions, unresolved, and its events one by one. In
 * contrast to the trace model this keeps inconsistencies, so that they can be reported. Memory does
 * not grow with the number of events.
 *
 * Only one archive may be surveyed at a time in a process (OTF2 reports errors process-wide).
 */
#ifndef FERMATA_TRACE_SURVEY_SURVEY_H
#define FERMATA_TRACE_SURVEY_SURVEY_H

#include "base/containers/map.h"
#include "base/containers/vector.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FM_SURVEY_NONE UINT32_MAX

/** Kinds of events, in the order of event_records.def. */
typedef enum {
#define FM_EVENT_RECORD(number, symbol, ...) FM_SURVEY_##symbol,
#include "trace/archive/event_records.def"
#undef FM_EVENT_RECORD
    FM_SURVEY_KINDS
} fm_survey_kind_t;

/** One event. event_records.def states the members that a kind of event sets; the others are 0. */
struct fm_survey_event {
    fm_survey_kind_t kind;
    uint64_t time;
    uint32_t reference; /**< of the region, communicator, window or string */
    uint32_t peer;      /**< rank: receiver, sender, root, target */
    uint32_t group;     /**< reference of the group of an RmaGroupSync */
    uint32_t parameter; /**< reference of the parameter that gets a value */
    uint32_t tag;       /**< of a message */
    uint64_t id;        /**< request, matching id or lock */
    uint64_t bytes;     /**< of a message; sent, where there are bytes received, too */
    uint64_t received;
    uint64_t value; /**< that an unsigned parameter gets */
};

/** Definitions. Strings are references: see fm_survey_string(). */
struct fm_survey_region {
    uint32_t reference, name, file;
    uint8_t role, paradigm;
};

struct fm_survey_parameter {
    uint32_t reference, name;
    uint8_t type; /**< OTF2_ParameterType */
};

struct fm_survey_node {
    uint32_t reference, name, class_name, parent;
};

struct fm_survey_process {
    uint32_t reference, name, node;
    uint32_t location_count;
    uint8_t type;
};

struct fm_survey_location {
    uint64_t id;
    uint32_t name, process; /**< references */
    uint64_t defined_events;
    uint8_t type;
    /* Properties (base/awaited_names.h) about the end of its process. */
    bool states_end; /**< it has one of them: regions that are never left are no defect */
    uint64_t heartbeat, job_end; /**< times of its own clock; UINT64_MAX: not stated */
};

struct fm_survey_group {
    uint32_t reference;
    uint32_t size;
    uint64_t *members;
    uint8_t type, paradigm;
};

struct fm_survey_comm {
    uint32_t reference, name;
    uint32_t group, second_group; /**< references; FM_SURVEY_NONE: not an inter-communicator */
    uint32_t parent;
};

struct fm_survey_window {
    uint32_t reference, name, comm;
};

/** A marker: an annotation of a time, made by the program or a tool. */
struct fm_survey_marker {
    uint64_t time;
    uint32_t group;    /**< index of `marker_groups`; FM_SURVEY_NONE: not defined */
    bool has_location; /**< it refers to one location, whose id is `location` */
    uint64_t location;
    char *text;
};

struct fm_survey_property {
    char *name, *value;
};

/** Index of each reference of one kind of definition, and the number of redefinitions. */
struct fm_survey_index {
    struct fm_map map;
    uint64_t repeated;
};

struct fm_survey_paradigm {
    uint32_t name;    /**< of strings */
    uint8_t paradigm; /**< OTF2_Paradigm */
};

struct fm_survey {
    char *anchor;    /**< path of the anchor file */
    char *directory; /**< that contains the anchor file */
    char *creator, *machine, *description;
    uint8_t version[3];
    uint64_t defined_locations; /**< as stated by the anchor file */
    bool has_clock;
    uint64_t ticks_per_second, clock_offset, clock_length, clock_realtime;
    FM_VECTOR(struct fm_survey_property) properties;
    FM_VECTOR(char *) strings;
    FM_VECTOR(struct fm_survey_paradigm) paradigms; /**< the paradigm definitions */
    FM_VECTOR(struct fm_survey_region) regions;
    FM_VECTOR(struct fm_survey_node) nodes;
    FM_VECTOR(struct fm_survey_process) processes;
    FM_VECTOR(struct fm_survey_location) locations;
    FM_VECTOR(struct fm_survey_group) groups;
    FM_VECTOR(struct fm_survey_comm) comms;
    FM_VECTOR(struct fm_survey_window) windows;
    FM_VECTOR(struct fm_survey_parameter) parameters;
    FM_VECTOR(struct fm_survey_marker) markers; /**< filled by fm_survey_read_markers() */
    FM_VECTOR(char *) marker_groups;
    struct fm_map marker_group_index;
    struct fm_survey_index string_index, region_index, node_index, process_index, location_index,
        group_index, comm_index, window_index, parameter_index;
    bool has_local_definitions;
    void *reader;                    /**< OTF2_Reader */
    uint32_t first_read, end_read;   /**< locations it has selected: first_read .. end_read - 1 */
    struct fm_survey_bounds *bounds; /**< to count the records that OTF2 may read */
};

/** Reads anchor file and definitions.
 * @param archive  experiment directory that holds traces.otf2, or path of an anchor file
 * @param survey   out: to be freed with fm_survey_close(); set only on success
 * @return FM_ERR_DATA with file and reason if the archive is not readable. */
fm_status_t fm_survey_open(const char *archive, struct fm_survey **survey, struct fm_error *error);

/** @return whether fermata has written the archive, by its creator. */
bool fm_survey_is_own(const struct fm_survey *survey);

/** Receives the events of a location in the order of the file. */
typedef void (*fm_survey_handler_t)(void *context, const struct fm_survey_event *event);

/** Reads all events of a location, times corrected by the archive's clock offsets.
 * @param location  index
 * @param count     out: number of events that could be read, also on failure
 * @return FM_ERR_DATA with the reason if they cannot be read to their end. */
fm_status_t fm_survey_read(struct fm_survey *survey, uint32_t location, fm_survey_handler_t handler,
                           void *context, uint64_t *count, struct fm_error *error);

/** Reads the markers into `markers`, which stays empty for an archive without markers.
 * @return FM_ERR_DATA with the reason if they cannot be read to their end; `markers` then holds
 * those that could be read */
fm_status_t fm_survey_read_markers(struct fm_survey *survey, struct fm_error *error);

/** Closes the archive and frees the survey. NULL is allowed. */
void fm_survey_close(struct fm_survey *survey);

/** @return the index of the definition, FM_SURVEY_NONE if there is none. */
static inline uint32_t fm_survey_find(const struct fm_survey_index *index, uint64_t reference)
{
    return fm_map_get(&index->map, reference);
}

/** @return the string with this reference, NULL if there is none. */
const char *fm_survey_string(const struct fm_survey *survey, uint32_t reference);

/** @return the string with this reference, `otherwise` if it does not exist or is empty. */
const char *fm_survey_name(const struct fm_survey *survey, uint32_t reference,
                           const char *otherwise);

/** @return the number of ranks that messages on this communicator can have, which is that of the
 * larger group of an inter-communicator; 0 if its groups are not defined.
 * @param comm  index */
uint32_t fm_survey_comm_size(const struct fm_survey *survey, uint32_t comm);

/** The processes that the ranks of a group name: indices; FM_SURVEY_NONE for each that is not
 * defined or was not recorded. To be freed with fm_free().
 * @param group  index of a group that is not that of a communicator of one process (MPI_COMM_SELF)
 * @return one element for each member */
uint32_t *fm_survey_members(const struct fm_survey *survey, uint32_t group);

/** @return the name of OTF2's record, such as "MpiSend". Static. */
const char *fm_survey_kind_name(fm_survey_kind_t kind);

#endif
