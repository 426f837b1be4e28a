/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Excerpts of the program's sources around the lines of the regions of call paths.
 *
 * Member of a page's JSON "sources": excerpts with "file" (as regions name it), "first" (number of
 * its first line, from 1) and "lines" (texts): 12 lines before and after each named line, at most
 * 256 KiB of text. Only readable files of this machine with the name of a source are included. A
 * trace may name any file: the caller decides whether sources are included.
 */
#ifndef FERMATA_VIEW_REPORT_SOURCE_DATA_H
#define FERMATA_VIEW_REPORT_SOURCE_DATA_H

#include "base/json/json_writer.h"
#include "cube/model/cube.h"

#include <stdbool.h>

/** @return whether a file's name has the suffix of a source: such as .c, .cpp, .f90 or .py. */
bool fm_source_is_named(const char *file);

/** Writes the member.
 * @param wanted  whether to include sources; otherwise the member is empty. Errors are left in the
 * stream. */
void fm_source_data_put(const struct fm_cube *cube, bool wanted, struct fm_json *json);

#endif
