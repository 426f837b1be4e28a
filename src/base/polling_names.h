/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Parameters (OTF2's ParameterUnsignedInt) by which archives shorten runs of failed tests and of
 * repeated local calls, for which OTF2 has no records. Names of parameters in archives.
 *
 *   in a call that stands for several calls of its function, between its Enter and its Leave:
 *     FM_MERGED_CALLS  number of calls, at least 1
 *     FM_MERGED_GAPS   ticks of the trace clock between Enter and Leave that lie outside of the
 *                      calls
 *   between two calls, outside of both (at the Leave of the first call, or in front of the Enter of
 *   the second call):
 *     FM_LOST_PROCESSOR  the CPU clock of the thread advanced by less than 2 us from the Leave of
 *                        the first call to the Enter of the second call: the thread had no
 *                        processor. The value is the number of nanoseconds by which it advanced.
 */
#ifndef FERMATA_BASE_POLLING_NAMES_H
#define FERMATA_BASE_POLLING_NAMES_H

#define FM_MERGED_CALLS   "calls"
#define FM_MERGED_GAPS    "gaps"
#define FM_LOST_PROCESSOR "lost processor"

#endif
