/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Growing columns of a bundle.
 */
#ifndef FERMATA_VIEW_COLUMNS_H
#define FERMATA_VIEW_COLUMNS_H

#include "base/containers/vector.h"
#include "view/bundle.h"

typedef FM_VECTOR(uint64_t) fm_column;

/** Adds a column to a bundle (fm_bundle_add()) and frees it. */
static inline void fm_column_move(struct fm_bundle *bundle, const char *name, fm_column *column,
                                  bool delta)
{
    fm_bundle_add(bundle, name, column->items, column->count, delta);
    fm_vector_free(column);
}

#endif
