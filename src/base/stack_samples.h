/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * How an archive contains the samples of call stacks: as values of a counter with this name, at the
 * times of the samples. The innermost open region of the location at that time is the function in
 * which the sample was taken. The value is the weight of the sample: the location's CPU time
 * between the instants of the sampling clock before and at the sample, in nanoseconds (unit `ns`),
 * at least 1. With another unit it is 1.
 */
#ifndef FERMATA_BASE_STACK_SAMPLES_H
#define FERMATA_BASE_STACK_SAMPLES_H

#define FM_STACK_SAMPLES "call stack samples"

#endif
