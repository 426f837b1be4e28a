/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Commands that read several reports.
 */
#ifndef FERMATA_CLI_REPORT_REPORT_LIST_H
#define FERMATA_CLI_REPORT_REPORT_LIST_H

#include "cli/options/options.h"
#include "cube/merge/unite.h"

struct fm_report_list {
    size_t count;
    struct fm_cube **cubes;
    const char *const *names; /**< as the user gave them */
};

/** Reads the reports of `count` experiments.
 * @param list  out: to be released with fm_report_list_release(); set only on success */
fm_status_t fm_report_list_load(struct fm_report_list *list, const char *const *places,
                                size_t count, struct fm_error *error);

/** Frees what fm_report_list_load() made. */
void fm_report_list_release(struct fm_report_list *list);

/** @return the cubes as what the functions on several cubes take. */
static inline const struct fm_cube *const *fm_report_list_cubes(const struct fm_report_list *list)
{
    return (const struct fm_cube *const *)list->cubes;
}

/** Makes one report of several. */
typedef fm_status_t fm_combine_t(const struct fm_cube *const *cubes, const char *const *names,
                                 size_t count, struct fm_cube **result, struct fm_error *error);

/** Runs a command that makes one report file of several.
 * @param output_option  its option for the file to be written
 * @return its exit status */
int fm_run_combining_command(enum fm_command command, int output_option, fm_combine_t *function,
                             int argc, char **argv);

#endif
