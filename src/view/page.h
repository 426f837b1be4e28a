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

/** Writes the page of one run, or of several runs for comparison with the first one. The reports
 * share the space for severities equally.
 * @param runs    `count` runs, at least one
 * @param detail  the single events of the first run, for the timeline; NULL: no timeline
 * @param path    of the page; an existing file is replaced */
fm_status_t fm_page_write(const struct fm_page_run *runs, size_t count,
                          const struct fm_detail *detail, const char *path, struct fm_error *error);

/** Makes the page of a server (server.h): the viewer without data, which it fetches from this
 * server.
 * @param timeline  whether there are tiles
 * @param runs      number of reports
 * @param page      out: HTML of `size` bytes, to be freed with free(); set only on success */
fm_status_t fm_page_for_server(bool timeline, size_t runs, char **page, size_t *size,
                               struct fm_error *error);

#endif
