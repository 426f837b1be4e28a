/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The self-contained page: the viewer with the reports of one or more runs in it, one HTML file
 * without references to other files.
 */
#ifndef FERMATA_VIEW_PAGE_H
#define FERMATA_VIEW_PAGE_H

#include "analysis/detail.h"
#include "cube/model/cube.h"
#include "view/report/report_data.h"

#include <stdbool.h>
#include <stddef.h>

/** A run in a page. */
struct fm_page_run {
    const struct fm_cube *cube; /**< sealed */
    struct fm_page_extras extras;
};

/** Provides the single events of runs, one run after the other, for their timelines: those of all
 * runs together may not fit into memory. */
struct fm_page_events {
    /** @return the events of a run, valid until the next call; NULL: the page has no timeline of
     * this run */
    const struct fm_detail *(*of)(void *context, size_t run);
    void *context;
};

/** Writes the page of one run, or of several runs for comparison with the first one. The reports
 * share the space for severities equally, the timelines share the rest of the space.
 * @param runs    `count` runs, at least one
 * @param events  is called for each run, in ascending order; NULL: no timelines
 * @param path    of the page; an existing file is replaced */
fm_status_t fm_page_write(const struct fm_page_run *runs, size_t count,
                          const struct fm_page_events *events, const char *path,
                          struct fm_error *error);

/** Makes the page of a server (server.h): the viewer without data, which it fetches from this
 * server.
 * @param timelines  [run]: whether there are tiles
 * @param runs       number of reports
 * @param page       out: HTML of `size` bytes, to be freed with free(); set only on success */
fm_status_t fm_page_for_server(const bool *timelines, size_t runs, char **page, size_t *size,
                               struct fm_error *error);

#endif
