/** @file
 * OTF2 prints what goes wrong to stderr, often several lines for one failure. Here its messages are
 * kept instead, so that the caller can tell them once.
 */
#ifndef FERMATA_TRACE_ARCHIVE_OTF2_ERROR_H
#define FERMATA_TRACE_ARCHIVE_OTF2_ERROR_H

#include <stdbool.h>

/** Keeps OTF2's messages from now on, for all threads of the process. May be called repeatedly. */
void fm_otf2_error_capture(void);

/** @return the first message of this thread since the last call, "unknown reason" if there was
 * none. Valid until this thread's next call. */
const char *fm_otf2_error_take(void);

/** Whether an error since fm_otf2_error_take() was a lack of memory: then data that cannot be read
 * is not damaged. */
bool fm_otf2_error_is_memory(void);

#endif
