/* SPDX-License-Identifier: BSD-3-Clause */
/* Process 0 puts to processes 1 and 2 with a handle each, and waits for the first handle, then for
 * the second one: the first ARMCI_Wait of ARMCI-MPI completes both. The program calls no extension
 * of ARMCI-MPI. Needs 3 processes. */
#include <armci.h>
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    static char data[64];
    int me, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    ARMCI_Init();
    void **memory = calloc((size_t)size, sizeof *memory);
    ARMCI_Malloc(memory, sizeof data);
    if (me == 0 && size > 2) {
        armci_hdl_t first, second;
        ARMCI_INIT_HANDLE(&first);
        ARMCI_INIT_HANDLE(&second);
        ARMCI_NbPut(data, memory[1], 8, 1, &first);
        ARMCI_NbPut(data, memory[2], 16, 2, &second);
        ARMCI_Wait(&first);
        ARMCI_Wait(&second);
    }
    ARMCI_Barrier();
    ARMCI_Free(memory[me]);
    free(memory);
    ARMCI_Finalize();
    MPI_Finalize();
    return 0;
}
