/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Programs that are built with sanitizers. Their runtimes replace functions of the C library as
 * this library does, in front of it (static runtimes, in the program) or behind it (shared ones).
 */
#ifndef FERMATA_RECORD_PRELOAD_SANITIZERS_H
#define FERMATA_RECORD_PRELOAD_SANITIZERS_H

/** @return why this process cannot be recorded, part of a sentence; NULL: it can be */
const char *fm_sanitizer_obstacle(void);

/** @return why threads of this process cannot be recorded, a sentence; NULL: they can be */
const char *fm_sanitizer_obstacle_of_threads(void);

#endif
