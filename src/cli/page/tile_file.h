/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The tiles of an experiment's timeline (view/tiles/tiles.h), which are made when they are first
 * needed and kept beside the report.
 */
#ifndef FERMATA_CLI_PAGE_TILE_FILE_H
#define FERMATA_CLI_PAGE_TILE_FILE_H

#include "cube/model/cube.h"
#include "view/tiles/tile_store.h"

/** Opens the tiles; makes them of the trace if there are none of this report yet. Says on standard
 * error what takes long, and what is wrong.
 * @param place  experiment directory or report file
 * @return to be freed with fm_tile_store_close(); NULL: without timeline */
struct fm_tile_store *fm_tile_file_open(const char *place, const struct fm_cube *cube);

#endif
