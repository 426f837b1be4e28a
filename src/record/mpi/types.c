/* Sizes of the basic types, so that the hot path need not ask the library. Derived types are asked
 * for each time: their handles are recycled. */
#include "record/mpi/library.h"

uint64_t fm_type_size_asked(MPI_Datatype type)
{
    MPI_Count count = 0;
    PMPI_Type_size_x(type, &count);
    return count > 0 ? (uint64_t)count : 0;
}

#if defined(MPICH)

void fm_types_begin(void)
{
}

#else

struct fm_type_size fm_type_sizes[FM_TYPE_SLOTS];

void fm_types_begin(void)
{
    const MPI_Datatype basic[] = {
        MPI_CHAR,
        MPI_SIGNED_CHAR,
        MPI_UNSIGNED_CHAR,
        MPI_BYTE,
        MPI_PACKED,
        MPI_WCHAR,
        MPI_SHORT,
        MPI_UNSIGNED_SHORT,
        MPI_INT,
        MPI_UNSIGNED,
        MPI_LONG,
        MPI_UNSIGNED_LONG,
        MPI_LONG_LONG,
        MPI_UNSIGNED_LONG_LONG,
        MPI_FLOAT,
        MPI_DOUBLE,
        MPI_LONG_DOUBLE,
        MPI_INT8_T,
        MPI_INT16_T,
        MPI_INT32_T,
        MPI_INT64_T,
        MPI_UINT8_T,
        MPI_UINT16_T,
        MPI_UINT32_T,
        MPI_UINT64_T,
        MPI_AINT,
        MPI_COUNT,
        MPI_OFFSET,
        MPI_C_BOOL,
        MPI_C_FLOAT_COMPLEX,
        MPI_C_DOUBLE_COMPLEX,
        MPI_FLOAT_INT,
        MPI_DOUBLE_INT,
        MPI_LONG_INT,
        MPI_2INT,
        MPI_SHORT_INT,
    };
    for (size_t i = 0; i < sizeof basic / sizeof basic[0]; i++) {
        MPI_Count size = 0;
        PMPI_Type_size_x(basic[i], &size);
        uint64_t handle = FM_HANDLE(basic[i]);
        struct fm_type_size *slot = &fm_type_sizes[(handle >> FM_TYPE_SHIFT) % FM_TYPE_SLOTS];
        if (slot->handle == 0) { /* else the library will be asked for this one */
            *slot = (struct fm_type_size){handle, size > 0 ? (uint64_t)size : 0};
        }
    }
}

#endif
