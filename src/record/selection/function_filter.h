/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Decides which instrumented functions the user's filter leaves out (filter/filter.h). Their names
 * come from debug information. The helper program reads it once for each binary, at the first call
 * of one of its functions; the result is cached.
 */
#ifndef FERMATA_RECORD_SELECTION_FUNCTION_FILTER_H
#define FERMATA_RECORD_SELECTION_FUNCTION_FILTER_H

#include "record/stack/places.h"

#include <stdbool.h>

/** Takes the filter from FERMATA_FILTERING_FILE, if there is one.
 * @param tell  prints a message, like printf, if the filter cannot be applied */
void fm_function_filter_begin(void (*tell)(const char *format, ...));

/** Whether a function is left out. Thread-safe, but not reentrant in one thread. errno is
 * preserved.
 * @param site  of its first instruction */
bool fm_function_filter_excludes(struct fm_site site);

#endif
