/* SPDX-License-Identifier: BSD-3-Clause */
/* Five barriers and four broadcasts of 64 bytes. With the argument "objects" a file and windows:
 * the first window exists during all five barriers, the second one during two of them, and the file
 * during three. With the argument "steps" each barrier is in a visit of a phase of that name. With
 * the argument "queues" rank 0 has sent EARLY messages to rank 1 when MPI ends,
 * which that does not receive; it waits for POSTED others, which nobody sends. */
#include <fermata/fermata.h>

#include <mpi.h>
#include <string.h>

enum { EARLY = 5, POSTED = 3 };

static void barriers(int count)
{
    for (int i = 0; i < count; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void steps(void)
{
    for (int i = 0; i < 5; i++) {
        FERMATA_ITERATION("steps");
        barriers(1);
    }
    FERMATA_ITERATIONS_END("steps");
}

static void objects(void)
{
    static char memory[2][8];
    MPI_Win windows[2];
    MPI_File file;
    MPI_Win_create(memory[0], 8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &windows[0]);
    barriers(2);
    MPI_Win_create(memory[1], 8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &windows[1]);
    MPI_File_open(MPI_COMM_SELF, "/dev/null", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    barriers(2);
    MPI_Win_free(&windows[1]);
    barriers(1);
    MPI_Win_free(&windows[0]);
    MPI_File_close(&file);
}

static void queues(void)
{
    static int received[POSTED];
    int rank, number = 0;
    MPI_Request requests[POSTED];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; rank == 1 && i < POSTED; i++) {
        MPI_Irecv(&received[i], 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &requests[i]);
    }
    for (int i = 0; rank == 0 && i < EARLY; i++) {
        MPI_Send(&number, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
    }
    barriers(5);
}

int main(int argc, char **argv)
{
    char data[64] = "";
    MPI_Init(&argc, &argv);
    if (argc > 1 && strcmp(argv[1], "queues") == 0) {
        queues();
    } else if (argc > 1 && strcmp(argv[1], "steps") == 0) {
        steps();
    } else if (argc > 1) {
        objects();
    } else {
        barriers(5);
    }
    for (int i = 0; i < 4; i++) {
        MPI_Bcast(data, sizeof data, MPI_CHAR, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
