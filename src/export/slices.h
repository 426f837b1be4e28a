/** @file
 * What a location was doing, as nested slices: user regions and calls, opened and closed in order
 * of time. For timelines of other tools.
 */
#ifndef FERMATA_EXPORT_SLICES_H
#define FERMATA_EXPORT_SLICES_H

#include "trace/trace.h"

#include <stdint.h>

/** Takes slices as they come: times never decrease, slices nest. */
struct fm_slice_sink {
    /** A slice begins: node `visit` of the location's call tree.
     * @param activity  the communication call, FM_NONE for other regions */
    void (*open)(void *context, uint64_t time, uint32_t visit, uint32_t activity);
    /** The innermost slice ends. */
    void (*close)(void *context, uint64_t time);
    void *context;
};

/** Goes through all that a location did in [from, to]; what lasts longer is cut there. */
void fm_slices_walk(const struct fm_location *location, uint64_t from, uint64_t to,
                    const struct fm_slice_sink *sink);

#endif
