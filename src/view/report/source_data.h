/** @file
 * Excerpts of the program's sources around the lines that call paths name.
 *
 * Member of a page's JSON "sources": excerpts with "file" (as regions name it), "first" (number of
 * its first line, from 1) and "lines" (texts). Only files of this machine that look like sources
 * and can be read are there. A trace may name any file: the caller decides whether sources belong
 * to the report.
 */
#ifndef FERMATA_VIEW_REPORT_SOURCE_DATA_H
#define FERMATA_VIEW_REPORT_SOURCE_DATA_H

#include "base/json/json_writer.h"
#include "cube/model/cube.h"

#include <stdbool.h>

/** @return whether a file's name is that of a source: .c, .cpp, .f90, .py and the like. */
bool fm_source_is_named(const char *file);

/** Writes the member.
 * @param wanted  whether to look for sources; otherwise there are none
 * Errors are left in the stream. */
void fm_source_data_put(const struct fm_cube *cube, bool wanted, struct fm_json *json);

#endif
