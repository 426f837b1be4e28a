/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/mpi/library.h"

#include <stdio.h>
#include <unistd.h>

struct fm_library_readings fm_library_readings;

/* A function of MPI 4; NULL if the library lacks it. */
int PMPI_Isendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                   void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
                   MPI_Comm comm, MPI_Request *request) __attribute__((weak));

/* ---- values from the library's functions ---- */

uint64_t fm_status_asked_bytes(const MPI_Status *status)
{
    MPI_Count count = 0;
    PMPI_Get_elements_x(status, MPI_BYTE, &count);
    return count > 0 ? (uint64_t)count : 0;
}

int fm_status_asked_cancelled(const MPI_Status *status)
{
    int cancelled = 0;
    PMPI_Test_cancelled(status, &cancelled);
    return cancelled;
}

/* Sizes of derived types are not cached, because the library reuses their handles. */
uint64_t fm_type_asked_size(MPI_Datatype type)
{
    MPI_Count count = 0;
    PMPI_Type_size_x(type, &count);
    return count > 0 ? (uint64_t)count : 0;
}

/* ---- comparisons ---- */

bool fm_library_reads_statuses(uint64_t (*bytes)(const MPI_Status *),
                               int (*cancelled)(const MPI_Status *))
{
    static const MPI_Count counts[] = {0, 1, 0x12345678, 0x7fffffff, 0xfedcba98, 0x123456789a};
    bool same = true;
    for (size_t i = 0; same && i < 2 * sizeof counts / sizeof counts[0]; i++) {
        MPI_Status status = {.MPI_SOURCE = 1, .MPI_TAG = 2, .MPI_ERROR = MPI_SUCCESS};
        int flag = i % 2 != 0;
        same = PMPI_Status_set_elements_x(&status, MPI_BYTE, counts[i / 2]) == MPI_SUCCESS &&
               PMPI_Status_set_cancelled(&status, flag) == MPI_SUCCESS &&
               bytes(&status) == fm_status_asked_bytes(&status) &&
               !cancelled(&status) == !fm_status_asked_cancelled(&status);
    }
    return same;
}

bool fm_library_reads_types(uint64_t (*size)(MPI_Datatype))
{
    const MPI_Datatype basic[] = {MPI_BYTE,     MPI_CHAR,   MPI_SHORT,       MPI_INT,
                                  MPI_LONG,     MPI_FLOAT,  MPI_LONG_DOUBLE, MPI_C_DOUBLE_COMPLEX,
                                  MPI_UINT64_T, MPI_DOUBLE, MPI_DOUBLE_INT,  MPI_2INT};
    bool same = true;
    for (size_t i = 0; same && i < sizeof basic / sizeof basic[0]; i++) {
        uint64_t read = size(basic[i]);
        same = read == 0 || read == fm_type_asked_size(basic[i]);
    }
    return same && size(MPI_BYTE) != 0;
}

/* Whether a request of MPI_Isendrecv has the status of the receive, which it has not in MPICH 4.0.
 * Without a communicator to try it with it is taken to have none. */
static bool states_sendrecv(MPI_Comm own, int self)
{
    enum { TAG = 4711, BYTES = 3 };
    const char out[BYTES] = {0};
    char in[BYTES + 1];
    MPI_Request request;
    MPI_Status status = {.MPI_SOURCE = -1, .MPI_TAG = -1, .MPI_ERROR = MPI_SUCCESS};
    return PMPI_Isendrecv != NULL && own != MPI_COMM_NULL &&
           PMPI_Isendrecv(out, BYTES, MPI_BYTE, self, TAG, in, BYTES + 1, MPI_BYTE, self, TAG, own,
                          &request) == MPI_SUCCESS &&
           PMPI_Wait(&request, &status) == MPI_SUCCESS && status.MPI_SOURCE == self &&
           status.MPI_TAG == TAG && fm_status_bytes(&status) == BYTES;
}

/* ---- begin ---- */

#if defined(MPICH)

static void store_type_sizes(void)
{
}

#else

struct fm_type_size fm_type_sizes[FM_TYPE_SLOTS];

static void store_type_sizes(void)
{
    const MPI_Datatype basic[] = {
        MPI_BYTE, /* first: fm_library_reads_types() relies on its slot, and where types lie, in the
                     library or copied into the program, changes from run to run */
        MPI_CHAR,
        MPI_SIGNED_CHAR,
        MPI_UNSIGNED_CHAR,
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
        uint64_t handle = FM_HANDLE(basic[i]), place = handle >> FM_TYPE_SHIFT;
        struct fm_type_size *slot = &fm_type_sizes[place % FM_TYPE_SLOTS];
        if (slot->handle != 0) {
            slot = &fm_type_sizes[(place + 1) % FM_TYPE_SLOTS];
        }
        if (slot->handle == 0) { /* else others use both: fm_type_asked_size is called */
            *slot = (struct fm_type_size){handle, fm_type_asked_size(basic[i])};
        }
    }
}

#endif

void fm_types_begin(MPI_Comm own, int self, uint32_t rank)
{
    store_type_sizes();
    fm_library_readings.statuses =
        fm_library_reads_statuses(fm_status_read_bytes, fm_status_read_cancelled);
    fm_library_readings.types = fm_library_reads_types(fm_type_read_size);
    fm_library_readings.sendrecv_statuses = states_sendrecv(own, self);
    if (rank == 0 && !(fm_library_readings.statuses && fm_library_readings.types)) {
        dprintf(
            STDERR_FILENO,
            "fermata: this MPI library stores %s differently from the one that fermata was built "
            "with: sizes are recorded by slower calls; rebuild fermata with this library\n",
            fm_library_readings.statuses ? "types" : "statuses");
    }
}
