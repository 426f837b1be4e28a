/** @file
 * Durations as people write them.
 */
#ifndef FERMATA_RECORD_SELECTION_DURATION_H
#define FERMATA_RECORD_SELECTION_DURATION_H

#include <stdbool.h>
#include <stdint.h>

/** Nanoseconds of a text like "500ns", "1us", "2.5ms", "1s", at most a day.
 * @return false: it is no such text */
bool fm_duration_parse(const char *text, uint64_t *nanoseconds);

#endif
