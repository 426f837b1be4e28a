/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Common header of all files with MPI wrappers: the MPI library's header, the functions' numbers,
 * the recorder, and functions that write records of operations.
 */
#ifndef FERMATA_RECORD_MPI_WRAP_H
#define FERMATA_RECORD_MPI_WRAP_H

#include <mpi.h>

#include "record/mpi/newer.h"

#include "functions.h"
#include "prototypes.h"
#include "record/mpi/library.h"
#include "record/paradigm/put.h"
#include "record/paradigm/wrapper.h"

/** Functions with counts have two forms, which differ in the type of counts: int, and MPI_Count in
 * those with the suffix _c. A header NAME_counted.h contains the wrappers of a form, and is
 * included for each:
 *     FM_COUNT   type of counts
 *     FM_DISPL   type of displacements
 *     FM_SUFFIX  of the functions' names: nothing or _c
 *     FM_FORM    name of a function of this form behind a prefix (fm_, P, FM_FUNCTION_) */
#define FM_PASTE_EXPANDED(prefix, name, suffix) prefix##name##suffix
#define FM_PASTE(prefix, name, suffix)          FM_PASTE_EXPANDED(prefix, name, suffix)
#define FM_FORM(prefix, name)                   FM_PASTE(prefix, name, FM_SUFFIX)

/** Removes the parentheses around the parameters of a macro. */
#define FM_UNPACK(...) __VA_ARGS__

/** Whether several threads may call MPI at once: MPI_THREAD_MULTIPLE was given to MPI_Init_thread,
 * or the program has had a session, since each session has a level of its own. Stays true. */
extern FM_HIDDEN bool fm_mpi_threaded;

static inline bool fm_mpi_is_threaded(void)
{
    return __atomic_load_n(&fm_mpi_threaded, __ATOMIC_RELAXED);
}

/** Takes a lock, only if several threads may call MPI at once. */
static inline void fm_spin_lock(fm_spin_t *lock)
{
    fm_spin_lock_if(fm_mpi_is_threaded(), lock);
}

static inline void fm_spin_unlock(fm_spin_t *lock)
{
    fm_spin_unlock_if(fm_mpi_is_threaded(), lock);
}

/** The functions below write records as those of put.h. */
static inline uint64_t *fm_put_message(uint64_t *r, enum fm_record_kind kind, uint32_t comm,
                                       int peer, int tag, uint64_t bytes)
{
    r = fm_put_sized(r, kind, comm, bytes);
    r[0] = (uint32_t)peer | (uint64_t)(uint32_t)tag << 32;
    return r + 1;
}

static inline uint64_t *fm_put_collective(uint64_t *r, OTF2_CollectiveOp operation, uint32_t comm,
                                          uint32_t root, uint64_t sent, uint64_t received)
{
    r[0] = fm_record_header(FM_RECORD_COLLECTIVE_END, operation, comm);
    r[1] = root;
    r[2] = sent;
    r[3] = received;
    return r + 4;
}

#endif
