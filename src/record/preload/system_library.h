/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The functions of the C library behind the names that the preload library exports.
 */
#ifndef FERMATA_RECORD_PRELOAD_SYSTEM_LIBRARY_H
#define FERMATA_RECORD_PRELOAD_SYSTEM_LIBRARY_H

/** The next function of that name after this library, in its default version; NULL: there is none.
 * May not be called in signal handlers. */
void *fm_preload_next(const char *name);

#endif
