/** @file
 * Common header of all files with MPI wrappers: the MPI library's header, the functions' numbers,
 * the recorder, and functions that write records of operations.
 */
#ifndef FERMATA_RECORD_MPI_WRAP_H
#define FERMATA_RECORD_MPI_WRAP_H

#include <mpi.h>

#include "functions.h"
#include "prototypes.h"
#include "record/mpi/library.h"
#include "record/paradigm/wrapper.h"

/** Whether several threads may call MPI at once (MPI_THREAD_MULTIPLE). */
extern FM_HIDDEN bool fm_mpi_threaded;

/** A lock for short sections; taken only with MPI_THREAD_MULTIPLE. */
typedef unsigned char fm_spin_t;

static inline void fm_spin_lock(fm_spin_t *lock)
{
    if (FM_UNLIKELY(fm_mpi_threaded)) {
        while (__atomic_test_and_set(lock, __ATOMIC_ACQUIRE)) {
            while (__atomic_load_n(lock, __ATOMIC_RELAXED)) {
            }
        }
    }
}

static inline void fm_spin_unlock(fm_spin_t *lock)
{
    if (FM_UNLIKELY(fm_mpi_threaded)) {
        __atomic_clear(lock, __ATOMIC_RELEASE);
    }
}

/** The functions below write records of operations into reserved room, and return the place behind
 * the record. A message or a transfer needs fm_words_above(bytes) words in addition to its record.
 */
static inline uint64_t *fm_put_sized(uint64_t *r, enum fm_record_kind kind, uint32_t ref,
                                     uint64_t bytes)
{
    if (FM_UNLIKELY(fm_words_above(bytes) != 0)) {
        *r++ = fm_record_above(bytes);
    }
    *r = fm_record_sized(kind, bytes, ref);
    return r + 1;
}

static inline uint64_t *fm_put_message(uint64_t *r, enum fm_record_kind kind, uint32_t comm,
                                       int peer, int tag, uint64_t bytes)
{
    r = fm_put_sized(r, kind, comm, bytes);
    r[0] = (uint32_t)peer | (uint64_t)(uint32_t)tag << 32;
    return r + 1;
}

static inline uint64_t *fm_put_id(uint64_t *r, enum fm_record_kind kind, uint32_t ref, uint64_t id)
{
    r[0] = fm_record_header(kind, 0, ref);
    r[1] = id;
    return r + 2;
}

static inline uint64_t *fm_put_mark(uint64_t *r, enum fm_record_kind kind, uint32_t ref)
{
    r[0] = fm_record_header(kind, 0, ref);
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
