/* SPDX-License-Identifier: BSD-3-Clause */
/* The exchange of messages with both neighbours in a ring of ranks. */
#ifndef WORKLOADS_HALO_EXCHANGE_H
#define WORKLOADS_HALO_EXCHANGE_H

#include "plant.h"

/* Sends to both neighbours and receives from both. The only function that calls MPI. */
void halo(const struct run *run);

#endif
