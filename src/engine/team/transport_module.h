/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The interface between fermata and the modules of src/engine/mpi. A module is linked to one MPI
 * library; fermata is linked to none and loads the module at run time.
 */
#ifndef FERMATA_ENGINE_TRANSPORT_MODULE_H
#define FERMATA_ENGINE_TRANSPORT_MODULE_H

#include "base/error.h"
#include "engine/team/transport.h"

/** Name of the only symbol of a module, of the type fm_transport_open_t. Its number changes with
 * this interface and with struct fm_transport_calls. */
#define FM_TRANSPORT_OPEN "fm_transport_open_2"

/** Allocation of the contents of packets, which one side allocates and the other frees
 * (base/memory.h). */
struct fm_transport_memory {
    void *(*resize)(void *block, size_t old_bytes, size_t new_bytes);
    void (*free)(void *block);
};

/** Starts MPI; once in a process. Collective over all processes that were launched together.
 * @param memory     copied
 * @param transport  out: to be closed by its own call
 * @return FM_ERR_SYSTEM: the MPI library cannot be used */
typedef fm_status_t fm_transport_open_t(const struct fm_transport_memory *memory,
                                        struct fm_transport **transport, struct fm_error *error);

#endif
