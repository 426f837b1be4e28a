/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The two notations of `fermata info`.
 */
#ifndef FERMATA_CLI_INFO_INFO_H
#define FERMATA_CLI_INFO_INFO_H

#include "base/error.h"
#include "trace/survey/summary.h"

#include <jansson.h>

/** What both notations show. */
struct fm_info {
    const struct fm_survey *survey;
    const struct fm_summary *summary;
    json_t *environment; /**< content of environment.json; NULL: there is none */
    FM_VECTOR(char *) warnings;
    FM_VECTOR(uint32_t) top_regions; /**< indices, most visits first */
    uint32_t process_count;          /**< processes with threads of a CPU */
    uint32_t max_threads;            /**< of a process */
};

/** Prints for people. */
void fm_info_print_text(const struct fm_info *info);

/** Prints one JSON object with everything. @return 0, -1 without memory */
int fm_info_print_json(const struct fm_info *info);

/** Prints what is in an experiment that has counters and no trace.
 * @param directory  of the experiment
 * @return FM_OK; FM_ERR_DATA: it has no counters either; FM_ERR_SYSTEM: no memory */
fm_status_t fm_info_print_counters(const char *directory, bool json, struct fm_error *error);

/** @return the programming model of a paradigm definition, such as "MPI": by
 * functions/paradigms.def, else by OTF2's paradigm, else as the archive names it. */
const char *fm_info_paradigm(const struct fm_survey *survey,
                             const struct fm_survey_paradigm *defined);

/** @return the programming model of a region: by functions/paradigms.def, as in analyses, else by
 * OTF2's paradigm; "unknown" for others. */
const char *fm_info_region_paradigm(const struct fm_survey *survey,
                                    const struct fm_survey_region *region);

#endif
