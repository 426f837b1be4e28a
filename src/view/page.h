/** @file
 * The self-contained page: the viewer with a report in it, one HTML file without references to
 * other files.
 */
#ifndef FERMATA_VIEW_PAGE_H
#define FERMATA_VIEW_PAGE_H

#include "analysis/detail.h"
#include "cube/model/cube.h"
#include "view/report/report_data.h"

#include <stdbool.h>
#include <stddef.h>

/** Writes the page of a report.
 * @param cube         sealed
 * @param detail       the single events of that run, for the timeline; NULL: no timeline
 * @param path         of the page; an existing file is replaced */
fm_status_t fm_page_write(const struct fm_cube *cube, const struct fm_detail *detail,
                          const struct fm_page_extras *extras, const char *path,
                          struct fm_error *error);

/** Makes the page of a server (server.h): the viewer without data, which it fetches from this
 * server.
 * @param timeline  whether there are tiles
 * @param page      out: HTML of `size` bytes, to be freed with free(); set only on success */
fm_status_t fm_page_for_server(bool timeline, char **page, size_t *size, struct fm_error *error);

#endif
