/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Loads the module for an MPI library.
 */
#ifndef FERMATA_ENGINE_TRANSPORT_LOAD_H
#define FERMATA_ENGINE_TRANSPORT_LOAD_H

#include "base/error.h"
#include "engine/team/transport.h"

/** Loads libfermata-engine-<library>.so and starts MPI; once in a process. Collective over all
 * processes that were launched together.
 * @param library    "openmpi" or "mpich"
 * @param transport  out: to be closed by its own call
 * @return FM_ERR_SYSTEM: there is no such module, or it cannot be used */
fm_status_t fm_transport_load(const char *library, struct fm_transport **transport,
                              struct fm_error *error);

#endif
