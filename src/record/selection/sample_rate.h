/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The sampling rate in options of the user.
 */
#ifndef FERMATA_RECORD_SELECTION_SAMPLE_RATE_H
#define FERMATA_RECORD_SELECTION_SAMPLE_RATE_H

/** Minimum and maximum number of samples per second, and the number without a choice of the user.
 */
enum { FM_SAMPLE_RATE_LEAST = 1, FM_SAMPLE_RATE_MOST = 10000, FM_SAMPLE_RATE_DEFAULT = 100 };

/** Reads a frequency like `100Hz`, `2.5kHz`, or a number of Hz, letters of any case; or a period
 * like `2ms` (base/quantity.h, with a unit); or `off`.
 * @return the frequency in Hz; 0: off; negative: the text is invalid, or out of range */
double fm_sample_rate(const char *text);

#endif
