/** @file
 * Which instrumented functions the user's filter leaves out (filter/filter.h). Their names
 * come from debug information, which the helper program reads: once for each binary, at the first
 * call of one of its functions. The result is cached.
 */
#ifndef FERMATA_RECORD_SELECTION_FUNCTION_FILTER_H
#define FERMATA_RECORD_SELECTION_FUNCTION_FILTER_H

#include "record/stack/places.h"

#include <stdbool.h>

/** Takes the filter from FERMATA_FILTERING_FILE, if there is one.
 * @param tell  prints a message, like printf, if the filter cannot be applied */
void fm_function_filter_begin(void (*tell)(const char *format, ...));

/** Whether a function is left out.
 * @param site  of its first instruction. Thread-safe; not twice in one thread at a time. */
bool fm_function_filter_excludes(struct fm_site site);

#endif
