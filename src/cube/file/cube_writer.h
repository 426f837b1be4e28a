/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The writer of a report file: the output stream, and the sections implemented in separate files.
 */
#ifndef FERMATA_CUBE_FILE_CUBE_WRITER_H
#define FERMATA_CUBE_FILE_CUBE_WRITER_H

#include "cube/model/cube.h"

#include <stdio.h>

#define FM_SINK_BUFFER 4096

/** A buffered output stream with a checksum of all bytes written. Errors stay in the stream. Bytes
 * remain in the buffer until it is full or fm_sink_flush() is called. `struct fm_sink s = {.stream
 * = f};` initializes a sink. */
struct fm_sink {
    FILE *stream;
    unsigned long crc; /**< CRC-32 of all flushed bytes */
    size_t buffered;
    unsigned char buffer[FM_SINK_BUFFER];
};

/** Writes the contents of the buffer to the stream. */
void fm_sink_flush(struct fm_sink *sink);

/** Write an integer of this width, little-endian; bytes unchanged; a string preceded by its length
 * (NULL: unknown). */
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
void fm_cube_put_blamed(struct fm_sink *sink, const struct fm_cube *cube);
void fm_cube_put_profile(struct fm_sink *sink, const struct fm_cube *cube);
void fm_cube_put_streams(struct fm_sink *sink, const struct fm_cube *cube);
void fm_cube_put_clock(struct fm_sink *sink, const struct fm_cube *cube);
void fm_cube_put_last_partitions(struct fm_sink *sink, const struct fm_cube *cube);
void fm_cube_put_unexpected(struct fm_sink *sink, const struct fm_cube *cube);
void fm_cube_put_sites(struct fm_sink *sink, const struct fm_cube *cube);
void fm_cube_put_worlds(struct fm_sink *sink, const struct fm_cube *cube);
void fm_cube_put_uncertainty(struct fm_sink *sink, const struct fm_cube *cube);
void fm_cube_put_findings(struct fm_sink *sink, const struct fm_cube *cube);
void fm_cube_put_hang(struct fm_sink *sink, const struct fm_cube *cube);
/** The texts of the metrics of patterns of the user. */
void fm_cube_put_switched_off(struct fm_sink *sink, const struct fm_cube *cube);
void fm_cube_put_user_metrics(struct fm_sink *sink, const struct fm_cube *cube);
void fm_cube_put_topologies(struct fm_sink *sink, const struct fm_cube *cube);
void fm_cube_put_predictions(struct fm_sink *sink, const struct fm_cube *cube);

void fm_cube_put_problems(struct fm_sink *sink, const struct fm_cube *cube);

#endif
