/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The option of the flight recorder, which keeps only the last records: FERMATA_FLIGHT_RECORDER.
 */
#ifndef FERMATA_RECORD_SELECTION_FLIGHT_OPTION_H
#define FERMATA_RECORD_SELECTION_FLIGHT_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FM_FLIGHT_VARIABLE "FERMATA_FLIGHT_RECORDER"

/** Value of the option. */
struct fm_flight_option {
    uint64_t bytes; /**< of records that each process keeps; 0: no flight recorder */
    bool always;    /**< the records are also written at the end of the run, without request */
};

/** Reads `SIZE` or `SIZE,always`: 16M, 1GB,always. @return false: the text is invalid; `option` is
 * zero */
bool fm_flight_option_read(struct fm_flight_option *option, const char *text);

/** Writes a description for the user: `the last 16 MiB of each process`. */
void fm_flight_option_describe(const struct fm_flight_option *option, char *text, size_t size);

#endif
