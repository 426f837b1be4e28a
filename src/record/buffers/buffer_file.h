/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The buffer file of this process (buffer_layout.h, buffer_place.h): made when the run begins,
 * removed when its archive is complete. The room of each block is reserved before it is mapped, so
 * that a full file system never ends the program; a block that cannot be reserved is not there, and
 * its user takes memory of the process instead. No descriptor stays open.
 *
 * A forked child has private copies of the blocks instead, which are empty.
 */
#ifndef FERMATA_RECORD_BUFFERS_BUFFER_FILE_H
#define FERMATA_RECORD_BUFFERS_BUFFER_FILE_H

#include "record/buffers/buffer_layout.h"
#include "record/buffers/buffer_place.h"
#include "record/capture/hot.h"

#include <stdbool.h>
#include <stdint.h>

/** What a buffer file is made for. */
struct fm_buffer_request {
    const char *directory; /**< of the experiment, absolute */
    uint32_t rank, size;
    bool flight; /**< only the last records are kept */
};

/** Makes the file. Called once, when the run begins. errno is not preserved.
 * @param place  receives where it lies, or why there is none
 * @return whether there is one */
bool fm_buffers_begin(const struct fm_buffer_request *request, struct fm_buffer_place *place);

/** Path of the file; "": there is none. Valid to the end of the process. */
const char *fm_buffers_path(void);

/** fm_buffer_head.token of the file. */
uint64_t fm_buffers_token(void);

/** Whether the process has a buffer file, and may use it: not in a forked child, and not after
 * fm_buffers_remove. Thread-safe, like the functions below, which take no lock that they wait for
 * and may be called in signal handlers, except fm_buffers_slot. */
bool fm_buffers_are_open(void);

/** An empty chunk of the file, of the kind UNUSED. errno is preserved. @return NULL: there is no
 * room */
struct fm_chunk *fm_buffers_chunk(void);

/** Gives a chunk of the file back. */
void fm_buffers_return(struct fm_chunk *chunk);

/** A slot for a thread, zeroed. The caller sets `thread` when the other members are right. errno is
 * preserved. @return NULL: there is no room */
struct fm_buffer_slot *fm_buffers_slot(void);

/** The block of definitions; NULL: there is no buffer file. */
struct fm_buffer_definitions *fm_buffers_definitions(void);

/** States that there is a thread whose records are not in the file. */
void fm_buffers_note_outside(void);

/** States that the process lives now. */
void fm_buffers_live(void);

/** Removes the file; its memory stays mapped. */
void fm_buffers_remove(void);

#endif
