/** @file
 * How often threads are sampled, as people write it.
 */
#ifndef FERMATA_RECORD_SELECTION_SAMPLE_RATE_H
#define FERMATA_RECORD_SELECTION_SAMPLE_RATE_H

/** Samples a second, at least and at most. */
enum { FM_SAMPLE_RATE_LEAST = 1, FM_SAMPLE_RATE_MOST = 10000 };

/** A frequency as in `100Hz`, `2.5kHz`, or a number of Hz; letters of any case.
 * @return in Hz; 0: it is none, or out of range */
double fm_sample_rate(const char *text);

#endif
