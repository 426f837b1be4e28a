/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Text for places in a program: call paths, regions with their source lines, locations. Texts are
 * never NULL and are to be freed with free(). They are printable unless stated otherwise.
 */
#ifndef FERMATA_DIAGNOSIS_PLACE_H
#define FERMATA_DIAGNOSIS_PLACE_H

#include "diagnosis/diagnosis.h"

/** @return a name from the trace made printable (fm_text_printable()). */
char *fm_place_name(const struct fm_diagnosis *diagnosis, const char *name);

/** @return the call path. If it is longer than a line after its label, "..." replaces its middle
 * (cube/view/callpath_pattern.h). */
char *fm_place_callpath(const struct fm_diagnosis *diagnosis, uint32_t callpath);

/** @return the call path, shortened to `columns` columns (at least 40) unless the line length is
 * unlimited. */
char *fm_place_callpath_within(const struct fm_diagnosis *diagnosis, uint32_t callpath,
                               unsigned columns);

/** @return fm_place_callpath() and the source line of its region, if known: "main/solve/matvec
 * (solver.c:42)". */
char *fm_place_callpath_with_line(const struct fm_diagnosis *diagnosis, uint32_t callpath);

/** @return name and source line of a region: "matvec (solver.c:42)". Not made printable. */
char *fm_place_region(const struct fm_cube_region *region);

/** @return the name of the last region of a call path, with its call site where this tells it from
 * others: "matvec", "matvec@solver.c:70". */
char *fm_place_level(const struct fm_diagnosis *diagnosis, uint32_t callpath);

/** @return as fm_place_region(), of the region of a call path; if call paths are told apart by
 * their call sites with that: "matvec (solver.c:42, called at solver.c:70)". Not made printable. */
char *fm_place_last_region(const struct fm_cube *cube, uint32_t callpath);

/** @return the function of a call path with its source line: "`react` (plume.c:78)". In front of it
 * stand the outermost of its callers that leads to no calls of libraries, "`react/exp`": where the
 * program enters this computation; and, if these are still the last functions of several call
 * paths, the callers that distinguish it. Of more than four levels those in the middle are left
 * out:
 * "`solve/.../norm/exp`". For a value of a parameter the function that sets it: "`react/level=3`
 * (plume.c:78)". Where call paths are told apart by call sites, with those
 * that distinguish it: "`react@plume.c:102` (plume.c:78)". Time: some passes over all call paths.
 */
char *fm_place_function(const struct fm_diagnosis *diagnosis, uint32_t callpath);

/** @return whether the process of a location has others. */
bool fm_place_has_other_threads(const struct fm_cube *cube, uint32_t location);

/** @return the name of the process of a location: "rank 3". */
char *fm_place_process(const struct fm_diagnosis *diagnosis, uint32_t location);

/** @return "thread" or "stream": what a location of a process with several is. */
const char *fm_place_kind(const struct fm_cube_location *location);

/** @return the name of a location: "rank 3", of a process with threads "rank 3, thread 1", of a
 * stream of an accelerator "rank 3, stream 2". Those of a process are numbered together. */
char *fm_place_location(const struct fm_diagnosis *diagnosis, uint32_t location);

#endif
