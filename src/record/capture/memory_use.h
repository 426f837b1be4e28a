/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Memory that the recorder uses in this process: its pages (buffers, call stacks) and OTF2's
 * buffers. Thread-safe, no lock; no system call but where stated.
 */
#ifndef FERMATA_RECORD_CAPTURE_MEMORY_USE_H
#define FERMATA_RECORD_CAPTURE_MEMORY_USE_H

#include <stddef.h>
#include <stdint.h>

/** Count memory as allocated, or as freed; in bytes. */
void fm_memory_use_add(size_t bytes);
void fm_memory_use_remove(size_t bytes);

/** Maps zeroed pages and counts them all. Makes a system call.
 * @param flags  of mmap, added to those of private pages without a file: MAP_POPULATE, ..., or 0
 * @return NULL: no memory */
void *fm_memory_use_map(size_t bytes, int flags);

/** Maximum of the memory in use, in bytes. */
uint64_t fm_memory_use_most(void);

#endif
