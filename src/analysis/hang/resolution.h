/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * From the parts of open calls and the facts of other processes to the wait-for graph: which
 * locations and processes each part waits for. Private to src/analysis/hang.
 */
#ifndef FERMATA_ANALYSIS_HANG_RESOLUTION_H
#define FERMATA_ANALYSIS_HANG_RESOLUTION_H

#include "analysis/hang/facts.h"
#include "analysis/hang/wait_graph.h"
#include "base/containers/map.h"

typedef FM_VECTOR(uint32_t) fm_targets;

/** A set of processes that several parts wait for, all of them or any. */
struct fm_target_set {
    uint32_t node;
    uint32_t first, count; /**< processes, in `targets` by their first locations */
    bool is_never;         /**< some of them are beyond it */
};

/** Chains of the nodes of some processes, by which any of them but one is an input: [i] is any of
 * the first i, or of those from i on. */
struct fm_other_chains {
    uint32_t first_before, first_behind; /**< nodes */
    uint32_t first, count;               /**< as of struct fm_target_set */
};

struct fm_resolution {
    const struct fm_analysis *analysis;
    const fm_location_ends *ends;
    const fm_open_parts *parts;
    const struct fm_hang_facts *facts;
    struct fm_wait_graph *graph; /**< nodes of locations, then of processes, then others */
    struct fm_cube_hang *hang;   /**< gets the parts and their targets */
    fm_targets targets;          /**< of `hang` */
    FM_VECTOR(struct fm_cube_hang_part) found;
    FM_VECTOR(struct fm_target_set) sets;
    struct fm_map set_of;    /**< hash of a collective operation -> position in `sets` */
    struct fm_map chains_of; /**< communicator -> position in `chains` */
    FM_VECTOR(struct fm_other_chains) chains;
};

/** @return the node of a process. */
static inline uint32_t fm_process_node(const struct fm_resolution *resolution, uint32_t process)
{
    return resolution->analysis->trace->location_count + process;
}

/** Resolves a part: adds it to `found` and its node to the graph.
 * @return the node */
uint32_t fm_resolve_part(struct fm_resolution *resolution, const struct fm_open_part *part);

/** Describe a part: what it is about, and what comes close; at most `size` bytes with the 0. */
void fm_describe_object(const struct fm_resolution *resolution, const struct fm_open_part *part,
                        char *text, size_t size);
void fm_describe_near(const struct fm_resolution *resolution, const struct fm_open_part *part,
                      char *text, size_t size);

#endif
