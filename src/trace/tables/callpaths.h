/** @file
 * The forest of call paths that all locations share. */
#ifndef FERMATA_TRACE_TABLES_CALLPATHS_H
#define FERMATA_TRACE_TABLES_CALLPATHS_H

#include "base/containers/map.h"
#include "base/containers/vector.h"

#include <stddef.h>
#include <stdint.h>

/** A node of the call forest of all locations; parents precede their children. */
struct fm_callpath {
    uint32_t parent; /**< FM_NONE: a root */
    uint32_t region;
    uint32_t line; /**< where a call of communication is made; FM_NONE: unknown */
};

/** A forest that grows. `struct fm_callpaths c = {0};` is an empty one. */
struct fm_callpaths {
    FM_VECTOR(struct fm_callpath) nodes;
    struct fm_map calls; /**< (region, line) -> number */
    struct fm_map index; /**< (parent, number) -> node */
};

/** @return the node of a region, called at a line (or FM_NONE), below `parent` (FM_NONE: a root);
 * which is added if it is new. */
uint32_t fm_callpaths_add(struct fm_callpaths *callpaths, uint32_t parent, uint32_t region,
                          uint32_t line);

/** Adds the nodes of another forest, whose parents are numbers in that one, in its order.
 * @param number  [count], out: of each of them in `callpaths`; may be NULL */
void fm_callpaths_add_forest(struct fm_callpaths *callpaths, const struct fm_callpath *forest,
                             size_t count, uint32_t *number);

/** Frees the memory; the forest is empty afterwards. */
void fm_callpaths_free(struct fm_callpaths *callpaths);

#endif
