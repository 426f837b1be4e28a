/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Data for the page: a JSON object and columns of integers, compressed.
 *
 * Layout before compression (zlib format): u32 length of the JSON text (little-endian), the text,
 * the columns. The text's last member is "columns": {NAME: {"at", "count", "width", "delta"}}: the
 * column NAME begins `at` bytes after the text and has `count` integers of `width` bytes, which are
 * stored in planes: the lowest byte of all, the next byte of all, ... With "delta" each integer is
 * the difference from its predecessor (the first: from 0), zigzag-coded: 0, -1, 1, -2 as 0, 1,
 * 2, 3. Planes of bytes that rarely change compress to almost nothing.
 */
#ifndef FERMATA_VIEW_BUNDLE_H
#define FERMATA_VIEW_BUNDLE_H

#include "base/error.h"
#include "base/json/json_writer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct fm_bundle;

/** @return an empty bundle, to be freed with fm_bundle_free(). */
struct fm_bundle *fm_bundle_create(void);

void fm_bundle_free(struct fm_bundle *bundle);

/** @return the writer for members of the bundle's JSON object; valid until fm_bundle_finish().
 * Errors may be left in the stream. */
struct fm_json *fm_bundle_json(struct fm_bundle *bundle);

/** Adds a column.
 * @param name   a constant
 * @param delta  consecutive values are similar: store differences, which must be below 2^63 */
void fm_bundle_add(struct fm_bundle *bundle, const char *name, const uint64_t *values, size_t count,
                   bool delta);

/** Completes and compresses the bundle; no data may be added afterwards.
 * @param bytes  out: to be freed with fm_free(), `size` bytes; set only on success */
fm_status_t fm_bundle_finish(struct fm_bundle *bundle, unsigned char **bytes, size_t *size,
                             struct fm_error *error);

#endif
