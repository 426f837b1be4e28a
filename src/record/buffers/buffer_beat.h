/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Heartbeats that another process writes to a buffer file (buffer_layout.h).
 */
#ifndef FERMATA_RECORD_BUFFERS_BUFFER_BEAT_H
#define FERMATA_RECORD_BUFFERS_BUFFER_BEAT_H

#include "record/capture/clock.h"

#include <stdint.h>

/** Notes in a buffer file that its process lived at a moment, if it lives now, on this host.
 * @param token   of the file
 * @param moment  of the calling process (capture/clock.h) */
void fm_buffer_beat(const char *path, uint64_t token, const struct fm_clock_moment *moment);

#endif
