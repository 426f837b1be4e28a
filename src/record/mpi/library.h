/** @file
 * What differs between MPI libraries: the representation of handles, statuses and basic types.
 */
#ifndef FERMATA_RECORD_MPI_LIBRARY_H
#define FERMATA_RECORD_MPI_LIBRARY_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#if defined(OPEN_MPI)

#define FM_HANDLE(handle) ((uint64_t)(uintptr_t)(handle))

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

/** Fills the table behind fm_type_size; once, in MPI_Init. */
void fm_types_begin(void);

/** Size of a basic type if known, else 0. */
uint64_t fm_type_basic_size(MPI_Datatype type);

/** Bytes of one element of a type. */
static inline uint64_t fm_type_size(MPI_Datatype type)
{
    uint64_t size = fm_type_basic_size(type);
    if (size == 0) {
        MPI_Count count = 0;
        PMPI_Type_size_x(type, &count);
        size = count > 0 ? (uint64_t)count : 0;
    }
    return size;
}

/** Bytes of `count` elements. */
static inline uint64_t fm_type_bytes(int count, MPI_Datatype type)
{
    return count > 0 ? (uint64_t)count * fm_type_size(type) : 0;
}

#endif
