/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Memory of the analysing side. Running out of memory is the one failure that is not returned:
 * these functions then end the process with one clear line and status FM_ERR_SYSTEM, since no
 * caller could continue. The recorder, which runs inside the measured program, does not use them.
 */
#ifndef FERMATA_BASE_MEMORY_H
#define FERMATA_BASE_MEMORY_H

#include <stddef.h>

/** Sets how many bytes the large tables of this process may keep in memory; what is beyond goes to
 * an unlinked file in `directory`. 0 (the default) keeps all in memory. Tables that exist already
 * stay in memory until they are resized. To be called by one thread, while no other one allocates.
 */
void fm_memory_limit(size_t bytes, const char *directory);

/** Makes the C library keep freed memory for later use instead of returning it to the system
 * immediately: stages that follow one another need about the same amount, and every page that comes
 * from the system must be zeroed first. For programs that end after their work, not for libraries.
 */
void fm_memory_keep(void);

/** Lets the system write the large tables out while they are not used; does nothing without a
 * limit. Contents stay valid. Call it between stages. Thread-safe. */
void fm_memory_relax(void);

/** As malloc(), zeroed, never NULL. Free with fm_free(). */
void *fm_allocate(size_t count, size_t size);

/** fm_allocate() for tables that are read before they are written, here and there: all of it is
 * written at once. A fresh page that is read first would be mapped twice, the second time by
 * interrupting all processors on which the program runs. */
void *fm_allocate_written(size_t count, size_t size);

/** Bytes between data that different threads write frequently, against false sharing: cache lines
 * are fetched in pairs. */
#define FM_APART 128

/** fm_allocate() for data that several threads use frequently: the block shares no cache line with
 * any other block. */
void *fm_allocate_apart(size_t count, size_t size);

/** Resizes a block of `old_bytes` bytes (NULL: 0) made by this function or fm_allocate() to
 * `new_bytes`; what is new has no defined content. Free with fm_free(). */
void *fm_resize(void *block, size_t old_bytes, size_t new_bytes);

/** Frees a block. NULL is allowed. Thread-safe. */
void fm_free(void *block);

/** Copy of a string (NULL: NULL), to be freed with fm_free(). */
char *fm_copy_string(const char *text);

/** Ends the process as the functions above do, when a library that was asked for something has no
 * memory for it. */
void fm_memory_exhausted(void) __attribute__((noreturn, cold));

#endif
