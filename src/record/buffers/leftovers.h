/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Buffer files (buffer_layout.h) that processes have left which are dead. They are never removed
 * here: completing the experiment (rebuild/rebuild.h) reads and removes those that belong to it.
 */
#ifndef FERMATA_RECORD_BUFFERS_LEFTOVERS_H
#define FERMATA_RECORD_BUFFERS_LEFTOVERS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/** A file. */
struct fm_leftover {
    char path[PATH_MAX];
    char directory[4096]; /**< of the experiment */
    uint32_t rank;
    uint64_t bytes;  /**< that it takes */
    bool is_awaited; /**< the experiment is there and not complete: completing it reads the file */
};

typedef void fm_leftover_report_t(void *context, const struct fm_leftover *leftover);

/** Reports the files of this user on this host, outside of experiments: in the usual folder, and in
 * that which FERMATA_BUFFERS names. Files of processes that may still live are left out. */
void fm_leftovers_find(fm_leftover_report_t *report, void *context);

#endif
