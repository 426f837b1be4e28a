/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The clocks of the ranks. The kernels of a collective in which all ranks exchange data end at
 * nearly the same time: their ends show by how much the clocks differ, and how certain that is.
 */
#ifndef FERMATA_IMPORT_KINETO_KINETO_CLOCKS_H
#define FERMATA_IMPORT_KINETO_KINETO_CLOCKS_H

#include "import/kineto/kineto_collectives.h"

/** Moves the clocks of ranks whose kernels end earlier or later than those of the first rank of
 * their collectives, by more than these differences vary: by their median. States by how much
 * the ends differ afterwards.
 * @param parts  ascending by operation */
void fm_kineto_clocks_align(struct fm_kineto_job *job, const fm_kineto_part_vector *parts);

#endif
