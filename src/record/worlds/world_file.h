/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The definitions of a world: of the processes with one MPI_COMM_WORLD, which are connected with
 * those of other worlds (spawned, connected or joined processes). Each world writes an archive of
 * its own, and beside it, in `world.def`, the merged set of its definitions. The archives become
 * one when all worlds have ended (join.h).
 */
#ifndef FERMATA_RECORD_WORLDS_WORLD_FILE_H
#define FERMATA_RECORD_WORLDS_WORLD_FILE_H

#include "record/archive/archive.h"

#include <stdbool.h>
#include <stddef.h>

#define FM_WORLD_FILE "world.def"

/** Content of the file. */
struct fm_world_content {
    struct fm_archive_summary summary;
    bool locations_reused; /**< as of fm_archive_close */
    void *block;           /**< fm_definitions_pack of the merged set; to be freed */
    size_t bytes;          /**< of the block */
};

/** Whether the processes of a set are connected with those of another world. */
bool fm_world_is_connected(const struct fm_definitions *set);

/** Writes the file. Called when all other definitions of the archive are written.
 * @return false: not written, errno is the reason */
bool fm_world_write(const char *directory, const struct fm_definitions *set,
                    const struct fm_archive_summary *summary, bool locations_reused);

/** Reads the file and its checksum. The definitions are not checked.
 * @return false: there is no such file, it is damaged, or no memory; nothing is to be freed */
bool fm_world_read(const char *directory, struct fm_world_content *content);

#endif
