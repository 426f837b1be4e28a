/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Definitions of the objects by which threads synchronize: their names in archives.
 */
#ifndef FERMATA_RECORD_ARCHIVE_OBJECT_DEFINITIONS_H
#define FERMATA_RECORD_ARCHIVE_OBJECT_DEFINITIONS_H

#include "record/archive/define.h"
#include "record/stack/variables.h"

/** Defines objects of a process: by the variable that contains an object, else by its address. The
 * variables that compilers make for the critical constructs of OpenMP are called as the constructs
 * are.
 * @param ids  of the objects in records
 * @return false without memory */
bool fm_objects_define(struct fm_definitions *set, uint32_t rank, const uint32_t *ids,
                       const struct fm_variable *variables, size_t count);

#endif
