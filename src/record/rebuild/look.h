/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * A look at a program that is being recorded: a copy of what its processes have recorded so far,
 * from which an archive can be made as if they had been killed.
 */
#ifndef FERMATA_RECORD_REBUILD_LOOK_H
#define FERMATA_RECORD_REBUILD_LOOK_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/** Whether a process of an experiment still runs on this host. */
bool fm_look_is_due(const char *directory);

/** Copies journals and buffer files of an experiment, whose processes go on meanwhile, to a new
 * directory, from which fm_rebuild() makes an archive. Open calls (record/paradigm/open_call.h)
 * last to the begin of the copy: a thread that is in such a call in the copy was in it at that
 * moment, if the call had begun.
 * @param copy  receives the path of the directory, to be removed with fm_remove_tree() after FM_OK
 * @return FM_OK; FM_ERR_DATA: processes run on other nodes, without buffer files or in several
 *         worlds; FM_ERR_SYSTEM. Not thread-safe */
fm_status_t fm_look_copy(const char *directory, char *copy, size_t size, struct fm_error *error);

#endif
