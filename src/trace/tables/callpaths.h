/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The forest of call paths that all locations share. */
#ifndef FERMATA_TRACE_TABLES_CALLPATHS_H
#define FERMATA_TRACE_TABLES_CALLPATHS_H

#include "base/containers/map.h"
#include "base/containers/vector.h"

#include <stddef.h>
#include <stdint.h>

/** Maximum number of values of a parameter that have nodes of their own, over all locations: the
 * first ones in the order of locations. All others share a node, so that a program that sets a
 * parameter to ever new values does not make the forest grow without limit. */
#define FM_PARAMETER_LIMIT 256U

/** What a node of a call tree stands for. */
enum fm_callpath_kind {
    FM_CALLPATH_REGION, /**< a region */
    FM_CALLPATH_VALUE, /**< a value of a parameter, set in the region above: `region` is that of the
                            parameter (fm_region.parameter), `value` its bits */
    FM_CALLPATH_OTHERS /**< all values of a parameter beyond FM_PARAMETER_LIMIT */
};

/** A node of the call forest of all locations; parents precede their children. */
struct fm_callpath {
    uint64_t
        value; /**< FM_CALLPATH_VALUE: a number, or the number of a text in the trace; else 0 */
    uint32_t parent; /**< FM_NONE: a root */
    uint32_t region;
    uint32_t line; /**< where a call of communication is made; FM_NONE: unknown */
    uint32_t kind; /**< enum fm_callpath_kind */
};

/** A forest that grows. `struct fm_callpaths c = {0};` is an empty one. */
struct fm_callpaths {
    FM_VECTOR(struct fm_callpath) nodes;
    struct fm_map calls;  /**< (region, line or number of a value) -> number */
    struct fm_map index;  /**< (parent, number) -> node */
    struct fm_map values; /**< bits of a value -> number */
    struct fm_map counts; /**< region of a parameter -> number of its values */
};

/** @return the node that is equal to `node`, which is added if it is new. A new value of a
 * parameter that has FM_PARAMETER_LIMIT already gives the node of its others. */
uint32_t fm_callpaths_add(struct fm_callpaths *callpaths, const struct fm_callpath *node);

/** Adds the nodes of another forest, whose parents are numbers in that one, in its order.
 * @param number  [count], out: of each of them in `callpaths`; may be NULL */
void fm_callpaths_add_forest(struct fm_callpaths *callpaths, const struct fm_callpath *forest,
                             size_t count, uint32_t *number);

/** Frees the memory; the forest is empty afterwards. */
void fm_callpaths_free(struct fm_callpaths *callpaths);

#endif
