/** @file
 * What writing a report file consists of: where bytes go, and the sections that have files of their
 * own.
 */
#ifndef FERMATA_CUBE_FILE_CUBE_WRITER_H
#define FERMATA_CUBE_FILE_CUBE_WRITER_H

#include "cube/model/cube.h"

#include <stdio.h>

#define FM_SINK_BUFFER 4096

/** Where bytes go: a stream, with the checksum of all that passed. Errors stay in the stream. What
 * is written waits in the buffer; fm_sink_flush() ends that. `struct fm_sink s = {.stream = f};` is
 * a new one. */
struct fm_sink {
    FILE *stream;
    unsigned long crc; /**< CRC-32 of what has left the buffer */
    size_t buffered;
    unsigned char buffer[FM_SINK_BUFFER];
};

/** Hands what is in the buffer on to the stream. */
void fm_sink_flush(struct fm_sink *sink);

/** Write an integer of this width, little-endian; bytes as they are; a string with its length
 * before it (NULL: unknown). */
void fm_sink_bytes(struct fm_sink *sink, const void *bytes, size_t length);
void fm_sink_u8(struct fm_sink *sink, unsigned value);
void fm_sink_u32(struct fm_sink *sink, uint32_t value);
void fm_sink_u64(struct fm_sink *sink, uint64_t value);
void fm_sink_string(struct fm_sink *sink, const char *text);

/** Write the payload of a section. */
void fm_cube_put_locks(struct fm_sink *sink, const struct fm_cube *cube);
void fm_cube_put_options(struct fm_sink *sink, const struct fm_cube *cube);
void fm_cube_put_phases(struct fm_sink *sink, const struct fm_cube *cube);
void fm_cube_put_bins(struct fm_sink *sink, const struct fm_cube *cube);
void fm_cube_put_matrices(struct fm_sink *sink, const struct fm_cube *cube);
void fm_cube_put_topologies(struct fm_sink *sink, const struct fm_cube *cube);

#endif
