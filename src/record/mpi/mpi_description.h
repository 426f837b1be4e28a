/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The description of MPI in archives.
 */
#ifndef FERMATA_RECORD_MPI_MPI_DESCRIPTION_H
#define FERMATA_RECORD_MPI_MPI_DESCRIPTION_H

#include "record/paradigm/description.h"

extern const struct fm_paradigm_description fm_mpi_description;

#endif
