/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What an analysis results in, to be compared between ways to do it.
 */
#ifndef FERMATA_TESTS_OUTCOME_H
#define FERMATA_TESTS_OUTCOME_H

#include "analysis/analysis.h"

#include <stdbool.h>
#include <stddef.h>

struct outcome {
    fm_status_t status;
    char *report; /**< or the message of the failure */
    size_t bytes;
};

/** Analyses an archive and reads the report that was written to the folder `scratch`. Ends the
 * program if this is not possible.
 * @param partitions  NULL: the options of the analysis are the defaults; else all are in use
 * @return what comes of it, for process 0; nothing for other processes. To be freed with
 * outcome_free() */
struct outcome outcome_of(struct fm_team *team, unsigned workers,
                          const struct fm_partitions *partitions, const char *scratch,
                          const char *archive);

/** @return whether both are the same, byte for byte. */
bool outcome_equals(const struct outcome *one, const struct outcome *other);

void outcome_free(struct outcome *outcome);

#endif
