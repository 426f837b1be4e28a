/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * How much memory the tables of an analysis need, by what an archive's definitions state.
 */
#ifndef FERMATA_ANALYSIS_MEMORY_NEED_H
#define FERMATA_ANALYSIS_MEMORY_NEED_H

#include <stdbool.h>
#include <stdint.h>

/** What is analysed. */
struct fm_analysis_size {
    uint64_t events;
    uint64_t locations;
    bool has_windows; /**< of one-sided communication */
    bool has_threads; /**< processes have several threads */
    bool is_sampled;  /**< computation is composed of what samples show */
    bool in_detail;   /**< the tables of events stay until the end, also without dependencies */
    bool has_dependencies;   /**< those of calls are kept, too, as predictions need them */
    bool needs_dependencies; /**< ... and must be, since clocks are repaired by them */
};

/** Called once the definitions of an archive are known, before its tables are made.
 * @return whether dependencies are kept; not asked for if they must be, or are not wanted */
typedef bool fm_analysis_sized_t(void *context, const struct fm_analysis_size *size);

/** @return bytes that the analysis is likely to need at most: the largest that were measured of
 * traces of each kind (docs/performance.md), for each event and each location */
uint64_t fm_analysis_memory(const struct fm_analysis_size *size);

#endif
