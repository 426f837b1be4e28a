/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Streams of accelerators among the locations of the processes. The conversion of records collects
 * those of a process in a list; they then become definitions. Used by one thread.
 */
#ifndef FERMATA_RECORD_ARCHIVE_STREAMS_H
#define FERMATA_RECORD_ARCHIVE_STREAMS_H

#include "record/archive/define.h"

#include <stdbool.h>
#include <stdint.h>

/** A stream of this process. */
struct fm_noted_stream {
    uint32_t index;   /**< of its location in the process */
    uint32_t name;    /**< number of its string */
    uint32_t context; /**< of the accelerator's interface */
};

/** Appends a stream of this process to the list, unless its location is in it.
 * @return false without memory */
bool fm_stream_note(struct fm_noted_stream stream);

/** @return the streams in the list. Valid until it is changed */
const struct fm_noted_stream *fm_streams_noted(size_t *count);

/** Converts the listed streams to definitions and empties the list. @return false without memory */
bool fm_streams_define(struct fm_definitions *set, uint32_t rank);

/** @return number of the string that names the stream, in a set of all processes; FM_DEFINE_NONE:
 * the location is a thread. O(streams) */
uint32_t fm_stream_name(const struct fm_definitions *set, uint32_t rank, uint32_t index);

#endif
