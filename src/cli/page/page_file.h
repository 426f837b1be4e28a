/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The page for the browser as a file beside an experiment's other files.
 */
#ifndef FERMATA_CLI_PAGE_PAGE_FILE_H
#define FERMATA_CLI_PAGE_PAGE_FILE_H

#include "cube/model/cube.h"
#include "view/page.h"

#include <stdbool.h>

/** The largest number of runs in one page. */
#define FM_MOST_RUNS 16

/** Writes the page of an experiment, or of several for comparison with the first one.
 * @param places  `count` experiment directories, or files in them: where environment.json may be
 * @param cubes   their reports
 * @param events  the single events of the runs; NULL: a page without timelines
 * @param sources excerpts of the program's sources belong to it
 * @param page    path; an existing file is replaced */
fm_status_t fm_write_page(const char *const *places, const struct fm_cube *const *cubes,
                          size_t count, const struct fm_page_events *events, bool sources,
                          const char *page, struct fm_error *error);

/** @return what is known about the recording of an experiment, JSON text to be freed; NULL:
 * nothing.
 * @param place  as above */
char *fm_read_environment(const char *place);

#endif
