/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The global definitions of an archive as they are written: each kind of record in a table, in the
 * order of the archive, with references not resolved yet. Private to src/trace.
 */
#ifndef FERMATA_TRACE_READ_RAW_DEFINITIONS_H
#define FERMATA_TRACE_READ_RAW_DEFINITIONS_H

#include "base/containers/map.h"
#include "trace/read/counter_definitions.h"
#include "trace/tables/trace_internal.h"

#include <otf2/otf2.h>

struct fm_raw_region {
    uint32_t name, file, line;
    uint8_t role, paradigm;
    bool is_phase;
};

struct fm_raw_parameter {
    uint32_t name;
    fm_parameter_t type;
};

struct fm_raw_line {
    uint32_t file, line;
};

struct fm_raw_group {
    uint8_t type, paradigm;
    uint32_t size;
    uint64_t *members;
};

struct fm_raw_communicator {
    uint32_t name, group, second_group;
};

struct fm_raw_context {
    uint32_t region, parent;
};

struct fm_raw_generator {
    uint32_t name;
    bool is_timer;
    double period; /**< seconds, or counts */
};

struct fm_raw_window {
    uint32_t name, communicator;
};

struct fm_raw_node {
    uint32_t name, parent;
};

struct fm_raw_location_group {
    uint32_t name, node;
    uint32_t creator; /**< reference of the group of the process that uses an accelerator; else
                           undefined */
};

struct fm_raw_object {
    uint32_t group, object; /**< reference of a location group */
    uint32_t name;
};

struct fm_raw_world {
    uint32_t group, world; /**< reference of a location group; number */
};

/** What a property of a location states about its process. */
typedef enum {
    FM_END_HEARTBEAT,
    FM_END_OF_JOB,
    FM_END_BY_ITSELF,
    FM_END_THREAD_LEVEL
} fm_raw_end_t;

struct fm_raw_end {
    uint64_t location, value;
    fm_raw_end_t what;
};

struct fm_raw_location {
    uint64_t id, events;
    uint32_t name, group;
    uint32_t rank;  /**< position in the group of communication locations; FM_NONE: none */
    bool is_stream; /**< of an accelerator */
};

struct fm_raw_dimension {
    uint32_t name, size;
    bool periodic;
};

struct fm_raw_topology {
    uint32_t reference, name, communicator;
    uint8_t dimension_count;
    uint32_t *dimensions;
};

struct fm_raw_coordinate {
    uint32_t topology, rank;
    uint8_t dimension_count;
    uint32_t values[8];
};

/** Zeroed but for `into`: nothing was read. Names are references of strings. */
struct fm_raw_definitions {
    struct fm_raw_counters counters; /**< first: also the user data of the counters' callbacks */
    struct fm_trace_private *into;
    struct fm_references nodes, location_groups, dimensions;
    uint32_t metric_locations,
        metric_location; /**< number of those that are left out; name of the first */
    FM_VECTOR(struct fm_raw_region) regions;
    FM_VECTOR(struct fm_raw_parameter) parameters;
    FM_VECTOR(struct fm_raw_line) lines;
    FM_VECTOR(struct fm_raw_group) groups;
    FM_VECTOR(struct fm_raw_communicator) communicators;
    FM_VECTOR(struct fm_raw_window) windows;
    FM_VECTOR(struct fm_raw_context) contexts;
    FM_VECTOR(struct fm_raw_generator) generators;
    FM_VECTOR(struct fm_raw_node) nodes_raw;
    FM_VECTOR(struct fm_raw_location_group) location_groups_raw;
    FM_VECTOR(struct fm_raw_object) objects;
    FM_VECTOR(struct fm_raw_world) worlds;
    FM_VECTOR(struct fm_raw_end) ends;
    FM_VECTOR(struct fm_raw_location) locations;
    FM_VECTOR(struct fm_raw_dimension) dimensions_raw;
    FM_VECTOR(struct fm_raw_topology) topologies;
    FM_VECTOR(struct fm_raw_coordinate) coordinates;
    struct fm_map location_of_id; /**< position in `locations` */
};

/** Registers callbacks whose user data is a struct fm_raw_definitions. Strings and the references
 * of regions, lines, groups, communicators, windows and attributes go directly to `into`. */
void fm_raw_definitions_register(OTF2_GlobalDefReaderCallbacks *callbacks);

/** @return the text of a string; NULL: it is not defined. */
static inline const char *fm_raw_string(const struct fm_raw_definitions *raw, uint32_t reference)
{
    uint32_t index = fm_references_find(&raw->into->strings, reference);
    return index == FM_NONE ? NULL : raw->into->text.items[index];
}

/** Makes the trace's tables of the definitions, once all of them are read: regions and parameters,
 * lines, processes and locations, groups, communicators, windows, topologies, counters
 * (resolve_definitions.c). Definitions that refer to undefined ones stay, with FM_NONE in the
 * place of the reference. */
void fm_raw_definitions_resolve(struct fm_raw_definitions *raw);

/** Frees the memory; not that of the trace. */
void fm_raw_definitions_free(struct fm_raw_definitions *raw);

#endif
