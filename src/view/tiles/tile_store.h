/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The file of a timeline's tiles: numbered blocks of bytes with random access.
 *
 * Layout (integers little-endian): 8 bytes "FMTILES1"; the tiles, in any order; the table: for each
 * tile u64 offset and u64 size; the trailer: u64 number of tiles, u64 offset of the table, u64 key
 * of the report, u64 CRC-64 of the table and these three numbers, 8 bytes "FMTILES1".
 */
#ifndef FERMATA_VIEW_TILES_TILE_STORE_H
#define FERMATA_VIEW_TILES_TILE_STORE_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- writing ---- */

struct fm_tile_writer;

/** Begins a file of tiles.
 * @param stream  positioned at its begin; errors are left in the stream, the caller checks them at
 * closing */
struct fm_tile_writer *fm_tile_writer_create(FILE *stream);

/** Writes tile `number`. Tiles may be written in any order; those not written are empty. */
void fm_tile_writer_put(struct fm_tile_writer *writer, uint64_t number, const void *bytes,
                        size_t size);

/** Writes table and trailer, and frees the writer. */
void fm_tile_writer_finish(struct fm_tile_writer *writer, uint64_t key);

/* ---- reading ---- */

struct fm_tile_store;

/** Opens a file of tiles and verifies its whole table.
 * @param fd     of a regular file; ownership passes to the store, also on failure
 * @param key    expected key of the report; another key is FM_ERR_DATA, too
 * @param store  out: to be freed with fm_tile_store_close(); set only on success */
fm_status_t fm_tile_store_open(int fd, uint64_t key, struct fm_tile_store **store,
                               struct fm_error *error);

void fm_tile_store_close(struct fm_tile_store *store);

/** @return the number of tiles. */
uint64_t fm_tile_store_count(const struct fm_tile_store *store);

/** Reads a tile. Thread-safe.
 * @param number  less than the number of tiles
 * @param bytes   out: to be freed with free(), `size` bytes; set only on success */
fm_status_t fm_tile_store_read(const struct fm_tile_store *store, uint64_t number,
                               unsigned char **bytes, size_t *size, struct fm_error *error);

#endif
