/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The options that decide what an analysis computes, as `fermata analyze` takes them and scenarios
 * name them.
 */
#ifndef FERMATA_CLI_ARCHIVE_ANALYSIS_OPTIONS_H
#define FERMATA_CLI_ARCHIVE_ANALYSIS_OPTIONS_H

#include "analysis/analysis.h"

/** Options and what they own. */
struct fm_chosen_options {
    struct fm_analysis_options options; /**< refers to `partitions` */
    struct fm_partitions partitions;
};

/** Sets an option.
 * @param name  "clock", "critical-path", "partition" or "progress"
 * @return FM_ERR_USAGE if there is no such option, or it does not take this value; FM_ERR_SYSTEM or
 * FM_ERR_DATA if a file that it names cannot be read */
fm_status_t fm_chosen_options_set(struct fm_chosen_options *chosen, const char *name,
                                  const char *value, struct fm_error *error);

/** Frees what the options own. */
void fm_chosen_options_free(struct fm_chosen_options *chosen);

#endif
