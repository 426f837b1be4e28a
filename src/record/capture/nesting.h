/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The regions of user code that are open in a thread, outermost first. The caller chooses the value
 * stored for a region: a number or a pointer. Used by one thread at a time.
 */
#ifndef FERMATA_RECORD_CAPTURE_NESTING_H
#define FERMATA_RECORD_CAPTURE_NESTING_H

#include "record/capture/hot.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Open regions. Zeroed = none. */
struct fm_nesting {
    uint64_t *regions;
    size_t count, room;
};

/** Makes room for one more region, in pages from the system: not by malloc, which belongs to the
 * program. errno is preserved. @return false without memory */
FM_API bool fm_nesting_grow(struct fm_nesting *nesting);

/** Opens a region. Amortized O(1). @return false without memory: it is not open */
static inline bool fm_nesting_push(struct fm_nesting *nesting, uint64_t region)
{
    if (__builtin_expect(nesting->count == nesting->room, 0) && !fm_nesting_grow(nesting)) {
        return false;
    }
    nesting->regions[nesting->count++] = region;
    return true;
}

/** Gives the memory back. */
void fm_nesting_free(struct fm_nesting *nesting);

#endif
