/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Parameters (OTF2's ParameterUnsignedInt) of a region that stands for several visits of it: of
 * tasks, critical constructs, locks, instrumented functions and marked regions that were too many
 * to be recorded one by one (docs/merged-events.md). They lie between its Enter and its Leave, in
 * front of the regions in it. Its time without these regions is the sum of what the visits have
 * taken without theirs. Names of parameters in archives.
 *
 *   FM_MERGED_VISITS    number of visits; 0: the region is the first part of one that goes on
 *   FM_MERGED_SHORTEST  ticks of the trace clock that the shortest and the longest visit took,
 *   FM_MERGED_LONGEST   without the merged regions in it; both only if there are several visits
 */
#ifndef FERMATA_BASE_MERGED_VISIT_NAMES_H
#define FERMATA_BASE_MERGED_VISIT_NAMES_H

#define FM_MERGED_VISITS   "merged visits"
#define FM_MERGED_SHORTEST "shortest merged visit"
#define FM_MERGED_LONGEST  "longest merged visit"

#endif
