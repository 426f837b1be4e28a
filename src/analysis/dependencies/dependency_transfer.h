/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The dispatch of dependencies to the owners of the calls: for finder.c. */
#ifndef FERMATA_ANALYSIS_DEPENDENCIES_DEPENDENCY_TRANSFER_H
#define FERMATA_ANALYSIS_DEPENDENCIES_DEPENDENCY_TRANSFER_H

#include <stddef.h>
#include <stdint.h>

/** Size of the records of the dispatch. */
size_t fm_dependency_record_size(void);

/** Handler of the dispatch; the context is the analysis. */
void fm_dependency_take(void *context, unsigned worker, uint32_t process, const void *record);

#endif
