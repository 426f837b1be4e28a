/** @file
 * What differs between MPI libraries: the representation of handles, statuses and basic types.
 */
#ifndef FERMATA_RECORD_MPI_LIBRARY_H
#define FERMATA_RECORD_MPI_LIBRARY_H

#include "record/capture/hot.h"

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#if defined(OPEN_MPI)

#define FM_HANDLE(handle) ((uint64_t)(uintptr_t)(handle))

/** Sizes of the basic types, which are objects of half a KiB each: their addresses tell the slot.
 */
enum { FM_TYPE_SLOTS = 256, FM_TYPE_SHIFT = 9 };
struct fm_type_size {
    uint64_t handle;
    uint64_t size;
};
extern FM_HIDDEN struct fm_type_size fm_type_sizes[FM_TYPE_SLOTS];

/** Size of a basic type if known, else 0. */
static inline uint64_t fm_type_basic_size(MPI_Datatype type)
{
    uint64_t handle = FM_HANDLE(type);
    const struct fm_type_size *slot = &fm_type_sizes[(handle >> FM_TYPE_SHIFT) % FM_TYPE_SLOTS];
    return FM_LIKELY(slot->handle == handle) ? slot->size : 0;
}

static inline uint64_t fm_status_bytes(const MPI_Status *status)
{
    return status->_ucount;
}

static inline int fm_status_cancelled(const MPI_Status *status)
{
    return status->_cancelled;
}

#elif defined(MPICH)

#define FM_HANDLE(handle) ((uint64_t)(unsigned)(handle))

/** Size of a basic type, else 0: its handle contains it (the ABI of MPICH and its derivatives). */
static inline uint64_t fm_type_basic_size(MPI_Datatype type)
{
    unsigned handle = (unsigned)type;
    return FM_LIKELY((handle & 0xff000000u) == 0x4c000000u) ? (handle >> 8) & 0xffu : 0;
}

static inline uint64_t fm_status_bytes(const MPI_Status *status)
{
    return (uint64_t)(unsigned)status->count_lo |
           (uint64_t)((unsigned)status->count_hi_and_cancelled >> 1) << 32;
}

static inline int fm_status_cancelled(const MPI_Status *status)
{
    return status->count_hi_and_cancelled & 1;
}

#else
#error "unknown MPI library"
#endif

/** Learns the sizes of the basic types; once, in MPI_Init. */
void fm_types_begin(void);

/** Size of a type as the library tells it. */
FM_COLD uint64_t fm_type_size_asked(MPI_Datatype type);

/** Bytes of one element of a type. */
static inline uint64_t fm_type_size(MPI_Datatype type)
{
    uint64_t size = fm_type_basic_size(type);
    return FM_LIKELY(size != 0) ? size : fm_type_size_asked(type);
}

/** Bytes of `count` elements. */
static inline uint64_t fm_type_bytes(int count, MPI_Datatype type)
{
    return count > 0 ? (uint64_t)count * fm_type_size(type) : 0;
}

#endif
