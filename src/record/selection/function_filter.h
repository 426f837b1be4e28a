/** @file
 * Which instrumented functions the user's filter leaves out (filter/filter.h). Their names are
 * known to who reads debug information: the helper program is asked once for each binary, when its
 * first function is met, and what it answers is kept.
 */
#ifndef FERMATA_RECORD_SELECTION_FUNCTION_FILTER_H
#define FERMATA_RECORD_SELECTION_FUNCTION_FILTER_H

#include "record/stack/places.h"

#include <stdbool.h>

/** Takes the filter from FERMATA_FILTERING_FILE, if there is one.
 * @param tell  tells the user that it cannot be applied, in the manner of printf */
void fm_function_filter_begin(void (*tell)(const char *format, ...));

/** Whether a function is left out.
 * @param site  of its first instruction. Thread-safe; not twice in one thread at a time. */
bool fm_function_filter_excludes(struct fm_site site);

#endif
