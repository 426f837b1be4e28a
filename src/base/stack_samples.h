/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * How an archive counts the samples of call stacks: as values 1 of a counter with this name, at the
 * times of the samples. The innermost open region of the location at that time is the function in
 * which the sample was taken.
 */
#ifndef FERMATA_BASE_STACK_SAMPLES_H
#define FERMATA_BASE_STACK_SAMPLES_H

#define FM_STACK_SAMPLES "call stack samples"

#endif
