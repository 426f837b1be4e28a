/** @file
 * Durations in options of the user.
 */
#ifndef FERMATA_RECORD_SELECTION_DURATION_H
#define FERMATA_RECORD_SELECTION_DURATION_H

#include <stdbool.h>
#include <stdint.h>

/** Nanoseconds of a text like "500ns", "1us", "2.5ms", "1s"; at most one day.
 * @param text  NULL: invalid
 * @return false: the text is invalid, `*nanoseconds` is unchanged */
bool fm_duration_parse(const char *text, uint64_t *nanoseconds);

#endif
