/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The names of marks and their regions. Thread-safe.
 */
#ifndef FERMATA_RECORD_MARKS_MARK_NAMES_H
#define FERMATA_RECORD_MARKS_MARK_NAMES_H

#include "record/marks/marks.h"

#include <stdbool.h>

/** The recorder's region of a name, which is defined at the first call that finds a recorder.
 * @return NULL: there is no recorder (yet) */
void *fm_mark_region(struct fm_mark_name *name);

/** Marks of this name have no region from now on. */
void fm_mark_name_leave_out(struct fm_mark_name *name);

/** Whether marks of this name have no region. */
bool fm_mark_name_is_left_out(const struct fm_mark_name *name);

#endif
