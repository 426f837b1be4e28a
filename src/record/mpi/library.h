/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Differences between MPI libraries: the representation of handles, statuses and basic types.
 *
 * The hot path reads members of statuses and handles of types that the MPI standard does not
 * define. MPI_Init compares these readings with the results of the library's functions
 * (fm_types_begin). If they differ, the recorder calls the functions instead.
 */
#ifndef FERMATA_RECORD_MPI_LIBRARY_H
#define FERMATA_RECORD_MPI_LIBRARY_H

#include "record/capture/hot.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Which readings of this file agree with the library's functions. All false before MPI_Init. */
struct fm_library_readings {
    bool statuses;          /**< fm_status_read_bytes, fm_status_read_cancelled */
    bool types;             /**< fm_type_read_size */
    bool sendrecv_statuses; /**< the library sets the status of MPI_Isendrecv's requests */
};
extern FM_HIDDEN struct fm_library_readings fm_library_readings;

/** Bytes of a received message, whether the request was cancelled, and bytes of one element of a
 * type, from the library's functions. */
FM_COLD uint64_t fm_status_asked_bytes(const MPI_Status *status);
FM_COLD int fm_status_asked_cancelled(const MPI_Status *status);
FM_COLD uint64_t fm_type_asked_size(MPI_Datatype type);

#if defined(OPEN_MPI) || defined(FM_MPI_ABI)

#define FM_HANDLE(handle) ((uint64_t)(uintptr_t)(handle))

/** Sizes of the basic types. In Open MPI their handles are addresses of objects of about half a KiB
 * each, so that the address divided by 512 gives the slot, or the one before it; in the standard
 * ABI they are the numbers from 0x200 to 0x2ff. */
#if defined(FM_MPI_ABI)
enum { FM_TYPE_SLOTS = 256, FM_TYPE_SHIFT = 0 };
#else
enum { FM_TYPE_SLOTS = 256, FM_TYPE_SHIFT = 9 };
#endif
struct fm_type_size {
    uint64_t handle;
    uint64_t size;
};
extern FM_HIDDEN struct fm_type_size fm_type_sizes[FM_TYPE_SLOTS];

/** Size of a basic type if it is in the table, else 0. */
static inline uint64_t fm_type_read_size(MPI_Datatype type)
{
    uint64_t handle = FM_HANDLE(type), slot = handle >> FM_TYPE_SHIFT;
    const struct fm_type_size *first = &fm_type_sizes[slot % FM_TYPE_SLOTS];
    if (FM_LIKELY(first->handle == handle)) {
        return first->size;
    }
    const struct fm_type_size *second = &fm_type_sizes[(slot + 1) % FM_TYPE_SLOTS];
    return second->handle == handle ? second->size : 0;
}

#if defined(FM_MPI_ABI) /* says nothing about the rest of a status */
static inline uint64_t fm_status_read_bytes(const MPI_Status *status)
{
    return fm_status_asked_bytes(status);
}

static inline int fm_status_read_cancelled(const MPI_Status *status)
{
    return fm_status_asked_cancelled(status);
}
#else
static inline uint64_t fm_status_read_bytes(const MPI_Status *status)
{
    return status->_ucount;
}

static inline int fm_status_read_cancelled(const MPI_Status *status)
{
    return status->_cancelled;
}
#endif

#elif defined(MPICH)

#define FM_HANDLE(handle) ((uint64_t)(unsigned)(handle))

/** Size of a basic type, which its handle contains (ABI of MPICH and its derivatives); else 0. */
static inline uint64_t fm_type_read_size(MPI_Datatype type)
{
    unsigned handle = (unsigned)type;
    return FM_LIKELY((handle & 0xff000000u) == 0x4c000000u) ? (handle >> 8) & 0xffu : 0;
}

static inline uint64_t fm_status_read_bytes(const MPI_Status *status)
{
    return (uint64_t)(unsigned)status->count_lo |
           (uint64_t)((unsigned)status->count_hi_and_cancelled >> 1) << 32;
}

static inline int fm_status_read_cancelled(const MPI_Status *status)
{
    return status->count_hi_and_cancelled & 1;
}

#else
#error "unknown MPI library"
#endif

/** Stores the sizes of the basic types and compares the readings with the library's functions; rank
 * 0 reports a difference. Called once, in MPI_Init or MPI_Session_init.
 * @param own   communicator of the recorder, with this process as its rank `self`, for a message to
 *              itself
 * @param rank  of this process in the run */
void fm_types_begin(MPI_Comm own, int self, uint32_t rank);

/** The comparisons of fm_types_begin: of a status's bytes and cancelled flag, and of the sizes of
 * basic types. @return whether there is no difference */
bool fm_library_reads_statuses(uint64_t (*bytes)(const MPI_Status *),
                               int (*cancelled)(const MPI_Status *));
bool fm_library_reads_types(uint64_t (*size)(MPI_Datatype));

/** Bytes of a received message. */
static inline uint64_t fm_status_bytes(const MPI_Status *status)
{
    return FM_LIKELY(fm_library_readings.statuses) ? fm_status_read_bytes(status)
                                                   : fm_status_asked_bytes(status);
}

/** Whether the request was cancelled. */
static inline int fm_status_cancelled(const MPI_Status *status)
{
    return FM_LIKELY(fm_library_readings.statuses) ? fm_status_read_cancelled(status)
                                                   : fm_status_asked_cancelled(status);
}

/** Bytes of one element of a type. */
static inline uint64_t fm_type_size(MPI_Datatype type)
{
    uint64_t size = FM_LIKELY(fm_library_readings.types) ? fm_type_read_size(type) : 0;
    return FM_LIKELY(size != 0) ? size : fm_type_asked_size(type);
}

/** Bytes of `count` elements. */
static inline uint64_t fm_type_bytes(MPI_Count count, MPI_Datatype type)
{
    return count > 0 ? (uint64_t)count * fm_type_size(type) : 0;
}

#endif
