/** @file
 * Commands that read several reports.
 */
#ifndef FERMATA_CLI_REPORT_REPORT_LIST_H
#define FERMATA_CLI_REPORT_REPORT_LIST_H

#include "cube/merge/unite.h"

struct fm_report_list {
    size_t count;
    struct fm_cube **cubes;
    const char *const *names; /**< as the user gave them */
};

/** Reads the reports of `count` experiments.
 * @param list  out: to be released with fm_report_list_release(); set only on success */
fm_status_t fm_report_list_load(struct fm_report_list *list, char *const *places, size_t count,
                                struct fm_error *error);

/** Frees what fm_report_list_load() made. */
void fm_report_list_release(struct fm_report_list *list);

/** @return the cubes as what the functions on several cubes take. */
static inline const struct fm_cube *const *fm_report_list_cubes(const struct fm_report_list *list)
{
    return (const struct fm_cube *const *)list->cubes;
}

/** A command that makes one report file of several. */
struct fm_combining_command {
    const char *name;
    const char *usage;
    fm_status_t (*combine)(const struct fm_cube *const *cubes, const char *const *names,
                           size_t count, struct fm_cube **result, struct fm_error *error);
};

/** Runs such a command. @return its exit status */
int fm_run_combining_command(const struct fm_combining_command *command, int argc, char **argv);

#endif
