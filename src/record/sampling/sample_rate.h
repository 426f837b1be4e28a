/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The sampling rate and its clock in options of the user.
 */
#ifndef FERMATA_RECORD_SAMPLING_SAMPLE_RATE_H
#define FERMATA_RECORD_SAMPLING_SAMPLE_RATE_H

#include <stdbool.h>

/** Minimum and maximum number of samples per second that the user may choose, and the maximum
 * without a choice. */
enum { FM_SAMPLE_RATE_LEAST = 1, FM_SAMPLE_RATE_MOST = 10000, FM_SAMPLE_RATE_DEFAULT = 400 };

/** The clock that samples: the task clock of perf events where they may sample kernel mode, else
 * CPU timers; or always one of them (perf events: where they are permitted). */
enum fm_sample_clock_choice { FM_SAMPLE_CLOCK_BEST, FM_SAMPLE_CLOCK_PERF, FM_SAMPLE_CLOCK_TIMER };

/** Reads a frequency like `100Hz`, `2.5kHz`, or a number of Hz, letters of any case; or a period
 * like `2ms` (base/quantity.h, with a unit); or `off`.
 * @return the frequency in Hz; 0: off; negative: the text is invalid, or out of range */
double fm_sample_rate(const char *text);

/** Reads `perf` or `timer`. @return whether the text is one of them */
bool fm_sample_clock_choice(const char *text, enum fm_sample_clock_choice *choice);

#endif
