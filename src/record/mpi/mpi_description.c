/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/mpi/mpi_description.h"

#include <otf2/OTF2_GeneralDefinitions.h>

const struct fm_paradigm_description fm_mpi_description = {
    .otf2 = OTF2_PARADIGM_MPI,
    .otf2_class = OTF2_PARADIGM_CLASS_PROCESS,
    .name = "MPI",
    .process = "MPI Rank",
    .communicator = "Comm ${id}",
    .window = "Win ${id}",
    .last_call = "MPI_Finalize",
};
