/* Sizes of the basic types, so that the hot path need not ask the library. Derived types are asked
 * for each time: their handles are recycled. */
#include "record/core/handles.h"
#include "record/mpi/library.h"

#if defined(MPICH)

void fm_types_begin(void)
{
}

/* A basic type's handle contains its size (the ABI of MPICH and its derivatives). */
uint64_t fm_type_basic_size(MPI_Datatype type)
{
    unsigned handle = (unsigned)type;
    return (handle & 0xff000000u) == 0x4c000000u ? (handle >> 8) & 0xffu : 0;
}

#else

enum { SLOTS = 256 };
static struct {
    uint64_t handle;
    uint64_t size;
} sizes[SLOTS];

static size_t slot_of(uint64_t handle)
{
    size_t slot = fm_handle_hash(handle) % SLOTS;
    while (sizes[slot].handle != 0 && sizes[slot].handle != handle) {
        slot = (slot + 1) % SLOTS;
    }
    return slot;
}

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
        size_t slot = slot_of(FM_HANDLE(basic[i]));
        sizes[slot].handle = FM_HANDLE(basic[i]);
        sizes[slot].size = size > 0 ? (uint64_t)size : 0;
    }
}

uint64_t fm_type_basic_size(MPI_Datatype type)
{
    size_t slot = slot_of(FM_HANDLE(type));
    return sizes[slot].handle != 0 ? sizes[slot].size : 0;
}

#endif
