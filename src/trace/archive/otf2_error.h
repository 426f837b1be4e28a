/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Messages of OTF2. OTF2 prints errors to stderr, often several lines for one failure; here they
 * are kept instead, so that the caller reports the first one with the file's name.
 */
#ifndef FERMATA_TRACE_ARCHIVE_OTF2_ERROR_H
#define FERMATA_TRACE_ARCHIVE_OTF2_ERROR_H

#include <stdbool.h>

/** Keeps OTF2's messages from now on, for all threads of the process. Idempotent. */
void fm_otf2_error_capture(void);

/** @return the first message of this thread since the last call, "unknown reason" if there was
 * none. Valid until this thread's next call. */
const char *fm_otf2_error_take(void);

/** Whether an error of this thread since fm_otf2_error_take() was a lack of memory, so that data
 * that cannot be read need not be damaged. */
bool fm_otf2_error_is_memory(void);

#endif
